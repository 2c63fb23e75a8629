// Errors of the elementary functions in units in the last place, against the C library in long
// double (64-bit mantissa), and equality of scalar and pack bits.
#include "engine/math/trig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace stepbench::math {
namespace {

// |got - want| in units in the last place of want's format.
template <class Real>
double ulps(Real got, long double want) {
  if (std::isnan(got) || std::isinf(got)) return double(got) == double(want) ? 0 : 1e30;
  int e = 0;
  std::frexp(want, &e);
  const int digits = std::numeric_limits<Real>::digits;
  e = std::max(e, std::numeric_limits<Real>::min_exponent);
  return double(std::fabs(static_cast<long double>(got) - want) * std::ldexp(1.0L, digits - e));
}

// With STEPBENCH_RESIDUALS set, tests print what they measured.
double print(double worst) {
  if (std::getenv("STEPBENCH_RESIDUALS") != nullptr) {
    std::printf("%s %s: %.3f ulp\n", testing::UnitTest::GetInstance()->current_test_info()->name(),
                testing::UnitTest::GetInstance()->current_test_info()->type_param(), worst);
  }
  return worst;
}

// Angles and arguments of all sizes that occur, with both signs, dense around multiples of pi/4.
template <class Real>
std::vector<Real> arguments(double lo_exponent, double hi_exponent, int n, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> exponent(lo_exponent, hi_exponent), unit(-1, 1);
  std::vector<Real> r;
  for (int i = 0; i < n; ++i) {
    r.push_back(Real(std::copysign(std::exp2(exponent(rng)), unit(rng))));
    const double k = std::floor(unit(rng) * 40);
    r.push_back(Real(k * 0.78539816339744831 * (1 + 1e-3 * unit(rng) * unit(rng) * unit(rng))));
  }
  return r;
}

template <class Real>
class Trig : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Trig, Reals);

TYPED_TEST(Trig, SineAndCosineStayBelowOnePointSixUlp) {
  using Real = TypeParam;
  std::vector<Real> xs = arguments<Real>(-60, 3, 100000, 1);
  for (Real x : arguments<Real>(3, 16.6, 100000, 2)) xs.push_back(x);
  double worst = 0;
  for (Real x : xs) {
    Real s, c;
    sincos(x, s, c);
    worst = std::max({worst, ulps(s, sinl(x)), ulps(c, cosl(x))});
  }
  EXPECT_LE(print(worst), 1.6);
}

TYPED_TEST(Trig, SineOfLargeAnglesIsGoodToFourUnitsOfOne) {
  using Real = TypeParam;
  double worst = 0;
  for (Real x : arguments<Real>(16, sizeof(Real) == 4 ? 22 : 33, 100000, 2)) {
    Real s, c;
    sincos(x, s, c);
    worst = std::max({worst, std::fabs(double(s - sinl(x))), std::fabs(double(c - cosl(x)))});
  }
  EXPECT_LE(worst, 4 * double(std::numeric_limits<Real>::epsilon()));
}

TYPED_TEST(Trig, SineNearMultiplesOfPiKeepsItsRelativeError) {
  using Real = TypeParam;
  double worst = 0;
  for (int k = 1; k < 30000; k += 7) {
    const Real x = Real(k * 3.14159265358979323846L);
    Real s, c;
    sincos(x, s, c);
    worst = std::max(worst, ulps(s, sinl(x)));
  }
  EXPECT_LE(print(worst), 1.6);
}

TYPED_TEST(Trig, AnglesBeyondTheReductionCountAsZero) {
  using Real = TypeParam;
  for (Real x : {Real(1.2e10), Real(-1e30), std::numeric_limits<Real>::infinity()}) {
    Real s, c;
    sincos(x, s, c);
    EXPECT_EQ(s, Real(0));
    EXPECT_EQ(c, Real(1));
  }
  Real s, c;
  sincos(std::numeric_limits<Real>::quiet_NaN(), s, c);
  EXPECT_TRUE(std::isnan(s));
  EXPECT_TRUE(std::isnan(c));
}

TYPED_TEST(Trig, ArcTangentStaysBelowTwoUlpInEveryQuadrant) {
  using Real = TypeParam;
  const std::vector<Real> xs = arguments<Real>(-30, 30, 100000, 3);
  const std::vector<Real> ys = arguments<Real>(-30, 30, 100000, 4);
  double worst = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    worst = std::max(worst, ulps(atan2(ys[i], xs[i]), atan2l(ys[i], xs[i])));
  }
  EXPECT_LE(print(worst), 2.0);
  const Real pi = Real(3.14159265358979323846L);
  EXPECT_EQ(atan2(Real(0), Real(0)), Real(0));
  EXPECT_EQ(atan2(Real(0), Real(1)), Real(0));
  EXPECT_EQ(atan2(Real(0), Real(-1)), pi);
  EXPECT_EQ(atan2(Real(1), Real(0)), pi / 2);
  EXPECT_EQ(atan2(Real(-1), Real(0)), -pi / 2);
}

TYPED_TEST(Trig, ArcSineAndArcCosineStayBelowTwoUlp) {
  using Real = TypeParam;
  std::mt19937_64 rng(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const Real x = Real(i % 2 ? unit(rng) : 1 - std::exp2(30 * unit(rng) - 30));
    worst = std::max({worst, ulps(asin(x), asinl(x)), ulps(acos(x), acosl(x))});
  }
  EXPECT_LE(print(worst), 2.0);
  EXPECT_EQ(acos(Real(1)), Real(0));
  EXPECT_EQ(asin(Real(0)), Real(0));
  EXPECT_TRUE(std::isnan(acos(Real(1.5))));
}

