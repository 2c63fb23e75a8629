// What is built for an instruction set: one packed kernel as wide as its registers, and the single
// layout. The baseline also has a packed kernel of one lane: the reference that the widths are
// compared with.
#pragma once

#include "engine/batch/visit.h"

#if defined(SB_ISA_NAME_AVX512)
#define SB_THIS_ISA Isa::kAvx512
#elif defined(SB_ISA_NAME_AVX2)
#define SB_THIS_ISA Isa::kAvx2
#elif defined(SB_ISA_NAME_NEON)
#define SB_THIS_ISA Isa::kNeon
#else
#define SB_THIS_ISA Isa::kBaseline
#endif

#define SB_PACKED_KERNEL(Real)                                         \
  {                                                                    \
    SB_THIS_ISA, Layout::kPacked, int(SB_VECTOR_BYTES / sizeof(Real)), \
        &visit<math::Pack<Real, int(SB_VECTOR_BYTES / sizeof(Real))>>  \
  }
#define SB_SINGLE_KERNEL(Real) \
  { SB_THIS_ISA, Layout::kSingle, 1, &visit<Real> }

#if SB_VECTOR_BYTES == 16
#define SB_KERNELS(Real) \
  {SB_THIS_ISA, Layout::kPacked, 1, &visit<Real>}, SB_PACKED_KERNEL(Real), SB_SINGLE_KERNEL(Real)
#else
#define SB_KERNELS(Real) SB_PACKED_KERNEL(Real), SB_SINGLE_KERNEL(Real)
#endif
