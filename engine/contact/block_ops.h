// Products with the Jacobians of constraint blocks, and sums of their costs, over one Range.
//
// Vectors over dofs are full length (nv) and touched only at the Range's dofs. u and v of the
// blocks are con_u, sc_u and con_v, sc_v. Orders are fixed: scalar blocks, then contacts, each in
// list order.
#pragma once

#include "engine/contact/cone.h"

namespace stepbench::contact::inline SB_ISA {

// What a scalar block's row looks like: +-1 on one dof, or an axis on a ball's three.
template <class Lane>
struct ScalarRow {
  int dof;
  const Lane* axis;  // ball: 3 values; else null
  RealOf<Lane> sign;
  RealOf<Lane> eta;  // friction loss (N, N m); -1: a limit
};

template <class Lane>
SB_INLINE ScalarRow<Lane> scalar_row(const model::Params<RealOf<Lane>>& p,
                                     const model::Scratch<Lane>& d, int id) {
  using Real = RealOf<Lane>;
  if (id < p.nv) return {id, nullptr, Real(1), p.dof_frictionloss[id]};
  const int j = (id - p.nv) / 2, side = (id - p.nv) % 2;
  const bool ball = p.jnt_type[j] == model::kJntBall;
  return {p.jnt_dofadr[j], ball ? d.sc_axis + 3 * j : nullptr, side == 0 ? Real(1) : Real(-1),
          Real(-1)};
}

template <class Lane>
class BlockOps {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  SB_HD BlockOps(const Context<Lane>& c, const Range& r)
      : c_(c), p_(c.p), d_(c.d), b_(blocks_of(c.d)), r_(r) {}

  // f(first dof, end dof) for each span of the range.
  template <class F>
  SB_INLINE void for_dofs(F&& f) const {
    for (int k = 0; k < r_.nspan; ++k) {
      for (int i = r_.dof_begin[k]; i < r_.dof_end[k]; ++i) f(i);
    }
  }

  // f(Cone, slot, ConeParams, D, dofs, number of dofs, J) for each contact.
  template <class F>
  SB_INLINE void for_contacts(F&& f) const {
    for (int k = 0; k < r_.ncon; ++k) {
      const int slot = r_.con[k];
      const auto& pair = c_.pairs[d_.con_pair[slot]];
      const auto cone = p_.opt.cone == model::kElliptic ? cone_params(p_.opt, pair.friction[0])
                                                        : ConeParams<Real>{};
      with_cone<Lane>(pair.dim, p_.opt.cone, [&](auto kind) {
        f(kind, slot, cone, d_.con_D[slot], b_.dof + b_.con_dofadr[slot], b_.con_ndof[slot],
          d_.con_J + b_.con_jadr[slot]);
      });
    }
  }

  // f(block id, ScalarRow) for each scalar block.
  template <class F>
  SB_INLINE void for_scalars(F&& f) const {
    for (int k = 0; k < r_.nsc; ++k) f(r_.sc[k], scalar_row(p_, d_, r_.sc[k]));
  }

