// Poses of bodies and geoms from qpos: MuJoCo's mj_kinematics (manual, "Computation", forward
// kinematics).
//
// Reads qpos, mocap_pos, mocap_quat. Writes xpos, xmat, xipos of the bodies that move, geom_xpos
// and geom_xmat of the geoms that can touch something, and in cdof the joints' axes and anchors in
// world axes, which com_position turns into motion vectors. qtmp: sine and cosine of each hinge
// angle.
//
// Orientations are carried as matrices: a hinge about a coordinate axis then costs twelve
// operations, and frames turned by right angles cost none. Quaternions exist at the ends only: free
// and ball joints and mocap bodies are normalised as MuJoCo does it; report_poses gives xquat for
// reports.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

// Turn two columns by the angle whose sine and cosine are given.
template <class Lane>
SB_INLINE void turn_columns(Vec3<Lane>& u, Vec3<Lane>& v, Lane s, Lane c) {
  const Vec3<Lane> old = u;
  u = fma(c, u, s * v);
  v = fma(-s, old, c * v);
}

// r := r Rot(axis, angle), Rodrigues' formula; returns r axis. code: see jnt_axiscode.
template <class Lane>
SB_INLINE Vec3<Lane> turn(Mat3<Lane>& r, int code, const RealOf<Lane>* axis, Lane s, Lane c) {
  using Real = RealOf<Lane>;
  if (code != 0) {
    const bool back = code < 0;
    if (back) s = -s;
    Vec3<Lane> world;
    switch (back ? -code : code) {
      case 1:
        turn_columns(r.y, r.z, s, c);
        world = r.x;
        break;
      case 2:
        turn_columns(r.z, r.x, s, c);
        world = r.y;
        break;
      default:
        turn_columns(r.x, r.y, s, c);
        world = r.z;
        break;
    }
    return back ? -world : world;
  }
  // r Rot = c r + (1 - c) (r a) a^T + s r [a]x
  const Vec3<Lane> a = math::broadcast3<Lane>(axis), sa = s * a;
  const Vec3<Lane> world = mul(r, a);
  const Vec3<Lane> t = (Lane(Real(1)) - c) * world;
  const Mat3<Lane> q = r;
  r.x = fma(a.x, t, fma(sa.z, q.y, fma(-sa.y, q.z, c * q.x)));
  r.y = fma(a.y, t, fma(sa.x, q.z, fma(-sa.z, q.x, c * q.y)));
  r.z = fma(a.z, t, fma(sa.y, q.x, fma(-sa.x, q.y, c * q.z)));
  return world;
}

template <class Lane>
SB_INLINE Vec3<Lane> axis_in_world(const Mat3<Lane>& r, int code, const RealOf<Lane>* axis) {
  switch (code) {
    case 1:
      return r.x;
    case 2:
      return r.y;
    case 3:
      return r.z;
    case -1:
      return -r.x;
    case -2:
      return -r.y;
    case -3:
      return -r.z;
    default:
      return mul(r, math::broadcast3<Lane>(axis));
  }
}

// Move a body's frame (r, x) by its joint j.
template <bool kMotions, class Lane>
SB_INLINE void apply_joint(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                           model::Scratch<Lane>& d, int j, Mat3<Lane>& r, Vec3<Lane>& x) {
  using Real = RealOf<Lane>;
  const Real* at = m.jnt_pos + 3 * j;
  const Real* axis = m.jnt_axis + 3 * j;
  const Lane* q = s.qpos + m.jnt_qposadr[j];
  const int code = m.derived.jnt_axiscode[j];
  Lane* motion = d.cdof + 6 * m.jnt_dofadr[j];
  if (m.jnt_type[j] == model::kJntSlide) {
    const Vec3<Lane> world = axis_in_world(r, code, axis);
    x = fma(q[0] - Lane(m.qpos0[m.jnt_qposadr[j]]), world, x);
    if constexpr (kMotions) {
      store3(motion, zero3<Lane>());
      store3(motion + 3, world);
    }
    return;
  }
  const int place = m.derived.joint_place[j];
  const Vec3<Lane> anchor = add_columns(r, at, place, x);
  if constexpr (kMotions) store3(motion + 3, anchor);
  if (m.jnt_type[j] == model::kJntHinge) {
    const Lane* sc = d.qtmp + 2 * m.jnt_dofadr[j];
    const Vec3<Lane> world = turn(r, code, axis, sc[0], sc[1]);
    if constexpr (kMotions) store3(motion, world);
  } else {
    r = mul(r, to_matrix(normalize(load4(q))));
  }
  if (place != 0) {
    const Real back[3] = {-at[0], -at[1], -at[2]};
    x = add_columns(r, back, place, anchor);
  }
}

