// Bias forces and joint-space inertia of trees of hinges and slides, in link frames: the recursive
// Newton-Euler and composite-rigid-body algorithms, Featherstone (2008), sections 5.3 and 6.2, in
// one sweep forward and one backward. The same results as com.h, velocity.h, bias.h and inertia.h
// with world axes, at about half the operations and a quarter of the memory: a hinge turns a vector
// by four operations, most links' frames differ from their parents' by quarter turns, which are
// free, and inertias stay constant in their link.
//
// Velocity w, acceleration w' and a of a link's origin (at zero joint accelerations, gravity
// included as an upward acceleration) give every point rho of it the acceleration a + Omega rho,
// Omega = [w']x + [w]x[w]x. With mass m, first moments h and second moments S about the origin:
//   force f = m a + Omega h,   moment n = h x a + the axial vector of Omega S.
//
// Reads qpos, qvel, qtmp (hinge_angles). Writes M, qfrc_bias, link_joint (sine and cosine of a
// hinge, shift of a slide).
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

template <class Lane>
using LinkOf = model::Link<RealOf<Lane>>;

template <class Lane>
SB_INLINE Lane with_sign(Lane x, int flags) {
  return flags & model::kLinkReversed ? -x : x;
}

inline constexpr int kShifts = model::kLinkShiftX | model::kLinkShiftY | model::kLinkShiftZ;

// n := n + r x f
template <class Lane>
SB_INLINE void add_lever(const LinkOf<Lane>& k, const Vec3<Lane>& f, Vec3<Lane>& n) {
  if (k.flags & model::kLinkShiftX) {
    n.y = fnma(Lane(k.r[0]), f.z, n.y);
    n.z = fma(Lane(k.r[0]), f.y, n.z);
  }
  if (k.flags & model::kLinkShiftY) {
    n.x = fma(Lane(k.r[1]), f.z, n.x);
    n.z = fnma(Lane(k.r[1]), f.x, n.z);
  }
  if (k.flags & model::kLinkShiftZ) {
    n.x = fnma(Lane(k.r[2]), f.y, n.x);
    n.y = fma(Lane(k.r[2]), f.x, n.y);
  }
}

// Turn by the angle of the given sine and cosine in the plane of (x, y).
template <class Lane>
SB_INLINE void turn_pair(Lane s, Lane c, Lane& x, Lane& y) {
  const Lane old = x;
  x = fnma(s, y, c * old);
  y = fma(s, old, c * y);
}
template <class Lane>
SB_INLINE void turn_pair_back(Lane s, Lane c, Lane& x, Lane& y) {
  const Lane old = x;
  x = fma(s, y, c * old);
  y = fnma(s, old, c * y);
}

// Quarter turns (x, y, z) -> (x, -z, y) and back. Field by field: GCC keeps structs that are
// assigned whole in memory.
template <class Lane>
SB_INLINE void quarter_turn(Lane& y, Lane& z) {
  const Lane old = y;
  y = -z;
  z = old;
}
template <class Lane>
SB_INLINE void quarter_turn_back(Lane& y, Lane& z) {
  const Lane old = y;
  y = z;
  z = -old;
}

// Vectors of a link in its parent's axes, `joint`: sine and cosine of a hinge.
template <class Lane, class... Vectors>
SB_INLINE void to_parent(const LinkOf<Lane>& k, const Lane* joint, Vectors&... v) {
  if (!(k.flags & model::kLinkSlide)) {
    const Lane s = joint[0], c = joint[1];
    (turn_pair(s, c, v.x, v.y), ...);
  }
  if (k.flags & model::kLinkQuarter) {
    (quarter_turn(v.y, v.z), ...);
  } else if (k.flags & model::kLinkTilted) {
    (turn_pair(Lane(k.tilt_sin), Lane(k.tilt_cos), v.y, v.z), ...);
  }
  if (k.flags & model::kLinkHeading) {
    (turn_pair(Lane(k.heading_sin), Lane(k.heading_cos), v.x, v.y), ...);
  }
}

// Vectors of the parent in a link's axes.
template <class Lane, class... Vectors>
SB_INLINE void from_parent(const LinkOf<Lane>& k, const Lane* joint, Vectors&... v) {
  if (k.flags & model::kLinkHeading) {
    (turn_pair_back(Lane(k.heading_sin), Lane(k.heading_cos), v.x, v.y), ...);
  }
  if (k.flags & model::kLinkQuarter) {
    (quarter_turn_back(v.y, v.z), ...);
  } else if (k.flags & model::kLinkTilted) {
    (turn_pair_back(Lane(k.tilt_sin), Lane(k.tilt_cos), v.y, v.z), ...);
  }
  if (!(k.flags & model::kLinkSlide)) {
    const Lane s = joint[0], c = joint[1];
    (turn_pair_back(s, c, v.x, v.y), ...);
  }
}

