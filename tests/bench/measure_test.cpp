#include "bench/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/bench/fakes.h"

namespace stepbench::bench {
namespace {

using testing::FakeBehaviour;
using testing::FakeEngine;
using testing::FakeLoader;
using testing::FakeWorldRun;

class Recorder : public Observer {
 public:
  void sample(const Sample& s) override {
    samples.push_back(s);
    if (stop != nullptr && samples.size() == stop_after) stop->request();
  }
  void cell_done(const Summary& s) override { done.push_back(s.id.cell_id); }
  void progress(const Progress& p) override {
    EXPECT_GE(p.fraction, last_fraction - 1e-12);
    EXPECT_LE(p.fraction, 1);
    last_fraction = p.fraction;
  }
  std::vector<Sample> samples;
  std::vector<std::string> done;
  double last_fraction = 0;
  StopFlag* stop = nullptr;
  std::size_t stop_after = 0;
};

class MeasureTest : public ::testing::Test {
 protected:
  MeasureTest() {
    ours_ = std::make_shared<FakeEngine>("stepbench", clock_);
    peer_ = std::make_shared<FakeEngine>("mujoco", clock_);
    ours_->behaviour.step_s = 1e-6;
    peer_->behaviour.step_s = 1e-5;
    engines_.add(ours_);
    engines_.add(peer_);
    settings_.scenes = {"a.xml"};
    settings_.threads = {1};
    settings_.worlds = {1, 64};
    settings_.start = "file";  // nothing to age
    options_.clock = [clock = clock_] { return *clock; };
    options_.env.env_id = "here";
  }
  Outcome run() {
    plan_ = make_plan(settings_, loader_, engines_);
    return measure(plan_, engines_, recorder_, options_);
  }

