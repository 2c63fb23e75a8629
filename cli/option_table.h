// The one table of commands and options: names, placeholders, help, and which command takes which
// option.
//
// The command line, environment variables (STEPBENCH_MAX_NOISE for --max-noise), keys of a config
// file and
// `--help` all come from it. An option that differs between commands (another default) has several
// entries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepbench::cli {

enum Command : unsigned {
  kRun = 1 << 0,
  kPlan = 1 << 1,
  kInspect = 1 << 2,
  kTrace = 1 << 3,
  kCheck = 1 << 4,
  kHash = 1 << 5,
  kExport = 1 << 6,
  kEnv = 1 << 7,
  kColumns = 1 << 8,
};

struct CommandSpec {
  Command id;
  const char* name;
  const char* summary;         // one line, for `stepbench --help`
  int min_scenes, max_scenes;  // positional SCENE arguments; max < 0: any number
  const char* examples;        // two, one a line
};

struct OptionSpec {
  const char* name;   // without the dashes
  const char* value;  // placeholder of its value; nullptr: a flag
  const char* group;  // heading in --help
  unsigned commands;  // bits of Command
  bool repeatable;    // may be given several times; values add up
  const char* help;
};

const std::vector<CommandSpec>& commands();
const std::vector<OptionSpec>& options();
const std::vector<const char*>& option_groups();  // in the order of --help

const CommandSpec* find_command(std::string_view name);
// The entry of an option, that of command `c` if it takes it; nullptr where no command does.
const OptionSpec* find_option(std::string_view name, Command c);

// Names of the commands, or of the options that a command takes, for suggestions.
std::vector<std::string> command_names();
std::vector<std::string> option_names(Command c);

}  // namespace stepbench::cli
