// Boxes: counts and depths that follow from the figure, and properties that hold for any two boxes.
#include "engine/collide/box_box.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;
const Geom kBox{model::kGeomBox, {.1, .1, .1}};

Geom box_at(std::array<double, 3> pos, std::array<double, 4> quat = {1, 0, 0, 0}) {
  Geom g = kBox;
  g.pos = pos;
  g.quat = quat;
  return g;
}

TEST(BoxBox, FlushFacesHaveFourContacts) {
  for (double offset : {0., .05}) {
    const auto c = collide(kBox, box_at({offset, 0, .199}));
    ASSERT_EQ(c.size(), 4u);
    for (const Found& f : c) {
      EXPECT_NEAR(f.dist, -.001, 1e-15);
      EXPECT_NEAR(f.frame[2], 1, 1e-15);
      EXPECT_NEAR(f.pos[2], .0995, 1e-15);
      EXPECT_NEAR(std::fabs(f.pos[1]), .1, 1e-15);
      EXPECT_TRUE(std::fabs(f.pos[0] - .1) < 1e-15 || std::fabs(f.pos[0] + .1 - offset) < 1e-15);
    }
  }
}

TEST(BoxBox, TurnedFacesHaveEightContacts) {
  for (double degrees : {1., 20., 45.}) {
    const auto c = collide(kBox, box_at({0, 0, .199}, about({0, 0, 1}, degrees * kPi / 180)));
    EXPECT_EQ(c.size(), 8u) << degrees;
  }
}

TEST(BoxBox, CrossedEdgesHaveOneContact) {
  // Lower box turned about x by 45 degrees (an edge on top), upper about y: edges cross at right
  // angles.
  const double top = .1 * std::sqrt(2.);
  const auto c = collide(box_at({}, about({1, 0, 0}, kPi / 4)),
                         box_at({0, 0, 2 * top - .001}, about({0, 1, 0}, kPi / 4)));
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.001, 1e-14);
  EXPECT_NEAR(c[0].frame[2], 1, 1e-14);
  EXPECT_NEAR(c[0].pos[2], top - .0005, 1e-14);
}

TEST(BoxBox, CornerOnAFaceHasOneContact) {
  // Corner down: the diagonal along z.
  const double half_diagonal = .1 * std::sqrt(3.);
  const double tilt = std::acos(1 / std::sqrt(3.));
  const Geom big{model::kGeomBox, {1, 1, .1}};
  const auto c = collide(big, box_at({.2, .1, .1 + half_diagonal - .002},
                                     about({std::sqrt(.5), -std::sqrt(.5), 0}, tilt)));
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.002, 1e-14);
  EXPECT_NEAR(c[0].pos[0], .2, 1e-14);
}

TEST(BoxBox, ExactlyTouchingBoxesAreListed) {
  const auto c = collide(kBox, box_at({0, 0, .2}));
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(c[0].dist, 0);
  EXPECT_EQ(collide(kBox, box_at({0, 0, .2001})).size(), 0u);
}

TEST(BoxBox, DeepPenetrationOfAThinBoxKeepsContacts) {
  const Geom thin{model::kGeomBox, {.5, .5, .005}};
  const auto c = collide(thin, box_at({0, 0, .06}));
  ASSERT_EQ(c.size(), 4u);
  EXPECT_NEAR(c[0].dist, .06 - .105, 1e-15);
}

// For any two boxes: the normal is a unit vector from box 1 to box 2, every contact lies inside
// both boxes grown by half the depth, swapping the boxes gives the same depth, and separated boxes
// have no contact.
TEST(BoxBox, PropertiesOfRandomBoxes) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int hits = 0;
  for (int n = 0; n < 2000; ++n) {
    Geom a = kBox, b = kBox;
    for (double& x : a.size) x = .15 + .1 * uniform(random);
    for (double& x : b.size) x = .15 + .1 * uniform(random);
    for (double& x : a.quat) x = uniform(random);
    for (double& x : b.quat) x = uniform(random);
    for (double& x : b.pos) x = .3 * uniform(random);
    const auto c = collide(a, b), swapped = collide(b, a);
    ASSERT_EQ(c.empty(), swapped.empty());
    if (c.empty()) continue;
    ++hits;
    double depth = 0, depth_swapped = 0;
    for (const Found& f : c) depth = std::min(depth, f.dist);
    for (const Found& f : swapped) depth_swapped = std::min(depth_swapped, f.dist);
    EXPECT_NEAR(depth, depth_swapped, 1e-12);
    for (const Found& f : c) {
      double toward = 0, length = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        toward += f.frame[k] * (b.pos[k] - a.pos[k]);
        length += f.frame[k] * f.frame[k];
      }
      EXPECT_NEAR(length, 1, 1e-12);
      EXPECT_GE(toward, -1e-12);
      for (const Geom* g : {&a, &b}) {
        const auto m = matrix(g->quat);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          double local = 0;
          for (std::size_t k = 0; k < 3; ++k) local += m[3 * k + axis] * (f.pos[k] - g->pos[k]);
          EXPECT_LE(std::fabs(local), g->size[axis] - f.dist / 2 + 1e-12);
        }
      }
    }
  }
  EXPECT_GT(hits, 500);
}

}  // namespace
}  // namespace stepbench::collide::testing
