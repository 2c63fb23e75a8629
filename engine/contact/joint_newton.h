// The Newton iteration of lanes whose constraints all act on single dofs: limits and friction loss,
// no contact. newton.h says what and why.
//
// Such rows add to the diagonal of M alone, so that H has M's pattern and factor. Before H is
// formed the decrement is bounded by 1/2 g' M^-1 g (H - M is positive semidefinite), half a solve
// with the factor at hand: a warm start inside the tolerance, the usual case of an arm that rests
// on a limit, ends there.
//
// Which lanes come here depends on each lane alone, and on the model: trees of hinges and slides,
// where contacts are rare.
#pragma once

#include "engine/contact/minimise.h"
#include "engine/dynamics/factor.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class JointNewton {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  // Lanes that belong here, if they have any rows at all.
  static SB_HD Mask lanes(const Context<Lane>& c) {
    if (c.p.derived.nlink == 0) return Mask(false);
    const Blocks& b = blocks_of(c.d);
    Mask contact(false);
    for (int k = 0; k < b.ncon; ++k) {
      const int slot = b.con[k];
      contact = contact | (c.d.con_dist[slot] < Lane(c.pairs[c.d.con_pair[slot]].margin));
    }
    return Mask(!contact);
  }

  // Takes memory; false: the workspace is too small, and d.need_workspace says what it takes.
  SB_HD bool prepare(const Context<Lane>& c) {
    Workspace w(c.d.workspace, c.d.workspace_bytes, blocks_of(c.d).bytes);
    LD_ = w.take<Lane>(std::size_t(c.p.nM));
    inverse_ = w.take<Lane>(std::size_t(c.p.nv));
    weight_ = w.take<Lane>(std::size_t(c.p.nv));
    if (w.full()) c.d.need_workspace = w.bytes();
    return !w.full();
  }

  // Writes qacc, qfrc_constraint, out_niter, out_capped of the lanes of `run`.
  SB_HD void solve(const Context<Lane>& c, Mask run) {
    const auto& p = c.p;
    const auto& opt = p.opt;
    auto& d = c.d;
    const int begin = 0, end = p.nv;
    const Blocks& b = blocks_of(d);
    const Range rows{b.sc, b.nsc, b.con, 0, &begin, &end, 1};
    const BlockOps<Lane> ops(c, rows);
    const Lane zero(Real(0)), half(Real(0.5)), one(Real(1)), tol(opt.tolerance);
    const Lane scale = one / math::max(ops.trace_M(), Lane(math::kMinVal<Real>));
    Lane* g = d.sol_grad;
    Lane* step = d.sol_step;
    Lane* inertial = d.sol_Ma;  // M (qacc - qacc_smooth)

    Lane cost = start(c, ops, run, inertial);
    Mask active = run, same_before(false);
    Lane niter = zero, capped = zero;
    for (int iteration = 0;; ++iteration) {
      for (int i = 0; i < p.nv; ++i) g[i] = inertial[i];
      ops.add_forces(Real(-1), g);
      Mask flat = math::sqrt(ops.dot(g, g)) * scale < tol;
      if (iteration > 0) active = active & !flat;
      if (kSinglePrecision<Real> || (iteration == 0 && any(active & flat))) {
        if constexpr (kSinglePrecision<Real>) flat = Mask(true);
        active = active & !(flat & (half * scale * over_M(c, g, step) < tol));
      }
      if (!any(active)) break;
      if (iteration >= opt.iterations) {
        capped = select(active, one, capped);
        break;
      }

      for (int i = 0; i < p.nv; ++i) weight_[i] = zero;
      ops.for_scalars([&](int id, const ScalarRow<Lane>& row) {
        weight_[row.dof] += scalar_hessian(row.eta, d.sc_D[id], d.sc_u[id]);
      });
      dynamics::factor_range(p, d.M, weight_, LD_, inverse_, 0, p.nv);
      for (int i = 0; i < p.nv; ++i) step[i] = -g[i];
      dynamics::solve_range(p, LD_, inverse_, step, 0, p.nv);
      const Lane slope0 = ops.dot(g, step);
      const Lane decrement = -(half * slope0);
      Mask small = decrement <= Lane(kNoise<Real>) * energy(c, ops);
      if (kSinglePrecision<Real> || iteration > 0) small = small | (scale * decrement < tol);
      active = active & !small & (slope0 < zero);
      if (!any(active)) break;

      dynamics::mul_M(p, d.M, step, d.sol_Mstep);
      ops.product(step, false, d.con_v, d.sc_v);
      Lane gtol = tol * Lane(opt.ls_tolerance) * math::sqrt(ops.dot(step, step)) / scale;
      if (kSinglePrecision<Real>) gtol = math::max(gtol, Lane(Real(-1e-3)) * slope0);
      const Lane alpha = line_search(ops, active, slope0, ops.dot(inertial, step),
                                     ops.dot(step, d.sol_Mstep), gtol, opt.ls_iterations);
      for (int i = 0; i < p.nv; ++i) {
        d.qacc[i] = select(active, fma(alpha, step[i], d.qacc[i]), d.qacc[i]);
        inertial[i] = select(active, fma(alpha, d.sol_Mstep[i], inertial[i]), inertial[i]);
      }
      const Mask same = ops.move(active, alpha) & (alpha == one);
      niter += select(active, one, zero);
      if constexpr (kSinglePrecision<Real>) {
        active = active & !same;
      } else {
        Lane gauss = zero;
        for (int i = 0; i < p.nv; ++i) {
          gauss = fma(inertial[i], d.qacc[i] - d.qacc_smooth[i], gauss);
        }
        const Lane now = fma(half, gauss, ops.cost(d.con_u, d.sc_u));
        const Lane improvement = scale * (cost - now);
        active = active & !((improvement > zero) & (improvement < tol)) & !(same & same_before);
        cost = now;
        same_before = same;
      }
    }
    for (int i = 0; i < p.nv; ++i) g[i] = zero;
    ops.add_forces(Real(1), g);
    for (int i = 0; i < p.nv; ++i) d.qfrc_constraint[i] = select(run, g[i], d.qfrc_constraint[i]);
    d.out_niter[0] = select(run, niter, d.out_niter[0]);
    d.out_capped[0] = select(run, capped, d.out_capped[0]);
  }

 private:
  // Cheaper of the warm start and the smooth acceleration: sets qacc, sc_u, M (qacc - qacc_smooth).
  // Returns the cost.
  SB_HD Lane start(const Context<Lane>& c, const BlockOps<Lane>& ops, Mask run, Lane* inertial) {
    const auto& p = c.p;
    auto& d = c.d;
    const Lane zero(Real(0));
    ops.product(d.qacc_smooth, true, d.con_u, d.sc_u);
    const Lane cold = ops.cost(d.con_u, d.sc_u);
    if (p.opt.disableflags & model::kDsblWarmstart) {
      for (int i = 0; i < p.nv; ++i) inertial[i] = zero;
      return cold;
    }
    Lane* away = d.sol_step;
    for (int i = 0; i < p.nv; ++i) away[i] = c.s.qacc_warmstart[i] - d.qacc_smooth[i];
    dynamics::mul_M(p, d.M, away, inertial);
    ops.product(c.s.qacc_warmstart, true, d.con_v, d.sc_v);
    const Lane warm = fma(Lane(Real(0.5)), ops.dot(away, inertial), ops.cost(d.con_v, d.sc_v));
    const Mask take = run & (warm <= cold);
    for (int i = 0; i < p.nv; ++i) {
      d.qacc[i] = select(take, c.s.qacc_warmstart[i] + zero, d.qacc[i]);
      inertial[i] = select(take, inertial[i], zero);
    }
    ops.for_scalars(
        [&](int id, const ScalarRow<Lane>&) { d.sc_u[id] = select(take, d.sc_v[id], d.sc_u[id]); });
    return select(take, warm, cold);
  }

  // g' M^-1 g; uses up `work`.
  static SB_HD Lane over_M(const Context<Lane>& c, const Lane* g, Lane* work) {
    const auto& d = c.d;
    for (int i = 0; i < c.p.nv; ++i) work[i] = g[i];
    dynamics::solve_upward_range(c.p, d.qLD, work, 0, c.p.nv);
    Lane sum(Real(0));
    for (int i = 0; i < c.p.nv; ++i) sum = fma(work[i] * d.qLDiagInv[i], work[i], sum);
    return sum;
  }

  static SB_HD Lane energy(const Context<Lane>& c, const BlockOps<Lane>& ops) {
    const auto& d = c.d;
    return math::abs(ops.dot(d.qacc, d.sol_Ma) + ops.dot(d.qacc, d.qfrc_smooth)) +
           math::abs(ops.dot(d.qacc_smooth, d.qfrc_smooth));
  }

  Lane *LD_, *inverse_, *weight_;
};

}  // namespace stepbench::contact::inline SB_ISA
