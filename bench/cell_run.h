// One cell being measured: set-up, repeatability runs, warm-up, then repetitions one at a time, so
// that a block of cells can take turns.
//
// A repetition is a window of passes. Each pass sets the worlds to their start states (untimed) and
// advances them by pass_steps steps (timed). So every repetition does the same work, and every
// engine of a comparison group the same steps of the same worlds, however fast it is: a batch that
// ran on would fall over and come to rest, and a faster engine would have measured more of the
// rest. With few worlds the passes of a window go over different start worlds, so that one world
// sees the mix that 1024 do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "bench/engine.h"
#include "bench/plan.h"
#include "bench/records.h"
#include "bench/start.h"

namespace stepbench::bench {

// Longest pass, in steps; prototypes are aged by up to 500 steps, so passes cover their gaps.
inline constexpr std::int64_t kPassSteps = 200;
// Worlds that the passes of a window cover where a batch holds fewer.
inline constexpr std::int64_t kCoverWorlds = 1024;
// Start states that a window should go over at least.
inline constexpr std::int64_t kMixWorlds = 64;
// Kinetic energy per mass beyond which a world is called diverged: all of it at 447 m/s.
inline constexpr double kDivergedJPerKg = 1e5;
// A passive scene is called diverged when its energy grows by more than this share of what there
// was and by more than these J/kg (a fall of 5 cm: start poses that overlap give off as much).
inline constexpr double kPassiveGainFrac = 0.5, kPassiveGainJPerKg = 0.5;

// Shape of a repetition.
struct Window {
  std::int64_t pass_steps = 1, passes = 1;
  std::int64_t distinct = 1;  // passes with start worlds of their own; then they come round again
};

// Steps of a pass that takes at most `budget_s`, given the time of one step of the batch:
// kPassSteps, or the largest multiple of the control period that fits, or what fits, and at
// least 1.
std::int64_t choose_pass_steps(double step_s, double budget_s, int control_period);

class CellRun {
 public:
  CellRun(const PlannedCell& cell, Engine& engine, std::shared_ptr<const StartStates> start,
          std::shared_ptr<const batch::ControlSource> controls, const Rules& rules, Clock clock);

  // Everything before the first repetition: batch, first step, repeatability, warm-up. Throws
  // CellError.
  void prepare();

  double step_seconds() const { return step_s_; }  // of the whole batch, from the warm-up
  std::int64_t most_pass_steps() const;            // that fit into the cell's time
  void set_window(const Window& w) { window_ = w; }

  // One repetition; `order`: its place in the block's order. Throws CellError where worlds are
  // invalid.
  Sample repetition(std::int64_t order);

  // A row for a cell that ended with an error, without a speed.
  Sample failure(const std::string& status, const std::string& detail) const;

  // Empty while the cell wants more repetitions, else the rule that ended it.
  std::string stop_rule() const;

  const PlannedCell& planned() const { return cell_; }
  const std::vector<double>& rates() const { return rates_; }  // world_steps_per_s so far
  double spent_s() const { return spent_s_; }                  // of the time budget
  bool prepared() const { return instance_ != nullptr; }
  void release() { instance_.reset(); }

 private:
  struct Pass {
    double elapsed_s = 0, cpu_s = 0;
  };
  Pass run_pass(std::int64_t first_world, std::int64_t steps);
  void warm_up();
  Workload survey();
  void require_valid(const Workload& w) const;
  Sample row() const;

  const PlannedCell& cell_;
  Engine& engine_;
  std::shared_ptr<const StartStates> start_;
  std::shared_ptr<const batch::ControlSource> controls_;
  Rules rules_;
  Clock clock_;
  std::unique_ptr<Instance> instance_;
  double mass_kg_ = 0;

  Setup setup_;
  Repeatability repeat_;
  bool steady_ = true;
  double step_s_ = 0;
  Window window_;
  std::vector<double> rates_;
  double spent_s_ = 0;
  Workload workload_;  // of the first window
  double energy_gain_j_per_kg_ = 0;
  std::string window_hash_;   // of the first window
  double fastest_clock_ = 0;  // MHz
};

}  // namespace stepbench::bench
