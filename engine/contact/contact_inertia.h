// Contacts of bodies with the world as 6 x 6 "contact inertias" of their bodies.
//
// A ground contact adds J' W J to the Hessian where J = X S: S holds the motions (cdof) of the
// body's whole chain of dofs and X maps a body's motion to the contact's base rows. So J' W J = S'
// (X' W X) S, and all contacts of a body, and of what hangs on it, are summed in one 6 x 6 matrix
// before the dofs come in: the composite rigid body sweep. Source: packed_contacts.md 0 and 3.2.
// Cost: some 100 operations per contact and 6 per entry of the tree pattern, instead of dim (dofs^2
// / 2) per contact.
#pragma once

#include <cstdint>

#include "engine/contact/block_ops.h"
#include "engine/math/count.h"
#include "engine/math/spatial.h"

namespace stepbench::contact::inline SB_ISA {

// sum += X' W X of a slot about the point `centre`; sum: packed lower triangle of 6 x 6.
template <class Cone, class Lane>
SB_HD void add_contact_inertia(const Context<Lane>& c, int slot, const Lane* centre, const Lane* W,
                               Lane* sum) {
  using Real = RealOf<Lane>;
  constexpr int kDim = Cone::kDim;
  const auto& pair = c.pairs[c.d.con_pair[slot]];
  const Lane* pos = c.d.con_pos + 3 * slot;
  const Lane r[3] = {pos[0] - centre[0], pos[1] - centre[1], pos[2] - centre[2]};
  const Lane zero(Real(0));
  Lane X[6][kDim], WX[6][kDim];
  SB_UNROLL
  for (int row = 0; row < kDim; ++row) {
    const Lane scale(row_scale(pair, row));
    const Lane* frame = c.d.con_frame + 9 * slot + 3 * (row % 3);
    const Lane f[3] = {frame[0] * scale, frame[1] * scale, frame[2] * scale};
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      X[i][row] = row < 3 ? fnma(r[k], f[j], r[j] * f[k]) : f[i];
      X[3 + i][row] = row < 3 ? f[i] : zero;
    }
  }
  SB_UNROLL
  for (int i = 0; i < 6; ++i) weigh<Cone>(W, X[i], WX[i]);
  SB_UNROLL
  for (int i = 0; i < 6; ++i) {
    SB_UNROLL
    for (int j = 0; j <= i; ++j) {
      Lane k = sum[tri(i, j)];
      SB_UNROLL
      for (int row = 0; row < kDim; ++row) k = fma(WX[i][row], X[j][row], k);
      sum[tri(i, j)] = k;
    }
  }
}

template <class Lane>
class ContactInertia {
 public:
  using Real = RealOf<Lane>;
  static constexpr int kSize = 21;  // packed lower triangle

  // Lanes of working memory.
  static SB_HD std::size_t memory(int nv) { return std::size_t(nv) * kSize; }

  SB_HD void bind(const Context<Lane>& c, Lane* memory) {
    c_ = &c;
    sums_ = memory;
  }

  SB_HD void clear() {
    for (int i = 0; i < c_->p.nv; ++i) of_[i] = nullptr;
  }

  // Add X' W X of a slot to the body whose chain ends in dof `last`.
  template <class Cone>
  SB_HD void add(int slot, int last, const Lane* W) {
    Lane* sum = of_[last];
    if (sum == nullptr) {
      sum = of_[last] = sums_ + kSize * last;
      SB_UNROLL
      for (int i = 0; i < kSize; ++i) sum[i] = Lane(Real(0));
    }
    add_contact_inertia<Cone>(*c_, slot, c_->d.subtree_com + 3 * c_->p.dof_treeid[last], W, sum);
  }

  // H += S' (sums) S, H a dense lower triangle by rows. Uses up the sums.
  SB_HD void sweep(Lane* H) {
    const auto& p = c_->p;
    for (int last = p.nv - 1; last >= 0;) {
      Lane* Y = of_[last];
      if (Y == nullptr) {
        --last;
        continue;
      }
      // Dofs of one chain that carry the same sum are done together: their ancestors are read once.
      int n = 1;
      while (n < kMaxGroup && p.dof_parentid[last - n + 1] == last - n && of_[last - n] == nullptr)
        ++n;
      const int first = last - n + 1;
      math::with_count<kMaxGroup>(n, [&](auto k) { rows<decltype(k)::value>(first, Y, H); });
      const int parent = p.dof_parentid[first];
      if (parent >= 0) {
        if (of_[parent] == nullptr) {
          of_[parent] = Y;
        } else {
          for (int i = 0; i < kSize; ++i) of_[parent][i] += Y[i];
        }
      }
      last = first - 1;
    }
  }

 private:
  static constexpr int kMaxGroup = 3;

  template <int N>
  SB_HD void rows(int first, const Lane* Y, Lane* H) {
    const auto& p = c_->p;
    Lane F[N][6];
    SB_UNROLL
    for (int a = 0; a < N; ++a) math::mul_packed(Y, c_->d.cdof + 6 * (first + a), F[a]);
    SB_UNROLL
    for (int b = 0; b < N; ++b) {
      const Lane* s = c_->d.cdof + 6 * (first + b);
      SB_UNROLL
      for (int a = 0; a < N; ++a) {
        if (a < b) continue;
        Lane& h = H[tri(first + a, first + b)];
        SB_UNROLL
        for (int i = 0; i < 6; ++i) h = fma(F[a][i], s[i], h);
      }
    }
    for (int j = p.dof_parentid[first]; j >= 0; j = p.dof_parentid[j]) {
      const Lane* s = c_->d.cdof + 6 * j;
      Lane h[N];
      SB_UNROLL
      for (int a = 0; a < N; ++a) h[a] = H[tri(first + a, j)];
      SB_UNROLL
      for (int i = 0; i < 6; ++i) {
        SB_UNROLL
        for (int a = 0; a < N; ++a) h[a] = fma(F[a][i], s[i], h[a]);
      }
      SB_UNROLL
      for (int a = 0; a < N; ++a) H[tri(first + a, j)] = h[a];
    }
  }

  const Context<Lane>* c_;
  Lane* sums_;
  Lane* of_[kMaxPackedDofs];  // by dof: sum of the contacts that hang on it; null: none
};

}  // namespace stepbench::contact::inline SB_ISA
