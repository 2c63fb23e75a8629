#include "bench/cell_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "bench/digest.h"
#include "bench/error.h"
#include "bench/memory.h"
#include "bench/repeat.h"
#include "bench/statistics.h"
#include "bench/workload.h"

namespace stepbench::bench {
namespace {

// Longest calibration pass, and how far two warm-up windows may differ to be called steady.
constexpr double kCalibrationSeconds = 0.02;
constexpr int kWarmupWindows = 8;
constexpr double kWarmupShare = 0.25;  // of the cell's time
// Thorough looks: passes of a window, worlds of a pass, worlds whose energy is taken.
constexpr std::int64_t kLookPasses = 8, kLookWorlds = 256, kEnergyWorlds = 16;
// Throttled: clock below this share of the fastest seen (nvbench's threshold), or other programs
// left less than this share of even one core.
constexpr double kThrottleShare = 0.75;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm tm{};
  ::gmtime_r(&now, &tm);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", tm.tm_year + 1900, tm.tm_mon + 1,
                     tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

// Nothing in the scene can add mechanical energy (gravity compensation is not part of the
// potential).
bool passive(const model::Model& m) {
  const auto none = [](const auto& x) {
    return std::all_of(x.begin(), x.end(), [](double v) { return v == 0; });
  };
  return m.nu == 0 && none(m.body_gravcomp);
}

void read_phases(const std::vector<double>& shares, Workload& row) {
  if (shares.empty()) return;
  std::size_t i = 0;
#define SB_READ(type, name, unit, doc) row.name = shares[i++];
  SB_PHASE_COLUMNS(SB_READ)
#undef SB_READ
}

void add_mark(std::string& marks, const char* mark) {
  marks += (marks.empty() ? "" : ";") + std::string(mark);
}

}  // namespace

std::int64_t choose_pass_steps(double step_s, double budget_s, int control_period) {
  const double fit = step_s > 0 ? budget_s / step_s : double(kPassSteps);
  if (fit >= double(kPassSteps)) return kPassSteps;
  const auto steps = std::max(std::int64_t{1}, std::int64_t(fit));
  return steps >= control_period ? steps / control_period * control_period : steps;
}

CellRun::CellRun(const PlannedCell& cell, Engine& engine, std::shared_ptr<const StartStates> start,
                 std::shared_ptr<const batch::ControlSource> controls, const Rules& rules,
                 Clock clock)
    : cell_(cell),
      engine_(engine),
      start_(std::move(start)),
      controls_(std::move(controls)),
      rules_(rules),
      clock_(std::move(clock)) {
  const auto& mass = cell.loaded->model->body_mass;
  mass_kg_ = std::accumulate(mass.begin(), mass.end(), 0.0);
}

CellRun::Pass CellRun::run_pass(std::int64_t first_world, std::int64_t steps) {
  instance_->set_states(*start_, first_world);
  const double cpu = processor_seconds(), begin = clock_();
  instance_->run(steps, controls_.get());
  return {clock_() - begin, processor_seconds() - cpu};
}

void CellRun::prepare() {
  const InstanceRequest request{cell_.loaded, cell_.cell.worlds, cell_.options};
  const auto load = engine_.load(request);
  setup_.load_s = load.load_s;
  setup_.compile_s = load.compile_s;
  const double begin = clock_();
  instance_ = engine_.prepare(request);
  instance_->set_states(*start_, 0);
  setup_.upload_s = clock_() - begin;
  setup_.state_bytes = Int(instance_->state_bytes());
  setup_.first_step_s = run_pass(0, 1).elapsed_s;

  if (rules_.repeat_steps >= 0) {
    RepeatRequest r;
    r.start = start_;
    r.controls = controls_.get();
    r.threads = int(cell_.cell.threads);
    r.slow_s = rules_.max_time_s;
    r.clock = clock_;
    r.steps = rules_.repeat_steps > 0
                  ? rules_.repeat_steps
                  : default_repeat_steps(int(cell_.scene.nv), cell_.cell.worlds);
    // Another thread count can only matter where there are worlds to share out; it needs a second
    // batch.
    const Int available = available_memory();
    const bool fits = available < 0 || 2 * cell_.cost.bytes < available;
    if (cell_.cell.worlds > 1 && fits) r.other_threads = r.threads == 1 ? 2 : 1;
    const auto make = [&](int threads) {
      auto other = request;
      other.options.threads = threads;
      return engine_.prepare(other);
    };
    repeat_ = study_repeatability(*instance_, make, r);
  }
  warm_up();
  setup_.scratch_bytes = Int(instance_->scratch_bytes());
}

void CellRun::warm_up() {
  const double begin = clock_();
  std::int64_t total = 1, steps = 1;
  // Grow the pass until its time can be trusted.
  Pass pass = run_pass(0, steps);
  total += steps;
  while (pass.elapsed_s < kCalibrationSeconds && steps < kPassSteps) {
    steps = std::min(2 * steps, kPassSteps);
    pass = run_pass(0, steps);
    total += steps;
  }
  // Then windows of half the length of a repetition, until two agree.
  const double budget = kWarmupShare * rules_.max_time_s;
  const auto passes = std::clamp<std::int64_t>(
      std::int64_t(std::ceil(0.5 * rules_.window_s / std::max(pass.elapsed_s, 1e-9))), 1, 10'000);
  const double agree = std::max(0.02, 2 * rules_.max_noise);
  double before = 0, now = pass.elapsed_s;
  steady_ = false;
  for (int window = 0; window < kWarmupWindows && !steady_; ++window) {
    if (window > 1 && clock_() - begin > budget) break;
    before = now;
    now = 0;
    for (std::int64_t p = 0; p < passes; ++p) now += run_pass(0, steps).elapsed_s;
    now /= double(passes);
    total += passes * steps;
    steady_ = window > 0 && std::abs(now - before) <= agree * now;
  }
  step_s_ = now / double(steps);
  setup_.warmup_steps = total;
  setup_.warmup_s = clock_() - begin;
}

std::int64_t CellRun::most_pass_steps() const {
  // Few worlds: passes short enough that a window goes over kMixWorlds start states.
  const auto starts = std::max<std::int64_t>(1, kMixWorlds / cell_.cell.worlds);
  const int period = int(cell_.cell.control_period);
  const double mix = std::max(rules_.window_s / double(starts), 1.01 * step_s_ * period);
  const double most = rules_.max_time_s / (rules_.min_reps + 1);
  return choose_pass_steps(step_s_, starts > 1 ? std::min(mix, most) : most, period);
}

// An untimed window over the same start states: what its worlds do.
Workload CellRun::survey() {
  WorkloadMeter meter;
  const auto worlds = instance_->worlds();
  const auto ids = pick_worlds(worlds, kLookWorlds);
  const auto energy_ids = pick_worlds(worlds, kEnergyWorlds);
  const auto looked = std::max(kLookPasses, kLookWorlds / worlds);
  const auto stride = std::max<std::int64_t>(1, window_.distinct / looked);
  if (rules_.phases) instance_->time_phases(true);
  for (std::int64_t p = 0; p < window_.distinct; p += stride) {
    instance_->set_states(*start_, p * worlds);
    const auto before = instance_->look(energy_ids, true);
    instance_->survey_run(window_.pass_steps, controls_.get());
    meter.add_energy(before, instance_->look(energy_ids, true), mass_kg_);
    meter.add(instance_->look(ids, false));
    meter.add_faults(instance_->faults(), window_.pass_steps, worlds);
  }
  energy_gain_j_per_kg_ = meter.energy_gain_j_per_kg();
  Workload w = meter.finish();
  if (rules_.phases) {
    read_phases(instance_->phase_shares(), w);
    instance_->time_phases(false);
  }
  return w;
}

void CellRun::require_valid(const Workload& w) const {
  const auto at = w.first_flag_step >= 0 ? fmt::format(" at step {}", w.first_flag_step) : "";
  const auto count = [](Int n) { return fmt::format("{} world{}", n, n == 1 ? "" : "s"); };
  if (w.overflow_worlds > 0) {
    throw CellError(kOverflow,
                    fmt::format("overflow in {}{}: raise --max-contacts (now {})",
                                count(w.overflow_worlds), at, cell_.options.max_contacts));
  }
  if (w.nonfinite_worlds > 0) {
    throw CellError(kNonFinite,
                    fmt::format("{} became non-finite{} and were reset: lower --timestep",
                                count(w.nonfinite_worlds), at));
  }
  if (w.kinetic_j_per_kg > kDivergedJPerKg) {
    throw CellError(kDiverged, fmt::format("kinetic energy is {:.3g} J/kg: lower --timestep",
                                           w.kinetic_j_per_kg));
  }
  if (passive(*cell_.loaded->model) && w.energy_drift_frac > kPassiveGainFrac &&
      energy_gain_j_per_kg_ > kPassiveGainJPerKg) {
    throw CellError(
        kDiverged, fmt::format("a scene without inputs gained {:.3g} J/kg, {:.0f} % of its energy: "
                               "lower --timestep or soften its contacts",
                               energy_gain_j_per_kg_, 100 * w.energy_drift_frac));
  }
}

Sample CellRun::row() const {
  Sample s;
  s.id = cell_.id;
  s.scene = cell_.scene;
  s.cell = cell_.cell;
  s.setup = setup_;
  s.repeat = repeat_;
  return s;
}

Sample CellRun::failure(const std::string& status, const std::string& detail) const {
  Sample s = row();
  s.id.status = status;
  s.id.status_detail = detail;
  s.timing.rep = Int(rates_.size());
  s.timing.process_idx = rules_.process_idx;
  s.workload = workload_;
  return s;
}

Sample CellRun::repetition(std::int64_t order) {
  const double begin = clock_();
  Sample s = row();
  auto& t = s.timing;
  t.rep = Int(rates_.size());
  t.process_idx = rules_.process_idx;
  t.order = order;
  t.started_utc = utc_now();
  const bool first = rates_.empty();

  WorkloadMeter meter;
  t.elapsed_s = 0;
  t.cpu_s = 0;
  for (std::int64_t p = 0; p < window_.passes; ++p) {
    const auto pass = run_pass(p % window_.distinct * cell_.cell.worlds, window_.pass_steps);
    t.elapsed_s += pass.elapsed_s;
    t.cpu_s += pass.cpu_s;
    meter.add_faults(instance_->faults(), window_.pass_steps, instance_->worlds());
  }
  t.clock_mhz = clock_mhz();
  t.window_hash = hex64(combine_hashes(hash_worlds(*instance_), 0));
  // Equal hashes are equal trajectories: the first window's survey holds for all that repeat it.
  if (first || t.window_hash != window_hash_) workload_ = survey();
  if (first) window_hash_ = t.window_hash;
  const auto faults = meter.finish();
  workload_.overflow_worlds = faults.overflow_worlds;
  workload_.nonfinite_worlds = faults.nonfinite_worlds;
  workload_.first_flag_step = faults.first_flag_step;
  workload_.host_rss_bytes = resident_memory();
  s.workload = workload_;
  require_valid(workload_);

  t.passes = window_.passes;
  t.pass_steps = window_.pass_steps;
  t.steps = t.passes * t.pass_steps;
  t.steps_per_s = double(t.steps) / t.elapsed_s;
  t.world_steps_per_s = t.steps_per_s * double(cell_.cell.worlds);
  t.realtime_factor_per_world = t.steps_per_s * cell_.cell.timestep_s;
  t.realtime_factor_aggregate = t.world_steps_per_s * cell_.cell.timestep_s;
  t.ns_per_world_step = 1e9 / t.world_steps_per_s;
  rates_.push_back(t.world_steps_per_s);

  if (!steady_) add_mark(s.id.marks, kNotSteady);
  if (outliers(rates_).back() && rates_.size() >= 5) add_mark(s.id.marks, kOutlier);
  fastest_clock_ = std::max(fastest_clock_, measured(t.clock_mhz) ? t.clock_mhz : 0);
  if (t.clock_mhz < kThrottleShare * fastest_clock_ || t.cpu_s < kThrottleShare * t.elapsed_s) {
    add_mark(s.id.marks, kThrottled);
  }
  spent_s_ += clock_() - begin;
  return s;
}

std::string CellRun::stop_rule() const {
  const auto reps = int(rates_.size());
  if (reps < rules_.min_reps) return {};
  const auto i = median_interval(rates_);
  if (0.5 * (i.high - i.low) <= rules_.max_noise * median(rates_)) {
    return reps == rules_.min_reps ? "min_reps" : "max_noise";
  }
  if (spent_s_ >= rules_.max_time_s) return "max_time";
  return reps >= rules_.max_reps ? "max_reps" : "";
}

}  // namespace stepbench::bench
