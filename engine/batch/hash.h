// 64-bit hash of a world's state: the number that repeatability is measured with.
//
// FNV-1a is too weak per word and slow per byte; this mixes one 64-bit word per value with the
// splitmix64 finaliser (Steele, Lea, Flood 2014), chained, so that order and position both count.
// A zero is hashed as +0 whatever its sign; a NaN by its bits.
#pragma once

#include <bit>
#include <cstdint>

namespace stepbench::batch {

class StateHash {
 public:
  void add(double x) { mix(std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x)); }
  void add(float x) { mix(std::bit_cast<std::uint32_t>(x == 0 ? 0.0f : x)); }
  std::uint64_t value() const { return state_; }

 private:
  void mix(std::uint64_t word) {
    std::uint64_t z = state_ + 0x9e3779b97f4a7c15u + word * 0xff51afd7ed558ccdu;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    state_ = z ^ (z >> 31);
  }
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace stepbench::batch
