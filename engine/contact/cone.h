// Cost of one contact and of one scalar block as a function of u = J qacc - aref.
//
// Source: MuJoCo's primal problem, mujoco_warp.md 6.8. Rows other than the normal come times their
// friction coefficient (rows.h), which makes both cones functions of few numbers:
//
//   pyramid   sum over edges e = u_0 +- u_k of D/2 min(e, 0)^2, D the same for all edges
//   elliptic  with T = |(u_1, ..)|, m = mu_1 / sqrt(impratio):
//               top     u_0 >= T              0
//               bottom  m^2 u_0 + T <= 0      D/2 (u_0^2 + T^2 / m^2)
//               middle  else                  Dc/2 (u_0 - T)^2,  Dc = D / (1 + m^2)
//
// The elliptic form is MuJoCo's with N = m u_0 put in. The force is -gradient, the matrix W the
// Hessian.
#pragma once

#include "engine/contact/context.h"

namespace stepbench::contact::inline SB_ISA {

// Data of a contact's cost that follows from its pair: a scalar, or a lane where contacts of
// different pairs lie side by side.
template <class T>
struct ConeParams {
  T m2;      // mu_1^2 / impratio
  T inv2;    // 1 / m2
  T weight;  // 1 / (1 + m2)
};

template <class Real>
SB_HD ConeParams<Real> cone_params(const model::OptionParams<Real>& opt, Real mu1) {
  const Real m2 = mu1 * mu1 / math::max(opt.impratio, math::kMinVal<Real>);
  return {m2, Real(1) / m2, Real(1) / (Real(1) + m2)};
}

// Coefficient by which base row r of a contact is stored. friction: slide, slide, spin, roll, roll.
template <class Real>
SB_HD Real row_scale(const collide::PairParams<Real>& pair, int r) {
  return r == 0 ? Real(1) : pair.friction[r - 1];
}

// Packed lower triangle: entry (r, s), s <= r.
SB_HD constexpr int tri(int r, int s) { return r * (r + 1) / 2 + s; }

// Slope and curvature of a cost along a direction.
template <class Lane>
struct Slope {
  Lane first, second;
};

// Sign bits that say, per lane, whether any piece of the cost changed: collected by `or`.
template <class Lane>
using PieceBits = typename math::BitsOf<Lane>::type;
template <class Lane>
SB_INLINE MaskOf<Lane> no_change(PieceBits<Lane> bits) {
  return !math::nonzero<Lane>(bits & math::to_bits(Lane(RealOf<Lane>(-0.0))));
}

template <class Lane, int Dim>
struct Pyramid {
  using Real = RealOf<Lane>;
  static constexpr int kDim = Dim;
  static constexpr bool kArrow =
      true;  // W is zero outside its first row and column and its diagonal
  static constexpr int kEdges = Dim == 1 ? 1 : 2 * (Dim - 1);

