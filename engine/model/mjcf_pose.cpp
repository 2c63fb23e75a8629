#include "engine/model/mjcf_pose.h"

#include <cctype>
#include <cmath>
#include <numbers>

#include "engine/model/mjcf_attribute.h"

namespace stepbench::model::mjcf {
namespace {

// Shorter vectors have no direction (MuJoCo's bound).
constexpr double kTiny = 1e-14;

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vec3 scaled(const Vec3& v, double s) { return {v[0] * s, v[1] * s, v[2] * s}; }

double angle(const Context& c, double value) {
  return c.degree ? value / 180 * std::numbers::pi : value;
}

// Rows-to-columns: the frame's axes are x, y, z. Shepperd's method, largest component first.
Quat from_axes(const Vec3& x, const Vec3& y, const Vec3& z) {
  Quat q;
  if (x[0] + y[1] + z[2] > 0) {
    q[0] = 0.5 * std::sqrt(1 + x[0] + y[1] + z[2]);
    q[1] = 0.25 * (y[2] - z[1]) / q[0];
    q[2] = 0.25 * (z[0] - x[2]) / q[0];
    q[3] = 0.25 * (x[1] - y[0]) / q[0];
  } else if (x[0] > y[1] && x[0] > z[2]) {
    q[1] = 0.5 * std::sqrt(1 + x[0] - y[1] - z[2]);
    q[0] = 0.25 * (y[2] - z[1]) / q[1];
    q[2] = 0.25 * (x[1] + y[0]) / q[1];
    q[3] = 0.25 * (x[2] + z[0]) / q[1];
  } else if (y[1] > z[2]) {
    q[2] = 0.5 * std::sqrt(1 - x[0] + y[1] - z[2]);
    q[0] = 0.25 * (z[0] - x[2]) / q[2];
    q[1] = 0.25 * (x[1] + y[0]) / q[2];
    q[3] = 0.25 * (y[2] + z[1]) / q[2];
  } else {
    q[3] = 0.5 * std::sqrt(1 - x[0] - y[1] + z[2]);
    q[0] = 0.25 * (x[1] - y[0]) / q[3];
    q[1] = 0.25 * (x[2] + z[0]) / q[3];
    q[2] = 0.25 * (y[2] + z[1]) / q[3];
  }
  return normalized(q);
}

// Unit vector along v, or an error that names the attribute.
Vec3 direction(const Context& c, const Element& e, const char* name, const Vec3& v) {
  const double length = std::sqrt(dot(v, v));
  if (!(length > kTiny) || !std::isfinite(length)) {
    c.fail(e, "attribute '" + std::string(name) + "' gives no direction",
           "its vectors must be finite, not zero and not parallel");
  }
  return scaled(v, 1 / length);
}

Quat from_xyaxes(const Context& c, const Element& e, const std::array<double, 6>& v) {
  const Vec3 x = direction(c, e, "xyaxes", {v[0], v[1], v[2]});
  const Vec3 second = {v[3], v[4], v[5]};
  const double along = dot(x, second);
  const Vec3 y =
      direction(c, e, "xyaxes",
                {second[0] - x[0] * along, second[1] - x[1] * along, second[2] - x[2] * along});
  return from_axes(x, y, direction(c, e, "xyaxes", cross(x, y)));
}

}  // namespace

Quat multiply(const Quat& a, const Quat& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quat normalized(const Quat& q) {
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm > kTiny)) return {1, 0, 0, 0};
  // What is unit up to rounding stays as it is, so that written scenes read back bit for bit.
  if (std::abs(norm - 1) < 1e-15) return q;
  return {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
}

Vec3 rotate(const Quat& q, const Vec3& v) {
  if (q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0) return v;
  const double q00 = q[0] * q[0], q11 = q[1] * q[1], q22 = q[2] * q[2], q33 = q[3] * q[3];
  const double q01 = q[0] * q[1], q02 = q[0] * q[2], q03 = q[0] * q[3];
  const double q12 = q[1] * q[2], q13 = q[1] * q[3], q23 = q[2] * q[3];
  return {(q00 + q11 - q22 - q33) * v[0] + 2 * (q12 - q03) * v[1] + 2 * (q13 + q02) * v[2],
          2 * (q12 + q03) * v[0] + (q00 - q11 + q22 - q33) * v[1] + 2 * (q23 - q01) * v[2],
          2 * (q13 - q02) * v[0] + 2 * (q23 + q01) * v[1] + (q00 - q11 - q22 + q33) * v[2]};
}

Pose compose(const Pose& outer, const Pose& inner) {
  const Vec3 turned = rotate(outer.quat, inner.pos);
  return {{outer.pos[0] + turned[0], outer.pos[1] + turned[1], outer.pos[2] + turned[2]},
          normalized(multiply(outer.quat, inner.quat))};
}

Quat z_to(const Vec3& v) {
  Vec3 axis = {-v[1], v[0], 0};  // z x v
  double sine = std::sqrt(dot(axis, axis));
  if (sine < 1e-10) {
    axis = {1, 0, 0};
  } else {
    axis = scaled(axis, 1 / sine);
  }
  const double half = std::atan2(sine, v[2]) / 2;
  const double s = std::sin(half);
  return {std::cos(half), axis[0] * s, axis[1] * s, axis[2] * s};
}

bool read_orientation(const Context& c, const Element& e, Quat& quat) {
  static constexpr const char* kNames[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
  int given = 0;
  for (const char* name : kNames) given += e.attribute(name) ? 1 : 0;
  if (given == 0) return false;
  if (given > 1) {
    c.fail(e, "more than one orientation is given",
           "keep one of quat, axisangle, xyaxes, zaxis, euler");
  }
  std::array<double, 6> axes;
  std::array<double, 4> four;
  Vec3 three;
  if (read(c, e, "quat", four)) {
    const double largest = std::max(std::max(std::abs(four[0]), std::abs(four[1])),
                                    std::max(std::abs(four[2]), std::abs(four[3])));
    const double norm =
        std::sqrt(four[0] * four[0] + four[1] * four[1] + four[2] * four[2] + four[3] * four[3]);
    if (largest == 0) c.fail(e, "attribute 'quat' is zero", "the unit quaternion is 1 0 0 0");
    if (!std::isfinite(norm)) c.fail(e, "attribute 'quat' is too large");
    quat = normalized(four);
  } else if (read(c, e, "axisangle", four)) {
    const Vec3 axis = direction(c, e, "axisangle", {four[0], four[1], four[2]});
    const double half = angle(c, four[3]) / 2;
    const double s = std::sin(half);
    quat = {std::cos(half), axis[0] * s, axis[1] * s, axis[2] * s};
  } else if (read(c, e, "xyaxes", axes)) {
    quat = from_xyaxes(c, e, axes);
  } else if (read(c, e, "zaxis", three)) {
    quat = z_to(direction(c, e, "zaxis", three));
  } else if (read(c, e, "euler", three)) {
    quat = from_euler(c, three);
  } else {
    return false;  // given, but empty
  }
  return true;
}

Quat from_euler(const Context& c, const Vec3& euler) {
  Quat q = {1, 0, 0, 0};
  for (size_t i = 0; i < 3; ++i) {
    const char axis = c.eulerseq[i];
    const double half = angle(c, euler[i]) / 2;
    Quat turn = {std::cos(half), 0, 0, 0};
    const int lower = std::tolower(static_cast<unsigned char>(axis));
    turn[static_cast<size_t>(lower - 'x') + 1] = std::sin(half);
    // Lower case: about axes that move along; upper case: about fixed axes.
    q = axis == lower ? multiply(q, turn) : multiply(turn, q);
  }
  return normalized(q);
}

void read_pose(const Context& c, const Element& e, Vec3& pos, Quat& quat) {
  read(c, e, "pos", pos);
  read_orientation(c, e, quat);
}

Segment segment(const Context& c, const Element& e, const std::array<double, 6>& fromto) {
  const Vec3 v = {fromto[0] - fromto[3], fromto[1] - fromto[4], fromto[2] - fromto[5]};
  const double length = std::sqrt(dot(v, v));
  if (!(length > kTiny) || !std::isfinite(length)) {
    c.fail(e, "the points of fromto are too close", "fromto takes two different points");
  }
  Segment s;
  s.pose.pos = {(fromto[0] + fromto[3]) / 2, (fromto[1] + fromto[4]) / 2,
                (fromto[2] + fromto[5]) / 2};
  s.pose.quat = z_to(scaled(v, 1 / length));
  s.half_length = length / 2;
  return s;
}

}  // namespace stepbench::model::mjcf
