// Which geom pairs of a model can collide, decided once on the host (mujoco_warp.md 6.3).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/collide/contact_params.h"
#include "engine/collide/pair_params.h"

namespace stepbench::model {
struct Model;
}

namespace stepbench::collide {

// Every pair that can make contacts, in the order in which MuJoCo lists contacts: by body pair (the
// smaller body first); inside it the explicit pairs, then the automatic ones by stored geom
// numbers, or by the bodies' own order of geoms with the flag midphase off. Pairs that need convex
// collision are left out. Empty where contacts are disabled. O(nbody^2).
//
// One difference is known: MuJoCo's own broad phase drops some contacts in the gap (they make no
// rows), and contacts of boxes whose corners are farther apart than the margin (tens of
// millimetres) although no axis separates them by more; these lists keep both.
std::vector<PairParams<double>> all_pairs(const model::Model& m);

// The explicit pairs among them, in the same order.
std::vector<PairParams<double>> explicit_pairs(const model::Model& m);

// An upper bound of all_pairs(m).size() from the contact masks alone, for choosing an execution.
// O(ngeom).
std::size_t count_pairs_bound(const model::Model& m);

// One line for each combination of geom types that can collide but needs convex collision, for a
// person: types, number of geom pairs, an example by name. Empty where the model is supported.
std::vector<std::string> unsupported_pairs(const model::Model& m);

// The model's override of contact parameters.
ContactOverride<double> contact_override(const model::Model& m);

template <class To, class From>
std::vector<PairParams<To>> cast(const std::vector<PairParams<From>>& pairs) {
  std::vector<PairParams<To>> r;
  r.reserve(pairs.size());
  for (const PairParams<From>& q : pairs) r.push_back(cast<To>(q));
  return r;
}

}  // namespace stepbench::collide