  static SB_INLINE Lane edge(const Lane* u, int e) {
    if constexpr (Dim == 1) {
      return u[0];
    } else {
      return e % 2 == 0 ? u[0] + u[1 + e / 2] : u[0] - u[1 + e / 2];
    }
  }
  static SB_INLINE Lane cost(const auto&, Lane D, const Lane* u) {
    const Lane zero(Real(0));
    Lane c = zero;
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) {
      const Lane x = math::min(edge(u, e), zero);
      c = fma(x, x, c);
    }
    return Lane(Real(0.5)) * D * c;
  }
  static SB_INLINE void force(const auto&, Lane D, const Lane* u, Lane* f) {
    const Lane zero(Real(0));
    Lane x[kEdges];
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) x[e] = math::min(edge(u, e), zero);
    sum_forces(D, x, f);
  }
  // The same at `to`; bits where an edge's piece differs from that at `from` and D is not zero.
  static SB_INLINE void update(const auto&, Lane D, const Lane* from, const Lane* to, Lane* f,
                               PieceBits<Lane>& changed) {
    const Lane zero(Real(0));
    Lane x[kEdges];
    PieceBits<Lane> bits = math::to_bits(zero);
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) {
      x[e] = math::min(edge(to, e), zero);  // +0 for -0: its sign tells the piece
      bits = bits | (math::to_bits(x[e]) ^ math::to_bits(math::min(edge(from, e), zero)));
    }
    changed = changed | (bits & math::to_bits(zero - D));
    sum_forces(D, x, f);
  }
  // Slope at u, slope and curvature at u + v; bits as above between the two.
  static SB_INLINE void step(const auto&, Lane D, const Lane* u, const Lane* v, Lane& slope0,
                             Slope<Lane>& slope1, PieceBits<Lane>& changed) {
    const Lane zero(Real(0));
    Lane at0 = zero, at1 = zero, second = zero;
    PieceBits<Lane> bits = math::to_bits(zero);
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) {
      const Lane y = edge(v, e), from = edge(u, e);
      const Lane x0 = math::min(from, zero), x1 = math::min(from + y, zero);
      bits = bits | (math::to_bits(x0) ^ math::to_bits(x1));
      at0 = e == 0 ? x0 * y : fma(x0, y, at0);
      at1 = e == 0 ? x1 * y : fma(x1, y, at1);
      const Lane active = select(x1 < zero, y, zero);
      second = e == 0 ? active * y : fma(active, y, second);
    }
    changed = changed | (bits & math::to_bits(zero - D));
    slope0 = fma(D, at0, slope0);
    slope1.first = fma(D, at1, slope1.first);
    slope1.second = fma(D, second, slope1.second);
  }
  // W as a packed lower triangle; entries outside the arrow (0,*), diagonal are zero.
  static SB_INLINE void hessian(const auto&, Lane D, const Lane* u, Lane* W) {
    const Lane zero(Real(0));
    SB_UNROLL
    for (int i = 0; i < Dim * (Dim + 1) / 2; ++i) W[i] = zero;
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) {
      const Lane w = select(edge(u, e) < zero, D, zero);
      W[0] = W[0] + w;
      if constexpr (Dim > 1) {
        const int k = 1 + e / 2;
        W[tri(k, k)] = W[tri(k, k)] + w;
        W[tri(k, 0)] = e % 2 == 0 ? W[tri(k, 0)] + w : W[tri(k, 0)] - w;
      }
    }
  }
  static SB_INLINE void slope(const auto&, Lane D, const Lane* u, const Lane* v, Slope<Lane>& s) {
    const Lane zero(Real(0));
    Lane first = zero, second = zero;
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) {
      const Lane x = math::min(edge(u, e), zero), y = edge(v, e);
      const Lane active = select(x < zero, y, zero);
      first = e == 0 ? x * y : fma(x, y, first);
      second = e == 0 ? active * y : fma(active, y, second);
    }
    s.first = fma(D, first, s.first);
    s.second = fma(D, second, s.second);
  }
  // Whether the cost is one and the same quadratic at u and at w.
  static SB_INLINE MaskOf<Lane> same_piece(const auto&, const Lane* u, const Lane* w) {
    const Lane zero(Real(0));
    MaskOf<Lane> changed(false);
    SB_UNROLL
    for (int e = 0; e < kEdges; ++e) {
      const MaskOf<Lane> a = edge(u, e) < zero, b = edge(w, e) < zero;
      changed = changed | (a & !b) | (b & !a);
    }
    return !changed;
  }
  // Forces of the edges, in MuJoCo's order.
  static SB_HD void edge_forces(Lane D, const Lane* u, Lane* f) {
    for (int e = 0; e < kEdges; ++e) f[e] = -(D * math::min(edge(u, e), Lane(Real(0))));
  }

 private:
  // From min(edge, 0) of each edge.
  static SB_INLINE void sum_forces(Lane D, const Lane* x, Lane* f) {
    const Lane minus = -D;
    f[0] = x[0];
    SB_UNROLL
    for (int e = 1; e < kEdges; ++e) f[0] = f[0] + x[e];
    f[0] = f[0] * minus;
    SB_UNROLL
    for (int r = 1; r < Dim; ++r) f[r] = (x[2 * r - 2] - x[2 * r - 1]) * minus;
  }
};

template <class Lane, int Dim>
struct Elliptic {
  using Real = RealOf<Lane>;
  static constexpr int kDim = Dim;
  static constexpr bool kArrow = false;
  static_assert(Dim > 1, "a contact without friction is a pyramid of one edge");

