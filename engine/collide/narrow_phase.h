// Stage `collide`: contacts of all listed geom pairs, in lanes (mujoco_warp.md 6.3-6.5).
//
// Reads geom_xpos, geom_xmat; writes con_dist, con_pos, con_frame, con_pair, ncon, out_ncon,
// out_maxpen.
//
// For each pair in order: bounding test in all lanes; where any lane passes, the pair's function;
// then one slot for each of its contacts that any lane has. A lane's contacts therefore stand in
// MuJoCo's order, whatever the other lanes do. A lane that fails the bounding test has no contact
// of the pair even if the function ran for its neighbours, so its result is its own.
#pragma once

#include "engine/collide/box_box.h"
#include "engine/collide/capsule.h"
#include "engine/collide/capsule_box.h"
#include "engine/collide/geometry.h"
#include "engine/collide/pair_params.h"
#include "engine/collide/plane.h"
#include "engine/collide/sphere.h"
#include "engine/model/arrays.h"
#include "engine/model/params.h"
#if !defined(__CUDACC__)  // vector code of the CPU; on a GPU a thread takes one pair at a time
#include "engine/collide/box_pairs.h"
#endif

namespace stepbench::collide::inline SB_ISA {

// Contact frame: normal and two tangents, right-handed.
template <class Lane>
struct Frame {
  Vec3<Lane> n, t1, t2;
};

// First tangent along `tangent`, made orthogonal to the normal. Lanes outside `valid` get the
// world's axes, so that every lane holds finite values.
template <class Lane>
SB_INLINE Frame<Lane> make_frame(const Vec3<Lane>& normal, const Vec3<Lane>& tangent,
                                 MaskOf<Lane> valid) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1));
  const Vec3<Lane> n = select(valid, normal, {zero, zero, one});
  const Vec3<Lane> t = select(valid, tangent, {zero, one, zero});
  Lane norm;
  const Vec3<Lane> t1 = normalize(t - n * dot(n, t), norm);
  return {n, t1, cross(n, t1)};
}

// First tangent +y, or +z where the normal lies within 60 degrees of y.
template <class Lane>
SB_INLINE Frame<Lane> make_frame(const Vec3<Lane>& n, MaskOf<Lane> valid) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1)), half = Lane(Real(0.5));
  const MaskOf<Lane> use_y = (n.y < half) & (n.y > -half);
  return make_frame(n, {zero, math::select(use_y, one, zero), math::select(use_y, zero, one)},
                    valid);
}

// Appends contacts to the slots of a group. Where capacity ends it counts on without writing.
template <class Lane>
class ContactWriter {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  SB_INLINE explicit ContactWriter(model::Scratch<Lane>& d)
      : d_(d), listed_(Real(0)), deepest_(Real(0)) {}

  // n contacts with normals of their own: a slot for each that any lane of `near` has.
  SB_INLINE void put(int pair, const Contact<Lane>* c, int n, Mask near) {
    for (int k = 0; k < n; ++k) {
      const Mask exists = existing(c[k], near);
      if (math::any(exists)) write(pair, c[k], exists, make_frame(c[k].normal, exists));
    }
  }
  SB_INLINE void put(int pair, const Contact<Lane>& c, Mask near) { put(pair, &c, 1, near); }

  // n contacts that share the normal of the first, hence one frame. In a lane that has any of them,
  // c[0].normal is valid even if the first does not exist.
  SB_HD void put_shared(int pair, const Contact<Lane>* c, int n, Mask near) {
    const Mask valid = any_existing(c, n, near);
    if (math::any(valid)) write_all(pair, c, n, near, make_frame(c[0].normal, valid));
  }

  // The same with a given first tangent. It may nearly be the normal's (an upright capsule), so the
  // normal's rounding has to be taken out before the two are made orthogonal.
  SB_HD void put_shared(int pair, const Contact<Lane>* c, int n, Mask near,
                        const Vec3<Lane>& tangent) {
    const Mask valid = any_existing(c, n, near);
    Lane norm;
    if (math::any(valid))
      write_all(pair, c, n, near, make_frame(normalize(c[0].normal, norm), tangent, valid));
  }

