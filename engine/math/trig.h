// Elementary functions of our own, in lane form: the same bits for every lane width, instruction
// set and compiler, since they use nothing but + - * /, sqrt, fma and integer operations.
//
// Each function is a range reduction followed by a minimax polynomial (Remez exchange on the
// reduced range; error below 2^-57 in f64 and 2^-28 in f32, relative). The error bounds given at
// the functions, in units in the last place of the result, are measured
// (tests/engine/math/trig_test.cpp).
//
// Rounding to an integer adds and subtracts 1.5 * 2^(mantissa bits); the sum's low bits then hold
// the integer. Builds use no flag that lets a compiler reassociate, so this survives every -O
// level.
//
// NaN goes in, NaN comes out.
#pragma once

#include "engine/math/lane.h"

namespace stepbench::math::inline SB_ISA {

namespace detail {

template <class Real>
inline constexpr bool kIsF32 = sizeof(Real) == 4;

// 1.5 * 2^23 or 1.5 * 2^52.
template <class Real>
inline constexpr Real kRoundMagic = kIsF32<Real> ? Real(12582912.0) : Real(6755399441055744.0);

template <class Real>
inline constexpr int kMantissaBits = kIsF32<Real> ? 23 : 52;

// c0 + c1 x + c2 x^2 + ... by Horner's rule.
template <class Lane>
SB_INLINE Lane poly(Lane, double c0) {
  return Lane(RealOf<Lane>(c0));
}
template <class Lane, class... C>
SB_INLINE Lane poly(Lane x, double c0, C... rest) {
  return fma(x, poly(x, rest...), Lane(RealOf<Lane>(c0)));
}

// a b c ...: the double value, or the float value, by precision.
template <class Real>
SB_INLINE constexpr Real pick(double f64, float f32) {
  return kIsF32<Real> ? Real(f32) : Real(f64);
}

// sin r and cos r for |r| <= pi / 4 (1 + 2^-10).
template <class Lane>
SB_INLINE void sincos_reduced(Lane r, Lane& s, Lane& c) {
  using Real = RealOf<Lane>;
  const Lane z = r * r;
  Lane ps, pc;
  if constexpr (kIsF32<Real>) {
    ps = poly(z, -0.16666655242443085, 0.008332173340022564, -0.00019516676547937095);
    pc = poly(z, 0.04166664555668831, -0.001388736185617745, 2.443775156280026e-05);
  } else {
    ps = poly(z, -0.16666666666666632, 0.008333333333322316, -0.000198412698297266,
              2.7557313662590085e-06, -2.505075335511875e-08, 1.589651058168772e-10);
    pc = poly(z, 0.0416666666666666, -0.0013888888888873995, 2.4801587289397217e-05,
              -2.755731432671983e-07, 2.0875719655893186e-09, -1.1359453884916382e-11);
  }
  s = fma(r * z, ps, r);
  c = fma(z * z, pc, fma(z, Lane(Real(-0.5)), Lane(Real(1))));
}

}  // namespace detail

// Largest angle that sincos reduces. Beyond it neighbouring f32 numbers are half a radian apart;
// the angle is then taken as 0. State values beyond 1e10 reset the world before they get here.
template <class Real>
inline constexpr Real kMaxAngle = detail::kIsF32<Real> ? Real(4194304.0) : Real(1.1e10);

// Sine and cosine, |x| <= kMaxAngle (rad). Error <= 1.6 ulp of the result for |x| <= 1e5; beyond,
// at most four units in the last place of 1. Cody and Waite's reduction by pi/2 in three parts:
// with fma the first subtraction is exact, the parts cover 160 (f32: 72) bits.
template <class Lane>
SB_INLINE void sincos(Lane x, Lane& sine, Lane& cosine) {
  using Real = RealOf<Lane>;
  using Int = typename IntOf<Real>::type;
  constexpr int kTop = 8 * int(sizeof(Int)) - 2;
  const Lane magic = Lane(detail::kRoundMagic<Real>);
  x = select(abs(x) > Lane(kMaxAngle<Real>), Lane(Real(0)), x);
  const Lane t = fma(x, Lane(Real(0x1.45f306dc9c883p-1)), magic);
  const Lane k = t - magic;
  Lane r = fnma(k, Lane(detail::pick<Real>(0x1.921fb54442d18p+0, 0x1.921fb6p+0f)), x);
  r = fnma(k, Lane(detail::pick<Real>(0x1.1a62633145c07p-54, -0x1.777a5cp-25f)), r);
  r = fnma(k, Lane(detail::pick<Real>(-0x1.f1976b7ed8fbcp-110, -0x1.ee59dap-50f)), r);
  Lane s, c;
  detail::sincos_reduced(r, s, c);
  // Quadrant n mod 4: swap where n is odd; negative sine for 2, 3; negative cosine for 1, 2.
  const auto n = to_bits(t);
  const auto odd = nonzero<Lane>(n & Int(1));
  sine = from_bits<Lane>(to_bits(select(odd, c, s)) ^ ((n & Int(2)) << kTop));
  cosine = from_bits<Lane>(to_bits(select(odd, s, c)) ^ (((n + Int(1)) & Int(2)) << kTop));
}

// Angle of the point (x, y) in (-pi, pi]; atan2(0, 0) = 0 and atan2(0, x < 0) = pi, whatever the
// signs of the zeros. |x|, |y| up to half the largest number. Error <= 2 ulp.
template <class Lane>
SB_INLINE Lane atan2(Lane y, Lane x) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0));
  const Lane ax = abs(x), ay = abs(y);
  const auto steep = ay > ax;
  const Lane hi = select(steep, ay, ax), lo = select(steep, ax, ay);
  // atan(t) = pi/4 + atan((t - 1) / (t + 1)) for t > 1/2, where the difference is exact
  const auto big = lo > hi * Real(0.5);
  const Lane den = select(big, lo + hi, hi);
  const Lane num = select(big, lo - hi, lo);
  const Lane t = num / select(den == zero, Lane(Real(1)), den);
  const Lane z = t * t;
  Lane p;
  if constexpr (detail::kIsF32<Real>) {
    p = detail::poly(z, -0.333333283662796, 0.1999949961900711, -0.14272251725196838,
                     0.10942375659942627, -0.07989148795604706, 0.038792312145233154);
  } else {
    p = detail::poly(z, -0.33333333333333315, 0.19999999999993445, -0.14285714284977624,
                     0.11111111069358198, -0.09090907691942618, 0.07692277474646617,
                     -0.06666223684392808, 0.05877809233920183, -0.052300297212916444,
                     0.04589532141170241, -0.03712127879020815, 0.023659296037891846,
                     -0.00836876398226529);
  }
  // a = base + sign * atan(t), with the base's rounding error added to the small term.
  const Lane small = fma(t * z, p, t);
  const auto left = x < zero;
  const Real pi_hi = detail::pick<Real>(0x1.921fb54442d18p+1, 0x1.921fb6p+1f);
  const Real pi_lo = detail::pick<Real>(0x1.1a62633145c07p-53, -0x1.777a5cp-24f);
  // Multiples of pi/4 in the four combinations of steep and left.
  const Lane quarters = select(steep, Lane(Real(2)), select(left, Lane(Real(4)), zero));
  const MaskOf<Lane> flat = !steep, right = !left;
  const MaskOf<Lane> minus = (steep & right) | (flat & left);
  const Lane turn = select(big, select(minus, Lane(Real(-1)), Lane(Real(1))), zero);
  const Lane base = (quarters + turn) * Real(0.25);
  const Lane a = fma(base, Lane(pi_hi), fma(base, Lane(pi_lo), select(minus, -small, small)));
  return select(y < zero, -a, a);
}

