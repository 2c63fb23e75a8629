// MuJoCo's convex contact problem by Newton's method with an exact line search.
//
//   minimise over a:  1/2 (a - a_s)' M (a - a_s) + sum over blocks of s(J a - aref)
//
// Source: mujoco_warp.md 6.8-6.10, packed_contacts.md 3 and 7. A step: gradient, Hessian, factor,
// direction p, u' = J p, line search, update of a, M a and u along p (no residual is formed anew).
// Lanes stop one by one and are frozen by select; the loop ends when none is left.
//
// Packed worlds are solved by articulated-body sweeps (minimise_tree.h). A lane with more than
// kMaxCoupledRows rows between moving bodies takes a sparse factor of H instead (hessian.h), one
// without contacts in trees of hinges and slides M's own pattern (joint_newton.h): which of them is
// a matter of the model and that lane alone. Large worlds: newton_single.h.
//
// What differs from MuJoCo, which has the same minimiser and takes the same steps:
// - The line search starts at the full step and is a Newton iteration with a bracket on the slope
//   alone (the cost is convex along a line); it stops at MuJoCo's tolerance, in f32 at 1e-3 of the
//   first slope. A full step on which no block changes its piece of the cost is taken as it is.
// - f32 tests no cost differences, which vanish near 1e-8 of the cost: a lane stops when the
//   decrement falls below the tolerance (also before the first step), or after a full step on which
//   no block changed its piece, for then the gradient is zero. f64 needs two such steps in a row.
// - Floor in both: the decrement is compared with the tolerance plus 8 eps^2 times the energies at
//   hand, below which it is rounding noise.
// - The packed layout scales by 1/trace(M) of the whole model; MuJoCo (and the single layout) by
//   that of each island.
#pragma once

#include "engine/contact/hessian.h"
#include "engine/contact/joint_newton.h"
#include "engine/contact/minimise.h"
#include "engine/contact/minimise_tree.h"
#include "engine/contact/newton_single.h"
#include "engine/contact/rows.h"

namespace stepbench::contact::inline SB_ISA {

struct Newton {
  static constexpr const char* kName = "newton";
  static constexpr const char* kSummary = "MuJoCo's convex soft contact, Newton's method";

  // In the single layout many contacts are formed at once, in the packed one those with the world
  // not at all.
  static SB_HD constexpr RowForm row_form(bool single) {
    return single ? RowForm::kNone : RowForm::kCoupled;
  }

  // Reads the blocks, qacc_smooth, qfrc_smooth, M, qLD; writes qacc, qfrc_constraint, out_niter,
  // out_capped. Sets need_workspace and returns early where memory lacks.
  template <class Lane>
  static SB_HD void solve(Context<Lane>& c) {
    using Real = RealOf<Lane>;
    const auto& p = c.p;
    auto& d = c.d;
    const Blocks& b = blocks_of(d);
    d.out_niter[0] = Lane(Real(0));
    d.out_capped[0] = Lane(Real(0));
    for (int i = 0; i < p.nv; ++i) {
      d.qacc[i] = d.qacc_smooth[i];
      d.qfrc_constraint[i] = Lane(Real(0));
    }
    if (b.nsc == 0 && b.ncon == 0) return;
    if constexpr (kWidth<Lane> == 1) {
      if (c.single) {
        solve_islands(c);
        return;
      }
    }
    const auto run = d.out_nefc[0] > Lane(Real(0));
    const auto joints = JointNewton<Lane>::lanes(c);
    const auto tree = CoupledContacts<Lane>::few(c) & !joints;
    const auto sparse = run & !(joints | tree);
    if (any(sparse)) {
      const int begin = 0, end = p.nv;
      const Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
      complete_rows(c);
      PackedHessian<Lane> hessian;
      if (!hessian.prepare(c, all)) return;
      minimise(c, all, hessian, sparse);
    }
    if (any(run & joints)) {
      JointNewton<Lane> newton;
      if (!newton.prepare(c)) return;
      newton.solve(c, run & joints);
    }
    if (any(run & tree)) {
      TreeNewton<Lane> newton;
      if (!newton.prepare(c, run & tree)) return;
      newton.solve();
    }
  }

  // Fills u of every block for the two functions below; the articulated solve keeps its own. After
  // solve().
  template <class Lane>
  static SB_HD void prepare_report(const Context<Lane>& c) {
    complete_rows(c);
    const Blocks& b = blocks_of(c.d);
    const Range all{b.sc, b.nsc, b.con, b.ncon, nullptr, nullptr, 0};
    BlockOps<Lane>(c, all).product(c.d.qacc, true, c.d.con_u, c.d.sc_u);
  }

  // Force of a scalar block; forces of a contact's rows in MuJoCo's row order.
  template <class Lane>
  static SB_HD Lane scalar_row_force(const Context<Lane>& c, int id, const ScalarRow<Lane>& row) {
    return scalar_force(row.eta, c.d.sc_D[id], c.d.sc_u[id]);
  }
  template <class Lane>
  static SB_HD void contact_row_forces(const Context<Lane>& c, int slot, Lane* f) {
    const auto& pair = c.pairs[c.d.con_pair[slot]];
    const auto params = cone_params(c.p.opt, pair.friction[0]);
    const Lane* u = c.d.con_u + 6 * slot;
    with_cone<Lane>(pair.dim, c.p.opt.cone, [&](auto kind) {
      using Cone = decltype(kind);
      if constexpr (Cone::kArrow) {
        Cone::edge_forces(c.d.con_D[slot], u, f);
      } else {
        Cone::force(params, c.d.con_D[slot], u, f);
        for (int r = 1; r < Cone::kDim; ++r) f[r] = f[r] * Lane(pair.friction[r - 1]);
      }
    });
  }
};

}  // namespace stepbench::contact::inline SB_ISA
