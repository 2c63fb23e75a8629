// Names that every stage of engine/dynamics uses, and small helpers on model data.
//
// Stages are functions of (const Params&, const State&, Scratch&). They branch on model data, which
// is the same for all lanes, and never on lane values. Skipping a term because a model number is 0
// or 1 is exact.
#pragma once

#include "engine/math/quat.h"
#include "engine/math/spatial.h"
#include "engine/model/arrays.h"
#include "engine/model/params.h"

namespace stepbench::dynamics::inline SB_ISA {

using math::any;
using math::cross;
using math::cross_add;
using math::dot;
using math::fma;
using math::fnma;
using math::Inertia;
using math::kMinVal;
using math::load3;
using math::load4;
using math::load6;
using math::load9;
using math::load_inertia;
using math::MaskOf;
using math::Mat3;
using math::mul;
using math::Quat;
using math::RealOf;
using math::select;
using math::Spatial;
using math::store3;
using math::store4;
using math::store6;
using math::store9;
using math::store_inertia;
using math::Vec3;
using math::zero3;
using math::zero6;

// c + r v for a model vector v; `place`: kShiftX, ... where a coordinate of v is not 0.
template <class Lane>
SB_INLINE Vec3<Lane> add_columns(const Mat3<Lane>& r, const RealOf<Lane>* v, int place,
                                 Vec3<Lane> c) {
  if (place & model::kShiftX) c = fma(Lane(v[0]), r.x, c);
  if (place & model::kShiftY) c = fma(Lane(v[1]), r.y, c);
  if (place & model::kShiftZ) c = fma(Lane(v[2]), r.z, c);
  return c;
}

// a x + b y + c z: one column of a rotation by a model matrix, most of which are turns by right
// angles.
template <class Lane>
SB_INLINE Vec3<Lane> combine(const Mat3<Lane>& r, RealOf<Lane> a, RealOf<Lane> b, RealOf<Lane> c) {
  using Real = RealOf<Lane>;
  const auto scaled = [](Real s, Vec3<Lane> v) {
    if (s == Real(1)) return v;
    if (s == Real(-1)) return -v;
    return Lane(s) * v;
  };
  const Vec3<Lane>&x = r.x, &y = r.y, &z = r.z;
  if (b == Real(0)) {
    if (c == Real(0)) return scaled(a, x);
    if (a == Real(0)) return scaled(c, z);
    return fma(Lane(c), z, Lane(a) * x);
  }
  if (a == Real(0)) {
    if (c == Real(0)) return scaled(b, y);
    return fma(Lane(c), z, Lane(b) * y);
  }
  const Vec3<Lane> xy = fma(Lane(b), y, Lane(a) * x);
  if (c == Real(0)) return xy;
  return fma(Lane(c), z, xy);
}

// r q for a model matrix q (row-major).
template <class Lane>
SB_INLINE Mat3<Lane> compose(const Mat3<Lane>& r, const RealOf<Lane>* q) {
  return {combine(r, q[0], q[3], q[6]), combine(r, q[1], q[4], q[7]), combine(r, q[2], q[5], q[8])};
}

// Position of a dof within its joint.
template <class Real>
SB_HD int dof_in_joint(const model::Params<Real>& m, int dof) {
  return dof - m.jnt_dofadr[m.dof_jntid[dof]];
}

// Whether a dof only translates: a slide, or one of the first three of a free joint.
template <class Real>
SB_HD bool is_translation(const model::Params<Real>& m, int dof) {
  const int type = m.jnt_type[m.dof_jntid[dof]];
  return type == model::kJntSlide || (type == model::kJntFree && dof_in_joint(m, dof) < 3);
}

}  // namespace stepbench::dynamics::inline SB_ISA
