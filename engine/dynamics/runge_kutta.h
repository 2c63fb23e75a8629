// Classic fourth-order Runge-Kutta: MuJoCo's mj_RungeKutta, in the form of 4.0.0.
//
// Stage i evaluates the dynamics at q_i = q_0 (+) h a_i K_{i-1}, v_i = v_0 + h a_i F_{i-1} with a =
// (0, 1/2, 1/2, 1), F_i = qacc; the end is q_0 (+) h sum b_i K_i, v_0 + h sum b_i F_i with b = (1,
// 2, 2, 1) / 6. K_i = v_i in linear coordinates. Orientations follow Munthe-Kaas (BIT 38, 1998;
// Applied Numerical Mathematics 29, 1999): with u = h a_i K_{i-1} the turn of this stage and w the
// angular velocity, in body axes,
//   K_i = w + 1/2 u x w + k u x (u x w),   k = (1 - (t/2) cot(t/2)) / t^2,   t = |u|,   k -> 1/12.
// Reference mujoco_warp 6.11.
#pragma once

#include "engine/dynamics/actuation.h"

namespace stepbench::dynamics::inline SB_ISA {

// to := from (+) h v for every joint; `to` may be `from`.
template <class Lane>
SB_INLINE void advance_positions(const model::Params<RealOf<Lane>>& m, const Lane* from,
                                 const Lane* v, Lane h, Lane* to) {
  for (int j = 0; j < m.njnt; ++j) {
    int q = m.jnt_qposadr[j], i = m.jnt_dofadr[j];
    const int type = m.jnt_type[j];
    if (type == model::kJntHinge || type == model::kJntSlide) {
      to[q] = fma(v[i], h, from[q]);
      continue;
    }
    if (type == model::kJntFree) {
      store3(to + q, fma(h, load3(v + i), load3(from + q)));
      q += 3;
      i += 3;
    }
    store4(to + q, math::integrate(load4(from + q), load3(v + i), h));
  }
}

template <class Lane>
SB_INLINE void advance_activations(const model::Params<RealOf<Lane>>& m,
                                   const model::State<Lane>& s, const Lane* act_dot) {
  if (m.na == 0 || (m.opt.disableflags & model::kDsblActuation)) return;
  for (int i = 0; i < m.nu; ++i) {
    const int a = m.actuator_actadr[i];
    if (a >= 0) s.act[a] = next_activation(m, i, s.act[a], act_dot[a]);
  }
}

namespace detail {

// K of a stage from its angular velocity w and its turn u.
template <class Lane>
SB_INLINE Vec3<Lane> corrected_rate(Vec3<Lane> w, Vec3<Lane> u) {
  using Real = RealOf<Lane>;
  const Lane t2 = dot(u, u);
  // Below t = 0.1 the series 1/12 + t^2/720 + t^4/30240 + t^6/1209600 is exact to rounding.
  const Lane series = math::detail::poly(t2, 1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600);
  const auto small = t2 < Lane(Real(0.01));
  const Lane half = math::sqrt(t2) * Real(0.5);
  Lane s, c;
  math::sincos(half, s, c);
  const Lane one = Lane(Real(1));
  const Lane cot = c / select(small, one, s);
  const Lane k = select(small, series, fnma(half, cot, one) / select(small, one, t2));
  const Vec3<Lane> uw = cross(u, w);
  return fma(k, cross(u, uw), fma(Lane(Real(0.5)), uw, w));
}

// K_i of all dofs; `last` is K_{i-1} and is overwritten. ha = h a_i; 0 in the first stage.
template <class Lane>
SB_INLINE void stage_rate(const model::Params<RealOf<Lane>>& m, const Lane* v, Lane ha, bool first,
                          Lane* k) {
  for (int j = 0; j < m.njnt; ++j) {
    int i = m.jnt_dofadr[j];
    const int type = m.jnt_type[j];
    if (type == model::kJntHinge || type == model::kJntSlide) {
      k[i] = v[i];
      continue;
    }
    if (type == model::kJntFree) {
      store3(k + i, load3(v + i));
      i += 3;
    }
    const Vec3<Lane> w = load3(v + i);
    store3(k + i, first ? w : corrected_rate(w, ha * load3(k + i)));
  }
}

}  // namespace detail

template <class Lane, class Forward>
SB_HD void runge_kutta(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                       model::Scratch<Lane>& d, Forward&& forward) {
  using Real = RealOf<Lane>;
  const Real h = m.opt.timestep;
  const Real a[4] = {0, Real(0.5), Real(0.5), 1};
  const Real b[4] = {Real(1) / Real(6), Real(1) / Real(3), Real(1) / Real(3), Real(1) / Real(6)};
  Lane* q0 = d.rk_state;
  Lane* v0 = q0 + m.nq;
  Lane* k = v0 + m.nv;
  Lane* sum_k = k + m.nv;
  Lane* sum_f = sum_k + m.nv;
  Lane* act0 = sum_f + m.nv;
  Lane* sum_act = act0 + m.na;
  const Lane zero = Lane(Real(0)), t0 = s.time[0];
  for (int i = 0; i < m.nq; ++i) q0[i] = s.qpos[i];
  for (int i = 0; i < m.nv; ++i) v0[i] = s.qvel[i], sum_k[i] = sum_f[i] = zero;
  for (int i = 0; i < m.na; ++i) act0[i] = s.act[i], sum_act[i] = zero;

  for (int stage = 0; stage < 4; ++stage) {
    const Lane ha = Lane(h * a[stage]);
    if (stage > 0) {
      advance_positions(m, q0, k, ha, s.qpos);
      for (int i = 0; i < m.nv; ++i) s.qvel[i] = fma(d.qacc[i], ha, v0[i]);
      for (int i = 0; i < m.na; ++i) s.act[i] = fma(d.act_dot[i], ha, act0[i]);
      s.time[0] = t0 + ha;
      forward();
    }
    detail::stage_rate(m, s.qvel, ha, stage == 0, k);
    const Lane weight = Lane(b[stage]);
    for (int i = 0; i < m.nv; ++i) {
      sum_k[i] = fma(weight, k[i], sum_k[i]);
      sum_f[i] = fma(weight, d.qacc[i], sum_f[i]);
    }
    for (int i = 0; i < m.na; ++i) sum_act[i] = fma(weight, d.act_dot[i], sum_act[i]);
  }

  for (int i = 0; i < m.na; ++i) s.act[i] = act0[i];
  advance_activations(m, s, sum_act);
  advance_positions(m, q0, sum_k, Lane(h), s.qpos);
  for (int i = 0; i < m.nv; ++i) {
    s.qvel[i] = fma(sum_f[i], Lane(h), v0[i]);
    s.qacc_warmstart[i] = d.qacc[i];
  }
  s.time[0] = t0 + Lane(h);
}

}  // namespace stepbench::dynamics::inline SB_ISA