namespace detail {

// asin x for 0 <= x <= 1/2, z = x^2.
template <class Lane>
SB_INLINE Lane asin_reduced(Lane x, Lane z) {
  Lane p;
  if constexpr (detail::kIsF32<RealOf<Lane>>) {
    p = poly(z, 0.16666659712791443, 0.07500512152910233, 0.044515471905469894, 0.03181980177760124,
             0.014393876306712627, 0.03757805749773979);
  } else {
    p = poly(z, 0.16666666666666763, 0.07499999999970096, 0.044642857175287605,
             0.030381942675234554, 0.022372215906442894, 0.01735159550234643, 0.013981018378896525,
             0.011397295281514815, 0.010789303902191925, 0.0036722660821101693, 0.02179041571748024,
             -0.021116348101980348, 0.03270190511193877);
  }
  return fma(x * z, p, x);
}

}  // namespace detail

// acos(x), |x| <= 1; NaN beyond. Error <= 2 ulp. acos x = 2 asin sqrt((1 - x) / 2) for x > 1/2.
template <class Lane>
SB_INLINE Lane acos(Lane x) {
  using Real = RealOf<Lane>;
  const Lane ax = abs(x), one = Lane(Real(1));
  const auto big = ax > Lane(Real(0.5));
  const Lane z = select(big, (one - ax) * Real(0.5), x * x);
  const Lane s = detail::asin_reduced(select(big, sqrt(z), ax), z);
  const Real half_hi = detail::pick<Real>(0x1.921fb54442d18p+0, 0x1.921fb6p+0f);
  const Real half_lo = detail::pick<Real>(0x1.1a62633145c07p-54, -0x1.777a5cp-25f);
  const auto negative = x < Lane(Real(0));
  const Lane middle = Lane(half_hi) - (select(negative, -s, s) - Lane(half_lo));
  const Lane twice = s + s;
  const Lane far = Lane(Real(2) * half_hi) - (twice - Lane(Real(2) * half_lo));
  return select(big, select(negative, far, twice), middle);
}

