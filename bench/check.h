// Is the physics MuJoCo's? Comparison of a scene with the real library, in three parts:
//
// - model: every array of model_fields.h against mjModel's, 1e-12 relative.
// - forward: one evaluation at several states (start, disturbed, along a trajectory): poses,
// contacts,
//   rows, forces, qacc; 1e-10 relative. States at which MuJoCo's own contacts or qacc move by more
//   than 1e-11 when the state moves by rounding are left out, with a note.
// - window: 200 steps from several starts; positions and velocities 1e-9 (f64), 1e-3 (f32). Windows
//   after the first restart from the oracle's state, so that chaos does not add up, and end where a
//   twin of the oracle that differs by rounding drifts away; f64 leaves out those that start at a
//   state which `forward` leaves out. Notes say where, and how many steps counted.
//
// Both sides run to termination tolerance 0 with a line search to 1e-10 (`kCheckTolerance`,
// `kCheckLsTolerance`): at 1e-15 MuJoCo itself stops with a residual of 1e-6 N on elliptic cones
// (scenes/quadruped.xml), at 0 with 1e-14; at the default 1e-8 two correct Newton solvers on an
// elliptic cone stop 1e-8 apart, which a trajectory amplifies (mujoco_warp.md 6.14). Caps on
// iterations are raised to 100. A file that asks for CG or PGS is compared with MuJoCo's Newton,
// since newton is what runs here; a note says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/scene.h"
#include "engine/batch/batch.h"

namespace stepbench::bench {

inline constexpr double kCheckTolerance = 0;
inline constexpr double kCheckLsTolerance = 1e-10;
inline constexpr int kCheckIterations = 100;
inline constexpr std::int64_t kCheckWindow = 200;  // steps

struct CheckOptions {
  std::vector<batch::Precision> precisions = {batch::Precision::kF64, batch::Precision::kF32};
  batch::BatchOptions batch;          // layout, isa, lanes, max_contacts; contact must be newton
  std::int64_t steps = kCheckWindow;  // length of the trajectory
  std::string controls = "noise";
  int control_period = 10;
  std::uint64_t seed = 0;
  int keyframe = -1;  // -1: qpos0 and every key frame (four at most)
};

// Largest difference of one quantity.
struct FieldCheck {
  std::string field;   // e.g. body_inertia, efc_force, qpos
  double largest = 0;  // difference relative to `scale` (below); infinite where sizes differ
  double tolerance = 0;
  bool pass = true;
  std::int64_t index = -1;      // of the largest difference in the flat array; -1: none
  double ours = 0, theirs = 0;  // values there
  std::string where;  // state or step of the largest difference: "qpos0", "spread 3, step 120"
  std::int64_t first_step = -1;  // window: first step beyond the tolerance; -1: none
};

// A part: `model`, `forward f64`, `window f64`, `window f32`, ...
struct CheckPart {
  std::string name;
  std::vector<FieldCheck> fields;  // in order of evaluation; all of them, passed or not
  std::vector<std::string> notes;
  bool pass() const;
  const FieldCheck* worst()
      const;  // largest in units of its tolerance; nullptr where there is none
};

struct CheckReport {
  std::vector<CheckPart> parts;
  std::vector<std::string> notes;
  bool pass() const;
};

// Throws CellError: no_device (no library; the message says how to get it), unsupported (other
// contact model), failed (MuJoCo cannot load the scene).
CheckReport check_scene(const std::shared_ptr<const LoadedScene>& scene,
                        const CheckOptions& options);

}  // namespace stepbench::bench
