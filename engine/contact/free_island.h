// Inexact Newton for one island of many free bodies: gradient, costs and line search in the
// precision of the run, matrix and inner iteration in single precision.
//
// Source: large_islands.md 0-3. The same minimiser, start, line search and stopping rules as
// minimise.h; a step's direction is only as exact as the gradient's decrease so far warrants
// (forcing terms of Eisenstat and Walker, SIAM J. Sci. Comput. 17, 1996). The single precision of
// the inner iteration limits the number of steps, not their result.
//
// Bodies move in world axes (contact_packs.h): a rotation of the angular dofs, which changes no
// norm. The unknown is x = qacc - qacc_smooth.
#pragma once

#include "engine/contact/block_rows.h"
#include "engine/contact/minimise.h"

namespace stepbench::contact::inline SB_ISA {

// Up to this many bodies, and for chains and trees of any size, a direct factor is as fast and
// exact.
inline constexpr int kDirectBodies = 8;
// More inner iterations than this in one step: contacts so stiff that islands up to kStiffBodies
// are solved faster by the direct factor.
inline constexpr int kStiffInner = 150, kStiffBodies = 128, kMaxInner = 500;

template <class Real>
class FreeIsland {
 public:
  // Whether an island is made of free bodies and contacts alone, is large enough, and has cycles
  // (more touching pairs than a tree).
  static SB_HD bool suits(const Context<Real>& c, const Range& range) {
    if (range.nspan <= kDirectBodies || range.nsc > 0) return false;
    for (int i = 0; i < range.nspan; ++i) {
      if (c.p.derived.tree_free[c.p.dof_treeid[range.dof_begin[i]]] != 2) return false;
    }
    const Blocks& b = blocks_of(c.d);
    int pairs = 0, first = -1, last = -1;
    for (int k = 0; k < range.ncon; ++k) {
      const int slot = range.con[k], n = b.con_ndof[slot];
      const int* dof = b.dof + b.con_dofadr[slot];
      if (n != 12 || (dof[0] == first && dof[11] == last)) continue;
      ++pairs;  // contacts of a pair follow one another
      first = dof[0];
      last = dof[11];
    }
    return pairs >= range.nspan;
  }

  enum Outcome { kDone, kMemory, kOther };  // kOther: the direct factor does it better

  // Writes qacc and qfrc_constraint of the island and raises out_niter and out_capped.
  // local (ntree): working memory.
  SB_HD Outcome solve(const Context<Real>& c, const Range& range, Workspace w, int* local) {
    c_ = &c;
    range_ = range;
    n_ = range.nspan;
    packs_.bind(c, range, w);
    const std::size_t size = std::size_t((n_ + 1) * kBodyRow);
    for (Real** a : {&x_, &g_, &step_, &Mx_, &Mstep_}) *a = w.take<Real>(size);
    mass_ = w.take<Real>(std::size_t(n_ * kBlock));
    if (!w.full()) {
      for (int i = 0; i < n_; ++i) local[c.p.dof_treeid[range.dof_begin[i]]] = i;
      load_packs(local);
    }
    if (w.full() || !rows_.prepare(packs_, n_, w)) {
      c.d.need_workspace = w.bytes();
      return kMemory;
    }
    load_mass();
    return iterate() ? kDone : kOther;
  }

