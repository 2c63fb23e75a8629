#include "bench/hash_run.h"

#include "bench/controls.h"
#include "bench/memory.h"
#include "bench/plan.h"
#include "bench/repeat.h"
#include "bench/start.h"

namespace stepbench::bench {

batch::BatchOptions first_options(const LoadedScene& scene, const Settings& s) {
  batch::BatchOptions o;
  const bool f32 = !s.precisions.empty() && s.precisions.front() == "f32";
  o.precision = f32 ? batch::Precision::kF32 : batch::Precision::kF64;
  o.layout = s.layout;
  o.isa = s.isa;
  o.lanes = s.lanes;
  o.sort = s.sort;
  o.threads = s.threads.empty() ? usable_threads() : s.threads.front();
  o.contact = choose_contact(s.contacts.empty() ? "file" : s.contacts.front(),
                             scene.model->opt.solver, batch::contact_model_names())
                  .model;
  o.comfree_stiffness = s.comfree_stiffness;
  o.comfree_damping = s.comfree_damping;
  o.max_contacts = s.max_contacts;
  return o;
}

HashResult hash_after(Engine& engine, const std::shared_ptr<const LoadedScene>& scene,
                      const Settings& s, std::int64_t steps) {
  StartOptions start;
  start.kind = s.start;
  start.settle = s.settle;
  start.keyframe = s.keyframe;
  start.seed = s.seed;
  start.control_period = s.control_period;
  start.threads = usable_threads();
  const auto states = StartStates::make(scene->model, start);
  const auto controls = make_controls(
      *scene->model,
      {s.controls.empty() ? "noise" : s.controls.front(), s.control_period, s.seed, s.keyframe});
  const auto instance =
      engine.prepare({scene, s.worlds.empty() ? 1 : s.worlds.front(), first_options(*scene, s)});
  instance->set_states(*states, 0);
  instance->run(steps, controls.get());
  HashResult r;
  r.worlds = hash_worlds(*instance);
  r.combined = combine_hashes(r.worlds, 0);
  return r;
}

}  // namespace stepbench::bench
