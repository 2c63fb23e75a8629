// Everything that `run` and `plan` can be told, validated; the rest of the program never sees argv.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/axes.h"
#include "engine/batch/batch.h"

namespace stepbench::bench {

// How cells are measured.
struct Rules {
  int min_reps = 5;     // repetitions at least, >= 1
  int max_reps = 1000;  // and at most
  double max_noise =
      0.01;  // half width of the median's confidence interval / median that ends a cell
  double max_time_s = 3;  // s per cell: repetitions with their untimed parts
  double window_s = 0.1;  // s, timed length of a repetition where a step is short enough
  bool interleave =
      true;  // shuffle repetitions over the cells of a block; false: one cell after another
  std::int64_t repeat_steps =
      0;                // steps of the repeatability runs; 0: by worlds and dofs; < 0: none
  bool phases = false;  // time the phases of a step, in the untimed window of the workload
  int process_idx = 0;
};

struct Settings {
  std::vector<std::string> scenes;

  // Axes; the plan is their product, leftmost slowest:
  // scene, density, timestep, controls, worlds, threads, device, engine, contact, precision.
  std::vector<std::optional<int>> densities = {std::nullopt};
  std::vector<std::optional<double>> timesteps_s = {std::nullopt};
  std::vector<std::string> controls = {"noise"};
  std::vector<std::int64_t> worlds = {1, 64, 1024};
  std::vector<int> threads;  // empty: all
  std::vector<std::string> devices = {"cpu"};
  std::vector<std::string> engines;  // empty: stepbench, and mujoco where its library is found
  std::vector<std::string> contacts = {"file"};
  std::vector<std::string> precisions = {"f32", "f64"};

  // What holds for every cell.
  std::uint64_t seed = 0;  // below 2^63
  std::string start = "spread";
  std::int64_t settle = 0;
  int keyframe = -1;
  int control_period = 10;
  std::vector<std::pair<std::string, std::string>> options;  // NAME, VALUE of --option
  bool ignore_unsupported = false;
  batch::Layout layout = batch::Layout::kAuto;
  batch::Isa isa = batch::Isa::kAuto;
  int lanes = 0;
  bool sort = true;
  int max_contacts = 0;
  double comfree_stiffness = batch::BatchOptions{}.comfree_stiffness;
  double comfree_damping = batch::BatchOptions{}.comfree_damping;

  Rules rules;
  Shard shard;
};

}  // namespace stepbench::bench
