#include "bench/peer_mujoco.h"

#include <gtest/gtest.h>

#include "bench/mujoco_library.h"
#include "bench/repeat.h"
#include "tests/bench/fakes.h"
#include "tests/bench/scene_file.h"

namespace stepbench::bench {
namespace {

// A ball that falls on a plane and a motor-driven pendulum.
constexpr const char* kScene = R"(
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .15"><freejoint/><geom type="sphere" size=".1"/></body>
    <body pos="1 0 1">
      <joint name="j" type="hinge" axis="0 1 0" damping=".1"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/>
    </body>
  </worldbody>
  <actuator><motor joint="j" ctrllimited="true" ctrlrange="-1 1"/></actuator>
</mujoco>)";

class PeerMujoco : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!mujoco_status().found) GTEST_SKIP() << mujoco_status().why;
    scene_ = file_.load();
    StartOptions file;
    file.kind = "file";
    start_ = StartStates::make(scene_->model, file);
  }
  std::unique_ptr<Instance> prepare(std::int64_t worlds, int threads = 1) {
    batch::BatchOptions o;
    o.threads = threads;
    auto i = engine_->prepare({scene_, worlds, o});
    i->set_states(*start_, 0);
    return i;
  }

  testing::SceneFile file_{kScene};
  std::shared_ptr<Engine> engine_ = make_mujoco_engine();
  std::shared_ptr<const LoadedScene> scene_;
  std::shared_ptr<const StartStates> start_;
};

TEST_F(PeerMujoco, StepsAsMujocoDoes) {
  // mujoco 4.0.0 (Python): 200 mj_step of kScene from qpos0 with zero control.
  const auto i = prepare(3);
  i->run(200, nullptr);
  const auto s = i->state(2);
  EXPECT_NEAR(s.time, 0.4, 1e-12);
  EXPECT_NEAR(s.qpos[2], 0.09963281329361466, 1e-12);
  EXPECT_NEAR(s.qpos[7], 1.395153981507297, 1e-12);
  EXPECT_NEAR(s.qvel[6], 3.0031172966808106, 1e-11);
}

TEST_F(PeerMujoco, LoadsASceneOnceAndTellsItsOwnTime) {
  const InstanceRequest request{scene_, 1, {}};
  const auto first = engine_->load(request), again = engine_->load(request);
  EXPECT_GT(first.load_s, 0);
  EXPECT_GT(first.compile_s, 0);
  EXPECT_NE(first.compile_s, scene_->times.compile_s);
  EXPECT_EQ(again.load_s, first.load_s);
}

TEST_F(PeerMujoco, StatesGoInAndComeOut) {
  const auto i = prepare(2);
  const auto s = i->state(1), origin = start_->state(1);
  EXPECT_EQ(s.qpos, origin.qpos);
  EXPECT_EQ(s.qvel, origin.qvel);
  EXPECT_EQ(s.ctrl, origin.ctrl);
  EXPECT_EQ(s.qacc_warmstart, origin.qacc_warmstart);
  EXPECT_EQ(i->hash(1), batch::hash_state(origin));
}

TEST_F(PeerMujoco, BitsDoNotDependOnThreadsChunksOrBatchSize) {
  const auto controls = make_controls(*scene_->model, {"noise", 10, 1, -1});
  const auto one = prepare(4, 1), two = prepare(4, 2), single = prepare(1, 1);
  one->run(120, controls.get());
  for (const int n : {7, 13, 100}) two->run(n, controls.get());
  single->set_states(*start_, 3);
  single->run(120, controls.get());
  EXPECT_EQ(hash_worlds(*one), hash_worlds(*two));
  EXPECT_EQ(single->hash(0), one->hash(3));
  EXPECT_NE(one->hash(0), one->hash(1));  // inputs differ from world to world
}

