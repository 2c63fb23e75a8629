// Writes a parsed scene as plain MJCF.
#pragma once

#include <string>

#include "engine/model/spec.h"

namespace stepbench::model {

// The effective scene: no includes, defaults, frames, replicates or shortcuts; options, overrides
// and density as read; angles in radians; numbers in shortest form that reads back exactly.
// MuJoCo 4.0.0 and `read_mjcf` make the same model of it as of the file. What was ignored (visuals,
// sensors) is gone. Unnamed elements stay unnamed. Never fails.
std::string write_mjcf(const Spec& spec);

}  // namespace stepbench::model
