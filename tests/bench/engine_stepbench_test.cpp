#include "bench/engine_stepbench.h"

#include <gtest/gtest.h>

#include "bench/controls.h"
#include "bench/error.h"
#include "bench/hash_run.h"
#include "bench/measure.h"
#include "bench/repeat.h"
#include "bench/start.h"
#include "bench/workload.h"
#include "tests/bench/scene_file.h"

namespace stepbench::bench {
namespace {

constexpr const char* kScene = R"(
<mujoco>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .15"><freejoint/><geom type="box" size=".1 .08 .06"/></body>
    <body pos="1 0 1"><joint name="j" axis="0 1 0" damping=".1"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/></body>
  </worldbody>
  <actuator><motor joint="j" ctrllimited="true" ctrlrange="-1 1"/></actuator>
</mujoco>)";

class EngineStepbench : public ::testing::Test {
 protected:
  void SetUp() override {
    scene_ = file_.load();
    start_ = StartStates::make(scene_->model, {});
    controls_ = make_controls(*scene_->model, {"noise", 10, 0, -1});
  }
  std::unique_ptr<Instance> prepare(std::int64_t worlds, int threads = 1,
                                    batch::Precision p = batch::Precision::kF64) {
    batch::BatchOptions o;
    o.threads = threads;
    o.precision = p;
    return engine_->prepare({scene_, worlds, o});
  }

  testing::SceneFile file_{kScene};
  std::shared_ptr<Engine> engine_ = make_stepbench_engine();
  std::shared_ptr<const LoadedScene> scene_;
  std::shared_ptr<const StartStates> start_;
  std::shared_ptr<const batch::ControlSource> controls_;
};

TEST_F(EngineStepbench, WorldsDoNotDependOnBatchOrThreads) {
  for (const auto p : {batch::Precision::kF64, batch::Precision::kF32}) {
    const auto many = prepare(20, 2, p), few = prepare(3, 1, p);
    many->set_states(*start_, 0);
    many->run(60, controls_.get());
    few->set_states(*start_, 11);
    few->run(60, controls_.get());
    for (int w = 0; w < 3; ++w) EXPECT_EQ(few->hash(w), many->hash(11 + w));
  }
}

TEST_F(EngineStepbench, SettingStatesStartsOver) {
  const auto i = prepare(5);
  i->set_states(*start_, 0);
  i->run(30, controls_.get());
  const auto first = hash_worlds(*i);
  i->run(7, controls_.get());
  i->set_states(*start_, 0);
  i->run(30, controls_.get());
  EXPECT_EQ(hash_worlds(*i), first);
}

TEST_F(EngineStepbench, LooksSeeContactsAndChangeNothing) {
  const auto i = prepare(64);
  i->set_states(*start_, 0);
  i->run(200, controls_.get());
  const auto before = hash_worlds(*i);
  const auto looks = i->look(pick_worlds(64, 64), true);
  EXPECT_EQ(hash_worlds(*i), before);
  int touching = 0;
  for (const auto& l : looks) touching += l.ncon > 0;
  EXPECT_GT(touching, 32);
  EXPECT_EQ(i->faults().nonfinite_worlds, 0);
  EXPECT_EQ(i->faults().overflow_worlds, 0);
}

TEST_F(EngineStepbench, OptionsThatDoNotFitAreUnsupported) {
  InstanceRequest r{scene_, 1, {}};
  r.options.contact = "glue";
  try {
    engine_->prepare(r);
    FAIL();
  } catch (const CellError& e) {
    EXPECT_EQ(e.status(), kUnsupported);
  }
  EXPECT_THROW(engine_->resolve(r), CellError);
}

TEST_F(EngineStepbench, HashRunIsTheRepeatColumn) {
  Settings s;
  s.worlds = {16};
  s.threads = {1};
  s.precisions = {"f64"};
  const auto h = hash_after(*engine_, scene_, s, 50);
  EXPECT_EQ(h.worlds.size(), 16u);
  EXPECT_EQ(h.combined, combine_hashes(h.worlds, 0));
  s.threads = {2};
  EXPECT_EQ(hash_after(*engine_, scene_, s, 50).combined, h.combined);
  s.seed = 9;
  EXPECT_NE(hash_after(*engine_, scene_, s, 50).combined, h.combined);
}

TEST_F(EngineStepbench, PhasesOfAStepAddUpAndLeaveItsBitsAlone) {
  Settings s;
  s.scenes = {file_.path()};
  s.worlds = {20};
  s.threads = {2};
  s.precisions = {"f64"};
  s.engines = {"stepbench"};
  s.rules.max_time_s = 0.05;
  s.rules.window_s = 0.002;
  EngineSet engines;
  engines.add(engine_);
  const auto loader = make_scene_loader();
  const auto run = [&](bool phases) {
    s.rules.phases = phases;
    Observer quiet;
    return measure(make_plan(s, *loader, engines), engines, quiet, {}).summaries.at(0);
  };
  const auto with = run(true), without = run(false);
  double sum = 0;
#define SB_ADD(type, name, unit, doc)                     \
  EXPECT_GE(with.workload.name, 0) << #name;              \
  EXPECT_FALSE(measured(without.workload.name)) << #name; \
  sum += with.workload.name;
  SB_PHASE_COLUMNS(SB_ADD)
#undef SB_ADD
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(with.workload.phase_contact_frac, 0);
  EXPECT_EQ(with.repeat.state_hash, without.repeat.state_hash);
}

TEST_F(EngineStepbench, ASweepOfTheRealEngineIsValidAndRepeatable) {
  Settings s;
  s.scenes = {file_.path()};
  s.worlds = {1, 20};
  s.threads = {1};
  s.engines = {"stepbench"};
  s.contacts = {"newton", "comfree"};
  s.rules.max_time_s = 0.05;
  s.rules.window_s = 0.002;
  EngineSet engines;
  engines.add(engine_);
  const auto loader = make_scene_loader();
  const auto plan = make_plan(s, *loader, engines);
  Observer quiet;
  const auto out = measure(plan, engines, quiet, {});
  ASSERT_EQ(out.summaries.size(), 8u);
  for (const auto& r : out.summaries) {
    EXPECT_EQ(r.id.status, kOk) << r.id.status_detail;
    EXPECT_GT(r.stats.world_steps_per_s, 0);
    EXPECT_EQ(r.repeat.repeat_equal_frac, 1);
    EXPECT_EQ(r.stats.window_distinct, 1);
    EXPECT_EQ(r.cell.layout, "packed");
    EXPECT_GE(r.cell.lanes, 1);
    EXPECT_GT(r.workload.ncon_mean, 0);
    EXPECT_GE(r.setup.first_step_s, 0);
  }
}

}  // namespace
}  // namespace stepbench::bench
