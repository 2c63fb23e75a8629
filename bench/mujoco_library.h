// The real MuJoCo, loaded at run time: a peer engine and the oracle of `check`. Never linked;
// without it everything but its own rows and `check` works.
//
// Looked for in this order: the file that the environment variable STEPBENCH_MUJOCO names, the copy
// that scripts/deps unpacked (build/deps), the system's libraries. The version must be that of the
// headers this build was compiled with (4.0.0), since structures are shared.
#pragma once

#include <string>

namespace stepbench::bench {

// Version that this build can use, as mj_version() gives it; the text form is "4.0.0".
inline constexpr int kMujocoVersion = 4000000;
std::string mujoco_version_text(int version);

struct MujocoStatus {
  bool found = false;
  std::string path;     // of the library
  std::string version;  // "4.0.0"
  std::string why;      // not found: what was tried, and what helps
};

// Loads the library on the first call; thread-safe.
const MujocoStatus& mujoco_status();

}  // namespace stepbench::bench
