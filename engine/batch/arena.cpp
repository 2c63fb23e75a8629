#include "engine/batch/arena.h"

#include <algorithm>

#include "engine/batch/layout.h"

namespace stepbench::batch {

template <class Real>
ArenaStorage<Real>::ArenaStorage(const model::Params<Real>& m,
                                 const collide::BroadPhaseParams<Real>* broad_phase, int lanes,
                                 int maxcon)
    : m_(m), broad_phase_(broad_phase), lanes_(lanes) {
  const std::size_t count = scratch_count(m) * std::size_t(lanes);
  fixed_ = allocate_aligned<Real>(count);
  std::fill_n(fixed_.get(), count, Real(0));
  result_memory_ = allocate_aligned<Real>(std::size_t(kVisitResults * lanes));
  Real* p = result_memory_.get();
  for (Real** array :
       {&result_.ncon, &result_.nefc, &result_.niter, &result_.iterations, &result_.coupled_rows,
        &result_.max_penetration, &result_.capped, &result_.bad_step, &result_.overflow_step}) {
    *array = p;
    p += lanes;
  }
  bytes_ = (count + std::size_t(kVisitResults * lanes)) * sizeof(Real);
  arena_.fixed = fixed_.get();
  arena_.owner = this;
  arena_.grow = &ArenaStorage::grow;
  resize_contacts(maxcon, maxcon * 3 * std::min(12, std::max(1, m.nv)));
  if (broad_phase_ != nullptr) resize_pairs(8 * m.ngeom);
}

template <class Real>
void ArenaStorage<Real>::resize_contacts(int maxcon, int maxj) {
  const std::size_t count =
      contact_count(m_, std::size_t(maxcon), std::size_t(maxj)) * std::size_t(lanes_);
  bytes_ -= contacts_ ? contact_count(m_, std::size_t(arena_.maxcon), std::size_t(arena_.maxj)) *
                            std::size_t(lanes_) * sizeof(Real)
                      : 0;
  contacts_ = allocate_aligned<Real>(count);
  std::fill_n(contacts_.get(), count, Real(0));
  con_pair_ = allocate_aligned<int>(std::size_t(std::max(1, maxcon)));
  bytes_ += count * sizeof(Real);
  arena_.contacts = contacts_.get();
  arena_.con_pair = con_pair_.get();
  arena_.maxcon = maxcon;
  arena_.maxj = maxj;
}

template <class Real>
void ArenaStorage<Real>::resize_workspace(std::size_t bytes) {
  workspace_ = allocate_aligned<std::byte>(bytes);
  bytes_ += bytes - arena_.workspace_bytes;
  arena_.workspace = workspace_.get();
  arena_.workspace_bytes = bytes;
}

template <class Real>
void ArenaStorage<Real>::resize_pairs(int maxpair) {
  const auto size = [this](int n) { return collide::broad_phase_bytes(*broad_phase_, n); };
  bytes_ += size(maxpair) - (pair_memory_ ? size(arena_.maxpair) : 0);
  pair_memory_ = allocate_aligned<std::byte>(size(maxpair));
  arena_.pairs = pair_memory_.get();
  arena_.maxpair = maxpair;
}

// Grows by half beyond the need, so that a world that fills up slowly does not grow at each step.
template <class Real>
void ArenaStorage<Real>::grow(Arena<Real>& arena, const ArenaNeed& need) {
  auto& self = *static_cast<ArenaStorage*>(arena.owner);
  if (need.con > arena.maxcon || need.j > arena.maxj) {
    self.resize_contacts(need.con > arena.maxcon ? need.con + need.con / 2 : arena.maxcon,
                         need.j > arena.maxj ? need.j + need.j / 2 : arena.maxj);
  }
  if (need.workspace > arena.workspace_bytes) {
    self.resize_workspace(need.workspace + need.workspace / 2);
  }
  if (need.pair > arena.maxpair) self.resize_pairs(need.pair + need.pair / 2);
}

template class ArenaStorage<float>;
template class ArenaStorage<double>;

}  // namespace stepbench::batch
