#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {

Spec restructure(const Spec& spec) { return spec; }

}  // namespace stepbench::model::detail
