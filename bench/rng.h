// Random numbers of this folder, on the counter-based generator of engine/math/rng.h: the value
// depends on (seed, stream, world, step, index) and on nothing else, so that start states and
// inputs are the same for every engine, world count, thread count and shard.
#pragma once

#include <cstdint>
#include <span>

#include "engine/batch/batch.h"
#include "engine/math/rng.h"

namespace stepbench::bench {

// What a number is drawn for; keeps the streams of different uses apart.
enum class Stream : std::uint32_t {
  kControls = 1,
  kPrototypeVelocity = 2,
  kPrototypePose = 3,
  kWorld = 4,
  kOrder = 5
};

// Uniform in (-1, 1). `world` and `step` below 2^48; `index` numbers the values of one step, <
// 2^16.
inline double random_symmetric(std::uint64_t seed, Stream stream, std::int64_t world,
                               std::int64_t step, std::uint32_t index) {
  return 2 * math::uniform(seed, std::uint64_t(world), std::uint64_t(step),
                           std::uint32_t(stream) << 16 | index) -
         1;
}

// The same for the indices index, index + 1, ...
inline void random_symmetric(std::uint64_t seed, Stream stream, std::int64_t world,
                             std::int64_t step, std::uint32_t index, std::span<double> out) {
  batch::random_uniforms(seed, std::uint64_t(world), std::uint64_t(step),
                         std::uint32_t(stream) << 16 | index, out);
  for (double& x : out) x = 2 * x - 1;
}

// Uniform integer in [0, n), 1 <= n <= 2^32; the bias is below n / 2^32.
inline std::uint64_t random_below(std::uint64_t n, std::uint64_t seed, Stream stream,
                                  std::int64_t world, std::int64_t step, std::uint32_t index) {
  const auto bits = math::random_bits(seed, std::uint64_t(world), std::uint64_t(step),
                                      std::uint32_t(stream) << 16 | index);
  return (std::uint64_t(bits.v[0]) * n) >> 32;
}

}  // namespace stepbench::bench
