// Stand-ins for scenes, batches and engines: what measurement does is tested without physics and
// without real time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/controls.h"
#include "bench/digest.h"
#include "bench/engine.h"
#include "bench/error.h"
#include "bench/rng.h"
#include "bench/start.h"
#include "engine/batch/batch.h"
#include "engine/model/model.h"

namespace stepbench::bench::testing {

// `nu` hinges in a chain, each with a motor.
inline std::shared_ptr<model::Model> make_chain(int nu) {
  auto m = std::make_shared<model::Model>();
  m->nq = m->nv = m->njnt = m->nu = nu;
  m->nbody = nu + 1;
  m->ntree = 1;
  m->allocate();
  m->body_mocapid.assign(m->body_mocapid.size(), -1);
  for (std::size_t i = 0; i < std::size_t(nu); ++i) {
    m->jnt_type[i] = model::kJntHinge;
    m->jnt_qposadr[i] = int(i);
    m->jnt_dofadr[i] = int(i);
    m->body_mass[i + 1] = 1;
  }
  return m;
}

inline std::shared_ptr<LoadedScene> make_scene(std::shared_ptr<const model::Model> m,
                                               SceneRequest request = {}) {
  auto s = std::make_shared<LoadedScene>();
  s->request = std::move(request);
  s->model = std::move(m);
  s->sha = short_digest(s->request.path + (s->request.density ? "d" : ""));
  s->mjcf = "<mujoco/>";
  return s;
}

// Loads chains of two hinges, whatever the path; `missing.xml` does not exist.
class FakeLoader : public SceneLoader {
 public:
  std::shared_ptr<const LoadedScene> load(const SceneRequest& r) override {
    if (r.path == "missing.xml") throw std::runtime_error("missing.xml: cannot read");
    auto m = make_chain(2);
    if (r.timestep_s) m->opt.timestep = *r.timestep_s;
    m->opt.solver = solver;
    if (passive) m->nu = 0;
    auto s = make_scene(m, r);
    for (const auto& [name, value] : r.options) s->overrides.push_back(name + "=" + value);
    return s;
  }
  int solver = model::kNewton;
  bool passive = false;  // without its motors
};

// A batch whose worlds move by q' = v, v' = ctrl per step (unit step).
class FakeBatch : public batch::Batch {
 public:
  FakeBatch(std::shared_ptr<const model::Model> m, std::int64_t n, const batch::BatchOptions& o)
      : m_(std::move(m)), options_(o), worlds_(std::size_t(n), batch::initial_state(*m_)) {}
  std::int64_t nworld() const override { return std::int64_t(worlds_.size()); }
  const model::Model& model() const override { return *m_; }
  const batch::BatchOptions& options() const override { return options_; }
  void set_state(std::int64_t w, const batch::WorldState& s) override {
    worlds_[std::size_t(w)] = s;
  }
  batch::WorldState state(std::int64_t w) const override { return worlds_[std::size_t(w)]; }
  void set_first_world(std::int64_t first) override { first_ = first; }
  void step(std::int64_t n, const batch::ControlSource* controls) override {
    for (; n > 0; --n, ++steps_) {
      for (std::size_t w = 0; w < worlds_.size(); ++w) {
        auto& s = worlds_[w];
        if (controls != nullptr && steps_ % controls->period() == 0) {
          controls->fill(first_ + std::int64_t(w), steps_, s.ctrl);
        }
        for (std::size_t i = 0; i < s.qpos.size(); ++i) {
          s.qpos[i] += s.qvel[i];
          s.qvel[i] += i < s.ctrl.size() ? s.ctrl[i] : 0.0;
        }
        s.time += 1;
      }
    }
  }
  std::int64_t steps_done() const override { return steps_; }
  void set_steps_done(std::int64_t n) override { steps_ = n; }
  batch::WorldStats stats(std::int64_t) const override { return {}; }
  void clear_counters() override {}
  void time_phases(bool) override {}
  std::array<double, batch::kNumPhases> phase_shares() const override { return {}; }
  std::uint64_t hash(std::int64_t w) const override {
    return batch::hash_state(worlds_[std::size_t(w)]);
  }
  batch::Energy energy(std::int64_t) override { return {}; }
  batch::Forward forward(std::int64_t) override { return {}; }
  std::size_t state_bytes() const override { return 0; }
  std::size_t scratch_bytes() const override { return 0; }

