// Spheres against sphere, capsule, cylinder and box: distances that follow from the figure.
#include "engine/collide/sphere.h"

#include <gtest/gtest.h>

#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

const Geom kBall{model::kGeomSphere, {.1, 0, 0}};

Geom ball_at(double x, double y, double z) {
  Geom g = kBall;
  g.pos = {x, y, z};
  return g;
}

TEST(Sphere, TwoSpheresMeetOnTheLineOfCentres) {
  const auto c = collide(kBall, {model::kGeomSphere, {.2, 0, 0}, {.12, .16, 0}});
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, .2 - .3, 1e-15);
  EXPECT_NEAR(c[0].frame[0], .6, 1e-15);
  EXPECT_NEAR(c[0].frame[1], .8, 1e-15);
  // |n_y| >= .5: the first tangent comes from +z.
  EXPECT_NEAR(c[0].frame[5], 1, 1e-15);
  // Midway between the surfaces: .1 along the normal, less half the depth.
  EXPECT_NEAR(c[0].pos[0], .6 * .05, 1e-15);
}

TEST(Sphere, CoincidentCentresTakeTheCrossProductOfTheAxes) {
  auto c = collide(kBall, ball_at(0, 0, 0));
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].frame[0], 1);  // parallel axes: x
  Geom turned = kBall;
  turned.quat = about({1, 0, 0}, 1.2);
  c = collide(kBall, turned);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].frame[0], 1, 1e-15);  // z x (turned z) = x
  turned.quat = about({0, 1, 0}, 1.2);
  c = collide(kBall, turned);
  EXPECT_NEAR(c[0].frame[1], 1, 1e-15);
}

TEST(Sphere, CapsuleIsItsNearestBall) {
  const Geom capsule{model::kGeomCapsule, {.1, .5, 0}};
  auto c = collide(ball_at(.15, 0, .3), capsule);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[0], -1, 1e-15);  // from the sphere to the capsule
  c = collide(ball_at(0, 0, .65), capsule);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[2], -1, 1e-15);
}

TEST(Sphere, CylinderHasSideCapAndRim) {
  const Geom cylinder{model::kGeomCylinder, {.2, .3, 0}};
  auto c = collide(ball_at(.25, 0, .1), cylinder);  // side
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[0], -1, 1e-15);
  c = collide(ball_at(.1, 0, .35), cylinder);  // cap
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[2], -1, 1e-15);
  c = collide(ball_at(.24, 0, .33), cylinder);  // rim: 3-4-5 triangle of .05
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[0], -.8, 1e-14);
  EXPECT_NEAR(c[0].frame[2], -.6, 1e-14);
  c = collide(ball_at(.01, 0, .28), cylinder);  // centre inside, cap nearer
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.12, 1e-15);
}

TEST(Sphere, BoxHasFaceEdgeCornerAndInside) {
  const Geom box{model::kGeomBox, {.1, .2, .3}};
  auto c = collide(ball_at(.15, .1, 0), box);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  c = collide(ball_at(.1 + .03, .2 + .04, 0), box);  // edge
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.05, 1e-15);
  EXPECT_NEAR(c[0].frame[0], -.6, 1e-14);
  c = collide(ball_at(.1 + .02, .2 + .02, .3 + .01), box);  // corner: 2-2-1
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.07, 1e-14);
  c = collide(ball_at(0, 0, 0), box);  // equally near -x and +x: -x
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.2, 1e-15);
  EXPECT_EQ(c[0].frame[0], 1);
}

TEST(Sphere, StoredOrderIsByType) {
  // The box is given first; geom1 is the sphere, and the normal points from it to the box.
  const Geom box{model::kGeomBox, {.1, .1, .1}};
  const auto c = collide(box, ball_at(.18, 0, 0));
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].geom1, 1);
  EXPECT_EQ(c[0].geom2, 0);
  EXPECT_NEAR(c[0].frame[0], -1, 1e-15);
}

}  // namespace
}  // namespace stepbench::collide::testing
