// Time of the phases of steps, in ticks of the processor's constant-rate counter.
#pragma once

#include <cstdint>

#include "engine/batch/batch.h"
#include "engine/math/target.h"

namespace stepbench::batch::inline SB_ISA {

class PhaseClock {
 public:
  // Adds to ticks[kNumPhases]; null: measures nothing.
  explicit PhaseClock(std::uint64_t* ticks) : ticks_(ticks) {}

  void start() {
    if (ticks_ != nullptr) last_ = now();
  }
  // The time since the last call belongs to `phase`.
  void end(Phase phase) {
    if (ticks_ == nullptr) return;
    const std::uint64_t t = now();
    ticks_[int(phase)] += t - last_;
    last_ = t;
  }

 private:
  static std::uint64_t now() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t t;
    asm volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return 0;
#endif
  }

  std::uint64_t* ticks_;
  std::uint64_t last_ = 0;
};

}  // namespace stepbench::batch::inline SB_ISA
