// Which world stands in which place of a batch, and the sorting of worlds by work.
//
// A pack waits for its slowest lane: it makes as many solver iterations as that lane, and carries
// as many places for contacts between moving bodies as its fullest lane needs. Worlds that needed
// alike of late are therefore moved next to each other. A world's bits do not depend on its
// neighbours, so that the order shows in the speed alone. Source: packed_contacts.md 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench::batch {

// What a world needed, summed over some steps.
struct Work {
  float iterations = 0;    // of the solver
  float coupled_rows = 0;  // constraint rows between two moving bodies
};

class WorldOrder {
 public:
  static constexpr std::size_t kBytesPerWorld = 2 * sizeof(std::int32_t);

  // Starts with world w in place w; nworld < 2^31.
  explicit WorldOrder(std::int64_t nworld);

  std::int64_t place(std::int64_t world) const { return place_[size_t(world)]; }
  std::int64_t world(std::int64_t place) const { return world_[size_t(place)]; }

  // work[i] belongs to place begin + i. Fills `from` with the place whose world shall stand at
  // begin + i, most work first. False: packs of `lanes` would hardly wait less, so leave all where
  // it is.
  static bool plan(std::int64_t begin, std::span<const Work> work, int lanes,
                   std::vector<std::int32_t>& from);

  // The worlds of the places from[i] now stand at begin + i; `from` holds these places in some
  // order. Different ranges may be permuted by several threads at once.
  void permute(std::int64_t begin, std::span<const std::int32_t> from);

 private:
  std::vector<std::int32_t> place_, world_;
};

}  // namespace stepbench::batch
