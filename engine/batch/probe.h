// One evaluation of the step for one world, laid open: for `check`, `trace`, energies and tests.
//
// Runs the packed stages on one lane in ordinary code. Since a world's bits do not depend on the
// lane width or the instruction set, this is what a batch computes, whatever kernel steps it.
#pragma once

#include "engine/batch/kernel.h"

namespace stepbench::batch {

// Energy at a state.
template <class Real>
Energy probe_energy(const model::Params<Real>& params, const WorldState& s);

// Everything up to the constrained acceleration at a state. `options` must be resolved.
template <class Real>
Forward probe_forward(const model::Model& m, const model::Params<Real>& params,
                      const BatchOptions& options, const WorldState& s);

}  // namespace stepbench::batch
