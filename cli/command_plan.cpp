// `stepbench plan`: the cells that `run` would measure.
#include "bench/engine.h"
#include "bench/plan.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/plan_rows.h"

namespace stepbench::cli {

std::vector<reports::PlanRow> plan_rows(const bench::Plan& plan) {
  std::vector<reports::PlanRow> rows;
  for (const bench::PlannedCell& c : plan.cells) {
    rows.push_back({c.id, c.scene, c.cell, c.cost.seconds, c.cost.bytes});
  }
  return rows;
}

ExitCode command_plan(const Options& o) {
  const bench::EngineSet engines = bench::all_engines();
  const auto loader = bench::make_scene_loader();
  const auto rows = plan_rows(bench::make_plan(o.settings, *loader, engines));
  write_out(o.json ? reports::plan_json(rows, "") : reports::plan_text(rows));
  return kExitOk;
}

}  // namespace stepbench::cli
