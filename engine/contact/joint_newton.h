// The Newton iteration of lanes whose constraints all act on single dofs: limits and friction loss,
// no contact. newton.h says what and why.
//
// With r such rows, J = S (signs) on their dofs and A = J M^-1 J', a step is found among r numbers.
// From the start point a_0 with gradient g_0 and forces f_0, every iterate is
//   a = a_0 + M^-1 ((e - 1) g_0 + J' y),   gradient e g_0 + J' q,   q = y - (f - f_0),
// and the Newton step M^-1 (J' p - e g_0) has, for weights W and C = 1 + W^1/2 A W^1/2 (Woodbury),
//   p = W^1/2 C^-1 W^1/2 (e J M^-1 g_0 + A q) - q.
// All products follow from J M^-1 g_0, A and E = g_0' M^-1 g_0, which half solves with the factor
// at hand give: M^-1 = L^-1 D^-1 L^-T. Rows that a lane lacks have weight 0 and change none of its
// bits. Forces that hold each other (both limits of a joint within their margins) leave rounding in
// q and in slopes that is no descent: the tests count it as noise. E bounds the decrement, since H
// - M is positive semidefinite: a warm start inside the tolerance, the usual case of an arm that
// rests on a limit, ends there.
//
// Which lanes come here depends on each lane alone, and on the model: trees of hinges and slides,
// where contacts are rare, with friction loss on few dofs.
#pragma once

#include "engine/contact/minimise.h"
#include "engine/dynamics/factor.h"

