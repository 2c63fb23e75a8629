// ComFree's closed form and what follows from it (comfree.md 1 and 2).
#include "engine/contact/comfree.h"

#include <gtest/gtest.h>

#include "engine/contact/registry.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::SolverWorld;

constexpr double kGravity = 9.81;

// A unit mass on vertical slides above a plane, with 1 (sphere) or 4 (box) contacts.
std::string block(int contacts, double timestep, const char* extra, const char* joints) {
  char text[1000];
  std::snprintf(
      text, sizeof text,
      "<mujoco><option timestep='%g' %s/><default><geom friction='1 .02 .002' mass='1'/></default>"
      "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 "
      ".1'>%s%s</body></worldbody></mujoco>",
      timestep, extra, joints,
      contacts == 4 ? "<geom type='box' size='.1 .1 .1'/>" : "<geom size='.1'/>");
  return text;
}
const char* const kVertical = "<joint type='slide' axis='0 0 1'/>";
const char* const kPlanar = "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>";

template <class Lane>
void choose(SolverWorld<Lane>& w, double k = 0.2, double d = 0.001) {
  w.options.model = contact::find_model("comfree");
  w.options.comfree_stiffness = math::RealOf<Lane>(k);
  w.options.comfree_damping = math::RealOf<Lane>(d);
}

// Impedance ratio r / (1 - r) at a depth, default solimp with ComFree's width of 10 mm.
double rho(double depth) {
  const double x = std::min(1.0, depth / 0.01);
  const double y = x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
  const double r = 0.9 + 0.05 * y;
  return r / (1 - r);
}

// One step of one sphere by hand: gap and velocity given.
TEST(Comfree, OneStepByHand) {
  const double h = 0.002, k = 0.2, d = 0.001, depth = 0.003, v = -0.4;
  SolverWorld<double> w(block(1, h, "", kVertical));
  choose(w);
  w.s().qpos[0] = -depth;
  w.s().qvel[0] = v;
  w.forward();
  // condim 3: four facets without tangential motion, all alike.
  const double s = v - h * kGravity;
  const double lambda = std::max(0.0, -rho(depth) / h * ((d + k * h) * s - k * depth));
  EXPECT_NEAR(w.d().qfrc_constraint[0], 4 * lambda, 1e-11 * lambda);
  EXPECT_NEAR(w.d().qacc[0], 4 * lambda - kGravity, 1e-11 * lambda);
  EXPECT_EQ(w.d().out_nefc[0], 4);
}

TEST(Comfree, NormalStiffnessCountsFacets) {
  for (const auto& [condim, facets] : {std::pair{1, 1}, {3, 4}, {4, 6}, {6, 10}}) {
    std::string text = block(1, 0.002, "", kVertical);
    text.replace(text.find("mass='1'"), 8, "mass='1' condim='" + std::to_string(condim) + "'");
    SolverWorld<double> w(text);
    choose(w);
    w.s().qpos[0] = -0.001;
    w.forward();
    EXPECT_EQ(w.d().out_nefc[0], facets);
    const double s = -0.002 * kGravity;
    const double lambda = rho(0.001) / 0.002 * -((0.001 + 0.2 * 0.002) * s - 0.2 * 0.001);
    EXPECT_NEAR(w.d().qfrc_constraint[0], facets * lambda, 1e-11 * lambda);
  }
}

// Fixed point phi* = -(h g / k) (1 / (N n_f rho(phi*)) - d - k h): comfree.md 2.1, in mm.
TEST(Comfree, RestingDepth) {
  const struct {
    double k, h;
    int n;
    double depth_mm;
  } cases[] = {{.2, .002, 1, 2.413},
               {.2, .002, 4, .542},
               {.2, .01, 1, 6.586},
               {.2, .01, 4, 1.811},
               {.1, .002, 4, 1.108}};
  for (const auto& c : cases) {
    SolverWorld<double> w(block(c.n, c.h, "", kVertical));
    choose(w, c.k);
    w.steps(5000);
    const double depth = -w.s().qpos[0];
    EXPECT_NEAR(depth * 1e3, c.depth_mm, 6e-4);
    EXPECT_NEAR(depth, c.h * kGravity / c.k * (1 / (4 * c.n * rho(depth)) - 0.001 - c.k * c.h),
                1e-9);
  }
}

