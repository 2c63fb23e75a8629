// Implicit-in-velocity accelerations: MuJoCo's mj_EulerSkip and mj_implicitSkip (manual, "Numerical
// integration"; reference mujoco_warp 6.11).
//
// Solve (M + h D) a = qfrc_smooth + qfrc_constraint. Euler: D is the derivative of joint damping.
// implicitfast: also the velocity derivative of actuator forces, except of those that sit on a
// limit; and for a free body that carries no joints ("standalone"), the derivative of its bias
// forces, which makes its 6 x 6 block unsymmetric.
//
// Reads M, qLD, qLDiagInv, qvel, actuator_force, qfrc_*, cdof, cvel, cinert. Writes qtmp[0, nv): a.
// Uses up qLD, qLDiagInv.
#pragma once

#include "engine/dynamics/actuation.h"
#include "engine/dynamics/factor.h"
#include "engine/dynamics/inertia.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Whether joint damping acts on dof i.
template <class Real>
SB_HD bool damped(const model::Params<Real>& m, int i) {
  const Real* b = m.derived.dof_damp + 3 * i;
  return m.derived.has_damping && (b[0] != Real(0) || b[1] != Real(0) || b[2] != Real(0));
}

// d/dv of (b0 + b1 |v| + b2 v^2) v.
template <class Lane>
SB_INLINE Lane damping_slope(const model::Params<RealOf<Lane>>& m, int i, Lane v) {
  using Real = RealOf<Lane>;
  const Real* b = m.derived.dof_damp + 3 * i;
  if (b[1] == Real(0) && b[2] == Real(0)) return Lane(b[0]);
  const Lane speed = math::abs(v);
  return fma(speed, fma(speed, Lane(Real(3) * b[2]), Lane(Real(2) * b[1])), Lane(b[0]));
}

// d force / d velocity of an actuator; 0 in lanes where the force or its joint's total is on a
// limit.
template <class Lane>
SB_INLINE Lane actuator_slope(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                              const model::Scratch<Lane>& d, int i) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0));
  Lane slope = zero;
  if (m.actuator_biastype[i] == model::kBiasAffine) slope = Lane(m.actuator_biasprm[10 * i + 2]);
  if (m.actuator_gaintype[i] == model::kGainAffine) {
    slope = fma(Lane(m.actuator_gainprm[10 * i + 2]),
                actuator_input(m, s, d, i, clamped_control(m, s, i)), slope);
  }
  const auto within = [&](Lane f, const Real* range) {
    slope = select((f > Lane(range[0])) & (f < Lane(range[1])), slope, zero);
  };
  if (m.actuator_forcelimited[i]) within(d.actuator_force[i], m.actuator_forcerange + 2 * i);
  const int j = m.actuator_trnid[2 * i];
  if (is_scalar(m, i) && m.jnt_actfrclimited[j]) {
    within(d.qfrc_actuator[m.jnt_dofadr[j]], m.jnt_actfrcrange + 2 * j);
  }
  return slope;
}

template <class Real>
SB_HD bool has_slope(const model::Params<Real>& m, int i) {
  const bool gain =
      m.actuator_gaintype[i] == model::kGainAffine && m.actuator_gainprm[10 * i + 2] != Real(0);
  const bool bias =
      m.actuator_biastype[i] == model::kBiasAffine && m.actuator_biasprm[10 * i + 2] != Real(0);
  return !m.actuator_disabled[i] && (gain || bias);
}

// -h moment^T slope moment of the actuators: on hinges and slides to the diagonal `extra`, on balls
// and free joints to the lower triangle of A.
template <class Lane>
SB_INLINE void add_actuator_slopes(const model::Params<RealOf<Lane>>& m,
                                   const model::State<Lane>& s, const model::Scratch<Lane>& d,
                                   Lane* extra, Lane* A) {
  for (int i = 0; i < m.nu; ++i) {
    if (!has_slope(m, i)) continue;
    const Lane slope = actuator_slope(m, s, d, i) * m.opt.timestep;
    if (is_scalar(m, i)) {
      const Lane gear = Lane(m.actuator_gear[6 * i]);
      Lane& sum = extra[m.jnt_dofadr[m.actuator_trnid[2 * i]]];
      sum = fnma(slope * gear, gear, sum);
      continue;
    }
    const Transmission<Lane> t = transmission(m, s, i);
    for (int k = 0; k < t.n; ++k) {
      Lane* row = A + m.M_rowadr[t.dof + k] + m.M_rownnz[t.dof + k] - 1 - k;
      const Lane f = slope * t.moment[k];
      for (int l = 0; l <= k; ++l) row[l] = fnma(f, t.moment[l], row[l]);
    }
  }
}

