#include "bench/controls.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/error.h"
#include "tests/bench/fakes.h"

namespace stepbench::bench {
namespace {

using testing::make_chain;

// Limited to [1, 3], [-1, 1], unlimited.
std::shared_ptr<model::Model> three_motors() {
  auto m = make_chain(3);
  m->actuator_ctrllimited = {1, 1, 0};
  m->actuator_ctrlrange = {1, 3, -1, 1, 0, 0};
  return m;
}

std::vector<double> fill(const batch::ControlSource& c, std::int64_t world, std::int64_t step,
                         std::vector<double> before = {0, 0, 0}) {
  c.fill(world, step, before);
  return before;
}

TEST(Controls, CentreIsTheMiddleOfTheRangeOrTheKeyFrame) {
  auto m = three_motors();
  auto r = control_range(*m, -1);
  EXPECT_EQ(r.centre, (std::vector<double>{2, 0, 0}));
  EXPECT_EQ(r.half, (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(std::isinf(r.high[2]));

  m->nkey = 1;
  m->key_ctrl = {1.5, 0.25, 7};
  r = control_range(*m, -1);
  EXPECT_EQ(r.centre, (std::vector<double>{1.5, 0.25, 7}));
}

TEST(Controls, NoiseHasTestspeedsAmplitudeAndMemory) {
  const auto m = three_motors();
  const ControlOptions o{"noise", 10, 3, -1};
  const auto c = make_controls(*m, o);
  EXPECT_EQ(c->period(), 10);
  // The third control: centre 0, half range 1: standard deviation 0.01, correlation exp(-0.02 /
  // 0.1).
  std::vector<double> ctrl(3);
  double sum = 0, square = 0, lag = 0, before = 0;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    c->fill(5, 10 * i, ctrl);
    sum += ctrl[2];
    square += ctrl[2] * ctrl[2];
    lag += ctrl[2] * before;
    before = ctrl[2];
    ASSERT_GE(ctrl[0], 1);
    ASSERT_LE(ctrl[0], 3);
  }
  EXPECT_NEAR(sum / n, 0, 6e-4);
  EXPECT_NEAR(std::sqrt(square / n), 0.01, 5e-4);
  EXPECT_NEAR(lag / square, std::exp(-0.2), 0.03);
}

TEST(Controls, NoiseStartsFromTheCentreWhateverWasThere) {
  const auto c = make_controls(*three_motors(), {"noise", 10, 3, -1});
  EXPECT_EQ(fill(*c, 1, 0, {9, 9, 9}), fill(*c, 1, 0, {0, 0, 0}));
  EXPECT_NE(fill(*c, 1, 10, {2.5, 0, 0}), fill(*c, 1, 10, {2, 0, 0}));
}

TEST(Controls, DependOnSeedWorldAndStepAlone) {
  const auto m = three_motors();
  for (const char* profile : {"noise", "random"}) {
    const auto a = make_controls(*m, {profile, 10, 3, -1});
    const auto b = make_controls(*m, {profile, 10, 3, -1});
    const auto other_seed = make_controls(*m, {profile, 10, 4, -1});
    EXPECT_EQ(fill(*a, 7, 20), fill(*b, 7, 20)) << profile;
    EXPECT_NE(fill(*a, 7, 20), fill(*a, 8, 20)) << profile;
    EXPECT_NE(fill(*a, 7, 20), fill(*a, 7, 30)) << profile;
    EXPECT_NE(fill(*a, 7, 20), fill(*other_seed, 7, 20)) << profile;
  }
}

TEST(Controls, RandomCoversTheRange) {
  const auto c = make_controls(*three_motors(), {"random", 10, 0, -1});
  double low = 10, high = -10;
  for (int i = 0; i < 2000; ++i) {
    const auto v = fill(*c, 0, i)[0];
    low = std::min(low, v);
    high = std::max(high, v);
  }
  EXPECT_NEAR(low, 1, 0.01);
  EXPECT_NEAR(high, 3, 0.01);
  EXPECT_GE(low, 1);
  EXPECT_LE(high, 3);
}

TEST(Controls, ZeroIsIdle) {
  const auto c = make_controls(*three_motors(), {"zero", 10, 0, -1});
  EXPECT_EQ(fill(*c, 3, 50, {1, 2, 3}), (std::vector<double>{0, 0, 0}));
}

class Replay : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return "replay:" + path_.string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("stepbench_replay_" + std::to_string(::getpid()) + ".csv");
};

TEST_F(Replay, RowsAreHeldAPeriodAndComeRoundAgain) {
  const auto c =
      make_controls(*three_motors(), {write("a,b,c\n1.5,0.5,4\n2.5 -0.5 9\n"), 10, 0, -1});
  EXPECT_EQ(fill(*c, 0, 0), (std::vector<double>{1.5, 0.5, 4}));
  EXPECT_EQ(fill(*c, 9, 10), (std::vector<double>{2.5, -0.5, 9}));
  EXPECT_EQ(fill(*c, 0, 20), (std::vector<double>{1.5, 0.5, 4}));
}

TEST_F(Replay, ErrorsNameTheLine) {
  const auto m = three_motors();
  try {
    make_controls(*m, {write("1,2,3\n1,2\n"), 10, 0, -1});
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find(":2: 2 numbers, but the scene has 3 controls"),
              std::string::npos)
        << e.what();
  }
  EXPECT_THROW(make_controls(*m, {write("1,2,3\n1,x,3\n"), 10, 0, -1}), UsageError);
  EXPECT_THROW(make_controls(*m, {write(""), 10, 0, -1}), UsageError);
  EXPECT_THROW(make_controls(*m, {"replay:/nowhere/at/all.csv", 10, 0, -1}), UsageError);
  EXPECT_THROW(make_controls(*m, {"idle", 10, 0, -1}), UsageError);
  EXPECT_THROW(make_controls(*m, {"noise", 0, 0, -1}), UsageError);
}

}  // namespace
}  // namespace stepbench::bench
