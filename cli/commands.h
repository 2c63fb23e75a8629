// The commands, one file each (command_<name>.cpp). Each takes validated options and returns an
// exit code.
//
// They throw bench::UsageError, model::ModelError and reports::FileError; program.cpp turns these
// into one line on standard error and an exit code.
#pragma once

#include "cli/exit_codes.h"
#include "cli/options.h"

namespace stepbench::cli {

ExitCode command_run(const Options& o, const std::vector<std::string>& args);
ExitCode command_plan(const Options& o);
ExitCode command_inspect(const Options& o);
ExitCode command_trace(const Options& o);
ExitCode command_check(const Options& o);
ExitCode command_hash(const Options& o);
ExitCode command_export(const Options& o);
ExitCode command_env(const Options& o, const std::vector<std::string>& args);
ExitCode command_columns(const Options& o);

}  // namespace stepbench::cli
