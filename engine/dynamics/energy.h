// Mechanical energy (J): MuJoCo's mj_energyPos and mj_energyVel.
//
// Potential: -sum m g . xipos over all bodies but the world, plus springs (the integral of the
// force polynomials of passive.h). Kinetic: sum of v . I v / 2 over bodies plus armature; equal to
// v^T M v / 2.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Integral of (k0 + k1 x + k2 x^2) x.
template <class Lane>
SB_INLINE Lane spring_energy(const model::Params<RealOf<Lane>>& m, int j, Lane x) {
  using Real = RealOf<Lane>;
  const Real* poly = m.jnt_stiffnesspoly + 2 * j;
  const Lane c = fma(x, Lane(poly[1] / Real(4)), Lane(poly[0] / Real(3)));
  return x * x * fma(x, c, Lane(m.jnt_stiffness[j] / Real(2)));
}

}  // namespace detail

// Reads qpos, xipos.
template <class Lane>
SB_HD Lane energy_potential(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                            const model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  Lane e = Lane(Real(0));
  if (!(m.opt.disableflags & model::kDsblGravity)) {
    const Vec3<Lane> g = math::broadcast3<Lane>(m.opt.gravity);
    for (int b = 1; b < m.nbody; ++b) {
      e = fnma(Lane(m.body_mass[b]), dot(g, load3(d.xipos + 3 * b)), e);
    }
  }
  if (!m.derived.has_spring) return e;
  for (int j = 0; j < m.njnt; ++j) {
    int q = m.jnt_qposadr[j];
    const int type = m.jnt_type[j];
    if (type == model::kJntHinge || type == model::kJntSlide) {
      e += detail::spring_energy(m, j, s.qpos[q] - Lane(m.qpos_spring[q]));
      continue;
    }
    if (type == model::kJntFree) {
      const Vec3<Lane> x = load3(s.qpos + q) - math::broadcast3<Lane>(m.qpos_spring + q);
      e += detail::spring_energy(m, j, norm(x));
      q += 3;
    }
    const Quat<Lane> now = normalize(load4(s.qpos + q));
    e += detail::spring_energy(m, j,
                               norm(difference(now, math::broadcast4<Lane>(m.qpos_spring + q))));
  }
  return e;
}

// Reads qvel, cvel, cinert.
template <class Lane>
SB_HD Lane energy_kinetic(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                          const model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  Lane twice = Lane(Real(0));
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_treeid[b] < 0) continue;
    const Spatial<Lane> v = load6(d.cvel + 6 * b);
    twice += dot(v, mul(load_inertia(d.cinert + 10 * b), v));
  }
  for (int i = 0; i < m.nv; ++i) {
    const Lane v = s.qvel[i];
    twice = fma(Lane(m.derived.dof_arm[i]) * v, v, twice);
  }
  return twice * Real(0.5);
}

}  // namespace stepbench::dynamics::inline SB_ISA
