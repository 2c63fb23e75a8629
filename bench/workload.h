// Collects what worlds did in a window into the workload columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/engine.h"
#include "bench/records.h"

namespace stepbench::bench {

class WorkloadMeter {
 public:
  // World states at the end of a pass.
  void add(std::span<const WorldLook> looks);
  // Energies of the same worlds at the start and at the end of a pass; kilograms of a world.
  void add_energy(std::span<const WorldLook> before, std::span<const WorldLook> after,
                  double mass_kg);
  // Faults of a pass of `steps` steps of `worlds` worlds. Worlds are counted once per pass.
  void add_faults(const Faults& f, std::int64_t steps, std::int64_t worlds);

  Workload finish() const;
  // Mean gain of mechanical energy over a pass, per mass of a world; not a number: none was added.
  double energy_gain_j_per_kg() const;

 private:
  std::vector<double> ncon_, nefc_, niter_, drift_, gain_, kinetic_;
  double max_penetration_ = 0;
  std::int64_t capped_looks_ = 0;
  std::int64_t overflow_ = 0, nonfinite_ = 0, first_step_ = kNoInt;
  std::int64_t capped_steps_ = 0, counted_steps_ = 0;
};

// Worlds to look at: up to `most` of `worlds`, evenly spaced, ascending.
std::vector<std::int64_t> pick_worlds(std::int64_t worlds, std::int64_t most);

}  // namespace stepbench::bench
