// A sphere against sphere, capsule, cylinder and box (mujoco_warp.md 6.5).
#pragma once

#include "engine/collide/geometry.h"

namespace stepbench::collide::inline SB_ISA {

// Two balls about p1 and p2. The axes decide the normal of coincident centres: their cross product,
// or (1, 0, 0) where they are parallel.
template <class Lane>
SB_INLINE Contact<Lane> ball_ball(const Vec3<Lane>& p1, const Vec3<Lane>& axis1, Lane r1,
                                  const Vec3<Lane>& p2, const Vec3<Lane>& axis2, Lane r2,
                                  Lane margin) {
  using Real = RealOf<Lane>;
  const Lane half = Lane(Real(0.5));
  const Vec3<Lane> d = p2 - p1;
  const Lane reach = margin + r1 + r2;
  const MaskOf<Lane> exists = dot(d, d) <= reach * reach;
  if (!math::any(exists)) return {no_contact<Lane>(), p1, axis1};
  Lane len, unused;
  Vec3<Lane> n = normalize(d, len);
  const Lane dist = len - r1 - r2;
  const MaskOf<Lane> coincide = len < Lane(kMinVal<Real>);
  if (math::any(coincide)) n = select(coincide, normalize(cross(axis1, axis2), unused), n);
  return {where<Lane>(exists, dist), n * (r1 + dist * half) + p1, n};
}

template <class Lane>
SB_INLINE Contact<Lane> sphere_sphere(const Pose<Lane>& a, const RealOf<Lane>* size1,
                                      const Pose<Lane>& b, const RealOf<Lane>* size2, Lane margin) {
  return ball_ball(a.pos, a.axis(2), Lane(size1[0]), b.pos, b.axis(2), Lane(size2[0]), margin);
}

// Nearest point of the capsule's segment, then two balls.
template <class Lane>
SB_INLINE Contact<Lane> sphere_capsule(const Pose<Lane>& sphere, const RealOf<Lane>* size1,
                                       const Pose<Lane>& capsule, const RealOf<Lane>* size2,
                                       Lane margin) {
  const Vec3<Lane> axis = capsule.axis(2);
  const Lane length = Lane(size2[1]);
  const Lane x = math::clamp(dot(axis, sphere.pos - capsule.pos), -length, length);
  return ball_ball(sphere.pos, sphere.axis(2), Lane(size1[0]), axis * x + capsule.pos, axis,
                   Lane(size2[0]), margin);
}

// Three cases by the sphere's centre: beside the cylinder (nearest point of the axis, as a
// capsule), over a cap (a plane), or past the rim (nearest rim point, as a ball of radius 0). A
// centre inside takes the nearer of side and cap.
template <class Lane>
SB_HD Contact<Lane> sphere_cylinder(const Pose<Lane>& sphere, const RealOf<Lane>* size1,
                                    const Pose<Lane>& cylinder, const RealOf<Lane>* size2,
                                    Lane margin) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1)), half = Lane(Real(0.5));
  const Lane r1 = Lane(size1[0]), radius = Lane(size2[0]), height = Lane(size2[1]);
  const Vec3<Lane> axis = cylinder.axis(2);
  const Vec3<Lane> v = sphere.pos - cylinder.pos;
  const Lane x = dot(axis, v);
  const Vec3<Lane> along = axis * x;
  const Vec3<Lane> out = v - along;
  const Lane out2 = dot(out, out);
  const Lane out_len = math::sqrt(out2);

  MaskOf<Lane> side = math::abs(x) < height;
  MaskOf<Lane> cap = out2 < radius * radius;
  const MaskOf<Lane> cap_nearer = height - math::abs(x) < radius - out_len;
  const MaskOf<Lane> inside = side & cap;
  side = side & !(inside & cap_nearer);
  cap = cap & !(inside & !cap_nearer);

  // Side and rim: two balls.
  const MaskOf<Lane> has_rim = out_len > zero;
  const Lane scale = radius / math::select(has_rim, out_len, one);
  const MaskOf<Lane> top = x > zero;
  const Vec3<Lane> rim = axis * math::select(top, height, -height) + out * scale;
  const Vec3<Lane> point = select(side, along, rim) + cylinder.pos;
  Contact<Lane> c = ball_ball(sphere.pos, sphere.axis(2), r1, point, axis,
                              math::select(side, radius, zero), margin);

  // Cap: plane through the disk; the normal points from the sphere into the cylinder.
  const Vec3<Lane> n = select(top, axis, -axis);
  const Lane over = dot(sphere.pos - (cylinder.pos + axis * math::select(top, height, -height)), n);
  const Lane dist = over - r1;
  c.dist = math::select(cap, where<Lane>(over <= margin + r1, dist), c.dist);
  c.pos = select(cap, sphere.pos + n * (-dist * half - r1), c.pos);
  c.normal = select(cap, -n, c.normal);
  return c;
}

// A ball about `centre` against a box: nearest point of the box, or, where the centre is inside,
// the nearest face (ties in the order -x, +x, -y, ...).
template <class Lane>
SB_HD Contact<Lane> ball_box(const Vec3<Lane>& centre, Lane r, const Pose<Lane>& box,
                             const RealOf<Lane>* size, Lane margin) {
  using Real = RealOf<Lane>;
  const Lane half = Lane(Real(0.5)), zero = Lane(Real(0)), one = Lane(Real(1));
  const Vec3<Lane> c = box.to_local(centre - box.pos);
  const Lane sx = Lane(size[0]), sy = Lane(size[1]), sz = Lane(size[2]);
  const Vec3<Lane> nearest = {math::clamp(c.x, -sx, sx), math::clamp(c.y, -sy, sy),
                              math::clamp(c.z, -sz, sz)};
  Lane dist;
  Vec3<Lane> n = normalize(nearest - c, dist);
  const MaskOf<Lane> exists = dist - r <= margin;
  const Vec3<Lane> deepest = c + n * r;
  Vec3<Lane> pos = nearest * half + deepest * half;

  const MaskOf<Lane> inside = exists & (dist <= Lane(kMinVal<Real>));
  if (math::any(inside)) {
    Lane closest = Lane((size[0] + size[1] + size[2]) * Real(2));
    Vec3<Lane> m = {one, zero, zero};
    const auto face = [&](Lane depth, const Vec3<Lane>& inward) {
      const MaskOf<Lane> nearer = depth < closest;
      closest = math::select(nearer, depth, closest);
      m = select(nearer, inward, m);
    };
    face(math::abs(-sx - c.x), {one, zero, zero});
    face(math::abs(sx - c.x), {-one, zero, zero});
    face(math::abs(-sy - c.y), {zero, one, zero});
    face(math::abs(sy - c.y), {zero, -one, zero});
    face(math::abs(-sz - c.z), {zero, zero, one});
    face(math::abs(sz - c.z), {zero, zero, -one});
    pos = select(inside, c + m * ((r - closest) * half), pos);
    n = select(inside, m, n);
    dist = math::select(inside, -closest, dist);
  }
  return {where<Lane>(exists, dist - r), box.to_world(pos) + box.pos, box.to_world(n)};
}

template <class Lane>
SB_INLINE Contact<Lane> sphere_box(const Pose<Lane>& sphere, const RealOf<Lane>* size1,
                                   const Pose<Lane>& box, const RealOf<Lane>* size2, Lane margin) {
  return ball_box(sphere.pos, Lane(size1[0]), box, size2, margin);
}

}  // namespace stepbench::collide::inline SB_ISA
