// Shared by the parts of the compiler. Not for use outside compile*.cpp and actuator.cpp.
#pragma once

#include <string>
#include <unordered_map>

#include "engine/model/compile_math.h"
#include "engine/model/error.h"
#include "engine/model/inertia.h"
#include "engine/model/model.h"
#include "engine/model/spec.h"

namespace stepbench::model::detail {

[[noreturn]] inline void fail(const Spec& spec, const Source& source, const std::string& element,
                              const std::string& message, const std::string& hint = {}) {
  const std::size_t file = std::size_t(source.file);
  throw ModelError(file < spec.files.size() ? spec.files[file] : std::string(), source.line,
                   element, message, hint);
}

// "body 'name'", or "body" where it has none: elements in messages.
inline std::string named(const std::string& kind, const std::string& name) {
  return name.empty() ? kind : kind + " '" + name + "'";
}

// Numbers of named elements.
using Ids = std::unordered_map<std::string, int>;

struct NamedIds {
  Ids body, joint, geom;
};

// Number of `name`, or an error that says where it was used.
int find(const Spec& spec, const Ids& ids, const std::string& name, const Source& source,
         const std::string& element, const std::string& kind);

// Whether a range is in force: as switched, or with kAuto where lower < upper. An unswitched range
// is an error without autolimits. `what` is the attribute without "range" ("", "ctrl", ...).
bool resolve_limited(const Spec& spec, const Source& source, const std::string& element,
                     const std::string& range_name, const std::string& limited_name, int limited,
                     const std::array<double, 2>& range);

// --- parts, in the order in which compile() runs them
// -----------------------------------------------

// Spec in which discardvisual and fusestatic have been carried out, as far as they are switched on
// (compile_restructure.cpp).
Spec restructure(const Spec& spec);

// A body's place and inertia, and those of its geoms and sites, in final form (compile_body.cpp).
struct BodyParts {
  Pose pose;
  RigidInertia inertia;
  std::vector<Pose> geoms, sites;
};
BodyParts compile_body(const Spec& spec, std::size_t body, bool has_children);

// Inertia of a body as its geoms and <inertial> give it, corrected and checked as the compiler
// options ask; `*adjusted` tells whether a bound or balanceinertia changed it (compile_body.cpp).
RigidInertia body_inertia(const Spec& spec, std::size_t body, bool* adjusted = nullptr);

// Whether the inertia of a body is inferred from its geoms, and whether this geom has a part in it.
bool infers_inertia(const CompilerOptions& options, const Body& body);
bool contributes(const CompilerOptions& options, const Geom& geom);

// Bodies, joints, dofs, geoms, sites, reference poses and sparsity (compile_tree.cpp).
void compile_tree(const Spec& spec, Model& m);

// Contact pairs and exclusions (compile_contact.cpp).
void compile_contact(const Spec& spec, const NamedIds& ids, Model& m);

// Actuators and the activation state (actuator.cpp).
void compile_actuators(const Spec& spec, const NamedIds& ids, Model& m);

// Keyframes (compile_key.cpp). Needs qpos0, body_pos and body_quat.
void compile_keys(const Spec& spec, Model& m);

}  // namespace stepbench::model::detail