  SB_HD void finish() {
    d_.ncon = n_ < d_.maxcon ? n_ : d_.maxcon;
    d_.need_con = n_ > d_.maxcon ? n_ : 0;
    d_.out_ncon[0] = listed_;
    d_.out_maxpen[0] = deepest_;
  }

 private:
  static SB_INLINE Mask existing(const Contact<Lane>& c, Mask near) {
    return near & (c.dist < no_contact<Lane>());
  }
  static SB_INLINE Mask any_existing(const Contact<Lane>* c, int n, Mask near) {
    Mask r = Mask(false);
    for (int k = 0; k < n; ++k) r = r | existing(c[k], near);
    return r;
  }

  SB_INLINE void write_all(int pair, const Contact<Lane>* c, int n, Mask near,
                           const Frame<Lane>& frame) {
    for (int k = 0; k < n; ++k) {
      const Mask exists = existing(c[k], near);
      if (math::any(exists)) write(pair, c[k], exists, frame);
    }
  }

  SB_HD void write(int pair, const Contact<Lane>& c, Mask exists, const Frame<Lane>& frame) {
    const Lane zero = Lane(Real(0)), one = Lane(Real(1));
    listed_ += math::select(exists, one, zero);
    deepest_ = math::max(deepest_, math::select(exists, -c.dist, zero));
    const int k = n_++;
    if (k >= d_.maxcon) return;
    const Vec3<Lane> pos = select(exists, c.pos, {zero, zero, zero});
    d_.con_pair[k] = pair;
    d_.con_dist[k] = math::select(exists, c.dist, no_contact<Lane>());
    Lane* p = d_.con_pos + 3 * k;
    p[0] = pos.x, p[1] = pos.y, p[2] = pos.z;
    Lane* f = d_.con_frame + 9 * k;
    f[0] = frame.n.x, f[1] = frame.n.y, f[2] = frame.n.z;
    f[3] = frame.t1.x, f[4] = frame.t1.y, f[5] = frame.t1.z;
    f[6] = frame.t2.x, f[7] = frame.t2.y, f[8] = frame.t2.z;
  }

  model::Scratch<Lane>& d_;
  int n_ = 0;
  Lane listed_, deepest_;
};

// Lanes in which the bounding spheres of a pair (or sphere and plane) come within margin + gap.
template <class Lane>
SB_INLINE MaskOf<Lane> bounds_touch(const PairParams<RealOf<Lane>>& q, const Lane* xpos,
                                    const Lane* xmat) {
  const Lane* a = xpos + 3 * q.geom1;
  const Lane* b = xpos + 3 * q.geom2;
  const Lane x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
  const Lane bound = Lane(q.bound);
  if (q.kind <= kPlaneBox) {
    const Lane* m = xmat + 9 * q.geom1;
    return x * m[2] + y * m[5] + z * m[8] <= bound;
  }
  return x * x + y * y + z * z <= bound * bound;
}

// Contacts of one pair. `near`: lanes that passed the bounding test.
template <class Lane>
SB_HD void collide_pair(const model::Params<RealOf<Lane>>& m, const PairParams<RealOf<Lane>>& q,
                        int index, const Lane* xpos, const Lane* xmat, MaskOf<Lane> near,
                        ContactWriter<Lane>& out) {
  using Real = RealOf<Lane>;
  const Pose<Lane> a = Pose<Lane>::of(xpos, xmat, q.geom1);
  const Pose<Lane> b = Pose<Lane>::of(xpos, xmat, q.geom2);
  const Real* s1 = m.geom_size + 3 * q.geom1;
  const Real* s2 = m.geom_size + 3 * q.geom2;
  const Lane margin = Lane(q.margin + q.gap);
  Contact<Lane> c[kMaxContactsOfPair];
  switch (q.kind) {
    case kPlaneSphere:
      return out.put(index, plane_ball(a, b.pos, Lane(s2[0]), margin), near);
    case kPlaneCapsule:
      plane_capsule(a, b, s2, margin, c);
      return out.put_shared(index, c, 2, near, b.axis(2));
    case kPlaneEllipsoid:
      return out.put(index, plane_ellipsoid(a, b, s2, margin), near);
    case kPlaneCylinder:
      plane_cylinder(a, b, s2, margin, c);
      return out.put_shared(index, c, 4, near);
    case kPlaneBox:
      plane_box(a, b, s2, margin, c);
      return out.put_shared(index, c, 4, near);
    case kSphereSphere:
      return out.put(index, sphere_sphere(a, s1, b, s2, margin), near);
    case kSphereCapsule:
      return out.put(index, sphere_capsule(a, s1, b, s2, margin), near);
    case kSphereCylinder:
      return out.put(index, sphere_cylinder(a, s1, b, s2, margin), near);
    case kSphereBox:
      return out.put(index, sphere_box(a, s1, b, s2, margin), near);
    case kCapsuleCapsule:
      return out.put(index, c, capsule_capsule(a, s1, b, s2, margin, near, c), near);
    case kCapsuleBox:
      return out.put(index, c, capsule_box(a, s1, b, s2, margin, near, c), near);
    case kBoxBox:
      return out.put_shared(index, c, box_box(a, s1, b, s2, margin, near, c), near);
    default:
      return;
  }
}

