#include "bench/micro/register_stages.h"

namespace stepbench::bench::micro {

void register_f32(const std::string& scene, const std::shared_ptr<const model::Model>& m,
                  const std::shared_ptr<const StartStates>& start) {
  register_lane<float>(scene, "f32x1", m, start);
  if (m->nv > 64) return;  // larger worlds do not run packed
  constexpr int kLanes = kRegisterLanes<float>;
  register_lane<math::Pack<float, kLanes>>(scene, "f32x" + std::to_string(kLanes), m, start);
}

}  // namespace stepbench::bench::micro
