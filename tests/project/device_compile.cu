// Every stage of the step as device code: this file is compiled only, for each GPU architecture in
// turn (scripts/device_compile). It proves that the step code calls nothing that is host-only, for
// both precisions; a GPU backend will bind its own memory and call the same stages.
//
// One thread steps one world: Lane is a scalar.
#include "engine/collide/narrow_phase.h"
#include "engine/contact/model.h"
#include "engine/contact/rows.h"
#include "engine/dynamics/actuation.h"
#include "engine/dynamics/bias.h"
#include "engine/dynamics/com.h"
#include "engine/dynamics/energy.h"
#include "engine/dynamics/factor.h"
#include "engine/dynamics/inertia.h"
#include "engine/dynamics/integrate.h"
#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/link_sweep.h"
#include "engine/dynamics/passive.h"
#include "engine/dynamics/smooth.h"
#include "engine/dynamics/velocity.h"

namespace stepbench::device_compile {

template <class Real>
struct World {
  model::State<Real> state;
  model::Scratch<Real> scratch;
};

template <class Real>
struct Stepper {
  const model::Params<Real>& p;
  const collide::PairParams<Real>* pairs;
  int npair;
  int contact_model;
  const contact::Options<Real>& options;
  World<Real>& world;

  __device__ __noinline__ void forward() {
    model::State<Real>& s = world.state;
    model::Scratch<Real>& d = world.scratch;
    dynamics::kinematics(p, s, d);
    dynamics::com_position(p, s, d);
    dynamics::composite_inertia(p, d);
    if (p.derived.nlink > 0) dynamics::link_sweep(p, s, d);
    dynamics::factor_M(p, d);
    dynamics::com_velocity(p, s, d);
    collide::narrow_phase(p, pairs, npair, s, d);
    contact::Context<Real> context{p, pairs, s, d, options};
    context.options.model = contact_model;
    contact::make_rows(context);
    dynamics::bias(p, s, d);
    dynamics::passive(p, s, d);
    dynamics::actuation(p, s, d);
    dynamics::smooth_acceleration(p, s, d);
    contact::solve(contact_model, context);
  }

  __device__ void step() {
    forward();
    dynamics::integrate(p, world.state, world.scratch, [this] { forward(); });
    dynamics::energy_potential(p, world.state, world.scratch);
    dynamics::energy_kinetic(p, world.state, world.scratch);
  }
};

template <class Real>
__global__ void step(model::Params<Real> p, const collide::PairParams<Real>* pairs, int npair,
                     int contact_model, contact::Options<Real> options, World<Real>* worlds,
                     int nworld) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= nworld) return;
  dynamics::init_static(p, worlds[i].state, worlds[i].scratch);
  Stepper<Real>{p, pairs, npair, contact_model, options, worlds[i]}.step();
}

template __global__ void step(model::Params<float>, const collide::PairParams<float>*, int, int,
                              contact::Options<float>, World<float>*, int);
template __global__ void step(model::Params<double>, const collide::PairParams<double>*, int, int,
                              contact::Options<double>, World<double>*, int);

}  // namespace stepbench::device_compile
