// Moves between rows of memory and lanes: eight numbers of each of several bodies to one pack per
// number, and back.
//
// Only moves, no arithmetic: the way that is taken does not show in a result.
#pragma once

#include "engine/contact/block_kernels.h"

namespace stepbench::contact::inline SB_ISA {

inline constexpr int kBodyRow = 8;  // values of a body: three linear, three angular, two zeros

namespace detail {

// r[i] lane j <-> r[j] lane i.
template <class Real>
SB_INLINE void transpose(math::Pack<Real, 8>* r) {
  using P = math::Pack<Real, 8>;
  P t[8];
  SB_UNROLL
  for (int i = 0; i < 4; ++i) {
    t[i] = P(__builtin_shufflevector(r[i].v, r[i + 4].v, 0, 1, 2, 3, 8, 9, 10, 11));
    t[i + 4] = P(__builtin_shufflevector(r[i].v, r[i + 4].v, 4, 5, 6, 7, 12, 13, 14, 15));
  }
  SB_UNROLL
  for (int k = 0; k < 8; k += 4) {
    SB_UNROLL
    for (int i = k; i < k + 2; ++i) {
      r[i] = P(__builtin_shufflevector(t[i].v, t[i + 2].v, 0, 1, 8, 9, 4, 5, 12, 13));
      r[i + 2] = P(__builtin_shufflevector(t[i].v, t[i + 2].v, 2, 3, 10, 11, 6, 7, 14, 15));
    }
  }
  SB_UNROLL
  for (int i = 0; i < 8; i += 2) {
    t[i] = P(__builtin_shufflevector(r[i].v, r[i + 1].v, 0, 8, 2, 10, 4, 12, 6, 14));
    t[i + 1] = P(__builtin_shufflevector(r[i].v, r[i + 1].v, 1, 9, 3, 11, 5, 13, 7, 15));
  }
  SB_UNROLL
  for (int i = 0; i < 8; ++i) r[i] = t[i];
}

template <class Real>
SB_INLINE void transpose(math::Pack<Real, 4>* r) {
  using P = math::Pack<Real, 4>;
  P t[4];
  SB_UNROLL
  for (int i = 0; i < 2; ++i) {
    t[i] = P(__builtin_shufflevector(r[i].v, r[i + 2].v, 0, 1, 4, 5));
    t[i + 2] = P(__builtin_shufflevector(r[i].v, r[i + 2].v, 2, 3, 6, 7));
  }
  SB_UNROLL
  for (int i = 0; i < 4; i += 2) {
    r[i] = P(__builtin_shufflevector(t[i].v, t[i + 1].v, 0, 4, 2, 6));
    r[i + 1] = P(__builtin_shufflevector(t[i].v, t[i + 1].v, 1, 5, 3, 7));
  }
}

}  // namespace detail

// y[c] lane l = x[8 index[l] + c], c < 6.
template <class Real>
SB_INLINE void load_rows(const Real* x, const int* index, Chunk<Real>* y) {
  constexpr int W = kWidth<Chunk<Real>>;
  if constexpr (W == 8) {
    Chunk<Real> r[8];
    SB_UNROLL
    for (int l = 0; l < 8; ++l) r[l] = chunk(x + kBodyRow * index[l]);
    detail::transpose(r);
    SB_UNROLL
    for (int c = 0; c < 6; ++c) y[c] = r[c];
    return;
  } else if constexpr (W == 4) {
    Chunk<Real> low[4], high[4];
    SB_UNROLL
    for (int l = 0; l < 4; ++l) {
      low[l] = chunk(x + kBodyRow * index[l]);
      high[l] = chunk(x + kBodyRow * index[l] + 4);
    }
    detail::transpose(low);
    detail::transpose(high);
    SB_UNROLL
    for (int c = 0; c < 6; ++c) y[c] = c < 4 ? low[c & 3] : high[c & 3];
    return;
  }
  for (int c = 0; c < 6; ++c)
    for (int l = 0; l < W; ++l) math::set(y[c], l, x[kBodyRow * index[l] + c]);
}

// For each lane l in turn: row index[l] of x += lane l of y, then row other[l] -= lane l of z.
template <class Real>
SB_INLINE void add_rows(Real* x, const int* index, const Chunk<Real>* y, const int* other,
                        const Chunk<Real>* z) {
  constexpr int W = kWidth<Chunk<Real>>;
  const Chunk<Real> zero(Real(0));
  if constexpr (W == 8) {
    Chunk<Real> r[8], s[8];
    SB_UNROLL
    for (int c = 0; c < 8; ++c) r[c] = c < 6 ? y[c % 6] : zero, s[c] = c < 6 ? z[c % 6] : zero;
    detail::transpose(r);
    detail::transpose(s);
    SB_UNROLL
    for (int l = 0; l < 8; ++l) {
      Real* a = x + kBodyRow * index[l];
      chunk(a) = chunk(a) + r[l];
      Real* b = x + kBodyRow * other[l];
      chunk(b) = chunk(b) - s[l];
    }
    return;
  } else if constexpr (W == 4) {
    Chunk<Real> r[8], s[8];
    SB_UNROLL
    for (int c = 0; c < 8; ++c) r[c] = c < 6 ? y[c % 6] : zero, s[c] = c < 6 ? z[c % 6] : zero;
    detail::transpose(r);
    detail::transpose(r + 4);
    detail::transpose(s);
    detail::transpose(s + 4);
    SB_UNROLL
    for (int l = 0; l < 4; ++l) {
      Real* a = x + kBodyRow * index[l];
      chunk(a) = chunk(a) + r[l];
      chunk(a + 4) = chunk(a + 4) + r[4 + l];
      Real* b = x + kBodyRow * other[l];
      chunk(b) = chunk(b) - s[l];
      chunk(b + 4) = chunk(b + 4) - s[4 + l];
    }
    return;
  }
  for (int l = 0; l < W; ++l) {
    for (int c = 0; c < 6; ++c) {
      x[kBodyRow * index[l] + c] = x[kBodyRow * index[l] + c] + math::get(y[c], l);
    }
    for (int c = 0; c < 6; ++c) {
      x[kBodyRow * other[l] + c] = x[kBodyRow * other[l] + c] - math::get(z[c], l);
    }
  }
}

}  // namespace stepbench::contact::inline SB_ISA
