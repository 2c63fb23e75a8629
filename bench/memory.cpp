#include "bench/memory.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace stepbench::bench {
namespace {

// Number after `key` in a file of "key: number" lines, or kNoInt.
Int read_keyed(const char* path, const std::string& key) {
  std::ifstream in(path);
  std::string word;
  while (in >> word) {
    if (Int v = 0; word == key && in >> v) return v;
  }
  return kNoInt;
}

Int read_number(const std::string& path) {
  std::ifstream in(path);
  Int v = 0;
  return in >> v ? v : kNoInt;
}

}  // namespace

Int available_memory() {
  const Int kib = read_keyed("/proc/meminfo", "MemAvailable:");
  Int bytes = kib < 0 ? kNoInt : kib * 1024;
  // Control groups, version 2 then 1; "max" reads as no number.
  const Int limit2 = read_number("/sys/fs/cgroup/memory.max");
  const Int used2 = read_number("/sys/fs/cgroup/memory.current");
  const Int limit1 = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const Int used1 = read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  for (const auto& [limit, used] : {std::pair{limit2, used2}, std::pair{limit1, used1}}) {
    if (limit < 0 || used < 0) continue;
    const Int left = std::max<Int>(0, limit - used);
    bytes = bytes < 0 ? left : std::min(bytes, left);
  }
  return bytes;
}

Int resident_memory() {
  std::ifstream in("/proc/self/statm");
  Int total = 0, resident = 0;
  if (!(in >> total >> resident)) return kNoInt;
  return resident * Int(::sysconf(_SC_PAGESIZE));
}

Real processor_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return Real(t.tv_sec) + 1e-9 * Real(t.tv_nsec);
}

Real clock_mhz() {
  double sum = 0;
  int count = 0;
  for (int core = 0;; ++core) {
    const Int khz = read_number("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                                "/cpufreq/scaling_cur_freq");
    if (khz < 0) break;
    sum += 1e-3 * double(khz);
    ++count;
  }
  return count == 0 ? kNoReal : sum / count;
}

int usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, int(std::thread::hardware_concurrency()));
}

}  // namespace stepbench::bench