 private:
  SB_HD bool iterate() {
    const auto& opt = c_->p.opt;
    auto& d = c_->d;
    const Real tol = opt.tolerance;
    const Real scale = Real(1) / math::max(trace(), math::kMinVal<Real>);
    Real cost = start();  // of the contacts at u
    Real alpha = Real(0), before = Real(0), smallest = Real(-1);
    int niter = 0, stuck = 0;
    bool capped = false, last = false, assembled = false, at_rounding = false;
    for (;;) {
      for (int i = 0; i < n_ * kBodyRow; ++i) g_[i] = Mx_[i];
      packs_.subtract_forces(alpha, g_);
      const Real norm = math::sqrt(dot(g_, g_));
      if (last || (norm * scale < tol && (niter > 0 || starts_at_minimum(scale)))) break;
      if (niter >= opt.iterations) {
        capped = true;
        break;
      }
      if (smallest < Real(0) || norm < smallest) {
        smallest = norm;
        stuck = 0;
      } else if (at_rounding && ++stuck > 3) {
        break;  // neither cost nor gradient can be made smaller
      }
      const bool fresh = !assembled;
      if (fresh) {
        rows_.assemble(mass_);
      } else {
        rows_.update(kUpdateThreshold);
      }
      rows_.invert_diagonal();
      const Real ratio = niter == 0 ? Real(1) : norm / before;
      const Real eta = math::clamp(Real(0.9) * ratio * ratio, Real(0.02), Real(0.1));
      before = norm;
      const Real target = math::max(eta * norm, Real(0.3) * tol / scale);
      const bool stiff_ends = n_ <= kStiffBodies;
      assembled = rows_.solve(g_, step_, target, stiff_ends ? kStiffInner : kMaxInner);
      if (!assembled && stiff_ends) return false;
      const Real slope0 = dot(g_, step_);
      if (!(slope0 < Real(0))) {
        // Rounding of many updates: once more with a new matrix.
        if (fresh) break;
        assembled = false;
        alpha = Real(0);
        continue;
      }

      packs_.product(step_);
      multiply_mass(step_, Mstep_);
      const Real gauss = dot(step_, Mx_), curvature = dot(step_, Mstep_);
      // A tenth of the first slope will do: an inexact direction is not worth an exact minimum.
      const Real gtol = math::max(tol * opt.ls_tolerance * math::sqrt(dot(step_, step_)) / scale,
                                  Real(-0.1) * slope0);
      Real now = cost;
      alpha = search(gauss, curvature, gtol, now);
      const Real improvement = cost - now - alpha * (gauss + Real(0.5) * alpha * curvature);
      at_rounding = !(improvement > (kSinglePrecision<Real> ? Real(1e-5) : Real(1e-13)) * now);
      cost = now;
      for (int i = 0; i < n_ * kBodyRow; ++i) {
        x_[i] = fma(alpha, step_[i], x_[i]);
        Mx_[i] = fma(alpha, Mstep_[i], Mx_[i]);
      }
      ++niter;
      if (kSinglePrecision<Real>) {
        last = Real(-0.5) * slope0 * scale < tol;
      } else {
        // Below this the difference of two costs is mostly rounding: the gradient alone decides.
        last = improvement > Real(0) && improvement * scale < tol && tol >= Real(1e-10);
      }
    }
    finish();
    d.out_niter[0] = math::max(d.out_niter[0], Real(niter));
    d.out_capped[0] = math::max(d.out_capped[0], Real(capped));
    return true;
  }

  static constexpr float kUpdateThreshold = 0.01f;

  // Step length along v from u: Newton's method on the slope, with a bracket. cost: of the
  // contacts at the step taken.
  SB_HD Real search(Real gauss, Real curvature, Real gtol, Real& cost) const {
    const auto& opt = c_->p.opt;
    Real alpha = Real(1), low = Real(0), high = Real(1e15);
    for (int k = 0;; ++k) {
      const LinePoint<Real> at = packs_.along(alpha);
      const Real slope = fma(alpha, curvature, gauss) + at.first;
      cost = at.cost;
      if (math::abs(slope) <= gtol || k >= opt.ls_iterations) return alpha;
      (slope < Real(0) ? low : high) = alpha;
      const Real newton = alpha - slope / (curvature + at.second);
      const bool inside = newton > low && newton < high;
      const Real next = inside ? newton : Real(0.5) * (low + high);
      if (newton == alpha || next == alpha) return alpha;
      alpha = next;
    }
  }

