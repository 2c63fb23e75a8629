// Capsules against capsules and boxes.
#include "engine/collide/capsule.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;
const Geom kCapsule{model::kGeomCapsule, {.1, .5, 0}};

TEST(Capsule, CrossedCapsulesMeetOnce) {
  Geom other = kCapsule;
  other.pos = {.15, 0, .2};
  other.quat = about({1, 0, 0}, kPi / 2);  // along y
  const auto c = collide(kCapsule, other);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[0], 1, 1e-15);
  EXPECT_NEAR(c[0].pos[2], .2, 1e-15);
}

TEST(Capsule, ParallelCapsulesMeetAtBothEndsOfTheOverlap) {
  Geom other = kCapsule;
  other.pos = {.15, 0, .4};
  const auto c = collide(kCapsule, other);
  ASSERT_EQ(c.size(), 2u);  // ends of the first capsule, -axis first; both project onto the second
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[1].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].pos[2], -.1, 1e-14);
  EXPECT_NEAR(c[1].pos[2], .5, 1e-14);
}

TEST(Capsule, EndsAreBalls) {
  Geom other = kCapsule;
  other.pos = {0, 0, 1.15};
  other.quat = about({1, 0, 0}, 1e-3);
  const auto c = collide(kCapsule, other);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-5);
}

// Independent: the distance of two segments by dense sampling bounds the contact's distance.
TEST(Capsule, DistanceIsTheSegmentsDistance) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < 200; ++n) {
    Geom a = kCapsule, b = kCapsule;
    for (double& x : a.quat) x = uniform(random);
    for (double& x : b.quat) x = uniform(random);
    for (double& x : b.pos) x = .4 * uniform(random);
    const auto c = collide(a, b, 2);
    ASSERT_EQ(c.size(), 1u);
    const auto ma = matrix(a.quat), mb = matrix(b.quat);
    double best = 10;
    for (int i = -50; i <= 50; ++i) {
      for (int j = -50; j <= 50; ++j) {
        double d2 = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double d = a.pos[k] + .01 * i * ma[3 * k + 2] - b.pos[k] - .01 * j * mb[3 * k + 2];
          d2 += d * d;
        }
        best = std::min(best, std::sqrt(d2));
      }
    }
    EXPECT_LE(c[0].dist + .2, best + 1e-12);
    EXPECT_GE(c[0].dist + .2, best - .008);
  }
}

TEST(CapsuleBox, LyingOnAFaceHasTwoContactsStandingOne) {
  const Geom box{model::kGeomBox, {.5, .5, .1}};
  Geom capsule{model::kGeomCapsule, {.1, .3, 0}, {0, 0, .19}, about({0, 1, 0}, kPi / 2)};
  auto c = collide(capsule, box);
  ASSERT_EQ(c.size(), 2u);
  for (const Found& f : c) EXPECT_NEAR(f.dist, -.01, 1e-15);
  EXPECT_NEAR(std::fabs(c[0].pos[0] - c[1].pos[0]), .6, 1e-12);
  capsule.quat = {1, 0, 0, 0};
  capsule.pos = {0, 0, .49};
  c = collide(capsule, box);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.01, 1e-15);
}

TEST(CapsuleBox, SecondPointStopsAtTheEdgeOfTheFace) {
  const Geom box{model::kGeomBox, {.2, .2, .1}};
  const Geom capsule{model::kGeomCapsule, {.1, .5, 0}, {.3, 0, .19}, about({0, 1, 0}, kPi / 2)};
  const auto c = collide(capsule, box);
  ASSERT_EQ(c.size(), 2u);
  EXPECT_NEAR(std::min(c[0].pos[0], c[1].pos[0]), -.2, 1e-12);
  EXPECT_NEAR(std::max(c[0].pos[0], c[1].pos[0]), .2, 1e-12);
}

}  // namespace
}  // namespace stepbench::collide::testing