  struct Zone {
    MaskOf<Lane> middle, bottom;
    Lane T, inv_T;  // inv_T is finite where T = 0
  };
  static SB_INLINE Zone zone(const auto& p, const Lane* u) {
    const Lane zero(Real(0));
    Lane t2 = u[1] * u[1];
    SB_UNROLL
    for (int r = 2; r < Dim; ++r) t2 = fma(u[r], u[r], t2);
    Zone z;
    z.T = math::sqrt(t2);
    z.bottom = (fma(Lane(p.m2), u[0], z.T) <= zero) & (u[0] < z.T);
    z.middle = (u[0] < z.T) & !z.bottom;
    z.inv_T = Lane(Real(1)) / select(z.T > zero, z.T, Lane(Real(1)));
    return z;
  }
  static SB_INLINE Lane cone_weight(const auto& p, Lane D) { return D * Lane(p.weight); }
  static SB_INLINE Lane cost(const auto& p, Lane D, const Lane* u) {
    const Zone z = zone(p, u);
    const Lane x = u[0] - z.T;
    const Lane middle = cone_weight(p, D) * x * x;
    const Lane bottom = D * fma(z.T * z.T, Lane(p.inv2), u[0] * u[0]);
    return Lane(Real(0.5)) * select(z.middle, middle, select(z.bottom, bottom, Lane(Real(0))));
  }
  static SB_INLINE void force(const auto& p, Lane D, const Lane* u, Lane* f) {
    const Zone z = zone(p, u);
    const Lane zero(Real(0));
    const Lane x = cone_weight(p, D) * (u[0] - z.T);
    const Lane side = select(z.middle, x * z.inv_T, select(z.bottom, -(D * Lane(p.inv2)), zero));
    f[0] = select(z.middle, -x, select(z.bottom, -(D * u[0]), zero));
    SB_UNROLL
    for (int r = 1; r < Dim; ++r) f[r] = side * u[r];
  }
  static SB_INLINE void hessian(const auto& p, Lane D, const Lane* u, Lane* W) {
    const Zone z = zone(p, u);
    const Lane zero(Real(0));
    const Lane Dc = select(z.middle, cone_weight(p, D), zero);
    const Lane Db = select(z.bottom, D, zero);
    const Lane ratio = u[0] * z.inv_T;
    const Lane outer = Dc * ratio;  // of n n', n = (u_1, ..) / T
    const Lane diag = fma(Db, Lane(p.inv2), Dc - outer);
    Lane n[Dim];
    W[0] = Dc + Db;
    SB_UNROLL
    for (int r = 1; r < Dim; ++r) {
      n[r] = u[r] * z.inv_T;
      W[tri(r, 0)] = -(Dc * n[r]);
      SB_UNROLL
      for (int c = 1; c < Dim; ++c) {
        if (c <= r) W[tri(r, c)] = outer * n[r] * n[c];
      }
      W[tri(r, r)] = W[tri(r, r)] + diag;
    }
  }
  static SB_INLINE void slope(const auto& p, Lane D, const Lane* u, const Lane* v, Slope<Lane>& s) {
    const Zone z = zone(p, u);
    const Lane zero(Real(0));
    Lane uv = u[1] * v[1], vv = v[1] * v[1];
    SB_UNROLL
    for (int r = 2; r < Dim; ++r) {
      uv = fma(u[r], v[r], uv);
      vv = fma(v[r], v[r], vv);
    }
    const Lane Dc = select(z.middle, cone_weight(p, D), zero);
    const Lane Db = select(z.bottom, D, zero);
    const Lane dT = uv * z.inv_T;
    const Lane x = u[0] - z.T, dx = v[0] - dT;
    const Lane ddT = fnma(dT, dT, vv) * z.inv_T;
    const Lane inv2(p.inv2);
    s.first = fma(Dc, x * dx, fma(Db, fma(uv, inv2, u[0] * v[0]), s.first));
    s.second = fma(Dc, fnma(x, ddT, dx * dx), fma(Db, fma(vv, inv2, v[0] * v[0]), s.second));
  }
  static SB_INLINE void update(const auto& p, Lane D, const Lane* from, const Lane* to, Lane* f,
                               PieceBits<Lane>& changed) {
    changed = changed | change(p, D, from, to);
    force(p, D, to, f);
  }
  static SB_INLINE void step(const auto& p, Lane D, const Lane* u, const Lane* v, Lane& slope0,
                             Slope<Lane>& slope1, PieceBits<Lane>& changed) {
    Slope<Lane> at0{slope0, Lane(Real(0))};
    slope(p, D, u, v, at0);
    slope0 = at0.first;
    Lane w[Dim];
    SB_UNROLL
    for (int r = 0; r < Dim; ++r) w[r] = u[r] + v[r];
    slope(p, D, w, v, slope1);
    changed = changed | change(p, D, u, w);
  }
  static SB_INLINE MaskOf<Lane> same_piece(const auto& p, const Lane* u, const Lane* w) {
    const Zone a = zone(p, u), b = zone(p, w);
    const auto top_a = !(a.middle | a.bottom), top_b = !(b.middle | b.bottom);
    return (a.bottom & b.bottom) | (top_a & top_b);
  }

