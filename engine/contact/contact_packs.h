// Contacts of an island of free bodies, eight to a pack, with lanes over contacts.
//
// Source: large_islands.md 2.1. Bodies move by (linear velocity of the origin, angular velocity) in
// world axes, kBodyRow values each; row n is the immobile world. A contact's base rows are then its
// scaled frame acting on the relative velocity of the contact point, and no Jacobian is stored:
//
//   u_r = F_r . (v_b + w_b x r_b - v_a - w_a x r_a) - aref_r,  r < 3;   F_r . (w_b - w_a) beyond
//
// Packs hold contacts of one dimension, in list order. A pack is eight logical lanes on every
// machine, in one register or in several; sums run over packs in each logical lane, then over the
// eight lanes in pairs.
#pragma once

#include "engine/contact/lane_rows.h"
#include "engine/contact/rows.h"

namespace stepbench::contact::inline SB_ISA {

inline constexpr int kPackLanes = 8;

// Sum over the logical lanes, in pairs.
template <class Real>
SB_INLINE Real sum_lanes(const Real* a) {
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

// Cost of all contacts at one point of a line, with slope and curvature.
template <class Real>
struct LinePoint {
  Real cost, first, second;
};

template <class Real>
class ContactPacks {
 public:
  using Lane = Chunk<Real>;
  static constexpr int kLanes = kWidth<Lane>;
  static constexpr int kParts = kPackLanes / kLanes;

  // Sizes first, then memory, then values: bind() may be called again where memory lacked.
  SB_HD void bind(const Context<Real>& c, const Range& range, Workspace& w) {
    c_ = &c;
    range_ = range;
    int count[7] = {};
    for (int k = 0; k < range.ncon; ++k) ++count[dim_of(range.con[k])];
    int packs = 0;
    std::size_t geometry = 0, state = 0;
    nclass_ = 0;
    for (const int dim : {1, 3, 4, 6}) {
      if (count[dim] == 0) continue;
      const int n = (count[dim] + kPackLanes - 1) / kPackLanes;
      class_[nclass_++] = {dim, packs, n, geometry, state};
      packs += n;
      geometry += std::size_t(n * geometry_size(dim));
      with_cone<Lane>(dim, c.p.opt.cone,
                      [&](auto kind) { state += std::size_t(n * state_size<decltype(kind)>()); });
    }
    npack_ = packs;
    const std::size_t lanes = std::size_t(packs * kPackLanes);
    geometry_ = w.take<Real>(geometry);
    state_ = w.take<Real>(state);
    body1 = w.take<int>(lanes);
    body2 = w.take<int>(lanes);
    slot_ = w.take<int>(lanes);
  }

  // Fill the packs: u = -aref. origin, velocity: kBodyRow values per local body (position of its
  // origin; velocity in world axes), zeros in the row `world`. local: a tree's body.
  SB_HD void load(const Real* origin, const Real* velocity, int world, const int* local) {
    const auto& p = c_->p;
    const int* geom_dof = blocks_of(c_->d).geom_dof;
    int next[7];
    for (int at = 0; at < npack_ * kPackLanes; ++at) slot_[at] = -1;
    for (int k = 0; k < nclass_; ++k) next[class_[k].dim] = class_[k].first * kPackLanes;
    for (int i = 0; i < range_.ncon; ++i) {
      const int slot = range_.con[i];
      const auto& pair = c_->pairs[c_->d.con_pair[slot]];
      const int at = next[pair.dim]++, dof1 = geom_dof[pair.geom1], dof2 = geom_dof[pair.geom2];
      slot_[at] = slot;
      body1[at] = dof1 >= 0 ? local[p.dof_treeid[dof1]] : world;
      body2[at] = dof2 >= 0 ? local[p.dof_treeid[dof2]] : world;
    }
    for (int at = 0; at < npack_ * kPackLanes; ++at) {
      if (slot_[at] < 0) body1[at] = body2[at] = world;
    }
    for_classes([&](auto kind, const Class& s) {
      for (int i = 0; i < s.n; ++i) {
        load_geometry<decltype(kind)::kDim>(
            (s.first + i) * kPackLanes, geometry_ + s.geometry + i * geometry_size(s.dim), origin);
      }
    });
    product(velocity);
    RowLaw<Real> law;
    for_classes([&](auto kind, const Class& s) {
      using Cone = decltype(kind);
      for (int i = 0; i < s.n; ++i) {
        load_state<Cone>((s.first + i) * kPackLanes, state_ + s.state + i * state_size<Cone>(),
                         law);
      }
    });
  }

  // v = J x.
  SB_HD void product(const Real* x) {
    for_parts([&](auto kind, int at, const Real* g, Real* t) {
      using Cone = decltype(kind);
      constexpr int kDim = Cone::kDim;
      Lane a[6], b[6], move[3], turn[3], arm1[3], arm2[3];
      load_rows(x, body1 + at, a);
      load_rows(x, body2 + at, b);
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        arm1[i] = value(g, 3 * kDim + i);
        arm2[i] = value(g, 3 * kDim + 3 + i);
        turn[i] = b[3 + i] - a[3 + i];
      }
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        move[i] = fnma(b[3 + k], arm2[j], fma(b[3 + j], arm2[k], b[i])) -
                  fnma(a[3 + k], arm1[j], fma(a[3 + j], arm1[k], a[i]));
      }
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) {
        const Lane* y = r < 3 ? move : turn;
        value(t, kU<Cone> + kDim + r) =
            fma(value(g, 3 * r + 2), y[2], fma(value(g, 3 * r + 1), y[1], value(g, 3 * r) * y[0]));
      }
    });
  }

  // u += alpha v.
  SB_HD void advance(Real alpha) {
    for_parts([&](auto kind, int, const Real*, Real* t) { move_part<decltype(kind)>(alpha, t); });
  }

  // u += alpha v, then x -= J' f(u).
  SB_HD void subtract_forces(Real alpha, Real* x) {
    for_parts([&](auto kind, int at, const Real* g, Real* t) {
      using Cone = decltype(kind);
      constexpr int kDim = Cone::kDim;
      move_part<Cone>(alpha, t);
      Lane f[kDim], u[kDim];
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) u[r] = value(t, kU<Cone> + r);
      Cone::force(params<Cone>(t), value(t, 0), u, f);
      Lane a[6], b[6];
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        a[i] = value(g, i) * f[0];
        SB_UNROLL
        for (int r = 1; r < kDim; ++r) {
          if (r < 3) a[i] = fma(value(g, 3 * r + i), f[r], a[i]);
        }
        b[i] = a[i];
      }
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        a[3 + i] = fnma(value(g, 3 * kDim + k), b[j], value(g, 3 * kDim + j) * b[k]);
        b[3 + i] = fnma(value(g, 3 * kDim + 3 + k), b[j], value(g, 3 * kDim + 3 + j) * b[k]);
        SB_UNROLL
        for (int r = 3; r < kDim; ++r) {
          const Lane torque = value(g, 3 * r + i) * f[r];
          a[3 + i] += torque;
          b[3 + i] += torque;
        }
      }
      add_rows(x, body1 + at, a, body2 + at, b);
    });
  }

  // Cost, slope and curvature at u + alpha v.
  SB_HD LinePoint<Real> along(Real alpha) const {
    const Lane zero(Real(0)), step(alpha);
    Lane cost[kParts];
    Slope<Lane> slope[kParts];
    for (int k = 0; k < kParts; ++k) cost[k] = slope[k].first = slope[k].second = zero;
    for_parts([&](auto kind, int at, const Real*, const Real* t) {
      using Cone = decltype(kind);
      constexpr int kDim = Cone::kDim;
      const int part = at % kPackLanes / kLanes;
      Lane u[kDim], v[kDim];
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) {
        v[r] = value(t, kU<Cone> + kDim + r);
        u[r] = fma(step, v[r], value(t, kU<Cone> + r));
      }
      Cone::slope(params<Cone>(t), value(t, 0), u, v, slope[part]);
      cost[part] += Cone::cost(params<Cone>(t), value(t, 0), u);
    });
    alignas(64) Real sums[3][kPackLanes];
    for (int k = 0; k < kParts; ++k) {
      chunk(sums[0] + k * kLanes) = cost[k];
      chunk(sums[1] + k * kLanes) = slope[k].first;
      chunk(sums[2] + k * kLanes) = slope[k].second;
    }
    return {sum_lanes(sums[0]), sum_lanes(sums[1]), sum_lanes(sums[2])};
  }

  // f(Cone, first lane's number, geometry, state) for each part of each pack.
  template <class F>
  SB_INLINE void for_parts(F&& f) const {
    for_classes([&](auto kind, const Class& s) {
      const Real* g = geometry_ + s.geometry;
      Real* t = state_ + s.state;
      for (int i = 0; i < s.n; ++i) {
        SB_UNROLL
        for (int part = 0; part < kParts; ++part) {
          f(kind, (s.first + i) * kPackLanes + part * kLanes, g + part * kLanes, t + part * kLanes);
        }
        g += geometry_size(s.dim);
        t += state_size<decltype(kind)>();
      }
    });
  }

  // Values of a pack: base rows and arms; weight (and cone), u, v.
  static SB_HD constexpr int geometry_size(int dim) { return (3 * dim + 6) * kPackLanes; }
  template <class Cone>
  static constexpr int kU = Cone::kArrow ? 1 : 4;
  template <class Cone>
  static SB_HD constexpr int state_size() {
    return (kU<Cone> + 2 * Cone::kDim) * kPackLanes;
  }
  static SB_INLINE const Lane& value(const Real* a, int k) { return chunk(a + k * kPackLanes); }
  static SB_INLINE Lane& value(Real* a, int k) { return chunk(a + k * kPackLanes); }
  template <class Cone>
  static SB_INLINE ConeParams<Lane> params(const Real* t) {
    if constexpr (Cone::kArrow) {
      return {};
    } else {
      return {value(t, 1), value(t, 2), value(t, 3)};
    }
  }

  int packs() const { return npack_; }

  int *body1, *body2;  // per lane: local bodies; the world's row where a side is immobile

 private:
  struct Class {
    int dim, first, n;
    std::size_t geometry, state;
  };

  SB_HD int dim_of(int slot) const { return c_->pairs[c_->d.con_pair[slot]].dim; }

  // f(Cone, Class) for each class of packs.
  template <class F>
  SB_INLINE void for_classes(F&& f) const {
    for (int k = 0; k < nclass_; ++k) {
      with_cone<Lane>(class_[k].dim, c_->p.opt.cone, [&](auto kind) { f(kind, class_[k]); });
    }
  }

  template <int kDim>
  SB_HD void load_geometry(int at, Real* g, const Real* origin) const {
    const auto& d = c_->d;
    alignas(64) Real frame[12][kPackLanes], scale[6][kPackLanes];
    for (int l = 0; l < kPackLanes; ++l) {
      const int slot = slot_[at + l];
      for (int i = 0; i < 9; ++i) frame[i][l] = slot < 0 ? Real(0) : d.con_frame[9 * slot + i];
      for (int i = 0; i < 3; ++i) frame[9 + i][l] = slot < 0 ? Real(0) : d.con_pos[3 * slot + i];
      for (int r = 1; r < kDim; ++r) {
        scale[r][l] = slot < 0 ? Real(0) : row_scale(c_->pairs[d.con_pair[slot]], r);
      }
    }
    for (int part = 0; part < kPackLanes; part += kLanes) {
      Lane a[6], b[6];
      load_rows(origin, body1 + at + part, a);
      load_rows(origin, body2 + at + part, b);
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        SB_UNROLL
        for (int r = 0; r < kDim; ++r) {
          const Lane f = chunk(frame[3 * (r % 3) + i] + part);
          value(g + part, 3 * r + i) = r == 0 ? f : f * chunk(scale[r] + part);
        }
        value(g + part, 3 * kDim + i) = chunk(frame[9 + i] + part) - a[i];
        value(g + part, 3 * kDim + 3 + i) = chunk(frame[9 + i] + part) - b[i];
      }
    }
  }

  // Weight, cone and u = -aref from v, the rows' velocities (rows.h).
  template <class Cone>
  SB_HD void load_state(int at, Real* t, RowLaw<Real>& law) const {
    const auto& p = c_->p;
    const auto& d = c_->d;
    constexpr int kDim = Cone::kDim;
    alignas(64) Real violation[kPackLanes], A[kPackLanes], mu[kPackLanes], imp[kPackLanes],
        k[kPackLanes], b[kPackLanes], side[kPackLanes];
    bool mixed = false;
    for (int l = 0; l < kPackLanes; ++l) {
      const int slot = slot_[at + l];
      const auto& pair = c_->pairs[d.con_pair[slot < 0 ? slot_[at] : slot]];
      const bool changed = law.set(p.opt, pair.solref, pair.solimp);
      mixed = mixed || (changed && l > 0);
      violation[l] = slot < 0 ? Real(0) : d.con_dist[slot] - pair.margin;
      A[l] = contact_weight(p, pair);
      mu[l] = pair.friction[0];
      k[l] = law.sp.k;
      b[l] = law.sp.b;
      side[l] = friction_damping(p.opt, pair, law.imp.dmax, law.sp);
      if (mixed) imp[l] = impedance(law.imp, violation[l]);
    }
    if (mixed) {
      // Lanes before the change were left out.
      for (int l = 0; l < kPackLanes && slot_[at + l] >= 0; ++l) {
        const auto& pair = c_->pairs[d.con_pair[slot_[at + l]]];
        imp[l] = impedance(impedance_params(pair.solimp), violation[l]);
      }
    }
    const Lane one(Real(1)), tiny(math::kMinVal<Real>);
    for (int part = 0; part < kPackLanes; part += kLanes) {
      Real* s = t + part;
      const Lane r = chunk(violation + part), m = chunk(mu + part), m2 = m * m;
      const Lane z = mixed ? chunk(imp + part) : impedance(law.imp, r);
      const Lane weight = chunk(A + part);
      Lane D;
      if (kDim == 1 || !Cone::kArrow) {
        D = row_stiffness(z, weight);
      } else {
        const Lane ratio(math::max(p.opt.impratio, math::kMinVal<Real>));
        D = row_stiffness(z, weight + m2 * weight) / math::max(Lane(Real(2)) * m2 / ratio, tiny);
      }
      if constexpr (!Cone::kArrow) {
        const Lane ratio(math::max(p.opt.impratio, math::kMinVal<Real>));
        value(s, 1) = m2 / ratio;
        value(s, 2) = one / value(s, 1);
        value(s, 3) = one / (one + value(s, 1));
      }
      value(s, 0) = D;
      SB_UNROLL
      for (int i = 0; i < kDim; ++i) {
        const Lane damping = i == 0 ? chunk(b + part) : chunk(side + part);
        Lane y = damping * value(s, kU<Cone> + kDim + i);
        if (i == 0) y = y + chunk(k + part) * z * r;
        value(s, kU<Cone> + i) = y;
      }
    }
    for (int l = 0; l < kPackLanes; ++l) {
      if (slot_[at + l] < 0) t[l] = Real(0);
    }
  }

  template <class Cone>
  static SB_INLINE void move_part(Real alpha, Real* t) {
    SB_UNROLL
    for (int r = 0; r < Cone::kDim; ++r) {
      value(t, kU<Cone> + r) =
          fma(Lane(alpha), value(t, kU<Cone> + Cone::kDim + r), value(t, kU<Cone> + r));
    }
  }

  const Context<Real>* c_;
  Range range_;
  Class class_[4];
  int nclass_, npack_;
  Real *geometry_, *state_;
  int* slot_;  // per lane; -1: an empty one
};

}  // namespace stepbench::contact::inline SB_ISA
