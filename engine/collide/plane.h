// A plane against sphere, capsule, ellipsoid, cylinder and box (mujoco_warp.md 6.5).
//
// The plane passes through pose1.pos with normal = its z axis; it is infinite whatever its size
// says. `margin` is the distance up to which contacts are listed (margin + gap of the pair).
#pragma once

#include "engine/collide/geometry.h"

namespace stepbench::collide::inline SB_ISA {

// Sphere of radius r about `centre`.
template <class Lane>
SB_INLINE Contact<Lane> plane_ball(const Pose<Lane>& plane, const Vec3<Lane>& centre, Lane r,
                                   Lane margin) {
  const Lane half = Lane(RealOf<Lane>(0.5));
  const Vec3<Lane> n = plane.axis(2);
  const Lane height = dot(centre - plane.pos, n);
  const Lane dist = height - r;
  return {where<Lane>(height <= margin + r, dist), centre + n * (-dist * half - r), n};
}

// Both end caps; the order of the contacts is +axis, -axis. The pair's first tangent is the axis.
template <class Lane>
SB_INLINE void plane_capsule(const Pose<Lane>& plane, const Pose<Lane>& capsule,
                             const RealOf<Lane>* size, Lane margin, Contact<Lane>* out) {
  const Vec3<Lane> segment = capsule.axis(2) * Lane(size[1]);
  out[0] = plane_ball(plane, capsule.pos + segment, Lane(size[0]), margin);
  out[1] = plane_ball(plane, capsule.pos - segment, Lane(size[0]), margin);
}

// The point of the ellipsoid that lies deepest: A^2 d / |A d| for the direction d = -normal in its
// frame.
template <class Lane>
SB_INLINE Contact<Lane> plane_ellipsoid(const Pose<Lane>& plane, const Pose<Lane>& ellipsoid,
                                        const RealOf<Lane>* size, Lane margin) {
  const Lane half = Lane(RealOf<Lane>(0.5));
  const Vec3<Lane> n = plane.axis(2);
  const Lane a = Lane(size[0]), b = Lane(size[1]), c = Lane(size[2]);
  const Vec3<Lane> d = ellipsoid.to_local(-n);
  const Vec3<Lane> u = {d.x * a, d.y * b, d.z * c};
  const Lane inverse = Lane(RealOf<Lane>(1)) / math::sqrt(dot(u, u));
  const Vec3<Lane> local = {u.x * (inverse * a), u.y * (inverse * b), u.z * (inverse * c)};
  const Vec3<Lane> point = ellipsoid.to_world(local) + ellipsoid.pos;
  const Lane dist = dot(point - plane.pos, n);
  return {where<Lane>(dist <= margin, dist), point - n * (dist * half), n};
}

// Up to four points in this order: nearest rim point, the rim point of the other disk on the same
// line, and two more points of the near disk's rim, 120 degrees to either side. None where the
// nearest point is beyond the margin.
template <class Lane>
SB_HD void plane_cylinder(const Pose<Lane>& plane, const Pose<Lane>& cylinder,
                          const RealOf<Lane>* size, Lane margin, Contact<Lane>* out) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), half = Lane(Real(0.5)), one = Lane(Real(1));
  const Lane radius = Lane(size[0]), length = Lane(size[1]);
  const Vec3<Lane> n = plane.axis(2);

  // Axis, turned towards the plane.
  Vec3<Lane> axis = cylinder.axis(2);
  Lane slope = dot(n, axis);
  const MaskOf<Lane> away = slope > zero;
  axis = select(away, -axis, axis);
  slope = math::select(away, -slope, slope);

  // Direction down the near disk; any radius where the disk is parallel to the plane.
  const Lane height = dot(cylinder.pos - plane.pos, n);
  Vec3<Lane> down = axis * slope - n;
  const Lane len2 = dot(down, down);
  const MaskOf<Lane> tilted = len2 >= Lane(kMinVal<Real> * kMinVal<Real>);
  const Lane scale = radius / math::sqrt(math::select(tilted, len2, one));
  down = select(tilted, down * scale, cylinder.axis(0) * radius);

  const Lane drop = dot(down, n);
  axis = axis * length;
  slope = slope * length;
  const auto put = [&](int k, MaskOf<Lane> exists, Lane dist, const Vec3<Lane>& point) {
    out[k] = {where<Lane>(exists, dist), point + n * (-dist * half), n};
  };

  const Lane near = height + slope + drop;
  const MaskOf<Lane> touches = near <= margin;
  put(0, touches, near, cylinder.pos + down + axis);
  const Lane far = height - slope + drop;
  put(1, touches & (far <= margin), far, cylinder.pos + down - axis);

  const Lane side_drop = -drop * half;
  const Lane side = height + slope + side_drop;
  const MaskOf<Lane> sides = touches & (side <= margin);
  Lane norm;
  const Vec3<Lane> across =
      normalize(cross(down, axis), norm) * Lane(size[0] * math::sqrt(Real(3)) / Real(2));
  put(2, sides, side, cylinder.pos + across + axis - down * half);
  put(3, sides, side, cylinder.pos - across + axis - down * half);
}

// The first four of the eight corners, x fastest, that lie below the centre and within the margin.
// Contacts of a lane are moved up to the first free slot, so that a pair never needs more than four
// slots.
template <class Lane>
SB_HD void plane_box(const Pose<Lane>& plane, const Pose<Lane>& box, const RealOf<Lane>* size,
                     Lane margin, Contact<Lane>* out) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1)), half = Lane(Real(0.5));
  const Vec3<Lane> n = plane.axis(2);
  const Lane height = dot(box.pos - plane.pos, n);
  const Vec3<Lane> ex = box.axis(0) * Lane(size[0]), ey = box.axis(1) * Lane(size[1]),
                   ez = box.axis(2) * Lane(size[2]);
  for (int k = 0; k < 4; ++k) out[k] = {no_contact<Lane>(), box.pos, n};

  Lane count = zero;
  for (int i = 0; i < 8; ++i) {
    const Vec3<Lane> corner = (i & 1 ? ex : -ex) + (i & 2 ? ey : -ey) + (i & 4 ? ez : -ez);
    const Lane drop = dot(n, corner);
    const Lane dist = height + drop;
    const MaskOf<Lane> exists = (dist <= margin) & (drop <= zero) & (count < Lane(Real(4)));
    if (!math::any(exists)) continue;
    const Vec3<Lane> pos = corner + box.pos + n * (-dist * half);
    for (int k = 0; k < 4 && k <= i; ++k) {
      const MaskOf<Lane> here = exists & (count == Lane(Real(k)));
      out[k].dist = math::select(here, dist, out[k].dist);
      out[k].pos = select(here, pos, out[k].pos);
    }
    count += math::select(exists, one, zero);
  }
}

}  // namespace stepbench::collide::inline SB_ISA
