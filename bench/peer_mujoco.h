// MuJoCo's own batch interface as a peer: many simulations of one model on a thread pool
// (mjbatch.h).
//
// One mjData per thread (`persistent` off: 32-40 % faster on one step per call than one per world),
// states in the batch's rows, controls written into the rows once per control period. Statistics
// need a forward pass (fields of mjData are one substep behind after a step, and are not kept per
// world): mj_forward is run through mjb_apply without saving, outside the timed window. Iterations
// are the largest over constraint islands, of which MuJoCo reports 20 at most.
#pragma once

#include <memory>

#include "bench/engine.h"

namespace stepbench::bench {

std::shared_ptr<Engine> make_mujoco_engine();

}  // namespace stepbench::bench
