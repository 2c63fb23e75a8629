// Sparse factorisation M = L^T D L over the pattern of M, without fill: MuJoCo's mj_factorI and
// mj_solveLD; Featherstone (2008), section 6.5 (after Featherstone, IJRR 24(6), 2005).
//
// Row i of a matrix in this pattern holds the ancestors of dof i in ascending order and i itself
// last, so the row of an ancestor is a prefix of it; dofs are numbered depth first, so the
// descendants of i are the dofs up to dof_end[i]. Rows are finished from the last to the first,
// each gathering what its descendants take from it (left-looking): its entries stay in registers
// while the descendants' rows stream by, one load for each multiply-add. The textbook order, which
// subtracts each row from its ancestors' rows as soon as it is done, needs two loads and a store
// instead: 119 ns against 46 for each world of a 27-dof humanoid (f32 x 16, Zen 4).
#pragma once

#include "engine/dynamics/stage.h"
#include "engine/math/count.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Entries [at, at + N) of row i, less what its descendants take. LD holds the descendants' finished
// rows.
template <int N, class Lane>
SB_INLINE void gather_row(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* LD,
                          int i, int at, Lane (&entry)[N]) {
  const Lane* row = M + m.M_rowadr[i] + at;
  SB_UNROLL for (int j = 0; j < N; ++j) entry[j] = row[j];
  const int own = m.M_rownnz[i] - 1;
  for (int k = m.derived.dof_end[i] - 1; k > i; --k) {
    const Lane* below = LD + m.M_rowadr[k];
    const Lane u = below[own] * below[m.M_rownnz[k] - 1];  // L_ki D_k
    below += at;
    SB_UNROLL for (int j = 0; j < N; ++j) entry[j] = fnma(u, below[j], entry[j]);
  }
}

// The last N entries of row i, diagonal included; returns 1 / D_i.
template <int N, class Lane>
SB_INLINE Lane finish_diagonal(const model::Params<RealOf<Lane>>& m, const Lane* M,
                               const Lane* extra, Lane* LD, int i) {
  using Real = RealOf<Lane>;
  const Lane least = Lane(kMinVal<Real>);
  const int at = m.M_rownnz[i] - N;
  Lane entry[N];
  gather_row<N>(m, M, LD, i, at, entry);
  Lane pivot = extra != nullptr ? entry[N - 1] + extra[i] : entry[N - 1];
  pivot = select(pivot < least, least, pivot);
  const Lane inv = Lane(Real(1)) / pivot;
  Lane* row = LD + m.M_rowadr[i] + at;
  SB_UNROLL for (int j = 0; j < N - 1; ++j) row[j] = entry[j] * inv;
  row[N - 1] = pivot;
  return inv;
}

// Rows root .. root + N - 1 at the top of a tree, an unbranched run of dofs: one pass over their
// common descendants for the whole triangle.
template <int N, class Lane>
SB_INLINE void finish_top(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* extra,
                          Lane* LD, Lane* diag_inv, int root) {
  using Real = RealOf<Lane>;
  const Lane least = Lane(kMinVal<Real>);
  Lane entry[N * (N + 1) / 2];
  SB_UNROLL for (int i = 0; i < N; ++i) {
    const Lane* row = M + m.M_rowadr[root + i];
    SB_UNROLL for (int j = 0; j <= i; ++j) entry[i * (i + 1) / 2 + j] = row[j];
    if (extra != nullptr) entry[i * (i + 1) / 2 + i] += extra[root + i];
  }
  for (int k = m.derived.dof_end[root] - 1; k >= root + N; --k) {
    const Lane* below = LD + m.M_rowadr[k];
    const Lane pivot = below[m.M_rownnz[k] - 1];
    SB_UNROLL for (int i = 0; i < N; ++i) {
      const Lane u = below[i] * pivot;
      SB_UNROLL for (int j = 0; j <= i; ++j) {
        Lane& e = entry[i * (i + 1) / 2 + j];
        e = fnma(u, below[j], e);
      }
    }
  }
  SB_UNROLL for (int k = N - 1; k >= 0; --k) {
    Lane* below = entry + k * (k + 1) / 2;
    const Lane pivot = select(below[k] < least, least, below[k]);
    const Lane inv = Lane(Real(1)) / pivot;
    diag_inv[root + k] = inv;
    Lane* row = LD + m.M_rowadr[root + k];
    row[k] = pivot;
    SB_UNROLL for (int i = 0; i < k; ++i) {
      const Lane l = below[i] * inv;
      SB_UNROLL for (int j = 0; j <= i; ++j) {
        Lane& e = entry[i * (i + 1) / 2 + j];
        e = fnma(l, below[j], e);
      }
      row[i] = l;
    }
  }
}