namespace stepbench::contact::inline SB_ISA {

// Rounding noise of a sum of products, relative to their sizes.
template <class Real>
inline constexpr Real kRounding = kSinglePrecision<Real> ? Real(4e-7) : Real(7e-16);

template <class Lane>
class JointNewton {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  // Lanes that belong here, if they have any rows at all.
  static SB_HD Mask lanes(const Context<Lane>& c) {
    if (c.p.derived.nlink == 0 || c.p.derived.nfrictionloss > kMaxFriction) return Mask(false);
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
    const Blocks& b = blocks_of(c.d);
    const std::size_t n = std::size_t(b.nsc), nv = std::size_t(c.p.nv);
    Workspace w(c.d.workspace, c.d.workspace_bytes, b.bytes);
    half_ = w.take<Lane>(n * nv);
    scaled_ = w.take<Lane>(n * nv);
    A_ = w.take<Lane>(n * (n + 1) / 2);
    C_ = w.take<Lane>(n * (n + 1) / 2);
    row_ = w.take<Row>(n);
    id_ = w.take<int>(n);
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
    Lane* g0 = d.sol_Ma;  // M (qacc - qacc_smooth) of the start, then the gradient there
    Lane* g = d.sol_grad;
    Lane* up = d.sol_step;  // L^-T g_0

    Lane cost = start(c, ops, run, g0);
    ops.add_forces(Real(-1), g0);
    for (int i = 0; i < p.nv; ++i) up[i] = g0[i];
    dynamics::solve_upward_range(p, d.qLD, up, 0, p.nv);
    const Lane E = over_D(d.qLDiagInv, up, p.nv);
    Mask active = run, same_before(false);
    if constexpr (kSinglePrecision<Real>) {
      active = active & !(half * scale * E < tol);
    } else {
      active = active & !((math::sqrt(ops.dot(g0, g0)) * scale < tol) & (half * scale * E < tol));
    }
    Lane niter = zero, capped = zero, e = one;
    if (any(active)) {
      prepare_rows(c, active, up);
      const Lane energies = energy(c, ops);
      for (int iteration = 0;; ++iteration) {
        for_rows([&](int id, Row& row, int) {
          row.weight = select(scalar_hessian(row.eta, d.sc_D[id], d.sc_u[id]) > zero,
                              math::sqrt(d.sc_D[id]), zero);
          row.f = scalar_force(row.eta, d.sc_D[id], d.sc_u[id]);
          if (iteration == 0) row.f0 = row.f;
          row.q = row.y - (row.f - row.f0);
        });
        if (iteration > 0) {
          for (int i = 0; i < p.nv; ++i) g[i] = e * g0[i];
          for_rows([&](int, Row& row, int) { g[row.dof] += row.signed_by(row.q); });
          active = active & !(math::sqrt(ops.dot(g, g)) * scale < tol);
        }
        if (!any(active)) break;
        if (iteration >= opt.iterations) {
          capped = select(active, one, capped);
          break;
        }
        newton_step(e);
        Lane slope0 = -(e * e * E), curvature = e * e * E, g0_step = -(e * E), gauss_slope = zero;
        Lane noise = energies, push = zero;
        for_rows([&](int id, Row& row, int k) {
          const Lane v = row.Ap - e * row.Jz;
          d.sc_v[id] = v;
          slope0 = fma(row.q, row.Ap, fma(e * row.Jz, row.p - row.q, slope0));
          curvature = fma(row.p, row.Ap, fnma(e * row.Jz, row.p + row.p, curvature));
          g0_step = fma(row.Jz, row.p, g0_step);
          gauss_slope = fma(row.f0 + row.y, v, gauss_slope);
          noise = fma(row.f * row.f, A_[tri(k, k)], noise);
          push += math::abs(row.f * v);
        });
        gauss_slope = fma(e, g0_step, gauss_slope);
        const Lane decrement = -(half * slope0);
        Mask small = decrement <= Lane(kNoise<Real>) * noise;
        if (kSinglePrecision<Real> || iteration > 0) small = small | (scale * decrement < tol);
        active = active & !small & (slope0 < zero);
        if (!any(active)) break;

        // |step| from its energy and the mean inertia.
        const Lane norm = math::sqrt(math::max(curvature, zero) * scale * Lane(Real(p.nv)));
        Lane gtol = tol * Lane(opt.ls_tolerance) * norm / scale;
        if (kSinglePrecision<Real>) gtol = math::max(gtol, Lane(Real(-1e-3)) * slope0);
        gtol = math::max(gtol, Lane(kRounding<Real>) * push);
        const Lane alpha =
            line_search(ops, active, slope0, gauss_slope, curvature, gtol, opt.ls_iterations);
        for_rows(
            [&](int, Row& row, int) { row.y = select(active, fma(alpha, row.p, row.y), row.y); });
        e = select(active, fnma(alpha, e, e), e);
        const Mask same = ops.move(active, alpha) & (alpha == one);
        niter += select(active, one, zero);
        if constexpr (kSinglePrecision<Real>) {
          active = active & !same;
        } else {
          // Change of the smooth part, exact along the step, and of the rows' cost.
          const Lane now = ops.cost(d.con_u, d.sc_u);
          const Lane change = alpha * fma(half * alpha, curvature, gauss_slope);
          const Lane improvement = scale * ((cost - now) - change);
          active = active & !((improvement > zero) & (improvement < tol)) & !(same & same_before);
          cost = now;
          same_before = same;
        }
      }
      finish(c, run, e, g0);
    }
    for (int i = 0; i < p.nv; ++i) g[i] = zero;
    ops.add_forces(Real(1), g);
    for (int i = 0; i < p.nv; ++i) d.qfrc_constraint[i] = select(run, g[i], d.qfrc_constraint[i]);
    d.out_niter[0] = select(run, niter, d.out_niter[0]);
    d.out_capped[0] = select(run, capped, d.out_capped[0]);
  }

 private:
  static constexpr int kMaxFriction = 8;

  struct Row {
    int dof;
    Real sign, eta;
    Lane Jz;  // row of J M^-1 g_0
    Lane f, f0, y, q, p;
    Lane Ap;      // row of A p
    Lane weight;  // W^1/2
    Lane s;       // of C^-1

    SB_INLINE Lane signed_by(Lane x) const { return sign < Real(0) ? -x : x; }
  };

  template <class F>
  SB_INLINE void for_rows(F&& f) {
    for (int k = 0; k < n_; ++k) f(id_[k], row_[k], k);
  }