TEST_F(PeerMujoco, LooksWithoutChangingAnything) {
  const auto i = prepare(2);
  i->run(60, nullptr);  // the ball touched down at 0.1 s
  const auto before = hash_worlds(*i);
  const std::vector<std::int64_t> ids = {0, 1};
  const auto looks = i->look(ids, true);
  ASSERT_EQ(looks.size(), 2u);
  EXPECT_EQ(looks[0].ncon, 1);
  EXPECT_EQ(looks[0].nefc, 4);
  EXPECT_GE(looks[0].niter, 1);
  EXPECT_FALSE(looks[0].capped);
  EXPECT_GT(looks[0].max_penetration_m, 0);
  EXPECT_LT(looks[0].max_penetration_m, 0.01);
  EXPECT_GT(looks[0].potential_j, 0);
  EXPECT_EQ(hash_worlds(*i), before);
  EXPECT_EQ(i->faults().nonfinite_worlds, 0);
}

TEST_F(PeerMujoco, SurveysTheLastStepItself) {
  const auto i = prepare(1);
  int landed = 0;
  for (int step = 1; step < 80 && landed == 0; ++step) {
    i->set_states(*start_, 0);
    i->survey_run(step, nullptr);
    const std::vector<std::int64_t> ids = {0};
    if (i->look(ids, false)[0].ncon > 0) landed = step;
  }
  // A look at the present state sees the contact one step earlier.
  i->set_states(*start_, 0);
  i->run(landed - 1, nullptr);
  const std::vector<std::int64_t> ids = {0};
  EXPECT_EQ(i->look(ids, false)[0].ncon, 1);
  i->set_states(*start_, 0);
  i->run(landed - 2, nullptr);
  EXPECT_EQ(i->look(ids, false)[0].ncon, 0);
  // Surveying does not change the trajectory.
  const auto controls = make_controls(*scene_->model, {"noise", 10, 1, -1});
  const auto plain = prepare(1);
  plain->run(21, controls.get());
  i->set_states(*start_, 0);
  i->survey_run(21, controls.get());
  i->look(ids, true);
  EXPECT_EQ(i->hash(0), plain->hash(0));
}

TEST_F(PeerMujoco, ABadStateIsAFault) {
  StartOptions o;
  o.kind = "file";
  auto wild = std::make_shared<model::Model>(*scene_->model);
  wild->qpos0[0] = 1e11;
  const auto i = prepare(2);
  i->set_states(*StartStates::make(wild, o), 0);
  i->run(1, nullptr);
  EXPECT_EQ(i->faults().nonfinite_worlds, 2);
  i->set_states(*start_, 0);
  i->run(1, nullptr);
  EXPECT_EQ(i->faults().nonfinite_worlds, 0);
}

TEST_F(PeerMujoco, GetsTheEffectiveScene) {
  SceneRequest r;
  r.timestep_s = 0.001;
  scene_ = file_.load(r);
  EXPECT_FALSE(scene_->file_is_effective);
  const auto i = prepare(1);
  i->run(10, nullptr);
  EXPECT_NEAR(i->state(0).time, 0.01, 1e-15);
}

TEST_F(PeerMujoco, MemoryIsCounted) {
  EXPECT_EQ(prepare(8)->state_bytes(), 8 * prepare(1)->state_bytes());
  EXPECT_GT(engine_->estimate({scene_, 1000, {}}).state_bytes,
            engine_->estimate({scene_, 10, {}}).state_bytes);
}

TEST(PeerMujocoMissing, SaysHowToGetIt) {
  if (mujoco_status().found) {
    EXPECT_EQ(mujoco_status().version, "4.0.0");
    EXPECT_FALSE(mujoco_status().path.empty());
    EXPECT_TRUE(make_mujoco_engine()->missing().empty());
    return;
  }
  EXPECT_NE(mujoco_status().why.find("scripts/deps"), std::string::npos);
  EXPECT_EQ(make_mujoco_engine()->missing(), mujoco_status().why);
  EXPECT_THROW(make_mujoco_engine()->prepare({}), CellError);
}

TEST(PeerMujocoMissing, VersionText) { EXPECT_EQ(mujoco_version_text(4000000), "4.0.0"); }

}  // namespace
}  // namespace stepbench::bench
