// Runs a plan: blocks of cells are prepared together and take turns, repetition by repetition, in
// an order that is shuffled anew for each round, so that a slow minute of the machine falls on all
// of them.
#pragma once

#include <string>
#include <vector>

#include "bench/cell_run.h"
#include "bench/engine.h"
#include "bench/plan.h"
#include "bench/records.h"
#include "bench/stop.h"

namespace stepbench::bench {

struct Progress {
  Int cells_done = 0, cells = 0;
  double fraction = 0;                // of the work, in [0, 1]
  double left_s = kNoReal;            // estimate; NaN: not known yet
  const PlannedCell* cell = nullptr;  // the one that runs now
  std::string phase;                  // prepare, measure
  double median = kNoReal;            // its world_steps_per_s so far
  double noise_frac = kNoReal;
};

// Told about results as they come. Calls are made from the thread that measures, between
// repetitions.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void sample(const Sample&) {}
  // A cell is complete; scaling and ratio columns are still empty. Cells of a block end in any
  // order.
  virtual void cell_done(const Summary&) {}
  virtual void progress(const Progress&) {}
};

// A complete cell of an earlier run of this plan (--resume).
struct DoneCell {
  std::vector<Sample> samples;  // at least one
  std::string stop_rule;
};

struct MeasureOptions {
  RowEnvironment env;  // copied into every row
  const StopFlag* stop = nullptr;
  std::vector<DoneCell> done;  // these cells are not run again
  Clock clock = steady_clock();
};

struct Outcome {
  std::vector<Sample>
      samples;  // of this process, `done` included, in plan order, then by repetition
  std::vector<Summary> summaries;  // complete cells in plan order, scaling columns filled in
  bool stopped = false;            // ended early by the stop flag: cells are missing
};

// Never throws for a cell's sake: what goes wrong in a cell is its row's status.
Outcome measure(const Plan& plan, EngineSet& engines, Observer& observer,
                const MeasureOptions& options);

}  // namespace stepbench::bench
