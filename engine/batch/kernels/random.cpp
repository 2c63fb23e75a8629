// Random numbers for inputs, for one instruction set.
#include "engine/batch/kernel.h"
#include "engine/batch/kernels/kernel_table.h"
#include "engine/math/rng.h"

namespace stepbench::batch::inline SB_ISA {

extern const RandomKernel kRandom;

const RandomKernel kRandom = {SB_THIS_ISA, &math::uniforms};

}  // namespace stepbench::batch::inline SB_ISA
