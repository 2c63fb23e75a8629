// Scenes as engines take them: compiled model plus the MJCF text that gives a peer the same model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/records.h"
#include "engine/model/model.h"

namespace stepbench::bench {

// What identifies a scene within a plan.
struct SceneRequest {
  std::string path;
  std::optional<int> density;                                // level of the density axis
  std::optional<double> timestep_s;                          // replaces the file's
  std::vector<std::pair<std::string, std::string>> options;  // NAME, VALUE of --option
  bool ignore_unsupported = false;

  friend bool operator==(const SceneRequest&, const SceneRequest&) = default;
};

// Seconds.
struct LoadTimes {
  double load_s = 0;     // read and parse
  double compile_s = 0;  // compile into a model
};

struct LoadedScene {
  SceneRequest request;
  std::shared_ptr<const model::Model> model;
  // Effective MJCF: includes inlined, density and overrides applied.
  std::string mjcf;
  // The file itself gives the same model: a peer then reads the user's own file, not our rewriting
  // of it.
  bool file_is_effective = false;
  std::string sha;                     // short digest of `mjcf`
  std::vector<std::string> overrides;  // name=value of everything that differs from the file
  std::vector<std::string> warnings;
  bool open = false;  // unsupported elements were ignored
  LoadTimes times;
};

class SceneLoader {
 public:
  virtual ~SceneLoader() = default;
  // Throws model::ModelError where the scene cannot be loaded.
  virtual std::shared_ptr<const LoadedScene> load(const SceneRequest& request) = 0;
};

// Loads MJCF files; keeps what it loaded, so that cells share models.
std::unique_ptr<SceneLoader> make_scene_loader();

// The scene's columns.
SceneInfo scene_info(const LoadedScene& scene);

// Names as they stand in reports.
std::string integrator_name(int integrator);
std::string cone_name(int cone);
std::string solver_name(int solver);  // newton, cg, pgs

}  // namespace stepbench::bench
