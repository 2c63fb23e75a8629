// Constants of a model that depend on its dynamics at the reference pose qpos0.
#pragma once

#include <array>
#include <vector>

#include "engine/model/model.h"

namespace stepbench::model::detail {

// Fills body_subtreemass, body_invweight0, dof_invweight0, dof_M0, meaninertia, actuator_acc0 and
// actuator_length0, and replaces damping ratios (positive biasprm[2] of position-like actuators) by
// damping. Everything else of the model must be set. O(depth^2) per body and dof, O(nM of the tree)
// per actuator, O(sum of depth^2) once.
void set_constants(Model& m);

}  // namespace stepbench::model::detail