  // The cheaper of the warm start and the smooth acceleration; returns the contacts' cost there.
  SB_HD Real start() {
    const auto& p = c_->p;
    const auto& d = c_->d;
    for (int i = 0; i < (n_ + 1) * kBodyRow; ++i) x_[i] = Mx_[i] = step_[i] = g_[i] = Real(0);
    to_world(d.qacc_smooth, nullptr, step_);
    packs_.product(step_);
    packs_.advance(Real(1));
    if (p.opt.disableflags & model::kDsblWarmstart) {
      return packs_.along(Real(0)).cost;
    }
    to_world(c_->s.qacc_warmstart, d.qacc_smooth, step_);
    packs_.product(step_);
    multiply_mass(step_, Mstep_);
    const Real cold = packs_.along(Real(0)).cost, warm = packs_.along(Real(1)).cost;
    if (!(warm + Real(0.5) * dot(step_, Mstep_) <= cold)) return cold;
    packs_.advance(Real(1));
    for (int i = 0; i < n_ * kBodyRow; ++i) {
      x_[i] = step_[i];
      Mx_[i] = Mstep_[i];
    }
    return warm;
  }

  // A small gradient alone does not end the solve before its first step (minimise.h).
  SB_HD bool starts_at_minimum(Real scale) {
    const BlockOps<Real> ops(*c_, range_);
    Real* q = c_->d.sol_step;
    to_dofs(g_, nullptr, q);
    ops.for_dofs([&](int i) { c_->d.sol_grad[i] = q[i]; });
    detail::solve_M(*c_, ops, range_, q);
    return Real(0.5) * scale * ops.dot(c_->d.sol_grad, q) < c_->p.opt.tolerance;
  }

  // qacc and the constraint forces M x - g.
  SB_HD void finish() {
    auto& d = c_->d;
    to_dofs(x_, d.qacc_smooth, d.qacc);
    for (int i = 0; i < n_ * kBodyRow; ++i) Mstep_[i] = Mx_[i] - g_[i];
    to_dofs(Mstep_, nullptr, d.qfrc_constraint);
  }

  SB_HD void load_packs(const int* local) {
    const auto& p = c_->p;
    for (int i = 0; i < (n_ + 1) * kBodyRow; ++i) x_[i] = step_[i] = Real(0);
    for (int i = 0; i < n_; ++i) {
      const Real* from = c_->d.xpos + 3 * p.tree_bodyadr[p.dof_treeid[range_.dof_begin[i]]];
      for (int k = 0; k < 3; ++k) x_[kBodyRow * i + k] = from[k];
    }
    to_world(c_->s.qvel, nullptr, step_);
    packs_.load(x_, step_, n_, local);
  }

  // World axis k of a body's angular dofs.
  SB_INLINE const Real* axis(int body, int k) const {
    return c_->d.cdof + 6 * (range_.dof_begin[body] + 3 + k);
  }

  // y = rows of a - b (b may be null).
  SB_HD void to_world(const Real* a, const Real* b, Real* y) const {
    for (int i = 0; i < n_; ++i) {
      const int dof = range_.dof_begin[i];
      Real q[6];
      for (int k = 0; k < 6; ++k) q[k] = b == nullptr ? a[dof + k] : a[dof + k] - b[dof + k];
      Real* to = y + kBodyRow * i;
      for (int k = 0; k < 3; ++k) {
        to[k] = q[k];
        to[3 + k] = fma(axis(i, 2)[k], q[5], fma(axis(i, 1)[k], q[4], axis(i, 0)[k] * q[3]));
      }
    }
  }

  // a at the island's dofs = rows of y + b (b may be null).
  SB_HD void to_dofs(const Real* y, const Real* b, Real* a) const {
    for (int i = 0; i < n_; ++i) {
      const int dof = range_.dof_begin[i];
      const Real* from = y + kBodyRow * i;
      for (int k = 0; k < 3; ++k) {
        const Real* e = axis(i, k);
        const Real turn = fma(e[2], from[5], fma(e[1], from[4], e[0] * from[3]));
        a[dof + k] = b == nullptr ? from[k] : from[k] + b[dof + k];
        a[dof + 3 + k] = b == nullptr ? turn : turn + b[dof + 3 + k];
      }
    }
  }

