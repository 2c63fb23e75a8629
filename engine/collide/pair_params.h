// What is known of a geom pair before the step: which function collides it, and its contact
// parameters.
#pragma once

#include "engine/math/target.h"
#include "engine/model/enums.h"

namespace stepbench::collide {

// Families of geom pairs that MuJoCo 4.0.0 resolves in closed form (its table mjCOLLISIONFUNC;
// computation chapter of the manual, "Collision detection"). kNoKind: no contact exists (plane with
// plane); kConvex: the pair needs general convex collision, a mesh or a height field.
enum PairKind : int {
  kPlaneSphere,
  kPlaneCapsule,
  kPlaneEllipsoid,
  kPlaneCylinder,
  kPlaneBox,
  kSphereSphere,
  kSphereCapsule,
  kSphereCylinder,
  kSphereBox,
  kCapsuleCapsule,
  kCapsuleBox,
  kBoxBox,
  kConvex,
  kNoKind
};

// Contacts that one pair can make in one world (mujoco_warp.md 6.5).
inline constexpr int kMaxContactsOfPair = 8;

// Plain data, copied to devices as it is. The first five fields are all that the bounding test
// reads.
template <class Real>
struct PairParams {
  int geom1, geom2;  // MuJoCo's stored order: the smaller type first, else the smaller body
  int kind;          // PairKind
  int dim;           // condim: 1, 3, 4 or 6
  Real bound;        // m: bounding radii + margin + gap (a plane has radius 0)
  Real margin, gap;  // m; listed where dist <= margin + gap, rows where dist < margin
  Real friction[5];  // two tangential, torsional, two rolling; >= 1e-5
  Real solref[2], solreffriction[2];  // solreffriction 0 0: as solref
  Real solimp[5];
};

inline namespace SB_ISA {

// The same pair in another precision.
template <class To, class From>
PairParams<To> cast(const PairParams<From>& a) {
  PairParams<To> r{};
  r.geom1 = a.geom1;
  r.geom2 = a.geom2;
  r.kind = a.kind;
  r.dim = a.dim;
  r.bound = To(a.bound);
  r.margin = To(a.margin);
  r.gap = To(a.gap);
  for (int i = 0; i < 5; ++i) r.friction[i] = To(a.friction[i]);
  for (int i = 0; i < 2; ++i) r.solref[i] = To(a.solref[i]);
  for (int i = 0; i < 2; ++i) r.solreffriction[i] = To(a.solreffriction[i]);
  for (int i = 0; i < 5; ++i) r.solimp[i] = To(a.solimp[i]);
  return r;
}

// Kind of a pair of geom types; the order of the types does not matter.
SB_HD constexpr PairKind pair_kind(int type1, int type2) {
  const int a = type1 < type2 ? type1 : type2;
  const int b = type1 < type2 ? type2 : type1;
  if (b == model::kGeomPlane) return kNoKind;
  if (a == model::kGeomPlane) {
    if (b == model::kGeomSphere) return kPlaneSphere;
    if (b == model::kGeomCapsule) return kPlaneCapsule;
    if (b == model::kGeomEllipsoid) return kPlaneEllipsoid;
    if (b == model::kGeomCylinder) return kPlaneCylinder;
    if (b == model::kGeomBox) return kPlaneBox;
    return b == model::kGeomHfield ? kNoKind : kConvex;
  }
  if (a == model::kGeomHfield) return b == model::kGeomHfield ? kNoKind : kConvex;
  if (a == model::kGeomSphere) {
    if (b == model::kGeomSphere) return kSphereSphere;
    if (b == model::kGeomCapsule) return kSphereCapsule;
    if (b == model::kGeomCylinder) return kSphereCylinder;
    if (b == model::kGeomBox) return kSphereBox;
    return kConvex;
  }
  if (a == model::kGeomCapsule) {
    if (b == model::kGeomCapsule) return kCapsuleCapsule;
    if (b == model::kGeomBox) return kCapsuleBox;
    return kConvex;
  }
  return a == model::kGeomBox && b == model::kGeomBox ? kBoxBox : kConvex;
}

}  // namespace SB_ISA

}  // namespace stepbench::collide
