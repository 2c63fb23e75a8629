// Sparse factorisation M = L^T D L over the pattern of M, without fill: MuJoCo's mj_factorI and mj_solveLD;
// Featherstone (2008), section 6.5 (after Featherstone, IJRR 24(6), 2005).
//
// Row i of a matrix in this pattern holds the ancestors of dof i in ascending order and i itself last, so
// the row of an ancestor is a prefix of it: updates run over consecutive numbers.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

// A := L^T D L: D stays on the diagonal, L (unit diagonal) below; its reciprocals go to diag_inv (nv).
// Pivots below kMinVal are clamped to it, as MuJoCo does.
// Dofs [begin, end), which hold whole trees.
template <class Lane>
SB_HD void factor_range(const model::Params<RealOf<Lane>>& m, Lane* A, Lane* diag_inv, int begin,
                        int end) {
  using Real = RealOf<Lane>;
  const Lane least = Lane(kMinVal<Real>);
  for (int k = end - 1; k >= begin; --k) {
    Lane* row = A + m.M_rowadr[k];
    const int* col = m.M_colind + m.M_rowadr[k];
    const int n = m.M_rownnz[k] - 1;
    const Lane pivot = select(row[n] < least, least, row[n]);
    const Lane inv = Lane(Real(1)) / pivot;
    row[n] = pivot;
    diag_inv[k] = inv;
    for (int a = n - 1; a >= 0; --a) {
      Lane* up = A + m.M_rowadr[col[a]];
      const Lane l = row[a] * inv;
      for (int j = 0; j <= a; ++j) up[j] = fnma(l, row[j], up[j]);
      row[a] = l;
    }
  }
}

// The same, of a copy of M.
template <class Lane>
SB_HD void factor_pattern(const model::Params<RealOf<Lane>>& m, const Lane* M, Lane* LD,
                          Lane* diag_inv) {
  for (int i = 0; i < m.nM; ++i) LD[i] = M[i];
  factor_range(m, LD, diag_inv, 0, m.nv);
}

// M -> qLD, qLDiagInv.
template <class Lane>
SB_HD void factor_M(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d) {
  factor_pattern(m, d.M, d.qLD, d.qLDiagInv);
}

// x := (L^T D L)^-1 x on dofs [begin, end), which hold whole trees.
template <class Lane>
SB_HD void solve_range(const model::Params<RealOf<Lane>>& m, const Lane* LD, const Lane* diag_inv,
                       Lane* x, int begin, int end) {
  for (int i = end - 1; i >= begin; --i) {
    const Lane* row = LD + m.M_rowadr[i];
    const int* col = m.M_colind + m.M_rowadr[i];
    const Lane xi = x[i];
    for (int k = m.M_rownnz[i] - 2; k >= 0; --k) x[col[k]] = fnma(row[k], xi, x[col[k]]);
  }
  for (int i = begin; i < end; ++i) {
    const Lane* row = LD + m.M_rowadr[i];
    const int* col = m.M_colind + m.M_rowadr[i];
    Lane xi = x[i] * diag_inv[i];
    for (int k = m.M_rownnz[i] - 2; k >= 0; --k) xi = fnma(row[k], x[col[k]], xi);
    x[i] = xi;
  }
}

// The same for all dofs.
template <class Lane>
SB_HD void solve_LD(const model::Params<RealOf<Lane>>& m, const Lane* LD, const Lane* diag_inv,
                    Lane* x) {
  solve_range(m, LD, diag_inv, x, 0, m.nv);
}

// y := M x for a matrix in the pattern of M.
template <class Lane>
SB_HD void mul_M(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* x, Lane* y) {
  for (int i = 0; i < m.nv; ++i) {
    const Lane* row = M + m.M_rowadr[i];
    const int* col = m.M_colind + m.M_rowadr[i];
    const int n = m.M_rownnz[i] - 1;
    const Lane xi = x[i];
    Lane sum = row[n] * xi;
    for (int k = 0; k < n; ++k) {
      sum = fma(row[k], x[col[k]], sum);
      y[col[k]] = fma(row[k], xi, y[col[k]]);
    }
    y[i] = sum;
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