 private:
  static SB_INLINE PieceBits<Lane> change(const auto& p, Lane D, const Lane* u, const Lane* w) {
    const Lane zero(Real(0));
    return math::to_bits(select(same_piece(p, u, w) | (D == zero), zero, Lane(Real(-0.0))));
  }
};

// WJ = W J for one dof's column J; W a packed lower triangle.
template <class Cone, class Lane>
SB_INLINE void weigh(const Lane* W, const Lane* J, Lane* WJ) {
  constexpr int kDim = Cone::kDim;
  SB_UNROLL
  for (int r = 0; r < kDim; ++r) {
    Lane sum = W[tri(r, 0)] * J[0];
    SB_UNROLL
    for (int s = 1; s < kDim; ++s) {
      if (Cone::kArrow && r != 0 && s != r) continue;
      sum = fma(W[r >= s ? tri(r, s) : tri(s, r)], J[s], sum);
    }
    WJ[r] = sum;
  }
}

// Call f(Cone type) for a contact of `dim` base rows.
template <class Lane, class F>
SB_INLINE void with_cone(int dim, int cone, F&& f) {
  if (dim == 1) {
    f(Pyramid<Lane, 1>{});
  } else if (cone == model::kElliptic) {
    if (dim == 3) f(Elliptic<Lane, 3>{});
    if (dim == 4) f(Elliptic<Lane, 4>{});
    if (dim == 6) f(Elliptic<Lane, 6>{});
  } else {
    if (dim == 3) f(Pyramid<Lane, 3>{});
    if (dim == 4) f(Pyramid<Lane, 4>{});
    if (dim == 6) f(Pyramid<Lane, 6>{});
  }
}

// --- scalar blocks -------------------------------------------------------------------------------

// A limit costs D/2 min(u, 0)^2; friction loss eta costs D/2 u^2 up to |u| = eta / D and grows
// linearly beyond. `eta` < 0 marks a limit.
template <class Lane>
SB_INLINE Lane scalar_cost(RealOf<Lane> eta, Lane D, Lane u) {
  using Real = RealOf<Lane>;
  const Lane half(Real(0.5));
  if (eta < Real(0)) {
    const Lane x = math::min(u, Lane(Real(0)));
    return half * D * x * x;
  }
  const Lane bound = Lane(eta) / D, a = math::abs(u);
  return select(a < bound, half * D * u * u, Lane(eta) * fnma(half, bound, a));
}
template <class Lane>
SB_INLINE Lane scalar_force(RealOf<Lane> eta, Lane D, Lane u) {
  using Real = RealOf<Lane>;
  if (eta < Real(0)) return -(D * math::min(u, Lane(Real(0))));
  return math::clamp(-(D * u), Lane(-eta), Lane(eta));
}
template <class Lane>
SB_INLINE Lane scalar_hessian(RealOf<Lane> eta, Lane D, Lane u) {
  using Real = RealOf<Lane>;
  const Lane zero(Real(0));
  if (eta < Real(0)) return select(u < zero, D, zero);
  return select(math::abs(u) * D < Lane(eta), D, zero);
}
template <class Lane>
SB_INLINE MaskOf<Lane> scalar_same_piece(RealOf<Lane> eta, Lane D, Lane u, Lane w) {
  using Real = RealOf<Lane>;
  const Lane zero(Real(0));
  if (eta < Real(0)) return ((u < zero) & (w < zero)) | !((u < zero) | (w < zero));
  const Lane e(eta);
  const auto in_u = math::abs(u) * D < e, in_w = math::abs(w) * D < e;
  const auto one_side = ((u < zero) & (w < zero)) | ((u > zero) & (w > zero));
  return (in_u & in_w) | (one_side & !(in_u | in_w));
}

}  // namespace stepbench::contact::inline SB_ISA
