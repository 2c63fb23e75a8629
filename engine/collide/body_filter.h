// Which body pairs may collide at all (mujoco_warp.md 6.3): shared by the static list and the broad
// phase.
#pragma once

#include <vector>

#include "engine/model/model.h"

namespace stepbench::collide {

// What the filter needs of each body, and the pairs that the file excludes.
struct BodyFilter {
  std::vector<int> weld;         // root of the body's weld group; 0: welded to the world
  std::vector<int> weld_parent;  // weld group of that root's parent
  std::vector<int> moves;        // 1: the weld group has joints of its own
  bool filter_parent = true;
  std::vector<long long> excluded;  // sorted keys b1 * 2^32 + b2 with b1 < b2

  explicit BodyFilter(const model::Model& m);

  // Bodies b1 < b2: neither the same weld group nor parent and child (the world is nobody's
  // parent), at least one can move, not excluded.
  bool may_collide(int b1, int b2) const;
};

inline long long body_key(int b1, int b2) { return (static_cast<long long>(b1) << 32) + b2; }

}  // namespace stepbench::collide