// link_joint of link i: shift of a slide; sine and cosine of a hinge with its constant turn.
template <class Lane>
SB_INLINE void place_joint(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                           model::Scratch<Lane>& d, int i) {
  const LinkOf<Lane>& k = m.derived.links[i];
  Lane* joint = d.link_joint + 2 * i;
  if (k.flags & model::kLinkSlide) {
    joint[0] = with_sign(s.qpos[m.jnt_qposadr[m.dof_jntid[i]]] - Lane(k.q0), k.flags);
    return;
  }
  Lane sine = with_sign(d.qtmp[2 * i], k.flags), cosine = d.qtmp[2 * i + 1];
  switch (k.turns) {
    case 0:
      break;
    case 1: {
      const Lane old = sine;
      sine = cosine;
      cosine = -old;
      break;
    }
    case 2:
      sine = -sine;
      cosine = -cosine;
      break;
    case 3: {
      const Lane old = sine;
      sine = -cosine;
      cosine = old;
      break;
    }
    default:
      turn_pair(Lane(k.turn_sin), Lane(k.turn_cos), cosine, sine);
      break;
  }
  joint[0] = sine;
  joint[1] = cosine;
}

// Motion of a link in its own axes. ox, oy, oz: rows of Omega, the diagonal with its sign changed.
template <class Lane>
struct LinkMotion {
  Vec3<Lane> w, dw, a;
  Vec3<Lane> ox, oy, oz;
};

template <class Lane>
SB_INLINE void make_omega(LinkMotion<Lane>& s) {
  const Lane xy = s.w.x * s.w.y, xz = s.w.x * s.w.z, yz = s.w.y * s.w.z;
  const Lane xx = s.w.x * s.w.x, yy = s.w.y * s.w.y, zz = s.w.z * s.w.z;
  s.ox = {yy + zz, xy - s.dw.z, xz + s.dw.y};
  s.oy = {xy + s.dw.z, xx + zz, yz - s.dw.x};
  s.oz = {xz - s.dw.y, yz + s.dw.x, xx + yy};
}

// Acceleration of a link's origin, seen from its parent, whose motion is s.
template <class Lane>
SB_INLINE Vec3<Lane> origin_acceleration(const LinkOf<Lane>& k, const LinkMotion<Lane>& s) {
  Vec3<Lane> t = s.a;
  if (k.flags & model::kLinkShiftX) {
    const Lane x = Lane(k.r[0]);
    t = {fnma(x, s.ox.x, t.x), fma(x, s.oy.x, t.y), fma(x, s.oz.x, t.z)};
  }
  if (k.flags & model::kLinkShiftY) {
    const Lane y = Lane(k.r[1]);
    t = {fma(y, s.ox.y, t.x), fnma(y, s.oy.y, t.y), fma(y, s.oz.y, t.z)};
  }
  if (k.flags & model::kLinkShiftZ) {
    const Lane z = Lane(k.r[2]);
    t = {fma(z, s.ox.z, t.x), fma(z, s.oy.z, t.y), fnma(z, s.oz.z, t.z)};
  }
  return t;
}

template <class Lane>
SB_INLINE void store_motion(Lane* out, const LinkMotion<Lane>& s) {
  store3(out, s.w), store3(out + 3, s.dw), store3(out + 6, s.a);
  store3(out + 9, s.ox), store3(out + 12, s.oy), store3(out + 15, s.oz);
}
template <class Lane>
SB_INLINE LinkMotion<Lane> load_motion(const Lane* a) {
  return {load3(a), load3(a + 3), load3(a + 6), load3(a + 9), load3(a + 12), load3(a + 15)};
}

