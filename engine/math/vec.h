// Three-vectors and 3 x 3 matrices of lanes, with every fused multiply-add written out.
//
// `load` and `store` move between the types here and the arrays of State and Scratch, where
// matrices are row-major (MuJoCo's xmat); `broadcast` reads model numbers, the same for all worlds.
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

// Columns x, y, z. Named members, not an array: GCC then keeps all nine numbers in registers.
template <class Lane>
struct Mat3 {
  Vec3<Lane> x, y, z;
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

// Row-major arrays, element (i, j) at a[3 i + j].
template <class Lane>
SB_INLINE Mat3<Lane> load9(const Lane* a) {
  return {{a[0], a[3], a[6]}, {a[1], a[4], a[7]}, {a[2], a[5], a[8]}};
}
template <class Lane>
SB_INLINE void store9(Lane* a, const Mat3<Lane>& r) {
  a[0] = r.x.x;
  a[1] = r.y.x;
  a[2] = r.z.x;
  a[3] = r.x.y;
  a[4] = r.y.y;
  a[5] = r.z.y;
  a[6] = r.x.z;
  a[7] = r.y.z;
  a[8] = r.z.z;
}
template <class Lane>
SB_INLINE Mat3<Lane> broadcast9(const RealOf<Lane>* a) {
  return {{Lane(a[0]), Lane(a[3]), Lane(a[6])},
          {Lane(a[1]), Lane(a[4]), Lane(a[7])},
          {Lane(a[2]), Lane(a[5]), Lane(a[8])}};
}

// r v
template <class Lane>
SB_INLINE Vec3<Lane> mul(const Mat3<Lane>& r, Vec3<Lane> v) {
  return fma(v.z, r.z, fma(v.y, r.y, v.x * r.x));
}
// r^T v
template <class Lane>
SB_INLINE Vec3<Lane> mul_t(const Mat3<Lane>& r, Vec3<Lane> v) {
  return {dot(r.x, v), dot(r.y, v), dot(r.z, v)};
}
// a b
template <class Lane>
SB_INLINE Mat3<Lane> mul(const Mat3<Lane>& a, const Mat3<Lane>& b) {
  return {mul(a, b.x), mul(a, b.y), mul(a, b.z)};
}

}  // namespace stepbench::math::inline SB_ISA
