// Hessian H = M + J' W J of packed worlds and its sparse factor.
//
// The factor is L' D L, eliminated from the last dof to the first, as MuJoCo factors M: a row's pattern
// is then its ancestors in the tree. A contact of a body with the world adds nothing to that pattern;
// one between two branches couples them and fills in. Patterns are 64-bit words, so the symbolic step is
// a few hundred bit operations and is repeated for each solve; the numeric step visits set bits only.
//
// Entries that exist only because another lane has a contact hold exact zeros, and every operation on
// them adds such a zero: a lane's bits do not depend on its neighbours.
//
// Rows of one chain of dofs share their pattern and are eliminated together (up to 4), which loads and
// stores each target once. The order of additions to a target stays that of single rows.
//
// Newton (newton.h) needs of a Hessian: assemble(), factor(), solve(x). An articulated-body form
// (packed_contacts.md 3) that never forms H would take this class's place.
#pragma once

#include <cstdint>

#include "engine/contact/block_ops.h"

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
    column_ = w.take<int>(std::size_t(nv * (nv + 1) / 2));
    if (w.full()) {
      c.d.need_workspace = w.bytes();
      return false;
    }
    std::uint64_t mask[kMaxPackedDofs];  // bit j of mask[i]: entry (i, j), j < i
    for (int i = 0; i < nv; ++i) {
      mask[i] = 0;
      for (int k = 0; k < p.M_rownnz[i] - 1; ++k) {
        mask[i] |= std::uint64_t(1) << p.M_colind[p.M_rowadr[i] + k];
      }
    }
    for (int k = 0; k < range.ncon; ++k) {
      const int slot = range.con[k];
      const int* dof = b.dof + b.con_dofadr[slot];
      std::uint64_t below = 0;
      for (int i = 0; i < b.con_ndof[slot]; ++i) {
        mask[dof[i]] |= below;
        below |= std::uint64_t(1) << dof[i];
      }
    }
    int n = 0;
    for (int i = nv - 1; i >= 0; --i) {
      for (std::uint64_t rest = mask[i]; rest != 0; rest &= rest - 1) {
        const int j = lowest_bit(rest);
        mask[j] |= mask[i] & ((std::uint64_t(1) << j) - 1);
      }
    }
    for (int i = 0; i < nv; ++i) {
      start_[i] = n;
      for (std::uint64_t rest = mask[i]; rest != 0; rest &= rest - 1) column_[n++] = lowest_bit(rest);
      count_[i] = n - start_[i];
      const bool follows = i > 0 && mask[i] == (mask[i - 1] | std::uint64_t(1) << (i - 1));
      group_[i] = follows && group_[i - 1] < kMaxGroup ? group_[i - 1] + 1 : 1;
    }
    return true;
  }

  // H = M + J' W J at con_u, sc_u.
  SB_HD void assemble() {
    const auto& p = c_->p;
    const auto& d = c_->d;
    const BlockOps<Lane> ops(*c_, range_);
    for (int i = 0; i < p.nv; ++i) {
      Lane* row = H_ + tri(i, 0);
      for (int k = 0; k < count_[i]; ++k) row[column_[start_[i] + k]] = Lane(Real(0));
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
    ops.for_contacts([&](auto kind, int slot, auto cone, const Lane& D, const int* dof, int n,
                         const Lane* J) {
      using Cone = decltype(kind);
      constexpr int kDim = Cone::kDim;
      Lane W[kDim * (kDim + 1) / 2];
      Cone::hessian(cone, D, d.con_u + 6 * slot, W);
      // W is positive semidefinite with W_00 > 0 wherever it is not zero.
      if (!any(W[0] > Lane(Real(0)))) return;
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
  }

  // Factor in place. Pivots are positive: H is M plus positive semidefinite terms.
  SB_HD void factor() {
    for (int last = c_->p.nv - 1; last >= 0;) {
      const int m = group_[last];
      switch (m) {
        case 1: eliminate<1>(last); break;
        case 2: eliminate<2>(last); break;
        case 3: eliminate<3>(last); break;
        default: eliminate<4>(last); break;
      }
      last -= m;
    }
  }

  // x = H^-1 x.
  SB_HD void solve(Lane* x) const {
    const int nv = c_->p.nv;
    for (int i = nv - 1; i > 0; --i) {
      const Lane* row = H_ + tri(i, 0);
      const int* col = column_ + start_[i];
      for (int k = 0; k < count_[i]; ++k) x[col[k]] = fnma(row[col[k]], x[i], x[col[k]]);
    }
    for (int i = 0; i < nv; ++i) {
      const Lane* row = H_ + tri(i, 0);
      const int* col = column_ + start_[i];
      Lane sum = x[i] * inverse_[i];
      for (int k = 0; k < count_[i]; ++k) sum = fnma(row[col[k]], x[col[k]], sum);
      x[i] = sum;
    }
  }

 private:
  static constexpr int kMaxGroup = 4;

  static SB_INLINE int lowest_bit(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __ffsll(static_cast<long long>(x)) - 1;
#else
    return __builtin_ctzll(x);
#endif
  }

  // Rows last, last - 1, ..., last - N + 1: the later of them hold the pattern of the first, plus the
  // rows of the group before them.
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

  const Context<Lane>* c_;
  Range range_;
  Lane* H_;        // nv (nv + 1) / 2, rows of the lower triangle
  Lane* inverse_;  // 1 / D
  Lane* rows_;     // kMaxGroup x nv
  int* column_;    // set bits of each row, ascending
  int start_[kMaxPackedDofs], count_[kMaxPackedDofs];
  int group_[kMaxPackedDofs];  // rows eliminated together, counted from the first
};

}  // namespace stepbench::contact::inline SB_ISA