TYPED_TEST(Trig, ExponentialStaysBelowOnePointTwoUlp) {
  using Real = TypeParam;
  std::mt19937_64 rng(6);
  const double lo = sizeof(Real) == 4 ? -86 : -707, hi = sizeof(Real) == 4 ? 88.7 : 709.7;
  std::uniform_real_distribution<double> wide(lo, hi), unit(-1, 1);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const Real x = Real(i % 2 ? wide(rng) : unit(rng));
    worst = std::max(worst, ulps(exp(x), expl(x)));
  }
  EXPECT_LE(print(worst), 1.2);
  EXPECT_EQ(exp(Real(0)), Real(1));
  EXPECT_EQ(exp(Real(-1000)), Real(0));
  EXPECT_TRUE(std::isinf(exp(Real(1000))));
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<Real>::quiet_NaN())));
}

TYPED_TEST(Trig, LogarithmStaysBelowOnePointTwoUlp) {
  using Real = TypeParam;
  std::mt19937_64 rng(7);
  const double e = sizeof(Real) == 4 ? 125 : 1021;
  std::uniform_real_distribution<double> exponent(-e, e), unit(-1, 1);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const Real x = Real(i % 2 ? std::exp2(exponent(rng)) : 1 + 0.5 * unit(rng));
    worst = std::max(worst, ulps(log(x), logl(x)));
  }
  EXPECT_LE(print(worst), 1.2);
  EXPECT_EQ(log(Real(1)), Real(0));
  EXPECT_EQ(log(Real(0)), -std::numeric_limits<Real>::infinity());
  EXPECT_TRUE(std::isnan(log(Real(-1))));
  EXPECT_TRUE(std::isinf(log(std::numeric_limits<Real>::infinity())));
}

TYPED_TEST(Trig, PowerStaysBelowTwoUlpWhereImpedanceUsesIt) {
  using Real = TypeParam;
  std::mt19937_64 rng(8);
  std::uniform_real_distribution<double> unit(0, 1), power(1, 8);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const Real x = Real(i % 2 ? unit(rng) : std::exp2(-3 * unit(rng) * unit(rng)));
    const Real y = Real(power(rng));
    const long double want = powl(x, y);
    if (want < (sizeof(Real) == 4 ? 2e-9 : 1e-21)) continue;  // |y log x| <= 20 (f64: 50)
    worst = std::max(worst, ulps(pow(x, y), want));
  }
  EXPECT_LE(print(worst), 2.0);
  EXPECT_EQ(pow(Real(0.25), Real(2)), Real(0.0625));
  EXPECT_EQ(pow(Real(0), Real(2)), Real(0));
  EXPECT_EQ(pow(Real(0), Real(0)), Real(1));
  EXPECT_EQ(pow(Real(1), Real(7.5)), Real(1));
  EXPECT_TRUE(std::isnan(pow(Real(-1), Real(2))));
}

// Every function gives the same bits in every lane of a pack as for a scalar.
template <class Real, int W>
void compare_bits() {
  using Lane = Pack<Real, W>;
  std::vector<Real> xs = arguments<Real>(-20, 16, 2000, 9);
  xs.push_back(0);
  xs.push_back(std::numeric_limits<Real>::quiet_NaN());
  xs.push_back(std::numeric_limits<Real>::infinity());
  while (xs.size() % W != 0) xs.push_back(Real(0.3));
  const auto same = [](Real a, Real b) {
    return to_bits(a) == to_bits(b) || (std::isnan(a) && std::isnan(b));
  };
  for (std::size_t i = 0; i < xs.size(); i += W) {
    Lane x(Real(0)), y(Real(0)), s, c;
    for (int j = 0; j < W; ++j) {
      set(x, j, xs[i + std::size_t(j)]);
      set(y, j, xs[xs.size() - 1 - i - std::size_t(j)]);
    }
    sincos(x, s, c);
    const Lane at = atan2(y, x), ex = exp(x), lg = log(abs(x)), pw = pow(abs(x), y);
    const Lane as = asin(x), ac = acos(x);
    for (int j = 0; j < W; ++j) {
      const Real xj = get(x, j), yj = get(y, j);
      Real sj, cj;
      sincos(xj, sj, cj);
      EXPECT_TRUE(same(get(s, j), sj) && same(get(c, j), cj)) << xj;
      EXPECT_TRUE(same(get(at, j), atan2(yj, xj))) << yj << ' ' << xj;
      EXPECT_TRUE(same(get(ex, j), exp(xj))) << xj;
      EXPECT_TRUE(same(get(lg, j), log(abs(xj)))) << xj;
      EXPECT_TRUE(same(get(pw, j), pow(abs(xj), yj))) << xj << ' ' << yj;
      EXPECT_TRUE(same(get(as, j), asin(xj)) && same(get(ac, j), acos(xj))) << xj;
    }
  }
}

TEST(Trig, PackLanesEqualScalarsBitForBit) {
  compare_bits<float, 4>();
  compare_bits<float, 8>();
  compare_bits<float, 16>();
  compare_bits<double, 2>();
  compare_bits<double, 4>();
  compare_bits<double, 8>();
}

}  // namespace
}  // namespace stepbench::math
