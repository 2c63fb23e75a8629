// The environment record as env.json and as text.
#pragma once

#include <string>

#include "bench/environment.h"

namespace stepbench::reports {

// One object with a key per field; what was not measured is null.
std::string environment_json(const bench::Environment& e);

// One aligned line per field that was measured.
std::string environment_text(const bench::Environment& e);

}  // namespace stepbench::reports
