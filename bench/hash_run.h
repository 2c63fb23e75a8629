// State hashes of a batch after a number of steps: what `hash` prints and `--expect-hash` compares.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/engine.h"
#include "bench/settings.h"

namespace stepbench::bench {

struct HashResult {
  std::vector<std::uint64_t> worlds;  // one hash per world
  std::uint64_t combined = 0;         // order-independent combination: the column state_hash
};

// Steps the first world count of `settings` from its start states with its inputs, and hashes.
// Contact model, precision and threads are the first of their lists. Throws CellError and
// UsageError.
HashResult hash_after(Engine& engine, const std::shared_ptr<const LoadedScene>& scene,
                      const Settings& settings, std::int64_t steps);

// The batch options that the first value of every axis stands for.
batch::BatchOptions first_options(const LoadedScene& scene, const Settings& settings);

}  // namespace stepbench::bench
