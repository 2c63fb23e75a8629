#include "cli/parse.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/error.h"
#include "cli/profiles.h"
#include "cli/suggest.h"

namespace stepbench::cli {
namespace {

using Values = std::vector<std::string>;

class Parse : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(config_); }

  ParseResult parse(const std::vector<std::string>& args) {
    return parse_command_line(args, [this](const std::string& name) {
      const auto it = environment_.find(name);
      return it == environment_.end() ? nullptr : it->second.c_str();
    });
  }
  RawOptions options(const std::vector<std::string>& args) {
    ParseResult r = parse(args);
    EXPECT_TRUE(r.raw.has_value());
    return r.raw.value_or(RawOptions{});
  }
  std::string error(const std::vector<std::string>& args) {
    try {
      parse(args);
    } catch (const bench::UsageError& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      return e.what();
    }
    return "no error";
  }
  // Path of a config file with this text.
  std::string config(const std::string& text) {
    config_ = std::filesystem::temp_directory_path() /
              ("sb_config_" + std::to_string(::getpid()) + ".toml");
    std::ofstream(config_) << text;
    return config_.string();
  }

  std::map<std::string, std::string> environment_;
  std::filesystem::path config_;
};

TEST_F(Parse, ScenesAndOptionsInAnyOrder) {
  const RawOptions r = options({"run", "a.xml", "--worlds", "1,64", "b.xml", "--resume",
                                "--timestep=0.001", "--timestep", "file"});
  EXPECT_EQ(r.scenes, (Values{"a.xml", "b.xml"}));
  EXPECT_EQ(r.values.at("worlds"), Values{"1,64"});
  EXPECT_EQ(r.values.at("timestep"), (Values{"0.001", "file"}));
  EXPECT_TRUE(r.has("resume"));
  EXPECT_FALSE(r.has("quiet"));
}

TEST_F(Parse, ValuesThatLookLikeOptions) {
  EXPECT_EQ(options({"run", "a", "--timestep", "-1"}).values.at("timestep"), Values{"-1"});
  EXPECT_EQ(options({"run", "a", "--csv", "-"}).values.at("csv"), Values{"-"});
}

TEST_F(Parse, LastValueOfASingleOptionCounts) {
  EXPECT_EQ(options({"run", "a", "--seed", "1", "--seed", "2"}).values.at("seed"), Values{"2"});
}

TEST_F(Parse, UnknownOptionsNameTheClosest) {
  EXPECT_EQ(error({"run", "a", "--wrolds", "3"}),
            "unknown option '--wrolds'; did you mean '--worlds'?");
  EXPECT_EQ(error({"run", "a", "--max_noise=3"}),
            "unknown option '--max_noise=3'; did you mean '--max-noise'?");
  EXPECT_EQ(error({"run", "a", "--quite"}), "unknown option '--quite'; did you mean '--quiet'?");
  EXPECT_EQ(error({"run", "a", "--zzzzzzzz"}), "unknown option '--zzzzzzzz'");
  EXPECT_EQ(error({"run", "a", "--every", "3"}), "--every is not an option of `run`");
}

TEST_F(Parse, UnknownCommandsNameTheClosest) {
  EXPECT_EQ(error({"rnu"}), "unknown command 'rnu'; did you mean 'run'?");
  EXPECT_EQ(error({"inspct"}), "unknown command 'inspct'; did you mean 'inspect'?");
  EXPECT_EQ(error({"--worlds", "1"}), "unknown command '--worlds' (options follow the command)");
  EXPECT_EQ(error({}), "no command; `stepbench --help` lists them");
}

TEST_F(Parse, MissingAndSurplus) {
  EXPECT_EQ(error({"run", "a", "--worlds"}), "--worlds needs a value");
  EXPECT_EQ(error({"run"}), "`run` needs a scene: stepbench run SCENE.xml");
  EXPECT_EQ(error({"inspect", "a", "b"}), "`inspect` takes 1 scene, 2 were given");
  EXPECT_NE(error({"env", "a"}).find("unexpected argument 'a'"), std::string::npos);
}

TEST_F(Parse, SourcesInOrder) {
  const std::string file = config(
      "# night\n"
      "worlds = [1, 2]\n"
      "max_noise = \"3%\"\n"
      "seed = 5\n"
      "precision = \"f32\"\n"
      "resume = true\n"
      "quiet = false\n");
  environment_ = {{"STEPBENCH_SEED", "6"}, {"STEPBENCH_WORLDS", "8"}, {"STEPBENCH_LANES", "4"}};
  const RawOptions r =
      options({"run", "a", "--config", file, "--profile", "quick", "--worlds", "16"});
  EXPECT_EQ(r.values.at("worlds"), Values{"16"});  // command line
  EXPECT_EQ(r.values.at("seed"), Values{"6"});     // environment
  EXPECT_EQ(r.values.at("lanes"), Values{"4"});
  EXPECT_EQ(r.values.at("max-noise"), Values{"3%"});  // config
  EXPECT_EQ(r.values.at("precision"), Values{"f32"});
  EXPECT_EQ(r.values.at("min-reps"), Values{"3"});  // profile
  EXPECT_TRUE(r.has("resume"));
  EXPECT_FALSE(r.has("quiet"));
}

