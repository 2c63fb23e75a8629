#include "bench/engine_stepbench.h"

#include <new>
#include <stdexcept>

#include "bench/error.h"
#include "bench/start.h"
#include "engine/batch/choose.h"

namespace stepbench::bench {
namespace {

class StepbenchInstance : public Instance {
 public:
  explicit StepbenchInstance(std::unique_ptr<batch::Batch> batch) : batch_(std::move(batch)) {}

  void set_states(const StartStates& start, std::int64_t first_world) override {
    batch_->set_first_world(first_world);
    for (std::int64_t w = 0; w < worlds(); ++w) batch_->set_state(w, start.state(first_world + w));
    batch_->set_steps_done(0);
    batch_->clear_counters();
  }

  void run(std::int64_t nstep, const batch::ControlSource* controls) override {
    batch_->step(nstep, controls);
  }

  std::vector<WorldLook> look(std::span<const std::int64_t> ids, bool energy) override {
    std::vector<WorldLook> looks;
    looks.reserve(ids.size());
    for (const auto w : ids) {
      const auto s = batch_->stats(w);
      WorldLook l{s.ncon, s.nefc, s.niter, false, s.max_penetration_m, 0, 0};
      if (energy) {
        const auto e = batch_->energy(w);
        l.potential_j = e.potential_j;
        l.kinetic_j = e.kinetic_j;
      }
      looks.push_back(l);
    }
    return looks;
  }

  void time_phases(bool on) override { batch_->time_phases(on); }
  std::vector<double> phase_shares() override {
    const auto shares = batch_->phase_shares();
    return {shares.begin(), shares.end()};
  }

  Faults faults() override {
    Faults f;
    f.capped_steps = 0;
    for (std::int64_t w = 0; w < worlds(); ++w) {
      const auto s = batch_->stats(w);
      f.capped_steps += s.capped_steps;
      if (s.flags == 0) continue;
      f.overflow_worlds += (s.flags & batch::kFlagOverflow) != 0;
      f.nonfinite_worlds += (s.flags & batch::kFlagNonFinite) != 0;
      if (f.first_step < 0 || s.flag_step < f.first_step) f.first_step = s.flag_step;
    }
    return f;
  }

  std::uint64_t hash(std::int64_t world) override { return batch_->hash(world); }
  batch::WorldState state(std::int64_t world) override { return batch_->state(world); }
  std::int64_t worlds() const override { return batch_->nworld(); }
  std::size_t state_bytes() const override { return batch_->state_bytes(); }
  std::size_t scratch_bytes() const override { return batch_->scratch_bytes(); }

 private:
  std::unique_ptr<batch::Batch> batch_;
};

class StepbenchEngine : public Engine {
 public:
  std::string name() const override { return "stepbench"; }
  std::string version() const override { return "0.1.0"; }
  std::string missing() const override { return {}; }

  batch::BatchOptions resolve(const InstanceRequest& r) const override {
    try {
      return batch::resolve(*r.scene->model, r.options);
    } catch (const std::invalid_argument& e) {
      throw CellError(kUnsupported, e.what());
    }
  }

  batch::MemoryEstimate estimate(const InstanceRequest& r) const override {
    return batch::estimate_memory(*r.scene->model, r.worlds, r.options);
  }

  std::unique_ptr<Instance> prepare(const InstanceRequest& r) override {
    try {
      return std::make_unique<StepbenchInstance>(
          batch::make_batch(r.scene->model, r.worlds, r.options));
    } catch (const std::invalid_argument& e) {
      throw CellError(kUnsupported, e.what());
    } catch (const std::bad_alloc&) {
      throw CellError(kOutOfMemory, "the batch could not be allocated");
    }
  }
};

}  // namespace

std::shared_ptr<Engine> make_stepbench_engine() { return std::make_shared<StepbenchEngine>(); }

}  // namespace stepbench::bench
