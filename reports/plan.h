// A plan as plan.json and as the list that `stepbench plan` shows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bench/records.h"

namespace stepbench::reports {

// One cell of a plan and what it is expected to need.
struct PlanRow {
  bench::Identity id;
  bench::SceneInfo scene;
  bench::Cell cell;
  double seconds = 0;  // wall time, all repetitions
  bench::Int bytes = 0;
};

// Everything there is to know about each cell, measured fields only; `options`: the command line
// behind it.
std::string plan_json(std::span<const PlanRow> cells, const std::string& options);

// An aligned line per cell and a last one with the sums.
std::string plan_text(std::span<const PlanRow> cells);

// plan_id of a plan.json written by plan_json; empty where it is not one.
std::string plan_id_of(std::string_view json);

}  // namespace stepbench::reports
