// The Newton iteration over one Range of blocks and dofs; newton.h says what and why.
#pragma once

#include "engine/contact/block_ops.h"

namespace stepbench::contact::inline SB_ISA {

template <class Real>
inline constexpr bool kSinglePrecision = sizeof(Real) == 4;
// Rounding noise of a decrement, relative to the energies it is made of.
template <class Real>
inline constexpr Real kNoise = kSinglePrecision<Real> ? Real(1.2e-13) : Real(4e-31);

// Step length along a line where not `done` (elsewhere 1), by Newton's method on the slope with a
// bracket, from the full step. slope(k, alpha, done): slope and curvature at evaluation k. gtol:
// stop at |slope|.
template <class Lane, class F>
SB_HD Lane search_line(MaskOf<Lane> done, Lane gtol, int iterations, F&& slope) {
  using Real = RealOf<Lane>;
  const Lane zero(Real(0)), one(Real(1)), far(Real(1e15));
  Lane alpha = one, low = zero, high = far;
  for (int k = 0; k < iterations && any(!done); ++k) {
    const Slope<Lane> s = slope(k, alpha, done);
    const auto finite = math::abs(s.first) < Lane(Real(1e30));
    done = done | (math::abs(s.first) <= gtol) | !finite;
    const auto left = s.first < zero;
    low = select(done, low, select(left, alpha, low));
    high = select(done, high, select(left, high, alpha));
    // A Newton step below rounding ends the search: a bisection would jump into the open bracket.
    const Lane newton = alpha - s.first / s.second;
    const auto inside = (newton > low) & (newton < high);
    const Lane next = select(inside, newton, Lane(Real(0.5)) * (low + high));
    done = done | (newton == alpha) | (next == alpha);
    alpha = select(done, alpha, next);
  }
  // Out of iterations: the last point known to lie before the minimum, which lowers the cost.
  return select(done | !(low > zero), alpha, low);
}

// Step length along the search direction, per lane, where `active`; 0: the direction does not
// descend.
//   slope0, curvature: slope at 0 and p'Mp;  gauss: slope of the smooth part at 0;  gtol: stop at
//   |slope|.
template <class Lane>
SB_HD Lane line_search(const BlockOps<Lane>& ops, MaskOf<Lane> active, Lane slope0, Lane gauss,
                       Lane curvature, Lane gtol, int iterations) {
  const Lane zero(RealOf<Lane>(0));
  const auto descends = slope0 < zero;
  const MaskOf<Lane> done = !(active & descends);
  const Lane alpha = search_line(done, gtol, iterations, [&](int, Lane at, const MaskOf<Lane>&) {
    Slope<Lane> s{fma(at, curvature, gauss), curvature};
    ops.slope(at, s);
    return s;
  });
  return select(descends, alpha, zero);
}

namespace detail {

// Cheaper of the warm start and the smooth acceleration: sets qacc, sol_Ma, con_u, sc_u. Returns
// the cost.
template <class Lane>
SB_HD Lane start(const Context<Lane>& c, const BlockOps<Lane>& ops, const Range& r,
                 MaskOf<Lane> active) {
  using Real = RealOf<Lane>;
  const auto& p = c.p;
  auto& d = c.d;
  const Lane zero(Real(0));
  ops.product(d.qacc_smooth, true, d.con_u, d.sc_u);
  const Lane cold = ops.cost(d.con_u, d.sc_u);
  ops.for_dofs([&](int i) { d.sol_Ma[i] = d.qfrc_smooth[i]; });
  if (p.opt.disableflags & model::kDsblWarmstart) return cold;

  Lane* a = d.sol_step;  // free until the first direction
  ops.for_dofs([&](int i) { a[i] = c.s.qacc_warmstart[i] + zero; });
  ops.multiply_M(a, d.sol_Mstep);
  ops.product(a, true, d.con_v, d.sc_v);
  Lane gauss = zero;
  ops.for_dofs([&](int i) {
    gauss = fma(d.sol_Mstep[i] - d.qfrc_smooth[i], a[i] - d.qacc_smooth[i], gauss);
  });
  const Lane warm = fma(Lane(Real(0.5)), gauss, ops.cost(d.con_v, d.sc_v));
  const auto take = active & (warm <= cold);
  ops.for_dofs([&](int i) {
    d.qacc[i] = select(take, a[i], d.qacc[i]);
    d.sol_Ma[i] = select(take, d.sol_Mstep[i], d.sol_Ma[i]);
  });
  for (int k = 0; k < r.nsc; ++k) {
    const int id = r.sc[k];
    d.sc_u[id] = select(take, d.sc_v[id], d.sc_u[id]);
  }
  for (int k = 0; k < r.ncon; ++k) {
    const int slot = r.con[k], dim = c.pairs[d.con_pair[slot]].dim;
    for (int i = 6 * slot; i < 6 * slot + dim; ++i)
      d.con_u[i] = select(take, d.con_v[i], d.con_u[i]);
  }
  return select(take, warm, cold);
}

template <class Lane>
SB_HD Lane total_cost(const Context<Lane>& c, const BlockOps<Lane>& ops) {
  using Real = RealOf<Lane>;
  auto& d = c.d;
  Lane gauss(Real(0));
  ops.for_dofs([&](int i) {
    gauss = fma(d.sol_Ma[i] - d.qfrc_smooth[i], d.qacc[i] - d.qacc_smooth[i], gauss);
  });
  return fma(Lane(Real(0.5)), gauss, ops.cost(d.con_u, d.sc_u));
}

// x = M^-1 x, with the factor of engine/dynamics.
template <class Lane>
SB_HD void solve_M(const Context<Lane>& c, const BlockOps<Lane>& ops, const Range& r, Lane* x) {
  const auto& p = c.p;
  const auto& d = c.d;
  for (int k = r.nspan - 1; k >= 0; --k) {
    for (int i = r.dof_end[k] - 1; i >= r.dof_begin[k]; --i) {
      const int adr = p.M_rowadr[i];
      for (int j = 0; j < p.M_rownnz[i] - 1; ++j) {
        Lane& y = x[p.M_colind[adr + j]];
        y = fnma(d.qLD[adr + j], x[i], y);
      }
    }
  }
  ops.for_dofs([&](int i) {
    const int adr = p.M_rowadr[i];
    Lane sum = x[i] * d.qLDiagInv[i];
    for (int j = 0; j < p.M_rownnz[i] - 1; ++j) {
      sum = fnma(d.qLD[adr + j], x[p.M_colind[adr + j]], sum);
    }
    x[i] = sum;
  });
}

}  // namespace detail

// Minimise over a range from the better of warm start and smooth acceleration, for the lanes of
// `run`. On return qacc, qfrc_constraint hold the range's dofs; out_niter and out_capped are raised
// to the range's own (lanewise maximum).
template <class Lane, class Hessian>
SB_HD void minimise(const Context<Lane>& c, const Range& r, Hessian& hessian, MaskOf<Lane> run) {
  using Real = RealOf<Lane>;
  const auto& opt = c.p.opt;
  auto& d = c.d;
  const BlockOps<Lane> ops(c, r);
  const Lane zero(Real(0)), half(Real(0.5)), one(Real(1)), tol(opt.tolerance);
  const Lane scale = one / math::max(ops.trace_M(), Lane(math::kMinVal<Real>));

  Lane* g = d.sol_grad;
  Lane* step = d.sol_step;
  MaskOf<Lane> active = run, same_before(false);
  Lane cost = detail::start(c, ops, r, run);
  Lane niter = zero, capped = zero;
  for (int iteration = 0;; ++iteration) {
    ops.for_dofs([&](int i) { g[i] = d.sol_Ma[i] - d.qfrc_smooth[i]; });
    ops.add_forces(Real(-1), g);
    if (!kSinglePrecision<Real> || iteration > 0) {
      auto small = math::sqrt(ops.dot(g, g)) * scale < tol;
      if (iteration == 0 && any(active & small)) {
        ops.for_dofs([&](int i) { step[i] = g[i]; });
        detail::solve_M(c, ops, r, step);
        small = small & (half * scale * ops.dot(g, step) < tol);
      }
      active = active & !small;
    }
    if (!any(active)) break;
    if (iteration >= opt.iterations) {
      capped = select(active, one, capped);
      break;
    }

    hessian.assemble();
    hessian.factor();
    ops.for_dofs([&](int i) { step[i] = -g[i]; });
    hessian.solve(step);
    const Lane slope0 = ops.dot(g, step);
    const Lane decrement = -(half * slope0);
    const Lane energy =
        math::abs(ops.dot(d.qacc, d.sol_Ma)) + math::abs(ops.dot(d.qacc_smooth, d.qfrc_smooth));
    auto small = decrement <= Lane(kNoise<Real>) * energy;
    if (kSinglePrecision<Real> || iteration > 0) small = small | (scale * decrement < tol);
    active = active & !small & (slope0 < zero);
    if (!any(active)) break;

    ops.multiply_M(step, d.sol_Mstep);
    ops.product(step, false, d.con_v, d.sc_v);
    Lane gauss = zero;
    ops.for_dofs([&](int i) { gauss = fma(d.sol_Ma[i] - d.qfrc_smooth[i], step[i], gauss); });
    const Lane norm = math::sqrt(ops.dot(step, step));
    Lane gtol = tol * Lane(opt.ls_tolerance) * norm / scale;
    if (kSinglePrecision<Real>) gtol = math::max(gtol, Lane(Real(-1e-3)) * slope0);
    const Lane alpha = line_search(ops, active, slope0, gauss, ops.dot(step, d.sol_Mstep), gtol,
                                   opt.ls_iterations);
    ops.for_dofs([&](int i) {
      d.qacc[i] = select(active, fma(alpha, step[i], d.qacc[i]), d.qacc[i]);
      d.sol_Ma[i] = select(active, fma(alpha, d.sol_Mstep[i], d.sol_Ma[i]), d.sol_Ma[i]);
    });
    const auto same = ops.move(active, alpha) & (alpha == one);
    niter += select(active, one, zero);
    if constexpr (kSinglePrecision<Real>) {
      active = active & !same;
    } else {
      const Lane now = detail::total_cost(c, ops);
      const Lane improvement = scale * (cost - now);
      active = active & !((improvement > zero) & (improvement < tol)) & !(same & same_before);
      cost = now;
      same_before = same;
    }
  }
  ops.for_dofs([&](int i) { d.qfrc_constraint[i] = zero; });
  ops.add_forces(Real(1), d.qfrc_constraint);
  d.out_niter[0] = math::max(d.out_niter[0], niter);
  d.out_capped[0] = math::max(d.out_capped[0], capped);
}

}  // namespace stepbench::contact::inline SB_ISA