  // The rows that some lane of `active` has: L^-T e_k over the ancestors of their dofs, A, and
  // J M^-1 g_0. up: L^-T g_0.
  SB_HD void prepare_rows(const Context<Lane>& c, Mask active, const Lane* up) {
    const auto& p = c.p;
    auto& d = c.d;
    const Blocks& b = blocks_of(d);
    const Lane zero(Real(0));
    n_ = 0;
    for (int i = 0; i < b.nsc; ++i) {
      const int id = b.sc[i];
      d.sc_v[id] = zero;
      if (!any(active & (d.sc_D[id] > zero))) continue;
      const ScalarRow<Lane> scalar = scalar_row(p, d, id);
      id_[n_] = id;
      Row& row = row_[n_];
      row.dof = scalar.dof;
      row.sign = scalar.sign;
      row.eta = scalar.eta;
      row.y = zero;
      row.Jz = half_solve(p, d, row, up, half_ + n_ * p.nv, scaled_ + n_ * p.nv);
      for (int l = 0; l <= n_; ++l) {
        const int m = shared(p, row.dof, row_[l].dof);
        A_[tri(n_, l)] = product(scaled_ + n_ * p.nv, half_ + l * p.nv, m);
      }
      ++n_;
    }
  }

  // x = L^-T e for a row's signed dof, over the dof's ancestors in ascending order and itself; D^-1
  // x; x' D^-1 up.
  static SB_HD Lane half_solve(const model::Params<Real>& p, const model::Scratch<Lane>& d,
                               const Row& row, const Lane* up, Lane* x, Lane* scaled) {
    const Lane zero(Real(0));
    const int n = p.M_rownnz[row.dof];
    const int* col = p.M_colind + p.M_rowadr[row.dof];
    const Lane* L[kMaxPackedDofs];
    for (int a = 0; a < n; ++a) L[a] = d.qLD + p.M_rowadr[col[a]];
    x[n - 1] = Lane(row.sign);
    Lane sum[2] = {zero, zero};
    for (int i = n - 1; i >= 0; --i) {
      if (i < n - 1) {
        Lane even = zero, odd = zero;
        int a = n - 1;
        for (; a > i + 1; a -= 2) {
          even = fnma(L[a][i], x[a], even);
          odd = fnma(L[a - 1][i], x[a - 1], odd);
        }
        if (a > i) even = fnma(L[a][i], x[a], even);
        x[i] = even + odd;
      }
      scaled[i] = x[i] * d.qLDiagInv[col[i]];
      sum[i & 1] = fma(scaled[i], up[col[i]], sum[i & 1]);
    }
    return sum[0] + sum[1];
  }

  // Ancestors that two dofs have in common, themselves included.
  static SB_HD int shared(const model::Params<Real>& p, int i, int j) {
    const int n = p.M_rownnz[i] < p.M_rownnz[j] ? p.M_rownnz[i] : p.M_rownnz[j];
    const int* a = p.M_colind + p.M_rowadr[i];
    const int* b = p.M_colind + p.M_rowadr[j];
    int k = n;
    while (k > 0 && a[k - 1] != b[k - 1]) --k;
    return k;
  }

  static SB_HD Lane product(const Lane* x, const Lane* y, int n) {
    Lane even(Real(0)), odd(Real(0));
    int i = 0;
    for (; i + 1 < n; i += 2) {
      even = fma(x[i], y[i], even);
      odd = fma(x[i + 1], y[i + 1], odd);
    }
    if (i < n) even = fma(x[i], y[i], even);
    return even + odd;
  }

