// Memory of one thread's arena: cache-line aligned blocks that grow on a kernel's request.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "engine/batch/kernel.h"

namespace stepbench::batch {

struct FreeDeleter {
  void operator()(void* p) const { std::free(p); }
};

// `count` values on a cache line, not yet touched: pages go to the thread that first writes them.
template <class T>
std::unique_ptr<T[], FreeDeleter> allocate_aligned(std::size_t count) {
  const std::size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
  void* p = std::aligned_alloc(64, bytes == 0 ? 64 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T[], FreeDeleter>(static_cast<T*>(p));
}

template <class Real>
class ArenaStorage {
 public:
  // lanes: values per element. Starts with room for `maxcon` contact slots.
  ArenaStorage(const model::Params<Real>& m, const collide::BroadPhaseParams<Real>* broad_phase,
               int lanes, int maxcon);
  ArenaStorage(const ArenaStorage&) = delete;
  ArenaStorage& operator=(const ArenaStorage&) = delete;

  Arena<Real>& arena() { return arena_; }
  VisitResult<Real>& result() { return result_; }
  std::size_t bytes() const { return bytes_; }

 private:
  static void grow(Arena<Real>& arena, const ArenaNeed& need);
  void resize_contacts(int maxcon, int maxj);
  void resize_workspace(std::size_t bytes);
  void resize_pairs(int maxpair);

  const model::Params<Real>& m_;
  const collide::BroadPhaseParams<Real>* broad_phase_;  // null: no memory for pairs
  int lanes_;
  std::unique_ptr<Real[], FreeDeleter> fixed_, contacts_, result_memory_;
  std::unique_ptr<int[], FreeDeleter> con_pair_;
  std::unique_ptr<std::byte[], FreeDeleter> workspace_, pair_memory_;
  Arena<Real> arena_;
  VisitResult<Real> result_{};
  std::size_t bytes_ = 0;
};

}  // namespace stepbench::batch
