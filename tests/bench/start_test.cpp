#include "bench/start.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bench/error.h"
#include "tests/bench/fakes.h"

namespace stepbench::bench {
namespace {

using testing::make_chain;
using testing::make_fake_batch;

std::shared_ptr<const StartStates> make(std::shared_ptr<const model::Model> m, StartOptions o) {
  return StartStates::make(m, o, make_fake_batch);
}

bool equal(const batch::WorldState& a, const batch::WorldState& b) {
  return a.qpos == b.qpos && a.qvel == b.qvel && a.ctrl == b.ctrl && a.time == b.time;
}

TEST(Start, FileIsTheSameForAllWorlds) {
  auto m = make_chain(2);
  m->qpos0 = {0.5, -0.5};
  StartOptions o;
  o.kind = "file";
  const auto s = make(m, o);
  EXPECT_EQ(s->state(0).qpos, m->qpos0);
  EXPECT_TRUE(equal(s->state(0), s->state(77)));
  EXPECT_EQ(s->state(3).qvel, (std::vector<double>{0, 0}));
}

TEST(Start, SettleAgesTheFileState) {
  const auto m = make_chain(1);
  StartOptions o;
  o.kind = "file";
  o.settle = 30;
  EXPECT_EQ(make(m, o)->state(5).time, 30);
}

TEST(Start, SpreadHoldsAgesFromZeroToTheOldest) {
  const auto m = make_chain(2);
  StartOptions o;
  const auto s = make(m, o);
  const auto ages = prototype_ages(*m);
  EXPECT_EQ(ages.front(), 0);
  EXPECT_EQ(ages.back(), kMaxAge);
  EXPECT_EQ(s->prototypes(), ages.size());
  std::set<double> seen;  // the fake batch counts time in steps
  for (int w = 0; w < 2000; ++w) seen.insert(s->state(w).time);
  EXPECT_EQ(seen.size(), ages.size());
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), kMaxAge);
}

TEST(Start, WorldsDifferAndDependOnSeedAndNumberAlone) {
  const auto m = make_chain(3);
  StartOptions o;
  o.seed = 4;
  const auto a = make(m, o);
  o.threads = 7;
  const auto b = make(m, o);
  o.seed = 5;
  const auto c = make(m, o);
  for (int w = 0; w < 50; ++w) {
    EXPECT_TRUE(equal(a->state(w), b->state(w)));
    EXPECT_FALSE(equal(a->state(w), a->state(w + 1)));
    EXPECT_FALSE(equal(a->state(w), c->state(w)));
  }
}

TEST(Start, NoiseRespectsJointRangesAndFreeBodies) {
  auto m = make_chain(1);
  m->jnt_limited = {1};
  m->jnt_range = {0, 0.001};
  StartOptions o;
  const auto s = make(m, o);
  for (int w = 0; w < 200; ++w) {
    const auto x = s->state(w);
    if (x.time != 0) continue;
    EXPECT_GE(x.qpos[0], 0);
    EXPECT_LE(x.qpos[0], 0.001);
    EXPECT_LE(std::abs(x.qvel[0]), kVelocityNoise + kWorldNoise);
  }
}

TEST(Start, LargeModelsTakeSnapshotsOfOneShorterTrajectory) {
  const auto m = make_chain(1000);
  const auto ages = prototype_ages(*m);
  EXPECT_EQ(ages.size(), 8u);
  EXPECT_EQ(ages.back(), 100);
  StartOptions o;
  EXPECT_EQ(make(m, o)->prototypes(), 8u);
}

TEST(Start, KeyFrameIsTheOrigin) {
  auto m = make_chain(1);
  m->nkey = 2;
  m->key_time = {0, 0};
  m->key_qpos = {0.25, 0.75};
  m->key_qvel = {0, 0};
  m->key_ctrl = {0, 0};
  StartOptions o;
  o.kind = "file";
  EXPECT_EQ(make(m, o)->state(0).qpos[0], 0.25);  // key 0 by default
  o.keyframe = 1;
  EXPECT_EQ(make(m, o)->state(0).qpos[0], 0.75);
  o.keyframe = 2;
  EXPECT_THROW(make(m, o), UsageError);
}

TEST(Start, BadOptionsAreUsageErrors) {
  const auto m = make_chain(1);
  StartOptions o;
  o.kind = "anyhow";
  EXPECT_THROW(make(m, o), UsageError);
  o.kind = "file";
  o.settle = -1;
  EXPECT_THROW(make(m, o), UsageError);
}

}  // namespace
}  // namespace stepbench::bench
