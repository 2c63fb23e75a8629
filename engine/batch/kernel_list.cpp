// Every kernel of the program, gathered from the builds of each instruction set.
#include <vector>

#include "engine/batch/kernel.h"

#define SB_DECLARE(isa)                      \
  namespace stepbench::batch::isa {          \
  extern const Kernel<float> kKernelsF32[];  \
  extern const int kNumKernelsF32;           \
  extern const Kernel<double> kKernelsF64[]; \
  extern const int kNumKernelsF64;           \
  extern const RandomKernel kRandom;         \
  }
#define SB_APPEND(isa)                                                             \
  f32.insert(f32.end(), isa::kKernelsF32, isa::kKernelsF32 + isa::kNumKernelsF32); \
  f64.insert(f64.end(), isa::kKernelsF64, isa::kKernelsF64 + isa::kNumKernelsF64); \
  random.push_back(isa::kRandom);

#if defined(SB_HAVE_ISA_BASELINE)
SB_DECLARE(isa_baseline)
#endif
#if defined(SB_HAVE_ISA_AVX2)
SB_DECLARE(isa_avx2)
#endif
#if defined(SB_HAVE_ISA_AVX512)
SB_DECLARE(isa_avx512)
#endif
#if defined(SB_HAVE_ISA_NEON)
SB_DECLARE(isa_neon)
#endif

namespace stepbench::batch {

namespace {

struct Lists {
  std::vector<Kernel<float>> f32;
  std::vector<Kernel<double>> f64;
  std::vector<RandomKernel> random;
  Lists() {
#if defined(SB_HAVE_ISA_BASELINE)
    SB_APPEND(isa_baseline)
#endif
#if defined(SB_HAVE_ISA_AVX2)
    SB_APPEND(isa_avx2)
#endif
#if defined(SB_HAVE_ISA_AVX512)
    SB_APPEND(isa_avx512)
#endif
#if defined(SB_HAVE_ISA_NEON)
    SB_APPEND(isa_neon)
#endif
  }
};

const Lists& lists() {
  static const Lists all;
  return all;
}

}  // namespace

std::span<const RandomKernel> random_kernels() { return lists().random; }

template <>
std::span<const Kernel<float>> kernels<float>() {
  return lists().f32;
}
template <>
std::span<const Kernel<double>> kernels<double>() {
  return lists().f64;
}

}  // namespace stepbench::batch
