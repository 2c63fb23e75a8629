// Body velocities and their bias accelerations: MuJoCo's mj_comVel and the forward half of mj_rne.
//
// Reads qvel, cdof. Writes cvel (velocity of each body of a tree about the tree's centre of mass)
// and cacc (its acceleration at zero joint acceleration, gravity included as an upward acceleration
// of the world): cvel = cvel_parent + sum cdof v,  cacc = cacc_parent + sum cdof_dot v,  cdof_dot =
// cvel x cdof, with the velocity of the joints before this one.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Acceleration of the world: -gravity.
template <class Lane>
SB_INLINE Spatial<Lane> world_acceleration(const model::Params<RealOf<Lane>>& m) {
  if (m.opt.disableflags & model::kDsblGravity) return zero6<Lane>();
  return {zero3<Lane>(), -math::broadcast3<Lane>(m.opt.gravity)};
}

// v := v + cdof qd and a := a + (v x cdof) qd over the dofs of joint j. `still`: v is zero so far.
template <class Lane>
SB_INLINE void add_joint(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                         const model::Scratch<Lane>& d, int j, bool still, Spatial<Lane>& v,
                         Spatial<Lane>& a) {
  const int i = m.jnt_dofadr[j];
  const Lane* c = d.cdof + 6 * i;
  const Lane* qd = s.qvel + i;
  switch (m.jnt_type[j]) {
    case model::kJntSlide: {
      const Vec3<Lane> u = qd[0] * load3(c + 3);
      if (!still) a.lin = cross_add(v.ang, u, a.lin);
      v.lin = v.lin + u;
      return;
    }
    case model::kJntHinge: {
      const Spatial<Lane> u{qd[0] * load3(c), qd[0] * load3(c + 3)};
      if (!still) {
        a.ang = cross_add(v.ang, u.ang, a.ang);
        a.lin = cross_add(v.lin, u.ang, cross_add(v.ang, u.lin, a.lin));
      }
      v = v + u;
      return;
    }
    case model::kJntFree:
      v.lin = v.lin + load3(qd);
      c += 18;
      qd += 3;
      break;
    default:
      break;
  }
  // The three rotations of a ball or free joint act together; before a free joint's there is v.lin
  // alone.
  Spatial<Lane> u{qd[0] * load3(c), qd[0] * load3(c + 3)};
  u = fma(qd[1], load6(c + 6), u);
  u = fma(qd[2], load6(c + 12), u);
  if (m.jnt_type[j] == model::kJntFree) {
    a.lin = cross_add(v.lin, u.ang, a.lin);
  } else if (!still) {
    a.ang = cross_add(v.ang, u.ang, a.ang);
    a.lin = cross_add(v.lin, u.ang, cross_add(v.ang, u.lin, a.lin));
  }
  v = v + u;
}

}  // namespace detail

template <class Lane>
SB_HD void com_velocity(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                        model::Scratch<Lane>& d) {
  const Spatial<Lane> world = detail::world_acceleration<Lane>(m);
  for (int t = 0; t < m.ntree; ++t) {
    const int root = m.tree_bodyadr[t], end = root + m.derived.tree_bodynum[t];
    for (int b = root; b < end; ++b) {
      const int parent = m.body_parentid[b], adr = m.body_jntadr[b], n = m.body_jntnum[b];
      const bool rooted = b == root;
      Spatial<Lane> v = rooted ? zero6<Lane>() : load6(d.cvel + 6 * parent);
      Spatial<Lane> a = rooted ? world : load6(d.cacc + 6 * parent);
      for (int j = adr; j < adr + n; ++j) detail::add_joint(m, s, d, j, rooted && j == adr, v, a);
      store6(d.cvel + 6 * b, v);
      store6(d.cacc + 6 * b, a);
    }
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
