#include <fmt/format.h>

#include <algorithm>

#include "bench/check_compare.h"
#include "bench/check_parts.h"
#include "bench/controls.h"

#ifdef SB_HAVE_MUJOCO_HEADERS

namespace stepbench::bench {
namespace {

constexpr double kTolerance64 = 1e-9, kTolerance32 = 1e-3;

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
  Oracle oracle(*m.theirs);
  int windows = 0;
  for (std::size_t w = 0; w < starts.size(); ++w) {
    world->set_first_world(std::int64_t(w));  // inputs of its own for each start
    world->set_state(0, starts[w].state);
    world->set_steps_done(0);
    oracle.set(starts[w].state);
    for (std::int64_t step = 0; step < o.steps; ++step) {
      if (step % kCheckWindow == 0) {
        ++windows;
        if (step > 0) world->set_state(0, oracle.state());
      }
      world->step(1, controls.get());
      oracle.step(step, std::int64_t(w), *controls);
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
  c.note(fmt::format("{} windows of up to {} steps", windows, std::min(kCheckWindow, o.steps)));
  return c.take();
}

}  // namespace stepbench::bench

#endif
