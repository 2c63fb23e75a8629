// Compiles a parsed scene into a Model.
#pragma once

#include <memory>

#include "engine/model/error.h"
#include "engine/model/model.h"
#include "engine/model/spec.h"

namespace stepbench::model {

// The compiled model, in MuJoCo 4.0.0's numbers: its arrays equal mjModel's to rounding (1e-12
// relative), with two differences of form. M_rownnz, M_rowadr, M_colind always hold full rows
// (MuJoCo stores only the diagonal of "simple" bodies), and there is one control and one output per
// actuator.
//
// Throws ModelError for a scene that has no meaning: a moving body without mass, sizes that are not
// positive, negative or infinite masses, inertia that violates A + B >= C, a joint of the world, a
// free joint below the top level, more than 6 dofs in a body, unknown names, keyframes that do not
// fit, invalid ranges.  O(bodies + dofs + geoms log geoms) and memory in proportion, apart from the
// dofs' ancestor lists (M_colind) and actuators (see compile_constants.h).
std::shared_ptr<const Model> compile(const Spec& spec);

}  // namespace stepbench::model
