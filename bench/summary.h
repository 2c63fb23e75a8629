// Samples of a cell -> its summary; summaries of a plan -> scaling and ratios.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/records.h"

namespace stepbench::bench {

// `samples`: rows of one cell, at least one, in order of repetition. The status is that of the
// first row that is not ok; the speed is then left empty.
Summary summarise(std::span<const Sample> samples, const std::string& stop_rule);

// Fill in what depends on other cells: scaling_base, speedup, efficiency_frac, speedup_threads,
// efficiency_threads_frac, ratio_mujoco. Also: a cell of this engine without any contact, where the
// peer has some in the same comparison, gets status `failed` and loses its speed.
void compare_cells(std::vector<Summary>& summaries);

}  // namespace stepbench::bench
