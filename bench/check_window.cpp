#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "bench/check_compare.h"
#include "bench/check_parts.h"
#include "bench/controls.h"

#ifdef SB_HAVE_MUJOCO_HEADERS

namespace stepbench::bench {
namespace {

constexpr double kTolerance64 = 1e-9, kTolerance32 = 1e-3;
// A window ends where MuJoCo's own answer is no longer known: where a twin that started a rounding
// error off and, for f32, keeps its state in single precision is this share of the tolerance away.
constexpr double kKnownShare = 0.1;
constexpr unsigned kTwins = 4;

// The oracle's world: one mjData under the same inputs as a Batch.
class Oracle {
 public:
  explicit Oracle(const mjModel& m) : m_(m), d_(mujoco_api()->mj_makeData(&m)) {}

  void set(const batch::WorldState& s) {
    put_state(m_, *d_, s);
    ctrl_ = s.ctrl;
  }

  void step(std::int64_t step, std::int64_t world, const batch::ControlSource& controls) {
    if (step % controls.period() == 0) controls.fill(world, step, ctrl_);
    std::copy(ctrl_.begin(), ctrl_.end(), d_->ctrl);
    mujoco_api()->mj_step(&m_, d_.get());
  }

  void round_to_float() {
    for (int i = 0; i < m_.nq; ++i) d_->qpos[i] = double(float(d_->qpos[i]));
    for (int i = 0; i < m_.nv; ++i) d_->qvel[i] = double(float(d_->qvel[i]));
    for (int i = 0; i < m_.nv; ++i) d_->qacc_warmstart[i] = double(float(d_->qacc_warmstart[i]));
  }

  // Largest difference of positions and velocities from another world of the same model.
  double distance(const Oracle& other) const {
    double largest = 0;
    for (int i = 0; i < m_.nq; ++i) {
      largest = std::max(largest, std::abs(d_->qpos[i] - other.d_->qpos[i]));
    }
    for (int i = 0; i < m_.nv; ++i) {
      largest = std::max(largest, std::abs(d_->qvel[i] - other.d_->qvel[i]) /
                                      std::max(1.0, std::abs(d_->qvel[i])));
    }
    return largest;
  }

  const mjData& data() const { return *d_; }
  batch::WorldState state() const { return get_state(m_, *d_); }

 private:
  const mjModel& m_;
  MujocoPtr<mjData> d_;
  std::vector<double> ctrl_;
};

}  // namespace

CheckPart check_window(const CheckModels& m, const CheckOptions& o,
                       const std::vector<CheckState>& starts, batch::Precision precision) {
  const bool f64 = precision == batch::Precision::kF64;
  const double tolerance = f64 ? kTolerance64 : kTolerance32;
  Comparison c(f64 ? "window f64" : "window f32");
  auto options = o.batch;
  options.precision = precision;
  const auto controls = make_controls(*m.ours, {o.controls, o.control_period, o.seed, o.keyframe});
  const auto world = batch::make_batch(m.ours, 1, options);
  const double rounding = f64 ? kRounding64 : kRounding32;
  Oracle oracle(*m.theirs);
  std::deque<Oracle> twins;
  while (twins.size() < kTwins) twins.emplace_back(*m.theirs);
  const MujocoPtr<mjData> here(mujoco_api()->mj_makeData(m.theirs)),
      room(mujoco_api()->mj_makeData(m.theirs));
  // Starts the twins. Whether MuJoCo's own answer is known there.
  const auto start_twins = [&](const batch::WorldState& s) {
    for (unsigned t = 0; t < kTwins; ++t) twins[t].set(nudged(s, rounding, t));
    if (!f64) return true;
    put_state(*m.theirs, *here, s);
    mujoco_api()->mj_forward(m.theirs, here.get());
    return own_uncertainty(*m.theirs, *here, *room, s) <= kUncertain;
  };
  int windows = 0, cut = 0, unknown = 0;
  std::int64_t compared = 0, shortest = kCheckWindow;
  for (std::size_t w = 0; w < starts.size(); ++w) {
    world->set_first_world(std::int64_t(w));  // inputs of its own for each start
    world->set_state(0, starts[w].state);
    world->set_steps_done(0);
    oracle.set(starts[w].state);
    bool known = true;
    for (std::int64_t step = 0; step < o.steps; ++step) {
      if (step % kCheckWindow == 0) {
        ++windows;
        const auto s = step > 0 ? oracle.state() : starts[w].state;
        if (step > 0) world->set_state(0, s);
        known = start_twins(s);
        unknown += !known;
      }
      world->step(1, controls.get());
      oracle.step(step, std::int64_t(w), *controls);
      double drift = 0;
      for (Oracle& twin : twins) {
        twin.step(step, std::int64_t(w), *controls);
        if (!f64) twin.round_to_float();
        drift = std::max(drift, oracle.distance(twin));
      }
      if (known && drift > kKnownShare * tolerance) {
        known = false;
        ++cut;
        shortest = std::min(shortest, step % kCheckWindow);
      }
      if (!known) continue;
      ++compared;
      const auto s = world->state(0);
      const auto& d = oracle.data();
      const auto where = fmt::format("{}, step {}", starts[w].name, step + 1);
      const auto compare = [&](const char* name, const std::vector<double>& x, const mjtNum* y) {
        c.add(name, x, y, x.size(), 0, 1, tolerance, where, step + 1);
      };
      compare("qpos", s.qpos, d.qpos);
      compare("qvel", s.qvel, d.qvel);
      compare("act", s.act, d.act);
      c.add("time", std::span(&s.time, 1), &d.time, 1, 0, 1, tolerance, where, step + 1);
    }
    if (const auto flags = world->stats(0).flags; flags != 0) {
      c.note(fmt::format("{}: the world was flagged ({})", starts[w].name,
                         (flags & batch::kFlagNonFinite) != 0 ? "non-finite" : "overflow"));
    }
  }
  if (unknown > 0) {
    c.note(
        fmt::format("{} windows are left out: MuJoCo's own answer at their start moves by more "
                    "than {:.0g} when its state moves by {}",
                    unknown, kUncertain, kRounding64));
  }
  if (cut > 0) {
    c.note(
        fmt::format("{} windows end early, the shortest after {} steps: from there a twin of "
                    "MuJoCo that differs "
                    "by rounding is {:.1g} away",
                    cut, shortest, kKnownShare * tolerance));
  }
  c.note(fmt::format("{} windows of up to {} steps, {} steps compared", windows,
                     std::min(kCheckWindow, o.steps), compared));
  return c.take();
}

}  // namespace stepbench::bench

#endif
