// What measurement asks of an engine: the same small interface for stepbench and for every peer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/scene.h"
#include "engine/batch/batch.h"

namespace stepbench::bench {

class StartStates;

// A batch to prepare. `options` is as asked for (kAuto allowed); peers use its threads only.
struct InstanceRequest {
  std::shared_ptr<const LoadedScene> scene;
  std::int64_t worlds = 1;
  batch::BatchOptions options;
};

// What the last step of a world did.
struct WorldLook {
  int ncon = 0, nefc = 0, niter = 0;
  bool capped = false;  // the solver stopped at its iteration cap
  double max_penetration_m = 0;
  double potential_j = 0, kinetic_j = 0;  // 0 unless energy was asked for
};

// What happened since the states were set.
struct Faults {
  std::int64_t overflow_worlds = 0, nonfinite_worlds = 0;
  std::int64_t first_step = kNoInt;  // step of the first of them, where the engine knows it
  std::int64_t capped_steps =
      kNoInt;  // steps x worlds that hit the iteration cap; kNoInt: not counted
};

// A batch of worlds in one engine, with its threads.
class Instance {
 public:
  virtual ~Instance() = default;

  // World i takes the start state of world first_world + i and its inputs; steps and counters
  // restart.
  virtual void set_states(const StartStates& start, std::int64_t first_world) = 0;

  // Advance every world; returns when all are done. `controls` may be null.
  virtual void run(std::int64_t nstep, const batch::ControlSource* controls) = 0;

  // The same steps; what look() needs of the last one is kept. Slower: never timed.
  virtual void survey_run(std::int64_t nstep, const batch::ControlSource* controls) {
    run(nstep, controls);
  }

  // Shares of the phases of steps in the time of survey_run() since time_phases(); empty: this
  // engine cannot tell.
  virtual void time_phases(bool) {}
  virtual std::vector<double> phase_shares() { return {}; }

  // Contacts, rows and iterations of the last step of survey_run(), and, where asked for, energies
  // of the present state. `worlds`: indices into the batch, ascending. Changes no state.
  virtual std::vector<WorldLook> look(std::span<const std::int64_t> worlds, bool energy) = 0;

  virtual Faults faults() = 0;
  virtual std::uint64_t hash(std::int64_t world) = 0;
  virtual batch::WorldState state(std::int64_t world) = 0;

  virtual std::int64_t worlds() const = 0;
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t scratch_bytes() const = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;  // empty where the library is missing
  // Empty: usable. Else why not, and what helps.
  virtual std::string missing() const = 0;
  // Options without kAuto, as they would run. Throws CellError where this machine cannot.
  virtual batch::BatchOptions resolve(const InstanceRequest& request) const {
    return request.options;
  }
  // Bytes that prepare() would need.
  virtual batch::MemoryEstimate estimate(const InstanceRequest& request) const = 0;
  // Bring the scene into the engine, unless it is there; what that took. Throws CellError.
  virtual LoadTimes load(const InstanceRequest& request) { return request.scene->times; }
  // Throws CellError.
  virtual std::unique_ptr<Instance> prepare(const InstanceRequest& request) = 0;
};

// Engines by name.
class EngineSet {
 public:
  void add(std::shared_ptr<Engine> engine) { engines_.push_back(std::move(engine)); }
  // nullptr where there is none of that name.
  Engine* find(const std::string& name) const {
    for (const auto& e : engines_) {
      if (e->name() == name) return e.get();
    }
    return nullptr;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& e : engines_) names.push_back(e->name());
    return names;
  }

 private:
  std::vector<std::shared_ptr<Engine>> engines_;
};

// stepbench and the peers that this build knows.
EngineSet all_engines();

}  // namespace stepbench::bench