inline constexpr int kTop = 6;     // rows of the triangle at the top of a tree: 21 numbers
inline constexpr int kBlock = 16;  // entries of a row that stay in registers

// Row i of the tree: its last entries, diagonal included, then the others in blocks.
template <class Lane>
SB_HD void finish_row(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* extra,
                      Lane* LD, Lane* diag_inv, int i) {
  int at = m.M_rownnz[i];
  const int rest = (at - 1) % kBlock + 1;
  Lane inv;
  math::with_count<kBlock>(
      rest, [&](auto n) { inv = finish_diagonal<decltype(n)::value>(m, M, extra, LD, i); });
  diag_inv[i] = inv;
  for (at -= rest + kBlock; at >= 0; at -= kBlock) {
    Lane entry[kBlock];
    gather_row<kBlock>(m, M, LD, i, at, entry);
    Lane* row = LD + m.M_rowadr[i] + at;
    SB_UNROLL for (int j = 0; j < kBlock; ++j) row[j] = entry[j] * inv;
  }
}

// Rows of the triangle at the top of a tree [root, end).
template <class Real>
SB_HD int top_rows(const model::Params<Real>& m, int root, int end) {
  int top = 1;
  while (top < kTop && root + top < end && m.dof_parentid[root + top] == root + top - 1 &&
         m.derived.dof_end[root + top] == end) {
    ++top;
  }
  return top;
}

}  // namespace detail

// M + diag(extra) = L^T D L on dofs [begin, end), which hold whole trees. D stays on the diagonal
// of LD, L (unit diagonal) below; diag_inv (nv): 1 / D. `extra`: nv numbers, or null. LD may be M.
// Pivots below kMinVal are clamped to it, as MuJoCo does.
template <class Lane>
SB_HD void factor_range(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* extra,
                        Lane* LD, Lane* diag_inv, int begin, int end) {
  while (end > begin) {
    const int root = m.tree_dofadr[m.dof_treeid[end - 1]], top = detail::top_rows(m, root, end);
    for (int i = end - 1; i >= root + top; --i) {
      detail::finish_row(m, M, extra, LD, diag_inv, i);
    }
    math::with_count<detail::kTop>(top, [&](auto n) {
      detail::finish_top<decltype(n)::value>(m, M, extra, LD, diag_inv, root);
    });
    end = root;
  }
}

// The same for all dofs, without extra.
template <class Lane>
SB_HD void factor_pattern(const model::Params<RealOf<Lane>>& m, const Lane* M, Lane* LD,
                          Lane* diag_inv) {
  factor_range(m, M, static_cast<const Lane*>(nullptr), LD, diag_inv, 0, m.nv);
}

// M -> qLD, qLDiagInv.
template <class Lane>
SB_HD void factor_M(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d) {
  factor_pattern(m, d.M, d.qLD, d.qLDiagInv);
}

