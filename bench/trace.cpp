#include "bench/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/controls.h"
#include "bench/error.h"

namespace stepbench::bench {

std::vector<std::string> trace_columns(const model::Model& m) {
  std::vector<std::string> names = {
      "step", "time_s", "ncon", "nefc", "solver_niter", "energy_potential_j", "energy_kinetic_j"};
  for (int i = 0; i < m.nq; ++i) names.push_back(fmt::format("qpos_{}", i));
  for (int i = 0; i < m.nv; ++i) names.push_back(fmt::format("qvel_{}", i));
  return names;
}

void trace(const std::shared_ptr<const model::Model>& m, const TraceOptions& o,
           const std::function<bool(const TraceRow&)>& row) {
  if (o.steps < 0) throw UsageError("--steps: must be 0 or more");
  if (o.every < 1) throw UsageError("--every: must be at least 1");
  if (o.keyframe >= m->nkey) {
    throw UsageError(
        fmt::format("--keyframe: {} does not exist; the scene has {}", o.keyframe, m->nkey));
  }
  const auto controls = make_controls(*m, {o.controls, o.control_period, o.seed, o.keyframe});
  const auto world = batch::make_batch(m, 1, o.batch);
  world->set_state(0, batch::initial_state(*m, o.keyframe >= 0 ? o.keyframe
                                               : m->nkey > 0   ? 0
                                                               : -1));

  const auto show = [&](std::int64_t step) {
    TraceRow r;
    auto s = world->state(0);
    const auto f = world->forward(0);
    const auto e = world->energy(0);
    r.step = step;
    r.time_s = s.time;
    r.ncon = int(f.contact.size());
    r.nefc = int(f.efc_type.size());
    r.solver_niter = f.niter;
    r.energy_potential_j = e.potential_j;
    r.energy_kinetic_j = e.kinetic_j;
    r.qpos = std::move(s.qpos);
    r.qvel = std::move(s.qvel);
    return row(r);
  };
  if (!show(0)) return;
  for (std::int64_t step = 0; step < o.steps;) {
    const auto n = std::min(o.every, o.steps - step);
    world->step(n, controls.get());
    step += n;
    if (!show(step)) return;
  }
}

}  // namespace stepbench::bench