// asin(x), |x| <= 1; NaN beyond. Error <= 2 ulp.
template <class Lane>
SB_INLINE Lane asin(Lane x) {
  using Real = RealOf<Lane>;
  const Lane ax = abs(x);
  const auto big = ax > Lane(Real(0.5));
  const Lane z = select(big, (Lane(Real(1)) - ax) * Real(0.5), x * x);
  // The root's rounding error counts: pi/2 - 2 asin(root) is smaller than its terms.
  const Lane root = sqrt(z);
  const Lane lost = fnma(root, root, z) / select(root == Lane(Real(0)), Lane(Real(1)), root);
  const Lane s = detail::asin_reduced(select(big, root, ax), z);
  const Real half_hi = detail::pick<Real>(0x1.921fb54442d18p+0, 0x1.921fb6p+0f);
  const Real half_lo = detail::pick<Real>(0x1.1a62633145c07p-54, -0x1.777a5cp-25f);
  // Half of pi/2 on either side of 2 asin(root) keeps every difference exact to half a unit.
  const Lane quarter = Lane(Real(0.5) * half_hi);
  const Lane far = (quarter - (s - (quarter - s))) - (lost - Lane(half_lo));
  const Lane a = select(big, far, s);
  return select(x < Lane(Real(0)), -a, a);
}

