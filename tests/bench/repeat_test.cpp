#include "bench/repeat.h"

#include <gtest/gtest.h>

#include "tests/bench/fakes.h"

namespace stepbench::bench {
namespace {

TEST(Repeat, StepsShrinkWithWorldsAndDofsOnly) {
  EXPECT_EQ(default_repeat_steps(27, 1), 100);
  EXPECT_EQ(default_repeat_steps(27, 700), 100);
  EXPECT_EQ(default_repeat_steps(27, 1024), 72);
  EXPECT_LT(default_repeat_steps(27, 8192), 100);
  EXPECT_EQ(default_repeat_steps(6144, 16), 10);
  EXPECT_EQ(default_repeat_steps(0, 1), 100);
}

TEST(Repeat, CombinationKnowsWorldNumbersAndNotTheirOrder) {
  const std::vector<std::uint64_t> ab = {1, 2}, ba = {2, 1};
  EXPECT_NE(combine_hashes(ab, 0), combine_hashes(ba, 0));
  EXPECT_NE(combine_hashes(ab, 0), combine_hashes(ab, 1));
  const std::vector<std::uint64_t> a = {1}, b = {2};
  EXPECT_EQ(combine_hashes(ab, 5), combine_hashes(a, 5) + combine_hashes(b, 6));
}

TEST(Repeat, ComparesEveryWorldWithTheReferenceRun) {
  auto clock = std::make_shared<double>(0);
  testing::FakeEngine engine("stepbench", clock);
  engine.behaviour.thread_bits = true;
  const auto m = testing::make_chain(1);
  StartOptions file;
  file.kind = "file";
  RepeatRequest r;
  r.start = StartStates::make(m, file, testing::make_fake_batch);
  r.steps = 20;
  r.threads = 1;
  InstanceRequest request{testing::make_scene(m), 4, {}};
  const auto instance = engine.prepare(request);
  const auto make = [&](int threads) {
    request.options.threads = threads;
    return engine.prepare(request);
  };
  const auto same = study_repeatability(*instance, make, r);
  EXPECT_EQ(same.repeat_runs, 2);
  EXPECT_EQ(same.repeat_equal_frac, 1);
  r.other_threads = 2;
  const auto other = study_repeatability(*instance, make, r);
  EXPECT_EQ(other.repeat_runs, 3);
  EXPECT_EQ(other.repeat_threads, "1;1;2");
  EXPECT_EQ(other.repeat_equal_frac, 0);
  EXPECT_EQ(other.repeat_distinct, 2);
  EXPECT_EQ(other.state_hash, same.state_hash);
}

}  // namespace
}  // namespace stepbench::bench
