#include "engine/batch/probe.h"

#include <algorithm>

#include "engine/batch/arena.h"
#include "engine/batch/pairs.h"
#include "engine/batch/step.h"
#include "engine/contact/forces.h"
#include "engine/contact/registry.h"
#include "engine/dynamics/energy.h"
#include "engine/model/model.h"

namespace stepbench::batch {

namespace {

// A world of one lane with its own memory.
template <class Real>
class OneWorld {
 public:
  OneWorld(const model::Params<Real>& m, const WorldState& w,
           const collide::BroadPhaseParams<Real>* broad_phase = nullptr)
      : state_(allocate_aligned<Real>(state_count(m))), storage_(m, broad_phase, 1, 64) {
    visit_.params = &m;
    visit_.state = state_.get();
    visit_.arena = &storage_.arena();
    const model::State<Real> s = bind_state<Real>(m, state_.get());
    const auto put = [](Real* to, const auto& from) {
      if constexpr (requires { from.size(); }) {
        for (double x : from) *to++ = Real(x);
      } else {
        *to = Real(from);
      }
    };
#define X(name, count, unit, stage) put(s.name, w.name);
    SB_STATE_ARRAYS(X)
#undef X
  }

  Visit<Real>& visit() { return visit_; }

 private:
  std::unique_ptr<Real[], FreeDeleter> state_;
  ArenaStorage<Real> storage_;
  Visit<Real> visit_;
};

template <class Real>
std::vector<double> copy(const Real* a, int n) {
  return std::vector<double>(a, a + n);
}

template <class Real>
std::vector<Forward::Contact> contacts(const collide::PairParams<Real>* pairs,
                                       const model::Scratch<Real>& d,
                                       const std::vector<int>& address) {
  std::vector<Forward::Contact> list(size_t(d.ncon));
  for (int k = 0; k < d.ncon; ++k) {
    const collide::PairParams<Real>& q = pairs[d.con_pair[k]];
    Forward::Contact& c = list[size_t(k)];
    c.dist = double(d.con_dist[k]);
    c.includemargin = double(q.margin);
    std::copy_n(d.con_pos + 3 * k, 3, c.pos);
    std::copy_n(d.con_frame + 9 * k, 9, c.frame);
    std::copy_n(q.friction, 5, c.friction);
    c.geom1 = q.geom1;
    c.geom2 = q.geom2;
    c.dim = q.dim;
    c.efc_address = address[size_t(k)];
  }
  return list;
}

}  // namespace

template <class Real>
Energy probe_energy(const model::Params<Real>& m, const WorldState& w) {
  OneWorld<Real> world(m, w);
  Stepper<Real> stepper(world.visit());
  stepper.velocities();
  return {double(dynamics::energy_potential(m, stepper.s(), stepper.d())),
          double(dynamics::energy_kinetic(m, stepper.s(), stepper.d()))};
}

template <class Real>
Forward probe_forward(const model::Model& model, const model::Params<Real>& m,
                      const BatchOptions& options, const WorldState& w) {
  const Pairs<Real> pairs(model, options.layout);
  OneWorld<Real> world(m, w, pairs.broad_phase());
  Visit<Real>& v = world.visit();
  pairs.put_into(v);
  v.contact = {contact::find_model(options.contact), Real(options.comfree_stiffness),
               Real(options.comfree_damping)};
  v.single = options.layout == Layout::kSingle;
  Stepper<Real> stepper(v);
  stepper.forward();
  stepper.report_poses();

  const model::Scratch<Real>& d = stepper.d();
  Forward f;
  f.qacc = copy(d.qacc, m.nv);
  f.qacc_smooth = copy(d.qacc_smooth, m.nv);
  f.qfrc_bias = copy(d.qfrc_bias, m.nv);
  f.qfrc_passive = copy(d.qfrc_passive, m.nv);
  f.qfrc_actuator = copy(d.qfrc_actuator, m.nv);
  f.qfrc_smooth = copy(d.qfrc_smooth, m.nv);
  f.qfrc_constraint = copy(d.qfrc_constraint, m.nv);
  f.xpos = copy(d.xpos, 3 * m.nbody);
  f.xquat = copy(d.xquat, 4 * m.nbody);
  f.geom_xpos = copy(d.geom_xpos, 3 * m.ngeom);
  f.geom_xmat = copy(d.geom_xmat, 9 * m.ngeom);
  f.M_dense.assign(size_t(m.nv) * size_t(m.nv), 0.0);
  for (int i = 0; i < m.nv; ++i) {
    for (int k = 0; k < m.M_rownnz[i]; ++k) {
      const int j = m.M_colind[m.M_rowadr[i] + k];
      const double x = double(d.M[m.M_rowadr[i] + k]);
      f.M_dense[size_t(i) * size_t(m.nv) + size_t(j)] = x;
      f.M_dense[size_t(j) * size_t(m.nv) + size_t(i)] = x;
    }
  }
  f.niter = int(d.out_niter[0]);
  contact::EfcRows rows = contact::expand_rows(stepper.context());
  f.contact = contacts(stepper.context().pairs, d, rows.con_address);
  f.efc_type = std::move(rows.type);
  f.efc_D = std::move(rows.D);
  f.efc_aref = std::move(rows.aref);
  f.efc_pos = std::move(rows.pos);
  f.efc_force = std::move(rows.force);
  f.efc_J = std::move(rows.J);
  return f;
}

template Energy probe_energy<float>(const model::Params<float>&, const WorldState&);
template Energy probe_energy<double>(const model::Params<double>&, const WorldState&);
template Forward probe_forward<float>(const model::Model&, const model::Params<float>&,
                                      const BatchOptions&, const WorldState&);
template Forward probe_forward<double>(const model::Model&, const model::Params<double>&,
                                       const BatchOptions&, const WorldState&);

}  // namespace stepbench::batch
