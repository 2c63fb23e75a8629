// Arrays of the articulated sweeps (articulated.h), and what all sweeps do at a link.
#pragma once

#include "engine/contact/cone.h"
#include "engine/contact/links.h"
#include "engine/math/spatial.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class LinkMemory {
 public:
  using Real = RealOf<Lane>;
  static constexpr int kInertia = 21;  // packed lower triangle
  static constexpr int kMaxRows = 4;   // that half_solve takes at once

  Links<Lane> links;
  Lane* S;        // motion of each link along the step: 6
  Lane* F;        // its bodies' inertia times that: 6
  Lane* P;        // the same for qacc - qacc_smooth: 6
  Lane* wrench;   // of the contacts with the world on each link: 6
  Lane* diag;     // nv: armature and what rows on single dofs add to the pivots
  Lane* half;     // nv: u above, the half-solved right-hand side
  Lane* inverse;  // nv: 1/d
  // By link: whether its contacts (kOwn), or its pivots or what hangs on it (kPivot), changed since
  // the last factor.
  unsigned char* dirty;
  static constexpr unsigned char kOwn = 1, kPivot = 2;

 protected:
  SB_HD Lane* take_memory(const Context<Lane>& c, Workspace& w) {
    c_ = &c;
    const std::size_t nv = std::size_t(c.p.nv);
    S = w.take<Lane>(6 * nv);
    F = w.take<Lane>(6 * nv);
    P = w.take<Lane>(6 * nv);
    wrench = w.take<Lane>(6 * nv);
    diag = w.take<Lane>(nv);
    half = w.take<Lane>(nv);
    inverse = w.take<Lane>(nv);
    Z_ = w.take<Lane>(6 * nv);
    L_ = w.take<Lane>(3 * nv);
    sums_ = w.take<Lane>(6 * nv);
    own_ = w.take<Lane>(kInertia * nv);
    up_ = w.take<Lane>(kInertia * nv);
    dirty = w.take<unsigned char>(nv);
    rest_ = w.take<Lane>(6 * kMaxRows * nv);
    return w.take<Lane>(Links<Lane>::memory(c.p.nv));
  }

  SB_INLINE const Lane* cdof(int i) const { return c_->d.cdof + 6 * i; }

  SB_INLINE void parent_motion(const Link& l, Lane* v) const {
    if (l.parent < 0) {
      SB_UNROLL
      for (int i = 0; i < 6; ++i) v[i] = Lane(Real(0));
      return;
    }
    const Lane* up = S + 6 * l.parent;
    SB_UNROLL
    for (int i = 0; i < 6; ++i) v[i] = up[i];
  }

  SB_INLINE void add_motion(const Link& l, const Lane* x, Lane* v) const {
    int k = 0;
    if (l.free) {
      SB_UNROLL
      for (int i = 0; i < 3; ++i) v[3 + i] = x[i];
      k = 3;
    }
    for (; k < l.n; ++k) {
      const Lane* s = cdof(l.dof + k);
      SB_UNROLL
      for (int i = 0; i < 6; ++i) v[i] = fma(s[i], x[k], v[i]);
    }
  }

  template <bool kForces>
  SB_INLINE void finish_motion(int k, const Lane* x, const Lane* v, Lane& energy) {
    const Link& l = links.link[k];
    Lane* own = S + 6 * k;
    SB_UNROLL
    for (int i = 0; i < 6; ++i) own[i] = v[i];
    if (!kForces) return;
    for (int j = l.dof; j < l.dof + l.n; ++j) {
      const Real arm = c_->p.derived.dof_arm[j];
      if (arm != Real(0)) energy = fma(Lane(arm) * x[j], x[j], energy);
    }
    if (links.inertia[k] == nullptr) return;
    const auto f = mul(math::load_inertia(links.inertia[k]), math::load6(v));
    math::store6(F + 6 * k, f);
    const Lane* o = F + 6 * k;
    energy += fma(o[2], v[2], fma(o[1], v[1], o[0] * v[0])) +
              fma(o[5], v[5], fma(o[4], v[4], o[3] * v[3]));
  }

  // put(dof, s . (sum of own(link) over the links that hang on the dof)).
  template <class Own, class Put>
  SB_INLINE void project(Own&& own, Put&& put) {
    for (int i = links.n - 1; i >= 0; --i) {
      const int k = links.order[i];
      const Link& l = links.link[k];
      Lane G[6];
      own(k, G);
      if (!l.leaf) {
        const Lane* sum = sums_ + 6 * l.slot;
        SB_UNROLL
        for (int e = 0; e < 6; ++e) G[e] += sum[e];
      }
      int j = 0;
      if (l.free) {
        SB_UNROLL
        for (int e = 0; e < 3; ++e) put(l.dof + e, G[3 + e]);
        j = 3;
      }
      for (; j < l.n; ++j) put(l.dof + j, dot6(cdof(l.dof + j), G));
      if (l.parent < 0) continue;
      Lane* up = sums_ + 6 * links.link[l.parent].slot;
      if (l.joins) {
        SB_UNROLL
        for (int e = 0; e < 6; ++e) up[e] += G[e];
      } else {
        SB_UNROLL
        for (int e = 0; e < 6; ++e) up[e] = G[e];
      }
    }
  }

  static SB_INLINE Lane dot6(const Lane* a, const Lane* b) {
    return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0])) +
           fma(a[5], b[5], fma(a[4], b[4], a[3] * b[3]));
  }

  // Inertia of a link's bodies and contacts.
  template <class Add>
  SB_INLINE void collect(int k, Add&& add) {
    Lane* Y = own_ + kInertia * k;
    SB_UNROLL
    for (int i = 0; i < kInertia; ++i) Y[i] = Lane(Real(0));
    if (const Lane* I = links.inertia[k]; I != nullptr) {
      Y[tri(0, 0)] = I[0];
      Y[tri(1, 1)] = I[1];
      Y[tri(2, 2)] = I[2];
      Y[tri(1, 0)] = I[3];
      Y[tri(2, 0)] = I[4];
      Y[tri(2, 1)] = I[5];
      Y[tri(3, 1)] = I[8];
      Y[tri(3, 2)] = -I[7];
      Y[tri(4, 0)] = -I[8];
      Y[tri(4, 2)] = I[6];
      Y[tri(5, 0)] = I[7];
      Y[tri(5, 1)] = -I[6];
      SB_UNROLL
      for (int i = 3; i < 6; ++i) Y[tri(i, i)] = I[9];
    }
    add(k, Y);
  }

  // Articulated inertia of a link.
  SB_INLINE void load_inertia(int k, Lane* Y) const {
    const Lane* own = own_ + kInertia * k;
    SB_UNROLL
    for (int i = 0; i < kInertia; ++i) Y[i] = own[i];
    for (int c = links.first_child[k]; c >= 0; c = links.next_child[c]) {
      const Lane* up = up_ + kInertia * c;
      SB_UNROLL
      for (int i = 0; i < kInertia; ++i) Y[i] += up[i];
    }
  }

  SB_INLINE void load_rest(const Link& l, Lane* q) const {
    if (l.leaf) {
      SB_UNROLL
      for (int i = 0; i < 6; ++i) q[i] = Lane(Real(0));
      return;
    }
    const Lane* sum = sums_ + 6 * l.slot;
    SB_UNROLL
    for (int i = 0; i < 6; ++i) q[i] = sum[i];
  }

  SB_INLINE void pass_rest(const Link& l, const Lane* q) {
    Lane* up = sums_ + 6 * links.link[l.parent].slot;
    if (l.joins) {
      SB_UNROLL
      for (int i = 0; i < 6; ++i) up[i] += q[i];
    } else {
      SB_UNROLL
      for (int i = 0; i < 6; ++i) up[i] = q[i];
    }
  }

  const Context<Lane>* c_;
  Lane* Z_;     // 6 per dof
  Lane* L_;     // by link, at 3 per dof: packed rows below the diagonal
  Lane* sums_;  // by slot, what the links below leave: forces or the rest of the right-hand side
  Lane* own_;   // by link: inertia of its bodies and contacts
  Lane* up_;    // by link: the articulated inertia that its parent receives
  Lane* rest_;  // by slot and row: rest of the right-hand sides of half_solve
};

}  // namespace stepbench::contact::inline SB_ISA
