// Planes: depths and places that follow from the figure. z is up, the plane is z = 0 unless said.
#include "engine/collide/plane.h"

#include <gtest/gtest.h>

#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;
const Geom kPlane{model::kGeomPlane, {1, 1, 1}, {}, {1, 0, 0, 0}};

TEST(Plane, SphereSinksByItsRadiusLessItsHeight) {
  const auto c = collide(kPlane, {model::kGeomSphere, {.1, 0, 0}, {.3, -.2, .08}});
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, -.02, 1e-15);
  EXPECT_NEAR(c[0].pos[0], .3, 1e-15);
  EXPECT_NEAR(c[0].pos[1], -.2, 1e-15);
  EXPECT_NEAR(c[0].pos[2], -.01, 1e-15);  // midway between the surfaces
  const std::array<double, 9> frame = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  EXPECT_EQ(c[0].frame, frame);
}

TEST(Plane, TiltedPlaneMeasuresAlongItsNormal) {
  Geom plane = kPlane;
  plane.quat = about({0, 1, 0}, kPi / 4);
  plane.pos = {1, 0, 0};
  const auto c = collide(plane, {model::kGeomSphere, {.1, 0, 0}, {1, 0, .05}});
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, .05 * std::sqrt(.5) - .1, 1e-15);
  EXPECT_NEAR(c[0].frame[0], std::sqrt(.5), 1e-15);
}

TEST(Plane, CapsuleTouchesWithItsEnds) {
  Geom capsule{model::kGeomCapsule, {.1, .3, 0}, {0, 0, .09}, about({0, 1, 0}, kPi / 2)};
  auto c = collide(kPlane, capsule);
  ASSERT_EQ(c.size(), 2u);  // lying along x: +axis first
  EXPECT_NEAR(c[0].pos[0], .3, 1e-15);
  EXPECT_NEAR(c[1].pos[0], -.3, 1e-15);
  EXPECT_NEAR(c[0].dist, -.01, 1e-15);
  EXPECT_NEAR(c[0].frame[3], 1, 1e-15);  // first tangent: the capsule's axis

  capsule.quat = {1, 0, 0, 0};
  capsule.pos = {0, 0, .39};
  c = collide(kPlane, capsule);
  ASSERT_EQ(c.size(), 1u);  // standing: the axis is the normal, the tangent falls back to x
  EXPECT_NEAR(c[0].dist, -.01, 1e-15);
  EXPECT_EQ(c[0].frame[3], 1);
}

TEST(Plane, EllipsoidTouchesAtItsSupportPoint) {
  // Turned about y by a: the lowest point lies sqrt((A sin a)^2 + (C cos a)^2) below the centre.
  const double a = .4, A = .3, C = .1;
  const Geom ellipsoid{model::kGeomEllipsoid, {A, .2, C}, {0, 0, .1}, about({0, 1, 0}, a)};
  const auto c = collide(kPlane, ellipsoid);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].dist, .1 - std::hypot(A * std::sin(a), C * std::cos(a)), 1e-15);
}

TEST(Plane, CylinderStandsOnThreePointsAndLiesOnTwo) {
  Geom cylinder{model::kGeomCylinder, {.2, .3, 0}, {0, 0, .299}};
  auto c = collide(kPlane, cylinder);
  ASSERT_EQ(c.size(), 3u);
  for (const Found& f : c) {
    EXPECT_NEAR(f.dist, -.001, 1e-15);
    EXPECT_NEAR(std::hypot(f.pos[0], f.pos[1]), .2, 1e-14);
  }
  // 120 degrees between any two.
  EXPECT_NEAR(c[0].pos[0] * c[1].pos[0] + c[0].pos[1] * c[1].pos[1], -.02, 1e-14);
  EXPECT_NEAR(c[1].pos[0] * c[2].pos[0] + c[1].pos[1] * c[2].pos[1], -.02, 1e-14);

  cylinder.quat = about({1, 0, 0}, kPi / 2);
  cylinder.pos = {0, 0, .199};
  c = collide(kPlane, cylinder);
  ASSERT_EQ(c.size(), 2u);
  EXPECT_NEAR(std::fabs(c[0].pos[1] - c[1].pos[1]), .6, 1e-14);
}

TEST(Plane, BoxHasFourContactsFlatTwoOnAnEdgeOneOnACorner) {
  Geom box{model::kGeomBox, {.1, .2, .3}, {0, 0, .299}};
  EXPECT_EQ(collide(kPlane, box).size(), 4u);
  box.quat = about({1, 0, 0}, .5);
  box.pos[2] = .3 * std::cos(.5) + .2 * std::sin(.5) - .001;
  auto c = collide(kPlane, box);
  ASSERT_EQ(c.size(), 2u);
  EXPECT_NEAR(c[0].dist, -.001, 1e-15);
  // Sunk far below: only the four lower corners count.
  box.pos[2] = -5;
  c = collide(kPlane, box);
  ASSERT_EQ(c.size(), 4u);
  for (const Found& f : c) EXPECT_LT(f.dist, -5);
}

TEST(Plane, ContactsBeginAtMarginPlusGap) {
  const Geom sphere{model::kGeomSphere, {.1, 0, 0}, {0, 0, .125}};
  EXPECT_EQ(collide(kPlane, sphere, .02, 0).size(), 0u);
  EXPECT_EQ(collide(kPlane, sphere, .02, .01).size(), 1u);  // in the gap: listed
  EXPECT_EQ(collide(kPlane, sphere, .03, 0).size(), 1u);
}

}  // namespace
}  // namespace stepbench::collide::testing
