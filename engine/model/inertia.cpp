#include "engine/model/inertia.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepbench::model::detail {
namespace {

Vec3 capsule_moments(const Geom& g, double mass) {
  const double r = g.size[0], h = 2 * g.size[1];  // h: length of the cylinder between the caps
  if (g.shellinertia) {
    const double cap_area = 4 * kPi * r * r, side_area = 2 * kPi * r * h;
    const double caps = mass * cap_area / (cap_area + side_area), side = mass - caps;
    // A hemispherical shell has its centre at r/2 from the flat side.
    const double centre = r / 2, at = h / 2 + centre;
    const double ball = 2 * caps * r * r / 3;
    const double across =
        side * (6 * r * r + h * h) / 12 + (ball + caps * (at * at - centre * centre));
    return {across, across, side * r * r + ball};
  }
  const double caps = mass * 4 * r / (4 * r + 3 * h), side = mass - caps;
  const double ball = 2 * caps * r * r / 5;
  const double across = side * (3 * r * r + h * h) / 12 + (ball + caps * h * (3 * r + 2 * h) / 8);
  return {across, across, side * r * r / 2 + ball};
}

Vec3 cylinder_moments(const Geom& g, double mass) {
  const double r = g.size[0], half = g.size[1], h = 2 * g.size[1];
  if (g.shellinertia) {
    const double disk_area = kPi * r * r, side_area = 2 * kPi * r * h;
    const double disk = mass * disk_area / (2 * disk_area + side_area), side = mass - 2 * disk;
    const double across =
        side * (6 * r * r + h * h) / 12 + 2 * (disk * r * r / 4 + disk * half * half);
    return {across, across, side * r * r + 2 * (disk * r * r / 2)};
  }
  const double across = mass * (3 * r * r + h * h) / 12;
  return {across, across, mass * r * r / 2};
}

Vec3 ellipsoid_moments(const Geom& g, double mass) {
  const double aa = g.size[0] * g.size[0], bb = g.size[1] * g.size[1], cc = g.size[2] * g.size[2];
  if (!g.shellinertia) return {mass * (bb + cc) / 5, mass * (aa + cc) / 5, mass * (aa + bb) / 5};

  // No closed form: the difference of two solids whose half axes differ by eps (m), as MuJoCo does.
  const double eps = 1e-6;
  const double a = g.size[0] + eps, b = g.size[1] + eps, c = g.size[2] + eps;
  const double inner = 4 * kPi * g.size[0] * g.size[1] * g.size[2] / 3,
               outer = 4 * kPi * a * b * c / 3;
  const double density = mass / (outer - inner);
  const double m_in = inner * density, m_out = outer * density;
  return {m_out * (b * b + c * c) / 5 - m_in * (bb + cc) / 5,
          m_out * (a * a + c * c) / 5 - m_in * (aa + cc) / 5,
          m_out * (a * a + b * b) / 5 - m_in * (aa + bb) / 5};
}

Vec3 box_moments(const Geom& g, double mass) {
  const double aa = g.size[0] * g.size[0], bb = g.size[1] * g.size[1], cc = g.size[2] * g.size[2];
  if (!g.shellinertia) return {mass * (bb + cc) / 3, mass * (aa + cc) / 3, mass * (aa + bb) / 3};

  const double lx = 2 * g.size[0], ly = 2 * g.size[1], lz = 2 * g.size[2];
  const double xy = lx * ly, yz = ly * lz, zx = lz * lx;
  const double area = 2 * (xy + yz + zx);
  const double m_xy = mass * xy / area, m_yz = mass * yz / area, m_zx = mass * zx / area;
  const double ix = m_xy * ly * ly / 12 + m_yz * (ly * ly + lz * lz) / 12 + m_zx * lz * lz / 12;
  const double iy = m_xy * lx * lx / 12 + m_yz * lz * lz / 12 + m_zx * (lx * lx + lz * lz) / 12;
  const double iz = m_xy * (lx * lx + ly * ly) / 12 + m_yz * ly * ly / 12 + m_zx * lx * lx / 12;
  return {2 * (m_xy * cc + m_zx * bb + ix), 2 * (m_xy * cc + m_yz * aa + iy),
          2 * (m_yz * aa + m_zx * bb + iz)};
}

Vec3 moments_of(const Geom& g, double mass) {
  switch (g.type) {
    case kGeomSphere: {
      const double i = 2 * mass * g.size[0] * g.size[0] / (g.shellinertia ? 3 : 5);
      return {i, i, i};
    }
    case kGeomCapsule:
      return capsule_moments(g, mass);
    case kGeomCylinder:
      return cylinder_moments(g, mass);
    case kGeomEllipsoid:
      return ellipsoid_moments(g, mass);
    case kGeomBox:
      return box_moments(g, mass);
    default:
      return {0, 0, 0};
  }
}

// Inertia with principal moments `d` along the axes of q, in the frame in which q is given.
Sym3 rotated(const Vec3& d, const Quat& q) {
  const Mat3 r = to_matrix(q);
  const auto entry = [&](std::size_t i, std::size_t j) {
    return r[3 * i] * (r[3 * j] * d[0]) + r[3 * i + 1] * (r[3 * j + 1] * d[1]) +
           r[3 * i + 2] * (r[3 * j + 2] * d[2]);
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

// Parallel axis theorem: what a point mass at p adds.
Sym3 off_centre(double mass, const Vec3& p) {
  return {mass * (p[1] * p[1] + p[2] * p[2]),
          mass * (p[0] * p[0] + p[2] * p[2]),
          mass * (p[0] * p[0] + p[1] * p[1]),
          -mass * p[0] * p[1],
          -mass * p[0] * p[2],
          -mass * p[1] * p[2]};
}

}  // namespace

double geom_volume(const Geom& g) {
  const double r = g.size[0], h = 2 * g.size[1];
  switch (g.type) {
    case kGeomSphere:
      return g.shellinertia ? 4 * kPi * r * r : 4 * kPi * r * r * r / 3;
    case kGeomCapsule:
      return g.shellinertia ? 4 * kPi * r * r + 2 * kPi * r * h
                            : kPi * (r * r * h + 4 * r * r * r / 3);
    case kGeomCylinder:
      return g.shellinertia ? 2 * kPi * r * r + 2 * kPi * r * h : kPi * r * r * h;
    case kGeomEllipsoid: {
      if (!g.shellinertia) return 4 * kPi * g.size[0] * g.size[1] * g.size[2] / 3;
      const double p = 1.6075;  // Thomsen's approximation of the surface
      const double sum = std::pow(g.size[0] * g.size[1], p) + std::pow(g.size[1] * g.size[2], p) +
                         std::pow(g.size[2] * g.size[0], p);
      return 4 * kPi * std::pow(sum / 3, 1 / p);
    }
    case kGeomBox:
      return g.shellinertia
                 ? 8 * (g.size[0] * g.size[1] + g.size[1] * g.size[2] + g.size[2] * g.size[0])
                 : g.size[0] * g.size[1] * g.size[2] * 8;
    default:
      return 0;
  }
}

RigidInertia geom_inertia(const Geom& g) {
  RigidInertia result;
  result.pose = {g.pos, g.quat};
  const double volume = geom_volume(g);
  if (g.mass) {
    if (*g.mass == 0 || volume <= kEps) return result;
    result.mass = *g.mass;
  } else {
    if (g.density == 0) return result;
    result.mass = g.density * volume;
  }
  result.moments = moments_of(g, result.mass);
  return result;
}

Principal principal_axes(const Sym3& s) {
  // MuJoCo 4.0.0's thresholds, relative to the largest entry (measured: rotations from 4e-15, swaps
  // from 1e-12 on). They decide what nearly symmetric bodies get, so they cannot be chosen freely.
  constexpr double kConverged = 4e-15, kTied = 1e-12;
  const Mat3 a = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
  double scale = 0;
  for (double x : a) scale = std::max(scale, std::abs(x));
  Quat q = kUnitQuat;
  Vec3 moments{};

  for (int iteration = 0; iteration < 500; ++iteration) {
    const Mat3 r = to_matrix(q);
    const Mat3 d = multiply(multiply(transpose(r), a), r);
    moments = {d[0], d[4], d[8]};

    // Rotate away the largest off-diagonal element (row, col), about the third axis.
    std::size_t row = 1, col = 2, axis = 0;
    if (std::abs(d[1]) > std::abs(d[2]) && std::abs(d[1]) > std::abs(d[5])) {
      row = 0, col = 1, axis = 2;
    } else if (std::abs(d[2]) > std::abs(d[5])) {
      row = 0, col = 2, axis = 1;
    }
    const double off = d[3 * row + col];
    if (!(std::abs(off) > kConverged * scale)) break;

    // t: tangent of the angle (Golub, Van Loan 8.5), h: of half the angle.
    const double tau = (d[4 * col] - d[4 * row]) / (2 * off);
    const double t =
        tau >= 0 ? 1 / (tau + std::sqrt(1 + tau * tau)) : -1 / (-tau + std::sqrt(1 + tau * tau));
    const double h = t / (1 + std::sqrt(1 + t * t));
    Quat turn = {1 / std::sqrt(1 + h * h), 0, 0, 0};
    turn[axis + 1] = (axis == 1 ? h : -h) * turn[0];
    q = multiply(q, turn);
  }

  // Bubble sort of three values: pairs 0, 1, 0. A swap is a quarter turn about the axis left out.
  for (std::size_t lead : {0u, 1u, 0u}) {
    if (moments[lead] + kTied * scale >= moments[lead + 1]) continue;
    std::swap(moments[lead], moments[lead + 1]);
    constexpr double kHalfRoot = 0.707106781186548;  // MuJoCo's digits
    Quat turn = {kHalfRoot, 0, 0, 0};
    turn[(lead + 2) % 3 + 1] = kHalfRoot;
    q = multiply(q, turn);
  }
  return {moments, q};
}

bool combine(const RigidInertia* parts, int count, double min_mass, RigidInertia* sum) {
  double mass = 0;
  Vec3 centre = {0, 0, 0};
  for (int i = 0; i < count; ++i) {
    mass += parts[i].mass;
    centre = centre + parts[i].mass * parts[i].pose.pos;
  }
  if (mass < min_mass) return false;
  for (double& x : centre) x /= mass;

  Sym3 total{};
  for (int i = 0; i < count; ++i) {
    const Sym3 own = rotated(parts[i].moments, parts[i].pose.quat);
    const Sym3 shift = off_centre(parts[i].mass, parts[i].pose.pos - centre);
    for (std::size_t k = 0; k < 6; ++k) total[k] = total[k] + own[k] + shift[k];
  }
  const Principal principal = principal_axes(total);
  *sum = {mass, principal.moments, {centre, principal.quat}};
  return true;
}

}  // namespace stepbench::model::detail