  // Mass matrices in world axes, six columns of kBodyRow each.
  SB_HD void load_mass() {
    const auto& p = c_->p;
    const auto& d = c_->d;
    for (int b = 0; b < n_; ++b) {
      const int dof = range_.dof_begin[b];
      // Lower triangle of M by rows: i + 1 entries in row i.
      const Real *e[3] = {axis(b, 0), axis(b, 1), axis(b, 2)}, *m[6];
      for (int i = 0; i < 6; ++i) m[i] = d.M + p.M_rowadr[dof + i];
      Real* to = mass_ + kBlock * b;
      for (int i = 0; i < kBlock; ++i) to[i] = Real(0);
      const auto put = [&](int i, int j, Real x) {
        to[kBodyRow * i + j] = to[kBodyRow * j + i] = x;
      };
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) put(i, j, m[i][j]);
        // Column i of the rows for rotation, turned.
        for (int k = 0; k < 3; ++k) {
          put(3 + k, i, fma(e[2][k], m[5][i], fma(e[1][k], m[4][i], e[0][k] * m[3][i])));
        }
      }
      Real half[3][3];  // R A
      for (int j = 0; j < 3; ++j) {
        const Real a0 = m[3 + j][3], a1 = j > 0 ? m[3 + j][4] : m[4][3],
                   a2 = j > 1 ? m[5][5] : m[5][3 + j];
        for (int k = 0; k < 3; ++k) {
          half[k][j] = fma(e[2][k], a2, fma(e[1][k], a1, e[0][k] * a0));
        }
      }
      for (int k = 0; k < 3; ++k) {
        for (int j = 0; j <= k; ++j) {
          put(3 + k, 3 + j,
              fma(half[k][2], e[2][j], fma(half[k][1], e[1][j], half[k][0] * e[0][j])));
        }
      }
    }
  }

  SB_HD void multiply_mass(const Real* x, Real* y) const {
    constexpr int W = kWidth<Chunk<Real>>;
    for (int b = 0; b < n_; ++b) {
      const Real *m = mass_ + kBlock * b, *v = x + kBodyRow * b;
      for (int j = 0; j < kBodyRow; j += W) {
        Chunk<Real> s = chunk(m + j) * Chunk<Real>(v[0]);
        for (int k = 1; k < 6; ++k) s = fma(chunk(m + kBodyRow * k + j), Chunk<Real>(v[k]), s);
        chunk(y + kBodyRow * b + j) = s;
      }
    }
  }

  // Sums per element of a row and body modulo four, added in pairs.
  SB_HD Real dot(const Real* a, const Real* b) const {
    constexpr int W = kWidth<Chunk<Real>>;
    alignas(64) Real sum[4 * kBodyRow];
    for (int j = 0; j < kBodyRow; j += W) {
      Chunk<Real> s[4];
      for (int k = 0; k < 4; ++k) s[k] = Chunk<Real>(Real(0));
      int i = 0;
      for (; i + 4 <= n_; i += 4) {
        SB_UNROLL
        for (int k = 0; k < 4; ++k) {
          const int at = kBodyRow * (i + k) + j;
          s[k] = fma(chunk(a + at), chunk(b + at), s[k]);
        }
      }
      for (int k = 0; i < n_; ++i, ++k) {
        s[k] = fma(chunk(a + kBodyRow * i + j), chunk(b + kBodyRow * i + j), s[k]);
      }
      chunk(sum + j) = (s[0] + s[1]) + (s[2] + s[3]);
    }
    return sum_lanes(sum);
  }

  SB_HD Real trace() const {
    Real sum(0);
    for (int b = 0; b < n_; ++b) {
      for (int k = 0; k < 6; ++k) sum += mass_[kBlock * b + (kBodyRow + 1) * k];
    }
    return sum;
  }

  const Context<Real>* c_;
  Range range_;
  int n_;
  ContactPacks<Real> packs_;
  BlockRows<Real> rows_;
  Real *x_, *g_, *step_, *Mx_, *Mstep_;  // kBodyRow per body
  Real* mass_;
};

}  // namespace stepbench::contact::inline SB_ISA
