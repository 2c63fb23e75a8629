#include "bench/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/controls.h"
#include "bench/digest.h"
#include "bench/error.h"
#include "bench/memory.h"

namespace stepbench::bench {
namespace {

// Share of the available memory that one cell may need.
constexpr double kMemoryShare = 0.8;

std::string requested_layout(const Settings& s) {
  return fmt::format("{}/{}/{}/{}", batch::to_string(s.layout), batch::to_string(s.isa), s.lanes,
                     s.sort ? "on" : "off");
}

// Seconds per step of one world on one thread, to within a factor of a few (figures of MuJoCo on a
// server core: 0.35 us per dof and about 1 us per contact; large islands cost more than linearly).
double guess_step_seconds(const SceneInfo& scene, const Cell& cell) {
  const double nv = double(scene.nv);
  const double peer = 1e-6 * (0.2 + 0.7 * nv * (1 + nv / 300));
  if (cell.engine != "stepbench") return peer;
  return peer / (cell.precision == "f32" ? 8 : 4);
}

double guess_cell_seconds(const PlannedCell& c, const Rules& rules) {
  const double threads = double(std::min(c.cell.threads, c.cell.worlds));
  const double step = guess_step_seconds(c.scene, c.cell) * double(c.cell.worlds) / threads;
  // Warm-up and repeatability runs cost about a repetition each; no repetition is shorter than a
  // step.
  const double slow = step * (rules.min_reps + 40);
  return std::max(rules.max_time_s * 1.3, slow);
}

class Builder {
 public:
  Builder(const Settings& s, SceneLoader& loader, const EngineSet& engines)
      : settings_(s), loader_(loader), engines_(engines) {
    if (settings_.threads.empty()) settings_.threads = {usable_threads()};
    if (settings_.engines.empty()) {
      settings_.engines = {"stepbench"};
      Engine* peer = engines.find("mujoco");
      if (peer != nullptr && peer->missing().empty()) settings_.engines.push_back("mujoco");
    }
    check();
  }

  Plan build() {
    for (const auto& path : settings_.scenes) {
      for (const auto& density : settings_.densities) {
        for (const auto& timestep : settings_.timesteps_s) {
          add_scene({path, density, timestep, settings_.options, settings_.ignore_unsupported});
        }
      }
    }
    finish();
    return std::move(plan_);
  }

 private:
  void check() const {
    const auto& s = settings_;
    const auto require = [](bool ok, const char* message) {
      if (!ok) throw UsageError(message);
    };
    require(!s.scenes.empty(), "no scene given");
    require(!s.densities.empty() && !s.timesteps_s.empty() && !s.controls.empty() &&
                !s.worlds.empty() && !s.devices.empty() && !s.contacts.empty() &&
                !s.precisions.empty(),
            "an axis has no values");
    for (const auto w : s.worlds) require(w >= 1, "--worlds: must be at least 1");
    for (const auto t : s.threads) require(t >= 1, "--threads: must be at least 1");
    for (const auto& t : s.timesteps_s) require(!t || *t > 0, "--timestep: must be positive");
    for (const auto& d : s.densities) require(!d || *d >= 0, "--density: must be 0 or more");
    require(s.control_period >= 1, "--control-period: must be at least 1 step");
    require(s.settle >= 0, "--settle: must be 0 or more steps");
    require(s.lanes >= 0, "--lanes: must be 0 (automatic) or more");
    require(s.max_contacts >= 0, "--max-contacts: must be 0 (no limit) or more");
    require(s.start == "spread" || s.start == "file", "--start: choose from spread, file");
    require(s.rules.min_reps >= 1, "--min-reps: must be at least 1");
    require(s.rules.max_reps >= s.rules.min_reps, "--max-reps: must not be below --min-reps");
    require(s.rules.max_noise > 0, "--max-noise: must be positive");
    require(s.rules.max_time_s > 0, "--max-time: must be positive");
    require(s.rules.window_s > 0, "the length of a repetition must be positive");
    for (const auto& name : s.engines) {
      if (engines_.find(name) == nullptr) {
        throw UsageError(fmt::format("--engine: '{}' is not known; choose from {}", name,
                                     fmt::join(engines_.names(), ", ")));
      }
    }
  }

