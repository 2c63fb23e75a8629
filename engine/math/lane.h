// Lane types: the scalar that all step code is templated on.
//
// A lane type is `float`, `double` (reference, single execution, GPU thread) or `Pack<Real, W>` (W
// worlds side by side in one vector register). Step code never branches on a lane value: it uses
// `select(mask, a, b)`, and `any(mask)` only to skip work that is an exact no-op for every lane.
//
// Contraction is off in every build; `fma` is written where a fused multiply-add is wanted, so that
// the result is defined (IEEE 754-2008) and the same for every width, instruction set and compiler.
//
// Zero signs: skipped work may turn -0 into +0 or back. No step code divides by such a zero or
// reads its sign, and values are canonicalised (`x + 0`) where they enter the state.
#pragma once

#include <cstdint>

#include "engine/math/target.h"

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace stepbench::math::inline SB_ISA {

template <class Real>
struct IntOf;
template <>
struct IntOf<float> {
  using type = std::int32_t;
};
template <>
struct IntOf<double> {
  using type = std::int64_t;
};

template <class T, int W>
struct VectorOf {
  using type [[gnu::vector_size(sizeof(T) * W)]] = T;
};

// Mask of W lanes: all bits set for true, none for false.
template <class Real, int W>
struct PackMask {
  using Int = typename IntOf<Real>::type;
  using Vector = typename VectorOf<Int, W>::type;
  Vector v;

  SB_INLINE PackMask() = default;
  SB_INLINE PackMask(Vector x) : v(x) {}
  SB_INLINE explicit PackMask(bool b) : v(Vector{} - Int(b)) {}
  friend SB_INLINE PackMask operator&(PackMask a, PackMask b) { return {a.v & b.v}; }
  friend SB_INLINE PackMask operator|(PackMask a, PackMask b) { return {a.v | b.v}; }
  friend SB_INLINE PackMask operator!(PackMask a) { return {~a.v}; }
};

// W values of type Real, one per world.
template <class Real_, int W_>
struct Pack {
  using Real = Real_;
  static constexpr int W = W_;
  using Vector = typename VectorOf<Real, W>::type;
  using Mask = PackMask<Real, W>;
  Vector v;

  SB_INLINE Pack() = default;
  SB_INLINE Pack(Vector x) : v(x) {}
  SB_INLINE Pack(Real x) : v(x - Vector{}) {}  // x - 0 keeps the sign of a zero

  friend SB_INLINE Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  friend SB_INLINE Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  friend SB_INLINE Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
  friend SB_INLINE Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }
  friend SB_INLINE Pack operator-(Pack a) { return {-a.v}; }
  friend SB_INLINE Pack& operator+=(Pack& a, Pack b) { return a = a + b; }
  friend SB_INLINE Pack& operator-=(Pack& a, Pack b) { return a = a - b; }
  friend SB_INLINE Pack& operator*=(Pack& a, Pack b) { return a = a * b; }
  friend SB_INLINE Mask operator<(Pack a, Pack b) { return {a.v < b.v}; }
  friend SB_INLINE Mask operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend SB_INLINE Mask operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend SB_INLINE Mask operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  friend SB_INLINE Mask operator==(Pack a, Pack b) { return {a.v == b.v}; }
  friend SB_INLINE Mask operator!=(Pack a, Pack b) { return {a.v != b.v}; }
};

// What templates need to know about a lane type: its scalar, its mask, its width.
template <class Lane>
struct LaneTraits {
  using Real = Lane;
  using Mask = bool;
  static constexpr int W = 1;
};
template <class R, int Wd>
struct LaneTraits<Pack<R, Wd>> {
  using Real = R;
  using Mask = PackMask<R, Wd>;
  static constexpr int W = Wd;
};
template <class Lane>
using RealOf = typename LaneTraits<Lane>::Real;
template <class Lane>
using MaskOf = typename LaneTraits<Lane>::Mask;
template <class Lane>
inline constexpr int kWidth = LaneTraits<Lane>::W;

// --- scalars -------------------------------------------------------------------------------------

SB_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SB_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SB_INLINE float sqrt(float a) { return __builtin_sqrtf(a); }
SB_INLINE double sqrt(double a) { return __builtin_sqrt(a); }
SB_INLINE float select(bool m, float a, float b) { return m ? a : b; }
SB_INLINE double select(bool m, double a, double b) { return m ? a : b; }
SB_INLINE bool any(bool m) { return m; }
SB_INLINE bool all(bool m) { return m; }

