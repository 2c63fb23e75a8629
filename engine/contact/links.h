// Kinematic trees as links: runs of up to three dofs (six for a free joint) of one body.
//
// The articulated-body sweeps (articulated.h) visit links instead of dofs: the dofs of a run share
// what hangs on them, so that the 6 x 6 inertia of a link is loaded and stored once for all of
// them. A function of the model alone, except for the inertias of links that carry several bodies.
#pragma once

#include <cstdint>

#include "engine/contact/context.h"

namespace stepbench::contact::inline SB_ISA {

// A set of dofs or links of a packed world.
class DofSet {
 public:
  SB_HD void add(int i) { words_[i >> 6] |= std::uint64_t(1) << (i & 63); }
  SB_HD void add(const DofSet& o) {
    for (int k = 0; k < kWords; ++k) words_[k] |= o.words_[k];
  }
  SB_HD bool has(int i) const { return words_[i >> 6] >> (i & 63) & 1; }
  // Members below i; members that `o` lacks.
  SB_HD DofSet below(int i) const {
    DofSet r;
    for (int k = 0; k < kWords; ++k) {
      const int bits = i - 64 * k;
      r.words_[k] = bits >= 64  ? words_[k]
                    : bits <= 0 ? 0
                                : words_[k] & ((std::uint64_t(1) << bits) - 1);
    }
    return r;
  }
  SB_HD DofSet without(const DofSet& o) const {
    DofSet r;
    for (int k = 0; k < kWords; ++k) r.words_[k] = words_[k] & ~o.words_[k];
    return r;
  }
  SB_HD friend bool operator==(const DofSet& a, const DofSet& b) {
    bool same = true;
    for (int k = 0; k < kWords; ++k) same = same && a.words_[k] == b.words_[k];
    return same;
  }
  // f(i) for each member, ascending.
  template <class F>
  SB_HD void each(F&& f) const {
    for (int k = 0; k < kWords; ++k) {
      for (std::uint64_t rest = words_[k]; rest != 0; rest &= rest - 1) f(64 * k + lowest(rest));
    }
  }

 private:
  static constexpr int kWords = 2;
  static_assert(kMaxPackedDofs <= 64 * kWords);

  static SB_INLINE int lowest(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    return __ffsll(static_cast<long long>(x)) - 1;
#else
    return __builtin_ctzll(x);
#endif
  }

  std::uint64_t words_[kWords] = {0, 0};
};

struct Link {
  int dof, n;  // dofs [dof, dof + n)
  int parent;  // link; -1: the world
  bool free;   // a free joint's six dofs
  bool leaf;   // no link hangs on it
  bool joins;  // adds to what a sibling has left at the parent (backward order)
  int slot;    // of the sums that its children leave: one per chain of links
  bool ball;   // a ball with limits
};

// Links of all trees and the orders in which to visit them.
template <class Lane>
struct Links {
  using Real = RealOf<Lane>;
  static constexpr int kMax = kMaxPackedDofs;

  int n = 0;
  int nslot = 0;
  Link link[kMax];
  int order[kMax];  // parents before children, level by level: neighbours are independent
  int of_dof[kMax];
  int first_child[kMax], next_child[kMax];  // -1: none
  const Lane*
      inertia[kMax];  // of the bodies that a link carries (engine/math/spatial.h); null: none

  // Lanes of working memory for sums of inertias.
  static SB_HD std::size_t memory(int nv) { return std::size_t(nv) * 10; }

  SB_HD void build(const model::Params<Real>& p, const model::Scratch<Lane>& d, Lane* sums) {
    n = 0;
    for (int b = 1; b < p.nbody; ++b) {
      const int jend = p.body_jntadr[b] + p.body_jntnum[b];
      for (int j = p.body_jntadr[b]; j < jend;) {
        Link& l = link[n];
        l.dof = p.jnt_dofadr[j];
        l.n = 0;
        l.ball = false;
        l.free = p.jnt_type[j] == model::kJntFree;
        if (l.free) {
          l.n = 6;
          ++j;
        } else if (p.jnt_type[j] == model::kJntBall) {
          l.n = 3;
          l.ball = p.jnt_limited[j] != 0;
          ++j;
        } else {
          while (j < jend && l.n < 3 && p.jnt_type[j] > model::kJntBall) ++l.n, ++j;
        }
        for (int i = 0; i < l.n; ++i) of_dof[l.dof + i] = n;
        const int above = p.dof_parentid[l.dof];
        l.parent = above < 0 ? -1 : of_dof[above];
        inertia[n] = nullptr;
        ++n;
      }
    }
    for (int b = 1; b < p.nbody; ++b) {
      if (p.derived.body_kind[b] & model::kBodyMassless) continue;
      const int last = last_dof(p, b);
      if (last < 0) continue;
      const int k = of_dof[last];
      const Lane* own = d.cinert + 10 * b;
      if (inertia[k] == nullptr) {
        inertia[k] = own;
        continue;
      }
      Lane* sum = sums + 10 * k;
      for (int i = 0; i < 10; ++i) sum[i] = inertia[k][i] + own[i];
      inertia[k] = sum;
    }
    sort();
  }

  // The same links for some lanes of a wider pack.
  template <class Wide, class Map>
  void adopt(const Links<Wide>& o, const Map& map, Lane* inertias) {
    n = o.n;
    nslot = o.nslot;
    for (int k = 0; k < n; ++k) {
      link[k] = o.link[k];
      order[k] = o.order[k];
      first_child[k] = o.first_child[k];
      next_child[k] = o.next_child[k];
      inertia[k] = nullptr;
      if (o.inertia[k] != nullptr) {
        map.take(o.inertia[k], 10, inertias + 10 * k);
        inertia[k] = inertias + 10 * k;
      }
      for (int i = link[k].dof; i < link[k].dof + link[k].n; ++i) of_dof[i] = k;
    }
  }

 private:
  SB_HD void sort() {
    int depth[kMax], children[kMax], seen[kMax], deepest = 0;
    for (int k = 0; k < n; ++k) {
      const int up = link[k].parent;
      depth[k] = up < 0 ? 0 : depth[up] + 1;
      deepest = depth[k] > deepest ? depth[k] : deepest;
      children[k] = seen[k] = 0;
      first_child[k] = next_child[k] = -1;
      if (up >= 0) {
        ++children[up];
        next_child[k] = first_child[up];
        first_child[up] = k;
      }
    }
    int count = 0;
    for (int level = 0; level <= deepest; ++level) {
      for (int k = 0; k < n; ++k) {
        if (depth[k] == level) order[count++] = k;
      }
    }
    nslot = 0;
    for (int k = 0; k < n; ++k) {
      const int up = link[k].parent;
      link[k].leaf = children[k] == 0;
      link[k].slot = up >= 0 && children[up] == 1 ? link[up].slot : nslot++;
    }
    for (int i = n - 1; i >= 0; --i) {
      const int up = link[order[i]].parent;
      link[order[i]].joins = up >= 0 && seen[up]++ > 0;
    }
  }
};

}  // namespace stepbench::contact::inline SB_ISA