  void add_scene(const SceneRequest& request) {
    loaded_ = loader_.load(request);
    if (settings_.keyframe >= loaded_->model->nkey) {
      throw UsageError(fmt::format("--keyframe: {} does not exist; {} has {} key frames",
                                   settings_.keyframe, request.path, loaded_->model->nkey));
    }
    scene_ = scene_info(*loaded_);
    ++scene_number_;
    for (const auto& controls : settings_.controls) {
      // Reads a replay file, so that a bad one is a usage error and not a failed cell.
      make_controls(*loaded_->model, {controls, settings_.control_period, 0, settings_.keyframe});
      for (const auto worlds : settings_.worlds) {
        for (const auto threads : settings_.threads) {
          Cell cell;
          cell.worlds = worlds;
          cell.threads = threads;
          cell.ctrl_profile = controls;
          add_engines(cell);
        }
      }
    }
  }

  void add_engines(Cell cell) {
    const auto group =
        fmt::format("{}/{}/{}/{}", scene_number_, cell.ctrl_profile, cell.worlds, cell.threads);
    for (const auto& engine : settings_.engines) {
      cell.engine = engine;
      if (engine != "stepbench") {
        // A peer runs the file's own solver in the one precision it has, on the CPU: one row.
        cell.device = "cpu";
        cell.precision = "f64";
        cell.solver = solver_name(loaded_->model->opt.solver);
        add_cell(cell, {}, group);
        continue;
      }
      for (const auto& device : settings_.devices) {
        for (const auto& contact : settings_.contacts) {
          const auto choice =
              choose_contact(contact, loaded_->model->opt.solver, batch::contact_model_names());
          for (const auto& precision : settings_.precisions) {
            cell.device = device;
            cell.precision = precision;
            cell.solver = choice.model;
            add_cell(cell, choice.substitution, group);
          }
        }
      }
    }
  }

  void add_cell(const Cell& axes, const std::string& substitution, const std::string& group) {
    PlannedCell c;
    c.loaded = loaded_;
    c.scene = scene_;
    c.group = group;
    c.cell = axes;
    c.cell.timestep_s = loaded_->model->opt.timestep;
    if (loaded_->request.density) c.cell.density_level = *loaded_->request.density;
    c.cell.control_period = settings_.control_period;
    c.cell.start = settings_.start;
    c.cell.settle_steps = settings_.settle;
    c.cell.seed = Int(settings_.seed);
    c.cell.sleep = "off";
    c.cell.sync_mode = "complete";
    c.id.status = kOk;
    add_overrides(c, substitution);
    for (int twin = 0;; ++twin) {
      identify(c, twin);
      const auto same = [&](const PlannedCell& other) { return other.id.cell_id == c.id.cell_id; };
      const auto found = std::find_if(plan_.cells.begin(), plan_.cells.end(), same);
      if (found == plan_.cells.end()) break;
      // The same combination can come from two spellings (contact `file` and `newton`). Two files
      // of the same content are two scenes.
      if (found->scene.scene == c.scene.scene) return;
    }
    resolve(c);
    plan_.cells.push_back(std::move(c));
  }

  void add_overrides(PlannedCell& c, const std::string& substitution) {
    auto overrides = loaded_->overrides;
    if (!substitution.empty()) overrides.push_back(substitution);
    if (c.cell.engine == "stepbench") {
      const batch::BatchOptions defaults;
      if (settings_.max_contacts != defaults.max_contacts) {
        overrides.push_back(fmt::format("max_contacts={}", settings_.max_contacts));
      }
      if (c.cell.solver.starts_with("comfree")) {
        if (settings_.comfree_stiffness != defaults.comfree_stiffness) {
          overrides.push_back(fmt::format("comfree_stiffness={}", settings_.comfree_stiffness));
        }
        if (settings_.comfree_damping != defaults.comfree_damping) {
          overrides.push_back(fmt::format("comfree_damping={}", settings_.comfree_damping));
        }
      }
    }
    c.scene.overrides = fmt::format("{}", fmt::join(overrides, ";"));
    if (!overrides.empty() || loaded_->open) c.id.marks = kOpen;
  }

  // The identifier holds what was asked for, not what this machine made of it, so that runs on
  // different machines can be laid side by side. `twin`: cells of this plan that are equal but for
  // the name of their scene file.
  void identify(PlannedCell& c, int twin) const {
    const auto& x = c.cell;
    const std::string layout = x.engine == "stepbench" ? requested_layout(settings_) : "";
    auto text = fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", c.scene.scene_sha,
                            x.engine, x.device, x.threads, x.worlds, x.precision, x.timestep_s,
                            x.solver, x.density_level, x.ctrl_profile, x.control_period, x.start,
                            x.settle_steps, x.seed, settings_.keyframe, layout, c.scene.overrides);
    if (twin > 0) text += fmt::format("|{}", twin);
    c.id.cell_id = short_digest(text);
  }

