// Which kernel runs a model: the resolution of BatchOptions' automatic choices.
#pragma once

#include "engine/batch/kernel.h"
#include "engine/contact/context.h"

namespace stepbench::model {
struct Model;
}

namespace stepbench::batch {

// Largest world that runs packed. More dofs no longer fit the packed solvers' sets of dofs. Bodies
// that move freely touch each other and couple their rows: beyond this many of their dofs, islands
// solved one by one are faster (16 bodies in a bin, 96 dofs: 3.3 times). More pairs than this cost
// more to test in every lane than a broad phase costs per world.
using contact::kMaxPackedDofs;
inline constexpr int kMaxPackedFreeDofs = 64;
inline constexpr std::size_t kMaxStaticPairs = 4096;

// Layout that kAuto stands for: a function of the model alone.
Layout auto_layout(const model::Model& m);

// Whether pairs are found anew in each step instead of being listed once.
inline bool needs_broad_phase(Layout layout, std::size_t pairs_bound) {
  return layout == Layout::kSingle && pairs_bound > kMaxStaticPairs;
}

// Options without kAuto, and checked against the model and this machine.
// Throws std::invalid_argument with a message for a person.
BatchOptions resolve(const model::Model& m, BatchOptions o);

// The kernel of resolved options.
template <class Real>
const Kernel<Real>& find_kernel(const BatchOptions& resolved);

bool cpu_runs(Isa isa);

}  // namespace stepbench::batch
