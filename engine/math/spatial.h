// Spatial vectors (angular, linear) and inertias about one reference point, in world axes.
//
// An inertia is MuJoCo's ten numbers: Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the reference point, first
// moment m d (d from the reference point to the centre of mass), m. Featherstone, Rigid Body
// Dynamics Algorithms (2008), chapter 2; mju_mulInertVec, mju_crossMotion, mju_crossForce.
#pragma once

#include "engine/math/vec.h"

namespace stepbench::math::inline SB_ISA {

template <class Lane>
struct Spatial {
  Vec3<Lane> ang, lin;

  friend SB_INLINE Spatial operator+(const Spatial& a, const Spatial& b) {
    return {a.ang + b.ang, a.lin + b.lin};
  }
};

template <class Lane>
SB_INLINE Spatial<Lane> load6(const Lane* a) {
  return {load3(a), load3(a + 3)};
}
template <class Lane>
SB_INLINE void store6(Lane* a, const Spatial<Lane>& v) {
  store3(a, v.ang);
  store3(a + 3, v.lin);
}
template <class Lane>
SB_INLINE Spatial<Lane> zero6() {
  return {zero3<Lane>(), zero3<Lane>()};
}

template <class Lane>
SB_INLINE Lane dot(const Spatial<Lane>& a, const Spatial<Lane>& b) {
  return dot(a.ang, b.ang) + dot(a.lin, b.lin);
}
// c + s a
template <class Lane>
SB_INLINE Spatial<Lane> fma(Lane s, const Spatial<Lane>& a, const Spatial<Lane>& c) {
  return {fma(s, a.ang, c.ang), fma(s, a.lin, c.lin)};
}

// v x m: rate of change of a motion vector m that is carried along with velocity v.
template <class Lane>
SB_INLINE Spatial<Lane> cross_motion(const Spatial<Lane>& v, const Spatial<Lane>& m) {
  return {cross(v.ang, m.ang), cross_add(v.lin, m.ang, cross(v.ang, m.lin))};
}
// v x* f: the same for a force vector (moment, force).
template <class Lane>
SB_INLINE Spatial<Lane> cross_force(const Spatial<Lane>& v, const Spatial<Lane>& f) {
  return {cross_add(v.lin, f.lin, cross(v.ang, f.ang)), cross(v.ang, f.lin)};
}

template <class Lane>
struct Inertia {
  Lane xx, yy, zz, xy, xz, yz;
  Vec3<Lane> md;
  Lane m;
};

template <class Lane>
SB_INLINE Inertia<Lane> load_inertia(const Lane* a) {
  return {a[0], a[1], a[2], a[3], a[4], a[5], load3(a + 6), a[9]};
}
template <class Lane>
SB_INLINE void store_inertia(Lane* a, const Inertia<Lane>& i) {
  a[0] = i.xx;
  a[1] = i.yy;
  a[2] = i.zz;
  a[3] = i.xy;
  a[4] = i.xz;
  a[5] = i.yz;
  store3(a + 6, i.md);
  a[9] = i.m;
}

// Momentum (or force) of a motion vector: I v.
template <class Lane>
SB_INLINE Spatial<Lane> mul(const Inertia<Lane>& i, const Spatial<Lane>& v) {
  const Vec3<Lane> w = v.ang;
  const Vec3<Lane> turn{fma(i.xz, w.z, fma(i.xy, w.y, i.xx * w.x)),
                        fma(i.yz, w.z, fma(i.yy, w.y, i.xy * w.x)),
                        fma(i.zz, w.z, fma(i.yz, w.y, i.xz * w.x))};
  return {cross_add(i.md, v.lin, turn), cross_add(w, i.md, i.m * v.lin)};
}

// U = Y s for a symmetric 6 x 6 matrix, its lower triangle packed by rows.
template <class Lane>
SB_INLINE void mul_packed(const Lane* Y, const Lane* s, Lane* U) {
  const auto entry = [&](int i, int j) {
    return Y[i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i];
  };
  SB_UNROLL
  for (int i = 0; i < 6; ++i) {
    Lane low = entry(i, 0) * s[0], high = entry(i, 3) * s[3];
    SB_UNROLL
    for (int j = 1; j < 3; ++j) {
      low = fma(entry(i, j), s[j], low);
      high = fma(entry(i, j + 3), s[j + 3], high);
    }
    U[i] = low + high;
  }
}

}  // namespace stepbench::math::inline SB_ISA