// Solve A x = b without pivoting, in place. The symmetric part of A is positive definite for h |w|
// below 1.
template <class Lane>
SB_INLINE void solve6(Lane (&A)[6][6], Lane (&b)[6]) {
  using Real = RealOf<Lane>;
  Lane inv[6];
  SB_UNROLL for (int k = 0; k < 6; ++k) {
    inv[k] = Lane(Real(1)) / A[k][k];
    SB_UNROLL for (int i = k + 1; i < 6; ++i) {
      const Lane l = A[i][k] * inv[k];
      SB_UNROLL for (int j = k + 1; j < 6; ++j) A[i][j] = fnma(l, A[k][j], A[i][j]);
      b[i] = fnma(l, b[k], b[i]);
    }
  }
  SB_UNROLL for (int k = 5; k >= 0; --k) {
    SB_UNROLL for (int j = k + 1; j < 6; ++j) b[k] = fnma(A[k][j], b[j], b[k]);
    b[k] *= inv[k];
  }
}

// The block of a standalone free body. With r from its origin to the centre of mass, about which
// its composite inertia I is taken, and w its angular velocity: bias force m w x (w x r), bias
// moment about the origin r x m w x (w x r) + w x I w; their derivatives along the body's axes a_k
// enter column 3 + k.
template <class Lane>
SB_INLINE void solve_free_body(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d, int t,
                               const Lane* M, const Lane* extra, Lane* x) {
  const int root = m.tree_bodyadr[t], dof = m.tree_dofadr[t];
  const Lane h = Lane(m.opt.timestep);
  Lane A[6][6], b[6];
  SB_UNROLL for (int i = 0; i < 6; ++i) {
    b[i] = x[dof + i];
    SB_UNROLL for (int j = 0; j <= i; ++j) { A[i][j] = A[j][i] = M[m.M_rowadr[dof + i] + j]; }
    if (extra != nullptr) A[i][i] += extra[dof + i];
  }
  const Inertia<Lane> inertia = load_inertia(composite(m, d, root));
  const Vec3<Lane> r = load3(d.subtree_com + 3 * t) - load3(d.xpos + 3 * root);
  const Vec3<Lane> w = load3(d.cvel + 6 * root);
  const auto turn = [&](Vec3<Lane> v) { return mul(inertia, Spatial<Lane>{v, zero3<Lane>()}).ang; };
  const Vec3<Lane> wr = cross(w, r), Iw = turn(w);
  SB_UNROLL for (int k = 0; k < 3; ++k) {
    const Vec3<Lane> a = load3(d.cdof + 6 * (dof + 3 + k));
    const Vec3<Lane> f = (inertia.m * h) * cross_add(a, wr, cross(w, cross(a, r)));
    const Vec3<Lane> n = cross_add(r, f, h * cross_add(a, Iw, cross(w, turn(a))));
    A[0][3 + k] += f.x;
    A[1][3 + k] += f.y;
    A[2][3 + k] += f.z;
    SB_UNROLL for (int j = 0; j < 3; ++j) {
      A[3 + j][3 + k] += dot(load3(d.cdof + 6 * (dof + 3 + j)), n);
    }
  }
  solve6(A, b);
  SB_UNROLL for (int i = 0; i < 6; ++i) x[dof + i] = b[i];
}

}  // namespace detail

template <class Lane>
SB_HD void implicit_acceleration(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                                 model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  const bool fast = m.opt.integrator == model::kImplicitFast;
  const bool actuators = fast && m.derived.has_implicit_actuator;
  Lane* x = d.qtmp;
  for (int i = 0; i < m.nv; ++i) x[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];

  // M + h D, as M (or a copy with what balls and free joints add) and an addition to its diagonal.
  const Lane* M = d.M;
  Lane* extra = nullptr;
  if (m.derived.has_damping || actuators) {
    extra = d.qtmp + m.nv;
    for (int i = 0; i < m.nv; ++i) {
      extra[i] = detail::damped(m, i) ? detail::damping_slope(m, i, s.qvel[i]) * m.opt.timestep
                                      : Lane(Real(0));
    }
  }
  if (actuators) {
    bool copies = false;
    for (int i = 0; i < m.nu; ++i) {
      copies = copies || (detail::has_slope(m, i) && !is_scalar(m, i));
    }
    if (copies) {
      for (int i = 0; i < m.nM; ++i) d.qLD[i] = d.M[i];
      M = d.qLD;
    }
    detail::add_actuator_slopes(m, s, d, extra, d.qLD);
  }
  for (int t = 0; t < m.ntree; ++t) {
    const int begin = m.tree_dofadr[t], end = begin + m.tree_dofnum[t];
    if (fast && m.derived.tree_free[t] == 2) {
      detail::solve_free_body(m, d, t, M, extra, x);
      continue;
    }
    if (extra != nullptr) factor_range(m, M, extra, d.qLD, d.qLDiagInv, begin, end);
    solve_range(m, d.qLD, d.qLDiagInv, x, begin, end);
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