// Value of lane i; setting it. For scalars i is 0.
template <class Real>
SB_INLINE Real get(const Real& a, int) {
  return a;
}
template <class Real, int W>
SB_INLINE Real get(const Pack<Real, W>& a, int i) {
  return a.v[i];
}
SB_INLINE bool get_mask(bool m, int) { return m; }
template <class Real, int W>
SB_INLINE bool get_mask(const PackMask<Real, W>& m, int i) {
  return m.v[i] != 0;
}
SB_INLINE void set(float& a, int, float x) { a = x; }
SB_INLINE void set(double& a, int, double x) { a = x; }
template <class Real, int W>
SB_INLINE void set(Pack<Real, W>& a, int i, Real x) {
  a.v[i] = x;
}
SB_INLINE void set_mask(bool& m, int, bool x) { m = x; }
template <class Real, int W>
SB_INLINE void set_mask(PackMask<Real, W>& m, int i, bool x) {
  m.v[i] = -typename IntOf<Real>::type(x);
}

// --- packs ---------------------------------------------------------------------------------------

// a * b + c, rounded once.
template <class Real, int W>
SB_INLINE Pack<Real, W> fma(Pack<Real, W> a, Pack<Real, W> b, Pack<Real, W> c) {
  using P = Pack<Real, W>;
  using V [[maybe_unused]] = typename P::Vector;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && sizeof(Real) == 4) {
    return P(V(_mm512_fmadd_ps(__m512(a.v), __m512(b.v), __m512(c.v))));
  } else if constexpr (sizeof(V) == 64) {
    return P(V(_mm512_fmadd_pd(__m512d(a.v), __m512d(b.v), __m512d(c.v))));
  } else
#endif
#if defined(__FMA__)
      if constexpr (sizeof(V) == 32 && sizeof(Real) == 4) {
    return P(V(_mm256_fmadd_ps(__m256(a.v), __m256(b.v), __m256(c.v))));
  } else if constexpr (sizeof(V) == 32) {
    return P(V(_mm256_fmadd_pd(__m256d(a.v), __m256d(b.v), __m256d(c.v))));
  } else
