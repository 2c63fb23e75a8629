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

namespace stepbench::collide::inline SB_ISA {

// Appends contacts to the slots of a group. Where capacity ends it counts on without writing.
template <class Lane>
class ContactWriter {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  SB_INLINE explicit ContactWriter(model::Scratch<Lane>& d)
      : d_(d), listed_(Real(0)), deepest_(Real(0)) {}

  // One slot, if any lane of `near` has the contact. First tangent: +y, or +z where the normal lies
  // within 60 degrees of y, made orthogonal to the normal.
  SB_HD void put(int pair, const Contact<Lane>& c, Mask near) {
    const Mask exists = near & (c.dist < no_contact<Lane>());
    if (!math::any(exists)) return;
    const Vec3<Lane> n = normal(c, exists);
    const Lane zero = Lane(Real(0)), one = Lane(Real(1)), half = Lane(Real(0.5));
    const Mask use_y = (n.y < half) & (n.y > -half);
    const Vec3<Lane> t = {zero, math::select(use_y, one, zero), math::select(use_y, zero, one)};
    write(pair, c, exists, n, t);
  }

  // The same with a given direction of the first tangent. It may nearly be the normal's (an upright
  // capsule), so the normal's rounding has to be taken out before the two are made orthogonal.
  SB_HD void put(int pair, const Contact<Lane>& c, Mask near, const Vec3<Lane>& tangent) {
    const Mask exists = near & (c.dist < no_contact<Lane>());
    if (!math::any(exists)) return;
    const Lane zero = Lane(Real(0)), one = Lane(Real(1));
    Lane norm;
    const Vec3<Lane> n = normalize(normal(c, exists), norm);
    write(pair, c, exists, n, select(exists, tangent, {zero, one, zero}));
  }

  SB_HD void finish() {
    d_.ncon = n_ < d_.maxcon ? n_ : d_.maxcon;
    d_.need_con = n_ > d_.maxcon ? n_ : 0;
    d_.out_ncon[0] = listed_;
    d_.out_maxpen[0] = deepest_;
  }

 private:
  static SB_INLINE Vec3<Lane> normal(const Contact<Lane>& c, Mask exists) {
    const Lane zero = Lane(Real(0)), one = Lane(Real(1));
    return select(exists, c.normal, {zero, zero, one});
  }

  SB_HD void write(int pair, const Contact<Lane>& c, Mask exists, const Vec3<Lane>& n,
                   const Vec3<Lane>& tangent) {
    const Lane zero = Lane(Real(0)), one = Lane(Real(1));
    listed_ += math::select(exists, one, zero);
    deepest_ = math::max(deepest_, math::select(exists, -c.dist, zero));
    const int k = n_++;
    if (k >= d_.maxcon) return;
    Lane norm;
    const Vec3<Lane> t1 = normalize(tangent - n * dot(n, tangent), norm);
    const Vec3<Lane> t2 = cross(n, t1);
    const Vec3<Lane> pos = select(exists, c.pos, {zero, zero, zero});
    d_.con_pair[k] = pair;
    d_.con_dist[k] = math::select(exists, c.dist, no_contact<Lane>());
    Lane* p = d_.con_pos + 3 * k;
    p[0] = pos.x, p[1] = pos.y, p[2] = pos.z;
    Lane* f = d_.con_frame + 9 * k;
    f[0] = n.x, f[1] = n.y, f[2] = n.z;
    f[3] = t1.x, f[4] = t1.y, f[5] = t1.z;
    f[6] = t2.x, f[7] = t2.y, f[8] = t2.z;
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
  int n = 0;
  switch (q.kind) {
    case kPlaneSphere:
      return out.put(index, plane_ball(a, b.pos, Lane(s2[0]), margin), near);
    case kPlaneCapsule:
      plane_capsule(a, b, s2, margin, c);
      out.put(index, c[0], near, b.axis(2));
      return out.put(index, c[1], near, b.axis(2));
    case kPlaneEllipsoid:
      return out.put(index, plane_ellipsoid(a, b, s2, margin), near);
    case kPlaneCylinder:
      plane_cylinder(a, b, s2, margin, c);
      n = 4;
      break;
    case kPlaneBox:
      plane_box(a, b, s2, margin, c);
      n = 4;
      break;
    case kSphereSphere:
      return out.put(index, sphere_sphere(a, s1, b, s2, margin), near);
    case kSphereCapsule:
      return out.put(index, sphere_capsule(a, s1, b, s2, margin), near);
    case kSphereCylinder:
      return out.put(index, sphere_cylinder(a, s1, b, s2, margin), near);
    case kSphereBox:
      return out.put(index, sphere_box(a, s1, b, s2, margin), near);
    case kCapsuleCapsule:
      n = capsule_capsule(a, s1, b, s2, margin, near, c);
      break;
    case kCapsuleBox:
      capsule_box(a, s1, b, s2, margin, near, c);
      n = 2;
      break;
    case kBoxBox:
      n = box_box(a, s1, b, s2, margin, near, c);
      break;
    default:
      break;
  }
  for (int k = 0; k < n; ++k) out.put(index, c[k], near);
}

// pairs: npair >= 0 pairs in MuJoCo's contact order. Where the slots do not suffice, need_con is
// the number that would, and the first maxcon slots hold the first contacts; otherwise need_con is
// 0.
template <class Lane>
SB_HD void narrow_phase(const model::Params<RealOf<Lane>>& m, const PairParams<RealOf<Lane>>* pairs,
                        int npair, const model::State<Lane>&, model::Scratch<Lane>& d) {
  ContactWriter<Lane> out(d);
  const int off = model::kDsblConstraint | model::kDsblContact;
  if (m.opt.disableflags & off) npair = 0;
  for (int i = 0; i < npair; ++i) {
    const MaskOf<Lane> near = bounds_touch(pairs[i], d.geom_xpos, d.geom_xmat);
    if (math::any(near)) collide_pair(m, pairs[i], i, d.geom_xpos, d.geom_xmat, near, out);
  }
  out.finish();
}

}  // namespace stepbench::collide::inline SB_ISA