namespace detail {

// First half of a solve, x := L^-T x, for the N dofs first .. first + N - 1, an unbranched run:
// they share the descendants of the last one, whose x is loaded once for all.
template <int N, class Lane>
SB_INLINE void solve_upward(const model::Params<RealOf<Lane>>& m, const Lane* LD, Lane* x,
                            int first) {
  const int last = first + N - 1, at = m.M_rownnz[first] - 1;
  Lane sum[N];
  SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = x[first + j];
  int k = m.derived.dof_end[last] - 1;
  if (k - last > 1) {  // two partial sums each: one alone waits for its own additions
    Lane more[N];
    const Lane* row = LD + m.M_rowadr[k] + at;
    SB_UNROLL for (int j = 0; j < N; ++j) more[j] = row[j] * x[k];
    for (--k; k > last + 1; k -= 2) {
      const Lane* row1 = LD + m.M_rowadr[k] + at;
      const Lane* row2 = LD + m.M_rowadr[k - 1] + at;
      const Lane x1 = x[k], x2 = x[k - 1];
      SB_UNROLL for (int j = 0; j < N; ++j) {
        sum[j] = fnma(row1[j], x1, sum[j]);
        more[j] = fma(row2[j], x2, more[j]);
      }
    }
    SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = sum[j] - more[j];
  }
  for (; k > last; --k) {
    const Lane* row = LD + m.M_rowadr[k] + at;
    const Lane xk = x[k];
    SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = fnma(row[j], xk, sum[j]);
  }
  SB_UNROLL for (int i = N - 1; i > 0; --i) {
    const Lane* row = LD + m.M_rowadr[first + i] + at;
    SB_UNROLL for (int j = 0; j < i; ++j) sum[j] = fnma(row[j], sum[i], sum[j]);
  }
  SB_UNROLL for (int j = 0; j < N; ++j) x[first + j] = sum[j];
}

// Second half, x := L^-1 D^-1 x: the run shares the ancestors of its first dof.
template <int N, class Lane>
SB_INLINE void solve_downward(const model::Params<RealOf<Lane>>& m, const Lane* LD,
                              const Lane* diag_inv, Lane* x, int first) {
  const int own = m.M_rownnz[first] - 1;
  const int* col = m.M_colind + m.M_rowadr[first];
  const Lane* row[N];
  Lane sum[N];
  SB_UNROLL for (int j = 0; j < N; ++j) {
    row[j] = LD + m.M_rowadr[first + j];
    sum[j] = x[first + j] * diag_inv[first + j];
  }
  int c = 0;
  if (own > 1) {
    Lane more[N];
    SB_UNROLL for (int j = 0; j < N; ++j) more[j] = row[j][0] * x[col[0]];
    for (c = 1; c + 1 < own; c += 2) {
      const Lane x1 = x[col[c]], x2 = x[col[c + 1]];
      SB_UNROLL for (int j = 0; j < N; ++j) {
        sum[j] = fnma(row[j][c], x1, sum[j]);
        more[j] = fma(row[j][c + 1], x2, more[j]);
      }
    }
    SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = sum[j] - more[j];
  }
  for (; c < own; ++c) {
    const Lane xc = x[col[c]];
    SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = fnma(row[j][c], xc, sum[j]);
  }
  SB_UNROLL for (int j = 0; j < N; ++j) {
    SB_UNROLL for (int i = j + 1; i < N; ++i) sum[i] = fnma(row[i][own + j], sum[j], sum[i]);
    x[first + j] = sum[j];
  }
}

inline constexpr int kRun = 6;  // dofs of a run that are taken at once

// Dofs to take at once of a run of n: up to six (a free joint), else four, since the triangle that
// they form among themselves is a chain of dependent steps.
SB_HD inline int run_part(int n) { return n <= kRun ? n : 4; }

// That number for the unbranched run of dofs (each the parent of the next, with the same
// descendants) that ends at i.
template <class Real>
SB_HD int run_to(const model::Params<Real>& m, int i) {
  int n = 1;
  while (n <= kRun && i - n >= 0 && m.dof_parentid[i - n + 1] == i - n &&
         m.derived.dof_end[i - n] == m.derived.dof_end[i]) {
    ++n;
  }
  return run_part(n);
}

// The same, of the run that starts at i.
template <class Real>
SB_HD int run_from(const model::Params<Real>& m, int i, int end) {
  int n = 1;
  while (n <= kRun && i + n < end && m.dof_parentid[i + n] == i + n - 1 &&
         m.derived.dof_end[i + n] == m.derived.dof_end[i]) {
    ++n;
  }
  return run_part(n);
}

}  // namespace detail

