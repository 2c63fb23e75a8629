#include "bench/workload.h"

#include <gtest/gtest.h>

namespace stepbench::bench {
namespace {

WorldLook world(int ncon, int niter, double potential, double kinetic) {
  WorldLook l;
  l.ncon = ncon;
  l.nefc = 4 * ncon;
  l.niter = niter;
  l.potential_j = potential;
  l.kinetic_j = kinetic;
  l.max_penetration_m = 0.001 * ncon;
  return l;
}

TEST(Workload, MeansQuantilesAndExtremes) {
  WorkloadMeter meter;
  std::vector<WorldLook> looks;
  for (int i = 0; i <= 20; ++i) looks.push_back(world(i, 1, 0, 0));
  meter.add(looks);
  const auto w = meter.finish();
  EXPECT_EQ(w.surveys, 21);
  EXPECT_EQ(w.ncon_mean, 10);
  EXPECT_EQ(w.ncon_p95, 19);
  EXPECT_EQ(w.ncon_max, 20);
  EXPECT_EQ(w.nefc_mean, 40);
  EXPECT_EQ(w.nefc_max, 80);
  EXPECT_DOUBLE_EQ(w.max_penetration_m, 0.020);
  EXPECT_EQ(w.cap_hit_frac, 0);
  EXPECT_FALSE(measured(w.energy_drift_frac));
}

TEST(Workload, NothingLookedAtIsNotMeasured) {
  const auto w = WorkloadMeter().finish();
  EXPECT_EQ(w.surveys, 0);
  EXPECT_FALSE(measured(w.ncon_mean));
  EXPECT_FALSE(measured(w.ncon_max));
  EXPECT_FALSE(measured(w.max_penetration_m));
  EXPECT_FALSE(measured(w.cap_hit_frac));
}

TEST(Workload, EnergyDriftIsRelativeToItsScale) {
  WorkloadMeter meter;
  const std::vector<WorldLook> before = {world(0, 0, -10, 10), world(0, 0, 4, 0)};
  const std::vector<WorldLook> after = {world(0, 0, -12, 10), world(0, 0, 0, 4)};
  meter.add_energy(before, after, 2);
  const auto w = meter.finish();
  EXPECT_DOUBLE_EQ(w.energy_drift_frac, 0.5 * (-2.0 / 20 + 0));
  EXPECT_DOUBLE_EQ(w.kinetic_j_per_kg, 0.5 * (5 + 2));
  EXPECT_DOUBLE_EQ(meter.energy_gain_j_per_kg(), 0.5 * (-2.0 / 2 + 0));
}

TEST(Workload, FaultsAddUpAndCountedCapsWin) {
  WorkloadMeter meter;
  Faults f;
  f.overflow_worlds = 2;
  f.first_step = 30;
  f.capped_steps = 5;
  meter.add_faults(f, 100, 2);
  f.first_step = 12;
  meter.add_faults(f, 100, 2);
  const auto w = meter.finish();
  EXPECT_EQ(w.overflow_worlds, 4);
  EXPECT_EQ(w.first_flag_step, 12);
  EXPECT_DOUBLE_EQ(w.cap_hit_frac, 10.0 / 400);

  // An engine that does not count them: the share of looks.
  WorkloadMeter looks;
  auto capped = world(1, 100, 0, 0);
  capped.capped = true;
  looks.add(std::vector<WorldLook>{capped, world(1, 2, 0, 0)});
  looks.add_faults(Faults{}, 100, 2);
  EXPECT_EQ(looks.finish().cap_hit_frac, 0.5);
}

TEST(Workload, WorldsArePickedEvenly) {
  EXPECT_EQ(pick_worlds(3, 10), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(pick_worlds(100, 4), (std::vector<std::int64_t>{0, 25, 50, 75}));
}

}  // namespace
}  // namespace stepbench::bench
