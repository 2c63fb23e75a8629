// The scenes do what they are there for: laws that can be written down, and sane energies.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engine/batch/batch.h"
#include "engine/model/load.h"

namespace stepbench {
namespace {

using batch::Precision;

std::unique_ptr<batch::Batch> start(const std::string& name, Precision precision, int key = -1,
                                    const std::string& contact = "newton") {
  auto m = model::load_model(std::filesystem::path(SB_SCENES_DIR) / (name + ".xml"));
  batch::BatchOptions options;
  options.precision = precision;
  options.contact = contact;
  auto b = batch::make_batch(m, 1, options);
  b->set_state(0, batch::initial_state(*m, key));
  return b;
}

struct DropLaw {
  double deepest_m = 0, rest_m = 0;
};

// The contact law for one coordinate: a cube of mass 1 on four corners, pyramidal cones,
// semi-implicit Euler; reference: MuJoCo's manual, computation chapter, "Constraint model".
DropLaw drop_law(double height, int steps) {
  const double h = 1e-3, mu = 0.5, timeconst = 0.01, dmin = 0.99, dmax = 0.999, width = 1e-3;
  const double k = 1 / (dmax * dmax * timeconst * timeconst), b = 2 / (dmax * timeconst);
  // 16 edges; each is softened by the cone's slope: R = 2 mu^2 (1 + mu^2) (1-d)/d A.
  const double edges = 16 / (2 * mu * mu * (1 + mu * mu));
  DropLaw r;
  double z = height, v = 0;
  for (int i = 0; i < steps; ++i) {
    double a = -9.81;
    if (z < 0) {
      const double x = std::min(-z / width, 1.0);
      const double y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
      const double d = dmin + y * (dmax - dmin), weight = edges * d / (1 - d);
      const double aref = -b * v - k * d * z;
      if (a < aref) a = (a + weight * aref) / (1 + weight);
    }
    v += h * a;
    z += h * v;
    r.deepest_m = std::min(r.deepest_m, z);
  }
  r.rest_m = z;
  return r;
}

class ScenePhysics : public testing::TestWithParam<Precision> {
 protected:
  bool f64() const { return GetParam() == Precision::kF64; }
};

TEST_P(ScenePhysics, DropFollowsTheScalarLaw) {
  auto b = start("drop", GetParam());
  const DropLaw law = drop_law(0.329, 1000);
  double deepest = 0;
  for (int i = 0; i < 1000; ++i) {
    b->step(1, nullptr);
    deepest = std::min(deepest, b->state(0).qpos[2] - 0.025);
  }
  EXPECT_NEAR(law.deepest_m, -8.58e-3, 5e-6);
  EXPECT_NEAR(deepest, law.deepest_m, (f64() ? 1e-9 : 1e-3) * std::fabs(law.deepest_m));
  EXPECT_NEAR(b->state(0).qpos[2] - 0.025, law.rest_m, f64() ? 1e-12 : 2e-7);
}

// v0^2 / (2 mu g) - v0 h / 2, within the few tenths of a millimetre that hopping costs; the lift is
// the sign of the convex law (MuJoCo 4.0.0: 1.35 mm), and depends on rounding.
TEST_P(ScenePhysics, SlideStopsWhereFrictionSays) {
  auto b = start("slide", GetParam(), 0);
  double lift = 0;
  for (int i = 0; i < 1000; ++i) {
    b->step(1, nullptr);
    lift = std::max(lift, b->state(0).qpos[1]);
  }
  const double distance = 4 / (2 * 0.5 * 9.81) - 2 * 1e-3 / 2;
  EXPECT_NEAR(b->state(0).qpos[0], distance, 1e-3);
  EXPECT_NEAR(b->state(0).qvel[0], 0, 1e-4);
  EXPECT_GT(lift, 3e-4);
  EXPECT_LT(lift, 4e-3);
}

// Overlap of a box that carries `weight` (N) on four contacts of default parameters, where
// `invmass` is that of the pair: f = n D K d r with D = d / ((1 - d) A); pyramids at friction 1 are
// as stiff as cones.
double overlap_at_rest(double weight, double invmass) {
  const double timeconst = 0.02, dmin = 0.9, dmax = 0.95, width = 1e-3;
  const double k = 1 / (dmax * dmax * timeconst * timeconst);
  double r = 0;
  for (int i = 0; i < 200; ++i) {
    const double x = std::min(r / width, 1.0);
    const double y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    const double d = dmin + y * (dmax - dmin);
    r = weight * invmass * (1 - d) / (4 * d * d * k);
  }
  return r;
}

// Boxes settle on each other, each as deep as the weight above it says.
TEST_P(ScenePhysics, StackStands) {
  auto b = start("stack", GetParam());
  b->step(2000, nullptr);
  EXPECT_EQ(b->stats(0).flags, 0u);
  EXPECT_EQ(b->stats(0).ncon, 40);
  const batch::WorldState s = b->state(0);
  double height = 0.05;
  for (int i = 0; i < 10; ++i) {
    height -= overlap_at_rest((10 - i) * 9.81, i == 0 ? 1 : 2);
    EXPECT_NEAR(s.qpos[std::size_t(7 * i)], 0, f64() ? 1e-6 : 1e-4) << "box " << i;
    EXPECT_NEAR(s.qpos[std::size_t(7 * i + 2)], height, f64() ? 1e-8 : 2e-6) << "box " << i;
    height += 0.1;
  }
}

// Nothing drives these scenes: energy may only fall, and what lies stays near the surface.
TEST_P(ScenePhysics, PassiveScenesLoseEnergy) {
  for (const char* name : {"drop", "stack", "pile"}) {
    auto b = start(name, GetParam());
    const batch::Energy at_start = b->energy(0);
    double last = at_start.potential_j + at_start.kinetic_j;
    const double scale = std::fabs(last);
    for (int i = 0; i < 8; ++i) {
      b->step(100, nullptr);
      const batch::Energy e = b->energy(0);
      const double now = e.potential_j + e.kinetic_j;
      // Semi-implicit Euler gains m g h v in free fall; soft contacts give some back.
      EXPECT_LT(now, last + 0.01 * scale) << name << " after " << 100 * (i + 1) << " steps";
      last = now;
    }
    EXPECT_EQ(b->stats(0).flags, 0u) << name;
    EXPECT_GT(b->stats(0).ncon, 0) << name;
    EXPECT_LT(b->stats(0).max_penetration_m, 0.01) << name;
  }
}

// Controls at random over their whole range, changed every 20 steps.
class RandomControls : public batch::ControlSource {
 public:
  explicit RandomControls(const model::Model& m) : model_(m) {}
  void fill(std::int64_t world, std::int64_t step, std::span<double> ctrl) const override {
    std::uint64_t x = std::uint64_t(world) * 0x9e3779b97f4a7c15u + std::uint64_t(step) + 1;
    for (std::size_t i = 0; i < ctrl.size(); ++i) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      const double u = double(x >> 11) * 0x1p-53;
      const double lo = model_.actuator_ctrlrange[2 * i], hi = model_.actuator_ctrlrange[2 * i + 1];
      ctrl[i] = lo + u * (hi - lo);
    }
  }
  int period() const override { return 20; }

 private:
  const model::Model& model_;
};

// Robots driven hard stay finite and connected, and their speeds stay those of machines.
TEST_P(ScenePhysics, DrivenRobotsStaySane) {
  for (const char* name : {"cartpole", "panda", "panda_free", "humanoid", "quadruped"}) {
    auto b = start(name, GetParam());
    if (b->model().nkey > 0) b->set_state(0, batch::initial_state(b->model(), 0));
    const RandomControls controls(b->model());
    for (int i = 0; i < 5; ++i) {
      b->step(200, &controls);
      const batch::Energy e = b->energy(0);
      EXPECT_TRUE(std::isfinite(e.potential_j + e.kinetic_j)) << name;
      EXPECT_LT(e.kinetic_j, 500) << name << " after " << 200 * (i + 1) << " steps";
      EXPECT_LT(b->stats(0).max_penetration_m, 0.05) << name;
    }
    EXPECT_EQ(b->stats(0).flags, 0u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, ScenePhysics,
                         testing::Values(Precision::kF32, Precision::kF64),
                         [](const auto& i) { return std::string(batch::to_string(i.param)); });

}  // namespace
}  // namespace stepbench
