// Time, as a parameter: tests measure with a clock of their own.
#pragma once

#include <chrono>
#include <functional>

namespace stepbench::bench {

// Seconds of a monotonic clock.
using Clock = std::function<double()>;

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline Clock steady_clock() { return steady_seconds; }

}  // namespace stepbench::bench
