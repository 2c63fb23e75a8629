#include "bench/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/statistics.h"

namespace stepbench::bench {
namespace {

void add_mark(std::string& marks, const std::string& mark) {
  if ((";" + marks + ";").find(";" + mark + ";") != std::string::npos) return;
  marks += (marks.empty() ? "" : ";") + mark;
}

// What two cells must share to be compared over worlds and threads.
std::string scaling_key(const Summary& s) {
  const auto& c = s.cell;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", s.scene.scene, s.scene.scene_sha,
                     s.scene.overrides, c.engine, c.device, c.precision, c.timestep_s, c.solver,
                     c.density_level, c.ctrl_profile, c.layout);
}

// What a cell shares with the peer's cell that it is compared with. Not the digest of overrides:
// contact options do not exist for peers.
std::string peer_key(const Summary& s) {
  const auto& c = s.cell;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", s.scene.scene, s.scene.scene_sha, c.timestep_s,
                     c.density_level, c.ctrl_profile, c.threads, c.worlds);
}

bool has_speed(const Summary& s) { return s.id.status == kOk && s.stats.world_steps_per_s > 0; }

double usable_threads(const Cell& c) { return double(std::min(c.threads, c.worlds)); }

void fail(Summary& s, const std::string& detail) {
  s.id.status = kFailed;
  s.id.status_detail = detail;
  s.stats = SummaryStats{};
}

void check_contacts(std::vector<Summary>& all) {
  for (auto& s : all) {
    if (!has_speed(s) || s.cell.engine == "mujoco" || s.workload.ncon_mean != 0) continue;
    for (const auto& peer : all) {
      if (!has_speed(peer) || peer.cell.engine != "mujoco" || peer_key(peer) != peer_key(s))
        continue;
      if (peer.workload.ncon_mean > 0.05) {
        fail(s, fmt::format("no contacts, where mujoco has {:.1f} per world",
                            peer.workload.ncon_mean));
      }
      break;
    }
  }
}

}  // namespace

Summary summarise(std::span<const Sample> samples, const std::string& stop_rule) {
  const Sample& last = samples.back();
  Summary s;
  s.id = last.id;
  s.id.marks.clear();
  s.scene = last.scene;
  s.cell = last.cell;
  s.setup = last.setup;
  s.workload = last.workload;
  s.repeat = last.repeat;
  s.env = last.env;

  std::vector<double> rates;
  std::set<std::string> hashes;
  double elapsed = 0;
  std::size_t throttled = 0;
  for (const auto& sample : samples) {
    for (std::size_t at = 0; at < sample.id.marks.size();) {
      const auto end = std::min(sample.id.marks.find(';', at), sample.id.marks.size());
      const auto mark = sample.id.marks.substr(at, end - at);
      // Outliers are decided below, over all repetitions; a median shrugs off a few throttled ones.
      throttled += mark == kThrottled;
      if (mark != kOutlier && mark != kThrottled) add_mark(s.id.marks, mark);
      at = end + 1;
    }
    if (sample.id.status != kOk) {
      s.id.status = sample.id.status;
      s.id.status_detail = sample.id.status_detail;
      return s;
    }
    rates.push_back(sample.timing.world_steps_per_s);
    hashes.insert(sample.timing.window_hash);
    elapsed += sample.timing.elapsed_s;
  }

  if (4 * throttled > samples.size()) add_mark(s.id.marks, kThrottled);
  auto& o = s.stats;
  o.reps = Int(rates.size());
  o.stop_rule = stop_rule;
  o.pass_steps = last.timing.pass_steps;
  o.steps = last.timing.steps;
  o.elapsed_s = elapsed;
  o.world_steps_per_s = median(rates);
  const auto interval = median_interval(rates);
  o.world_steps_per_s_ci_low = interval.low;
  o.world_steps_per_s_ci_high = interval.high;
  o.ci_coverage_frac = interval.coverage;
  o.noise_frac = 0.5 * (interval.high - interval.low) / o.world_steps_per_s;
  o.world_steps_per_s_mad = median_absolute_deviation(rates);
  o.world_steps_per_s_min = *std::min_element(rates.begin(), rates.end());
  o.world_steps_per_s_max = *std::max_element(rates.begin(), rates.end());
  const auto marks = outliers(rates);
  o.outliers = Int(std::count(marks.begin(), marks.end(), true));
  if (o.outliers > 0) add_mark(s.id.marks, kOutlier);
  if (bimodal(rates)) add_mark(s.id.marks, kBimodal);
  o.steps_per_s = o.world_steps_per_s / double(s.cell.worlds);
  o.realtime_factor_aggregate = o.world_steps_per_s * s.cell.timestep_s;
  o.realtime_factor_per_world = o.steps_per_s * s.cell.timestep_s;
  o.ns_per_world_step = 1e9 / o.world_steps_per_s;
  o.worlds_per_thread = double(s.cell.worlds) / double(s.cell.threads);
  o.window_distinct = Int(hashes.size());
  return s;
}

void compare_cells(std::vector<Summary>& all) {
  check_contacts(all);
  for (auto& s : all) {
    if (!has_speed(s)) continue;
    const Summary *base = nullptr, *one_thread = nullptr, *peer = nullptr;
    for (const auto& other : all) {
      if (!has_speed(other)) continue;
      if (scaling_key(other) == scaling_key(s)) {
        const auto& c = other.cell;
        if (base == nullptr || c.worlds < base->cell.worlds ||
            (c.worlds == base->cell.worlds && c.threads < base->cell.threads)) {
          base = &other;
        }
        if (c.worlds == s.cell.worlds &&
            (one_thread == nullptr || c.threads < one_thread->cell.threads)) {
          one_thread = &other;
        }
      }
      if (other.cell.engine == "mujoco" && peer_key(other) == peer_key(s)) peer = &other;
    }
    auto& o = s.stats;
    const double rate = o.world_steps_per_s;
    o.scaling_base = base->id.cell_id;
    o.speedup = rate / base->stats.world_steps_per_s;
    o.efficiency_frac = o.speedup * usable_threads(base->cell) / usable_threads(s.cell);
    o.speedup_threads = rate / one_thread->stats.world_steps_per_s;
    o.efficiency_threads_frac =
        o.speedup_threads * double(one_thread->cell.threads) / double(s.cell.threads);
    if (peer != nullptr) o.ratio_mujoco = rate / peer->stats.world_steps_per_s;
  }
}

}  // namespace stepbench::bench
