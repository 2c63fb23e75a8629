// Step code in single precision for one instruction set.
#include "engine/batch/kernels/kernel_table.h"

namespace stepbench::batch::inline SB_ISA {

extern const Kernel<float> kKernelsF32[];
extern const int kNumKernelsF32;

const Kernel<float> kKernelsF32[] = {SB_KERNELS(float)};
const int kNumKernelsF32 = int(sizeof(kKernelsF32) / sizeof(kKernelsF32[0]));

}  // namespace stepbench::batch::inline SB_ISA
