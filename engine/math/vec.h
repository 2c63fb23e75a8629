// Three-vectors and 3 x 3 matrices of lanes, with every fused multiply-add written out.
//
// Matrices are row-major (MuJoCo's xmat): element (i, j) is m[3 i + j]. `load` and `store` move between
// the types here and the arrays of State and Scratch; `broadcast` reads three model numbers, the same for
// all worlds.
#pragma once

#include "engine/math/lane.h"

namespace stepbench::math::inline SB_ISA {

template <class Lane>
struct Vec3 {
  Lane x, y, z;

  friend SB_INLINE Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend SB_INLINE Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend SB_INLINE Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend SB_INLINE Vec3 operator*(Lane s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
};

template <class Lane>
struct Mat3 {
  Lane m[9];
};

template <class Lane>
SB_INLINE Vec3<Lane> load3(const Lane* a) {
  return {a[0], a[1], a[2]};
}
template <class Lane>
SB_INLINE void store3(Lane* a, Vec3<Lane> v) {
  a[0] = v.x;
  a[1] = v.y;
  a[2] = v.z;
}
template <class Lane>
SB_INLINE Vec3<Lane> broadcast3(const RealOf<Lane>* a) {
  return {Lane(a[0]), Lane(a[1]), Lane(a[2])};
}
template <class Lane>
SB_INLINE Vec3<Lane> zero3() {
  const Lane zero = Lane(RealOf<Lane>(0));
  return {zero, zero, zero};
}

// a . b
template <class Lane>
SB_INLINE Lane dot(Vec3<Lane> a, Vec3<Lane> b) {
  return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}
// a x b
template <class Lane>
SB_INLINE Vec3<Lane> cross(Vec3<Lane> a, Vec3<Lane> b) {
  return {fnma(a.z, b.y, a.y * b.z), fnma(a.x, b.z, a.z * b.x), fnma(a.y, b.x, a.x * b.y)};
}
// c + a x b
template <class Lane>
SB_INLINE Vec3<Lane> cross_add(Vec3<Lane> a, Vec3<Lane> b, Vec3<Lane> c) {
  return {fma(a.y, b.z, fnma(a.z, b.y, c.x)), fma(a.z, b.x, fnma(a.x, b.z, c.y)),
          fma(a.x, b.y, fnma(a.y, b.x, c.z))};
}
// c + s a
template <class Lane>
SB_INLINE Vec3<Lane> fma(Lane s, Vec3<Lane> a, Vec3<Lane> c) {
  return {fma(s, a.x, c.x), fma(s, a.y, c.y), fma(s, a.z, c.z)};
}
template <class Lane>
SB_INLINE Lane norm(Vec3<Lane> a) {
  return sqrt(dot(a, a));
}
template <class Lane>
SB_INLINE Vec3<Lane> select(MaskOf<Lane> m, Vec3<Lane> a, Vec3<Lane> b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

template <class Lane>
SB_INLINE Mat3<Lane> load9(const Lane* a) {
  Mat3<Lane> r;
  SB_UNROLL for (int i = 0; i < 9; ++i) r.m[i] = a[i];
  return r;
}
template <class Lane>
SB_INLINE void store9(Lane* a, const Mat3<Lane>& r) {
  SB_UNROLL for (int i = 0; i < 9; ++i) a[i] = r.m[i];
}
template <class Lane>
SB_INLINE Vec3<Lane> column(const Mat3<Lane>& r, int j) {
  return {r.m[j], r.m[3 + j], r.m[6 + j]};
}

// r v
template <class Lane>
SB_INLINE Vec3<Lane> mul(const Mat3<Lane>& r, Vec3<Lane> v) {
  return {fma(r.m[2], v.z, fma(r.m[1], v.y, r.m[0] * v.x)),
          fma(r.m[5], v.z, fma(r.m[4], v.y, r.m[3] * v.x)),
          fma(r.m[8], v.z, fma(r.m[7], v.y, r.m[6] * v.x))};
}
// c + r v
template <class Lane>
SB_INLINE Vec3<Lane> mul_add(const Mat3<Lane>& r, Vec3<Lane> v, Vec3<Lane> c) {
  return {fma(r.m[2], v.z, fma(r.m[1], v.y, fma(r.m[0], v.x, c.x))),
          fma(r.m[5], v.z, fma(r.m[4], v.y, fma(r.m[3], v.x, c.y))),
          fma(r.m[8], v.z, fma(r.m[7], v.y, fma(r.m[6], v.x, c.z)))};
}
// r^T v
template <class Lane>
SB_INLINE Vec3<Lane> mul_t(const Mat3<Lane>& r, Vec3<Lane> v) {
  return {fma(r.m[6], v.z, fma(r.m[3], v.y, r.m[0] * v.x)),
          fma(r.m[7], v.z, fma(r.m[4], v.y, r.m[1] * v.x)),
          fma(r.m[8], v.z, fma(r.m[5], v.y, r.m[2] * v.x))};
}
// a b
template <class Lane>
SB_INLINE Mat3<Lane> mul(const Mat3<Lane>& a, const Mat3<Lane>& b) {
  Mat3<Lane> r;
  SB_UNROLL for (int i = 0; i < 3; ++i) {
    SB_UNROLL for (int j = 0; j < 3; ++j) {
      r.m[3 * i + j] =
          fma(a.m[3 * i + 2], b.m[6 + j],
              fma(a.m[3 * i + 1], b.m[3 + j], a.m[3 * i] * b.m[j]));
    }
  }
  return r;
}

}  // namespace stepbench::math::inline SB_ISA
