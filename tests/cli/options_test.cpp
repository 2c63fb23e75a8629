#include "cli/options.h"

#include <gtest/gtest.h>

#include "bench/error.h"
#include "bench/memory.h"
#include "engine/batch/batch.h"

namespace stepbench::cli {
namespace {

Options resolved(std::vector<std::string> args) {
  const ParseResult r = parse_command_line(args, [](const std::string&) { return nullptr; });
  return resolve(*r.raw);
}

std::string error(std::vector<std::string> args) {
  try {
    resolved(std::move(args));
  } catch (const bench::UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Options, DefaultsOfRun) {
  const Options o = resolved({"run", "a.xml"});
  const bench::Settings& s = o.settings;
  EXPECT_EQ(s.scenes, std::vector<std::string>{"a.xml"});
  EXPECT_EQ(s.worlds, (std::vector<std::int64_t>{1, 64, 1024}));
  EXPECT_EQ(s.threads, std::vector<int>{bench::usable_threads()});
  EXPECT_EQ(s.precisions, (std::vector<std::string>{"f32", "f64"}));
  EXPECT_EQ(s.timesteps_s, std::vector<std::optional<double>>{std::nullopt});
  EXPECT_EQ(s.densities, std::vector<std::optional<int>>{std::nullopt});
  EXPECT_TRUE(s.engines.empty());  // stepbench, and mujoco where it is found
  EXPECT_EQ(s.contacts, std::vector<std::string>{"file"});
  EXPECT_EQ(s.controls, std::vector<std::string>{"noise"});
  EXPECT_EQ(s.start, "spread");
  EXPECT_EQ(s.rules.min_reps, 5);
  EXPECT_DOUBLE_EQ(s.rules.max_noise, 0.01);
  EXPECT_TRUE(o.out.empty());
}

TEST(Options, Axes) {
  const Options o =
      resolved({"run", "a.xml", "--worlds", "2^0..2^3", "--worlds", "100", "--timestep",
                "file,0.001", "--density", "16,64", "--precision", "f64", "--engine", "mujoco",
                "--threads", "1,all", "--controls", "zero,random"});
  const bench::Settings& s = o.settings;
  EXPECT_EQ(s.worlds, (std::vector<std::int64_t>{1, 2, 4, 8, 100}));
  EXPECT_EQ(s.timesteps_s, (std::vector<std::optional<double>>{std::nullopt, 0.001}));
  EXPECT_EQ(s.densities, (std::vector<std::optional<int>>{16, 64}));
  EXPECT_EQ(s.engines, std::vector<std::string>{"mujoco"});
  EXPECT_EQ(s.controls, (std::vector<std::string>{"zero", "random"}));
}

TEST(Options, ImpossibleValuesNameTheOption) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--worlds", "0"},          {"--worlds", "-1"},           {"--worlds", "1,,2"},
           {"--worlds", "many"},       {"--worlds", "8..1"},         {"--threads", "0"},
           {"--timestep", "-1"},       {"--timestep", "0"},          {"--timestep", "nan"},
           {"--density", "-1"},        {"--precision", "f16"},       {"--engine", "bullet"},
           {"--contact", "magic"},     {"--controls", "dance"},      {"--controls", "replay:"},
           {"--device", "tpu"},        {"--layout", "wide"},         {"--isa", "sse9"},
           {"--lanes", "-1"},          {"--min-reps", "0"},          {"--max-noise", "0"},
           {"--max-noise", "200%"},    {"--max-noise", "low"},       {"--max-time", "0"},
           {"--max-time", "-3"},       {"--max-time", "soon"},       {"--seed", "-1"},
           {"--seed", "1,2"},          {"--settle", "-1"},           {"--control-period", "0"},
           {"--max-contacts", "-1"},   {"--option", "impratio"},     {"--option", "=2"},
           {"--progress", "loud"},     {"--start", "anywhere"},      {"--keyframe", "-1"},
           {"--comfree-damping", "x"}, {"--comfree-stiffness", "-1"}}) {
    const std::string text = error({"run", "a.xml", option, value});
    EXPECT_EQ(text.substr(0, option.size()), option) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(Options, PercentagesAndTimes) {
  EXPECT_DOUBLE_EQ(resolved({"run", "a", "--max-noise", "2%"}).settings.rules.max_noise, 0.02);
  EXPECT_DOUBLE_EQ(resolved({"run", "a", "--max-noise", "0.02"}).settings.rules.max_noise, 0.02);
  EXPECT_DOUBLE_EQ(resolved({"run", "a", "--max-time", "10"}).settings.rules.max_time_s, 10);
  EXPECT_DOUBLE_EQ(resolved({"run", "a", "--max-time", "1.5s"}).settings.rules.max_time_s, 1.5);
  EXPECT_DOUBLE_EQ(resolved({"run", "a", "--max-time", "2m"}).settings.rules.max_time_s, 120);
}

TEST(Options, OverridesArePairs) {
  const Options o = resolved({"trace", "a", "--option", "impratio=2", "--option", "gravity=0 0 -1",
                              "--option", "flag.warmstart=disable"});
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"impratio", "2"}, {"gravity", "0 0 -1"}, {"flag.warmstart", "disable"}};
  EXPECT_EQ(o.settings.options, expected);
}

TEST(Options, CommandsOfOneSettingRefuseLists) {
  EXPECT_EQ(error({"trace", "a", "--precision", "f32,f64"}),
            "--precision: 'f32,f64' is a list; give one value");
  EXPECT_EQ(error({"hash", "a", "--worlds", "1,2"}), "--worlds: '1,2' is a list; give one value");
  EXPECT_EQ(error({"export", "a", "--density", "1,2"}),
            "--density: '1,2' is a list; give one value");
  EXPECT_EQ(resolved({"check", "a", "--precision", "f32,f64"}).settings.precisions.size(), 2u);
}

TEST(Options, DefaultsOfStepCommands) {
  EXPECT_EQ(resolved({"hash", "a"}).steps, 1000);
  EXPECT_EQ(resolved({"check", "a"}).steps, 200);
  EXPECT_EQ(resolved({"trace", "a", "--steps", "0"}).steps, 0);
  EXPECT_EQ(resolved({"trace", "a"}).settings.precisions, std::vector<std::string>{"f64"});
  EXPECT_EQ(resolved({"hash", "a"}).settings.worlds, std::vector<std::int64_t>{1});
}

TEST(Options, HelpNamesEveryContactModel) {
  for (const Command c : {kRun, kTrace}) {
    const std::string help = find_option("contact", c)->help;
    for (const std::string& name : batch::contact_model_names()) {
      EXPECT_NE(help.find(name), std::string::npos) << name;
    }
  }
}

TEST(Options, ResumeNeedsAFolder) {
  EXPECT_EQ(error({"run", "a", "--resume"}),
            "--resume needs --out, the folder of the run to continue");
  EXPECT_NE(error({"run", "a", "--out", "-"}).find("--csv -"), std::string::npos);
}

}  // namespace
}  // namespace stepbench::cli
