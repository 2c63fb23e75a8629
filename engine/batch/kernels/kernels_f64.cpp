// Step code in double precision for one instruction set.
#include "engine/batch/kernels/kernel_table.h"

namespace stepbench::batch::inline SB_ISA {

extern const Kernel<double> kKernelsF64[];
extern const int kNumKernelsF64;

const Kernel<double> kKernelsF64[] = {SB_KERNELS(double)};
const int kNumKernelsF64 = int(sizeof(kKernelsF64) / sizeof(kKernelsF64[0]));

}  // namespace stepbench::batch::inline SB_ISA
