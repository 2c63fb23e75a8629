// A flag that a signal handler may set: measuring ends after the current repetition.
#pragma once

#include <atomic>

namespace stepbench::bench {

class StopFlag {
 public:
  // Signal-safe.
  void request() noexcept { flag_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return flag_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> flag_ = false;
};

// The process's own flag. SIGINT and SIGTERM (and SIGUSR1, which batch systems send ahead of the
// end) set it once this was called; a second SIGINT ends the process at once.
StopFlag& stop_flag() noexcept;
void install_stop_handlers();

}  // namespace stepbench::bench
