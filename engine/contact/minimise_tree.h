// The Newton iteration in articulated form, for packed worlds; newton.h says what and why.
//
// State of a lane: x = qacc - qacc_smooth, the inertial forces P = M x on links, and u of every
// block. Both start points of MuJoCo lie on one line from qacc_smooth, so that the warm start is a
// first step of length 1 along (warm start - qacc_smooth) where that costs less.
#pragma once

#include <bit>
#include <type_traits>

#include "engine/contact/coupling.h"
#include "engine/contact/ground.h"
#include "engine/contact/lane_map.h"
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
    const std::size_t begin = blocks_of(c.d).bytes;
    Workspace w(c.d.workspace, c.d.workspace_bytes, begin);
    take_vectors(w);
    if (!tree_.prepare(c, w) || !ground_.prepare(c, tree_.links, w) ||
        !coupled_.prepare(c, tree_.links, w, run) || !single_.prepare(c, w)) {
      c.d.need_workspace = w.bytes();
      return false;
    }
    memory_ = w.bytes();
    if constexpr (!std::is_void_v<typename HalfOf<Lane>::type>) {
      // For continue_narrow, which keeps the same and cdof in half the width.
      w.take<unsigned char>(memory_ - begin + 6 * std::size_t(c.p.nv) * sizeof(Lane));
      if (w.full()) {
        c.d.need_workspace = w.bytes();
        return false;
      }
    }
    return true;
  }

  // Writes qacc, qfrc_constraint, out_niter and out_capped of the lanes of prepare().
  SB_HD void solve() {
    const auto& p = c_->p;
    auto& d = c_->d;
    const Lane zero(Real(0)), one(Real(1));
    Lane trace = zero;
    for (int i = 0; i < p.nv; ++i) trace += d.M[p.M_rowadr[i] + p.M_rownnz[i] - 1];
    scale_ = one / math::max(trace, Lane(math::kMinVal<Real>));
    smooth_ = zero;
    for (int i = 0; i < p.nv; ++i) smooth_ = fma(d.qacc_smooth[i], d.qfrc_smooth[i], smooth_);
    smooth_ = math::abs(smooth_);
    niter_ = capped_ = zero;
    same_before_ = Mask(false);
    const Mask run = run_, take = start();
    iterate(0, take);
    for (int i = 0; i < p.nv; ++i) force_[i] = zero;
    single_.template add_forces<true>(force_);
    coupled_.template add_forces<true>(force_);
    ground_.forces(tree_.wrench);
    tree_.contact_forces(force_, g_);
    for (int i = 0; i < p.nv; ++i) {
      d.qacc[i] = select(run, d.qacc_smooth[i] + x_[i], d.qacc[i]);
      d.qfrc_constraint[i] = select(run, g_[i], d.qfrc_constraint[i]);
    }
    d.out_niter[0] = select(run, niter_, d.out_niter[0]);
    d.out_capped[0] = select(run, capped_, d.out_capped[0]);
  }

 private:
  template <class>
  friend class TreeNewton;

  // Iterations for the lanes run_, after a step of length 1 in the lanes `moved`.
  SB_HD void iterate(int iteration, Mask moved) {
    const auto& p = c_->p;
    const auto& opt = p.opt;
    const Lane zero(Real(0)), half(Real(0.5)), one(Real(1)), tol(opt.tolerance);
    Mask active = moved;
    Lane alpha = one;
    for (;; ++iteration) {
      move(active, alpha);
      active = run_;
      const unsigned lanes = math::bits_of(active);
      if (lanes == 0) return;
      single_.prune(lanes);
      coupled_.prune(lanes);
      ground_.prune(lanes);
      if constexpr (!std::is_void_v<typename HalfOf<Lane>::type>) {
        if (iteration > 1 && 2 * std::popcount(lanes) <= kWidth<Lane>) {
          if (continue_narrow(iteration, lanes)) return;
        }
      }
      single_.template add_forces<false>(force_);
      coupled_.template add_forces<false>(force_);
      tree_.gradient(x_, force_, g_);
      const Mask flat = math::sqrt(dot(g_, g_)) * scale_ < tol;
      if (iteration > 0) {
        active = active & !flat;
      } else if constexpr (!kSinglePrecision<Real>) {
        // MuJoCo does not step where gradient and decrement for H = M are both small.
        if (any(active & flat)) {
          for (int i = 0; i < p.nv; ++i) step_[i] = g_[i];
          dynamics::solve_LD(p, c_->d.qLD, c_->d.qLDiagInv, step_);
          active = active & !(flat & (half * scale_ * dot(g_, step_) < tol));
        }
      }
      if (!any(active)) return;
      if (iteration >= opt.iterations) {
        capped_ = select(active, one, capped_);
        return;
      }

      factor(active);
      const Lane curvature = tree_.solve(step_);
      const Lane slope0 = dot(g_, step_);
      const Lane decrement = -(half * slope0);
      Mask small = decrement <= Lane(kNoise<Real>) * (smooth_ + gauss_);
      if (kSinglePrecision<Real> || iteration > 0) small = small | (scale_ * decrement < tol);
      active = active & !small & (slope0 < zero);
      if (!any(active)) return;

      // Slopes of the constraints at 0 and 1, and in full at 1.
      Lane at0 = zero;
      Slope<Lane> at1{zero, zero};
      Mask same(true);
      single_.step(step_, at0, at1, same);
      coupled_.step(step_, at0, at1, same);
      ground_.step(tree_.S, at0, at1, same);
      const Lane inertial = slope0 - at0;  // slope of 1/2 x'M x at 0
      Lane gtol = tol * Lane(opt.ls_tolerance) * math::sqrt(dot(step_, step_)) / scale_;
      if (kSinglePrecision<Real>) gtol = math::max(gtol, Lane(Real(-1e-3)) * slope0);
      at1.first += inertial + curvature;
      at1.second += curvature;
      alpha = line_search(active, same, at1, inertial, curvature, gtol, opt.ls_iterations);
      same = same & (alpha == one);
      niter_ += select(active, one, zero);
      const Lane more = alpha * fma(half * alpha, curvature, inertial);
      gauss_ = select(active, gauss_ + more, gauss_);
      if constexpr (kSinglePrecision<Real>) {
        run_ = active & !same;
      } else {
        Lane now = single_.cost(alpha);
        now += coupled_.cost(alpha);
        now += ground_.cost(alpha);
        const Lane improvement = scale_ * ((cost_ - now) - more);
        run_ = active & !((improvement > zero) & (improvement < tol)) & !(same & same_before_);
        cost_ = select(active, now, cost_);
        same_before_ = same;
      }
    }
  }

  // Finish the given lanes in packs of half the width. False: memory lacks.
  SB_HD bool continue_narrow(int iteration, unsigned lanes) {
#if defined(__AVX512F__)
    using Narrow = typename HalfOf<Lane>::type;
    const LaneMap<Lane> map(lanes);
    Workspace w(c_->d.workspace, c_->d.workspace_bytes, memory_);
    const std::size_t nv = std::size_t(c_->p.nv);
    model::Scratch<Narrow> d{};
    const model::State<Narrow> s{};
    const Context<Narrow> c{c_->p, c_->pairs, s, d, c_->options, false};
    d.cdof = w.take<Narrow>(6 * nv);
    TreeNewton<Narrow> narrow;
    narrow.c_ = &c;
    narrow.take_vectors(w);
    if (w.full() || !narrow.tree_.adopt(c, tree_, map, w) ||
        !narrow.ground_.adopt(ground_, map, w) || !narrow.coupled_.adopt(coupled_, map, w) ||
        !narrow.single_.adopt(single_, map, w)) {
      return false;
    }
    map.take(c_->d.cdof, int(6 * nv), d.cdof);
    map.take(x_, int(nv), narrow.x_);
    for (std::size_t i = 0; i < nv; ++i) narrow.step_[i] = Narrow(Real(0));
    narrow.scale_ = map.take(scale_);
    narrow.smooth_ = map.take(smooth_);
    narrow.cost_ = map.take(cost_);
    narrow.gauss_ = map.take(gauss_);
    narrow.niter_ = map.take(niter_);
    narrow.capped_ = map.take(capped_);
    narrow.same_before_ = map.take_mask(same_before_);
    narrow.run_ = map.mask();
    narrow.iterate(iteration, MaskOf<Narrow>(false));
    map.give(narrow.x_, int(nv), x_);
    map.give(narrow.niter_, niter_);
    map.give(narrow.capped_, capped_);
    narrow.ground_.return_u(ground_, map);
    narrow.coupled_.return_u(coupled_, map);
    narrow.single_.return_u(single_, map);
#endif
    return true;
  }

  SB_HD void take_vectors(Workspace& w) {
    const std::size_t nv = std::size_t(c_->p.nv);
    x_ = w.take<Lane>(nv);
    g_ = w.take<Lane>(nv);
    step_ = w.take<Lane>(nv);
    force_ = w.take<Lane>(nv);
  }

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

  // u at qacc_smooth, v to the warm start. Returns the lanes that start there; cost_ and gauss_ are
  // those at the start point.
  SB_HD Mask start() {
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
    cost_ = select(take, hot, cold);
    gauss_ = select(take, energy, zero);
    return take;
  }

  // One step of length alpha where `active`; the forces of the blocks that lanes of run_ have.
  SB_HD void move(Mask active, Lane alpha) {
    const int nv = c_->p.nv;
    // Selecting what is added, not the sum, spares a masked store; where not active, 0 x 0 is
    // added.
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
    single_.move(active, run_, alpha, [&](int dof) {
      tree_.dirty[tree_.links.of_dof[dof]] |= Articulated<Lane>::kPivot;
    });
    coupled_.move(active, alpha);
    ground_.move(active, run_, alpha, tree_.wrench, tree_.dirty);
  }

  // H at u, and the half-solved step for -g.
  SB_HD void factor(Mask active) {
    const auto& p = c_->p;
    for (int i = 0; i < p.nv; ++i) tree_.diag[i] = Lane(p.derived.dof_arm[i]);
    single_.add_pivots(tree_.diag);
    tree_.factor(
        g_, [&](int k, Lane* Y) { ground_.add_inertia(k, active, Y); },
        [&](int dof, Lane(&D)[3][3]) { single_.add_ball(dof, D); });
    coupled_.correct(tree_, active);
  }

  // Step length where `active` (whose slope at 0 is negative); where `same`, the full step is the
  // minimum. full: slope and curvature at 1.
  SB_HD Lane line_search(Mask active, Mask same, const Slope<Lane>& full, Lane inertial,
                         Lane curvature, Lane gtol, int iterations) {
    const Mask stop = same | !active;
    return search_line(stop, gtol, iterations, [&](int k, Lane alpha, const Mask& done) {
      if (k == 0) return full;
      Slope<Lane> s{fma(alpha, curvature, inertial), curvature};
      const unsigned need = math::bits_of(!done);
      single_.slope(alpha, s);
      coupled_.slope(need, alpha, s);
      ground_.slope(need, alpha, s);
      return s;
    });
  }

  const Context<Lane>* c_;
  std::size_t memory_;      // bytes of the workspace in use
  Mask run_, same_before_;  // lanes that go on; whose last step was full and on one piece
  Lane scale_, smooth_;     // MuJoCo's cost scale; |qacc_smooth . qfrc_smooth|
  Lane cost_, gauss_;       // of the constraints; 1/2 x'M x
  Lane niter_, capped_;
  Articulated<Lane> tree_;
  GroundContacts<Lane> ground_;
  CoupledContacts<Lane> coupled_;
  SingleRows<Lane> single_;
  Lane *x_, *g_, *step_, *force_;
};

}  // namespace stepbench::contact::inline SB_ISA
