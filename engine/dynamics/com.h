// Centres of mass, inertias and motion vectors about them: MuJoCo's mj_comPos.
//
// Spatial quantities of a kinematic tree are taken about the centre of mass of that tree, in world
// axes. Reads xpos, xmat, xipos, and cdof as (axis, anchor). Writes subtree_com (per tree), cinert
// (ten numbers, engine/math/spatial.h) and cdof: (0, axis) for translations, (axis, axis x (com -
// anchor)) for rotations.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Inertia of body b about `com`: R I_b R^T + m (d^2 1 - d d^T), d = xipos - com.
template <class Lane>
SB_INLINE Inertia<Lane> inertia_about(const model::Params<RealOf<Lane>>& m,
                                      const model::Scratch<Lane>& d, int b, Vec3<Lane> com) {
  using Real = RealOf<Lane>;
  const Real* I = m.derived.body_inert + 6 * b;
  const int kind = m.derived.body_kind[b];
  Inertia<Lane> c;
  if (kind & model::kBodyIsotropic) {
    c.xx = c.yy = c.zz = Lane(I[0]);
    c.xy = c.xz = c.yz = Lane(Real(0));
  } else {
    const Mat3<Lane> r = load9(d.xmat + 9 * b);
    Mat3<Lane> a;  // R I_b
    if (kind & model::kBodyDiagonal) {
      a = {Lane(I[0]) * r.x, Lane(I[1]) * r.y, Lane(I[2]) * r.z};
    } else {
      const Vec3<Lane> x{Lane(I[0]), Lane(I[3]), Lane(I[4])}, y{Lane(I[3]), Lane(I[1]), Lane(I[5])};
      const Vec3<Lane> z{Lane(I[4]), Lane(I[5]), Lane(I[2])};
      a = {mul(r, x), mul(r, y), mul(r, z)};
    }
    const auto element = [](Lane a1, Lane b1, Lane a2, Lane b2, Lane a3, Lane b3) {
      return fma(a3, b3, fma(a2, b2, a1 * b1));
    };
    c.xx = element(a.x.x, r.x.x, a.y.x, r.y.x, a.z.x, r.z.x);
    c.yy = element(a.x.y, r.x.y, a.y.y, r.y.y, a.z.y, r.z.y);
    c.zz = element(a.x.z, r.x.z, a.y.z, r.y.z, a.z.z, r.z.z);
    c.xy = element(a.x.x, r.x.y, a.y.x, r.y.y, a.z.x, r.z.y);
    c.xz = element(a.x.x, r.x.z, a.y.x, r.y.z, a.z.x, r.z.z);
    c.yz = element(a.x.y, r.x.z, a.y.y, r.y.z, a.z.y, r.z.z);
  }
  const Vec3<Lane> dist = load3(d.xipos + 3 * b) - com;
  c.m = Lane(m.body_mass[b]);
  c.md = c.m * dist;
  c.xx = fma(c.md.y, dist.y, fma(c.md.z, dist.z, c.xx));
  c.yy = fma(c.md.x, dist.x, fma(c.md.z, dist.z, c.yy));
  c.zz = fma(c.md.x, dist.x, fma(c.md.y, dist.y, c.zz));
  c.xy = fnma(c.md.x, dist.y, c.xy);
  c.xz = fnma(c.md.x, dist.z, c.xz);
  c.yz = fnma(c.md.y, dist.z, c.yz);
  return c;
}

template <class Lane>
SB_INLINE Vec3<Lane> tree_com(const model::Params<RealOf<Lane>>& m, const model::Scratch<Lane>& d,
                              int root, int end) {
  using Real = RealOf<Lane>;
  const Real mass = m.body_subtreemass[root];
  // One body: its own centre, without the rounding of m x / m, so that its first moment is exactly
  // 0.
  if (end == root + 1 || mass < kMinVal<Real>) return load3(d.xipos + 3 * root);
  Vec3<Lane> sum = Lane(m.body_mass[root]) * load3(d.xipos + 3 * root);
  for (int b = root + 1; b < end; ++b) {
    if (m.body_mass[b] != Real(0)) sum = fma(Lane(m.body_mass[b]), load3(d.xipos + 3 * b), sum);
  }
  return Lane(Real(1) / mass) * sum;
}

}  // namespace detail

template <class Lane>
SB_HD void com_position(const model::Params<RealOf<Lane>>& m, const model::State<Lane>&,
                        model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  for (int t = 0; t < m.ntree; ++t) {
    const int root = m.tree_bodyadr[t], end = root + m.derived.tree_bodynum[t];
    const Vec3<Lane> com = detail::tree_com(m, d, root, end);
    store3(d.subtree_com + 3 * t, com);
    for (int b = root; b < end; ++b) {
      if (m.derived.body_kind[b] & model::kBodyMassless) {
        SB_UNROLL for (int i = 0; i < 10; ++i) d.cinert[10 * b + i] = Lane(Real(0));
      } else {
        store_inertia(d.cinert + 10 * b, detail::inertia_about(m, d, b, com));
      }
    }
    int dof = m.tree_dofadr[t];
    const int dof_end = dof + m.tree_dofnum[t];
    if (m.derived.tree_free[t]) {
      SB_UNROLL for (int k = 0; k < 3; ++k) {
        SB_UNROLL for (int i = 0; i < 6; ++i) {
          d.cdof[6 * (dof + k) + i] = Lane(Real(i == 3 + k ? 1 : 0));
        }
      }
      dof += 3;
    }
    for (; dof < dof_end; ++dof) {
      if (m.jnt_type[m.dof_jntid[dof]] == model::kJntSlide) continue;
      Lane* c = d.cdof + 6 * dof;
      store3(c + 3, cross(load3(c), com - load3(c + 3)));
    }
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
