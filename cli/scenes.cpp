#include "cli/scenes.h"

#include <fmt/format.h>

#include "cli/output.h"

namespace stepbench::cli {

std::shared_ptr<const bench::LoadedScene> load_scene(const bench::Settings& s,
                                                     const std::string& path) {
  auto scene = bench::make_scene_loader()->load(
      {path, s.densities.front(), s.timesteps_s.front(), s.options, s.ignore_unsupported});
  show_warnings(*scene);
  return scene;
}

void show_warnings(const bench::LoadedScene& scene) {
  for (const std::string& w : scene.warnings) complain(fmt::format("warning: {}", w));
}

}  // namespace stepbench::cli