  void resolve(PlannedCell& c) {
    auto& o = c.options;
    o.precision = c.cell.precision == "f32" ? batch::Precision::kF32 : batch::Precision::kF64;
    o.layout = settings_.layout;
    o.isa = settings_.isa;
    o.lanes = settings_.lanes;
    o.sort = settings_.sort;
    o.threads = int(c.cell.threads);
    o.contact = c.cell.solver;
    o.comfree_stiffness = settings_.comfree_stiffness;
    o.comfree_damping = settings_.comfree_damping;
    o.max_contacts = settings_.max_contacts;
    const auto refuse = [&](const std::string& status, const std::string& detail) {
      c.id.status = status;
      c.id.status_detail = detail;
    };
    if (c.cell.device != "cpu") {
      refuse(kNoDevice, fmt::format("this build has no {} backend", c.cell.device));
      return;
    }
    Engine& engine = *engines_.find(c.cell.engine);
    if (const auto why = engine.missing(); !why.empty()) {
      refuse(kNoDevice, why);
      return;
    }
    try {
      const InstanceRequest request{c.loaded, c.cell.worlds, o};
      o = engine.resolve(request);
      if (c.cell.engine == "stepbench") {
        c.cell.layout = batch::to_string(o.layout);
        c.cell.isa = batch::to_string(o.isa);
        c.cell.lanes = o.lanes;
        c.cell.sort = o.sort ? "on" : "off";
      }
      const auto need = engine.estimate({c.loaded, c.cell.worlds, o});
      const double bytes = double(need.state_bytes) + double(need.scratch_bytes);
      c.cost = {guess_cell_seconds(c, settings_.rules), Int(std::min(bytes, 9e18))};
      const Int available = available_memory();
      if (available >= 0 && bytes > kMemoryShare * double(available)) {
        refuse(kOutOfMemory,
               fmt::format("needs {:.1f} GB, {:.1f} GB are available; fewer worlds fit",
                           1e-9 * bytes, 1e-9 * double(available)));
      }
    } catch (const CellError& e) {
      refuse(e.status(), e.what());
    }
  }

  // Whole groups go to one shard, the next group to the lightest so far: numbers of different
  // machines must not be compared with each other in silence.
  void finish() {
    std::string list;
    std::vector<double> load(std::size_t(settings_.shard.count), 0.0);
    std::size_t shard = 0;
    const std::string* group = nullptr;
    for (std::size_t i = 0; i < plan_.cells.size(); ++i) {
      auto& c = plan_.cells[i];
      list += c.id.cell_id;
      if (group == nullptr || c.group != *group) {
        shard = std::size_t(std::min_element(load.begin(), load.end()) - load.begin());
      }
      group = &c.group;
      // From the axes alone: every node of a cluster must come to the same split.
      load[shard] += guess_cell_seconds(c, settings_.rules);
      c.shard = int(shard) + 1;
      c.id.cell = Int(i);
    }
    plan_.plan_id = short_digest(list);
    for (auto& c : plan_.cells) {
      c.id.plan_id = plan_.plan_id;
      c.id.schema_version = kSchemaVersion;
      c.id.shard = fmt::format("{}/{}", c.shard, settings_.shard.count);
    }
    plan_.settings = settings_;
  }

  Settings settings_;
  SceneLoader& loader_;
  const EngineSet& engines_;
  Plan plan_;
  std::shared_ptr<const LoadedScene> loaded_;
  SceneInfo scene_;
  int scene_number_ = -1;
};

}  // namespace

std::vector<const PlannedCell*> Plan::mine() const {
  std::vector<const PlannedCell*> out;
  for (const auto& c : cells) {
    if (c.shard == settings.shard.index) out.push_back(&c);
  }
  return out;
}

Plan make_plan(const Settings& settings, SceneLoader& loader, const EngineSet& engines) {
  return Builder(settings, loader, engines).build();
}

ContactChoice choose_contact(const std::string& requested, int solver,
                             const std::vector<std::string>& available) {
  const auto exists = [&](const std::string& name) {
    return std::find(available.begin(), available.end(), name) != available.end();
  };
  const bool from_file = requested == "file";
  const std::string name = from_file ? solver_name(solver) : requested;
  if (exists(name)) return {name, {}};
  // CG and PGS minimise the same convex cost as Newton.
  if (name == "cg" || name == "pgs") {
    return {"newton", fmt::format("solver=newton({}:{})", from_file ? "file" : "asked", name)};
  }
  throw UsageError(fmt::format("--contact: '{}' is not known; choose from file, {}", requested,
                               fmt::join(available, ", ")));
}

}  // namespace stepbench::bench
