#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "bench/error.h"
#include "build_info.h"
#include "cli/profiles.h"
#include "cli/suggest.h"

namespace stepbench::cli {
namespace {

using bench::UsageError;

// One CLI11 application for one command; its results land in `raw`.
class CommandApp {
 public:
  explicit CommandApp(const CommandSpec& command) : app_(std::string(command.summary)) {
    raw_.command = &command;
    app_.set_help_flag("-h,--help");
    if (command.max_scenes != 0) app_.add_option("SCENE", raw_.scenes);
    for (const OptionSpec& o : options()) {
      if ((o.commands & command.id) == 0) continue;
      const std::string flag = std::string("--") + o.name;
      if (o.value == nullptr) {
        app_.add_flag(flag, flags_[o.name]);
        continue;
      }
      CLI::Option* option = app_.add_option(flag, values_[o.name]);
      option->type_name(o.value)->expected(1)->allow_extra_args(false);
      option->multi_option_policy(o.repeatable ? CLI::MultiOptionPolicy::TakeAll
                                               : CLI::MultiOptionPolicy::TakeLast);
    }
  }

  // False where --help was asked for.
  bool parse(std::vector<std::string> args) {
    std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
    try {
      app_.allow_extras();
      app_.parse(args);
    } catch (const CLI::CallForHelp&) {
      return false;
    } catch (const CLI::ArgumentMismatch& e) {
      const std::string text = e.what();
      throw UsageError(text.substr(0, text.find(':')) + " needs a value");
    } catch (const CLI::ParseError& e) {
      throw UsageError(e.what());
    }
    for (const std::string& extra : app_.remaining()) refuse(extra);
    for (const auto& [name, values] : values_) {
      if (app_.get_option("--" + name)->count() > 0) raw_.values[name] = values;
    }
    for (const auto& [name, on] : flags_) {
      if (on) raw_.values[name] = {"true"};
    }
    return true;
  }

  RawOptions& raw() { return raw_; }

 private:
  [[noreturn]] void refuse(const std::string& extra) const {
    const char* command = raw_.command->name;
    if (!extra.starts_with("-") || extra == "-") {
      throw UsageError(fmt::format(
          "unexpected argument '{}' (`stepbench {} --help` shows what it takes)", extra, command));
    }
    const std::string name = extra.substr(
        extra.find_first_not_of('-') == std::string::npos ? 0 : extra.find_first_not_of('-'));
    const std::string word = name.substr(0, name.find('='));
    if (find_option(word, raw_.command->id) != nullptr) {
      throw UsageError(fmt::format("--{} is not an option of `{}`", word, command));
    }
    std::vector<std::string> known = option_names(raw_.command->id);
    for (std::string& k : known) k = "--" + k;
    throw UsageError(fmt::format("unknown option '{}'{}", extra, did_you_mean("--" + word, known)));
  }

  CLI::App app_;
  RawOptions raw_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, bool> flags_;
};

// Take from `from` what nobody set before.
void merge(RawOptions& into, RawOptions from) {
  if (into.scenes.empty()) into.scenes = std::move(from.scenes);
  for (auto& [name, values] : from.values) into.values.emplace(name, std::move(values));
}

RawOptions from_environment(const CommandSpec& command, const Environment& environment) {
  RawOptions raw;
  for (const OptionSpec& o : options()) {
    if ((o.commands & command.id) == 0) continue;
    const char* value = environment(environment_name(o.name));
    if (value == nullptr || *value == '\0') continue;
    if (o.value != nullptr) {
      raw.values[o.name] = {value};
    } else if (const std::string_view v = value; v == "1" || v == "true" || v == "on") {
      raw.values[o.name] = {"true"};
    } else if (v != "0" && v != "false" && v != "off") {
      throw UsageError(fmt::format("{}={}: use 1 or 0", environment_name(o.name), value));
    }
  }
  return raw;
}

// Keys of a config file are names of options, with - or _. Options that only other commands take
// are left out, so that one file serves `plan`, `run` and `check`. Scenes are relative to the file.
RawOptions from_config(const CommandSpec& command, std::istream& in, const std::string& name,
                       const std::filesystem::path& folder) {
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(in);
  } catch (const CLI::Error& e) {
    throw UsageError(fmt::format("{}: {}", name, e.what()));
  }
  RawOptions raw;
  for (CLI::ConfigItem& item : items) {
    if (!item.parents.empty()) {
      throw UsageError(
          fmt::format("{}: [{}]: a config has no sections; write keys such as worlds = [1, 64]",
                      name, item.parents.front()));
    }
    std::string key = item.name;
    std::replace(key.begin(), key.end(), '_', '-');
    std::erase(item.inputs, "");
    if (key == "scene" || key == "scenes") {
      for (const std::string& s : item.inputs)
        raw.scenes.push_back((folder / s).lexically_normal().string());
      continue;
    }
    const OptionSpec* o = find_option(key, command.id);
    if (o == nullptr || key == "config") {
      std::vector<std::string> known = option_names(command.id);
      known.emplace_back("scene");
      throw UsageError(
          fmt::format("{}: unknown key '{}'{}", name, item.name, did_you_mean(key, known)));
    }
    if ((o->commands & command.id) == 0) continue;
    if (o->value != nullptr) {
      if (item.inputs.empty())
        throw UsageError(fmt::format("{}: {} has no value", name, item.name));
      if (item.inputs.size() > 1 && !o->repeatable) {
        throw UsageError(fmt::format("{}: {} takes one value", name, item.name));
      }
      raw.values[key] = std::move(item.inputs);
    } else if (item.inputs == std::vector<std::string>{"true"}) {
      raw.values[key] = {"true"};
    } else if (item.inputs != std::vector<std::string>{"false"}) {
      throw UsageError(fmt::format("{}: {} is true or false", name, item.name));
    }
  }
  return raw;
}

void apply_config_files(RawOptions& raw) {
  const CommandSpec& command = *raw.command;
  if (const auto it = raw.values.find("config"); it != raw.values.end()) {
    const std::filesystem::path path = it->second.back();
    std::ifstream in(path);
    if (!in || std::filesystem::is_directory(path)) {
      throw UsageError(fmt::format("--config: cannot read {}", path.string()));
    }
    merge(raw, from_config(command, in, path.string(), path.parent_path()));
  }
  if (const auto it = raw.values.find("profile"); it != raw.values.end()) {
    const std::string name = it->second.back();
    const char* text = profile_text(name);
    if (text == nullptr) {
      throw UsageError(fmt::format("--profile: '{}' is not known; choose from {}", name,
                                   fmt::join(profile_names(), ", ")));
    }
    std::istringstream in(text);
    merge(raw, from_config(command, in, "profile " + name, {}));
  }
}

void check_scene_count(const RawOptions& raw) {
  const CommandSpec& c = *raw.command;
  const auto n = static_cast<int>(raw.scenes.size());
  if (n < c.min_scenes) {
    throw UsageError(fmt::format("`{}` needs a scene: stepbench {} SCENE.xml", c.name, c.name));
  }
  if (c.max_scenes >= 0 && n > c.max_scenes) {
    throw UsageError(fmt::format("`{}` takes {} scene{}, {} were given", c.name, c.max_scenes,
                                 c.max_scenes == 1 ? "" : "s", n));
  }
}

std::string version_text() {
  const std::string_view commit = build_info::kCommit;
  return fmt::format("stepbench {}{}\n", build_info::kVersion,
                     commit.empty() ? "" : fmt::format(" ({})", commit.substr(0, 12)));
}

}  // namespace

