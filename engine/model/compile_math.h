// Small double-precision vector and quaternion algebra of the model compiler.
//
// The compiler must reproduce MuJoCo's compiled numbers to 1e-12, and some of its results hinge on
// exact ties (order of equal principal moments, "already normalised" quaternions). So the
// thresholds and the order of operations here are those of MuJoCo's compiler, not those of the step
// code.
//
// Quaternions are (w, x, y, z); matrices are row-major.
#pragma once

#include <array>
#include <cmath>

namespace stepbench::model::detail {

using Vec3 = std::array<double, 3>;
using Quat = std::array<double, 4>;
using Mat3 = std::array<double, 9>;

// Below this a length, mass or inertia counts as zero in the compiler (mjEPS).
inline constexpr double kEps = 1e-14;
// Smallest mass, inertia or pivot of a moving body (mjMINVAL).
inline constexpr double kMinVal = 1e-15;
inline constexpr double kPi = 3.14159265358979323846;
inline constexpr Quat kUnitQuat = {1, 0, 0, 0};

inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator-(const Vec3& a) { return {-a[0], -a[1], -a[2]}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }

// Scale v to unit length unless it already is, within kEps. Returns the length, 0 for a zero
// vector, which is left as it is.
template <std::size_t N>
double normalize(std::array<double, N>& v) {
  double norm = 0;
  for (double x : v) norm += x * x;
  if (norm < kEps) return 0;
  norm = std::sqrt(norm);
  if (std::abs(norm - 1) > kEps) {
    for (double& x : v) x /= norm;
  }
  return norm;
}

inline Quat conjugate(const Quat& q) { return {q[0], -q[1], -q[2], -q[3]}; }

inline Quat multiply(const Quat& a, const Quat& b) {
  Quat q = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  normalize(q);
  return q;
}

inline Mat3 to_matrix(const Quat& q) {
  if (q == kUnitQuat) return {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double ww = q[0] * q[0], wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
  const double xx = q[1] * q[1], xy = q[1] * q[2], xz = q[1] * q[3];
  const double yy = q[2] * q[2], yz = q[2] * q[3], zz = q[3] * q[3];
  return {ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz),    ww - xx + yy - zz,
          2 * (yz - wx),     2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz};
}

inline Vec3 multiply(const Mat3& m, const Vec3& v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}

inline Mat3 multiply(const Mat3& a, const Mat3& b) {
  Mat3 c;
  for (std::size_t i = 0; i < 9; i += 3) {
    for (std::size_t j = 0; j < 3; ++j) {
      c[i + j] = a[i] * b[j] + a[i + 1] * b[j + 3] + a[i + 2] * b[j + 6];
    }
  }
  return c;
}

inline Mat3 transpose(const Mat3& m) {
  return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

// Rotation of v by q; v itself for the unit quaternion.
inline Vec3 rotate(const Quat& q, const Vec3& v) {
  if (q == kUnitQuat) return v;
  const Vec3 u = {q[1], q[2], q[3]};
  const Vec3 t = {q[0] * v[0] + u[1] * v[2] - u[2] * v[1], q[0] * v[1] + u[2] * v[0] - u[0] * v[2],
                  q[0] * v[2] + u[0] * v[1] - u[1] * v[0]};
  return {v[0] + 2 * (u[1] * t[2] - u[2] * t[1]), v[1] + 2 * (u[2] * t[0] - u[0] * t[2]),
          v[2] + 2 * (u[0] * t[1] - u[1] * t[0])};
}

// A pose: x_parent = pos + rotate(quat, x_local).
struct Pose {
  Vec3 pos = {0, 0, 0};
  Quat quat = kUnitQuat;
};

// Pose of b, given in the frame of a, in the frame in which a is given.
inline Pose operator*(const Pose& a, const Pose& b) {
  return {a.pos + multiply(to_matrix(a.quat), b.pos), multiply(a.quat, b.quat)};
}

inline Pose inverse(const Pose& a) {
  const Quat q = conjugate(a.quat);
  return {-multiply(to_matrix(q), a.pos), q};
}

}  // namespace stepbench::model::detail
