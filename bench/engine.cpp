#include "bench/engine.h"

#include "bench/engine_stepbench.h"
#include "bench/peer_mujoco.h"

namespace stepbench::bench {

EngineSet all_engines() {
  EngineSet set;
  set.add(make_stepbench_engine());
  set.add(make_mujoco_engine());
  return set;
}

}  // namespace stepbench::bench
