// The core's peak: operations per second of independent fused multiply-adds in full registers.
#pragma once

#include <algorithm>
#include <chrono>

#include "engine/math/lane.h"

namespace stepbench::bench::micro {

// FLOP/s of one core in packs of this type, measured for some 50 ms.
template <class Lane>
double measure_peak() {
  using Real = math::RealOf<Lane>;
  using Clock = std::chrono::steady_clock;
  constexpr int kChains = 12, kRounds = 20'000;  // enough chains to hide an fma's latency
  double best = 0;
  for (int run = 0; run < 20; ++run) {
    Lane x[kChains];
    for (int i = 0; i < kChains; ++i) x[i] = Lane(Real(i));
    const Lane a(Real(0.999)), b(Real(0.001));
    const auto begin = Clock::now();
    for (int round = 0; round < kRounds; ++round) {
      SB_UNROLL
      for (int i = 0; i < kChains; ++i) x[i] = fma(x[i], a, b);
    }
    const double s = std::chrono::duration<double>(Clock::now() - begin).count();
    Lane sum = x[0];
    for (int i = 1; i < kChains; ++i) sum = sum + x[i];
    // Uses the result; the chains converge to 1.
    if (math::get(sum, 0) > Real(0)) {
      best = std::max(best, 2.0 * kChains * kRounds * math::kWidth<Lane> / s);
    }
  }
  return best;
}

}  // namespace stepbench::bench::micro
