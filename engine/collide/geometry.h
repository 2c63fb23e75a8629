// Vectors, poses and contact points in lanes: the vocabulary of the pair functions.
//
// Sums of products are written in MuJoCo's order and without fma, so that near-ties (flush boxes,
// aligned capsules) are decided by the same rounding as there.
#pragma once

#include "engine/math/lane.h"
#include "engine/model/arrays.h"

namespace stepbench::collide::inline SB_ISA {

using math::kMinVal;
using math::MaskOf;
using math::RealOf;

template <class Lane>
struct Vec3 {
  Lane x, y, z;
  friend SB_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend SB_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend SB_INLINE Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend SB_INLINE Vec3 operator*(const Vec3& a, Lane s) { return {a.x * s, a.y * s, a.z * s}; }
};

template <class Lane>
SB_INLINE Lane dot(const Vec3<Lane>& a, const Vec3<Lane>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class Lane>
SB_INLINE Vec3<Lane> cross(const Vec3<Lane>& a, const Vec3<Lane>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Lane>
SB_INLINE Vec3<Lane> select(MaskOf<Lane> m, const Vec3<Lane>& a, const Vec3<Lane>& b) {
  using math::select;
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

// a / |a|, and (1, 0, 0) where |a| is below kMinVal (mju_normalize3); `norm` is |a| before.
template <class Lane>
SB_INLINE Vec3<Lane> normalize(const Vec3<Lane>& a, Lane& norm) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1));
  norm = math::sqrt(dot(a, a));
  const MaskOf<Lane> tiny = norm < Lane(kMinVal<Real>);
  const Lane inverse = one / math::select(tiny, one, norm);
  return select(tiny, Vec3<Lane>{one, zero, zero}, a * inverse);
}

// Where a geom is: its centre and its rotation, row-major; columns are the geom's axes in world
// frame.
template <class Lane>
struct Pose {
  Vec3<Lane> pos;
  const Lane* mat;

  // Pose of geom g from the arrays of kinematics.
  static SB_INLINE Pose of(const Lane* xpos, const Lane* xmat, int g) {
    return {{xpos[3 * g], xpos[3 * g + 1], xpos[3 * g + 2]}, xmat + 9 * g};
  }
  SB_INLINE Vec3<Lane> axis(int j) const { return {mat[j], mat[3 + j], mat[6 + j]}; }
  SB_INLINE Vec3<Lane> to_world(const Vec3<Lane>& v) const {
    return {mat[0] * v.x + mat[1] * v.y + mat[2] * v.z, mat[3] * v.x + mat[4] * v.y + mat[5] * v.z,
            mat[6] * v.x + mat[7] * v.y + mat[8] * v.z};
  }
  SB_INLINE Vec3<Lane> to_local(const Vec3<Lane>& v) const {
    return {mat[0] * v.x + mat[3] * v.y + mat[6] * v.z, mat[1] * v.x + mat[4] * v.y + mat[7] * v.z,
            mat[2] * v.x + mat[5] * v.y + mat[8] * v.z};
  }
};

// One contact point. `dist` is kNoContact in lanes that lack it; the rest is then undefined.
template <class Lane>
struct Contact {
  Lane dist;          // m, negative in penetration
  Vec3<Lane> pos;     // midway between the surfaces
  Vec3<Lane> normal;  // unit, from geom1 to geom2
};

template <class Lane>
SB_INLINE Lane no_contact() {
  return Lane(RealOf<Lane>(model::kNoContact));
}

// `dist` where the contact exists.
template <class Lane>
SB_INLINE Lane where(MaskOf<Lane> exists, Lane dist) {
  return math::select(exists, dist, no_contact<Lane>());
}

}  // namespace stepbench::collide::inline SB_ISA
