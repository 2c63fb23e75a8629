// Masses and inertias of shapes against textbook formulas and numerical integration.
#include "engine/model/inertia.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace {

using namespace stepbench::model;
using namespace stepbench::model::detail;

Geom shape(int type, std::array<double, 3> size) {
  Geom g;
  g.type = type;
  g.size = size;
  return g;
}

// Moments of the solid { inside(x, y, z) } of density 1000 in the box [-half, half], midpoint rule
// with n^3 cells.
RigidInertia integrate(const std::function<bool(double, double, double)>& inside, Vec3 half,
                       int n) {
  RigidInertia sum;
  const double dx = 2 * half[0] / n, dy = 2 * half[1] / n, dz = 2 * half[2] / n;
  const double cell = 1000 * dx * dy * dz;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const double x = -half[0] + (i + 0.5) * dx, y = -half[1] + (j + 0.5) * dy,
                     z = -half[2] + (k + 0.5) * dz;
        if (!inside(x, y, z)) continue;
        sum.mass += cell;
        sum.moments[0] += cell * (y * y + z * z);
        sum.moments[1] += cell * (x * x + z * z);
        sum.moments[2] += cell * (x * x + y * y);
      }
    }
  }
  return sum;
}

void expect_near(const RigidInertia& a, const RigidInertia& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(a.moments[i], b.moments[i], tolerance * b.moments[i]);
}

TEST(Inertia, BoxOfWater) {
  const RigidInertia r = geom_inertia(shape(kGeomBox, {0.1, 0.2, 0.3}));
  EXPECT_DOUBLE_EQ(r.mass, 1000 * 0.2 * 0.4 * 0.6);
  EXPECT_DOUBLE_EQ(r.moments[0], r.mass / 12 * (0.4 * 0.4 + 0.6 * 0.6));
  EXPECT_DOUBLE_EQ(r.moments[1], r.mass / 12 * (0.2 * 0.2 + 0.6 * 0.6));
  EXPECT_DOUBLE_EQ(r.moments[2], r.mass / 12 * (0.2 * 0.2 + 0.4 * 0.4));
}

TEST(Inertia, MassReplacesDensity) {
  Geom g = shape(kGeomSphere, {0.5, 0, 0});
  g.mass = 3;
  const RigidInertia r = geom_inertia(g);
  EXPECT_EQ(r.mass, 3);
  EXPECT_DOUBLE_EQ(r.moments[0], 0.4 * 3 * 0.25);
}

TEST(Inertia, CapsuleIsCylinderPlusTwoHalfBalls) {
  const double r = 0.07, half = 0.2, h = 2 * half;
  const double side = 1000 * kPi * r * r * h, caps = 1000 * 4.0 / 3 * kPi * r * r * r;
  const RigidInertia c = geom_inertia(shape(kGeomCapsule, {r, half, 0}));
  EXPECT_NEAR(c.mass, side + caps, 1e-12);
  EXPECT_NEAR(c.moments[2], side * r * r / 2 + 0.4 * caps * r * r, 1e-14);
  // A half ball: centre of mass 3r/8 above its flat side, moment 83/320 m r^2 about it.
  const double at = half + 3.0 / 8 * r;
  const double across = side * (3 * r * r + h * h) / 12 + caps * (83.0 / 320 * r * r + at * at);
  EXPECT_NEAR(c.moments[0], across, 1e-12 * across);
  EXPECT_EQ(c.moments[0], c.moments[1]);
}

TEST(Inertia, RoundSolidsByIntegration) {
  const double r = 0.3, half = 0.2;
  expect_near(geom_inertia(shape(kGeomSphere, {r, 0, 0})),
              integrate([=](double x, double y, double z) { return x * x + y * y + z * z < r * r; },
                        {r, r, r}, 90),
              6e-3);
  expect_near(geom_inertia(shape(kGeomCylinder, {r, half, 0})),
              integrate([=](double x, double y, double) { return x * x + y * y < r * r; },
                        {r, r, half}, 90),
              6e-3);
  expect_near(geom_inertia(shape(kGeomEllipsoid, {r, half, 0.1})),
              integrate(
                  [=](double x, double y, double z) {
                    return x * x / (r * r) + y * y / (half * half) + z * z / 0.01 < 1;
                  },
                  {r, half, 0.1}, 90),
              6e-3);
}

