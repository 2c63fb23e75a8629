// MuJoCo's functions by pointer. Only for files that call them; needs MuJoCo's headers.
#pragma once

#ifdef SB_HAVE_MUJOCO_HEADERS

#include <mujoco/mujoco.h>
// mujoco.h does not include it.
#include <mujoco/mjbatch.h>

#include <memory>
#include <string>

#include "bench/scene.h"

namespace stepbench::bench {

// clang-format off
#define SB_MUJOCO_FUNCTIONS(X)                                                                    \
  X(mj_version) X(mj_parseXML) X(mj_parseXMLString) X(mj_compile) X(mjs_getError) X(mj_deleteSpec) \
  X(mj_deleteModel) X(mj_makeData) X(mj_deleteData) X(mj_resetData) X(mj_resetDataKeyframe)       \
  X(mj_forward) X(mj_step) X(mj_fullM) X(mj_isSparse) X(mj_energyPos) X(mj_energyVel)             \
  X(mj_stateSize) X(mj_getState) X(mj_setState)                                                   \
  X(mjb_defaultConfig) X(mjb_makeBatch) X(mjb_deleteBatch) X(mjb_nstate) X(mjb_state)             \
  X(mjb_stateComponent) X(mjb_warning) X(mjb_step) X(mjb_status) X(mjb_error) X(mjb_apply)
// clang-format on

// Members carry the functions' own names, so that a call reads api.mj_step(m, d).
struct MujocoApi {
#define X(name) decltype(&::name) name = nullptr;
  SB_MUJOCO_FUNCTIONS(X)
#undef X
  // Warnings and errors go to these hooks of the library instead of its log file.
  void (**mju_user_warning)(const char*) = nullptr;
};

// nullptr where the library is missing; mujoco_status() says why.
const MujocoApi* mujoco_api();

struct MujocoDeleter {
  void operator()(mjModel* m) const { mujoco_api()->mj_deleteModel(m); }
  void operator()(mjData* d) const { mujoco_api()->mj_deleteData(d); }
  void operator()(mjSpec* s) const { mujoco_api()->mj_deleteSpec(s); }
  void operator()(mjBatch* b) const { mujoco_api()->mjb_deleteBatch(b); }
};
template <class T>
using MujocoPtr = std::unique_ptr<T, MujocoDeleter>;

// Compile a scene in MuJoCo: from its own file, or from text where `mjcf` is not empty. `times`, if
// not null, receives the seconds it took. Throws std::runtime_error with MuJoCo's message.
MujocoPtr<mjModel> mujoco_load(const std::string& path, const std::string& mjcf,
                               LoadTimes* times = nullptr);

}  // namespace stepbench::bench

#endif  // SB_HAVE_MUJOCO_HEADERS
