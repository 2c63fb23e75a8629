// Actuator forces: MuJoCo's mj_fwdActuation; reference mujoco_warp 6.12; MuJoCo manual, "Actuation
// model".
//
// Reads qpos, qvel, act, ctrl, qfrc_gravcomp. Writes act_dot, actuator_force, qfrc_actuator. Order:
// clamp controls, activation dynamics, force = gain (control or activation) + bias, clamp to
// forcerange, moment arms, gravity compensation of joints that take it from their actuators, clamp
// to actfrcrange.
//
// A control that is not a number, or beyond 1e10 after clamping, sets all controls of its world to
// 0.
#pragma once

#include "engine/dynamics/transmission.h"

namespace stepbench::dynamics::inline SB_ISA {

// x within [range[0], range[1]]; NaN stays.
template <class Lane>
SB_INLINE Lane clip(Lane x, const RealOf<Lane>* range) {
  return math::max(Lane(range[0]), math::min(Lane(range[1]), x));
}

// Activation after one step with the given derivative: mj_nextActivation. Those of disabled
// actuators stay.
template <class Lane>
SB_INLINE Lane next_activation(const model::Params<RealOf<Lane>>& m, int i, Lane act,
                               Lane act_dot) {
  using Real = RealOf<Lane>;
  Real h = m.opt.timestep;
  if (m.actuator_dyntype[i] == model::kDynFilterExact) {
    Real tau = m.actuator_dynprm[10 * i];
    tau = tau > kMinVal<Real> ? tau : kMinVal<Real>;
    h = tau * (Real(1) - math::exp(-h / tau));
  }
  const Lane next = m.actuator_disabled[i] ? act : fma(act_dot, Lane(h), act);
  return m.actuator_actlimited[i] ? clip(next, m.actuator_actrange + 2 * i) : next;
}

namespace detail {

template <class Lane>
SB_INLINE Lane clamped_control(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                               int i) {
  const bool clamps = !(m.opt.disableflags & model::kDsblClampctrl) && m.actuator_ctrllimited[i];
  return clamps ? clip(s.ctrl[i], m.actuator_ctrlrange + 2 * i) : s.ctrl[i];
}

// What the gain multiplies: the control, or the activation (with actearly: after this step).
template <class Lane>
SB_INLINE Lane actuator_input(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                              const model::Scratch<Lane>& d, int i, Lane ctrl) {
  if (m.actuator_dyntype[i] == model::kDynNone) return ctrl;
  const int a = m.actuator_actadr[i] + m.actuator_actnum[i] - 1;
  return m.actuator_actearly[i] ? next_activation(m, i, s.act[a], d.act_dot[a]) : s.act[a];
}

// p0 + p1 length + p2 velocity
template <class Lane>
SB_INLINE Lane affine(const RealOf<Lane>* p, Lane length, Lane velocity) {
  return fma(Lane(p[2]), velocity, fma(Lane(p[1]), length, Lane(p[0])));
}

template <class Lane>
SB_INLINE void activation_derivative(const model::Params<RealOf<Lane>>& m,
                                     const model::State<Lane>& s, model::Scratch<Lane>& d, int i,
                                     Lane ctrl) {
  using Real = RealOf<Lane>;
  const int a = m.actuator_actadr[i];
  if (m.actuator_dyntype[i] == model::kDynNone) return;
  if (m.actuator_dyntype[i] == model::kDynIntegrator) {
    d.act_dot[a] = ctrl;
  } else {
    Real tau = m.actuator_dynprm[10 * i];
    tau = tau > kMinVal<Real> ? tau : kMinVal<Real>;
    d.act_dot[a] = (ctrl - s.act[a]) * (Real(1) / tau);
  }
}

// Force of an actuator along its transmission.
template <class Lane>
SB_INLINE Lane actuator_force(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                              const model::Scratch<Lane>& d, int i, Lane ctrl, Lane length,
                              Lane velocity) {
  const auto* gain = m.actuator_gainprm + 10 * i;
  const Lane input = actuator_input(m, s, d, i, ctrl);
  Lane force = Lane(gain[0]) * input;
  if (m.actuator_gaintype[i] == model::kGainAffine) force = affine(gain, length, velocity) * input;
  if (m.actuator_biastype[i] == model::kBiasAffine) {
    force += affine(m.actuator_biasprm + 10 * i, length, velocity);
  }
  if (m.actuator_forcelimited[i]) force = clip(force, m.actuator_forcerange + 2 * i);
  return force;
}

template <class Lane>
SB_INLINE void add_actuator(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                            model::Scratch<Lane>& d, int i, Lane ctrl) {
  using Real = RealOf<Lane>;
  if (m.actuator_disabled[i]) {
    d.actuator_force[i] = Lane(Real(0));
    return;
  }
  if (is_scalar(m, i)) {
    const int j = m.actuator_trnid[2 * i], dof = m.jnt_dofadr[j];
    const Lane gear = Lane(m.actuator_gear[6 * i]);
    const Lane force =
        actuator_force(m, s, d, i, ctrl, gear * s.qpos[m.jnt_qposadr[j]], gear * s.qvel[dof]);
    d.actuator_force[i] = force;
    d.qfrc_actuator[dof] = fma(gear, force, d.qfrc_actuator[dof]);
    return;
  }
  const Transmission<Lane> t = transmission(m, s, i);
  const Lane force = actuator_force(m, s, d, i, ctrl, t.length, transmission_velocity(t, s.qvel));
  d.actuator_force[i] = force;
  Lane* out = d.qfrc_actuator + t.dof;
  for (int k = 0; k < t.n; ++k) out[k] = fma(t.moment[k], force, out[k]);
}

}  // namespace detail

template <class Lane>
SB_HD void actuation(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                     model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0));
  for (int i = 0; i < m.nv; ++i) d.qfrc_actuator[i] = zero;
  if (m.nu == 0 || (m.opt.disableflags & model::kDsblActuation)) {
    for (int i = 0; i < m.nu; ++i) d.actuator_force[i] = zero;
    for (int i = 0; i < m.na; ++i) d.act_dot[i] = zero;
    return;
  }
  MaskOf<Lane> good = zero == zero;
  for (int i = 0; i < m.nu; ++i) {
    good = good & (math::abs(detail::clamped_control(m, s, i)) <= Lane(Real(1e10)));
  }
  for (int i = 0; i < m.nu; ++i) {
    const Lane ctrl = select(good, detail::clamped_control(m, s, i), zero);
    detail::activation_derivative(m, s, d, i, ctrl);
    detail::add_actuator(m, s, d, i, ctrl);
  }
  for (int i = 0; i < m.nv; ++i) {
    const int j = m.dof_jntid[i];
    if (m.derived.has_actgravcomp && m.jnt_actgravcomp[j]) d.qfrc_actuator[i] += d.qfrc_gravcomp[i];
    const bool scalar = m.jnt_type[j] == model::kJntHinge || m.jnt_type[j] == model::kJntSlide;
    if (scalar && m.jnt_actfrclimited[j]) {
      d.qfrc_actuator[i] = clip(d.qfrc_actuator[i], m.jnt_actfrcrange + 2 * j);
    }
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