// Motion of a link from its parent's.
template <class Lane>
SB_INLINE void move_link(const LinkOf<Lane>& k, const Lane* joint, Lane speed,
                         LinkMotion<Lane>& s) {
  const bool slides = k.flags & model::kLinkSlide;
  if (k.parent < 0) {
    s.w = s.dw = zero3<Lane>();
    s.a = math::broadcast3<Lane>(k.start);
    if (!slides) {
      turn_pair_back(joint[0], joint[1], s.a.x, s.a.y);
      s.w.z = speed;
    }
  } else {
    s.a = origin_acceleration(k, s);
    from_parent(k, joint, s.w, s.dw, s.a);
    if (!slides) {
      s.dw.x = fma(s.w.y, speed, s.dw.x);
      s.dw.y = fnma(s.w.x, speed, s.dw.y);
      s.w.z += speed;
    }
  }
  make_omega(s);
  if (slides) {  // d along z: a + Omega d + 2 w x d'
    const Lane z = joint[0], twice = speed + speed;
    s.a = {fma(twice, s.w.y, fma(z, s.ox.z, s.a.x)), fnma(twice, s.w.x, fma(z, s.oy.z, s.a.y)),
           fnma(z, s.oz.z, s.a.z)};
  }
}

// Force and moment about its origin that move a link as it moves.
template <class Lane>
SB_INLINE void link_force(const LinkOf<Lane>& k, const LinkMotion<Lane>& s, Vec3<Lane>& f,
                          Vec3<Lane>& n) {
  const auto* S = k.second;
  f = Lane(k.mass) * s.a;
  n = {fnma(Lane(S[2]), s.oy.z, Lane(S[1]) * s.oz.y), fnma(Lane(S[0]), s.oz.x, Lane(S[2]) * s.ox.z),
       fnma(Lane(S[1]), s.ox.y, Lane(S[0]) * s.oy.x)};
  if (!(k.flags & model::kLinkDiagonal)) {
    const Lane xy = Lane(S[3]), xz = Lane(S[4]), yz = Lane(S[5]);
    n.x = fma(yz, s.oy.y - s.oz.z, fma(xy, s.oz.x, fnma(xz, s.oy.x, n.x)));
    n.y = fma(xz, s.oz.z - s.ox.x, fma(yz, s.ox.y, fnma(xy, s.oz.y, n.y)));
    n.z = fma(xy, s.ox.x - s.oy.y, fma(xz, s.oy.z, fnma(yz, s.ox.z, n.z)));
  }
  if (!(k.flags & model::kLinkCentred)) {
    const Vec3<Lane> h = math::broadcast3<Lane>(k.first);
    f.x = fma(s.ox.z, h.z, fma(s.ox.y, h.y, fnma(s.ox.x, h.x, f.x)));
    f.y = fma(s.oy.z, h.z, fnma(s.oy.y, h.y, fma(s.oy.x, h.x, f.y)));
    f.z = fnma(s.oz.z, h.z, fma(s.oz.y, h.y, fma(s.oz.x, h.x, f.z)));
    n = cross_add(h, s.a, n);
  }
}

// What a link and all it carries hand down: force and moment, first and second moments about the
// origin, all in the axes of one frame. Their mass is the model's.
template <class Lane>
struct LinkSum {
  Vec3<Lane> f, n, h;
  Lane xx, yy, zz, xy, xz, yz;
};

template <class Lane>
SB_INLINE void store_sum(Lane* out, const LinkSum<Lane>& a) {
  store3(out, a.f), store3(out + 3, a.n), store3(out + 6, a.h);
  out[9] = a.xx, out[10] = a.yy, out[11] = a.zz;
  out[12] = a.xy, out[13] = a.xz, out[14] = a.yz;
}
template <class Lane>
SB_INLINE void add_sum(const Lane* a, LinkSum<Lane>& sum) {
  sum.f.x += a[0], sum.f.y += a[1], sum.f.z += a[2];
  sum.n.x += a[3], sum.n.y += a[4], sum.n.z += a[5];
  sum.h.x += a[6], sum.h.y += a[7], sum.h.z += a[8];
  sum.xx += a[9], sum.yy += a[10], sum.zz += a[11];
  sum.xy += a[12], sum.xz += a[13], sum.yz += a[14];
}

// Adds the link itself to what it carries; `force`: what links_forward left. Field by field, see
// quarter_turn.
template <class Lane>
SB_INLINE void add_own(const LinkOf<Lane>& k, const Lane* force, LinkSum<Lane>& sum) {
  if (!(k.flags & model::kLinkMassless)) {
    sum.f.x += force[0], sum.f.y += force[1], sum.f.z += force[2];
    sum.n.x += force[3], sum.n.y += force[4], sum.n.z += force[5];
  }
  sum.h.x += k.first[0], sum.h.y += k.first[1], sum.h.z += k.first[2];
  sum.xx += k.second[0], sum.yy += k.second[1], sum.zz += k.second[2];
  sum.xy += k.second[3], sum.xz += k.second[4], sum.yz += k.second[5];
}
template <class Lane>
SB_INLINE void start_sum(LinkSum<Lane>& sum) {
  const Lane zero = Lane(RealOf<Lane>(0));
  sum.f.x = sum.f.y = sum.f.z = sum.n.x = sum.n.y = sum.n.z = zero;
  sum.h.x = sum.h.y = sum.h.z = sum.xx = sum.yy = sum.zz = sum.xy = sum.xz = sum.yz = zero;
}

