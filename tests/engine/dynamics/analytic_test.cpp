// Motions whose solution is known in closed form, and conserved quantities.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/dynamics/smooth_world.h"

namespace stepbench::dynamics {
namespace {

using World = testing::SmoothWorld<double>;

std::string scene(const std::string& option, const std::string& bodies) {
  return "<mujoco><option " + option + "/><worldbody>" + bodies + "</worldbody></mujoco>";
}

TEST(Analytic, FreeFallIsTheSemiImplicitSum) {
  World w(scene("timestep='0.01'", "<body pos='0 0 5'><freejoint/><geom size='.1'/></body>"));
  w.step(100);
  // v_n = -g h n,  z_n = z_0 - g h^2 n (n + 1) / 2
  EXPECT_NEAR(w.s().qvel[2], -9.81, 1e-12);
  EXPECT_NEAR(w.s().qpos[2], 5 - 9.81 * 1e-4 * 100 * 101 / 2, 1e-12);
  EXPECT_NEAR(w.s().time[0], 1, 1e-12);
}

TEST(Analytic, PendulumSwingsWithItsPeriod) {
  // A point-like mass on a massless rod: small swings have the period 2 pi sqrt(l / g).
  World w(scene("timestep='0.001' integrator='RK4'",
                "<body><joint axis='0 1 0'/><inertial pos='0 0 -1' mass='1' diaginertia='1e-9 1e-9 "
                "1e-9'/></body>"));
  const double a = 0.01;
  w.s().qpos[0] = a;
  const double period = 2 * 3.14159265358979323846 / std::sqrt(9.81) * (1 + a * a / 16);
  const int steps = 1000;
  w.step(steps);
  EXPECT_NEAR(w.s().qpos[0], a * std::cos(2 * 3.14159265358979323846 * steps * 0.001 / period),
              1e-7);
}

TEST(Analytic, SpringAndDamperFollowTheDampedOscillator) {
  World w(
      scene("timestep='0.0005' gravity='0 0 0' integrator='RK4'",
            "<body><joint type='slide' axis='1 0 0' stiffness='40' damping='3' springref='0.2'/>"
            "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"));
  w.s().qpos[0] = 0.7;
  w.step(2000);
  const double decay = 3.0 / 4, omega = std::sqrt(20 - decay * decay), t = 1;
  const double x =
      0.5 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  EXPECT_NEAR(w.s().qpos[0], 0.2 + x, 1e-10);
}

TEST(Analytic, MotorAcceleratesByForceOverInertia) {
  World w(
      "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint name='j' axis='0 0 "
      "1' "
      "armature='0.5'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1.5'/></body></worldbody>"
      "<actuator><motor joint='j' gear='4' ctrlrange='-1 1' "
      "ctrllimited='true'/></actuator></mujoco>");
  w.s().ctrl[0] = 3;  // clamped to 1
  w.step(50);
  EXPECT_NEAR(w.s().qvel[0], 4 * 1 / 2.0 * 0.5, 1e-13);
}

TEST(Analytic, WithoutActuationActivationsStay) {
  World w(
      "<mujoco><option><flag actuation='disable'/></option><worldbody><body><joint name='j'/><geom "
      "size='.1'/>"
      "</body></worldbody><actuator><general joint='j' dyntype='integrator' actlimited='true' "
      "actrange='-0.1 0.1'/></actuator></mujoco>");
  w.s().act[0] = 0.4;  // not even clamped
  w.s().ctrl[0] = 1;
  w.step(3);
  EXPECT_EQ(w.s().act[0], 0.4);
}

const char* const kBrick =
    "<body><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='0.1 0.2 0.25'/></body>";

// Angular momentum in world axes of a free body whose principal axes are its frame.
math::Vec3<double> momentum(World& w) {
  w.forward();
  const double* v = w.s().qvel + 3;
  return mul(load9(w.d().xmat + 9), math::Vec3<double>{0.1 * v[0], 0.2 * v[1], 0.25 * v[2]});
}

TEST(Analytic, SpinningBodyKeepsItsMomentumAndEnergy) {
  World w(scene("timestep='0.002' gravity='0 0 0' integrator='RK4'", kBrick));
  w.s().qvel[3] = 0.3;
  w.s().qvel[4] = 5;  // about the middle axis: it tumbles
  w.s().qvel[5] = -0.2;
  const math::Vec3<double> before = momentum(w);
  const double energy = w.energy();
  w.step(1000);
  const math::Vec3<double> after = momentum(w);
  EXPECT_NEAR(after.x, before.x, 1e-9);
  EXPECT_NEAR(after.y, before.y, 1e-9);
  EXPECT_NEAR(after.z, before.z, 1e-9);
  EXPECT_NEAR(w.energy(), energy, 1e-8);
}

TEST(Analytic, ImplicitFastNeverGainsEnergyOfASpin) {
  World w(scene("timestep='0.01' gravity='0 0 0' integrator='implicitfast'", kBrick));
  w.s().qvel[3] = 1;
  w.s().qvel[4] = 20;
  double last = w.energy();
  for (int i = 0; i < 200; ++i) {
    w.step();
    const double now = w.energy();
    EXPECT_LE(now, last * (1 + 1e-12));
    last = now;
  }
}

const char* const kChain =
    "<body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.04'/>"
    "<body pos='.4 0 0'><joint type='ball'/><geom type='box' size='.1 .05 .02' pos='.1 0 0'/>"
    "<body pos='.2 0 0'><joint type='slide' axis='1 0 0' stiffness='50'/><joint axis='0 0 1'/>"
    "<geom type='capsule' fromto='0 0 0 .2 .1 0' size='.03'/></body></body></body>";

// Error of the energy after a second, by step size: its order is the integrator's.
double energy_error(const std::string& integrator, double h) {
  World w(scene("timestep='" + std::to_string(h) + "' integrator='" + integrator + "'", kChain));
  const double before = w.energy();
  w.step(int(std::lround(0.5 / h)));
  return std::fabs(w.energy() - before);
}

TEST(Analytic, RungeKuttaIsOfFourthOrderForEveryJoint) {
  const double coarse = energy_error("RK4", 0.005), fine = energy_error("RK4", 0.0025);
  EXPECT_GT(coarse / fine, 12);
  EXPECT_LT(fine, 1e-5);
}

TEST(Analytic, EulerIsOfFirstOrder) {
  const double coarse = energy_error("Euler", 0.001), fine = energy_error("Euler", 0.0005);
  EXPECT_GT(coarse / fine, 1.7);
  EXPECT_LT(coarse / fine, 2.4);
}

TEST(Analytic, KineticEnergyIsHalfOfVelocityTimesMomentum) {
  World w(scene("", kChain));
  for (int i = 0; i < w.p().nv; ++i) w.s().qvel[i] = 0.3 * (i + 1);
  w.forward();
  std::vector<double> p(std::size_t(w.p().nv));
  mul_M(w.p(), w.d().M, w.s().qvel, p.data());
  double twice = 0;
  for (int i = 0; i < w.p().nv; ++i) twice += p[std::size_t(i)] * w.s().qvel[i];
  EXPECT_NEAR(energy_kinetic(w.p(), w.s(), w.d()), twice / 2, 1e-13);
}

// The gradient of the potential energy is minus the force that springs and gravity exert at rest.
TEST(Analytic, ForcesAtRestAreTheGradientOfPotentialEnergy) {
  World w(
      "<mujoco><worldbody><body><joint type='ball' stiffness='2 1 0.5'/><geom type='box' size='.1 "
      ".2 .3' "
      "pos='.1 .05 0'/><body pos='0 0 .3'><joint axis='0 1 1' stiffness='3 0.4 0.2' "
      "springref='20'/>"
      "<geom type='capsule' size='.05 .2' pos='0 .2 0'/></body></body></worldbody></mujoco>");
  const auto potential = [&](int dof, double step) {
    w.reset();
    std::vector<double> v = {0.3, -0.5, 0.2, 0.7};
    advance_positions(w.p(), w.s().qpos, v.data(), 1.0, w.s().qpos);
    std::vector<double> e(4, 0.0);
    e[std::size_t(dof)] = step;
    advance_positions(w.p(), w.s().qpos, e.data(), 1.0, w.s().qpos);
    w.forward();
    return double(energy_potential(w.p(), w.s(), w.d()));
  };
  for (int dof = 0; dof < 4; ++dof) {
    const double slope = (potential(dof, 1e-5) - potential(dof, -1e-5)) / 2e-5;
    potential(dof, 0);
    EXPECT_NEAR(w.d().qfrc_passive[dof] - w.d().qfrc_bias[dof], -slope, 1e-6) << dof;
  }
}

}  // namespace
}  // namespace stepbench::dynamics
