// Time integration: MuJoCo's mj_Euler, mj_implicit and mj_advance; reference mujoco_warp 6.11.
//
// Semi-implicit Euler: v += h a, then q with the new v; orientations turn by exp(h w) in body axes;
// activations first. a is qacc, or with damping (Euler) and always under implicitfast the implicit
// acceleration; qacc itself becomes the warm start. RK4 stands in runge_kutta.h.
//
// Reads qacc, act_dot and what implicit.h reads. Writes the state and out_bad.
#pragma once

#include "engine/dynamics/check.h"
#include "engine/dynamics/implicit.h"
#include "engine/dynamics/runge_kutta.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

template <class Lane>
SB_INLINE void advance(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                       const model::Scratch<Lane>& d, const Lane* acceleration) {
  const Lane h = Lane(m.opt.timestep);
  advance_activations(m, s, d.act_dot);
  for (int i = 0; i < m.nv; ++i) s.qvel[i] = fma(acceleration[i], h, s.qvel[i]);
  advance_positions(m, s.qpos, s.qvel, h, s.qpos);
  for (int i = 0; i < m.nv; ++i) s.qacc_warmstart[i] = d.qacc[i];
  s.time[0] += h;
}

}  // namespace detail

// One step from the state in s, whose qacc is known. `forward()` recomputes everything up to qacc
// at the state in s: RK4 calls it at its stages, and a world that had to be reset needs it once
// more.
template <class Lane, class Forward>
SB_HD void integrate(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                     model::Scratch<Lane>& d, Forward&& forward) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0));
  const MaskOf<Lane> yes = zero == zero;
  d.out_bad[0] = zero;
  if (flag_and_reset(m, s, d, detail::all_good(d.qacc, m.nv, yes))) forward();

  const bool damps = m.derived.has_damping && !(m.opt.disableflags & model::kDsblEulerdamp);
  if (m.opt.integrator == model::kRk4) {
    runge_kutta(m, s, d, forward);
  } else if (m.opt.integrator == model::kImplicitFast || damps) {
    implicit_acceleration(m, s, d);
    detail::advance(m, s, d, d.qtmp);
  } else {
    detail::advance(m, s, d, d.qacc);
  }
  // MuJoCo looks at the start of the next step; here no bad state is ever seen from outside.
  MaskOf<Lane> good = detail::all_good(s.qpos, m.nq, yes);
  good = detail::all_good(s.qvel, m.nv, good);
  flag_and_reset(m, s, d, good);
}

}  // namespace stepbench::dynamics::inline SB_ISA
