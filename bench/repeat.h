// Repeatability of a cell: does the same start give the same bits?
//
// Fixed steps from the start states, outside any timed window, hashing every world: a reference
// run, the same instance again, and a new instance with another number of threads. A world
// trajectory is repeatable where its hash equals the reference's in every run.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "bench/clock.h"
#include "bench/engine.h"
#include "bench/records.h"
#include "bench/start.h"

namespace stepbench::bench {

// Steps of the runs where the user names none: 100, fewer where worlds are many and large, so that
// the runs cost about as much as a repetition. A function of the model and the world count, never
// of the machine: state_hash is comparable between machines.
std::int64_t default_repeat_steps(int nv, std::int64_t worlds);

struct RepeatRequest {
  std::shared_ptr<const StartStates> start;
  const batch::ControlSource* controls = nullptr;
  std::int64_t steps = 100;
  int threads = 1;        // of the instance under test
  int other_threads = 0;  // of the second instance; 0: no second instance
  double slow_s = 1e300;  // a reference run that takes longer does without the second instance
  std::int64_t first_world = 0;
  Clock clock = steady_clock();
};

using MakeInstance = std::function<std::unique_ptr<Instance>(int threads)>;

// `instance` is left at the end of a run; `make` gives further instances of the same cell.
Repeatability study_repeatability(Instance& instance, const MakeInstance& make,
                                  const RepeatRequest& request);

// Hash of each world.
std::vector<std::uint64_t> hash_worlds(Instance& instance);

// One number for all worlds (`world_term` of digest.h), worlds numbered from first_world.
std::uint64_t combine_hashes(std::span<const std::uint64_t> hashes, std::int64_t first_world);

}  // namespace stepbench::bench
