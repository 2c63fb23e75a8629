// Hessian H = M + J' W J of packed worlds and its sparse factor: for worlds in which many contacts
// couple moving bodies (others: minimise_tree.h).
//
// The factor is L' D L, eliminated from the last dof to the first, as MuJoCo factors M: a row's
// pattern is then its ancestors in the tree. A contact of a body with the world adds nothing to
// that pattern; one between two branches couples them and fills in. Patterns are sets of bits, so
// the symbolic step is a few hundred bit operations and is repeated for each solve; the numeric
// step visits set bits only.
//
// Entries that exist only because another lane has a contact hold exact zeros, and every operation
// on them adds such a zero: a lane's bits do not depend on its neighbours.
//
// Rows of one chain of dofs share their pattern and are eliminated together (up to 4), which loads
// and stores each target once. The order of additions to a target stays that of single rows.
//
// minimise.h needs of a Hessian: assemble(), factor(), solve(x).
#pragma once

#include "engine/contact/block_ops.h"
#include "engine/contact/contact_inertia.h"
#include "engine/contact/links.h"
#include "engine/contact/pair_inertia.h"
#include "engine/math/count.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class PackedHessian {
 public:
  using Real = RealOf<Lane>;

  // Finds the pattern. False: the workspace is too small, and d.need_workspace says what it takes.
  SB_HD bool prepare(const Context<Lane>& c, const Range& range) {
    c_ = &c;
    range_ = range;
    const auto& p = c.p;
    const Blocks& b = blocks_of(c.d);
    Workspace w(c.d.workspace, c.d.workspace_bytes, b.bytes);
    const int nv = p.nv;
    H_ = w.take<Lane>(std::size_t(nv * (nv + 1) / 2));
    inverse_ = w.take<Lane>(std::size_t(nv));
    rows_ = w.take<Lane>(std::size_t(kMaxGroup * nv));
    Lane* inertias = w.take<Lane>(ContactInertia<Lane>::memory(nv));
    column_ = w.take<int>(std::size_t(nv * (nv + 1) / 2));
    extra_ = w.take<int>(std::size_t(nv * (nv + 1) / 2));
    if (w.full()) {
      c.d.need_workspace = w.bytes();
      return false;
    }
    inertia_.bind(c, inertias);
    DofSet tree[kMaxPackedDofs], mask[kMaxPackedDofs];  // j in mask[i]: entry (i, j), j < i
    for (int i = 0; i < nv; ++i) {
      const int parent = p.dof_parentid[i];
      if (parent >= 0) {
        tree[i] = tree[parent];
        tree[i].add(parent);
      }
      mask[i] = tree[i];
    }
    for (int k = 0; k < range.ncon; ++k) {
      const int slot = range.con[k];
      if (b.con_last[slot] >= 0) continue;  // moves by a chain of the tree
      const int* dof = b.dof + b.con_dofadr[slot];
      DofSet below;
      for (int i = 0; i < b.con_ndof[slot]; ++i) {
        mask[dof[i]].add(below);
        below.add(dof[i]);
      }
    }
    int n = 0;
    for (int i = nv - 1; i >= 0; --i) {
      if (mask[i] == tree[i]) continue;  // the ancestors' rows hold this pattern already
      mask[i].each([&](int j) { mask[j].add(mask[i].below(j)); });
    }
    nextra_ = 0;
    for (int i = 0; i < nv; ++i) {
      mask[i].without(tree[i]).each([&](int j) { extra_[nextra_++] = tri(i, j); });
      start_[i] = n;
      mask[i].each([&](int j) { column_[n++] = j; });
      count_[i] = n - start_[i];
      bool follows = i > 0;
      if (follows) {
        DofSet next = mask[i - 1];
        next.add(i - 1);
        follows = mask[i] == next;
      }
      group_[i] = follows && group_[i - 1] < kMaxGroup ? group_[i - 1] + 1 : 1;
    }
    return true;
  }

  // H = M + J' W J at con_u, sc_u.
  SB_HD void assemble() {
    const auto& p = c_->p;
    const auto& d = c_->d;
    const BlockOps<Lane> ops(*c_, range_);
    for (int k = 0; k < nextra_; ++k) H_[extra_[k]] = Lane(Real(0));
    for (int i = 0; i < p.nv; ++i) {
      Lane* row = H_ + tri(i, 0);
      for (int k = 0; k < p.M_rownnz[i]; ++k) {
        row[p.M_colind[p.M_rowadr[i] + k]] = d.M[p.M_rowadr[i] + k];
      }
    }
    ops.for_scalars([&](int id, const ScalarRow<Lane>& row) {
      const Lane w = scalar_hessian(row.eta, d.sc_D[id], d.sc_u[id]);
      if (row.axis == nullptr) {
        H_[tri(row.dof, row.dof)] += w;
        return;
      }
      for (int i = 0; i < 3; ++i) {
        const Lane wi = w * row.axis[i];
        for (int j = 0; j <= i; ++j) {
          Lane& h = H_[tri(row.dof + i, row.dof + j)];
          h = fma(wi, row.axis[j], h);
        }
      }
    });
    inertia_.clear();
    PairInertia<Lane> pair(*c_, H_);
    ops.for_contacts(
        [&](auto kind, int slot, auto cone, const Lane& D, const int* dof, int n, const Lane* J) {
          using Cone = decltype(kind);
          constexpr int kDim = Cone::kDim;
          Lane W[kDim * (kDim + 1) / 2];
          Cone::hessian(cone, D, d.con_u + 6 * slot, W);
          // W is positive semidefinite with W_00 > 0 wherever it is not zero.
          if (!any(W[0] > Lane(Real(0)))) return;
          if (blocks_of(c_->d).con_last[slot] >= 0) {
            inertia_.template add<Cone>(slot, blocks_of(c_->d).con_last[slot], W);
            return;
          }
          if (PairInertia<Lane>::takes(p, dof, n)) {
            pair.template add<Cone>(slot, dof[0], dof[6], W);
            return;
          }
          for (int a = 0; a < n; ++a) {
            Lane WJ[kDim];
            weigh<Cone>(W, J + a * kDim, WJ);
            Lane* row = H_ + tri(dof[a], 0);
            for (int k = 0; k <= a; ++k) {
              Lane h = row[dof[k]];
              SB_UNROLL
              for (int r = 0; r < kDim; ++r) h = fma(WJ[r], J[k * kDim + r], h);
              row[dof[k]] = h;
            }
          }
        });
    pair.flush();
    inertia_.sweep(H_);
  }

  // Factor in place. Pivots are positive: H is M plus positive semidefinite terms.
  SB_HD void factor() {
    for (int last = c_->p.nv - 1; last >= 0;) {
      const int m = group_[last];
      math::with_count<kMaxGroup>(m, [&](auto n) { eliminate<decltype(n)::value>(last); });
      last -= m;
    }
  }

  // x = H^-1 x.
  SB_HD void solve(Lane* x) const {
    const int nv = c_->p.nv;
    for (int last = nv - 1; last >= 0;) {
      const int m = group_[last];
      math::with_count<kMaxGroup>(m, [&](auto n) { scatter<decltype(n)::value>(last - m + 1, x); });
      last -= m;
    }
    for (int first = 0; first < nv;) {
      int m = 1;
      while (first + m < nv && group_[first + m] == m + 1) ++m;
      math::with_count<kMaxGroup>(m, [&](auto n) { gather<decltype(n)::value>(first, x); });
      first += m;
    }
  }

 private:
  static constexpr int kMaxGroup = 4;

  // Rows last, last - 1, ..., last - N + 1: the later of them hold the pattern of the first, plus
  // the rows of the group before them.
  template <int N>
  SB_HD void eliminate(int last) {
    const int first = last - N + 1;
    const int* col = column_ + start_[first];
    const int n = count_[first];
    // Within the group.
    SB_UNROLL
    for (int a = N - 1; a >= 0; --a) {
      const int k = first + a;
      Lane* row = H_ + tri(k, 0);
      Lane* x = rows_ + a * c_->p.nv;  // L's row, while H's is still needed
      const Lane inv = Lane(Real(1)) / row[k];
      inverse_[k] = inv;
      for (int i = 0; i < n; ++i) x[i] = row[col[i]] * inv;
      SB_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b >= a) continue;
        Lane* target = H_ + tri(first + b, 0);
        const Lane l = row[first + b] * inv;
        for (int i = 0; i < n; ++i) target[col[i]] = fnma(l, row[col[i]], target[col[i]]);
        SB_UNROLL
        for (int e = 0; e < N; ++e) {
          if (e <= b) target[first + e] = fnma(l, row[first + e], target[first + e]);
        }
      }
      SB_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b < a) row[first + b] = row[first + b] * inv;
      }
    }
    // Rows of common ancestors.
    const Lane* source[N];
    SB_UNROLL
    for (int a = 0; a < N; ++a) source[a] = H_ + tri(first + a, 0);
    for (int i = 0; i < n; ++i) {
      Lane l[N];
      SB_UNROLL
      for (int a = 0; a < N; ++a) l[a] = rows_[a * c_->p.nv + i];
      Lane* target = H_ + tri(col[i], 0);
      for (int j = 0; j <= i; ++j) {
        Lane t = target[col[j]];
        SB_UNROLL
        for (int a = N - 1; a >= 0; --a) t = fnma(l[a], source[a][col[j]], t);
        target[col[j]] = t;
      }
    }
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      Lane* row = H_ + tri(first + a, 0);
      for (int i = 0; i < n; ++i) row[col[i]] = rows_[a * c_->p.nv + i];
    }
  }

  // x of the ancestors of a group of rows -= L' x, rows from the last to the first.
  template <int N>
  SB_HD void scatter(int first, Lane* x) const {
    const Lane* row[N];
    Lane y[N];
    SB_UNROLL
    for (int a = N - 1; a >= 0; --a) {
      row[a] = H_ + tri(first + a, 0);
      y[a] = x[first + a];
      SB_UNROLL
      for (int b = N - 1; b >= 0; --b) {
        if (b > a) y[a] = fnma(row[b][first + a], y[b], y[a]);
      }
    }
    const int* col = column_ + start_[first];
    for (int k = 0; k < count_[first]; ++k) {
      Lane t = x[col[k]];
      SB_UNROLL
      for (int a = N - 1; a >= 0; --a) t = fnma(row[a][col[k]], y[a], t);
      x[col[k]] = t;
    }
    SB_UNROLL
    for (int a = 0; a < N; ++a) x[first + a] = y[a];
  }

  // x of a group of rows = x / D - L x.
  template <int N>
  SB_HD void gather(int first, Lane* x) const {
    const Lane* row[N];
    Lane y[N];
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      row[a] = H_ + tri(first + a, 0);
      y[a] = x[first + a] * inverse_[first + a];
    }
    const int* col = column_ + start_[first];
    for (int k = 0; k < count_[first]; ++k) {
      const Lane t = x[col[k]];
      SB_UNROLL
      for (int a = 0; a < N; ++a) y[a] = fnma(row[a][col[k]], t, y[a]);
    }
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      SB_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b < a) y[a] = fnma(row[a][first + b], y[b], y[a]);
      }
      x[first + a] = y[a];
    }
  }

  const Context<Lane>* c_;
  Range range_;
  Lane* H_;        // nv (nv + 1) / 2, rows of the lower triangle
  Lane* inverse_;  // 1 / D
  Lane* rows_;     // kMaxGroup x nv
  int* column_;    // set bits of each row, ascending
  int* extra_;     // entries that M's pattern lacks
  int nextra_;
  ContactInertia<Lane> inertia_;
  int start_[kMaxPackedDofs], count_[kMaxPackedDofs];
  int group_[kMaxPackedDofs];  // rows eliminated together, counted from the first
};

}  // namespace stepbench::contact::inline SB_ISA
