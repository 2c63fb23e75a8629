// Rows of eight floats, one per body, and products of 6 x 6 blocks with them.
//
// A block is six columns of eight floats. A sum of products keeps one partial sum per column and
// adds them as ((0+2)+4) + ((1+3)+5): two columns share a register where there are 16 lanes, with
// the same bits.
#pragma once

#include "engine/contact/contact_packs.h"

namespace stepbench::contact::inline SB_ISA {

using Row = math::Pack<float, kBodyRow>;  // a body's values, or one column of a block

inline constexpr int kBlock = 6 * kBodyRow;

SB_INLINE Row& row(float* a) { return *reinterpret_cast<Row*>(a); }
SB_INLINE const Row& row(const float* a) { return *reinterpret_cast<const Row*>(a); }

SB_INLINE float sum(const Row& a) {
  alignas(32) float x[kBodyRow];
  row(x) = a;
  return sum_lanes(x);
}

// Eight values rounded to float.
template <class Real>
SB_INLINE Row to_float(const Real* a) {
  using From = typename math::VectorOf<Real, kBodyRow>::type;
  return Row(__builtin_convertvector(*reinterpret_cast<const From*>(a), Row::Vector));
}

// Sum of products of blocks with rows.
class BlockSum {
 public:
#if defined(__AVX512F__)
  SB_INLINE BlockSum() : a_(0.0f), b_(0.0f), c_(0.0f) {}
  SB_INLINE void add(const float* block, const float* x) {
    const __m512 v = _mm512_castps256_ps512(__m256(row(x).v));
    a_ = fma(columns(block, 0), pick(v, 0), a_);
    b_ = fma(columns(block, 1), pick(v, 2), b_);
    c_ = fma(columns(block, 2), pick(v, 4), c_);
  }
  SB_INLINE Row total() const {
    const Two::Vector s = ((a_ + b_) + c_).v;
    return Row(__builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6, 7)) +
           Row(__builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15));
  }

 private:
  using Two = math::Pack<float, 2 * kBodyRow>;
  static SB_INLINE Two columns(const float* block, int k) {
    return *reinterpret_cast<const Two*>(block + 2 * kBodyRow * k);
  }
  static SB_INLINE Two pick(__m512 v, int k) {
    const __m512i at = _mm512_setr_epi32(k, k, k, k, k, k, k, k, k + 1, k + 1, k + 1, k + 1, k + 1,
                                         k + 1, k + 1, k + 1);
    return Two(Two::Vector(_mm512_maskz_permutexvar_ps(__mmask16(-1), at, v)));
  }
  Two a_, b_, c_;
#else
  SB_INLINE BlockSum() {
    for (int k = 0; k < 6; ++k) s_[k] = Row(0.0f);
  }
  SB_INLINE void add(const float* block, const float* x) {
    SB_UNROLL
    for (int k = 0; k < 6; ++k) s_[k] = fma(row(block + kBodyRow * k), Row(x[k]), s_[k]);
  }
  SB_INLINE Row total() const { return ((s_[0] + s_[2]) + s_[4]) + ((s_[1] + s_[3]) + s_[5]); }

 private:
  Row s_[6];
#endif
};

}  // namespace stepbench::contact::inline SB_ISA