  // p and A p of every row. C = L D L', D on the diagonal.
  SB_HD void newton_step(Lane e) {
    const Lane one(Real(1));
    multiply_A([](const Row& row) { return row.q; });
    for (int k = 0; k < n_; ++k) {
      Row& row = row_[k];
      row.s = row.weight * fma(e, row.Jz, row.Ap);
      for (int l = 0; l <= k; ++l) {
        Lane x = row.weight * A_[tri(k, l)] * row_[l].weight;
        if (l == k) x += one;
        for (int i = 0; i < l; ++i) {
          x = fnma(C_[tri(k, i)] * C_[tri(i, i)], C_[tri(l, i)], x);
        }
        C_[tri(k, l)] = l == k ? x : x / C_[tri(l, l)];
      }
      for (int l = 0; l < k; ++l) row.s = fnma(C_[tri(k, l)], row_[l].s, row.s);
    }
    for (int k = 0; k < n_; ++k) row_[k].s = row_[k].s / C_[tri(k, k)];
    for (int k = n_ - 1; k >= 0; --k) {
      for (int l = 0; l < k; ++l) row_[l].s = fnma(C_[tri(k, l)], row_[k].s, row_[l].s);
      row_[k].p = fma(row_[k].weight, row_[k].s, -row_[k].q);
    }
    multiply_A([](const Row& row) { return row.p; });
  }

  template <class X>
  SB_INLINE void multiply_A(X&& x) {
    for (int k = 0; k < n_; ++k) {
      Lane sum(Real(0));
      for (int l = 0; l < n_; ++l) {
        sum = fma(A_[k > l ? tri(k, l) : tri(l, k)], x(row_[l]), sum);
      }
      row_[k].Ap = sum;
    }
  }

  // qacc from the start point and the steps.
  SB_HD void finish(const Context<Lane>& c, Mask run, Lane e, const Lane* g0) {
    const auto& p = c.p;
    auto& d = c.d;
    Lane* x = d.sol_step;
    const Lane left = e - Lane(Real(1));
    for (int i = 0; i < p.nv; ++i) x[i] = left * g0[i];
    for_rows([&](int, Row& row, int) { x[row.dof] += row.signed_by(row.y); });
    dynamics::solve_LD(p, d.qLD, d.qLDiagInv, x);
    for (int i = 0; i < p.nv; ++i) d.qacc[i] = select(run, d.qacc[i] + x[i], d.qacc[i]);
  }

  // Cheaper of the warm start and the smooth acceleration: sets qacc, sc_u, M (qacc - qacc_smooth).
  // Returns the cost of the rows.
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
    const Lane warm = ops.cost(d.con_v, d.sc_v);
    const Lane inertia = Lane(Real(0.5)) * ops.dot(away, inertial);
    const Mask take = run & (warm + inertia <= cold);
    for (int i = 0; i < p.nv; ++i) {
      d.qacc[i] = select(take, c.s.qacc_warmstart[i] + zero, d.qacc[i]);
      inertial[i] = select(take, inertial[i], zero);
    }
    ops.for_scalars(
        [&](int id, const ScalarRow<Lane>&) { d.sc_u[id] = select(take, d.sc_v[id], d.sc_u[id]); });
    return select(take, warm, cold);
  }

  // x' D^-1 x
  static SB_HD Lane over_D(const Lane* inverse, const Lane* x, int n) {
    const Lane zero(Real(0));
    Lane sum[4] = {zero, zero, zero, zero};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
      SB_UNROLL
      for (int a = 0; a < 4; ++a) sum[a] = fma(x[i + a] * inverse[i + a], x[i + a], sum[a]);
    }
    for (int a = 0; i < n; ++i, ++a) sum[a] = fma(x[i] * inverse[i], x[i], sum[a]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  // Size of the energies at the start point, whose rounding is the noise of decrements. sol_Ma
  // holds the gradient there, of the same size as what it is made of at worst.
  static SB_HD Lane energy(const Context<Lane>& c, const BlockOps<Lane>& ops) {
    const auto& d = c.d;
    return math::abs(ops.dot(d.qacc, d.qfrc_smooth)) +
           math::abs(ops.dot(d.qacc_smooth, d.qfrc_smooth));
  }

  Lane *half_, *scaled_, *A_, *C_;
  Row* row_;
  int* id_;
  int n_ = 0;
};

}  // namespace stepbench::contact::inline SB_ISA
