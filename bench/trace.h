// One world as a table: what `trace` writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/model/model.h"

namespace stepbench::bench {

struct TraceOptions {
  batch::BatchOptions batch;
  std::string controls = "noise";
  int control_period = 10;
  std::uint64_t seed = 0;
  int keyframe = -1;  // -1: key 0 where there is one, else qpos0
  std::int64_t steps = 1000;
  std::int64_t every = 1;  // rows: 0, every, 2 every, ... and the last step
};

// The state after `step` steps, and what the forward dynamics at that very state give. (MuJoCo's
// mjData after mj_step holds these figures for the state one step earlier.)
struct TraceRow {
  std::int64_t step = 0;
  double time_s = 0;
  int ncon = 0, nefc = 0, solver_niter = 0;
  double energy_potential_j = 0, energy_kinetic_j = 0;
  std::vector<double> qpos, qvel;
};

// Names of the columns, in the order of TraceRow: step, time_s, ..., qpos_0, ..., qvel_0, ...
std::vector<std::string> trace_columns(const model::Model& m);

// Simulate and hand over each row. Stops early where `row` returns false. Throws
// std::invalid_argument (options that the model or the machine lacks) and UsageError (controls, key
// frame).
void trace(const std::shared_ptr<const model::Model>& m, const TraceOptions& options,
           const std::function<bool(const TraceRow&)>& row);

}  // namespace stepbench::bench
