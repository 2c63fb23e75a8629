// Unit quaternions (w, x, y, z) of lanes, with MuJoCo's conventions (engine_util_spatial): a
// quaternion turns local into parent coordinates; lengths below kMinVal count as no rotation.
#pragma once

#include "engine/math/trig.h"
#include "engine/math/vec.h"

namespace stepbench::math::inline SB_ISA {

template <class Lane>
struct Quat {
  Lane w, x, y, z;
};

template <class Lane>
SB_INLINE Quat<Lane> load4(const Lane* a) {
  return {a[0], a[1], a[2], a[3]};
}
template <class Lane>
SB_INLINE void store4(Lane* a, Quat<Lane> q) {
  a[0] = q.w;
  a[1] = q.x;
  a[2] = q.y;
  a[3] = q.z;
}
template <class Lane>
SB_INLINE Quat<Lane> broadcast4(const RealOf<Lane>* a) {
  return {Lane(a[0]), Lane(a[1]), Lane(a[2]), Lane(a[3])};
}

// Product a b: first b, then a.
template <class Lane>
SB_INLINE Quat<Lane> mul(Quat<Lane> a, Quat<Lane> b) {
  return {fnma(a.z, b.z, fnma(a.y, b.y, fnma(a.x, b.x, a.w * b.w))),
          fnma(a.z, b.y, fma(a.y, b.z, fma(a.x, b.w, a.w * b.x))),
          fma(a.z, b.x, fma(a.y, b.w, fnma(a.x, b.z, a.w * b.y))),
          fma(a.z, b.w, fnma(a.y, b.x, fma(a.x, b.y, a.w * b.z)))};
}
template <class Lane>
SB_INLINE Quat<Lane> conjugate(Quat<Lane> q) {
  return {q.w, -q.x, -q.y, -q.z};
}

// q / |q|; (1, 0, 0, 0) where |q| < kMinVal.
template <class Lane>
SB_INLINE Quat<Lane> normalize(Quat<Lane> q) {
  using Real = RealOf<Lane>;
  const Lane one = Lane(Real(1)), zero = Lane(Real(0));
  const Lane n = sqrt(fma(q.z, q.z, fma(q.y, q.y, fma(q.x, q.x, q.w * q.w))));
  const auto none = n < Lane(kMinVal<Real>);
  const Lane s = one / select(none, one, n);
  return {select(none, one, q.w * s), select(none, zero, q.x * s), select(none, zero, q.y * s),
          select(none, zero, q.z * s)};
}

// Rotation matrix of a unit quaternion.
template <class Lane>
SB_INLINE Mat3<Lane> to_matrix(Quat<Lane> q) {
  using Real = RealOf<Lane>;
  const Lane one = Lane(Real(1));
  const Lane x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const Lane xx = q.x * x2, xy = q.x * y2, xz = q.x * z2, wx = q.w * x2;
  return {{one - fma(q.y, y2, q.z * z2), fma(q.w, z2, xy), fnma(q.w, y2, xz)},
          {fnma(q.w, z2, xy), one - fma(q.z, z2, xx), fma(q.y, z2, wx)},
          {fma(q.w, y2, xz), fma(q.y, z2, -wx), one - fma(q.y, y2, xx)}};
}

// q v q*: v + 2 u x (u x v + w v), u = (x, y, z).
template <class Lane>
SB_INLINE Vec3<Lane> rotate(Quat<Lane> q, Vec3<Lane> v) {
  const Vec3<Lane> u{q.x, q.y, q.z};
  Vec3<Lane> t = cross(u, v);
  t = t + t;
  return cross_add(u, t, fma(q.w, t, v));
}

// Rotation by `angle` (rad) about the unit axis.
template <class Lane>
SB_INLINE Quat<Lane> axis_angle(Vec3<Lane> axis, Lane angle) {
  Lane s, c;
  sincos(angle * RealOf<Lane>(0.5), s, c);
  return {c, axis.x * s, axis.y * s, axis.z * s};
}

// exp of the rotation vector v (rad): cos(|v|/2), sin(|v|/2) v / |v|.
template <class Lane>
SB_INLINE Quat<Lane> exp_rotation(Vec3<Lane> v) {
  using Real = RealOf<Lane>;
  const Lane n = norm(v);
  const auto none = n < Lane(kMinVal<Real>);
  Lane s, c;
  sincos(n * Real(0.5), s, c);
  const Lane k = select(none, Lane(Real(0.5)), s / select(none, Lane(Real(1)), n));
  return {c, v.x * k, v.y * k, v.z * k};
}

// normalize(q) exp(h w): the step of an orientation with angular velocity w in local coordinates.
template <class Lane>
SB_INLINE Quat<Lane> integrate(Quat<Lane> q, Vec3<Lane> w, Lane h) {
  return mul(normalize(q), exp_rotation(h * w));
}

// Rotation vector of a unit quaternion (rad), length at most pi: 2 atan2(|u|, w) u / |u|.
template <class Lane>
SB_INLINE Vec3<Lane> log_rotation(Quat<Lane> q) {
  using Real = RealOf<Lane>;
  const Vec3<Lane> u{q.x, q.y, q.z};
  const Lane n = norm(u);
  const Lane pi = Lane(Real(3.14159265358979323846));
  Lane angle = Real(2) * atan2(n, q.w);
  angle = select(angle > pi, angle - (pi + pi), angle);
  const auto none = n < Lane(kMinVal<Real>);
  const Lane k = select(none, Lane(Real(0)), angle / select(none, Lane(Real(1)), n));
  return k * u;
}

// log(b* a): rotation vector that turns b into a, in b's coordinates (rad).
template <class Lane>
SB_INLINE Vec3<Lane> difference(Quat<Lane> a, Quat<Lane> b) {
  return log_rotation(mul(conjugate(b), a));
}

}  // namespace stepbench::math::inline SB_ISA
