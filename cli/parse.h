// Command line, environment and config files -> texts of options, before any meaning is given to
// them.
//
// The first source that sets an option wins as a whole: command line, environment (STEPBENCH_WORLDS
// for
// --worlds), --config FILE, --profile NAME.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_table.h"

namespace stepbench::cli {

// What was asked for, as text. Options that nobody set are absent; a flag that is set holds "true".
struct RawOptions {
  const CommandSpec* command = nullptr;
  std::vector<std::string> scenes;
  std::map<std::string, std::vector<std::string>, std::less<>> values;

  bool has(std::string_view name) const { return values.find(name) != values.end(); }
};

// Either a request, or text to print and the exit code to leave with (--help, --version).
struct ParseResult {
  std::optional<RawOptions> raw;
  std::string text;
};

// Value of an environment variable, or nullptr; a parameter so that tests need not change their
// own.
using Environment = std::function<const char*(const std::string&)>;

// `args` without the program's name. Throws bench::UsageError with one line: unknown command,
// option or key (with the closest known one), missing or surplus value, unreadable config file.
ParseResult parse_command_line(const std::vector<std::string>& args,
                               const Environment& environment);

// "STEPBENCH_MAX_NOISE" for "max-noise".
std::string environment_name(std::string_view option);

// `--help` of the program and of a command.
std::string program_help();
std::string command_help(const CommandSpec& command);

}  // namespace stepbench::cli