// Second moments xx, yy, xy of a plane turned by an angle, with what couples them to the third
// axis.
template <class Lane>
SB_INLINE void turn_moments(Lane s, Lane c, Lane& xx, Lane& yy, Lane& xy, Lane& xz, Lane& yz) {
  const Lane p = fma(s, xx - yy, c * (xy + xy));
  xx = fnma(s, p, xx);
  yy = fma(s, p, yy);
  xy = math::fms(c, p, xy);
  turn_pair(s, c, xz, yz);
}

// From a link's frame to its parent's axes and origin.
template <class Lane>
SB_INLINE void hand_down(const LinkOf<Lane>& k, const Lane* joint, LinkSum<Lane>& a) {
  using Real = RealOf<Lane>;
  if (k.flags & model::kLinkSlide) {  // origin moves by d along z
    const Lane d = joint[0], half = d * (k.carried_mass / Real(2)), z = a.h.z + half;
    a.n.x = fnma(d, a.f.y, a.n.x);
    a.n.y = fma(d, a.f.x, a.n.y);
    a.xz = fma(d, a.h.x, a.xz);
    a.yz = fma(d, a.h.y, a.yz);
    a.zz = fma(d + d, z, a.zz);
    a.h.z = z + half;
  } else {
    const Lane s = joint[0], c = joint[1];
    turn_moments(s, c, a.xx, a.yy, a.xy, a.xz, a.yz);
  }
  to_parent(k, joint, a.f, a.n, a.h);
  if (k.flags & model::kLinkQuarter) {
    const Lane yy = a.yy;
    a.yy = a.zz;
    a.zz = yy;
    a.yz = -a.yz;
    quarter_turn(a.xy, a.xz);
  } else if (k.flags & model::kLinkTilted) {
    turn_moments(Lane(k.tilt_sin), Lane(k.tilt_cos), a.yy, a.zz, a.yz, a.xy, a.xz);
  }
  if (k.flags & model::kLinkHeading) {
    turn_moments(Lane(k.heading_sin), Lane(k.heading_cos), a.xx, a.yy, a.xy, a.xz, a.yz);
  }
  if (!(k.flags & kShifts)) return;
  add_lever<Lane>(k, a.f, a.n);
  // S + r k' + k r',  k = h + m r / 2
  const Real* r = k.r;
  a.h.x += k.half_mr[0], a.h.y += k.half_mr[1], a.h.z += k.half_mr[2];
  if (k.flags & model::kLinkShiftX) {
    a.xx = fma(Lane(r[0] + r[0]), a.h.x, a.xx);
    a.xy = fma(Lane(r[0]), a.h.y, a.xy);
    a.xz = fma(Lane(r[0]), a.h.z, a.xz);
  }
  if (k.flags & model::kLinkShiftY) {
    a.yy = fma(Lane(r[1] + r[1]), a.h.y, a.yy);
    a.xy = fma(Lane(r[1]), a.h.x, a.xy);
    a.yz = fma(Lane(r[1]), a.h.z, a.yz);
  }
  if (k.flags & model::kLinkShiftZ) {
    a.zz = fma(Lane(r[2] + r[2]), a.h.z, a.zz);
    a.xz = fma(Lane(r[2]), a.h.x, a.xz);
    a.yz = fma(Lane(r[2]), a.h.y, a.yz);
  }
  a.h.x += k.half_mr[0], a.h.y += k.half_mr[1], a.h.z += k.half_mr[2];
}

// What row i of M starts from: the momentum that unit speed of joint i gives all it carries.
template <class Lane>
SB_INLINE void store_momentum(const LinkOf<Lane>& k, const LinkSum<Lane>& a, Lane* out) {
  out[0] = a.h.x;
  out[1] = a.h.y;
  if (k.flags & model::kLinkSlide) return;
  out[2] = a.xz;
  out[3] = a.yz;
  out[4] = a.xx + a.yy;
}

