// Capsule against box: up to two spheres on the capsule's segment, each against the box.
//
// The search for their places follows MuJoCo (mjraw_CapsuleBox, after S. Kolev): the nearest
// feature of the box to the segment (a face under one of its ends, an edge, or a corner) gives the
// first place, and a rule for each feature walks from there along the segment, as far as it stays
// over the box, to a second.
//
// The search is scalar code with branches (but for the edges, four of a world at a time), run for
// each lane that passed the bounding test. Every width then executes the same scalar operations,
// hence gives the same bits, and a pack rarely has more than a few such lanes, while all 12 edges
// and all rules in lanes would cost every lane every time. The two sphere-box tests that follow run
// in lanes.
#pragma once

#include "engine/collide/geometry.h"
#include "engine/collide/sphere.h"

namespace stepbench::collide::inline SB_ISA {

// Places on the segment pos + s * half, s in [-1, 1]; `first` or `second` may be missing.
template <class Real>
struct CapsulePlaces {
  bool has_first, has_second;
  Real first, second;
};

namespace capsule_box_detail {

enum Feature : int { kNone, kFace, kEdge, kCorner };

template <class Real>
struct Nearest {
  Real dist2;         // squared distance to beat
  Real s = 0;         // place on the segment
  Real edge_pos = 0;  // place on the edge, in units of its half length
  int feature = kNone;
  int face = -1;   // axis of the face under the end; -1: the end is inside the box
  int corner = 0;  // bit k: on the positive side of axis k
  int edge = 0;    // axis of the edge
};

// Faces under the two ends: a candidate where at most one coordinate lies outside the box.
template <class Real>
SB_HD void search_faces(const Real* pos, const Real* half, const Real* size, Nearest<Real>& best) {
  for (int end = -1; end <= 1; end += 2) {
    int outside = 0, axis = -1;
    Real d[3];
    for (int k = 0; k < 3; ++k) {
      const Real x = pos[k] + half[k] * Real(end);
      d[k] = Real(0);
      if (x < -size[k]) d[k] = -size[k] - x;
      if (x > size[k]) d[k] = size[k] - x;
      if (x < -size[k] || x > size[k]) {
        ++outside;
        axis = k;
      }
    }
    if (outside > 1) continue;
    const Real dist2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (dist2 < best.dist2) {
      best.dist2 = dist2;
      best.s = Real(end);
      best.feature = kFace;
      best.face = axis;
    }
  }
}

#if defined(__CUDACC__)
template <class Real>
using Edges = Real;
#else
template <class Real>
using Edges = math::Pack<Real, 4>;  // the four edges along one axis
#endif

// Clamped to [-1, 1], and which end it met.
template <class Lane>
struct Clipped {
  Lane x;
  MaskOf<Lane> above, below;
  SB_INLINE explicit Clipped(Lane v) {
    const Lane one = Lane(RealOf<Lane>(1));
    above = v > one;
    below = v < -one;
    x = math::select(above, one, math::select(below, -one, v));
  }
};

// The 12 edges, each against the segment (nearest points of two segments, clamped in the order
// edge, segment, edge); the edges along one axis in lanes. An end of the edge counts as a corner.
template <class Real>
SB_HD void search_edges(const Real* pos, const Real* half, const Real* size, Real length,
                        Nearest<Real>& best) {
  using Lane = Edges<Real>;
  constexpr int W = math::kWidth<Lane>;
  const Real mc = length * length, one = Real(1);
  for (int j = 0; j < 3; ++j) {
    const Real ma = size[j] * size[j], mb = -size[j] * half[j];
    const Real det = ma * mc - mb * mb;
    if (math::abs(det) < kMinVal<Real>) continue;
    const Lane idet = Lane(one / det), ima = Lane(one / ma), imc = Lane(one / mc);
    const Lane a = Lane(ma), b = Lane(mb), c = Lane(mc);
    for (int first = 0; first < 4; first += W) {
      // Lane l: edge at the corner with bit 0 of l for the lower of the other axes, bit 1 for the
      // higher.
      int corner[W];
      Lane d[3];
      d[j] = Lane(Real(0) - pos[j]);
      for (int l = 0; l < W; ++l) {
        const int at = first + l, k1 = j == 0 ? 1 : 0, k2 = j == 2 ? 1 : 2;
        corner[l] = ((at & 1) << k1) + ((at >> 1) << k2);
        math::set(d[k1], l, (at & 1 ? size[k1] : -size[k1]) - pos[k1]);
        math::set(d[k2], l, (at & 2 ? size[k2] : -size[k2]) - pos[k2]);
      }
      const Lane h[3] = {Lane(half[0]), Lane(half[1]), Lane(half[2])};
      const Lane u = Lane(-size[j]) * d[j];
      const Lane v = h[0] * d[0] + h[1] * d[1] + h[2] * d[2];
      const Clipped<Lane> edge((c * u - b * v) * idet);
      const Clipped<Lane> segment(
          math::select(edge.above, (v - b) * imc,
                       math::select(edge.below, (v + b) * imc, (a * v - b * u) * idet)));
      const MaskOf<Lane> again = segment.above | segment.below;
      const Clipped<Lane> back(math::select(segment.above, u - b, u + b) * ima);
      const Lane x1 = math::select(again, back.x, edge.x), x2 = segment.x;
      const MaskOf<Lane> moved = again & (back.above | back.below);
      const MaskOf<Lane> above = (moved & back.above) | (edge.above & !moved);
      const MaskOf<Lane> below = (moved & back.below) | (edge.below & !moved);
      for (int k = 0; k < 3; ++k) d[k] = d[k] + h[k] * -x2;
      d[j] += Lane(size[j]) * x1;
      const Lane dist2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      for (int l = 0; l < W; ++l) {
        if (!(math::get(dist2, l) < best.dist2 - kMinVal<Real>)) continue;
        const bool high = math::get_mask(above, l), low = math::get_mask(below, l);
        best.dist2 = math::get(dist2, l);
        best.s = math::get(x2, l);
        best.edge_pos = math::get(x1, l);
        best.feature = high || low ? kCorner : kEdge;
        best.corner = corner[l] + (high ? 1 << j : 0);
        best.edge = j;
      }
    }
  }
}

// Step from the first to the second place; 0 and false where the rule of the feature gives none.
// `directions`: bit k set where the segment runs along +k; `axis`: unit, `half` = axis * length.
template <class Real>
SB_HD bool second_place(const Nearest<Real>& best, const Real* pos, const Real* axis,
                        const Real* half, const Real* size, int directions, Real& step) {
  const Real one = Real(1), two = Real(2);
  // step <= length / |half[k]|. Adding zero turns |-0| = -0 into +0, whose quotient limits nothing.
  const auto shorten = [&](Real length, int k) {
    const Real limit = length / (math::abs(half[k]) + Real(0));
    if (limit < step) step = limit;
  };
  if (best.feature == kCorner) {
    // Runs straight towards or away from the corner: one point only.
    int c = directions ^ best.corner;
    if (c == 0 || c == 7) return false;
    Real sign = one, ahead = one - best.s, behind = one + best.s;
    if (c == 3 || c == 5 || c == 6) {
      c = 7 - c;
      sign = -one;
      ahead = one + best.s;
      behind = one - best.s;
    }
    const int k = c == 1 ? 0 : c == 2 ? 1 : 2;
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    if (axis[k] * axis[k] > Real(0.5)) {  // along the edge
      step = ahead;
      shorten(two * size[k], k);
      step *= sign;
    } else {  // along the face
      step = behind;
      shorten(two * size[k1], k1);
      shorten(two * size[k2], k2);
      step *= -sign;
    }
    return true;
  }
  if (best.feature == kEdge) {
    // Crossing the edge so that both ends leave the box: one point only.
    const int k = best.edge;
    const int c = (directions ^ best.corner) & (7 - (1 << k));
    if (c != 1 && c != 2 && c != 4) return false;
    // Over the face that the segment is flatter to; k2 is that face's other axis.
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    const int k1 = math::abs(axis[a]) > math::abs(axis[b]) ? b : a;
    const int k2 = 3 - k - k1;
    const bool forward = (c & (1 << k2)) != 0;
    step = forward ? one - best.s : one + best.s;
    shorten(two * size[k2], k2);
    const bool along = (directions & (1 << k)) != 0;
    const Real room = along == forward ? one - best.edge_pos : one + best.edge_pos;
    shorten(size[k] * room, k);
    if (!forward) step = -step;
    return true;
  }
  // Face: as far as the segment stays over it.
  if (best.face < 0) return false;
  const Real sign = best.s < Real(0) ? one : -one;
  step = two;
  for (int k = 0; k < 3; ++k) {
    if (k == best.face) continue;
    const Real end = pos[k] + half[k] * -sign;
    const Real high = (size[k] - end) / half[k] * sign, low = (-size[k] - end) / half[k] * sign;
    if (high > Real(0) && high < step) step = high;
    if (low > Real(0) && low < step) step = low;
  }
  step *= sign;
  return true;
}

}  // namespace capsule_box_detail

// Lanes in which the axis of the capsule (centre `pos`, half axis `half`, in the box's frame) comes
// within its radius plus margin of the box along every axis of the box. The others have no contact:
// legs beside their trunk, which the bounding spheres let pass, seldom get further. The slack
// covers the rounding of the tests themselves.
template <class Lane>
SB_INLINE MaskOf<Lane> capsule_meets_box(const Vec3<Lane>& pos, const Vec3<Lane>& half,
                                         const RealOf<Lane>* size, Lane reach) {
  using Real = RealOf<Lane>;
  const Lane slack = Lane(Real(1.0001));
  const auto along = [&](Lane x, Lane h, Real s) {
    return math::abs(x) <= (math::abs(h) + Lane(s) + reach) * slack;
  };
  return along(pos.x, half.x, size[0]) & along(pos.y, half.y, size[1]) &
         along(pos.z, half.z, size[2]);
}

// pos, axis: the capsule's centre and axis in the box's frame.
template <class Real>
SB_HD CapsulePlaces<Real> capsule_box_places(const Real* pos, const Real* axis,
                                             const Real* capsule_size, const Real* size,
                                             Real margin) {
  namespace d = capsule_box_detail;
  const Real length = capsule_size[1];
  Real half[3];
  int directions = 0;
  for (int k = 0; k < 3; ++k) {
    half[k] = axis[k] * length;
    if (half[k] > Real(0)) directions |= 1 << k;
  }
  d::Nearest<Real> best;
  // MuJoCo starts from a length, although it compares squared lengths.
  best.dist2 = margin + Real(2) * (capsule_size[0] + length + size[0] + size[1] + size[2]);
  d::search_faces(pos, half, size, best);
  d::search_edges(pos, half, size, length, best);
  CapsulePlaces<Real> r{best.feature != d::kNone, false, best.s, best.s};
  Real step = Real(0);
  if (r.has_first) {
    r.has_second = d::second_place(best, pos, axis, half, size, directions, step);
    if (r.has_second) r.second = step + best.s;
  }
  return r;
}

// `near`: lanes that passed the bounding test. Contacts in the order first, second place. Returns
// the number of slots to look at: 0 or 2.
template <class Lane>
SB_HD int capsule_box(const Pose<Lane>& capsule, const RealOf<Lane>* size1, const Pose<Lane>& box,
                      const RealOf<Lane>* size2, Lane margin, MaskOf<Lane> near,
                      Contact<Lane>* out) {
  using Real = RealOf<Lane>;
  const Vec3<Lane> pos = box.to_local(capsule.pos - box.pos);
  const Vec3<Lane> axis = box.to_local(capsule.axis(2));
  const Vec3<Lane> half = axis * Lane(size1[1]);
  near = near & capsule_meets_box(pos, half, size2, margin + Lane(size1[0]));
  if (!math::any(near)) return 0;
  Lane s1 = Lane(Real(0)), s2 = s1;
  MaskOf<Lane> has1 = MaskOf<Lane>(false), has2 = has1;
  for (int l = 0; l < math::kWidth<Lane>; ++l) {
    if (!math::get_mask(near, l)) continue;
    const Real p[3] = {math::get(pos.x, l), math::get(pos.y, l), math::get(pos.z, l)};
    const Real a[3] = {math::get(axis.x, l), math::get(axis.y, l), math::get(axis.z, l)};
    const CapsulePlaces<Real> r = capsule_box_places(p, a, size1, size2, math::get(margin, l));
    math::set(s1, l, r.first);
    math::set(s2, l, r.second);
    math::set_mask(has1, l, r.has_first);
    math::set_mask(has2, l, r.has_second);
  }
  const auto ball = [&](MaskOf<Lane> has, Lane s) {
    Contact<Lane> c =
        ball_box(box.to_world(pos + half * s) + box.pos, Lane(size1[0]), box, size2, margin);
    c.dist = where<Lane>(has, c.dist);
    return c;
  };
  out[0] = ball(has1, s1);
  out[1] = ball(has2, s2);
  return 2;
}

}  // namespace stepbench::collide::inline SB_ISA