#endif
  {
    P r;
    for (int i = 0; i < W; ++i) r.v[i] = fma(Real(a.v[i]), Real(b.v[i]), Real(c.v[i]));
    return r;
  }
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fma(Pack<Real, W> a, Real b, Pack<Real, W> c) {
  return fma(a, Pack<Real, W>(b), c);
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fma(Real a, Pack<Real, W> b, Pack<Real, W> c) {
  return fma(Pack<Real, W>(a), b, c);
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fma(Pack<Real, W> a, Real b, Real c) {
  return fma(a, Pack<Real, W>(b), Pack<Real, W>(c));
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fma(Pack<Real, W> a, Pack<Real, W> b, Real c) {
  return fma(a, b, Pack<Real, W>(c));
}

template <class Real, int W>
SB_INLINE Pack<Real, W> sqrt(Pack<Real, W> a) {
  using P = Pack<Real, W>;
  using V [[maybe_unused]] = typename P::Vector;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && sizeof(Real) == 4) {
    return P(V(_mm512_maskz_sqrt_ps(__mmask16(-1), __m512(a.v))));
  } else if constexpr (sizeof(V) == 64) {
    return P(V(_mm512_maskz_sqrt_pd(__mmask8(-1), __m512d(a.v))));
  } else
#endif
#if defined(__AVX__)
      if constexpr (sizeof(V) == 32 && sizeof(Real) == 4) {
    return P(V(_mm256_sqrt_ps(__m256(a.v))));
  } else if constexpr (sizeof(V) == 32) {
    return P(V(_mm256_sqrt_pd(__m256d(a.v))));
  } else
#endif
  {
    P r;
    for (int i = 0; i < W; ++i) r.v[i] = sqrt(Real(a.v[i]));
    return r;
  }
}

template <class Real, int W>
SB_INLINE Pack<Real, W> select(PackMask<Real, W> m, Pack<Real, W> a, Pack<Real, W> b) {
  return {m.v ? a.v : b.v};
}
template <class Real, int W>
SB_INLINE Pack<Real, W> select(PackMask<Real, W> m, Real a, Pack<Real, W> b) {
  return select(m, Pack<Real, W>(a), b);
}
template <class Real, int W>
SB_INLINE Pack<Real, W> select(PackMask<Real, W> m, Pack<Real, W> a, Real b) {
  return select(m, a, Pack<Real, W>(b));
}
template <class Real, int W>
SB_INLINE Pack<Real, W> select(PackMask<Real, W> m, Real a, Real b) {
  return select(m, Pack<Real, W>(a), Pack<Real, W>(b));
}

template <class Real, int W>
SB_INLINE bool any(PackMask<Real, W> m) {
  using V [[maybe_unused]] = typename PackMask<Real, W>::Vector;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return _mm512_test_epi32_mask(__m512i(m.v), __m512i(m.v)) != 0;
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return !_mm256_testz_si256(__m256i(m.v), __m256i(m.v));
#endif
  typename IntOf<Real>::type r = 0;
  for (int i = 0; i < W; ++i) r |= m.v[i];
  return r != 0;
}
// Bit i: lane i is true.
SB_INLINE unsigned bits_of(bool m) { return m ? 1u : 0u; }
template <class Real, int W>
SB_INLINE unsigned bits_of(PackMask<Real, W> m) {
  using V [[maybe_unused]] = typename PackMask<Real, W>::Vector;
#if defined(__AVX512DQ__)
  if constexpr (sizeof(V) == 64 && sizeof(Real) == 4) return _mm512_movepi32_mask(__m512i(m.v));
  if constexpr (sizeof(V) == 64 && sizeof(Real) == 8) return _mm512_movepi64_mask(__m512i(m.v));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32 && sizeof(Real) == 4)
    return unsigned(_mm256_movemask_ps(__m256(m.v)));
  if constexpr (sizeof(V) == 32 && sizeof(Real) == 8)
    return unsigned(_mm256_movemask_pd(__m256d(m.v)));
#endif
  unsigned r = 0;
  for (int i = 0; i < W; ++i) r |= m.v[i] != 0 ? 1u << i : 0u;
  return r;
}
template <class Real, int W>
SB_INLINE bool all(PackMask<Real, W> m) {
  return !any(!m);
}

// --- every lane type -----------------------------------------------------------------------------

// c - a * b, rounded once. GCC does not fold the sign of a factor into the instruction.
template <class Lane>
SB_INLINE Lane fnma(Lane a, Lane b, Lane c) {
  return fma(-a, b, c);
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fnma(Pack<Real, W> a, Pack<Real, W> b, Pack<Real, W> c) {
  using P = Pack<Real, W>;
  using V [[maybe_unused]] = typename P::Vector;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && sizeof(Real) == 4) {
    return P(V(_mm512_fnmadd_ps(__m512(a.v), __m512(b.v), __m512(c.v))));
  } else if constexpr (sizeof(V) == 64) {
    return P(V(_mm512_fnmadd_pd(__m512d(a.v), __m512d(b.v), __m512d(c.v))));
  } else
#endif
#if defined(__FMA__)
      if constexpr (sizeof(V) == 32 && sizeof(Real) == 4) {
    return P(V(_mm256_fnmadd_ps(__m256(a.v), __m256(b.v), __m256(c.v))));
  } else if constexpr (sizeof(V) == 32) {
    return P(V(_mm256_fnmadd_pd(__m256d(a.v), __m256d(b.v), __m256d(c.v))));
  } else
#endif
  {
    return fma(-a, b, c);
  }
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fnma(Real a, Pack<Real, W> b, Pack<Real, W> c) {
  return fnma(Pack<Real, W>(a), b, c);
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fnma(Pack<Real, W> a, Real b, Pack<Real, W> c) {
  return fnma(a, Pack<Real, W>(b), c);
}

// a * b - c, rounded once.
template <class Lane>
SB_INLINE Lane fms(Lane a, Lane b, Lane c) {
  return fma(a, b, -c);
}
template <class Real, int W>
SB_INLINE Pack<Real, W> fms(Pack<Real, W> a, Pack<Real, W> b, Pack<Real, W> c) {
  using P = Pack<Real, W>;
  using V [[maybe_unused]] = typename P::Vector;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && sizeof(Real) == 4) {
    return P(V(_mm512_fmsub_ps(__m512(a.v), __m512(b.v), __m512(c.v))));
  } else if constexpr (sizeof(V) == 64) {
    return P(V(_mm512_fmsub_pd(__m512d(a.v), __m512d(b.v), __m512d(c.v))));
  } else
#endif
#if defined(__FMA__)
      if constexpr (sizeof(V) == 32 && sizeof(Real) == 4) {
    return P(V(_mm256_fmsub_ps(__m256(a.v), __m256(b.v), __m256(c.v))));
  } else if constexpr (sizeof(V) == 32) {
    return P(V(_mm256_fmsub_pd(__m256d(a.v), __m256d(b.v), __m256d(c.v))));
  } else
#endif
  {
    return fma(a, b, -c);
  }
}

// Compare and select: the second argument where the comparison is false or either value is NaN, as
// the instructions of x86 have it.
template <class Lane>
SB_INLINE Lane min(Lane a, Lane b) {
  return select(a < b, a, b);
}
template <class Lane>
SB_INLINE Lane max(Lane a, Lane b) {
  return select(a > b, a, b);
}
#if defined(__AVX512F__)
SB_INLINE Pack<float, 16> min(Pack<float, 16> a, Pack<float, 16> b) {
  return {Pack<float, 16>::Vector(_mm512_maskz_min_ps(__mmask16(-1), __m512(a.v), __m512(b.v)))};
}
SB_INLINE Pack<float, 16> max(Pack<float, 16> a, Pack<float, 16> b) {
  return {Pack<float, 16>::Vector(_mm512_maskz_max_ps(__mmask16(-1), __m512(a.v), __m512(b.v)))};
}
SB_INLINE Pack<double, 8> min(Pack<double, 8> a, Pack<double, 8> b) {
  return {Pack<double, 8>::Vector(_mm512_maskz_min_pd(__mmask8(-1), __m512d(a.v), __m512d(b.v)))};
}
SB_INLINE Pack<double, 8> max(Pack<double, 8> a, Pack<double, 8> b) {
  return {Pack<double, 8>::Vector(_mm512_maskz_max_pd(__mmask8(-1), __m512d(a.v), __m512d(b.v)))};
}
#endif
#if defined(__AVX__)
SB_INLINE Pack<float, 8> min(Pack<float, 8> a, Pack<float, 8> b) {
  return {Pack<float, 8>::Vector(_mm256_min_ps(__m256(a.v), __m256(b.v)))};
}
SB_INLINE Pack<float, 8> max(Pack<float, 8> a, Pack<float, 8> b) {
  return {Pack<float, 8>::Vector(_mm256_max_ps(__m256(a.v), __m256(b.v)))};
}
SB_INLINE Pack<double, 4> min(Pack<double, 4> a, Pack<double, 4> b) {
  return {Pack<double, 4>::Vector(_mm256_min_pd(__m256d(a.v), __m256d(b.v)))};
}
SB_INLINE Pack<double, 4> max(Pack<double, 4> a, Pack<double, 4> b) {
  return {Pack<double, 4>::Vector(_mm256_max_pd(__m256d(a.v), __m256d(b.v)))};
}
#endif
template <class Lane>
SB_INLINE Lane clamp(Lane x, Lane lo, Lane hi) {
  return min(max(x, lo), hi);
}

// --- bit patterns --------------------------------------------------------------------------------

// Integers of a lane type's width, one per lane, with the operators + - & | ^ << of the language.
template <class Lane>
struct BitsOf {
  using type = typename IntOf<Lane>::type;
  static SB_INLINE Lane lane(type a) { return __builtin_bit_cast(Lane, a); }
};
template <class Real, int W>
struct BitsOf<Pack<Real, W>> {
  using type = typename PackMask<Real, W>::Vector;
  static SB_INLINE Pack<Real, W> lane(type a) { return __builtin_bit_cast(Pack<Real, W>, a); }
};

template <class Lane>
SB_INLINE typename BitsOf<Lane>::type to_bits(Lane a) {
  return __builtin_bit_cast(typename BitsOf<Lane>::type, a);
}
template <class Lane>
SB_INLINE Lane from_bits(typename BitsOf<Lane>::type a) {
  return BitsOf<Lane>::lane(a);
}

// Mask of the lanes whose integer is not zero.
template <class Lane>
SB_INLINE MaskOf<Lane> nonzero(typename BitsOf<Lane>::type a) {
  return MaskOf<Lane>(a != 0);
}

template <class Lane>
SB_INLINE Lane abs(Lane a) {
  using Int = typename IntOf<RealOf<Lane>>::type;
  return from_bits<Lane>(to_bits(a) & Int(~(Int(1) << (8 * sizeof(Int) - 1))));
}

// Smallest diagonal or length that MuJoCo divides by (mjMINVAL).
template <class Real>
inline constexpr Real kMinVal = Real(1e-15);

}  // namespace stepbench::math::inline SB_ISA
