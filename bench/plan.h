// Axes -> ordered list of cells, with identifiers, status and cost of each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/engine.h"
#include "bench/records.h"
#include "bench/scene.h"
#include "bench/settings.h"

namespace stepbench::bench {

// What a cell is expected to need. A rough guide for time limits of batch jobs, not a promise.
struct CostEstimate {
  double seconds = 0;  // wall time, all repetitions
  Int bytes = 0;       // states and working memory
};

struct PlannedCell {
  Identity id;  // status other than ok: the cell cannot run, status_detail says why
  SceneInfo scene;
  Cell cell;
  std::shared_ptr<const LoadedScene> loaded;
  batch::BatchOptions options;  // resolved where the engine can run
  CostEstimate cost;
  std::string
      group;      // cells of one group are compared with each other: same steps of the same worlds
  int shard = 1;  // part of the plan it belongs to, from 1

  bool runnable() const { return id.status == kOk; }
};

struct Plan {
  std::string plan_id;
  Settings settings;
  std::vector<PlannedCell> cells;  // all shards
  // Cells of this process's shard.
  std::vector<const PlannedCell*> mine() const;
};

// Throws UsageError (impossible axes) and model::ModelError (a scene cannot be loaded).
// Cells that cannot run on this machine are part of the plan, with their status.
Plan make_plan(const Settings& settings, SceneLoader& loader, const EngineSet& engines);

// The contact model that `requested` (`file` or a name) means for a scene whose file asks for
// `solver` (model::Solver). A solver that does not exist here yet is replaced by newton, which has
// the same minimiser; `substitution` then says so for the overrides column. Throws UsageError:
// unknown name.
struct ContactChoice {
  std::string model;
  std::string substitution;  // empty: none
};
ContactChoice choose_contact(const std::string& requested, int solver,
                             const std::vector<std::string>& available);

}  // namespace stepbench::bench
