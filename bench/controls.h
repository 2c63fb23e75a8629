// Inputs of a benchmark: the same for every engine, world count, thread count and shard.
//
// A profile gives each world new controls every `period` steps. The centre of a control is key
// frame 0's (or --keyframe's) ctrl, else the middle of its ctrlrange, else 0; its half range is
// half of ctrlrange, else 1. Limited controls are clipped to their range.
//
//   noise   first-order noise about the centre, as MuJoCo's testspeed has it (noisestd 0.01,
//   noiserate
//           0.1 s): c' = r c + (1 - r) centre + 0.01 sqrt(1 - r^2) half e, r = exp(-period dt / 0.1
//           s), e uniform of unit variance. A robot that nobody moves settles and times too fast.
//   random  uniform over centre +- half, independent in every period
//   zero    all zero: the idle robot, a case of its own
//   replay:FILE  rows of nu numbers (separated by commas, blanks or tabs; a first row of names is
//           skipped), one row per period, from the start again after the last; the same in every
//           world
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch/batch.h"
#include "engine/model/model.h"

namespace stepbench::bench {

struct ControlOptions {
  std::string profile = "noise";
  int period = 10;  // steps for which an input is held, >= 1
  std::uint64_t seed = 0;
  int keyframe = -1;  // -1: key 0 where there is one
};

// Throws UsageError: unknown profile, unreadable or ragged replay file, wrong number of columns.
std::unique_ptr<batch::ControlSource> make_controls(const model::Model& m,
                                                    const ControlOptions& options);

// Centre and half range of every control, as above.
struct ControlRange {
  std::vector<double> centre, half, low, high;  // low, high: clipping; infinite where unlimited
};
ControlRange control_range(const model::Model& m, int keyframe);

}  // namespace stepbench::bench
