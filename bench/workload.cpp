#include "bench/workload.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/statistics.h"

namespace stepbench::bench {
namespace {

double mean(const std::vector<double>& x) {
  return x.empty() ? kNoReal : std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
}

Int largest(const std::vector<double>& x) {
  return x.empty() ? kNoInt : Int(*std::max_element(x.begin(), x.end()));
}

}  // namespace

void WorkloadMeter::add(std::span<const WorldLook> looks) {
  for (const auto& l : looks) {
    ncon_.push_back(l.ncon);
    nefc_.push_back(l.nefc);
    niter_.push_back(l.niter);
    capped_looks_ += l.capped;
    max_penetration_ = std::max(max_penetration_, l.max_penetration_m);
  }
}

void WorkloadMeter::add_energy(std::span<const WorldLook> before, std::span<const WorldLook> after,
                               double mass_kg) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double start = before[i].potential_j + before[i].kinetic_j;
    const double end = after[i].potential_j + after[i].kinetic_j;
    const double scale = std::abs(before[i].potential_j) + before[i].kinetic_j;
    if (scale > 0) drift_.push_back((end - start) / scale);
    if (mass_kg > 0) gain_.push_back((end - start) / mass_kg);
    if (mass_kg > 0) kinetic_.push_back(after[i].kinetic_j / mass_kg);
  }
}

void WorkloadMeter::add_faults(const Faults& f, std::int64_t steps, std::int64_t worlds) {
  overflow_ += f.overflow_worlds;
  nonfinite_ += f.nonfinite_worlds;
  if (f.first_step >= 0 && (first_step_ < 0 || f.first_step < first_step_)) {
    first_step_ = f.first_step;
  }
  if (f.capped_steps < 0) return;
  capped_steps_ += f.capped_steps;
  counted_steps_ += steps * worlds;
}

Workload WorkloadMeter::finish() const {
  Workload w;
  w.surveys = Int(ncon_.size());
  w.ncon_mean = mean(ncon_);
  w.ncon_p95 = quantile(ncon_, 0.95);
  w.ncon_max = largest(ncon_);
  w.nefc_mean = mean(nefc_);
  w.nefc_p95 = quantile(nefc_, 0.95);
  w.nefc_max = largest(nefc_);
  w.niter_mean = mean(niter_);
  w.niter_p95 = quantile(niter_, 0.95);
  w.niter_max = largest(niter_);
  if (counted_steps_ > 0) {
    w.cap_hit_frac = double(capped_steps_) / double(counted_steps_);
  } else if (!ncon_.empty()) {
    w.cap_hit_frac = double(capped_looks_) / double(ncon_.size());
  }
  w.overflow_worlds = overflow_;
  w.nonfinite_worlds = nonfinite_;
  w.first_flag_step = first_step_;
  w.asleep_frac = 0;
  if (!ncon_.empty()) w.max_penetration_m = max_penetration_;
  w.energy_drift_frac = mean(drift_);
  w.kinetic_j_per_kg = mean(kinetic_);
  return w;
}

double WorkloadMeter::energy_gain_j_per_kg() const { return mean(gain_); }

std::vector<std::int64_t> pick_worlds(std::int64_t worlds, std::int64_t most) {
  const auto n = std::min(worlds, most);
  std::vector<std::int64_t> picked;
  for (std::int64_t i = 0; i < n; ++i) picked.push_back(i * worlds / n);
  return picked;
}

}  // namespace stepbench::bench
