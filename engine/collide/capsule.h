// Capsule against capsule: nearest points of two segments, by the form that MuJoCo has used
// since 3.16.
//
// The determinant is the squared norm of the cross product of the two directions, so that it keeps
// its digits when the axes are nearly parallel (ma*mc - mb*mb cancels). Axes within about 1e-4 rad
// count as parallel and give two contacts: both ends of capsule 1, each with its nearest point of
// capsule 2.
#pragma once

#include "engine/collide/geometry.h"
#include "engine/collide/sphere.h"

namespace stepbench::collide::inline SB_ISA {

// Closer bounds than the two spheres': along the line of centres (a capsule reaches h |cos| + r),
// and each capsule against the bounding sphere of the other. Together they leave a quarter of the
// pairs of a humanoid that the spheres let pass. The slack covers the rounding of the tests
// themselves.
template <class Lane>
SB_INLINE MaskOf<Lane> capsules_near(const Pose<Lane>& a, const RealOf<Lane>* size1,
                                     const Pose<Lane>& b, const RealOf<Lane>* size2, Lane margin) {
  using Real = RealOf<Lane>;
  const Lane h1 = Lane(size1[1]), h2 = Lane(size2[1]), slack = Lane(Real(1.0001));
  const Lane reach = (margin + Lane(size1[0]) + Lane(size2[0])) * slack;
  const Vec3<Lane> d = b.pos - a.pos;
  const Lane d2 = dot(d, d), e = dot(a.axis(2), d), f = dot(b.axis(2), d);
  const Lane gap = d2 - (h1 * math::abs(e) + h2 * math::abs(f)) * slack;
  const MaskOf<Lane> apart = (gap > Lane(Real(0))) & (gap * gap > d2 * (reach * reach));
  // |d - x axis|^2 for the nearest point x of the segment.
  const Lane x = math::clamp(e, -h1, h1), y = math::clamp(f, -h2, h2);
  const Lane bound1 = reach + h2 * slack, bound2 = reach + h1 * slack;
  const Lane v2 = d2 - x * (e + e - x), w2 = d2 - y * (f + f - y);
  return (v2 <= bound1 * bound1) & (w2 <= bound2 * bound2) & !apart;
}

// `near`: lanes that passed the bounding test. Returns the number of slots to look at: 0 or 2.
template <class Lane>
SB_HD int capsule_capsule(const Pose<Lane>& a, const RealOf<Lane>* size1, const Pose<Lane>& b,
                          const RealOf<Lane>* size2, Lane margin, MaskOf<Lane> near,
                          Contact<Lane>* out) {
  using Real = RealOf<Lane>;
  near = near & capsules_near(a, size1, b, size2, margin);
  if (!math::any(near)) return 0;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1)), tiny = Lane(kMinVal<Real>);
  const Vec3<Lane> axis1 = a.axis(2), axis2 = b.axis(2);
  const Vec3<Lane> h1 = axis1 * Lane(size1[1]), h2 = axis2 * Lane(size2[1]);
  const Vec3<Lane> a0 = a.pos - h1, b0 = b.pos - h2;
  const Vec3<Lane> d1 = (a.pos + h1) - a0, d2 = (b.pos + h2) - b0;

  // Points a0 + s d1 and b0 + t d2, s and t in [0, 1]. Segments shorter than 3e-8 m are points.
  const Vec3<Lane> r = a0 - b0;
  const Lane l1 = dot(d1, d1), l2 = dot(d2, d2);
  const Lane f = dot(d2, r), c = dot(d1, r), e = dot(d1, d2);
  const MaskOf<Lane> point1 = l1 <= tiny, point2 = l2 <= tiny;
  const Lane div1 = math::select(point1, one, l1), div2 = math::select(point2, one, l2);
  const Vec3<Lane> n = cross(d1, d2);
  const Lane n2 = dot(n, n);
  const MaskOf<Lane> crossed = n2 > l1 * Lane(Real(1e-8)) * l2;
  const MaskOf<Lane> parallel = !(crossed | point1 | point2);

  // t follows from s; where it leaves [0, 1] it is clamped and s follows from t.
  const auto ball = [&](Lane s) {
    Lane t = (e * s + f) / div2;
    const MaskOf<Lane> below = t<zero, above = t> one;
    const MaskOf<Lane> at_b0 = below | point2;
    if (math::any(at_b0 | above)) {
      const Lane end = math::select(at_b0, zero, e);
      s = math::select(at_b0 | above, math::clamp((end - c) / div1, zero, one), s);
      t = math::select(at_b0, zero, math::select(above, one, t));
    }
    if (math::any(point1)) {
      t = math::select(point1, math::clamp(f / div2, zero, one), t);
      s = math::select(point1, zero, s);
      t = math::select(point2, zero, t);
    }
    return ball_ball(d1 * s + a0, axis1, Lane(size1[0]), d2 * t + b0, axis2, Lane(size2[0]),
                     margin);
  };
  const Lane safe = math::select(n2 > zero, n2, one);
  const Lane s = math::clamp(dot(n, cross(d2, r)) / safe, zero, one);
  out[0] = ball(math::select(parallel, zero, s));
  out[0].dist = where<Lane>(near, out[0].dist);
  out[1] = {no_contact<Lane>(), a.pos, axis1};
  if (math::any(parallel)) {
    out[1] = ball(one);
    out[1].dist = where<Lane>(parallel & near, out[1].dist);
  }
  return 2;
}

}  // namespace stepbench::collide::inline SB_ISA
