// The whole program behind main().
#pragma once

#include <string>
#include <vector>

#include "cli/exit_codes.h"

namespace stepbench::cli {

// `args`: the command line, program name first. Never throws: errors become one line on standard
// error and an exit code.
ExitCode run_program(const std::vector<std::string>& args);

}  // namespace stepbench::cli
