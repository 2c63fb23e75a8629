// Masses and inertias: of geoms from their shape, of bodies from their parts.
//
// Formulas: textbook solids; capsule and shells as in MuJoCo 4.0.0's compiler (reference formulas
// in the comments). All in f64, O(1) per geom.
#pragma once

#include <array>

#include "engine/model/compile_math.h"
#include "engine/model/spec.h"

namespace stepbench::model::detail {

// Mass (kg) and principal moments (kg m^2) in the frame `pose`, which is centred and aligned with
// the principal axes.
struct RigidInertia {
  double mass = 0;
  Vec3 moments = {0, 0, 0};
  Pose pose;
};

// Volume (m^3) of a geom, or its surface (m^2) with shell inertia. 0 for planes.
double geom_volume(const Geom& geom);

// Mass and principal moments of a geom in its own frame: from `mass` where given, else from
// `density`. A geom of (almost) no volume has no mass, whatever `mass` says. May be negative or not
// finite: the caller checks.
RigidInertia geom_inertia(const Geom& geom);

// Symmetric 3x3 matrix as xx yy zz xy xz yz.
using Sym3 = std::array<double, 6>;

struct Principal {
  Vec3 moments;  // descending; equal within 1e-12 (relative): in the order the iteration left them
  Quat quat;     // columns of its matrix are the axes
};

// Principal moments and axes by quaternion Jacobi iteration. Order, signs and thresholds are those
// of MuJoCo's compiler: body_iquat compares with it number by number, also for symmetric bodies.
Principal principal_axes(const Sym3& inertia);

// The parts welded together: total mass, common centre, principal axes. False, with `sum` unset,
// where the total mass is below `min_mass` (kg); `sum->moments` can hold a non-positive value, the
// caller checks.
bool combine(const RigidInertia* parts, int count, double min_mass, RigidInertia* sum);

}  // namespace stepbench::model::detail