 private:
  std::shared_ptr<const model::Model> m_;
  batch::BatchOptions options_;
  std::vector<batch::WorldState> worlds_;
  std::int64_t steps_ = 0, first_ = 0;
};

inline std::unique_ptr<batch::Batch> make_fake_batch(std::shared_ptr<const model::Model> m,
                                                     std::int64_t n, const batch::BatchOptions& o) {
  return std::make_unique<FakeBatch>(std::move(m), n, o);
}

// An engine that spends fake time: `step_s` per step of one world, divided over threads.
struct FakeBehaviour {
  double step_s = 1e-5;
  double noise = 0;  // relative, uniform, different in every run
  double drift = 0;  // relative growth of the time from run to run
  double ncon = 3;
  bool random_bits = false;             // hashes differ from run to run
  bool thread_bits = false;             // hashes depend on the thread count
  std::int64_t overflow_from_run = -1;  // runs of any instance from which one world overflows
  double kinetic_j = 1;
  double gain_j = 0;  // kinetic energy gained per step
  std::string missing;
  std::string fail_prepare;  // status thrown by prepare()
  std::size_t bytes_per_world = 1000;
};

struct FakeWorldRun {  // what an instance was asked to simulate
  std::int64_t first_world, steps;
  friend auto operator<=>(const FakeWorldRun&, const FakeWorldRun&) = default;
};

class FakeEngine : public Engine {
 public:
  FakeEngine(std::string name, std::shared_ptr<double> clock, FakeBehaviour b = {})
      : behaviour(b), name_(std::move(name)), clock_(std::move(clock)) {}

  std::string name() const override { return name_; }
  std::string version() const override { return behaviour.missing.empty() ? "1.0" : ""; }
  std::string missing() const override { return behaviour.missing; }
  batch::MemoryEstimate estimate(const InstanceRequest& r) const override {
    return {behaviour.bytes_per_world * std::size_t(r.worlds), 0};
  }

  class FakeInstance : public Instance {
   public:
    FakeInstance(FakeEngine& e, std::int64_t worlds, int threads)
        : engine_(e), worlds_(worlds), threads_(threads) {}
    void set_states(const StartStates&, std::int64_t first) override {
      first_ = first;
      steps_ = 0;
    }
    void run(std::int64_t n, const batch::ControlSource*) override {
      const auto& b = engine_.behaviour;
      const auto run = engine_.runs++;
      const double noise = b.noise * random_symmetric(1, Stream::kOrder, run, 0, 0);
      const double slower = 1 + b.drift * double(run);
      *engine_.clock_ += b.step_s * double(n * worlds_) * (1 + noise) * slower /
                         double(std::min<std::int64_t>(threads_, worlds_));
      steps_ += n;
      run_ = run;
      engine_.log.push_back({first_, n});
    }
    std::vector<WorldLook> look(std::span<const std::int64_t> ids, bool energy) override {
      WorldLook l;
      l.ncon = int(engine_.behaviour.ncon);
      l.nefc = 4 * l.ncon;
      l.niter = 2;
      if (energy) {
        l.kinetic_j = engine_.behaviour.kinetic_j + engine_.behaviour.gain_j * double(steps_);
      }
      return std::vector<WorldLook>(ids.size(), l);
    }
    Faults faults() override {
      const auto from = engine_.behaviour.overflow_from_run;
      Faults f;
      f.capped_steps = 0;
      if (from >= 0 && run_ >= from) {
        f.overflow_worlds = 1;
        f.first_step = 7;
      }
      return f;
    }
    std::uint64_t hash(std::int64_t w) override {
      const auto& b = engine_.behaviour;
      return std::uint64_t((first_ + w) * 1000 + steps_) +
             (b.random_bits ? std::uint64_t(run_) << 32 : 0) +
             (b.thread_bits ? std::uint64_t(threads_) << 48 : 0);
    }
    batch::WorldState state(std::int64_t) override { return {}; }
    std::int64_t worlds() const override { return worlds_; }
    std::size_t state_bytes() const override { return 8 * std::size_t(worlds_); }
    std::size_t scratch_bytes() const override { return 16; }

   private:
    FakeEngine& engine_;
    std::int64_t worlds_;
    int threads_;
    std::int64_t first_ = 0, steps_ = 0, run_ = 0;
  };

  std::unique_ptr<Instance> prepare(const InstanceRequest& r) override {
    if (!behaviour.fail_prepare.empty()) throw CellError(behaviour.fail_prepare, "as told");
    return std::make_unique<FakeInstance>(*this, r.worlds, r.options.threads);
  }

  FakeBehaviour behaviour;
  std::int64_t runs = 0;
  std::vector<FakeWorldRun> log;

 private:
  std::string name_;
  std::shared_ptr<double> clock_;
};

}  // namespace stepbench::bench::testing