namespace detail {

// e^(x + tail), |tail| far below |x|. Below the smallest normal number the result is 0.
template <class Lane>
SB_INLINE Lane exp_parts(Lane x, Lane tail) {
  using Real = RealOf<Lane>;
  using Int = typename IntOf<Real>::type;
  const Lane lowest = Lane(pick<Real>(-707.0, -86.0f));
  const Lane highest = Lane(pick<Real>(0x1.62e42fefa39efp+9, 0x1.62e42ep+6f));
  const auto under = x<lowest, over = x> highest;
  x = select(under, lowest, select(over, highest, x));
  tail = select(under | over, Lane(Real(0)), tail);
  const Lane magic = Lane(kRoundMagic<Real>);
  const Lane t = fma(x, Lane(Real(0x1.71547652b82fep+0)), magic);
  const Lane k = t - magic;
  Lane r = fnma(k, Lane(pick<Real>(0x1.62e42fefa39efp-1, 0x1.62e430p-1f)), x);
  r = fnma(k, Lane(pick<Real>(0x1.abc9e3b39803fp-56, -0x1.05c610p-29f)), r) + tail;
  Lane p;
  if constexpr (kIsF32<Real>) {
    p = poly(r, 0.5, 0.1666666716337204, 0.041666269302368164, 0.008333263918757439,
             0.001394617254845798, 0.00019918454927392304);
  } else {
    p = poly(r, 0.5, 0.16666666666666685, 0.04166666666666673, 0.008333333333316621,
             0.0013888888888858285, 0.0001984126989735456, 2.4801587374002842e-05,
             2.7557233936874034e-06, 2.7557233161495064e-07, 2.511234586088549e-08,
             2.0926999081310498e-09);
  }
  const Lane e = fma(r * r, p, r) + Real(1);
  // Times 2^k in two steps, so that k = 1024 (f32: 128) does not overflow the exponent field.
  const Int bias = Int((Int(1) << (8 * sizeof(Int) - 2 - kMantissaBits<Real>)) - 2);
  const Lane scale = from_bits<Lane>((to_bits(t) + bias) << kMantissaBits<Real>);
  const Lane y = e * scale * Real(2);
  const Lane inf = Lane(Real(__builtin_inf()));
  return select(under, Lane(Real(0)), select(over, inf, y));
}

// x = m 2^k with m in [sqrt(1/2), sqrt(2)), for normal x > 0. Returns m; k as a lane value.
template <class Lane>
SB_INLINE Lane split_exponent(Lane x, Lane& k) {
  using Real = RealOf<Lane>;
  using Int = typename IntOf<Real>::type;
  constexpr int kBits = kMantissaBits<Real>;
  const Int root_half = kIsF32<Real> ? Int(0x3f3504f3) : Int(0x3fe6a09e667f3bcd);
  const Int one = kIsF32<Real> ? Int(0x3f800000) : Int(0x3ff0000000000000);
  const auto shifted = to_bits(x) + Int(one - root_half);
  // The exponent field as a number: put it into the mantissa of 2^kBits and subtract that.
  const Int field = Int((Int(1) << (8 * sizeof(Int) - 1 - kBits)) - 1);
  const Real two = Real(Int(1) << kBits);
  const auto exponent = (shifted >> kBits) & field;
  const Int bias = Int(one >> kBits);
  k = from_bits<Lane>(exponent | __builtin_bit_cast(Int, two)) - Lane(two + Real(bias));
  return from_bits<Lane>((shifted & Int((Int(1) << kBits) - 1)) + root_half);
}

// R(s) of log((1 + s) / (1 - s)) = 2 s + s^3 R(s^2), |s| <= 0.1716.
template <class Lane>
SB_INLINE Lane log_poly(Lane z) {
  if constexpr (kIsF32<RealOf<Lane>>) {
    return poly(z, 0.6666666269302368, 0.4000033438205719, 0.2853727340698242, 0.23582839965820312);
  } else {
    return poly(z, 0.6666666666666666, 0.40000000000006264, 0.2857142856908016, 0.2222222264765447,
                0.18181775597057168, 0.1538709374793762, 0.13250050678008354, 0.13251943306066954);
  }
}

}  // namespace detail

// e^x. Results below the smallest normal number are 0; above the largest, infinity. Error <= 1.1
// ulp.
template <class Lane>
SB_INLINE Lane exp(Lane x) {
  return detail::exp_parts(x, Lane(RealOf<Lane>(0)));
}

