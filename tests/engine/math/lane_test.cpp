// Lane operations: packs do to each lane what scalars do, with the same bits.
#include "engine/math/lane.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/math/quat.h"
#include "engine/math/spatial.h"

namespace stepbench::math {
namespace {

template <class P>
class LaneTest : public ::testing::Test {};
using Packs = ::testing::Types<Pack<float, 4>, Pack<float, 8>, Pack<float, 16>, Pack<double, 2>,
                               Pack<double, 4>, Pack<double, 8>>;
TYPED_TEST_SUITE(LaneTest, Packs);

template <class Lane>
Lane ramp(double a, double b) {
  Lane x(RealOf<Lane>(0));
  for (int i = 0; i < kWidth<Lane>; ++i) set(x, i, RealOf<Lane>(a + b * i));
  return x;
}

TYPED_TEST(LaneTest, ArithmeticRoundsAsScalars) {
  using Lane = TypeParam;
  const Lane a = ramp<Lane>(0.1, 1.7), b = ramp<Lane>(-3.3, 0.9), c = ramp<Lane>(1e-3, 7);
  for (int i = 0; i < kWidth<Lane>; ++i) {
    const auto x = get(a, i), y = get(b, i), z = get(c, i);
    EXPECT_EQ(get(a + b, i), x + y);
    EXPECT_EQ(get(a * b, i), x * y);
    EXPECT_EQ(get(a / b, i), x / y);
    EXPECT_EQ(get(fma(a, b, c), i), std::fma(x, y, z));
    EXPECT_EQ(get(fnma(a, b, c), i), std::fma(-x, y, z));
    EXPECT_EQ(get(sqrt(a), i), std::sqrt(x));
    EXPECT_EQ(get(abs(b), i), std::fabs(y));
    EXPECT_EQ(get(min(a, b), i), std::min(x, y));
    EXPECT_EQ(get(max(a, b), i), std::max(x, y));
  }
}

TYPED_TEST(LaneTest, ComparisonsAndMasksActLaneByLane) {
  using Lane = TypeParam;
  const int W = kWidth<Lane>;
  const Lane a = ramp<Lane>(0, 1), half = Lane(RealOf<Lane>(W / 2));
  const auto low = a < half;
  int count = 0;
  for (int i = 0; i < W; ++i) {
    EXPECT_EQ(get_mask(low, i), i < W / 2);
    EXPECT_EQ(get_mask(!low, i), i >= W / 2);
    EXPECT_EQ(get(select(low, a, -a), i), i < W / 2 ? get(a, i) : -get(a, i));
    count += get_mask(low | (a == half), i);
  }
  EXPECT_EQ(count, W / 2 + 1);
  EXPECT_TRUE(any(low));
  EXPECT_FALSE(all(low));
  EXPECT_FALSE(any(low & !low));
  EXPECT_TRUE(all(low | !low));
  for (int i = 0; i < W; ++i) {
    MaskOf<Lane> one(false);
    set_mask(one, i, true);
    EXPECT_TRUE(any(one)) << i;
    EXPECT_FALSE(all(one)) << i;
  }
}

TYPED_TEST(LaneTest, NotANumberStaysInItsLane) {
  using Lane = TypeParam;
  Lane a = ramp<Lane>(1, 1);
  set(a, 1, std::numeric_limits<RealOf<Lane>>::quiet_NaN());
  const Lane b = sqrt(fma(a, a, a)) / a;
  for (int i = 0; i < kWidth<Lane>; ++i) EXPECT_EQ(std::isnan(get(b, i)), i == 1);
  EXPECT_FALSE(get_mask(a == a, 1));
  EXPECT_TRUE(get_mask(a != a, 1));
}

// Broadcasting keeps the sign of a zero.
TYPED_TEST(LaneTest, BroadcastKeepsNegativeZero) {
  using Lane = TypeParam;
  EXPECT_TRUE(std::signbit(get(Lane(RealOf<Lane>(-0.0)), 0)));
  EXPECT_FALSE(std::signbit(get(Lane(RealOf<Lane>(0.0)), 0)));
}

TEST(Quaternion, RotationsAgreeInEveryForm) {
  const Quat<double> q = normalize(Quat<double>{0.8, -0.3, 0.5, 0.1});
  const Vec3<double> v{0.3, -1.2, 2.0};
  const Vec3<double> a = rotate(q, v), b = mul(to_matrix(q), v);
  EXPECT_NEAR(a.x, b.x, 1e-15);
  EXPECT_NEAR(a.y, b.y, 1e-15);
  EXPECT_NEAR(a.z, b.z, 1e-15);
  EXPECT_NEAR(norm(a), norm(v), 1e-15);
  const Vec3<double> back = mul_t(to_matrix(q), a);
  EXPECT_NEAR(back.y, v.y, 1e-15);
}

TEST(Quaternion, ExponentialAndLogarithmAreInverse) {
  for (double scale : {1e-9, 1e-3, 0.7, 3.1}) {
    const Vec3<double> v{0.6 * scale, 0, -0.8 * scale};
    const Vec3<double> w = log_rotation(exp_rotation(v));
    EXPECT_NEAR(w.x, v.x, 1e-15 + 1e-14 * scale);
    EXPECT_NEAR(w.z, v.z, 1e-15 + 1e-14 * scale);
  }
  // Half a turn more goes the other way round.
  EXPECT_NEAR(log_rotation(exp_rotation(Vec3<double>{4, 0, 0})).x, 4 - 6.283185307179586, 1e-14);
}

TEST(Quaternion, ZeroLengthIsNoRotation) {
  const Quat<double> q = normalize(Quat<double>{0, 0, 0, 0});
  EXPECT_EQ(q.w, 1);
  EXPECT_EQ(q.x, 0);
}

TEST(Spatial, CrossProductsAreEachOthersTranspose) {
  const Spatial<double> v{{1, 2, 3}, {-1, 0.5, 2}}, m{{0.3, -2, 1}, {4, 1, -1}},
      f{{2, 1, 0}, {-3, 5, 1}};
  EXPECT_NEAR(dot(cross_motion(v, m), f), -dot(m, cross_force(v, f)), 1e-13);
}

TEST(Spatial, InertiaOfAPointMassGivesItsMomentum) {
  // m = 2 at d = (1, 0, 0): turning about z moves it along y.
  const Inertia<double> i{0, 2, 2, 0, 0, 0, {2, 0, 0}, 2};
  const Spatial<double> p = mul(i, Spatial<double>{{0, 0, 3}, {0, 0, 0}});
  EXPECT_EQ(p.lin.y, 6);
  EXPECT_EQ(p.ang.z, 6);
}

}  // namespace
}  // namespace stepbench::math
