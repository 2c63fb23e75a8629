// A low-rank change of an articulated solve (Woodbury's identity), half-solved vectors throughout.
//
// H = T + R'w R, where the sweeps solve with T (articulated.h) and w >= 0 are the weights of a few
// rows R. With a the half-solved right-hand side, r the half-solved rows and d the pivots,
//   C = 1 + sqrt(w) (r d^-1 r') sqrt(w),   a -= r' sqrt(w) C^-1 sqrt(w) (r d^-1 a)
// leaves the half-solved right-hand side of H. A row of weight 0 is an exact no-op. Source:
// packed_contacts.md 3.4.
#pragma once

#include "engine/contact/articulated.h"
#include "engine/math/count.h"

namespace stepbench::contact::inline SB_ISA {

// Rows of contacts between moving bodies that a lane may have to be solved in this way.
inline constexpr int kMaxCoupledRows = 16;

template <class Lane>
class LowRank {
 public:
  using Real = RealOf<Lane>;

  // Takes memory for `most` rows of nv; false: the workspace is too small.
  SB_HD bool prepare(Workspace& w, int nv, int most) {
    Lane* rows = w.take<Lane>(std::size_t(nv) * std::size_t(2 * most));
    C_ = w.take<Lane>(std::size_t(most * (most + 1) / 2));
    y_ = w.take<Lane>(std::size_t(most));
    weight_ = w.take<Lane>(std::size_t(most));
    if (w.full()) return false;
    for (int r = 0; r < most; ++r) {
      row_[r] = rows + std::size_t(r) * std::size_t(nv);
      solved_[r] = rows + std::size_t(most + r) * std::size_t(nv);
    }
    return true;
  }

  SB_HD void clear() {
    n_ = 0;
    on_ = DofSet();
  }

  // Another row, to be filled at `dofs` by the caller; `on` are the links of these dofs and all
  // that they hang on.
  SB_HD Lane* add(const DofSet& dofs, const DofSet& on, const Lane& root_of_weight) {
    on_.add(on);
    dofs_[n_] = &dofs;
    weight_[n_] = root_of_weight;
    return row_[n_++];
  }

  SB_HD void correct(Articulated<Lane>& tree) {
    if (n_ == 0) return;
    ndof_ = 0;
    for (int k = 0; k < tree.links.n; ++k) {
      if (!on_.has(k)) continue;
      const Link& l = tree.links.link[k];
      for (int i = l.dof; i < l.dof + l.n; ++i) dof_[ndof_++] = i;
    }
    const Lane zero(Real(0));
    for (int e = 0; e < n_; ++e) {
      for (int k = 0; k < ndof_; ++k) {
        if (!dofs_[e]->has(dof_[k])) row_[e][dof_[k]] = zero;
      }
    }
    int e = 0;
    for (; e + 4 <= n_; e += 4) tree.template half_solve<4>(on_, row_ + e, solved_ + e);
    if (e + 2 <= n_) {
      tree.template half_solve<2>(on_, row_ + e, solved_ + e);
      e += 2;
    }
    if (e < n_) tree.template half_solve<1>(on_, row_ + e, solved_ + e);
    if (n_ <= kInRegisters) {
      math::with_count<kInRegisters>(n_, [&](auto n) { products<decltype(n)::value>(tree); });
    } else {
      products(tree);
    }
    solve();
    for (int k = 0; k < ndof_; ++k) {
      const int i = dof_[k];
      Lane h = tree.half[i];
      for (int a = 0; a < n_; ++a) h = fnma(solved_[a][i], y_[a], h);
      tree.half[i] = h;
    }
  }

 private:
  static constexpr int kInRegisters = 3;             // rows whose products stay in registers
  static constexpr int kMost = 4 * kMaxCoupledRows;  // rows of all dimensions (coupling.h)

  // y = sqrt(w) r d^-1 a and C, for N rows in registers.
  template <int N>
  SB_HD void products(const Articulated<Lane>& tree) {
    const Lane zero(Real(0));
    Lane y[N], c[N * (N + 1) / 2];
    SB_UNROLL
    for (int a = 0; a < N; ++a) y[a] = zero;
    SB_UNROLL
    for (int a = 0; a < N * (N + 1) / 2; ++a) c[a] = zero;
    for (int k = 0; k < ndof_; ++k) {
      const int i = dof_[k];
      const Lane inverse = tree.inverse[i], half = tree.half[i];
      Lane r[N];
      SB_UNROLL
      for (int a = 0; a < N; ++a) {
        r[a] = solved_[a][i];
        const Lane scaled = r[a] * inverse;
        y[a] = fma(scaled, half, y[a]);
        SB_UNROLL
        for (int b = 0; b <= a; ++b) c[tri(a, b)] = fma(scaled, r[b], c[tri(a, b)]);
      }
    }
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      y_[a] = y[a] * weight_[a];
      SB_UNROLL
      for (int b = 0; b <= a; ++b) put(a, b, c[tri(a, b)]);
    }
  }

  // The same for any number of rows.
  SB_HD void products(const Articulated<Lane>& tree) {
    for (int a = 0; a < n_; ++a) {
      Lane* scaled = row_[a];  // free by now
      Lane y(Real(0));
      for (int k = 0; k < ndof_; ++k) {
        const int i = dof_[k];
        scaled[i] = solved_[a][i] * tree.inverse[i];
        y = fma(scaled[i], tree.half[i], y);
      }
      y_[a] = y * weight_[a];
      for (int b = 0; b <= a; ++b) {
        Lane c(Real(0));
        for (int k = 0; k < ndof_; ++k) c = fma(scaled[dof_[k]], solved_[b][dof_[k]], c);
        put(a, b, c);
      }
    }
  }

  SB_INLINE void put(int a, int b, Lane c) {
    c = c * (weight_[a] * weight_[b]);
    C_[tri(a, b)] = a == b ? c + Lane(Real(1)) : c;
  }

  // y = sqrt(w) C^-1 y, by C = L D L'.
  SB_HD void solve() {
    const Lane one(Real(1));
    for (int k = 0; k < n_; ++k) {
      const Lane inv = one / C_[tri(k, k)];
      for (int i = k + 1; i < n_; ++i) {
        const Lane l = C_[tri(i, k)] * inv;
        for (int j = k + 1; j <= i; ++j) C_[tri(i, j)] = fnma(l, C_[tri(j, k)], C_[tri(i, j)]);
        y_[i] = fnma(l, y_[k], y_[i]);
      }
      C_[tri(k, k)] = inv;
    }
    for (int k = n_ - 1; k >= 0; --k) {
      Lane sum = y_[k];
      for (int i = k + 1; i < n_; ++i) sum = fnma(C_[tri(i, k)], y_[i], sum);
      y_[k] = sum * C_[tri(k, k)];
    }
    for (int k = 0; k < n_; ++k) y_[k] = y_[k] * weight_[k];
  }

  int n_ = 0;
  DofSet on_;
  const DofSet* dofs_[kMost];
  int dof_[kMaxPackedDofs], ndof_;  // of the links of on_, ascending
  Lane *row_[kMost], *solved_[kMost];
  Lane *C_, *y_, *weight_;
};

}  // namespace stepbench::contact::inline SB_ISA
