// Names of the choices of BatchOptions, as they stand on the command line and in reports.
#include "engine/batch/batch.h"

namespace stepbench::batch {

std::string_view to_string(Precision p) { return p == Precision::kF32 ? "f32" : "f64"; }

std::string_view to_string(Layout l) {
  switch (l) {
    case Layout::kPacked:
      return "packed";
    case Layout::kSingle:
      return "single";
    default:
      return "auto";
  }
}

std::string_view to_string(Isa i) {
  switch (i) {
    case Isa::kBaseline:
      return "baseline";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kNeon:
      return "neon";
    default:
      return "auto";
  }
}

}  // namespace stepbench::batch
