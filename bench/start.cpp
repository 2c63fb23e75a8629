#include "bench/start.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/controls.h"
#include "bench/error.h"
#include "bench/rng.h"

namespace stepbench::bench {
namespace {

void check(const model::Model& m, const StartOptions& o) {
  if (o.kind != "spread" && o.kind != "file") {
    throw UsageError(fmt::format("--start: '{}' is not known; choose from spread, file", o.kind));
  }
  if (o.settle < 0) throw UsageError("--settle: must be 0 or more steps");
  if (o.keyframe >= m.nkey || o.keyframe < -1) {
    throw UsageError(fmt::format("--keyframe: {} does not exist; the scene has {} key frames",
                                 o.keyframe, m.nkey));
  }
}

// Noise of a prototype: joint angles and slides within their range, every velocity. Free and ball
// joints keep their pose: a shifted body could start inside another.
void disturb(const model::Model& m, std::uint64_t seed, std::int64_t prototype,
             batch::WorldState& s) {
  for (std::size_t j = 0; j < std::size_t(m.njnt); ++j) {
    const int type = m.jnt_type[j];
    if (type != model::kJntHinge && type != model::kJntSlide) continue;
    double& q = s.qpos[std::size_t(m.jnt_qposadr[j])];
    const double low = m.jnt_range[2 * j], high = m.jnt_range[2 * j + 1];
    const double amplitude = type == model::kJntHinge ? kPoseNoise : kSlideNoise;
    const double moved = q + amplitude * random_symmetric(seed, Stream::kPrototypePose, prototype,
                                                          std::int64_t(j), 0);
    // A start outside its range stays: the key frame says so.
    const bool inside = !m.jnt_limited[j] || (q >= low && q <= high);
    q = inside && m.jnt_limited[j] ? std::min(std::max(moved, low), high) : inside ? moved : q;
  }
  for (std::size_t i = 0; i < s.qvel.size(); ++i) {
    s.qvel[i] += kVelocityNoise *
                 random_symmetric(seed, Stream::kPrototypeVelocity, prototype, std::int64_t(i), 0);
  }
}

}  // namespace

std::vector<int> prototype_ages(const model::Model& m) {
  const int nv = std::max(m.nv, 1);
  const int count = nv > kChainDofs ? 8 : std::clamp(4000 / nv, 16, 64);
  const int oldest = nv > kChainDofs ? std::max(8, kMaxAge * kChainDofs / nv) : kMaxAge;
  std::vector<int> ages;
  for (int i = 0; i < count; ++i) ages.push_back(oldest * i / (count - 1));
  return ages;
}

std::shared_ptr<const StartStates> StartStates::make(const std::shared_ptr<const model::Model>& m,
                                                     const StartOptions& o,
                                                     const BatchFactory& factory) {
  check(*m, o);
  auto states = std::make_shared<StartStates>();
  states->options_ = o;
  const int key = o.keyframe >= 0 ? o.keyframe : m->nkey > 0 ? 0 : -1;
  const auto origin = batch::initial_state(*m, key);
  const bool spread = o.kind == "spread";
  if (!spread && o.settle == 0) {
    states->prototypes_ = {origin};
    return states;
  }

  const auto ages = spread ? prototype_ages(*m) : std::vector<int>{0};
  const bool chain = !spread || m->nv > kChainDofs;
  batch::BatchOptions options;
  options.threads = std::max(1, o.threads);
  const auto worlds = chain ? std::int64_t{1} : std::int64_t(ages.size());
  const auto ageing = factory(m, worlds, options);
  for (std::int64_t p = 0; p < worlds; ++p) {
    auto s = origin;
    if (spread) disturb(*m, o.seed, p, s);
    ageing->set_state(p, s);
  }
  ControlOptions inputs;
  inputs.period = o.control_period;
  inputs.keyframe = o.keyframe;
  inputs.seed = o.seed + 0x5eed;  // not the inputs of the measured steps
  const auto controls = make_controls(*m, inputs);
  ageing->step(o.settle, controls.get());
  int age = 0;
  for (std::size_t p = 0; p < ages.size(); ++p) {
    ageing->step(ages[p] - age, controls.get());
    age = ages[p];
    states->prototypes_.push_back(ageing->state(chain ? 0 : std::int64_t(p)));
  }
  for (std::int64_t p = 0; p < worlds; ++p) {
    states->reset_ += (ageing->stats(p).flags & batch::kFlagNonFinite) != 0;
  }
  return states;
}

batch::WorldState StartStates::state(std::int64_t world) const {
  if (prototypes_.size() == 1 && options_.kind == "file") return prototypes_[0];
  const auto pick = random_below(prototypes_.size(), options_.seed, Stream::kWorld, world, 0, 0);
  auto s = prototypes_[pick];
  for (std::size_t i = 0; i < s.qvel.size(); ++i) {
    s.qvel[i] += kWorldNoise *
                 random_symmetric(options_.seed, Stream::kWorld, world, std::int64_t(i) + 1, 0);
  }
  return s;
}

}  // namespace stepbench::bench
