#include "bench/mujoco_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "bench/clock.h"
#include "bench/mujoco_api.h"

namespace stepbench::bench {

std::string mujoco_version_text(int version) {
  // Three digits each for minor and patch level since version 4; three digits in all before.
  if (version < 10000)
    return fmt::format("{}.{}.{}", version / 100, version / 10 % 10, version % 10);
  return fmt::format("{}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

namespace {

constexpr const char* kHelp =
    "get it with scripts/deps (it unpacks the mujoco-core 4.0.0 package under build/deps), or set "
    "STEPBENCH_MUJOCO to the path of libmujoco.so.4.0.0";

#ifdef SB_HAVE_MUJOCO_HEADERS

struct Loaded {
  MujocoStatus status;
  MujocoApi api;
};

// Simulations report their warnings through counters; keep the library from writing MUJOCO_LOG.TXT.
void ignore_warning(const char*) {}

// Resolve every function; empty, or what is missing.
std::string resolve(void* handle, MujocoApi& api) {
#define X(name)                                                            \
  api.name = reinterpret_cast<decltype(api.name)>(::dlsym(handle, #name)); \
  if (api.name == nullptr) return fmt::format("it has no function " #name);
  SB_MUJOCO_FUNCTIONS(X)
#undef X
  api.mju_user_warning =
      reinterpret_cast<void (**)(const char*)>(::dlsym(handle, "mju_user_warning"));
  return {};
}

Loaded load() {
  Loaded out;
  std::vector<std::string> candidates;
  const char* named = std::getenv("STEPBENCH_MUJOCO");
  if (named != nullptr && *named != '\0') {
    candidates = {named};  // what the user names is taken, or nothing is
  } else {
#ifdef SB_MUJOCO_LIBRARY
    candidates.push_back(SB_MUJOCO_LIBRARY);
#endif
    candidates.insert(candidates.end(), {"libmujoco.so.4.0.0", "libmujoco.so"});
  }
  std::string tried;
  for (const auto& path : candidates) {
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::string problem;
    if (handle == nullptr) {
      const char* error = ::dlerror();
      problem = error != nullptr ? error : path;
    } else {
      const auto version = reinterpret_cast<decltype(&::mj_version)>(::dlsym(handle, "mj_version"));
      if (version == nullptr) {
        problem = path + ": not MuJoCo";
      } else if (version() != kMujocoVersion || mjVERSION_HEADER != kMujocoVersion) {
        problem = fmt::format("{}: version {}, but {} is needed", path,
                              mujoco_version_text(version()), mujoco_version_text(kMujocoVersion));
      } else if (const auto missing = resolve(handle, out.api); !missing.empty()) {
        problem = path + ": " + missing;
      } else {
        if (out.api.mju_user_warning != nullptr) *out.api.mju_user_warning = ignore_warning;
        Dl_info info{};
        const bool known = ::dladdr(reinterpret_cast<void*>(version), &info) != 0;
        out.status = {true, known ? info.dli_fname : path, mujoco_version_text(version()), {}};
        return out;
      }
      ::dlclose(handle);
    }
    tried += (tried.empty() ? "" : "; ") + problem;
  }
  out.status.why = fmt::format("MuJoCo 4.0.0 not found ({}); {}", tried, kHelp);
  return out;
}

const Loaded& loaded() {
  static const Loaded instance = load();
  return instance;
}

#endif

}  // namespace

#ifdef SB_HAVE_MUJOCO_HEADERS

const MujocoStatus& mujoco_status() { return loaded().status; }

const MujocoApi* mujoco_api() { return loaded().status.found ? &loaded().api : nullptr; }

MujocoPtr<mjModel> mujoco_load(const std::string& path, const std::string& mjcf, LoadTimes* times) {
  const MujocoApi* api = mujoco_api();
  if (api == nullptr) throw std::runtime_error(mujoco_status().why);
  std::array<char, 1000> error{};
  const auto message = [&](const char* fallback) {
    std::string text = error[0] != '\0' ? error.data() : fallback;
    for (char& c : text) c = c == '\n' ? ' ' : c;
    return fmt::format("MuJoCo cannot load {}: {}", path, text);
  };
  const double begin = steady_seconds();
  MujocoPtr<mjSpec> spec(
      mjcf.empty()
          ? api->mj_parseXML(path.c_str(), nullptr, error.data(), int(error.size()))
          : api->mj_parseXMLString(mjcf.c_str(), nullptr, error.data(), int(error.size())));
  if (spec == nullptr) throw std::runtime_error(message("unknown error"));
  const double parsed = steady_seconds();
  MujocoPtr<mjModel> m(api->mj_compile(spec.get(), nullptr));
  if (m == nullptr) {
    const char* why = api->mjs_getError(spec.get());
    throw std::runtime_error(message(why != nullptr ? why : "unknown error"));
  }
  if (times != nullptr) *times = {parsed - begin, steady_seconds() - parsed};
  return m;
}

#else

const MujocoStatus& mujoco_status() {
  static const MujocoStatus status{
      false, {}, {}, std::string("built without MuJoCo's headers; ") + kHelp + " and build again"};
  return status;
}

#endif

}  // namespace stepbench::bench