// Row i of M: that momentum, seen by each joint below.
template <class Lane>
SB_INLINE void link_mass_row(const LinkOf<Lane>* links, int i, const Lane* joints,
                             const Lane* momentum, RealOf<Lane> armature, Lane* entry) {
  using Real = RealOf<Lane>;
  const LinkOf<Lane>* k = links + i;
  const Lane* joint = joints + 2 * i;
  const Lane zero = Lane(Real(0));
  Vec3<Lane> f, n;
  if (k->flags & model::kLinkSlide) {
    *entry = Lane(k->carried_mass + armature);
    f.x = f.y = zero;
    f.z = Lane(k->carried_mass);
    n.x = momentum[1];
    n.y = -momentum[0];
    n.z = zero;
  } else {
    f.x = -momentum[1];
    f.y = momentum[0];
    f.z = zero;
    n.x = -momentum[2];
    n.y = -momentum[3];
    n.z = momentum[4];
    *entry = n.z + Lane(armature);
  }
  const int flip = k->flags & model::kLinkReversed;
  while (k->parent >= 0) {
    if (k->flags & model::kLinkSlide) {
      n.x = fnma(joint[0], f.y, n.x);
      n.y = fma(joint[0], f.x, n.y);
    }
    to_parent(*k, joint, f, n);
    if (k->flags & kShifts) add_lever<Lane>(*k, f, n);
    joint = joints + 2 * k->parent;
    k = links + k->parent;
    Lane x = n.z;  // not by ?:, which would select an address and keep f and n in memory
    if (k->flags & model::kLinkSlide) x = f.z;
    *--entry = with_sign(x, flip ^ (k->flags & model::kLinkReversed));
  }
}

}  // namespace detail

// Joint places, motions and the links' own forces, from the static ends outwards.
template <class Lane>
SB_HD void links_forward(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                         model::Scratch<Lane>& d) {
  const auto* links = m.derived.links;
  detail::LinkMotion<Lane> now;
  now.w = now.dw = now.a = now.ox = now.oy = now.oz = zero3<Lane>();
  for (int i = 0; i < m.nv; ++i) {
    const auto& k = links[i];
    detail::place_joint(m, s, d, i);
    if (k.parent >= 0 && k.parent != i - 1)
      now = detail::load_motion(d.link_motion + 18 * k.parent);
    const Lane speed = detail::with_sign(s.qvel[i], k.flags);
    detail::move_link(k, d.link_joint + 2 * i, speed, now);
    if (k.flags & model::kLinkBranches) detail::store_motion(d.link_motion + 18 * i, now);
    if (k.flags & model::kLinkMassless) continue;
    Vec3<Lane> f, n;
    detail::link_force(k, now, f, n);
    store3(d.link_force + 6 * i, f);
    store3(d.link_force + 6 * i + 3, n);
  }
}

// Bias forces and composite moments, from the leaves inwards. What M needs of them takes the place
// of the link's force.
template <class Lane>
SB_HD void links_backward(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d) {
  const auto* links = m.derived.links;
  detail::LinkSum<Lane> sum;
  detail::start_sum(sum);
  for (int i = m.nv - 1; i >= 0; --i) {
    const auto& k = links[i];
    if (!(k.flags & model::kLinkCarriesNext)) detail::start_sum(sum);
    detail::add_own(k, d.link_force + 6 * i, sum);
    if (k.flags & model::kLinkBranches) detail::add_sum(d.link_sum + 15 * i, sum);
    Lane force = sum.n.z;
    if (k.flags & model::kLinkSlide) force = sum.f.z;
    d.qfrc_bias[i] = detail::with_sign(force, k.flags);
    detail::store_momentum(k, sum, d.link_force + 6 * i);
    if (k.parent < 0) continue;
    detail::hand_down(k, d.link_joint + 2 * i, sum);
    if (k.parent == i - 1) continue;
    Lane* others = d.link_sum + 15 * k.parent;
    if (!(k.flags & model::kLinkLastChild)) detail::add_sum(others, sum);
    detail::store_sum(others, sum);
  }
}

template <class Lane>
SB_HD void links_mass_matrix(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d) {
  for (int i = 0; i < m.nv; ++i) {
    detail::link_mass_row(m.derived.links, i, d.link_joint, d.link_force + 6 * i,
                          m.derived.dof_arm[i], d.M + m.M_rowadr[i] + m.M_rownnz[i] - 1);
  }
}

template <class Lane>
SB_HD void link_sweep(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                      model::Scratch<Lane>& d) {
  links_forward(m, s, d);
  links_backward(m, d);
  links_mass_matrix(m, d);
}

}  // namespace stepbench::dynamics::inline SB_ISA
