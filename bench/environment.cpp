#include "bench/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "bench/digest.h"
#include "bench/memory.h"
#include "bench/mujoco_library.h"
#include "build_info.h"
#include "engine/batch/batch.h"

namespace stepbench::bench {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Value of "key<blanks>separator value" lines; empty where there is none.
std::string keyed(const std::string& path, const std::string& key, char separator) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    const auto at = line.find(separator);
    if (at == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    if (line.find_first_not_of(" \t", key.size()) != at) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    if (begin == std::string::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\"") - begin + 1);
  }
  return {};
}

Int integer(const std::string& text) {
  char* end = nullptr;
  const long long v = std::strtoll(text.c_str(), &end, 10);
  return end == text.c_str() ? kNoInt : Int(v);
}

// Bytes of "32K", "2M".
Int cache_bytes(const std::string& text) {
  const Int v = integer(text);
  if (v < 0) return kNoInt;
  return text.back() == 'K' ? v << 10 : text.back() == 'M' ? v << 20 : v;
}

void read_caches(Environment& e) {
  const std::string base = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int i = 0; i < 8; ++i) {
    const auto folder = base + std::to_string(i) + "/";
    const auto level = first_line(folder + "level"), type = first_line(folder + "type");
    const Int bytes = cache_bytes(first_line(folder + "size"));
    if (level == "1" && type == "Data") e.l1d_bytes = bytes;
    if (level == "2") e.l2_bytes = bytes;
    if (level == "3") e.l3_bytes = bytes;
  }
}

// Physical cores: distinct (package, core) pairs among all processors.
void read_cores(Environment& e) {
  std::set<std::pair<std::string, std::string>> cores;
  Int processors = 0;
  for (;; ++processors) {
    const auto folder = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", processors);
    const auto core = first_line(folder + "core_id");
    if (core.empty()) break;
    cores.emplace(first_line(folder + "physical_package_id"), core);
  }
  if (!cores.empty()) {
    e.cpu_cores = Int(cores.size());
    e.smt = processors > e.cpu_cores;
  }
  e.cpu_threads = usable_threads();
  Int nodes = 0;
  while (std::filesystem::exists(fmt::format("/sys/devices/system/node/node{}", nodes))) ++nodes;
  if (nodes > 0) e.numa_nodes = nodes;
}

void read_clock(Environment& e) {
  const std::string base = "/sys/devices/system/cpu/";
  e.governor = first_line(base + "cpu0/cpufreq/scaling_governor");
  const Int khz = integer(first_line(base + "cpu0/cpufreq/cpuinfo_max_freq"));
  if (khz > 0) e.clock_max_mhz = khz / 1000;
  const auto no_turbo = first_line(base + "intel_pstate/no_turbo");
  const auto boost = first_line(base + "cpufreq/boost");
  if (!no_turbo.empty()) {
    e.boost = no_turbo == "0" ? "on" : "off";
  } else if (!boost.empty()) {
    e.boost = boost == "1" ? "on" : "off";
  }
}

std::string find_virtualization() {
  std::error_code error;
  if (std::filesystem::exists("/.dockerenv", error)) return "container";
  if (std::filesystem::exists("/run/.containerenv", error)) return "container";
  const auto flags = keyed("/proc/cpuinfo", "flags", ':');
  if ((" " + flags + " ").find(" hypervisor ") != std::string::npos) {
    const auto vendor = first_line("/sys/class/dmi/id/sys_vendor");
    return vendor.empty() ? "virtual machine" : "virtual machine (" + vendor + ")";
  }
  return {};
}

std::string find_job() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "AWS_BATCH_JOB_ID", "JOB_ID"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm tm{};
  ::gmtime_r(&now, &tm);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return text;
}

// One argument as a POSIX shell would take it back.
std::string quoted(const std::string& argument) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./=,:^+@%").find(c) != std::string_view::npos;
  };
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), plain)) return argument;
  std::string out = "'";
  for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void read_build(Environment& e) {
  namespace build = build_info;
  std::string commit = build::kCommit;
  constexpr std::string_view suffix = "-dirty";
  e.dirty = commit.ends_with(suffix);
  if (e.dirty) commit.resize(commit.size() - suffix.size());
  e.git_sha = commit;
  e.version = build::kVersion;
  e.compiler = build::kCompiler;
  e.compiler_flags = build::kFlags;
  e.build_type = build::kBuildType;
  if (*build::kSanitize != '\0') e.build_type += std::string(" -fsanitize=") + build::kSanitize;
  std::vector<std::string> isas;
  for (const auto isa : batch::available_isas()) isas.emplace_back(batch::to_string(isa));
  e.isas = fmt::format("{}", fmt::join(isas, ";"));
}

}  // namespace

Environment capture_environment(const std::vector<std::string>& args) {
  Environment e;
  e.captured_utc = utc_now();
  utsname system{};
  if (::uname(&system) == 0) {
    e.host = system.nodename;
    e.kernel = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  }
  e.os = keyed("/etc/os-release", "PRETTY_NAME", '=');
  e.cpu_model = keyed("/proc/cpuinfo", "model name", ':');
  if (e.cpu_model.empty()) e.cpu_model = system.machine;
  read_cores(e);
  read_clock(e);
  read_caches(e);
  const Int kib = integer(keyed("/proc/meminfo", "MemTotal", ':'));
  if (kib > 0) e.memory_bytes = kib * 1024;
  e.memory_available_bytes = available_memory();
  double load = 0;
  if (::getloadavg(&load, 1) == 1) e.load_average = load;
  e.virtualization = find_virtualization();
  read_build(e);
  const auto& peer = mujoco_status();
  e.mujoco_version = peer.version;
  e.mujoco_path = peer.path;
  std::vector<std::string> words;
  for (const auto& a : args) words.push_back(quoted(a));
  e.argv = fmt::format("{}", fmt::join(words, " "));
  std::error_code error;
  e.working_directory = std::filesystem::current_path(error).string();
  e.job_id = find_job();
  e.env_id = short_digest(fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", e.host, e.kernel,
                                      e.cpu_model, e.cpu_cores, e.cpu_threads, e.governor, e.boost,
                                      e.compiler, e.compiler_flags, e.version, e.git_sha, e.dirty,
                                      e.mujoco_version));
  return e;
}

RowEnvironment row_environment(const Environment& e) {
  RowEnvironment r;
  r.env_id = e.env_id;
  r.cpu_model = e.cpu_model;
  r.cpu_cores = e.cpu_cores;
  r.cpu_threads = e.cpu_threads;
  r.gpu_model = e.gpu_model;
  r.driver = e.driver;
  r.governor = e.governor;
  r.compiler = e.compiler;
  r.git_sha = e.git_sha;
  r.dirty = e.dirty;
  r.host = e.host;
  return r;
}

}  // namespace stepbench::bench