// x := L^-T x on dofs [begin, end), which hold whole trees: x' D^-1 x is then that of the solve.
template <class Lane>
SB_HD void solve_upward_range(const model::Params<RealOf<Lane>>& m, const Lane* LD, Lane* x,
                              int begin, int end) {
  for (int i = end - 1; i >= begin;) {
    const int n = detail::run_to(m, i);
    i -= n;
    math::with_count<detail::kRun>(
        n, [&](auto k) { detail::solve_upward<decltype(k)::value>(m, LD, x, i + 1); });
  }
}

// x := (L^T D L)^-1 x on dofs [begin, end), which hold whole trees.
template <class Lane>
SB_HD void solve_range(const model::Params<RealOf<Lane>>& m, const Lane* LD, const Lane* diag_inv,
                       Lane* x, int begin, int end) {
  solve_upward_range(m, LD, x, begin, end);
  for (int i = begin; i < end;) {
    const int n = detail::run_from(m, i, end);
    math::with_count<detail::kRun>(
        n, [&](auto k) { detail::solve_downward<decltype(k)::value>(m, LD, diag_inv, x, i); });
    i += n;
  }
}

// The same for all dofs.
template <class Lane>
SB_HD void solve_LD(const model::Params<RealOf<Lane>>& m, const Lane* LD, const Lane* diag_inv,
                    Lane* x) {
  solve_range(m, LD, diag_inv, x, 0, m.nv);
}

namespace detail {

// y for the N dofs first .. first + N - 1, an unbranched run: their own rows, shared ancestors
// first, then the columns under them, which they share too.
template <int N, class Lane>
SB_INLINE void multiply_run(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* x,
                            Lane* y, int first) {
  const int last = first + N - 1, at = m.M_rownnz[first] - 1;
  const int* col = m.M_colind + m.M_rowadr[first];
  const Lane* row[N];
  Lane sum[N];
  SB_UNROLL for (int j = 0; j < N; ++j) {
    row[j] = M + m.M_rowadr[first + j];
    sum[j] = row[j][at + j] * x[first + j];
  }
  for (int c = 0; c < at; ++c) {
    const Lane xc = x[col[c]];
    SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = fma(row[j][c], xc, sum[j]);
  }
  SB_UNROLL for (int j = 0; j < N; ++j) {
    SB_UNROLL for (int i = 0; i < j; ++i) {
      sum[j] = fma(row[j][at + i], x[first + i], sum[j]);
      sum[i] = fma(row[j][at + i], x[first + j], sum[i]);
    }
  }
  for (int k = last + 1; k < m.derived.dof_end[last]; ++k) {
    const Lane* below = M + m.M_rowadr[k] + at;
    const Lane xk = x[k];
    SB_UNROLL for (int j = 0; j < N; ++j) sum[j] = fma(below[j], xk, sum[j]);
  }
  SB_UNROLL for (int j = 0; j < N; ++j) y[first + j] = sum[j];
}

}  // namespace detail

// y := M x for a matrix in the pattern of M; y is not x.
template <class Lane>
SB_HD void mul_M(const model::Params<RealOf<Lane>>& m, const Lane* M, const Lane* x, Lane* y) {
  for (int i = 0; i < m.nv;) {
    const int n = detail::run_from(m, i, m.nv);
    math::with_count<detail::kRun>(
        n, [&](auto k) { detail::multiply_run<decltype(k)::value>(m, M, x, y, i); });
    i += n;
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
