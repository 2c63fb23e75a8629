// Registration of the stage benchmarks; one function per precision, since each costs minutes to
// compile.
#pragma once

#include <memory>
#include <string>

#include "bench/start.h"
#include "engine/model/model.h"

namespace stepbench::bench::micro {

void register_f64(const std::string& scene, const std::shared_ptr<const model::Model>& m,
                  const std::shared_ptr<const StartStates>& start);
void register_f32(const std::string& scene, const std::shared_ptr<const model::Model>& m,
                  const std::shared_ptr<const StartStates>& start);

}  // namespace stepbench::bench::micro
