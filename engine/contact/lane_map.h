// Some lanes of a wide pack as a pack of half the width.
//
// Late Newton iterations are wanted by few lanes of a group. Where vector registers of 64 bytes are
// executed as two halves (Zen 4), half a register costs half the time. Copies keep bits.
#pragma once

#include "engine/contact/context.h"

namespace stepbench::contact::inline SB_ISA {

// Pack of half the width, or void where halving does not pay.
template <class Lane>
struct HalfOf {
  using type = void;
};
#if defined(__AVX512F__)
template <>
struct HalfOf<math::Pack<float, 16>> {
  using type = math::Pack<float, 8>;
};
template <>
struct HalfOf<math::Pack<double, 8>> {
  using type = math::Pack<double, 4>;
};

template <class Wide>
class LaneMap {
 public:
  using Real = RealOf<Wide>;
  using Narrow = typename HalfOf<Wide>::type;
  static constexpr int kWide = kWidth<Wide>, kNarrow = kWidth<Narrow>;

  // Lanes given by bits, at most kNarrow of them. Narrow lanes beyond repeat the first.
  explicit LaneMap(unsigned lanes) {
    count_ = 0;
    for (int i = 0; i < kWide; ++i) {
      position_.v[i] = 0;
      if (lanes >> i & 1) {
        position_.v[i] = count_;
        source_.v[count_++] = i;
      }
    }
    for (int i = count_; i < kWide; ++i) source_.v[i] = source_.v[0];
    MaskOf<Wide> taken(false);
    for (int i = 0; i < kWide; ++i) math::set_mask(taken, i, (lanes >> i & 1) != 0);
    taken_ = taken;
  }

  MaskOf<Narrow> mask() const {
    MaskOf<Narrow> m(false);
    for (int i = 0; i < count_; ++i) math::set_mask(m, i, true);
    return m;
  }

  SB_INLINE Narrow take(const Wide& a) const {
    if constexpr (sizeof(Real) == 4) {
      const __m512 r = _mm512_permutexvar_ps(__m512i(source_.v), __m512(a.v));
      return Narrow(typename Narrow::Vector(_mm512_castps512_ps256(r)));
    } else {
      const __m512d r = _mm512_permutexvar_pd(__m512i(source_.v), __m512d(a.v));
      return Narrow(typename Narrow::Vector(_mm512_castpd512_pd256(r)));
    }
  }
  void take(const Wide* from, int n, Narrow* to) const {
    for (int i = 0; i < n; ++i) to[i] = take(from[i]);
  }
  MaskOf<Narrow> take_mask(const MaskOf<Wide>& m) const {
    return take(select(m, Wide(Real(1)), Wide(Real(0)))) > Narrow(Real(0));
  }

  // Back into the lanes that they came from.
  SB_INLINE void give(const Narrow& from, Wide& to) const {
    Wide r;
    if constexpr (sizeof(Real) == 4) {
      r.v = typename Wide::Vector(
          _mm512_permutexvar_ps(__m512i(position_.v), _mm512_castps256_ps512(__m256(from.v))));
    } else {
      r.v = typename Wide::Vector(
          _mm512_permutexvar_pd(__m512i(position_.v), _mm512_castpd256_pd512(__m256d(from.v))));
    }
    to = select(taken_, r, to);
  }
  void give(const Narrow* from, int n, Wide* to) const {
    for (int i = 0; i < n; ++i) give(from[i], to[i]);
  }

 private:
  struct Index {
    typename math::PackMask<Real, kWide>::Vector v;
  };
  Index source_, position_;
  MaskOf<Wide> taken_;
  int count_;
};
#endif

}  // namespace stepbench::contact::inline SB_ISA