// Stable while a (2 d + 3 k h) < 4, a = N n_f rho: comfree.md 2.2. Several boxes on one body.
TEST(Comfree, StabilityBound) {
  const auto highest = [](int contacts, double h) {
    // Three slides: the mean of the body's inverse masses is then 1/m wherever its centre lies.
    std::string text = block(1, h, "",
                             "<joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/>"
                             "<joint type='slide' axis='0 1 0'/>"),
                geoms;
    for (int i = 0; i < contacts; ++i) {
      geoms += "<geom size='.1' pos='" + std::to_string(0.3 * i) + " 0 0' mass='" +
               std::to_string(1.0 / contacts) + "'/>";
    }
    const std::string sphere = "<geom size='.1'/>";
    text.replace(text.find(sphere), sphere.size(), geoms);
    SolverWorld<double> w(text);
    choose(w);
    w.s().qpos[0] = 0.001;
    double top = 0;
    for (int k = 0; k < 4000; ++k) {
      w.step();
      top = std::max(top, w.s().qpos[0]);
    }
    return top;
  };
  EXPECT_LT(highest(30, 0.002), 0.0011);
  EXPECT_GT(highest(36, 0.002), 0.1);
  EXPECT_LT(highest(4, 0.02), 0.0011);
  EXPECT_GT(highest(6, 0.02), 0.1);
}

// No static friction: creep a_t h (1 / (2 mu^2 rho N (d + k h)) - 1), comfree.md 2.4. 20 N push
// down, 9.81 along the wall.
TEST(Comfree, CreepsUnderTangentialLoad) {
  for (const auto& [h, creep] : {std::pair{.01, .306}, {.002, .172}, {.001, .103}}) {
    SolverWorld<double> w(block(4, h, "gravity='9.81 0 -20'", kPlanar));
    choose(w);
    w.steps(20000);
    EXPECT_NEAR(w.s().qvel[0], creep, 6e-4);
    const double depth = -w.s().qpos[1];
    const double gain = 2 * rho(depth) * 4 * (0.001 + 0.2 * h);
    EXPECT_NEAR(w.s().qvel[0], 9.81 * h * (1 / gain - 1), 1e-6);
  }
}

// Impulses are equal and opposite: linear momentum of two free spheres without gravity.
TEST(Comfree, ConservesMomentum) {
  SolverWorld<double> w(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='.1' "
      "mass='1'/></body>"
      "<body pos='.15 .05 .02'><freejoint/><geom size='.1' mass='3'/></body></worldbody></mujoco>");
  choose(w);
  w.s().qvel[0] = 1;
  w.s().qvel[7] = -0.2;
  w.steps(50);
  EXPECT_LT(w.s().qvel[0], 0.5);
  const double expected[3] = {1, -0.6, 0};
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(w.s().qvel[i] + 3 * w.s().qvel[6 + i], expected[i], 1e-13);
}

// Friction loss resists one direction only and has no cap, as published (comfree.md 1.7).
TEST(Comfree, FrictionLossIsOneSided) {
  const auto force = [](double v) {
    SolverWorld<double> w(
        "<mujoco><option gravity='0 0 0'/><worldbody><body>"
        "<joint type='slide' axis='1 0 0' frictionloss='.1'/><geom size='.1' mass='2'/>"
        "</body></worldbody></mujoco>");
    choose(w);
    w.s().qvel[0] = v;
    w.forward();
    return w.d().qfrc_constraint[0];
  };
  EXPECT_EQ(force(0.5), 0);
  EXPECT_NEAR(force(-0.5), 2 * 9 / 0.002 * (0.001 + 0.2 * 0.002) * 0.5, 1e-11);
}

TEST(Comfree, LimitPushesBack) {
  SolverWorld<double> w(
      "<mujoco><option gravity='0 0 0'/><worldbody><body>"
      "<joint type='slide' axis='1 0 0' limited='true' range='-1 .2'/>"
      "<geom size='.1' mass='2'/></body></worldbody></mujoco>");
  choose(w);
  w.s().qpos[0] = 0.201;
  w.s().qvel[0] = 0.3;
  w.forward();
  EXPECT_NEAR(w.d().qfrc_constraint[0],
              -2 * rho(0.001) / 0.002 * ((0.001 + 0.2 * 0.002) * 0.3 + 0.2 * 0.001), 1e-10);
}

TEST(Comfree, FreeFlightIsSmooth) {
  SolverWorld<double> w(block(4, 0.002, "", kPlanar));
  choose(w);
  w.s().qpos[1] = 1;
  w.forward();
  EXPECT_EQ(w.qacc(), testing::values(w.d().qacc_smooth, w.p().nv));
}

TEST(Registry, NamesAndReasons) {
  EXPECT_EQ(contact::find_model("newton"), 0);
  EXPECT_EQ(contact::find_model("comfree"), 1);
  EXPECT_EQ(contact::find_model("no"), -1);
  model::Model m;
  EXPECT_EQ(contact::unsupported_reason(m, "comfree"), "");
  m.opt.cone = model::kElliptic;
  EXPECT_NE(contact::unsupported_reason(m, "comfree").find("pyramidal"), std::string::npos);
  EXPECT_EQ(contact::unsupported_reason(m, "newton"), "");
  m.opt.cone = model::kPyramidal;
  m.opt.integrator = model::kRk4;
  EXPECT_NE(contact::unsupported_reason(m, "comfree").find("Euler"), std::string::npos);
}

}  // namespace
}  // namespace stepbench
