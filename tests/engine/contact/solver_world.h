// A scene from MJCF text, stepped through the stages by a plain loop, for tests of contact models.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/collide/narrow_phase.h"
#include "engine/collide/pairs.h"
#include "engine/contact/forces.h"
#include "engine/contact/rows.h"
#include "engine/dynamics/bias.h"
#include "engine/dynamics/com.h"
#include "engine/dynamics/factor.h"
#include "engine/dynamics/inertia.h"
#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/smooth.h"
#include "engine/dynamics/velocity.h"
#include "engine/math/quat.h"
#include "engine/model/load.h"
#include "tests/engine/testing/world.h"

namespace stepbench::testing {

// Scene without passive forces and actuators (those stages are left out), integrated by Euler.
template <class Lane>
class SolverWorld {
 public:
  using Real = math::RealOf<Lane>;

  explicit SolverWorld(const std::string& mjcf) : SolverWorld(model::load_model_string(mjcf)) {}
  explicit SolverWorld(std::shared_ptr<const model::Model> m)
      : model_(std::move(m)),
        pairs_(collide::cast<Real>(collide::all_pairs(*model_))),
        world_(*model_) {
    world_.grow_rows(1);
    dynamics::init_static(p(), s(), d());
    for (int i = 0; i < p().nv; ++i) d().qfrc_passive[i] = d().qfrc_actuator[i] = Lane(Real(0));
  }

  const model::Model& model() const { return *model_; }
  const model::Params<Real>& p() const { return world_.p(); }
  const model::State<Lane>& s() const { return world_.s; }
  model::Scratch<Lane>& d() { return world_.d; }
  const std::vector<collide::PairParams<Real>>& pairs() const { return pairs_; }

  contact::Options<Real> options;
  bool single = false;

  contact::Context<Lane> context() { return {p(), pairs_.data(), s(), d(), options, single}; }

  // Everything up to the constraint blocks and the smooth acceleration.
  void prepare() {
    dynamics::kinematics(p(), s(), d());
    dynamics::com_position(p(), s(), d());
    dynamics::composite_inertia(p(), d());
    dynamics::factor_M(p(), d());
    dynamics::com_velocity(p(), s(), d());
    do {
      collide::narrow_phase(p(), pairs_.data(), int(pairs_.size()), s(), d());
      if (d().need_con == 0) contact::make_rows(context());
    } while (grow());
    dynamics::bias(p(), s(), d());
    dynamics::smooth_acceleration(p(), s(), d());
  }

  // prepare() and the contact model.
  void forward() {
    do {
      prepare();
      contact::Context<Lane> c = context();
      contact::solve(c);
    } while (grow());
  }

  void step() {
    forward();
    const Lane h(p().opt.timestep);
    for (int i = 0; i < p().nv; ++i) {
      s().qvel[i] += h * d().qacc[i];
      s().qacc_warmstart[i] = d().qacc[i];
    }
    for (int j = 0; j < p().njnt; ++j) {
      Lane* q = s().qpos + p().jnt_qposadr[j];
      const Lane* v = s().qvel + p().jnt_dofadr[j];
      int n = 1;
      if (p().jnt_type[j] == model::kJntFree) {
        n = 3;
        turn(q + 3, v + 3, h);
      } else if (p().jnt_type[j] == model::kJntBall) {
        n = 0;
        turn(q, v, h);
      }
      for (int i = 0; i < n; ++i) q[i] += h * v[i];
    }
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) step();
  }

  std::vector<double> qacc(int lane = 0) { return values(d().qacc, p().nv, lane); }

 private:
  static void turn(Lane* q, const Lane* w, Lane h) {
    math::store4(q, math::integrate(math::load4(q), math::Vec3<Lane>{w[0], w[1], w[2]}, h));
  }

  // Room for what a stage asked; true if there was such a wish.
  bool grow() {
    const int con = d().need_con, j = d().need_j;
    const std::size_t bytes = d().need_workspace;
    if (con == 0 && j == 0 && bytes == 0) return false;
    if (con > 0) world_.grow_contacts(con);
    if (con > 0 || j > 0) world_.grow_rows(j > 0 ? j : d().maxj);
    if (bytes > 0) {
      workspace_.assign(bytes / 64 + 1, Line{});
      d().workspace = workspace_.data();
      d().workspace_bytes = workspace_.size() * 64;
      d().need_workspace = 0;
    }
    return true;
  }

  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::shared_ptr<const model::Model> model_;
  std::vector<collide::PairParams<Real>> pairs_;
  World<Lane> world_;
  std::vector<Line> workspace_;
};

// Largest difference, relative to the largest magnitude of b.
inline double max_relative(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double scale = 0, error = 0;
  for (std::size_t i = 0; i < b.size(); ++i) scale = std::max(scale, std::abs(b[i]));
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double e = std::abs(a[i] - b[i]);
    error = e > error || std::isnan(e) ? e : error;
  }
  return scale > 0 ? error / scale : error;
}

}  // namespace stepbench::testing
