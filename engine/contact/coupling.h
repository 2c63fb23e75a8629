// Contacts between two moving bodies, as a low-rank change of an articulated solve.
//
// W = L w L' is a contact's Hessian and L'J are the rows that low_rank.h solves with.
//
// A lane's k-th contact of a dimension lies in the k-th place of that dimension: places are as many
// as the fullest lane needs, not as many as the group has pairs in touch. A lane that lacks a place
// has D = 0 and J = 0 there, which is an exact no-op.
#pragma once

#include "engine/contact/contact_line.h"
#include "engine/contact/low_rank.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class CoupledContacts {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  // Lanes whose rows of contacts between moving bodies are few enough.
  static SB_HD Mask few(const Context<Lane>& c) {
    const Blocks& b = blocks_of(c.d);
    Lane rows(Real(0));
    for (int i = 0; i < b.ncon; ++i) {
      const int slot = b.con[i];
      if (b.con_last[slot] >= 0) continue;
      const Lane dim(Real(c.pairs[c.d.con_pair[slot]].dim));
      rows += select(c.d.con_D[slot] > Lane(Real(0)), dim, Lane(Real(0)));
    }
    return rows <= Lane(Real(kMaxCoupledRows));
  }

  // Places of the contacts of the lanes `run`. Takes memory; false: the workspace is too small.
  SB_HD bool prepare(const Context<Lane>& c, const Links<Lane>& links, Workspace& w, Mask run) {
    const auto& p = c.p;
    const auto& d = c.d;
    const Blocks& b = blocks_of(c.d);
    nv_ = p.nv;
    cone_ = p.opt.cone;
    nplace_ = nrow_ = 0;
    const Lane zero(Real(0)), one(Real(1));
    place_ = w.take<Place>(kMaxPlaces);
    dofs_ = nullptr;
    const int dims[4] = {1, 3, 4, 6};
    for (const int dim : dims) {
      const int first = nplace_;
      Lane count(Real(0));
      for (int i = 0; i < b.ncon; ++i) {
        const int slot = b.con[i];
        const auto& pair = c.pairs[d.con_pair[slot]];
        if (b.con_last[slot] >= 0 || pair.dim != dim) continue;
        const Mask active = run & (d.con_D[slot] > zero);
        if (!any(active)) continue;
        for (int at = 0; at <= nplace_ - first; ++at) {
          const Mask here = active & (count == Lane(Real(at)));
          if (!any(here)) continue;
          if (first + at == nplace_ && !add_place(w, dim)) return false;
          put(c, links, place_[first + at], slot, here);
        }
        count = select(active, count + one, count);
      }
    }
    if (w.full()) return false;
    nlive_ = nplace_;
    for (int k = 0; k < nplace_; ++k) live_[k] = k;
    if (nplace_ == 0) return true;
    dofs_ = w.take<int>(std::size_t(nv_) * std::size_t(nplace_));
    if (!rows_.prepare(w, nv_, nrow_)) return false;
    for (int k = 0; k < nplace_; ++k) {
      Place& q = place_[k];
      q.owners = math::bits_of(q.D() > zero);
      q.dof = dofs_ + k * nv_;
      q.ndof = 0;
      for (int i = 0; i < nv_; ++i) {
        if (q.dofs.has(i)) q.dof[q.ndof++] = i;
      }
    }
    return true;
  }

  // The places that are left, for some lanes of a wider pack.
  template <class Wide, class Map>
  bool adopt(const CoupledContacts<Wide>& o, const Map& map, Workspace& w) {
    nv_ = o.nv_;
    cone_ = o.cone_;
    nplace_ = nlive_ = o.nlive_;
    nrow_ = 0;
    place_ = w.take<Place>(std::size_t(nplace_));
    if (w.full()) return false;
    for (int k = 0; k < nplace_; ++k) {
      const auto& from = o.place_[o.live_[k]];
      Place& q = place_[k];
      q.dim = from.dim;
      q.ndof = from.ndof;
      q.dof = from.dof;
      q.dofs = from.dofs;
      q.links = from.links;
      q.lanes = w.take<Lane>(std::size_t(kHead + q.dim * nv_));
      if (w.full()) return false;
      map.take(from.lanes, 4 + q.dim, q.lanes);
      for (int e = 0; e < q.ndof; ++e) {
        for (int r = 0; r < q.dim; ++r) {
          q.J()[r * nv_ + q.dof[e]] = map.take(from.J()[r * nv_ + q.dof[e]]);
        }
      }
      q.owners = math::bits_of(q.D() > Lane(Real(0)));
      live_[k] = k;
      nrow_ += q.dim;
    }
    return rows_.prepare(w, nv_, nrow_);
  }
  // u back into the wider pack.
  template <class Wide, class Map>
  void return_u(CoupledContacts<Wide>& o, const Map& map) const {
    for (int k = 0; k < nplace_; ++k) {
      map.give(place_[k].u(), place_[k].dim, o.place_[o.live_[k]].u());
    }
  }

  // Leave out places in which no lane of `active` has a contact.
  SB_HD void prune(unsigned active) {
    int n = 0;
    for (int k = 0; k < nlive_; ++k) {
      live_[n] = live_[k];
      n += (place_[live_[k]].owners & active) != 0;
    }
    nlive_ = n;
  }

  // u += J a.
  SB_HD void add_to_u(const Lane* a) {
    with_motions(a, [](auto line, Place& q, const Lane* v) { line.add(q, v); });
  }

  // v = J x; adds the cost at u, and at u + v.
  SB_HD void start(const Lane* x, Lane& cost0, Lane& cost1) {
    with_motions(x, [&](auto line, Place& q, const Lane* v) { line.start(q, v, cost0, cost1); });
  }

  // v = J x, slopes at u and at u + v; same: where no contact changes its piece in between.
  SB_HD void step(const Lane* x, Lane& slope0, Slope<Lane>& slope1, Mask& same) {
    PieceBits<Lane> changed = math::to_bits(Lane(Real(0)));
    with_motions(
        x, [&](auto line, Place& q, const Lane* v) { line.step(q, v, slope0, slope1, changed); });
    same = same & no_change<Lane>(changed);
  }

  SB_HD void slope(unsigned need, Lane alpha, Slope<Lane>& s) {
    each([&](auto kind, Place& q) {
      if (q.owners & need) ContactLine<decltype(kind)>::slope(q, alpha, s);
    });
  }

  // Cost at u + alpha v.
  SB_HD Lane cost(Lane alpha) {
    Lane sum(Real(0));
    each([&](auto kind, Place& q) { sum += ContactLine<decltype(kind)>::cost(q, alpha); });
    return sum;
  }

  // u += alpha v where `active`; elsewhere alpha is 0.
  SB_HD void move(Mask active, Lane alpha) {
    const Lane zero(Real(0));
    each([&](auto kind, Place& q) {
      SB_UNROLL
      for (int r = 0; r < decltype(kind)::kDim; ++r) {
        q.u()[r] = fma(alpha, select(active, q.v()[r], zero), q.u()[r]);
      }
    });
  }

  // out += J'f; of all places, or of those that are left.
  template <bool kAll>
  SB_HD void add_forces(Lane* out) {
    const int n = kAll ? nplace_ : nlive_;
    for (int i = 0; i < n; ++i) {
      const Place& q = place_[kAll ? i : live_[i]];
      with_cone<Lane>(q.dim, cone_, [&](auto kind) {
        using Cone = decltype(kind);
        Lane f[Cone::kDim];
        Cone::force(q.cone(), q.D(), q.u(), f);
        for (int k = 0; k < q.ndof; ++k) {
          const int e = q.dof[k];
          SB_UNROLL
          for (int r = 0; r < Cone::kDim; ++r) out[e] = fma(q.J()[r * nv_ + e], f[r], out[e]);
        }
      });
    }
  }

  // Turns the half-solved right-hand side of the articulated part into that of H, W at u, for the
  // lanes `active`.
  SB_HD void correct(Articulated<Lane>& tree, Mask active) {
    const Lane zero(Real(0)), one(Real(1));
    rows_.clear();
    each([&](auto kind, Place& q) {
      using Cone = decltype(kind);
      constexpr int kDim = Cone::kDim;
      Lane W[kDim * (kDim + 1) / 2], column[kDim];
      Cone::hessian(q.cone(), q.D(), q.u(), W);
      if (!any(active & (W[0] > zero))) return;
      // W = L w L' in place, without rows whose pivot vanishes.
      for (int k = 0; k < kDim; ++k) {
        const Lane pivot = math::max(W[tri(k, k)], zero);
        const Lane inv = one / select(pivot > zero, pivot, one);
        for (int i = k + 1; i < kDim; ++i) {
          const Lane l = select(pivot > zero, W[tri(i, k)] * inv, zero);
          for (int j = k + 1; j <= i; ++j) W[tri(i, j)] = fnma(l, W[tri(j, k)], W[tri(i, j)]);
          column[i] = l;
        }
        for (int i = k + 1; i < kDim; ++i) W[tri(i, k)] = column[i];
        W[tri(k, k)] = pivot;
      }
      for (int k = 0; k < kDim; ++k) {
        if (!any(active & (W[tri(k, k)] > zero))) continue;
        Lane* row = rows_.add(q.dofs, q.links, math::sqrt(W[tri(k, k)]));
        for (int e = 0; e < q.ndof; ++e) {
          const int i = q.dof[e];
          Lane sum = q.J()[k * nv_ + i];
          for (int r = k + 1; r < kDim; ++r) sum = fma(W[tri(r, k)], q.J()[r * nv_ + i], sum);
          row[i] = sum;
        }
      }
    });
    rows_.correct(tree);
  }

 private:
  template <class>
  friend class CoupledContacts;

  // Each dimension has at most kMaxCoupledRows / dim places.
  static constexpr int kMaxPlaces =
      kMaxCoupledRows + kMaxCoupledRows / 3 + kMaxCoupledRows / 4 + kMaxCoupledRows / 6;
  static constexpr int kHead = 16;  // lanes of a place before J

  struct Place {
    int dim, ndof;
    unsigned owners;     // lanes that have a contact here
    int* dof;            // ascending
    DofSet dofs, links;  // that it moves by; and all that they hang on
    Lane* lanes;         // D, cone 3, u 6, v 6, J: rows of nv
    SB_INLINE Lane& D() const { return lanes[0]; }
    SB_INLINE ConeParams<Lane>& cone() const {
      return *reinterpret_cast<ConeParams<Lane>*>(lanes + 1);
    }
    SB_INLINE Lane* u() const { return lanes + 4; }
    SB_INLINE Lane* v() const { return lanes + 10; }
    SB_INLINE Lane* J() const { return lanes + 16; }
  };

  SB_HD bool add_place(Workspace& w, int dim) {
    Lane* lanes = w.take<Lane>(std::size_t(kHead + dim * nv_));
    if (w.full()) return false;
    Place& q = place_[nplace_++];
    nrow_ += dim;
    q.dim = dim;
    q.dofs = q.links = DofSet();
    q.lanes = lanes;
    for (int i = 0; i < kHead; ++i) lanes[i] = Lane(Real(0));
    return true;
  }

  SB_HD void put(const Context<Lane>& c, const Links<Lane>& links, Place& q, int slot, Mask here) {
    const auto& d = c.d;
    const Blocks& b = blocks_of(c.d);
    const auto& pair = c.pairs[d.con_pair[slot]];
    const auto cone = cone_params(c.p.opt, pair.friction[0]);
    q.D() = select(here, d.con_D[slot], q.D());
    q.cone().m2 = select(here, Lane(cone.m2), q.cone().m2);
    q.cone().inv2 = select(here, Lane(cone.inv2), q.cone().inv2);
    q.cone().weight = select(here, Lane(cone.weight), q.cone().weight);
    for (int r = 0; r < q.dim; ++r) {
      q.u()[r] = select(here, -d.con_aref[6 * slot + r], q.u()[r]);
    }
    const Lane* J = d.con_J + b.con_jadr[slot];
    const int* dof = b.dof + b.con_dofadr[slot];
    const Lane zero(Real(0));
    for (int k = 0; k < b.con_ndof[slot]; ++k) {
      const int i = dof[k];
      const bool fresh = !q.dofs.has(i);
      if (fresh) {
        q.dofs.add(i);
        for (int l = links.of_dof[i]; l >= 0 && !q.links.has(l); l = links.link[l].parent) {
          q.links.add(l);
        }
      }
      for (int r = 0; r < q.dim; ++r) {
        Lane& j = q.J()[r * nv_ + i];
        j = select(here, J[k * q.dim + r], fresh ? zero : j);
      }
    }
  }

  template <class F>
  SB_INLINE void each(F&& f) const {
    for (int i = 0; i < nlive_; ++i) {
      Place& q = place_[live_[i]];
      with_cone<Lane>(q.dim, cone_, [&](auto kind) { f(kind, q); });
    }
  }

  // f(ContactLine, place, J x).
  template <class F>
  SB_INLINE void with_motions(const Lane* x, F&& f) const {
    each([&](auto kind, Place& q) {
      Lane v[decltype(kind)::kDim];
      motion<decltype(kind)>(q, x, v);
      f(ContactLine<decltype(kind)>(), q, v);
    });
  }

  template <class Cone>
  SB_INLINE void motion(const Place& q, const Lane* x, Lane* v) const {
    SB_UNROLL
    for (int r = 0; r < Cone::kDim; ++r) v[r] = Lane(Real(0));
    for (int k = 0; k < q.ndof; ++k) {
      const int i = q.dof[k];
      const Lane xi = x[i];
      SB_UNROLL
      for (int r = 0; r < Cone::kDim; ++r) v[r] = fma(q.J()[r * nv_ + i], xi, v[r]);
    }
  }

  Place* place_;
  int live_[kMaxPlaces];  // places that some lane still needs
  int nplace_, nlive_, nrow_, nv_, cone_;
  int* dofs_;
  LowRank<Lane> rows_;
};

}  // namespace stepbench::contact::inline SB_ISA
