// How a batch finds the geom pairs of a step: from one list made at the start, or by a broad phase.
#pragma once

#include <memory>

#include "engine/batch/choose.h"
#include "engine/collide/pairs.h"

namespace stepbench::batch {

template <class Real>
class Pairs {
 public:
  Pairs(const model::Model& m, Layout layout) : bound_(collide::count_pairs_bound(m)) {
    if (needs_broad_phase(layout, bound_)) {
      broad_phase_ = std::make_unique<collide::BroadPhaseModel<Real>>(m);
    } else {
      list_ = collide::cast<Real>(collide::all_pairs(m));
    }
  }

  // Null where the list is complete.
  const collide::BroadPhaseParams<Real>* broad_phase() const {
    return broad_phase_ ? &broad_phase_->params() : nullptr;
  }

  // Contact slots that an arena starts with.
  int initial_contacts() const { return initial_contacts(bound_); }
  static int initial_contacts(std::size_t pairs_bound) {
    return int(pairs_bound < 4 ? 8 : pairs_bound > 32 ? 64 : 2 * pairs_bound);
  }

  void put_into(Visit<Real>& v) const {
    v.pairs = list_.data();
    v.npair = int(list_.size());
    v.broad_phase = broad_phase();
  }

 private:
  std::size_t bound_;
  std::vector<collide::PairParams<Real>> list_;
  std::unique_ptr<collide::BroadPhaseModel<Real>> broad_phase_;
};

}  // namespace stepbench::batch
