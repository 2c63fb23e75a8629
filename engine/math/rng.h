// Counter-based random numbers: Philox-4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011, sections 3.3 and 4).
//
// A number depends on (seed, world, step, stream) alone, so inputs are the same for every batch
// size, thread count and shard. Streams keep independent uses apart (noise of actuator i, start
// states, ...).
#pragma once

#include <cstdint>

#include "engine/math/trig.h"

namespace stepbench::math::inline SB_ISA {

struct Random4 {
  std::uint32_t v[4];
};

// Philox-4x32 with ten rounds.
SB_HD inline Random4 philox4x32(Random4 counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t(0xD2511F53u) * counter.v[0];
    const std::uint64_t b = std::uint64_t(0xCD9E8D57u) * counter.v[2];
    counter = {{std::uint32_t(b >> 32) ^ counter.v[1] ^ key0, std::uint32_t(b),
                std::uint32_t(a >> 32) ^ counter.v[3] ^ key1, std::uint32_t(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// 128 random bits of a world (< 2^48), a step (< 2^48) and a stream.
SB_HD inline Random4 random_bits(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                                 std::uint32_t stream) {
  const std::uint32_t high =
      std::uint32_t(world >> 32 & 0xffffu) | std::uint32_t((step >> 32 & 0xffffu) << 16);
  return philox4x32({{std::uint32_t(world), std::uint32_t(step), stream, high}},
                    std::uint32_t(seed), std::uint32_t(seed >> 32));
}

// Uniform in (0, 1), 52 bits: (n + 1/2) / 2^52.
SB_HD inline double to_uniform(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t n = (std::uint64_t(high) << 20) | (low >> 12);
  return (double(n) + 0.5) * 0x1p-52;
}
SB_HD inline double uniform(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                            std::uint32_t stream) {
  const Random4 r = random_bits(seed, world, step, stream);
  return to_uniform(r.v[0], r.v[1]);
}

#if !defined(__CUDACC__)

namespace detail {

// Eight 64-bit integers, of which Philox uses the low halves.
using Words [[gnu::vector_size(64)]] = std::uint64_t;

// Products of the low 32 bits of each with m.
SB_INLINE Words times_low(Words a, std::uint32_t m) {
#if defined(__AVX512F__)
  // Masked, since GCC 12 warns of an undefined register in the plain one.
  return Words(_mm512_maskz_mul_epu32(__mmask8(-1), __m512i(a), _mm512_set1_epi64(m)));
#elif defined(__AVX2__)
  struct Halves {
    __m256i v[2];
  };
  Halves h = __builtin_bit_cast(Halves, a);
  for (__m256i& x : h.v) x = _mm256_mul_epu32(x, _mm256_set1_epi64x(m));
  return __builtin_bit_cast(Words, h);
#else
  return (a & 0xffffffffu) * m;
#endif
}

}  // namespace detail

// out[i] = uniform(seed, world, step, stream + i) for i < n, eight at a time.
inline void uniforms(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                     std::uint32_t stream, int n, double* out) {
  using detail::Words;
  const std::uint32_t high =
      std::uint32_t(world >> 32 & 0xffffu) | std::uint32_t((step >> 32 & 0xffffu) << 16);
  const Words zero{}, count{0, 1, 2, 3, 4, 5, 6, 7};
  for (int first = 0; first < n; first += 8) {
    Words c0 = zero + std::uint32_t(world), c1 = zero + std::uint32_t(step);
    Words c2 = count + (std::uint64_t(stream) + std::uint64_t(first)), c3 = zero + high;
    std::uint32_t key0 = std::uint32_t(seed), key1 = std::uint32_t(seed >> 32);
    SB_UNROLL for (int round = 0; round < 10; ++round) {
      const Words a = detail::times_low(c0, 0xD2511F53u), b = detail::times_low(c2, 0xCD9E8D57u);
      c0 = (b >> 32) ^ c1 ^ key0;
      c1 = b;
      c2 = (a >> 32) ^ c3 ^ key1;
      c3 = a;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    // 52 bits as the mantissa of a number in [2^52, 2^53).
    const Words bits = ((c0 & 0xffffffffu) << 20) | ((c1 & 0xffffffffu) >> 12);
    const Words number = bits | 0x4330000000000000u;
    for (int i = 0; i < 8 && first + i < n; ++i) {
      out[first + i] =
          (__builtin_bit_cast(double, std::uint64_t(number[i])) - 0x1p52 + 0.5) * 0x1p-52;
    }
  }
}

#endif  // __CUDACC__

// Two independent standard normal numbers (Box and Muller 1958).
struct NormalPair {
  double a, b;
};
SB_HD inline NormalPair normal_pair(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                                    std::uint32_t stream) {
  const Random4 r = random_bits(seed, world, step, stream);
  const double radius = sqrt(-2.0 * log(to_uniform(r.v[0], r.v[1])));
  double s, c;
  sincos(6.283185307179586 * to_uniform(r.v[2], r.v[3]), s, c);
  return {radius * c, radius * s};
}
SB_HD inline double normal(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                           std::uint32_t stream) {
  return normal_pair(seed, world, step, stream).a;
}

}  // namespace stepbench::math::inline SB_ISA