#if !defined(__CUDACC__)
// The pairs of one world: the bounding tests of a block of pairs first, then what several of its
// pairs have in common with lanes over pairs, then contacts in the order of the pairs.
template <class Real>
SB_HD void collide_blocks(const model::Params<Real>& m, const PairParams<Real>* pairs, int npair,
                          const Real* xpos, const Real* xmat, ContactWriter<Real>& out) {
  constexpr int kBlock = 256;
  int near[kBlock], boxes[kBlock];
  BoxFinding<Real> found[kBlock];
  for (int first = 0; first < npair; first += kBlock) {
    const int end = first + kBlock < npair ? first + kBlock : npair;
    int n = 0, nbox = 0;
    for (int i = first; i < end; ++i) {
      if (!bounds_touch(pairs[i], xpos, xmat)) continue;
      near[n++] = i;
      if (pairs[i].kind == kBoxBox) boxes[nbox++] = i;
    }
    find_box_axes(m, pairs, boxes, nbox, xpos, xmat, found);
    int box = 0;
    for (int k = 0; k < n; ++k) {
      const PairParams<Real>& q = pairs[near[k]];
      if (q.kind != kBoxBox) {
        collide_pair(m, q, near[k], xpos, xmat, true, out);
        continue;
      }
      const BoxFinding<Real>& f = found[box++];
      if (!f.hit) continue;
      Contact<Real> c[kMaxContactsOfPair];
      const int slots =
          box_box_slots(Pose<Real>::of(xpos, xmat, q.geom1), m.geom_size + 3 * q.geom1,
                        Pose<Real>::of(xpos, xmat, q.geom2), m.geom_size + 3 * q.geom2,
                        q.margin + q.gap, true, f.axes, c);
      out.put_shared(near[k], c, slots, true);
    }
  }
}

#endif

// pairs: npair >= 0 pairs in MuJoCo's contact order. Where the slots do not suffice, need_con is
// the number that would, and the first maxcon slots hold the first contacts; otherwise need_con is
// 0.
template <class Lane>
SB_HD void narrow_phase(const model::Params<RealOf<Lane>>& m, const PairParams<RealOf<Lane>>* pairs,
                        int npair, const model::State<Lane>&, model::Scratch<Lane>& d) {
  ContactWriter<Lane> out(d);
  const int off = model::kDsblConstraint | model::kDsblContact;
  if (m.opt.disableflags & off) npair = 0;
#if !defined(__CUDACC__)
  if constexpr (math::kWidth<Lane> == 1) {
    collide_blocks(m, pairs, npair, d.geom_xpos, d.geom_xmat, out);
    return out.finish();
  }
#endif
  for (int i = 0; i < npair; ++i) {
    const MaskOf<Lane> near = bounds_touch(pairs[i], d.geom_xpos, d.geom_xmat);
    if (math::any(near)) collide_pair(m, pairs[i], i, d.geom_xpos, d.geom_xmat, near, out);
  }
  out.finish();
}

}  // namespace stepbench::collide::inline SB_ISA