  // out = J x - (aref, or nothing).
  SB_HD void product(const Lane* x, bool minus_aref, Lane* con_out, Lane* sc_out) const {
    for_scalars([&](int id, const ScalarRow<Lane>& row) {
      Lane y;
      if (row.axis != nullptr) {
        y = row.axis[0] * x[row.dof];
        y = fma(row.axis[1], x[row.dof + 1], y);
        y = fma(row.axis[2], x[row.dof + 2], y);
      } else {
        y = x[row.dof] * Lane(row.sign);
      }
      sc_out[id] = minus_aref ? y - d_.sc_aref[id] : y;
    });
    for_contacts([&](auto kind, int slot, auto, const Lane&, const int* dof, int n, const Lane* J) {
      constexpr int kDim = decltype(kind)::kDim;
      Lane y[kDim];
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) {
        y[r] = minus_aref ? -d_.con_aref[6 * slot + r] : Lane(Real(0));
      }
      for (int k = 0; k < n; ++k) {
        const Lane xk = x[dof[k]];
        SB_UNROLL
        for (int r = 0; r < kDim; ++r) y[r] = fma(J[k * kDim + r], xk, y[r]);
      }
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) con_out[6 * slot + r] = y[r];
    });
  }

  // out += scale * J' f with the forces at u.
  SB_HD void add_forces(Real scale, Lane* out) const {
    for_scalars([&](int id, const ScalarRow<Lane>& row) {
      const Lane f = scalar_force(row.eta, d_.sc_D[id], d_.sc_u[id]) * Lane(scale);
      if (row.axis != nullptr) {
        for (int i = 0; i < 3; ++i) out[row.dof + i] = fma(row.axis[i], f, out[row.dof + i]);
      } else {
        out[row.dof] += f * Lane(row.sign);
      }
    });
    for_contacts(
        [&](auto kind, int slot, auto cone, const Lane& D, const int* dof, int n, const Lane* J) {
          using Cone = decltype(kind);
          Lane f[Cone::kDim];
          Cone::force(cone, D, d_.con_u + 6 * slot, f);
          SB_UNROLL
          for (int r = 0; r < Cone::kDim; ++r) f[r] = f[r] * Lane(scale);
          for (int k = 0; k < n; ++k) {
            Lane y = out[dof[k]];
            SB_UNROLL
            for (int r = 0; r < Cone::kDim; ++r) y = fma(J[k * Cone::kDim + r], f[r], y);
            out[dof[k]] = y;
          }
        });
  }

  // Cost of all blocks at (con_u, sc_u).
  SB_HD Lane cost(const Lane* con_u, const Lane* sc_u) const {
    Lane sum(Real(0));
    for_scalars([&](int id, const ScalarRow<Lane>& row) {
      sum += scalar_cost(row.eta, d_.sc_D[id], sc_u[id]);
    });
    for_contacts([&](auto kind, int slot, auto cone, const Lane& D, const int*, int, const Lane*) {
      sum += decltype(kind)::cost(cone, D, con_u + 6 * slot);
    });
    return sum;
  }

  // Add the blocks' slope and curvature at u + alpha v, along v.
  SB_HD void slope(Lane alpha, Slope<Lane>& s) const {
    for_scalars([&](int id, const ScalarRow<Lane>& row) {
      const Lane v = d_.sc_v[id], u = fma(alpha, v, d_.sc_u[id]);
      s.first = fnma(scalar_force(row.eta, d_.sc_D[id], u), v, s.first);
      s.second = fma(scalar_hessian(row.eta, d_.sc_D[id], u) * v, v, s.second);
    });
    for_contacts([&](auto kind, int slot, auto cone, const Lane& D, const int*, int, const Lane*) {
      using Cone = decltype(kind);
      const Lane* v = d_.con_v + 6 * slot;
      Lane u[Cone::kDim];
      SB_UNROLL
      for (int r = 0; r < Cone::kDim; ++r) u[r] = fma(alpha, v[r], d_.con_u[6 * slot + r]);
      Cone::slope(cone, D, u, v, s);
    });
  }

  // u += alpha v where `active`. Returns where every block stays on its piece of the cost.
  SB_HD Mask move(Mask active, Lane alpha) const {
    Mask same(true);
    for_scalars([&](int id, const ScalarRow<Lane>& row) {
      const Lane u = d_.sc_u[id];
      const Lane w = select(active, fma(alpha, d_.sc_v[id], u), u);
      const Lane D = d_.sc_D[id];
      same = same & (scalar_same_piece(row.eta, D, u, w) | (D == Lane(Real(0))));
      d_.sc_u[id] = w;
    });
    for_contacts([&](auto kind, int slot, auto cone, const Lane& D, const int*, int, const Lane*) {
      using Cone = decltype(kind);
      Lane* u = d_.con_u + 6 * slot;
      Lane w[Cone::kDim];
      SB_UNROLL
      for (int r = 0; r < Cone::kDim; ++r) {
        w[r] = select(active, fma(alpha, d_.con_v[6 * slot + r], u[r]), u[r]);
      }
      same = same & (Cone::same_piece(cone, u, w) | (D == Lane(Real(0))));
      SB_UNROLL
      for (int r = 0; r < Cone::kDim; ++r) u[r] = w[r];
    });
    return same;
  }

  // y = M x.
  SB_HD void multiply_M(const Lane* x, Lane* y) const {
    for_dofs([&](int i) {
      const int adr = p_.M_rowadr[i], last = p_.M_rownnz[i] - 1;
      Lane sum = d_.M[adr + last] * x[i];
      for (int k = 0; k < last; ++k) {
        const int j = p_.M_colind[adr + k];
        sum = fma(d_.M[adr + k], x[j], sum);
        y[j] = fma(d_.M[adr + k], x[i], y[j]);
      }
      y[i] = sum;
    });
  }

  // Four partial sums, by position in a span, then added in pairs: a single one is bound by
  // latency.
  SB_HD Lane dot(const Lane* x, const Lane* y) const {
    const Lane zero(Real(0));
    Lane sum[4] = {zero, zero, zero, zero};
    for (int k = 0; k < r_.nspan; ++k) {
      int i = r_.dof_begin[k];
      const int end = r_.dof_end[k];
      for (; i + 4 <= end; i += 4) {
        SB_UNROLL
        for (int a = 0; a < 4; ++a) sum[a] = fma(x[i + a], y[i + a], sum[a]);
      }
      for (int a = 0; i < end; ++i, ++a) sum[a] = fma(x[i], y[i], sum[a]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  SB_HD Lane trace_M() const {
    Lane sum(Real(0));
    for_dofs([&](int i) { sum += d_.M[p_.M_rowadr[i] + p_.M_rownnz[i] - 1]; });
    return sum;
  }

 private:
  const Context<Lane>& c_;
  const model::Params<Real>& p_;
  model::Scratch<Lane>& d_;
  const Blocks& b_;
  Range r_;
};

}  // namespace stepbench::contact::inline SB_ISA