  std::shared_ptr<double> clock_ = std::make_shared<double>(0);
  std::shared_ptr<FakeEngine> ours_, peer_;
  EngineSet engines_;
  FakeLoader loader_;
  Settings settings_;
  MeasureOptions options_;
  Recorder recorder_;
  Plan plan_;
};

TEST_F(MeasureTest, ThroughputIsStepsTimesWorldsPerSecond) {
  const auto out = run();
  ASSERT_EQ(out.summaries.size(), 6u);
  EXPECT_FALSE(out.stopped);
  for (const auto& s : out.summaries) {
    EXPECT_EQ(s.id.status, kOk);
    const double expected = s.cell.engine == "mujoco" ? 1e5 : 1e6;
    EXPECT_NEAR(s.stats.world_steps_per_s, expected, 1e-3 * expected);
    EXPECT_NEAR(s.stats.steps_per_s, expected / double(s.cell.worlds), 1e-3 * expected);
    EXPECT_NEAR(s.stats.ns_per_world_step, 1e9 / expected, 1e-3 * 1e9 / expected);
    EXPECT_NEAR(s.stats.realtime_factor_aggregate, expected * 0.002, 1e-2 * expected * 0.002);
    EXPECT_EQ(s.stats.reps, 5);
    EXPECT_EQ(s.stats.stop_rule, "min_reps");  // no noise at all
    EXPECT_EQ(s.workload.ncon_mean, 3);
    EXPECT_EQ(s.workload.nefc_max, 12);
    EXPECT_EQ(s.workload.cap_hit_frac, 0);
    EXPECT_EQ(s.env.env_id, "here");
    EXPECT_EQ(s.env.peer_version, s.cell.engine == "mujoco" ? "1.0" : "");
  }
  EXPECT_EQ(recorder_.samples.size(), 30u);
  EXPECT_EQ(recorder_.done.size(), 6u);
}

TEST_F(MeasureTest, WindowsReachTheTargetLength) {
  for (const auto& s : run().samples) {
    EXPECT_GE(s.timing.elapsed_s, 0.0999);
    EXPECT_LE(s.timing.elapsed_s, 0.5);
    EXPECT_EQ(s.timing.steps, s.timing.passes * s.timing.pass_steps);
  }
}

TEST_F(MeasureTest, EnginesOfAGroupRunTheSameStepsOfTheSameWorlds) {
  peer_->behaviour.step_s = 1e-3;  // 1000 times slower
  const auto out = run();
  std::map<Int, std::set<Int>> pass_steps;  // by worlds
  for (const auto& s : out.samples) pass_steps[s.cell.worlds].insert(s.timing.pass_steps);
  for (const auto& [worlds, steps] : pass_steps) EXPECT_EQ(steps.size(), 1u) << worlds;
  // Worlds of the last repetition's passes, of either engine.
  const auto starts = [](const FakeEngine& e, Int steps) {
    std::set<std::int64_t> firsts;
    for (std::size_t i = e.log.size() / 2; i < e.log.size(); ++i) {
      if (e.log[i].steps == steps) firsts.insert(e.log[i].first_world);
    }
    return firsts;
  };
  const auto steps = *pass_steps[1].begin();
  EXPECT_EQ(starts(*ours_, steps), starts(*peer_, steps));
}

TEST_F(MeasureTest, OneWorldSeesTheMixOfMany) {
  settings_.worlds = {1};
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  run();
  std::set<std::int64_t> firsts;
  for (const auto& r : ours_->log) firsts.insert(r.first_world);
  EXPECT_GE(firsts.size(), 100u);
}

TEST_F(MeasureTest, OneWorldOfASlowEngineSeesAMixToo) {
  settings_.worlds = {1};
  settings_.engines = {"mujoco"};
  peer_->behaviour.step_s = 2e-4;  // 500 steps in a window
  const auto out = run();
  EXPECT_EQ(out.samples[0].timing.pass_steps, 10);
  EXPECT_EQ(out.samples[0].timing.passes, 50);
}

TEST_F(MeasureTest, APassiveSceneThatGainsEnergyHasNoSpeed) {
  settings_.worlds = {64};
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  // 2 kg; passes of 200 steps: 2 J of 1 J.
  ours_->behaviour.gain_j = 0.01;
  EXPECT_EQ(run().summaries[0].id.status, kOk);  // motors may do that
  recorder_ = {};
  loader_.passive = true;
  const auto gained = run();
  EXPECT_EQ(gained.summaries[0].id.status, kDiverged);
  EXPECT_EQ(gained.summaries[0].id.status_detail,
            "a scene without inputs gained 1 J/kg, 200 % of its energy: lower --timestep or soften "
            "its contacts");
  EXPECT_FALSE(measured(gained.summaries[0].stats.world_steps_per_s));
  // A scene that starts near its zero of energy may gain a little.
  recorder_ = {};
  ours_->behaviour.gain_j = 0.001;
  ours_->behaviour.kinetic_j = 0.1;
  EXPECT_EQ(run().summaries[0].id.status, kOk);
}

TEST_F(MeasureTest, LongRunsAreFinishedBlockByBlock) {
  settings_.worlds = {1, 2, 3, 4, 5, 6, 7, 8};
  settings_.rules.max_time_s = 50;
  run();
  // 120 s are spent after three cells of 50 s: one group (two precisions, one peer) to a block.
  std::set<std::string> open;
  std::map<std::string, Int> left;
  for (const auto& s : recorder_.samples) {
    open.insert(s.id.cell_id);
    if (++left[s.id.cell_id] == 5) open.erase(s.id.cell_id);
    EXPECT_LE(open.size(), 3u);
  }
  EXPECT_EQ(recorder_.done.size(), 24u);
}

TEST_F(MeasureTest, RepetitionsTakeTurns) {
  const auto out = run();
  // Some other cell comes between two repetitions of a cell, more often than not.
  std::map<std::string, Int> last;
  int apart = 0, next = 0;
  auto samples = recorder_.samples;
  for (const auto& s : samples) {
    const auto at = last.find(s.id.cell_id);
    if (at != last.end()) (s.timing.order - at->second > 1 ? apart : next)++;
    last[s.id.cell_id] = s.timing.order;
  }
  EXPECT_GT(apart, next);
  // In plan order each cell is finished before the next begins.
  recorder_ = {};
  settings_.rules.interleave = false;
  run();
  for (std::size_t i = 5; i < recorder_.samples.size(); ++i) {
    EXPECT_EQ(recorder_.samples[i].timing.rep, Int(i % 5));
  }
}

TEST_F(MeasureTest, NoiseKeepsACellGoingUntilItsTimeIsUp) {
  ours_->behaviour.noise = 0.3;
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  settings_.worlds = {64};
  settings_.rules.max_noise = 1e-4;
  const auto out = run();
  ASSERT_EQ(out.summaries.size(), 1u);
  EXPECT_EQ(out.summaries[0].stats.stop_rule, "max_time");
  EXPECT_GT(out.summaries[0].stats.reps, 5);
  EXPECT_GE(out.summaries[0].stats.world_steps_per_s_max,
            out.summaries[0].stats.world_steps_per_s_min);

  settings_.rules.max_noise = 0.05;
  recorder_ = {};
  const auto loose = run();
  EXPECT_NE(loose.summaries[0].stats.stop_rule, "max_time");
  EXPECT_LE(loose.summaries[0].stats.noise_frac, 0.05);
}

TEST_F(MeasureTest, ASlowStepIsOneStepPerPassAndFewRepetitions) {
  ours_->behaviour.step_s = 2.0;  // s
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  settings_.worlds = {1};
  settings_.rules.repeat_steps = 1;
  const auto out = run();
  EXPECT_EQ(out.samples[0].timing.pass_steps, 1);
  EXPECT_EQ(out.samples[0].timing.passes, 1);
  EXPECT_EQ(out.summaries[0].stats.reps, 5);
  EXPECT_NEAR(out.summaries[0].stats.world_steps_per_s, 0.5, 1e-9);
}

TEST_F(MeasureTest, InvalidWorldsGiveAStatusAndNoSpeed) {
  ours_->behaviour.overflow_from_run = 0;
  const auto out = run();
  for (const auto& s : out.samples) {
    if (s.cell.engine == "mujoco") continue;
    EXPECT_EQ(s.id.status, kOverflow);
    EXPECT_FALSE(measured(s.timing.world_steps_per_s));
    EXPECT_NE(s.id.status_detail.find("at step 7: raise --max-contacts"), std::string::npos)
        << s.id.status_detail;
  }
  for (const auto& s : out.summaries) {
    EXPECT_EQ(measured(s.stats.world_steps_per_s), s.cell.engine == "mujoco");
  }
}

TEST_F(MeasureTest, OverflowInALaterRepetitionTakesTheSpeedAway) {
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  settings_.worlds = {1024};
  run();
  const auto runs = ours_->runs;
  ours_->runs = 0;
  ours_->behaviour.overflow_from_run = runs - 3;
  recorder_ = {};
  const auto out = run();
  EXPECT_EQ(out.samples.front().id.status, kOk);
  EXPECT_EQ(out.samples.back().id.status, kOverflow);
  EXPECT_EQ(out.summaries[0].id.status, kOverflow);
  EXPECT_FALSE(measured(out.summaries[0].stats.world_steps_per_s));
}

TEST_F(MeasureTest, RunawayEnergyIsDivergence) {
  ours_->behaviour.kinetic_j = 1e9;
  settings_.engines = {"stepbench"};
  EXPECT_EQ(run().summaries[0].id.status, kDiverged);
}

TEST_F(MeasureTest, CellsThatCannotRunAreRows) {
  ours_->behaviour.fail_prepare = kUnsupported;
  settings_.devices = {"cpu", "cuda"};
  const auto out = run();
  EXPECT_EQ(out.summaries.size(), 10u);
  std::map<std::string, int> count;
  for (const auto& s : out.summaries) ++count[s.id.status];
  EXPECT_EQ(count[kUnsupported], 4);
  EXPECT_EQ(count[kNoDevice], 4);
  EXPECT_EQ(count[kOk], 2);
}

TEST_F(MeasureTest, RepeatabilityIsMeasuredInEveryCell) {
  const auto out = run();
  std::set<std::string> by_engine;
  for (const auto& s : out.summaries) {
    EXPECT_EQ(s.repeat.repeat_equal_frac, 1);
    EXPECT_EQ(s.repeat.repeat_distinct, 1);
    EXPECT_EQ(s.repeat.state_hash.size(), 18u);  // 0x and 16 digits
    EXPECT_EQ(s.stats.window_distinct, 1);
    EXPECT_EQ(s.repeat.repeat_threads, s.cell.worlds == 1 ? "1;1" : "1;1;2");
    EXPECT_EQ(s.repeat.repeat_steps, 100);
  }
}

TEST_F(MeasureTest, BitsThatDependOnTheRunOrTheThreadsShow) {
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  settings_.worlds = {64};
  ours_->behaviour.random_bits = true;
  auto out = run();
  EXPECT_EQ(out.summaries[0].repeat.repeat_equal_frac, 0);
  EXPECT_EQ(out.summaries[0].repeat.repeat_distinct, 3);
  EXPECT_EQ(out.summaries[0].stats.window_distinct, 5);
  ours_->behaviour.random_bits = false;
  ours_->behaviour.thread_bits = true;
  recorder_ = {};
  out = run();
  EXPECT_EQ(out.summaries[0].repeat.repeat_distinct, 2);
  EXPECT_EQ(out.summaries[0].stats.window_distinct, 1);
}

TEST_F(MeasureTest, StopsAfterTheRepetitionAndResumes) {
  StopFlag stop;
  options_.stop = &stop;
  recorder_.stop = &stop;
  recorder_.stop_after = 27;
  const auto first = run();
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.samples.size(), 27u);
  EXPECT_LT(first.summaries.size(), 6u);