// A shell is the limit of the difference of two solids whose surfaces are eps apart.
TEST(Inertia, ShellsAreThinDifferences) {
  const double eps = 1e-5;
  for (int type : {kGeomSphere, kGeomCapsule, kGeomCylinder, kGeomBox}) {
    const std::array<double, 3> s = {0.2, 0.3, 0.4};
    std::array<double, 3> outer = s;
    for (std::size_t i = 0; i < 3; ++i) outer[i] += eps;
    if (type == kGeomCapsule) outer[1] = s[1];  // half length without caps
    Geom shell = shape(type, s);
    shell.shellinertia = true;
    shell.density = 1000 * eps;
    const RigidInertia a = geom_inertia(shape(type, s)), b = geom_inertia(shape(type, outer));
    RigidInertia difference;
    difference.mass = b.mass - a.mass;
    for (std::size_t i = 0; i < 3; ++i) difference.moments[i] = b.moments[i] - a.moments[i];
    SCOPED_TRACE(type);
    expect_near(geom_inertia(shell), difference, 1e-3);
  }
}

TEST(Inertia, PlanesAndPointsHaveNoMass) {
  Geom plane = shape(kGeomPlane, {1, 1, 1});
  plane.mass = 5;
  EXPECT_EQ(geom_inertia(plane).mass, 0);
  Geom point = shape(kGeomSphere, {1e-6, 0, 0});  // volume below 1e-14
  point.mass = 5;
  EXPECT_EQ(geom_inertia(point).mass, 0);
}

TEST(PrincipalAxes, DescendingAndReassembling) {
  const Sym3 s = {1, 2, 2.5, 0.1, 0.2, 0.3};
  const Principal p = principal_axes(s);
  EXPECT_GE(p.moments[0], p.moments[1]);
  EXPECT_GE(p.moments[1], p.moments[2]);
  const Mat3 r = to_matrix(p.quat);
  const auto entry = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += r[3 * i + k] * p.moments[k] * r[3 * j + k];
    return sum;
  };
  // A rotation is left out when its cosine is within 1e-12 of 1: an angle of 1.4e-6.
  EXPECT_NEAR(entry(0, 0), s[0], 1e-6);
  EXPECT_NEAR(entry(1, 1), s[1], 1e-6);
  EXPECT_NEAR(entry(2, 2), s[2], 1e-6);
  EXPECT_NEAR(entry(0, 1), s[3], 1e-6);
  EXPECT_NEAR(entry(0, 2), s[4], 1e-6);
  EXPECT_NEAR(entry(1, 2), s[5], 1e-6);
}

TEST(PrincipalAxes, SortsByQuarterTurns) {
  // MuJoCo 4.0.0: body_inertia and body_iquat of fullinertia="1 3 2 0 0 0".
  const Principal p = principal_axes({1, 3, 2, 0, 0, 0});
  EXPECT_EQ(p.moments, (Vec3{3, 2, 1}));
  for (double x : p.quat) EXPECT_NEAR(std::abs(x), 0.5, 1e-14);
}

TEST(PrincipalAxes, TiesStayAsTheyAre) {
  const Principal p = principal_axes({2, 2 + 1e-13, 2, 0, 0, 0});
  EXPECT_EQ(p.quat, kUnitQuat);
}

TEST(Combine, TwoBallsOnARod) {
  RigidInertia ball;
  ball.mass = 2;
  ball.moments = {0.1, 0.1, 0.1};
  RigidInertia balls[] = {ball, ball};
  balls[0].pose.pos = {0, 0, 1};
  balls[1].pose.pos = {0, 0, 3};
  RigidInertia sum;
  ASSERT_TRUE(combine(balls, 2, 0, &sum));
  EXPECT_EQ(sum.mass, 4);
  EXPECT_EQ(sum.pose.pos, (Vec3{0, 0, 2}));
  EXPECT_NEAR(sum.moments[0], 0.2 + 4 * 1, 1e-14);
  EXPECT_NEAR(sum.moments[2], 0.2, 1e-14);
  EXPECT_FALSE(combine(balls, 2, 5, &sum));
}

}  // namespace
