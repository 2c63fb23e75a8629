// The Newton iteration in articulated form, for packed worlds; newton.h says what and why.
//
// State of a lane: x = qacc - qacc_smooth, the inertial forces P = M x on links, and u of every
// block. Both start points of MuJoCo lie on one line from qacc_smooth, so that the warm start is a
// first step of length 1 along (warm start - qacc_smooth) where that costs less.
#pragma once
#ifndef SB_LAP
#define SB_LAP(i)
#endif

#include "engine/contact/coupling.h"
#include "engine/contact/ground.h"
#include "engine/contact/minimise.h"
#include "engine/contact/single_rows.h"
#include "engine/dynamics/factor.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class TreeNewton {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  // Takes memory; false: the workspace is too small, and d.need_workspace says what it takes.
  SB_HD bool prepare(const Context<Lane>& c, Mask run) {
    c_ = &c;
    run_ = run;
    Workspace w(c.d.workspace, c.d.workspace_bytes, blocks_of(c.d).bytes);
    const std::size_t nv = std::size_t(c.p.nv);
    x_ = w.take<Lane>(nv);
    g_ = w.take<Lane>(nv);
    step_ = w.take<Lane>(nv);
    force_ = w.take<Lane>(nv);
    if (!tree_.prepare(c, w) || !ground_.prepare(c, tree_.links, w) ||
        !coupled_.prepare(c, tree_.links, w, run) || !single_.prepare(c, w)) {
      c.d.need_workspace = w.bytes();
      return false;
    }
    return true;
  }

  // Writes qacc, qfrc_constraint, out_niter and out_capped of the lanes of prepare().
  SB_HD void solve() {
    const auto& p = c_->p;
    const auto& opt = p.opt;
SB_LAP(12)
    auto& d = c_->d;
    const Lane zero(Real(0)), half(Real(0.5)), one(Real(1)), tol(opt.tolerance);
    Lane trace = zero;
    for (int i = 0; i < p.nv; ++i) trace += d.M[p.M_rowadr[i] + p.M_rownnz[i] - 1];
    const Lane scale = one / math::max(trace, Lane(math::kMinVal<Real>));

    Lane cost = zero, gauss = zero, alpha = one;  // of the constraints; 1/2 x'M x
    Mask active = start(cost, gauss);
SB_LAP(13)
    Mask run = run_, same_before(false);
    Lane smooth = zero;
    for (int i = 0; i < p.nv; ++i) smooth = fma(d.qacc_smooth[i], d.qfrc_smooth[i], smooth);
    smooth = math::abs(smooth);
    Lane niter = zero, capped = zero;
    for (int iteration = 0;; ++iteration) {
      move(active, run, alpha);
SB_LAP(14)
      active = run;
      if (!any(active)) break;
      const unsigned lanes = math::bits_of(active);
      single_.prune(lanes);
      coupled_.prune(lanes);
      ground_.prune(lanes);
      single_.template add_forces<false>(force_);
      coupled_.template add_forces<false>(force_);
      tree_.gradient(x_, force_, g_);
SB_LAP(15)
      const Lane norm2 = dot(g_, g_);
      const Mask flat = math::sqrt(norm2) * scale < tol;
      if (iteration > 0) {
        active = active & !flat;
      } else if constexpr (!kSinglePrecision<Real>) {
        // MuJoCo does not step where gradient and decrement for H = M are both small.
        if (any(active & flat)) {
          for (int i = 0; i < p.nv; ++i) step_[i] = g_[i];
          dynamics::solve_LD(p, d.qLD, d.qLDiagInv, step_);
          active = active & !(flat & (half * scale * dot(g_, step_) < tol));
        }
      }
      if (!any(active)) break;
      if (iteration >= opt.iterations) {
        capped = select(active, one, capped);
        break;
      }

      factor(active);
      const Lane curvature = tree_.solve(step_);
SB_LAP(18)
      const Lane slope0 = dot(g_, step_);
      const Lane decrement = -(half * slope0);
      Mask small = decrement <= Lane(kNoise<Real>) * (smooth + gauss);
      if (kSinglePrecision<Real> || iteration > 0) small = small | (scale * decrement < tol);
      active = active & !small & (slope0 < zero);
      if (!any(active)) break;

      // Slopes of the constraints at 0 and 1, and in full at 1.
      Lane at0 = zero;
      Slope<Lane> at1{zero, zero};
      Mask same(true);
      single_.step(step_, at0, at1, same);
      coupled_.step(step_, at0, at1, same);
      ground_.step(tree_.S, at0, at1, same);
SB_LAP(19)
      const Lane inertial = slope0 - at0;  // slope of 1/2 x'M x at 0
      Lane gtol = tol * Lane(opt.ls_tolerance) * math::sqrt(dot(step_, step_)) / scale;
      if (kSinglePrecision<Real>) gtol = math::max(gtol, Lane(Real(-1e-3)) * slope0);
      at1.first += inertial + curvature;
      at1.second += curvature;
      alpha = line_search(active, same, at1, inertial, curvature, gtol, opt.ls_iterations);
SB_LAP(20)
      same = same & (alpha == one);
      niter += select(active, one, zero);
      const Lane more = alpha * fma(half * alpha, curvature, inertial);
      gauss = select(active, gauss + more, gauss);
      if constexpr (kSinglePrecision<Real>) {
        run = active & !same;
      } else {
        Lane now = single_.cost(alpha);
        now += coupled_.cost(alpha);
        now += ground_.cost(alpha);
SB_LAP(22)
        const Lane improvement = scale * ((cost - now) - more);
        run = active & !((improvement > zero) & (improvement < tol)) & !(same & same_before);
        cost = select(active, now, cost);
        same_before = same;
      }
    }
    for (int i = 0; i < p.nv; ++i) force_[i] = zero;
    single_.template add_forces<true>(force_);
    coupled_.template add_forces<true>(force_);
    ground_.forces(tree_.wrench);
    tree_.contact_forces(force_, g_);
    for (int i = 0; i < p.nv; ++i) {
      d.qacc[i] = select(run_, d.qacc_smooth[i] + x_[i], d.qacc[i]);
      d.qfrc_constraint[i] = select(run_, g_[i], d.qfrc_constraint[i]);
    }
    d.out_niter[0] = select(run_, niter, d.out_niter[0]);
    d.out_capped[0] = select(run_, capped, d.out_capped[0]);
  }

 private:
  SB_HD Lane dot(const Lane* a, const Lane* b) const {
    const Lane zero(Real(0));
    const int nv = c_->p.nv;
    Lane sum[4] = {zero, zero, zero, zero};
    int i = 0;
    for (; i + 4 <= nv; i += 4) {
      SB_UNROLL
      for (int e = 0; e < 4; ++e) sum[e] = fma(a[i + e], b[i + e], sum[e]);
    }
    for (int e = 0; i < nv; ++i, ++e) sum[e] = fma(a[i], b[i], sum[e]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  // u at qacc_smooth, v to the warm start. Returns the lanes that start there, with the cost of the
  // constraints at the start point and 1/2 x'M x.
  SB_HD Mask start(Lane& cost, Lane& gauss) {
    const auto& p = c_->p;
    auto& d = c_->d;
    const Lane zero(Real(0)), half(Real(0.5));
    for (int i = 0; i < p.nv; ++i) x_[i] = zero;
    for (int k = 0; k < tree_.links.n; ++k) tree_.dirty[k] = Articulated<Lane>::kOwn;
    for (int i = 0; i < 6 * tree_.links.n; ++i) {
      tree_.P[i] = tree_.F[i] = tree_.wrench[i] = zero;
    }
    tree_.template motion<false>(d.qacc_smooth);
    single_.add_to_u(d.qacc_smooth);
    ground_.add_to_u(tree_.S);
    coupled_.add_to_u(d.qacc_smooth);
    const bool warm = !(p.opt.disableflags & model::kDsblWarmstart);
    for (int i = 0; i < p.nv; ++i) {
      step_[i] = warm ? c_->s.qacc_warmstart[i] - d.qacc_smooth[i] : zero;
    }
    const Lane energy = half * tree_.template motion<true>(step_);
    Lane cold = zero, hot = zero;
    single_.start(step_, cold, hot);
    coupled_.start(step_, cold, hot);
    ground_.start(tree_.S, cold, hot);
    const Mask take = run_ & (hot + energy <= cold);
    cost = select(take, hot, cold);
    gauss = select(take, energy, zero);
    return take;
  }

  // One step of length alpha where `active`; the forces of the blocks that lanes of `run` have.
  SB_HD void move(Mask active, Mask run, Lane alpha) {
    const int nv = c_->p.nv;
    // Selecting what is added, not the sum, spares a masked store; where not active, 0 x 0 is added.
    const Lane zero(Real(0));
    alpha = select(active, alpha, zero);
    for (int i = 0; i < nv; ++i) {
      x_[i] = fma(alpha, select(active, step_[i], zero), x_[i]);
      force_[i] = Lane(Real(0));
    }
    for (int k = 0; k < tree_.links.n; ++k) {
      if (tree_.links.inertia[k] == nullptr) continue;
      Lane* P = tree_.P + 6 * k;
      const Lane* F = tree_.F + 6 * k;
      SB_UNROLL
      for (int i = 0; i < 6; ++i) P[i] = fma(alpha, select(active, F[i], zero), P[i]);
    }
    single_.move(active, run, alpha, [&](int dof) {
      tree_.dirty[tree_.links.of_dof[dof]] |= Articulated<Lane>::kPivot;
    });
    coupled_.move(active, alpha);
    ground_.move(active, run, alpha, tree_.wrench, tree_.dirty);
  }

  // H at u, and the half-solved step for -g.
  SB_HD void factor(Mask active) {
    const auto& p = c_->p;
    for (int i = 0; i < p.nv; ++i) tree_.diag[i] = Lane(p.derived.dof_arm[i]);
    single_.add_pivots(tree_.diag);
    tree_.factor(
        g_, [&](int k, Lane* Y) { ground_.add_inertia(k, active, Y); },
        [&](int joint) { return single_.ball_weight(p.jnt_dofadr[joint]); });
SB_LAP(16)
    coupled_.correct(tree_, active);
SB_LAP(17)
  }

  // Step length where `active` (whose slope at 0 is negative); where `same`, the full step is the
  // minimum. s: slope and curvature at 1.
  SB_HD Lane line_search(Mask active, Mask same, Slope<Lane> s, Lane inertial, Lane curvature,
                         Lane gtol, int iterations) {
    const Lane zero(Real(0)), one(Real(1)), far(Real(1e15));
    Mask done = same | !active;
    Lane alpha = one, low = zero, high = far;
    for (int k = 0; k < iterations && any(!done); ++k) {
      if (k > 0) {
        s = {fma(alpha, curvature, inertial), curvature};
        const unsigned need = math::bits_of(!done);
        single_.slope(alpha, s);
        coupled_.slope(need, alpha, s);
        ground_.slope(need, alpha, s);
      }
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

  const Context<Lane>* c_;
  Mask run_;
  Articulated<Lane> tree_;
  GroundContacts<Lane> ground_;
  CoupledContacts<Lane> coupled_;
  SingleRows<Lane> single_;
  Lane *x_, *g_, *step_, *force_;
};

}  // namespace stepbench::contact::inline SB_ISA