  MeasureOptions again;
  again.clock = options_.clock;
  for (const auto& s : first.summaries) {
    DoneCell d;
    d.stop_rule = s.stats.stop_rule;
    for (const auto& row : first.samples) {
      if (row.id.cell_id == s.id.cell_id) d.samples.push_back(row);
    }
    again.done.push_back(d);
  }
  Recorder rest;
  const auto second = measure(plan_, engines_, rest, again);
  EXPECT_FALSE(second.stopped);
  EXPECT_EQ(second.summaries.size(), 6u);
  EXPECT_EQ(rest.done.size(), 6u - first.summaries.size());
  std::map<std::string, int> reps;
  for (const auto& s : second.samples) ++reps[s.id.cell_id];
  for (const auto& [id, n] : reps) EXPECT_EQ(n, 5) << id;
  for (const auto& s : second.summaries) EXPECT_EQ(s.stats.stop_rule, "min_reps");
}

TEST_F(MeasureTest, AnUnsteadyWarmUpIsMarked) {
  ours_->behaviour.drift = 0.2;
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f64"};
  settings_.worlds = {1024};
  settings_.rules.max_noise = 1e-6;
  settings_.rules.window_s = 1e-6;
  const auto out = run();
  EXPECT_NE(out.summaries[0].id.marks.find(kNotSteady), std::string::npos);
}

TEST(PassSteps, FollowTheBudgetInWholePeriods) {
  EXPECT_EQ(choose_pass_steps(1e-6, 1, 10), kPassSteps);
  EXPECT_EQ(choose_pass_steps(0.01, 0.57, 10), 50);
  EXPECT_EQ(choose_pass_steps(0.01, 0.07, 10), 7);
  EXPECT_EQ(choose_pass_steps(10, 1, 10), 1);
  EXPECT_EQ(choose_pass_steps(0, 1, 10), kPassSteps);
}

}  // namespace
}  // namespace stepbench::bench
