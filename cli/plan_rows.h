// Cells of a plan as reports take them.
#pragma once

#include <vector>

#include "bench/plan.h"
#include "reports/plan.h"

namespace stepbench::cli {

std::vector<reports::PlanRow> plan_rows(const bench::Plan& plan);

}  // namespace stepbench::cli
