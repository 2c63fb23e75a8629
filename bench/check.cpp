#include "bench/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/check_parts.h"
#include "bench/controls.h"
#include "bench/error.h"
#include "bench/memory.h"
#include "bench/mujoco_library.h"
#include "bench/start.h"

namespace stepbench::bench {

#ifdef SB_HAVE_MUJOCO_HEADERS

namespace {

// Worlds of the spread that are compared, and dofs from which fewer are: a pile's step takes long.
constexpr std::int64_t kSpreadStarts = 4;
constexpr int kLargeModel = 300;
// Steps between the states of a trajectory that forward dynamics are compared at.
constexpr std::int64_t kForwardEvery = 40;

}  // namespace

void put_state(const mjModel& m, mjData& d, const batch::WorldState& s) {
  mujoco_api()->mj_resetData(&m, &d);
  const auto put = [](const std::vector<double>& from, mjtNum* to) {
    std::copy(from.begin(), from.end(), to);
  };
  put(s.qpos, d.qpos);
  put(s.qvel, d.qvel);
  put(s.act, d.act);
  put(s.ctrl, d.ctrl);
  put(s.qacc_warmstart, d.qacc_warmstart);
  put(s.mocap_pos, d.mocap_pos);
  put(s.mocap_quat, d.mocap_quat);
  d.time = s.time;
}

batch::WorldState nudged(batch::WorldState s, double eps, unsigned twin) {
  unsigned i = 0;
  for (auto* values : {&s.qpos, &s.qvel}) {
    for (double& x : *values) {
      const bool up = (i++ * (2 * twin + 1) + twin) % 4 < 2;
      x += (up ? eps : -eps) * std::max(1.0, std::abs(x));
    }
  }
  return s;
}

double own_uncertainty(const mjModel& m, const mjData& d, mjData& twin,
                       const batch::WorldState& s) {
  double largest = 0;
  for (unsigned t = 0; t < 2; ++t) {
    put_state(m, twin, nudged(s, kRounding64, t));
    mujoco_api()->mj_forward(&m, &twin);
    for (int i = 0; twin.ncon == d.ncon && i < d.ncon; ++i) {
      largest = std::max(largest, std::abs(twin.contact[i].dist - d.contact[i].dist));
    }
    double scale = 1, difference = 0;
    for (int i = 0; i < m.nv; ++i) {
      scale = std::max({scale, std::abs(d.qacc[i]), std::abs(d.qacc_smooth[i])});
      difference = std::max(difference, std::abs(twin.qacc[i] - d.qacc[i]));
    }
    largest = std::max(largest, difference / scale);
  }
  return largest;
}

batch::WorldState get_state(const mjModel& m, const mjData& d) {
  const auto get = [](const mjtNum* from, std::int64_t n) {
    return std::vector<double>(from, from + n);
  };
  batch::WorldState s;
  s.qpos = get(d.qpos, m.nq);
  s.qvel = get(d.qvel, m.nv);
  s.act = get(d.act, m.na);
  s.ctrl = get(d.ctrl, m.nu);
  s.qacc_warmstart = get(d.qacc_warmstart, m.nv);
  s.mocap_pos = get(d.mocap_pos, 3 * m.nmocap);
  s.mocap_quat = get(d.mocap_quat, 4 * m.nmocap);
  s.time = d.time;
  return s;
}

std::vector<CheckState> check_starts(const CheckModels& m, const CheckOptions& o) {
  std::vector<CheckState> starts;
  if (o.keyframe >= 0) {
    starts.push_back(
        {fmt::format("key {}", o.keyframe), batch::initial_state(*m.ours, o.keyframe)});
  } else {
    starts.push_back({"qpos0", batch::initial_state(*m.ours, -1)});
    for (int key = 0; key < std::min(m.ours->nkey, 4); ++key) {
      starts.push_back({fmt::format("key {}", key), batch::initial_state(*m.ours, key)});
    }
  }
  StartOptions spread;
  spread.seed = o.seed;
  spread.keyframe = o.keyframe;
  spread.control_period = o.control_period;
  spread.threads = usable_threads();
  const auto states = StartStates::make(m.ours, spread);
  const auto count = m.ours->nv > kLargeModel ? 1 : kSpreadStarts;
  for (std::int64_t w = 0; w < count; ++w) {
    starts.push_back({fmt::format("spread {}", w), states->state(w)});
  }
  return starts;
}

namespace {

// The starts, and states along MuJoCo's own trajectory from the first of them.
std::vector<CheckState> forward_states(const CheckModels& m, const CheckOptions& o,
                                       const std::vector<CheckState>& starts) {
  auto states = starts;
  const auto& api = *mujoco_api();
  const auto controls = make_controls(*m.ours, {o.controls, o.control_period, o.seed, o.keyframe});
  const MujocoPtr<mjData> d(api.mj_makeData(m.theirs));
  put_state(*m.theirs, *d, starts.front().state);
  std::vector<double> ctrl = starts.front().state.ctrl;
  for (std::int64_t step = 0; step < std::min(o.steps, kCheckWindow); ++step) {
    if (step % controls->period() == 0) controls->fill(0, step, ctrl);
    std::copy(ctrl.begin(), ctrl.end(), d->ctrl);
    api.mj_step(m.theirs, d.get());
    if ((step + 1) % kForwardEvery != 0) continue;
    states.push_back(
        {fmt::format("{}, step {}", starts.front().name, step + 1), get_state(*m.theirs, *d)});
  }
  return states;
}

}  // namespace

CheckReport check_scene(const std::shared_ptr<const LoadedScene>& scene, const CheckOptions& o) {
  if (!mujoco_status().found) throw CellError(kNoDevice, mujoco_status().why);
  if (o.batch.contact != "newton") {
    throw CellError(kUnsupported,
                    "check compares contact model newton with MuJoCo, not " + o.batch.contact);
  }
  MujocoPtr<mjModel> theirs;
  try {
    theirs =
        mujoco_load(scene->request.path, scene->file_is_effective ? std::string{} : scene->mjcf);
  } catch (const std::runtime_error& e) {
    throw CellError(kFailed, e.what());
  }

  CheckReport report;
  report.parts.push_back(check_model(*scene->model, *theirs));
  for (const auto& f : report.parts.front().fields) {
    // Without equal sizes states cannot be exchanged.
    if (!f.pass && f.where == "size") {
      report.notes.push_back("sizes differ: states are not compared");
      return report;
    }
  }

  if (theirs->opt.solver != mjSOL_NEWTON) {
    theirs->opt.solver = mjSOL_NEWTON;
    report.notes.push_back("the file's solver is not newton: MuJoCo runs newton here too");
  }
  auto tightened = std::make_shared<model::Model>(*scene->model);
  tightened->opt.tolerance = theirs->opt.tolerance = kCheckTolerance;
  tightened->opt.ls_tolerance = theirs->opt.ls_tolerance = kCheckLsTolerance;
  // A capped solve stops anywhere: two correct solvers agree only at the minimum.
  const auto raise = [](int ours, int& theirs_cap) {
    return theirs_cap = std::max(ours, kCheckIterations);
  };
  tightened->opt.iterations = raise(tightened->opt.iterations, theirs->opt.iterations);
  tightened->opt.ls_iterations = raise(tightened->opt.ls_iterations, theirs->opt.ls_iterations);
  report.notes.push_back(
      fmt::format("tolerance {}, ls_tolerance {}, at least {} iterations of solver and line search "
                  "on both sides",
                  kCheckTolerance, kCheckLsTolerance, kCheckIterations));
  const CheckModels m{tightened, theirs.get()};

  const auto starts = check_starts(m, o);
  report.parts.push_back(check_forward(m, o, forward_states(m, o, starts)));
  for (const auto p : o.precisions) report.parts.push_back(check_window(m, o, starts, p));
  return report;
}

#else

CheckReport check_scene(const std::shared_ptr<const LoadedScene>&, const CheckOptions&) {
  throw CellError(kNoDevice, mujoco_status().why);
}

#endif

}  // namespace stepbench::bench
