// The parts of `check`, for check.cpp. Needs MuJoCo's headers.
#pragma once

#include "bench/check.h"
#include "bench/mujoco_api.h"

#ifdef SB_HAVE_MUJOCO_HEADERS

namespace stepbench::bench {

// What both sides run: the scene at check tolerances.
struct CheckModels {
  std::shared_ptr<const model::Model> ours;
  const mjModel* theirs = nullptr;
};

// A state to compare at, with a name for messages.
struct CheckState {
  std::string name;
  batch::WorldState state;
};

CheckPart check_model(const model::Model& ours, const mjModel& theirs);
CheckPart check_forward(const CheckModels& m, const CheckOptions& o,
                        const std::vector<CheckState>& states);
CheckPart check_window(const CheckModels& m, const CheckOptions& o,
                       const std::vector<CheckState>& starts, batch::Precision precision);

// Start states: qpos0 or the key frames, and spread ones.
std::vector<CheckState> check_starts(const CheckModels& m, const CheckOptions& o);

// mjData <-> WorldState.
void put_state(const mjModel& m, mjData& d, const batch::WorldState& s);
batch::WorldState get_state(const mjModel& m, const mjData& d);

// The state moved by rounding: what any engine of that precision may do to it. `twin` picks the
// signs.
inline constexpr double kRounding64 = 1e-15, kRounding32 = 1e-7;
batch::WorldState nudged(batch::WorldState s, double eps, unsigned twin);

// How far MuJoCo's own contacts and qacc move when its state moves by rounding: nearly parallel
// edges, say, meet anywhere. Depths relative to 1 m, accelerations to the largest. `d` has the
// state and its mj_forward; `twin` is room. Beyond kUncertain there is nothing to compare with.
inline constexpr double kUncertain = 1e-11;
double own_uncertainty(const mjModel& m, const mjData& d, mjData& twin, const batch::WorldState& s);

// Geoms of MuJoCo's model that this project's has too, in order: all but the visual meshes that the
// reader drops.
std::vector<int> shared_geoms(const mjModel& m);

}  // namespace stepbench::bench

#endif
