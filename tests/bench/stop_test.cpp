#include "bench/stop.h"

#include <gtest/gtest.h>

#include <csignal>

#include "bench/memory.h"

namespace stepbench::bench {
namespace {

TEST(Stop, SignalsSetTheFlag) {
  EXPECT_FALSE(stop_flag().requested());
  install_stop_handlers();
  std::raise(SIGTERM);
  EXPECT_TRUE(stop_flag().requested());
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) std::signal(signal, SIG_DFL);
}

TEST(Memory, TheSystemTells) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_GT(resident_memory(), 1 << 20);
  EXPECT_GE(usable_threads(), 1);
  const double before = processor_seconds();
  double x = 1;
  for (int i = 0; i < 1'000'000; ++i) x += 1 / x;
  EXPECT_GT(processor_seconds(), before) << x;
}

}  // namespace
}  // namespace stepbench::bench
