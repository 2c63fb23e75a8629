// Contacts between two free bodies as one 6 x 6 "contact inertia" of their relative motion.
//
// The contacts of a pair of bodies follow each other. Their X' W X (contact_inertia.h) are summed
// about the centre of mass of the first body; its rows of S are then that body's motions, those of
// the second are shifted there, and H gains S' K S with a minus between the two bodies. Cost: some
// 120 operations per contact and 400 per pair of bodies, instead of 300 per contact.
#pragma once

#include "engine/contact/contact_inertia.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class PairInertia {
 public:
  using Real = RealOf<Lane>;

  SB_HD PairInertia(const Context<Lane>& c, Lane* H) : c_(c), H_(H) {}

  // Whether a contact of n dofs is one between two free bodies.
  static SB_HD bool takes(const model::Params<Real>& p, const int* dof, int n) {
    const auto free = [&](int d) { return p.derived.tree_free[p.dof_treeid[d]] == 2; };
    return n == 12 && free(dof[0]) && free(dof[6]);
  }

  // Add a slot's X' W X; dofs of the first body start at dof1, those of the second at dof2 > dof1.
  template <class Cone>
  SB_HD void add(int slot, int dof1, int dof2, const Lane* W) {
    if (dof1 != dof1_ || dof2 != dof2_) {
      flush();
      dof1_ = dof1;
      dof2_ = dof2;
      SB_UNROLL
      for (int i = 0; i < kSize; ++i) K_[i] = Lane(Real(0));
    }
    add_contact_inertia<Cone>(c_, slot, centre(dof1), W, K_);
  }

  // H += S' K S of the pair at hand.
  SB_HD void flush() {
    if (dof1_ < 0) return;
    const Lane *first = centre(dof1_), *second = centre(dof2_);
    const Lane r[3] = {first[0] - second[0], first[1] - second[1], first[2] - second[2]};
    Lane s[3][6], F1[3][6], F2[3][6];
    SB_UNROLL
    for (int a = 0; a < 3; ++a) math::mul_packed(K_, turn(dof1_, a), F1[a]);
    own_block(dof1_, F1, [&](int a) { return turn(dof1_, a); });
    SB_UNROLL
    for (int a = 0; a < 3; ++a) {
      const Lane* t = turn(dof2_, a);
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        s[a][i] = t[i];
        s[a][3 + i] = fnma(t[k], r[j], fma(t[j], r[k], t[3 + i]));
      }
      math::mul_packed(K_, s[a], F2[a]);
    }
    own_block(dof2_, F2, [&](int a) { return s[a]; });
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      Lane *move = row(dof2_ + i) + dof1_, *turned = row(dof2_ + 3 + i) + dof1_;
      SB_UNROLL
      for (int j = 0; j < 3; ++j) {
        move[j] -= K_[i >= j ? tri(3 + i, 3 + j) : tri(3 + j, 3 + i)];
        move[3 + j] -= F1[j][3 + i];
        turned[j] -= F2[i][3 + j];
        const Lane* t = turn(dof1_, j);
        Lane h = turned[3 + j];
        SB_UNROLL
        for (int e = 0; e < 6; ++e) h = fnma(F2[i][e], t[e], h);
        turned[3 + j] = h;
      }
    }
    dof1_ = dof2_ = -1;
  }

 private:
  static constexpr int kSize = 21;

  SB_INLINE Lane* row(int dof) const { return H_ + tri(dof, 0); }
  SB_INLINE const Lane* turn(int first, int a) const { return c_.d.cdof + 6 * (first + 3 + a); }
  SB_INLINE const Lane* centre(int dof) const {
    return c_.d.subtree_com + 3 * c_.p.dof_treeid[dof];
  }

  // Block of one body; F: K times its turns s(a).
  template <class S>
  SB_INLINE void own_block(int first, const Lane (&F)[3][6], S&& s) const {
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      Lane *move = row(first + i) + first, *turned = row(first + 3 + i) + first;
      SB_UNROLL
      for (int j = 0; j < 3; ++j) {
        turned[j] += F[i][3 + j];
        if (j > i) continue;
        move[j] += K_[tri(3 + i, 3 + j)];
        const Lane* t = s(j);
        Lane h = turned[3 + j];
        SB_UNROLL
        for (int e = 0; e < 6; ++e) h = fma(F[i][e], t[e], h);
        turned[3 + j] = h;
      }
    }
  }

  const Context<Lane>& c_;
  Lane* H_;
  int dof1_ = -1, dof2_ = -1;  // of the pair at hand; -1: none
  Lane K_[kSize];
};

}  // namespace stepbench::contact::inline SB_ISA
