#include "cli/option_table.h"

#include <algorithm>

namespace stepbench::cli {
namespace {

constexpr unsigned kSweep = kRun | kPlan;               // commands with axes
constexpr unsigned kSteps = kTrace | kCheck | kHash;    // commands that step one setting
constexpr unsigned kOne = kSteps | kInspect | kExport;  // one setting of each axis
constexpr unsigned kScene = kSweep | kOne;              // commands that load scenes

constexpr const char* kAxes = "Axes (LIST: 1,64 or 2^0..2^14 or 100..1000..100)";
constexpr const char* kPhysics = "Scene and physics";
constexpr const char* kExecution = "Execution";
constexpr const char* kMeasuring = "Measuring";
constexpr const char* kOutput = "Output";

}  // namespace

const std::vector<CommandSpec>& commands() {
  static const std::vector<CommandSpec> all = {
      {kRun, "run",
       "sweep scenes over worlds, precision, timestep, density, engines; table and CSV", 1, -1,
       "stepbench run scenes/humanoid.xml\n"
       "stepbench run scenes/pile.xml --density 16,64,256 --worlds 1,16 --out out/pile"},
      {kPlan, "plan", "list the cells that `run` would measure, with estimates; run nothing", 1, -1,
       "stepbench plan scenes/humanoid.xml --worlds 2^0..2^14\n"
       "stepbench plan scenes/humanoid.xml --json"},
      {kInspect, "inspect", "sizes, options, features used and what is unsupported in a scene", 1,
       1,
       "stepbench inspect scenes/panda.xml\n"
       "stepbench inspect scenes/panda.xml --json > panda.json"},
      {kTrace, "trace", "simulate one world and write its trajectory as CSV", 1, 1,
       "stepbench trace scenes/drop.xml --steps 500 > drop.csv\n"
       "stepbench trace scenes/humanoid.xml --controls random --every 10 --out humanoid.csv"},
      {kCheck, "check", "compare model, single steps and a trajectory with the real MuJoCo", 1, -1,
       "stepbench check scenes/humanoid.xml\n"
       "stepbench check scenes/*.xml --steps 200 --precision f64"},
      {kHash, "hash", "print the 64-bit state hash of every world after a number of steps", 1, 1,
       "stepbench hash scenes/stack.xml --steps 1000 --worlds 64\n"
       "stepbench hash scenes/stack.xml --worlds 64 --threads 1 --expect-hash 0123456789abcdef"},
      {kExport, "export", "write the MJCF that is simulated, with density and overrides applied", 1,
       1,
       "stepbench export scenes/pile.xml --density 256 > pile256.xml\n"
       "stepbench export scenes/humanoid.xml --option cone=elliptic --out humanoid_elliptic.xml"},
      {kEnv, "env", "describe this machine, this build and the peer engines found", 0, 0,
       "stepbench env\n"
       "stepbench env --json"},
      {kColumns, "columns", "document each column of samples.csv and summary.csv", 0, 0,
       "stepbench columns\n"
       "stepbench columns --format json"},
  };
  return all;
}

const std::vector<OptionSpec>& options() {
  static const std::vector<OptionSpec> all = {
      {"worlds", "LIST", kAxes, kSweep, true, "worlds per batch [1,64,1024]"},
      {"worlds", "N", kExecution, kHash, false, "worlds of the batch [1]"},
      {"threads", "LIST", kAxes, kSweep, true, "threads, or `all` [all]"},
      {"threads", "N", kExecution, kHash, false, "threads, or `all` [all]"},
      {"precision", "LIST", kAxes, kSweep | kCheck, true, "f32, f64 [both]"},
      {"precision", "NAME", kExecution, kTrace | kHash, false, "f32, f64 [f64]"},
      {"timestep", "LIST", kAxes, kSweep, true,
       "seconds per step, or `file`: the scene's own [file]"},
      {"timestep", "SECONDS", kPhysics, kOne, false,
       "time of a step, or `file`: the scene's own [file]"},
      {"density", "LIST", kAxes, kSweep, true,
       "contact density: count of the scene's `density` replicate, or so many free bodies over it"},
      {"density", "N", kPhysics, kOne, false,
       "contact density: count of the scene's `density` replicate, or so many free bodies over it"},
      {"engine", "LIST", kAxes, kSweep, true, "stepbench, mujoco [both; mujoco where it is found]"},
      {"contact", "LIST", kAxes, kSweep, true,
       "newton, comfree, or `file`: the scene's solver [file]"},
      {"contact", "NAME", kPhysics, kSteps, false,
       "newton, comfree, or `file`: the scene's solver [file]"},
      {"controls", "LIST", kAxes, kSweep, true, "inputs: noise, zero, random, replay:FILE [noise]"},
      {"controls", "KIND", kPhysics, kSteps, false,
       "inputs: noise, zero, random, replay:FILE [noise]"},
      {"device", "LIST", kAxes, kSweep, true, "cpu, cuda [cpu]"},

      {"option", "NAME=VALUE", kPhysics, kScene, true,
       "replace an attribute of <option>, or of <flag> as flag.NAME; repeatable"},
      {"ignore-unsupported", nullptr, kPhysics, kScene, false,
       "go on without what is unsupported; rows are marked `open`"},
      {"keyframe", "N", kPhysics, kSweep | kSteps, false,
       "start from this key frame, from 0 [0 where there is one]"},
      {"start", "KIND", kPhysics, kSweep | kHash, false,
       "spread: worlds that fall, land and rest; file: all equal [spread]"},
      {"settle", "STEPS", kPhysics, kSweep | kHash, false,
       "untimed steps before everything else [0]"},
      {"seed", "N", kPhysics, kSweep | kSteps, false, "seed of start states and inputs [0]"},
      {"control-period", "STEPS", kPhysics, kSweep | kSteps, false,
       "steps for which an input is held [10]"},
      {"max-contacts", "N", kPhysics, kSweep | kSteps, false,
       "contacts per world that count as overflow when exceeded; 0: no limit [0]"},
      {"comfree-stiffness", "X", kPhysics, kSweep | kSteps, false,
       "of the contact model comfree, 1/s [0.2]"},
      {"comfree-damping", "X", kPhysics, kSweep | kSteps, false,
       "of the contact model comfree [0.001]"},

      {"layout", "NAME", kExecution, kSweep | kSteps, false,
       "auto, packed, single [auto: by model size]"},
      {"isa", "NAME", kExecution, kSweep | kSteps, false,
       "auto, baseline, avx2, avx512, neon [auto: the widest here]"},
      {"lanes", "N", kExecution, kSweep | kSteps, false,
       "worlds per pack; 0: as wide as the isa [0]"},
      {"sort", "on|off", kExecution, kSweep | kSteps, false,
       "worlds change places in the packs, by work; their bits stay the same [on]"},

      {"min-reps", "N", kMeasuring, kSweep, false, "repetitions at least [5]"},
      {"max-noise", "PERCENT", kMeasuring, kSweep, false,
       "a cell is done at this uncertainty of its median [1%]"},
      {"max-time", "SECONDS", kMeasuring, kSweep, false, "a cell is done after this time [3]"},
      {"phases", nullptr, kMeasuring, kRun, false,
       "also tell where a step's time goes, as columns phase_*_frac"},
      {"expect-hash", "HASH|FILE", kMeasuring, kRun, false,
       "exit 5 unless each cell has this state_hash, or the one in this summary.csv"},
      {"expect-hash", "HASH|FILE", kMeasuring, kHash, false,
       "exit 5 unless the batch has this hash, or each world the one in this file"},
      {"steps", "N", kMeasuring, kTrace | kHash, false, "steps [1000]"},
      {"steps", "N", kMeasuring, kCheck, false, "steps of the trajectory [200]"},
      {"every", "N", kMeasuring, kTrace, false, "write every Nth step [1]"},

      {"out", "DIR", kOutput, kRun, false, "folder for CSV, environment and plan [out/SCENE-TIME]"},
      {"out", "FILE", kOutput, kTrace | kExport, false, "file to write; - for standard output [-]"},
      {"resume", nullptr, kOutput, kRun, false, "continue the run in --out: measure what it lacks"},
      {"csv", "FILE", kOutput, kRun, false,
       "write the rows of samples.csv to FILE too; - for standard output"},
      {"csv", "FILE", kOutput, kCheck, false,
       "write a row per compared field to FILE; - for standard output"},
      {"json", nullptr, kOutput, kPlan | kInspect | kEnv, false, "one JSON object instead of text"},
      {"format", "NAME", kOutput, kColumns, false, "text, csv, json, markdown [text]"},
      {"progress", "KIND", kOutput, kRun, false,
       "auto, bar, json, none [auto: a bar on a terminal]"},
      {"quiet", nullptr, kOutput, kRun | kCheck, false, "no table and no notes, errors only"},
      {"config", "FILE", kOutput, kScene, false, "TOML file with these options as keys"},
      {"profile", "NAME", kOutput, kSweep, false, "shipped config: quick, nightly, paper"},
  };
  return all;
}

const std::vector<const char*>& option_groups() {
  static const std::vector<const char*> all = {kAxes, kPhysics, kExecution, kMeasuring, kOutput};
  return all;
}

const CommandSpec* find_command(std::string_view name) {
  for (const CommandSpec& c : commands()) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

const OptionSpec* find_option(std::string_view name, Command c) {
  const OptionSpec* other = nullptr;
  for (const OptionSpec& o : options()) {
    if (name != o.name) continue;
    if ((o.commands & c) != 0) return &o;
    other = &o;
  }
  return other;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandSpec& c : commands()) names.emplace_back(c.name);
  return names;
}

std::vector<std::string> option_names(Command c) {
  std::vector<std::string> names;
  for (const OptionSpec& o : options()) {
    if ((o.commands & c) != 0) names.emplace_back(o.name);
  }
  return names;
}

}  // namespace stepbench::cli
