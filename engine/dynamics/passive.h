// Passive forces: MuJoCo's mj_passive (springs, dampers, gravity compensation).
//
// Reads qpos, qvel, xipos, subtree_com, cdof. Writes qfrc_passive, and qfrc_gravcomp where some
// joint asks for it among its actuator forces. Forces are polynomials (MuJoCo manual, "Polynomial
// forces"):
// -(k0 + k1 x + k2 x^2) x of the displacement x from qpos_spring, -(b0 + b1 |v| + b2 v^2) v of
// velocity. A ball's displacement is the rotation vector from its reference, a free joint has two;
// both use |x| in the polynomial. Dampers include what actuators reflect onto their joint.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Displacement vector of three coordinates times its (negative) stiffness: added to f.
template <class Lane>
SB_INLINE void spring3(Vec3<Lane> x, const RealOf<Lane>* k, const RealOf<Lane>* poly, Lane* f) {
  using Real = RealOf<Lane>;
  Lane stiffness = Lane(k[0]);
  if (poly[0] != Real(0) || poly[1] != Real(0)) {
    const Lane n = norm(x);
    stiffness = fma(n, fma(n, Lane(poly[1]), Lane(poly[0])), stiffness);
  }
  f[0] = fnma(stiffness, x.x, f[0]);
  f[1] = fnma(stiffness, x.y, f[1]);
  f[2] = fnma(stiffness, x.z, f[2]);
}

template <class Lane>
SB_INLINE void joint_spring(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                            model::Scratch<Lane>& d, int j) {
  using Real = RealOf<Lane>;
  const Real* k = m.jnt_stiffness + j;
  const Real* poly = m.jnt_stiffnesspoly + 2 * j;
  if (k[0] == Real(0) && poly[0] == Real(0) && poly[1] == Real(0)) return;
  int q = m.jnt_qposadr[j];
  Lane* f = d.qfrc_passive + m.jnt_dofadr[j];
  const int type = m.jnt_type[j];
  if (type == model::kJntHinge || type == model::kJntSlide) {
    const Lane x = s.qpos[q] - Lane(m.qpos_spring[q]);
    const Lane stiffness = fma(x, fma(x, Lane(poly[1]), Lane(poly[0])), Lane(k[0]));
    f[0] = fnma(stiffness, x, f[0]);
    return;
  }
  if (type == model::kJntFree) {
    spring3(load3(s.qpos + q) - math::broadcast3<Lane>(m.qpos_spring + q), k, poly, f);
    q += 3;
    f += 3;
  }
  const Quat<Lane> now = normalize(load4(s.qpos + q));
  spring3(difference(now, math::broadcast4<Lane>(m.qpos_spring + q)), k, poly, f);
}

// Weight of a body, reversed, times its gravcomp, at its centre of mass, onto the dofs that move
// it.
template <class Lane>
SB_INLINE void compensate(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d, int b,
                          Lane* out) {
  using Real = RealOf<Lane>;
  const Real scale = -m.body_mass[b] * m.body_gravcomp[b];
  const Vec3<Lane> f{Lane(scale * m.opt.gravity[0]), Lane(scale * m.opt.gravity[1]),
                     Lane(scale * m.opt.gravity[2])};
  const int t = m.body_treeid[b];
  const Spatial<Lane> wrench{cross(load3(d.xipos + 3 * b) - load3(d.subtree_com + 3 * t), f), f};
  const int jointed = m.body_weldid[b];
  for (int i = m.body_dofadr[jointed] + m.body_dofnum[jointed] - 1; i >= 0; i = m.dof_parentid[i]) {
    out[i] += dot(load6(d.cdof + 6 * i), wrench);
  }
}

template <class Lane>
SB_INLINE void gravity_compensation(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  for (int i = 0; i < m.nv; ++i) d.qfrc_gravcomp[i] = Lane(Real(0));
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_gravcomp[b] != Real(0) && m.body_treeid[b] >= 0) {
      compensate(m, d, b, d.qfrc_gravcomp);
    }
  }
  for (int i = 0; i < m.nv; ++i) {
    if (!m.jnt_actgravcomp[m.dof_jntid[i]]) d.qfrc_passive[i] += d.qfrc_gravcomp[i];
  }
}

}  // namespace detail

template <class Lane>
SB_HD void passive(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                   model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  for (int i = 0; i < m.nv; ++i) {
    const Real* b = m.derived.dof_damp + 3 * i;
    Lane f = Lane(Real(0));
    if (m.derived.has_damping) {
      if (b[1] != Real(0) || b[2] != Real(0)) {
        const Lane v = s.qvel[i], speed = math::abs(v);
        f = -(fma(speed, fma(speed, Lane(b[2]), Lane(b[1])), Lane(b[0])) * v);
      } else if (b[0] != Real(0)) {
        f = Lane(-b[0]) * s.qvel[i];
      }
    }
    d.qfrc_passive[i] = f;
  }
  if (m.derived.has_spring) {
    for (int j = 0; j < m.njnt; ++j) detail::joint_spring(m, s, d, j);
  }
  if (m.derived.has_gravcomp) detail::gravity_compensation(m, d);
}

}  // namespace stepbench::dynamics::inline SB_ISA
