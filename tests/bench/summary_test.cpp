#include "bench/summary.h"

#include <gtest/gtest.h>

namespace stepbench::bench {
namespace {

Sample sample(double rate, Int rep) {
  Sample s;
  s.id.status = kOk;
  s.id.cell_id = "c";
  s.cell.worlds = 10;
  s.cell.threads = 2;
  s.cell.timestep_s = 0.002;
  s.timing.rep = rep;
  s.timing.world_steps_per_s = rate;
  s.timing.elapsed_s = 0.5;
  s.timing.window_hash = "h";
  return s;
}

TEST(Summary, MedianSpreadAndRates) {
  const std::vector<Sample> rows = {sample(100, 0), sample(104, 1), sample(98, 2), sample(101, 3),
                                    sample(97, 4)};
  const auto s = summarise(rows, "max_time");
  EXPECT_EQ(s.stats.reps, 5);
  EXPECT_EQ(s.stats.world_steps_per_s, 100);
  EXPECT_EQ(s.stats.world_steps_per_s_min, 97);
  EXPECT_EQ(s.stats.world_steps_per_s_max, 104);
  EXPECT_EQ(s.stats.world_steps_per_s_ci_low, 97);
  EXPECT_EQ(s.stats.world_steps_per_s_ci_high, 104);
  EXPECT_EQ(s.stats.world_steps_per_s_mad, 2);
  EXPECT_DOUBLE_EQ(s.stats.noise_frac, 0.035);
  EXPECT_EQ(s.stats.steps_per_s, 10);
  EXPECT_DOUBLE_EQ(s.stats.realtime_factor_aggregate, 0.2);
  EXPECT_DOUBLE_EQ(s.stats.realtime_factor_per_world, 0.02);
  EXPECT_EQ(s.stats.elapsed_s, 2.5);
  EXPECT_EQ(s.stats.worlds_per_thread, 5);
  EXPECT_EQ(s.stats.stop_rule, "max_time");
  EXPECT_EQ(s.stats.window_distinct, 1);
}

TEST(Summary, OutliersAndClustersAreMarkedNotDropped) {
  std::vector<Sample> rows;
  for (int i = 0; i < 9; ++i) rows.push_back(sample(i == 4 ? 50 : 100 + 0.1 * i, i));
  auto s = summarise(rows, "");
  EXPECT_EQ(s.stats.outliers, 1);
  EXPECT_EQ(s.stats.reps, 9);
  EXPECT_EQ(s.stats.world_steps_per_s_min, 50);
  EXPECT_EQ(s.id.marks, kOutlier);
  rows.clear();
  for (int i = 0; i < 10; ++i) rows.push_back(sample(i % 2 == 0 ? 100 + 0.1 * i : 120, i));
  EXPECT_NE(summarise(rows, "").id.marks.find(kBimodal), std::string::npos);
}

TEST(Summary, MarksOfRepetitionsAreUnited) {
  auto a = sample(1, 0), b = sample(1, 1);
  a.id.marks = "open;not_steady";
  b.id.marks = "open;throttled;outlier";  // an outlier of the moment need not be one in the end
  EXPECT_EQ(summarise(std::vector<Sample>{a, b}, "").id.marks, "open;not_steady;throttled");
}

TEST(Summary, AFewThrottledRepetitionsDoNotMarkTheMedian) {
  std::vector<Sample> rows;
  for (int i = 0; i < 8; ++i) rows.push_back(sample(100, i));
  rows[1].id.marks = rows[4].id.marks = kThrottled;
  EXPECT_EQ(summarise(rows, "").id.marks, "");
  rows[2].id.marks = kThrottled;
  EXPECT_EQ(summarise(rows, "").id.marks, kThrottled);
}

TEST(Summary, OneInvalidRepetitionInvalidatesTheCell) {
  auto bad = sample(kNoReal, 1);
  bad.id.status = kNonFinite;
  bad.id.status_detail = "why";
  const auto s = summarise(std::vector<Sample>{sample(1, 0), bad}, "");
  EXPECT_EQ(s.id.status, kNonFinite);
  EXPECT_EQ(s.id.status_detail, "why");
  EXPECT_FALSE(measured(s.stats.world_steps_per_s));
}

Summary cell(const std::string& engine, const std::string& precision, Int worlds, Int threads,
             double rate) {
  Summary s;
  s.id.status = kOk;
  s.id.cell_id = engine + precision + std::to_string(worlds) + "/" + std::to_string(threads);
  s.scene.scene = "a.xml";
  s.cell.engine = engine;
  s.cell.precision = precision;
  s.cell.worlds = worlds;
  s.cell.threads = threads;
  s.cell.timestep_s = 0.002;
  s.cell.ctrl_profile = "noise";
  s.stats.world_steps_per_s = rate;
  s.workload.ncon_mean = 2;
  return s;
}

TEST(Summary, ScalingAgainstSmallestWorldCountAndOneThread) {
  std::vector<Summary> all = {
      cell("stepbench", "f32", 1, 1, 100),   cell("stepbench", "f32", 1, 4, 100),
      cell("stepbench", "f32", 64, 1, 800),  cell("stepbench", "f32", 64, 4, 2400),
      cell("stepbench", "f64", 64, 4, 1200), cell("mujoco", "f64", 64, 4, 240),
      cell("mujoco", "f64", 1, 1, 50)};
  compare_cells(all);
  EXPECT_EQ(all[0].stats.speedup, 1);
  EXPECT_EQ(all[3].stats.scaling_base, all[0].id.cell_id);
  EXPECT_EQ(all[3].stats.speedup, 24);
  EXPECT_EQ(all[3].stats.efficiency_frac, 6);  // SIMD lanes make it more than 1
  EXPECT_EQ(all[3].stats.speedup_threads, 3);
  EXPECT_EQ(all[3].stats.efficiency_threads_frac, 0.75);
  EXPECT_EQ(all[1].stats.efficiency_frac, 1);  // one world uses one thread
  EXPECT_EQ(all[3].stats.ratio_mujoco, 10);
  EXPECT_EQ(all[4].stats.ratio_mujoco, 5);
  EXPECT_EQ(all[5].stats.ratio_mujoco, 1);
  EXPECT_EQ(all[0].stats.ratio_mujoco, 2);
  EXPECT_FALSE(measured(all[2].stats.ratio_mujoco));  // no peer at 64 worlds on one thread
}

TEST(Summary, CellsWithoutSpeedAreNoBase) {
  std::vector<Summary> all = {cell("stepbench", "f32", 1, 1, kNoReal),
                              cell("stepbench", "f32", 8, 1, 80)};
  all[0].id.status = kOverflow;
  compare_cells(all);
  EXPECT_EQ(all[1].stats.speedup, 1);
  EXPECT_FALSE(measured(all[0].stats.speedup));
}

TEST(Summary, NoContactsWhereThePeerHasSomeIsAFailure) {
  std::vector<Summary> all = {cell("stepbench", "f32", 1, 1, 100), cell("mujoco", "f64", 1, 1, 10)};
  all[0].workload.ncon_mean = 0;
  compare_cells(all);
  EXPECT_EQ(all[0].id.status, kFailed);
  EXPECT_EQ(all[0].id.status_detail, "no contacts, where mujoco has 2.0 per world");
  EXPECT_FALSE(measured(all[0].stats.world_steps_per_s));
}

}  // namespace
}  // namespace stepbench::bench
