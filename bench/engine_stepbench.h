// This project's own engine behind the measurement interface.
#pragma once

#include <memory>

#include "bench/engine.h"

namespace stepbench::bench {

std::shared_ptr<Engine> make_stepbench_engine();

}  // namespace stepbench::bench
