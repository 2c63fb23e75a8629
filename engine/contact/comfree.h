// ComFree: closed-form contact forces, row by row, without a solver (published form).
//
// Source: ComFree-Sim (arXiv 2603.12185), as comfree.md 1.2-1.4 and 1.7 state it. With the
// predicted velocity v_s = v + h a_smooth, every row r acts alone:
//
//   s_r = J_r v_s,   lambda_r = max(0, -(m_r / h) ((d + k h) s_r + k phi_r)),   m_r = r / ((1 - r)
//   w)
//
// k, d: gains (options.h); phi: distance without margin; w: the bodies' translational invweight,
// the same for each facet; r: impedance with a constant width of 0.01 m. Contact rows are the
// pyramid's facets n +- mu t for all friction directions. solref and impratio have no effect.
//
// Rows are one-sided, friction loss too: it resists negative velocities only, without a cap, as
// published. Elliptic cones and RK4 are refused (registry.cpp). With implicit joint damping the
// integrator solves with M + h B while v_s uses the explicit acceleration (comfree.md 1.6).
#pragma once

#include "engine/contact/minimise.h"
#include "engine/contact/rows.h"

namespace stepbench::contact::inline SB_ISA {

struct Comfree {
  static constexpr const char* kName = "comfree";
  static constexpr const char* kSummary =
      "closed-form forces without complementarity, published form";

  static SB_HD constexpr RowForm row_form(bool) { return RowForm::kAll; }

  template <class Lane>
  static SB_HD void solve(Context<Lane>& c) {
    using Real = RealOf<Lane>;
    const auto& p = c.p;
    auto& d = c.d;
    const Blocks& b = blocks_of(d);
    const Lane zero(Real(0));
    d.out_niter[0] = zero;
    d.out_capped[0] = zero;
    for (int i = 0; i < p.nv; ++i) {
      d.qacc[i] = d.qacc_smooth[i];
      d.qfrc_constraint[i] = zero;
    }
    if (b.nsc == 0 && b.ncon == 0) return;
    const int begin = 0, end = p.nv;
    const Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
    const BlockOps<Lane> ops(c, all);

    Lane* predicted = d.sol_step;
    const Lane h(p.opt.timestep);
    for (int i = 0; i < p.nv; ++i) predicted[i] = fma(h, d.qacc_smooth[i], c.s.qvel[i]);
    ops.product(predicted, false, d.con_v, d.sc_v);
    add_forces(c, ops, d.qfrc_constraint);

    Lane* acceleration = d.sol_step;
    for (int i = 0; i < p.nv; ++i) acceleration[i] = d.qfrc_constraint[i];
    detail::solve_M(c, ops, all, acceleration);
    for (int i = 0; i < p.nv; ++i) d.qacc[i] += acceleration[i];
  }

  template <class Lane>
  static SB_HD void prepare_report(const Context<Lane>&) {}

  // Force of a scalar block; forces of a contact's facets in MuJoCo's row order. After solve().
  template <class Lane>
  static SB_HD Lane scalar_row_force(const Context<Lane>& c, int id, const ScalarRow<Lane>& row) {
    using Real = RealOf<Lane>;
    const auto& p = c.p;
    const auto& d = c.d;
    const bool limit = id >= p.nv;
    const int j = p.dof_jntid[row.dof];
    const Lane distance = limit ? d.sc_pos[id - p.nv] : Lane(Real(0));
    const Lane violation = limit ? distance - Lane(p.jnt_margin[j]) : Lane(Real(0));
    const auto imp = impedance_params(limit ? p.jnt_solimp + 5 * j : p.dof_solimp + 5 * row.dof,
                                      kCurveWidth<Real>);
    const Lane mass = row_stiffness(impedance(imp, violation), p.dof_invweight0[row.dof]);
    return row_force(c, d.sc_D[id] > Lane(Real(0)), mass, d.sc_v[id], distance);
  }
  template <class Lane>
  static SB_HD void contact_row_forces(const Context<Lane>& c, int slot, Lane* f) {
    using Real = RealOf<Lane>;
    const auto& p = c.p;
    const auto& d = c.d;
    const auto& pair = c.pairs[d.con_pair[slot]];
    const Real w = p.body_invweight0[2 * p.geom_bodyid[pair.geom1]] +
                   p.body_invweight0[2 * p.geom_bodyid[pair.geom2]];
    const auto imp = impedance_params(pair.solimp, kCurveWidth<Real>);
    const Lane mass = row_stiffness(impedance(imp, d.con_dist[slot] - Lane(pair.margin)), w);
    const Lane* s = d.con_v + 6 * slot;
    const int edges = contact_rows(pair.dim, model::kPyramidal);
    for (int e = 0; e < edges; ++e) {
      Lane speed = s[0];
      if (edges > 1) speed = e % 2 == 0 ? s[0] + s[1 + e / 2] : s[0] - s[1 + e / 2];
      f[e] = row_force(c, d.con_D[slot] > Lane(Real(0)), mass, speed, d.con_dist[slot]);
    }
  }

 private:
  template <class Real>
  static constexpr Real kCurveWidth = Real(0.01);  // m, of the impedance curve

  // Force of a row from its mass, velocity and distance, where `active`.
  template <class Lane>
  static SB_INLINE Lane row_force(const Context<Lane>& c, MaskOf<Lane> active, Lane mass,
                                  Lane speed, Lane distance) {
    using Real = RealOf<Lane>;
    const Real h = c.p.opt.timestep, k = c.options.comfree_stiffness;
    const Real gain = c.options.comfree_damping + k * h;
    const Lane pull = fma(Lane(gain), speed, Lane(k) * distance);
    const Lane force = -(mass * Lane(Real(1) / h) * pull);
    return select(active, math::max(force, Lane(Real(0))), Lane(Real(0)));
  }

  template <class Lane>
  static SB_HD void add_forces(const Context<Lane>& c, const BlockOps<Lane>& ops, Lane* out) {
    using Real = RealOf<Lane>;
    ops.for_scalars([&](int id, const ScalarRow<Lane>& row) {
      const Lane f = scalar_row_force(c, id, row);
      if (row.axis == nullptr) {
        out[row.dof] += f * Lane(row.sign);
      } else {
        for (int i = 0; i < 3; ++i) out[row.dof + i] = fma(row.axis[i], f, out[row.dof + i]);
      }
    });
    ops.for_contacts(
        [&](auto kind, int slot, auto, const Lane&, const int* dof, int n, const Lane* J) {
          constexpr int kDim = decltype(kind)::kDim;
          Lane edges[Pyramid<Lane, kDim>::kEdges], f[kDim];
          contact_row_forces(c, slot, edges);
          f[0] = edges[0];
          if constexpr (kDim > 1) {
            f[0] = Lane(Real(0));
            SB_UNROLL
            for (int r = 1; r < kDim; ++r) {
              f[0] += edges[2 * r - 2] + edges[2 * r - 1];
              f[r] = edges[2 * r - 2] - edges[2 * r - 1];
            }
          }
          for (int k = 0; k < n; ++k) {
            Lane y = out[dof[k]];
            SB_UNROLL
            for (int r = 0; r < kDim; ++r) y = fma(J[k * kDim + r], f[r], y);
            out[dof[k]] = y;
          }
        });
  }
};

}  // namespace stepbench::contact::inline SB_ISA
