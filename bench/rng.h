// Counter-based random numbers: the value depends on (seed, stream, world, step, index) and on nothing
// else, so that inputs are the same for every engine, world count, thread count and shard.
//
// Philox4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11, section 3.3. Integer arithmetic throughout; the conversion to [-1, 1) is exact.
#pragma once

#include <array>
#include <cstdint>

namespace stepbench::bench {

// What a number is drawn for; keeps the streams of different uses apart.
enum class Stream : std::uint32_t { kControls = 1, kPrototype = 2, kPrototypePose = 3, kWorld = 4, kOrder = 5 };

inline std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                               std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key[0], std::uint32_t(b),
               std::uint32_t(a >> 32) ^ counter[3] ^ key[1], std::uint32_t(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// 64 random bits. `world` and `step` count up to 2^40; `index` numbers the values of one step, < 2^16.
inline std::uint64_t random_bits(std::uint64_t seed, Stream stream, std::int64_t world,
                                 std::int64_t step, std::uint32_t index) {
  const auto w = std::uint64_t(world), s = std::uint64_t(step);
  const auto r = philox4x32(
      {std::uint32_t(w), std::uint32_t(s), std::uint32_t((w >> 32) << 16 ^ (s >> 32)),
       std::uint32_t(stream) << 16 ^ index},
      {std::uint32_t(seed), std::uint32_t(seed >> 32)});
  return std::uint64_t(r[0]) << 32 | r[1];
}

// Uniform in [-1, 1), 53 bits.
inline double random_symmetric(std::uint64_t seed, Stream stream, std::int64_t world,
                               std::int64_t step, std::uint32_t index) {
  const auto bits = random_bits(seed, stream, world, step, index) >> 11;
  return double(bits) * 0x1p-52 - 1.0;
}

// Uniform integer in [0, n), 1 <= n <= 2^32; the bias is below n / 2^32.
inline std::uint64_t random_below(std::uint64_t n, std::uint64_t seed, Stream stream,
                                  std::int64_t world, std::int64_t step, std::uint32_t index) {
  const auto bits = random_bits(seed, stream, world, step, index) >> 32;
  return (bits * n) >> 32;
}

}  // namespace stepbench::bench