std::string environment_name(std::string_view option) {
  std::string name = "STEPBENCH_";
  for (const char c : option) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string program_help() {
  std::string text =
      "stepbench: simulate batches of MuJoCo scenes; measure steps per second, scaling and "
      "repeatability\n\n"
      "Usage: stepbench COMMAND [SCENE...] [OPTIONS]\n\nCommands:\n";
  for (const CommandSpec& c : commands()) text += fmt::format("  {:<10}{}\n", c.name, c.summary);
  text +=
      "\n`stepbench COMMAND --help` lists the options; `stepbench --version` tells the version.\n"
      "Every option is also a key of a TOML file (--config FILE) and an environment variable "
      "(STEPBENCH_WORLDS).\n\n"
      "Exit codes: 0 ok, 2 usage, 3 scene cannot be loaded, 4 a cell is invalid, 5 not "
      "repeatable,\n"
      "            8 stopped early (continue with --resume)\n";
  return text;
}

std::string command_help(const CommandSpec& command) {
  std::string text =
      fmt::format("{}\n\nUsage: stepbench {}{} [OPTIONS]\n", command.summary, command.name,
                  command.max_scenes == 0   ? ""
                  : command.max_scenes == 1 ? " SCENE"
                                            : " SCENE...");
  for (const char* group : option_groups()) {
    bool first = true;
    for (const OptionSpec& o : options()) {
      if ((o.commands & command.id) == 0 || std::string_view(o.group) != group) continue;
      if (std::exchange(first, false)) text += fmt::format("\n{}:\n", group);
      const std::string left =
          fmt::format("--{}{}{}", o.name, o.value ? " " : "", o.value ? o.value : "");
      text += fmt::format("  {:<26}  {}\n", left, o.help);
    }
  }
  text += "\nExamples:\n";
  std::istringstream examples(command.examples);
  for (std::string line; std::getline(examples, line);) text += "  " + line + '\n';
  return text;
}

ParseResult parse_command_line(const std::vector<std::string>& args,
                               const Environment& environment) {
  ParseResult result;
  if (args.empty()) throw UsageError("no command; `stepbench --help` lists them");
  std::string word = args[0];
  const bool help = word == "help";
  if (word == "--help" || word == "-h" || (help && args.size() == 1)) {
    result.text = program_help();
    return result;
  }
  if (word == "--version") {
    result.text = version_text();
    return result;
  }
  if (help) word = args[1];
  const CommandSpec* command = find_command(word);
  if (command == nullptr) {
    throw UsageError(fmt::format("unknown command '{}'{}", word,
                                 word.starts_with("-") ? " (options follow the command)"
                                                       : did_you_mean(word, command_names())));
  }
  CommandApp app(*command);
  if (help || !app.parse({args.begin() + 1, args.end()})) {
    result.text = command_help(*command);
    return result;
  }
  RawOptions raw = std::move(app.raw());
  merge(raw, from_environment(*command, environment));
  apply_config_files(raw);
  check_scene_count(raw);
  result.raw = std::move(raw);
  return result;
}

}  // namespace stepbench::cli
