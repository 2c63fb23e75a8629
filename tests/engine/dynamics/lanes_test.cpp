// Worlds side by side: every lane has a scalar world's bits, and what goes wrong in one stays in
// it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/dynamics/smooth_world.h"

namespace stepbench::dynamics {
namespace {

std::shared_ptr<const model::Model> scene(const char* name, int integrator) {
  auto m = std::make_shared<model::Model>(
      *model::load_model(std::string(SB_TESTS_DIR) + "/engine/dynamics/golden/" + name + ".xml"));
  m->opt.integrator = integrator;
  return m;
}

// A start that differs by world.
template <class World>
void start(World& w, int world, int lane) {
  const auto& m = w.p();
  const auto draw = [&](int i, double scale) {
    return scale * std::sin(1.7 * i + 0.9 * world + 0.3);
  };
  std::vector<double> q = w.model().qpos0, v, act, ctrl;
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += draw(int(i), 0.2);
  for (int i = 0; i < m.nv; ++i) v.push_back(draw(i + 50, 1));
  for (int i = 0; i < m.na; ++i) act.push_back(draw(i + 90, 0.1));
  for (int i = 0; i < m.nu; ++i) ctrl.push_back(draw(i + 99, 1));
  testing::set_values(w.s().qpos, q, lane);
  testing::set_values(w.s().qvel, v, lane);
  testing::set_values(w.s().act, act, lane);
  testing::set_values(w.s().ctrl, ctrl, lane);
}

template <class A, class B>
void expect_same_state(A& a, int lane_a, B& b, int lane_b, const char* what) {
  const auto& m = a.p();
  EXPECT_EQ(testing::values(a.s().qpos, m.nq, lane_a), testing::values(b.s().qpos, m.nq, lane_b))
      << what;
  EXPECT_EQ(testing::values(a.s().qvel, m.nv, lane_a), testing::values(b.s().qvel, m.nv, lane_b))
      << what;
  EXPECT_EQ(testing::values(a.s().act, m.na, lane_a), testing::values(b.s().act, m.na, lane_b))
      << what;
  EXPECT_EQ(testing::values(a.s().qacc_warmstart, m.nv, lane_a),
            testing::values(b.s().qacc_warmstart, m.nv, lane_b))
      << what;
}

template <class Lane>
void compare_with_scalar(const char* name, int integrator, int steps) {
  using Real = math::RealOf<Lane>;
  const auto m = scene(name, integrator);
  testing::SmoothWorld<Lane> packed(m);
  for (int i = 0; i < math::kWidth<Lane>; ++i) start(packed, i, i);
  packed.step(steps);
  for (int i = 0; i < math::kWidth<Lane>; ++i) {
    testing::SmoothWorld<Real> single(m);
    start(single, i, 0);
    single.step(steps);
    expect_same_state(packed, i, single, 0, name);
  }
}

TEST(Lanes, PackedWorldsHaveTheBitsOfSingleOnes) {
  for (const char* name : {"arm", "tree", "free", "actuators"}) {
    for (int integrator : {model::kEuler, model::kRk4, model::kImplicitFast}) {
      compare_with_scalar<math::Pack<double, 4>>(name, integrator, 20);
      compare_with_scalar<math::Pack<float, 8>>(name, integrator, 20);
    }
  }
}

// One lane starts with a number that is not finite, or blows up: it is reset as MuJoCo resets it,
// and the others keep the bits of a run beside healthy worlds.
TEST(Lanes, ABadWorldIsResetAndDisturbsNoOther) {
  using Lane = math::Pack<double, 4>;
  for (const char* name : {"arm", "tree", "free", "actuators"}) {
    for (int integrator : {model::kEuler, model::kRk4, model::kImplicitFast}) {
      for (double bad : {std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity(), 1e80}) {
        const auto m = scene(name, integrator);
        testing::SmoothWorld<Lane> healthy(m), mixed(m);
        for (int i = 0; i < 4; ++i) start(healthy, i, i), start(mixed, i, i);
        math::set(mixed.s().qvel[m->nv - 1], 2, bad);
        healthy.step();
        mixed.step();
        EXPECT_EQ(testing::values(mixed.d().out_bad, 1, 2)[0], 1);
        EXPECT_EQ(testing::values(mixed.d().out_bad, 1, 1)[0], 0);
        for (double q : testing::values(mixed.s().qpos, m->nq, 2)) EXPECT_TRUE(std::isfinite(q));
        healthy.step(10);
        mixed.step(10);
        EXPECT_EQ(testing::values(mixed.d().out_bad, 1, 2)[0], 0);
        for (int lane : {0, 1, 3}) expect_same_state(mixed, lane, healthy, lane, name);
      }
    }
  }
}

// mj_checkAcc resets within the step: the world is then one step from qpos0 with zero controls.
TEST(Lanes, AWorldWithBadAccelerationIsOneStepFromItsReset) {
  const auto m = scene("arm", model::kEuler);
  testing::SmoothWorld<double> bad(m), fresh(m);
  start(bad, 0, 0);
  bad.s().qvel[3] = std::numeric_limits<double>::quiet_NaN();
  bad.step();
  fresh.step();
  expect_same_state(bad, 0, fresh, 0, "arm");
  EXPECT_EQ(bad.s().time[0], fresh.s().time[0]);
  EXPECT_EQ(bad.s().ctrl[0], 0);
}

TEST(Lanes, WithoutAutoresetABadWorldIsOnlyFlagged) {
  auto m = std::make_shared<model::Model>(*scene("arm", model::kEuler));
  m->opt.disableflags |= model::kDsblAutoreset;
  testing::SmoothWorld<double> w(m);
  w.s().qvel[0] = std::numeric_limits<double>::quiet_NaN();
  w.step();
  EXPECT_EQ(w.d().out_bad[0], 1);
  EXPECT_TRUE(std::isnan(w.s().qvel[0]));
}

TEST(Lanes, ABadControlZeroesAllControlsOfItsWorld) {
  using Lane = math::Pack<double, 4>;
  const auto m = scene("arm", model::kEuler);
  testing::SmoothWorld<Lane> w(m);
  testing::SmoothWorld<double> zero(m);
  for (int i = 0; i < 4; ++i) start(w, i, i);
  start(zero, 2, 0);
  math::set(w.s().ctrl[4], 2, std::numeric_limits<double>::quiet_NaN());
  for (int i = 0; i < m->nu; ++i) zero.s().ctrl[i] = 0;
  w.step();
  zero.step();
  expect_same_state(w, 2, zero, 0, "controls");
}

}  // namespace
}  // namespace stepbench::dynamics