// Frame of a body before its joints.
template <class Lane>
SB_INLINE void start_frame(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                           const model::Scratch<Lane>& d, int b, Mat3<Lane>& r, Vec3<Lane>& x) {
  const RealOf<Lane>* rot = m.derived.body_rot + 9 * b;
  const RealOf<Lane>* pos = m.body_pos + 3 * b;
  const int mocap = m.body_mocapid[b], parent = m.body_parentid[b];
  if (mocap >= 0) {
    x = load3(s.mocap_pos + 3 * mocap);
    r = to_matrix(normalize(load4(s.mocap_quat + 4 * mocap)));
  } else if (parent == 0) {
    x = math::broadcast3<Lane>(pos);
    r = math::broadcast9<Lane>(rot);
  } else {
    const int place = m.derived.body_place[b];
    r = load9(d.xmat + 9 * parent);
    x = add_columns(r, pos, place, load3(d.xpos + 3 * parent));
    if (place & model::kTurned) r = compose(r, rot);
  }
}

template <class Lane>
SB_INLINE void pose_geom(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d, int g,
                         const Mat3<Lane>& r, Vec3<Lane> x) {
  const int place = m.derived.geom_place[g];
  store3(d.geom_xpos + 3 * g, add_columns(r, m.geom_pos + 3 * g, place, x));
  if (place & model::kTurned) {
    store9(d.geom_xmat + 9 * g, compose(r, m.derived.geom_rot + 9 * g));
  } else {
    store9(d.geom_xmat + 9 * g, r);
  }
}

// The same of a sphere or capsule, of whose orientation nothing but the z axis is ever read.
template <class Lane>
SB_INLINE void pose_round_geom(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d, int g,
                               const Mat3<Lane>& r, Vec3<Lane> x) {
  const int place = m.derived.geom_place[g];
  store3(d.geom_xpos + 3 * g, add_columns(r, m.geom_pos + 3 * g, place, x));
  const RealOf<Lane>* q = m.derived.geom_rot + 9 * g;
  Vec3<Lane> z = r.z;
  if (place & model::kTurned) z = combine(r, q[2], q[5], q[8]);
  Lane* mat = d.geom_xmat + 9 * g;
  mat[2] = z.x;
  mat[5] = z.y;
  mat[8] = z.z;
}

template <bool kMotions, class Lane>
SB_INLINE void pose_body(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                         model::Scratch<Lane>& d, int b) {
  Mat3<Lane> r;
  Vec3<Lane> x;
  const int adr = m.body_jntadr[b], n = m.body_jntnum[b];
  if (n == 1 && m.jnt_type[adr] == model::kJntFree) {
    const Lane* q = s.qpos + m.jnt_qposadr[adr];
    x = load3(q);
    r = to_matrix(normalize(load4(q + 3)));
  } else {
    start_frame(m, s, d, b, r, x);
    for (int j = adr; j < adr + n; ++j) apply_joint<kMotions>(m, s, d, j, r, x);
  }
  // Rotations of balls and free joints are about the axes of the body's final frame.
  for (int j = adr; kMotions && j < adr + n; ++j) {
    const int type = m.jnt_type[j];
    if (type != model::kJntBall && type != model::kJntFree) continue;
    const bool ball = type == model::kJntBall;
    Lane* motion = d.cdof + 6 * (m.jnt_dofadr[j] + (ball ? 0 : 3));
    const Vec3<Lane> anchor = ball ? load3(motion + 3) : x;
    store6(motion, Spatial<Lane>{r.x, anchor});
    store6(motion + 6, Spatial<Lane>{r.y, anchor});
    store6(motion + 12, Spatial<Lane>{r.z, anchor});
  }
  store3(d.xpos + 3 * b, x);
  store9(d.xmat + 9 * b, r);
  if constexpr (kMotions) {
    const int place = m.derived.body_place[b] >> model::kComShift;
    store3(d.xipos + 3 * b, add_columns(r, m.body_ipos + 3 * b, place, x));
  }
  const int geoms = m.body_geomadr[b] + m.body_geomnum[b];
  for (int g = m.body_geomadr[b]; g < geoms; ++g) {
    if (!m.derived.geom_posed[g]) continue;
    if (m.geom_type[g] == model::kGeomSphere || m.geom_type[g] == model::kGeomCapsule) {
      pose_round_geom(m, d, g, r, x);
    } else {
      pose_geom(m, d, g, r, x);
    }
  }
}

}  // namespace detail