// Natural logarithm of a normal number > 0; -infinity at 0 and for subnormal numbers, NaN below.
// Error
// <= 1.1 ulp. log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 R)), s = f / (2 + f).
template <class Lane>
SB_INLINE Lane log(Lane x) {
  using Real = RealOf<Lane>;
  const Lane largest = Lane(detail::pick<Real>(0x1.fffffffffffffp+1023, 0x1.fffffep127f));
  const auto finite = x <= largest;
  Lane k;
  const Lane f = detail::split_exponent(select(finite, x, Lane(Real(1))), k) - Real(1);
  const Lane s = f / (f + Real(2));
  const Lane z = s * s;
  const Lane half = f * f * Real(0.5);
  const Lane r = z * detail::log_poly(z);
  const Lane low =
      fma(s, half + r, k * detail::pick<Real>(0x1.abc9e3b39803fp-56, -0x1.05c610p-29f));
  const Lane y =
      fma(k, Lane(detail::pick<Real>(0x1.62e42fefa39efp-1, 0x1.62e430p-1f)), f - (half - low));
  const Lane smallest = Lane(detail::pick<Real>(0x1p-1022, 0x1p-126f));
  const Lane nan = Lane(Real(__builtin_nan("")));
  const Lane inf = Lane(Real(__builtin_inf()));
  const auto tiny = x < smallest;
  const Lane edge = select(x < Lane(Real(0)), nan, -inf);
  return select(tiny, edge, select(finite, y, x));
}

// x^y for x >= 0 (0^0 = 1, infinity^y = infinity, NaN for x < 0). Error <= 2 ulp while |y log x| <=
// 50 (f32: 20), 4 ulp up to the ends of the range. The logarithm is carried as a sum of two
// numbers.
template <class Lane>
SB_INLINE Lane pow(Lane x, Lane y) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1));
  const Lane smallest = Lane(detail::pick<Real>(0x1p-1022, 0x1p-126f));
  const Lane largest = Lane(detail::pick<Real>(0x1.fffffffffffffp+1023, 0x1.fffffep127f));
  const auto finite = x <= largest;
  Lane k;
  const Lane m = detail::split_exponent(select(finite, x, one), k);
  const Lane f = m - one;
  // s = f / (m + 1) = s1 + s2
  const Lane d1 = m + one, d2 = m - (d1 - one);
  const Lane s1 = f / d1;
  const Lane s2 = fnma(s1, d2, fnma(s1, d1, f)) / d1;
  const Lane z = s1 * s1;
  // log x = k log 2 + 2 s + s^3 R = h + l
  const Lane ln2 = Lane(detail::pick<Real>(0x1.62e42fefa39efp-1, 0x1.62e430p-1f));
  const Lane ln2_low = Lane(detail::pick<Real>(0x1.abc9e3b39803fp-56, -0x1.05c610p-29f));
  const Lane a = k * ln2, a2 = fma(k, ln2_low, fma(k, ln2, -a));
  const Lane b = s1 + s1, b2 = fma(s1 * z, detail::log_poly(z), s2 + s2);
  const Lane sum = a + b;
  // |a| > |b| or a = 0: the rounding error of the sum is exact this way.
  const Lane rest = (a - sum) + b;
  const Lane low = rest + (a2 + b2);
  const Lane h = sum + low, l = low - (h - sum);
  const Lane p = y * h, q = fma(y, l, fma(y, h, -p));
  const Lane r = detail::exp_parts(p, q);
  const auto empty = x < smallest;
  const Lane at_zero = select(y == zero, one, select(y < zero, Lane(Real(__builtin_inf())), zero));
  const Lane edge = select(x < zero, Lane(Real(__builtin_nan(""))), at_zero);
  return select(empty, edge, select(finite, r, x));
}

}  // namespace stepbench::math::inline SB_ISA
