// Start states: the same for every engine, world count, thread count and shard.
//
// `spread` (default): a batch should hold falling, landing and resting worlds, as it does in use. A
// set of prototypes starts from the key frame or qpos0 with small noise, and is aged by 0 ... 500
// untimed steps with this engine (f64, newton) under control noise; world w takes prototype
// hash(seed, w) plus noise of its own on velocities. Since the worlds come from one engine, every
// engine of a table sees the same ones. Ages and number of prototypes are a function of the model
// alone: large worlds (nv > kChainDofs) take snapshots of a single, shorter trajectory, as ageing
// hundreds of piles would take longer than measuring.
//
// `file`: all worlds equal, at the key frame or qpos0.
//
// `settle` adds untimed steps before ageing (piles fall first).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/model/model.h"

namespace stepbench::bench {

struct StartOptions {
  std::string kind = "spread";  // spread, file
  std::int64_t settle = 0;      // steps, >= 0
  int keyframe = -1;            // -1: key 0 where there is one, else qpos0
  std::uint64_t seed = 0;
  int control_period = 10;  // of the control noise while ageing
  int threads = 1;          // threads that age prototypes; no influence on the states
};

// Largest nv whose prototypes are aged one by one, and the largest age in steps.
inline constexpr int kChainDofs = 200;
inline constexpr int kMaxAge = 500;

// Amplitudes of the noise, uniform in +- these.
inline constexpr double kPoseNoise = 0.02;     // rad, hinges of a prototype, within their range
inline constexpr double kSlideNoise = 0.005;   // m, slides of a prototype, within their range
inline constexpr double kVelocityNoise = 0.1;  // m/s, rad/s, dofs of a prototype
inline constexpr double kWorldNoise = 0.01;    // m/s, rad/s, dofs of each world

// Ages of the prototypes of a model, ascending.
std::vector<int> prototype_ages(const model::Model& m);

class StartStates {
 public:
  using BatchFactory = std::function<std::unique_ptr<batch::Batch>(
      std::shared_ptr<const model::Model>, std::int64_t, const batch::BatchOptions&)>;

  // Throws UsageError: unknown kind, key frame that does not exist, negative settle.
  static std::shared_ptr<const StartStates> make(const std::shared_ptr<const model::Model>& m,
                                                 const StartOptions& options,
                                                 const BatchFactory& factory = batch::make_batch);

  // Start state of world w (numbered over all shards).
  batch::WorldState state(std::int64_t world) const;

  std::size_t prototypes() const { return prototypes_.size(); }
  // Prototypes that became non-finite while ageing and were reset by the engine.
  int reset_prototypes() const { return reset_; }

 private:
  StartOptions options_;
  std::vector<batch::WorldState> prototypes_;
  int reset_ = 0;
};

}  // namespace stepbench::bench
