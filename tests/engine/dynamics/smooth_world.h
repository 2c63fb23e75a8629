// A scene stepped by the stages of engine/dynamics alone: qacc is the unconstrained acceleration.
#pragma once

#include <memory>
#include <string>

#include "engine/dynamics/actuation.h"
#include "engine/dynamics/bias.h"
#include "engine/dynamics/com.h"
#include "engine/dynamics/energy.h"
#include "engine/dynamics/factor.h"
#include "engine/dynamics/inertia.h"
#include "engine/dynamics/integrate.h"
#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/passive.h"
#include "engine/dynamics/smooth.h"
#include "engine/dynamics/velocity.h"
#include "engine/model/load.h"
#include "tests/engine/testing/world.h"

namespace stepbench::testing {

template <class Lane>
class SmoothWorld {
 public:
  using Real = math::RealOf<Lane>;

  explicit SmoothWorld(const std::string& mjcf) : SmoothWorld(model::load_model_string(mjcf)) {}
  explicit SmoothWorld(std::shared_ptr<const model::Model> m)
      : model_(std::move(m)), world_(*model_) {
    dynamics::init_static(p(), s(), d());
  }

  const model::Model& model() const { return *model_; }
  const model::Params<Real>& p() const { return world_.p(); }
  const model::State<Lane>& s() const { return world_.s; }
  model::Scratch<Lane>& d() { return world_.d; }
  void reset() { world_.reset(); }

  void forward() {
    dynamics::kinematics(p(), s(), d());
    dynamics::com_position(p(), s(), d());
    dynamics::composite_inertia(p(), d());
    dynamics::factor_M(p(), d());
    dynamics::com_velocity(p(), s(), d());
    dynamics::bias(p(), s(), d());
    dynamics::passive(p(), s(), d());
    dynamics::actuation(p(), s(), d());
    dynamics::smooth_acceleration(p(), s(), d());
    for (int i = 0; i < p().nv; ++i) {
      d().qacc[i] = d().qacc_smooth[i];
      d().qfrc_constraint[i] = Lane(Real(0));
    }
  }

  void step(int n = 1) {
    for (int k = 0; k < n; ++k) {
      forward();
      dynamics::integrate(p(), s(), d(), [this] { forward(); });
    }
  }

  // Potential and kinetic energy (J) at the state in s().
  Lane energy() {
    dynamics::kinematics(p(), s(), d());
    dynamics::com_position(p(), s(), d());
    dynamics::com_velocity(p(), s(), d());
    return dynamics::energy_potential(p(), s(), d()) + dynamics::energy_kinetic(p(), s(), d());
  }

 private:
  std::shared_ptr<const model::Model> model_;
  World<Lane> world_;
};

}  // namespace stepbench::testing
