// What a scene makes use of, in words: for `stepbench inspect`.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/spec.h"

namespace stepbench::model {

// Features in a fixed order, each once: joint types, geom types with their number, solver settings,
// actuators and so on, e.g. "hinge joints: 21", "capsule geoms: 19", "cone: elliptic". Only what
// the compiled model has; compiler options of the Spec that changed it are named as well.
std::vector<std::string> features(const Spec& spec, const Model& m);

}  // namespace stepbench::model
