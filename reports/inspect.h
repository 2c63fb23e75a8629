// A compiled scene laid open: for `stepbench inspect`.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.h"

namespace stepbench::reports {

struct Inspection {
  std::string file;
  const model::Model& model;
  std::vector<std::string> unsupported;  // one line each; empty: the whole scene is simulated
};

// What the model uses of the physics, one phrase each: "3 hinge joints", "friction loss", ...
std::vector<std::string> features(const model::Model& m);

// Sizes, options, features, unsupported parts and warnings, for a person.
std::string inspect_text(const Inspection& i);

// One object with MuJoCo's names: sizes, `opt` (mjOption), `stat`, and every compiled array as a
// flat list in MuJoCo's order (row-major); beside them `file`, `name`, `names`, `features`,
// `unsupported`, `warnings`.
std::string inspect_json(const Inspection& i);

}  // namespace stepbench::reports