// Poses of the bodies and geoms that never move: once for each arena.
template <class Lane>
SB_HD void init_static(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                       model::Scratch<Lane>& d) {
  int next = 0;
  for (int b = 0; b < m.nbody; ++b) {
    if (next < m.derived.nmove && m.derived.move_body[next] == b) {
      ++next;
    } else {
      detail::pose_body<true>(m, s, d, b);
    }
  }
}

// Sine and cosine of every hinge's angle.
template <class Lane>
SB_HD void hinge_angles(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                        model::Scratch<Lane>& d) {
  for (int j = 0; j < m.njnt; ++j) {
    if (m.jnt_type[j] != model::kJntHinge) continue;
    const int q = m.jnt_qposadr[j], v = m.jnt_dofadr[j];
    math::sincos(s.qpos[q] - Lane(m.qpos0[q]), d.qtmp[2 * v], d.qtmp[2 * v + 1]);
  }
}

// Poses of everything that moves; kMotions: also centres of mass and the motion axes of the joints.
// After hinge_angles.
template <bool kMotions, class Lane>
SB_HD void poses(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                 model::Scratch<Lane>& d) {
  for (int i = 0; i < m.derived.nmove; ++i)
    detail::pose_body<kMotions>(m, s, d, m.derived.move_body[i]);
}

template <class Lane>
SB_HD void kinematics(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                      model::Scratch<Lane>& d) {
  hinge_angles(m, s, d);
  poses<true>(m, s, d);
}

// What reports want and steps do not need: xquat of every body and the poses of all geoms. After
// kinematics, at the same qpos.
template <class Lane>
SB_HD void report_poses(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                        model::Scratch<Lane>& d) {
  for (int b = 0; b < m.nbody; ++b) {
    const int adr = m.body_jntadr[b], n = m.body_jntnum[b], mocap = m.body_mocapid[b];
    Quat<Lane> q = math::broadcast4<Lane>(m.body_quat + 4 * b);
    if (n == 1 && m.jnt_type[adr] == model::kJntFree) {
      q = load4(s.qpos + m.jnt_qposadr[adr] + 3);
    } else if (mocap >= 0) {
      q = load4(s.mocap_quat + 4 * mocap);
    } else if (b > 0) {
      q = mul(load4(d.xquat + 4 * m.body_parentid[b]), q);
      for (int j = adr; j < adr + n; ++j) {
        const Lane* at = s.qpos + m.jnt_qposadr[j];
        if (m.jnt_type[j] == model::kJntHinge) {
          q = mul(q, math::axis_angle(math::broadcast3<Lane>(m.jnt_axis + 3 * j),
                                      at[0] - Lane(m.qpos0[m.jnt_qposadr[j]])));
        } else if (m.jnt_type[j] == model::kJntBall) {
          q = mul(q, normalize(load4(at)));
        }
      }
    }
    store4(d.xquat + 4 * b, normalize(q));
    const int geoms = m.body_geomadr[b] + m.body_geomnum[b];
    for (int g = m.body_geomadr[b]; g < geoms; ++g) {
      detail::pose_geom(m, d, g, load9(d.xmat + 9 * b), load3(d.xpos + 3 * b));
    }
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
