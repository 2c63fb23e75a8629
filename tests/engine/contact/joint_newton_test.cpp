// Limits and friction loss of trees of hinges and slides, without contacts.
#include "engine/contact/joint_newton.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/contact/newton.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::max_relative;
using testing::SolverWorld;

// A tree of six hinges and slides, all limited. `friction`: some have friction loss.
std::string tree(bool friction) {
  const std::string loss = friction ? " frictionloss='.4'" : "";
  const auto body = [](const char* pos, const std::string& joint) {
    return "<body pos='" + std::string(pos) + "'><joint " + joint +
           "/><inertial pos='.05 0 .1' mass='.7' diaginertia='.01 .02 .015'/>";
  };
  return "<mujoco><option tolerance='1e-15'/><worldbody>" +
         body("0 0 0", "axis='0 0 1' range='-20 10'" + loss) +
         body("0 0 .3", "axis='0 1 0' range='-10 30' margin='.1'") +
         body(".1 0 .2", "type='slide' axis='1 0 0' range='-.05 .04'" + loss) +
         body("0 .1 .1", "axis='1 0 0' range='0 8' margin='.2'") + "</body></body>" +
         body("0 -.1 .2", "axis='0 1 0' range='-5 5'") + "</body></body></body>" +
         body("1 0 0", "type='slide' axis='0 0 1' range='-.1 .1'") + "</body></worldbody></mujoco>";
}

template <class Lane>
void start(SolverWorld<Lane>& w, unsigned seed, int lane) {
  std::mt19937 random{seed};
  std::normal_distribution<double> normal;
  std::vector<double> q, v, a;
  for (int i = 0; i < w.p().nv; ++i) {
    q.push_back(0.15 * normal(random));
    v.push_back(normal(random));
    a.push_back(20 * normal(random));
  }
  testing::set_values(w.s().qpos, q, lane);
  testing::set_values(w.s().qvel, v, lane);
  testing::set_values(w.s().qacc_warmstart, a, lane);
}

// M a - qfrc_smooth - J' f, relative to its terms.
double residual(SolverWorld<double>& w) {
  const auto& p = w.p();
  std::vector<double> Ma(std::size_t(p.nv));
  dynamics::mul_M(p, w.d().M, w.d().qacc, Ma.data());
  double worst = 0, scale = 1;
  for (int i = 0; i < p.nv; ++i) {
    const double force = w.d().qfrc_constraint[i];
    worst = std::max(worst, std::abs(Ma[std::size_t(i)] - w.d().qfrc_smooth[i] - force));
    scale = std::max({scale, std::abs(force), std::abs(w.d().qfrc_smooth[i])});
  }
  return worst / scale;
}

TEST(JointNewton, MeetsTheConditionsOfTheMinimum) {
  for (bool friction : {false, true}) {
    int limited = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
      SolverWorld<double> w(tree(friction));
      start(w, seed, 0);
      w.forward();
      ASSERT_TRUE(contact::JointNewton<double>::lanes(w.context()));
      limited += w.d().out_nefc[0] > (friction ? 2 : 0);
      EXPECT_LT(residual(w), 1e-11) << "seed " << seed;
      // The forces are those of the rows at this acceleration.
      const auto rows = contact::expand_rows(w.context());
      std::vector<double> force(std::size_t(w.p().nv), 0.0);
      for (std::size_t r = 0; r < rows.D.size(); ++r) {
        double u = -rows.aref[r];
        for (std::size_t i = 0; i < force.size(); ++i) {
          u += rows.J[r * force.size() + i] * w.d().qacc[i];
        }
        const bool loss = rows.type[r] == 1;  // mjCNSTR_FRICTION_DOF
        double f = -rows.D[r] * (loss ? u : std::min(u, 0.0));
        if (loss) f = std::clamp(f, -0.4, 0.4);
        for (std::size_t i = 0; i < force.size(); ++i) force[i] += rows.J[r * force.size() + i] * f;
      }
      EXPECT_LT(max_relative(force, testing::values(w.d().qfrc_constraint, w.p().nv)), 1e-9)
          << "seed " << seed;
    }
    EXPECT_GT(limited, 20);
  }
}

TEST(JointNewton, SinglePrecisionFollows) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SolverWorld<double> w(tree(true));
    SolverWorld<float> v(tree(true));
    start(w, seed, 0);
    start(v, seed, 0);
    w.forward();
    v.forward();
    EXPECT_LT(max_relative(v.qacc(), w.qacc()), 1e-3) << "seed " << seed;
  }
}

// Both limits of a joint act at once and hold each other: their forces are far larger than their
// sum, so that rounding must not throw the joint about.
TEST(JointNewton, OpposingLimitsStayCalmInSinglePrecision) {
  SolverWorld<float> w(
      "<mujoco><worldbody><body><joint axis='1 0 0' range='0 5.7' margin='.2'/>"
      "<geom size='1' contype='0' conaffinity='0'/></body></worldbody></mujoco>");
  for (int i = 0; i < 300; ++i) {
    w.step();
    EXPECT_LT(std::abs(w.s().qvel[0]), 1.f) << "step " << i;
  }
}

TEST(JointNewton, LanesHaveTheBitsOfSingleWorlds) {
  using Lane = math::Pack<float, 8>;
  SolverWorld<Lane> packed(tree(false));
  for (int i = 0; i < 8; ++i) start(packed, unsigned(i), i);
  packed.steps(20);
  for (int i = 0; i < 8; ++i) {
    SolverWorld<float> single(tree(false));
    start(single, unsigned(i), 0);
    single.steps(20);
    EXPECT_EQ(packed.qacc(i), single.qacc());
    EXPECT_EQ(testing::values(packed.s().qpos, packed.p().nq, i),
              testing::values(single.s().qpos, single.p().nq));
  }
}

}  // namespace
}  // namespace stepbench
