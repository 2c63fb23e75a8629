// Dense kernels of the block factor: small row-major matrices whose rows are padded to kPad
// columns.
//
// Rows are processed in chunks of one vector register. Chunks only split work along a row, where
// elements are independent, so the register width does not change a bit.
#pragma once

#include "engine/contact/context.h"

namespace stepbench::contact::inline SB_ISA {

inline constexpr int kPad = 8;

SB_HD constexpr int padded(int n) { return (n + kPad - 1) / kPad * kPad; }

#if defined(__CUDACC__)
template <class Real>
using Chunk = Real;
#elif defined(__AVX512F__)
template <class Real>
using Chunk = math::Pack<Real, kPad>;
#else
template <class Real>
using Chunk = math::Pack<Real, sizeof(Real) == 8 ? 4 : kPad>;
#endif

template <class Real>
SB_INLINE Chunk<Real>& chunk(Real* a) {
  return *reinterpret_cast<Chunk<Real>*>(a);
}
template <class Real>
SB_INLINE const Chunk<Real>& chunk(const Real* a) {
  return *reinterpret_cast<const Chunk<Real>*>(a);
}

// target (m rows) -= U' V, where U has K rows of which column c belongs to target row c, V has K
// rows. lu, lv: padded row lengths of U and of V and target. At most 6 rows of U at a time.
template <int K, class Real>
SB_INLINE void subtract_product(Real* target, const Real* U, int lu, const Real* V, int lv, int m) {
  constexpr int W = kWidth<Chunk<Real>>;
  for (int j = 0; j < lv; j += W) {
    Chunk<Real> v[K];
    SB_UNROLL
    for (int r = 0; r < K; ++r) v[r] = chunk(V + r * lv + j);
    for (int c = 0; c < m; ++c) {
      Chunk<Real> t = chunk(target + c * lv + j);
      SB_UNROLL
      for (int r = 0; r < K; ++r) t = fnma(Chunk<Real>(U[r * lu + c]), v[r], t);
      chunk(target + c * lv + j) = t;
    }
  }
}

// The same for any number of rows.
template <class Real>
SB_HD void subtract_product(Real* target, const Real* U, int lu, const Real* V, int lv, int m,
                            int rows) {
  int r = 0;
  for (; r + 6 <= rows; r += 6) subtract_product<6>(target, U + r * lu, lu, V + r * lv, lv, m);
  for (; r < rows; ++r) subtract_product<1>(target, U + r * lu, lu, V + r * lv, lv, m);
}

// Upper Cholesky factor of a symmetric positive definite matrix in place (its upper triangle
// counts); inverse: 1 / diagonal.
template <class Real>
SB_HD void cholesky(Real* A, Real* inverse, int n) {
  constexpr int W = kWidth<Chunk<Real>>;
  const int ld = padded(n);
  for (int r = 0; r < n; ++r) {
    Real* row = A + r * ld;
    const Real inv = Real(1) / math::sqrt(math::max(row[r], math::kMinVal<Real>));
    inverse[r] = inv;
    const int from = r / W * W;
    for (int j = from; j < ld; j += W) chunk(row + j) = chunk(row + j) * Chunk<Real>(inv);
    for (int s = r + 1; s < n; ++s) {
      const Chunk<Real> l(row[s]);
      for (int j = s / W * W; j < ld; j += W) {
        chunk(A + s * ld + j) = fnma(l, chunk(row + j), chunk(A + s * ld + j));
      }
    }
  }
}

// B = R^-T B for the factor R (n rows) and B (n rows of length lb).
template <class Real>
SB_HD void solve_transposed(const Real* R, const Real* inverse, int n, Real* B, int lb) {
  constexpr int W = kWidth<Chunk<Real>>;
  const int ld = padded(n);
  for (int j = 0; j < lb; j += W) {
    for (int r = 0; r < n; ++r) {
      const Chunk<Real> b = chunk(B + r * lb + j) * Chunk<Real>(inverse[r]);
      chunk(B + r * lb + j) = b;
      for (int s = r + 1; s < n; ++s) {
        chunk(B + s * lb + j) = fnma(Chunk<Real>(R[r * ld + s]), b, chunk(B + s * lb + j));
      }
    }
  }
}

}  // namespace stepbench::contact::inline SB_ISA
