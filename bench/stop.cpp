#include "bench/stop.h"

#include <csignal>

namespace stepbench::bench {
namespace {

StopFlag process_flag;

void handle(int signal) {
  if (signal == SIGINT && process_flag.requested()) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
    return;
  }
  process_flag.request();
}

}  // namespace

StopFlag& stop_flag() noexcept { return process_flag; }

void install_stop_handlers() {
  struct sigaction action = {};
  action.sa_handler = handle;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // writing a row must not fail half-way
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) ::sigaction(signal, &action, nullptr);
}

}  // namespace stepbench::bench