TEST_F(Parse, ListsInConfigs) {
  const std::string file = config(
      "worlds = [1, 64,\n  1024]\n"
      "precision = [\"f32\", \"f64\"]\n"
      "timestep = \"file,0.001\"\n"
      "option = [\"impratio=2\", \"flag.warmstart=disable\"]\n"
      "scene = [\"humanoid.xml\", \"/abs/drop.xml\"]\n");
  const RawOptions r = options({"run", "--config", file});
  EXPECT_EQ(r.values.at("worlds"), (Values{"1", "64", "1024"}));
  EXPECT_EQ(r.values.at("precision"), (Values{"f32", "f64"}));
  EXPECT_EQ(r.values.at("option"), (Values{"impratio=2", "flag.warmstart=disable"}));
  // Scenes are relative to the file.
  const auto folder = std::filesystem::path(file).parent_path();
  EXPECT_EQ(r.scenes, (Values{(folder / "humanoid.xml").string(), "/abs/drop.xml"}));
}

TEST_F(Parse, ConfigErrorsNameFileAndKey) {
  const std::string unknown = config("wrolds = [1]\n");
  EXPECT_EQ(error({"run", "a", "--config", unknown}),
            unknown + ": unknown key 'wrolds'; did you mean 'worlds'?");
  const std::string section = config("[run]\nworlds = [1]\n");
  EXPECT_NE(error({"run", "a", "--config", section}).find("no sections"), std::string::npos);
  const std::string flag = config("resume = maybe\n");
  EXPECT_EQ(error({"run", "a", "--config", flag}), flag + ": resume is true or false");
  EXPECT_EQ(error({"run", "a", "--config", "/nonexistent.toml"}),
            "--config: cannot read /nonexistent.toml");
  EXPECT_EQ(error({"run", "a", "--profile", "fast"}),
            "--profile: 'fast' is not known; choose from quick, nightly, paper");
}

TEST_F(Parse, OneConfigServesSeveralCommands) {
  const std::string file = config("worlds = [1, 64]\nmin-reps = 9\nseed = 3\n");
  const RawOptions r = options({"trace", "a", "--config", file});
  EXPECT_FALSE(r.has("worlds"));
  EXPECT_FALSE(r.has("min-reps"));
  EXPECT_EQ(r.values.at("seed"), Values{"3"});
}

TEST_F(Parse, EveryOptionHasAnEnvironmentVariable) {
  EXPECT_EQ(environment_name("max-noise"), "STEPBENCH_MAX_NOISE");
  environment_ = {{"STEPBENCH_RESUME", "1"}, {"STEPBENCH_QUIET", "0"}};
  const RawOptions r = options({"run", "a"});
  EXPECT_TRUE(r.has("resume"));
  EXPECT_FALSE(r.has("quiet"));
  environment_ = {{"STEPBENCH_RESUME", "perhaps"}};
  EXPECT_EQ(error({"run", "a"}), "STEPBENCH_RESUME=perhaps: use 1 or 0");
}

TEST_F(Parse, ProfilesParse) {
  for (const std::string& name : profile_names()) {
    const RawOptions r = options({"run", "a", "--profile", name});
    EXPECT_TRUE(r.has("worlds")) << name;
    EXPECT_TRUE(r.has("min-reps")) << name;
  }
}

TEST_F(Parse, HelpIsShortAndHasExamples) {
  for (const CommandSpec& c : commands()) {
    const std::string text = parse({c.name, "--help"}).text;
    EXPECT_NE(text.find(std::string("Usage: stepbench ") + c.name), std::string::npos) << c.name;
    const auto examples = text.find("Examples:\n");
    ASSERT_NE(examples, std::string::npos) << c.name;
    EXPECT_EQ(std::count(text.begin() + static_cast<std::ptrdiff_t>(examples), text.end(), '\n'), 3)
        << c.name;
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60) << c.name;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120u) << line;
    EXPECT_EQ(parse({"help", c.name}).text, text);
  }
  EXPECT_NE(parse({"--help"}).text.find("Exit codes"), std::string::npos);
  EXPECT_EQ(parse({"--version"}).text.substr(0, 10), "stepbench ");
}

TEST(Suggest, ClosestWord) {
  const std::vector<std::string> known = {"worlds", "threads", "precision"};
  EXPECT_EQ(closest("wrolds", known), "worlds");
  EXPECT_EQ(closest("thread", known), "threads");
  EXPECT_EQ(closest("prec", known), "precision");
  EXPECT_EQ(closest("xyz", known), "");
  EXPECT_EQ(did_you_mean("world", known), "; did you mean 'worlds'?");
}

}  // namespace
}  // namespace stepbench::cli
