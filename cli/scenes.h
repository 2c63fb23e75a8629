// What commands for a single scene have in common.
#pragma once

#include <memory>
#include <string>

#include "bench/scene.h"
#include "bench/settings.h"

namespace stepbench::cli {

// Loads a scene with the front of its axes (density, timestep) and --option; warnings of the loader
// go to standard error. Throws model::ModelError.
std::shared_ptr<const bench::LoadedScene> load_scene(const bench::Settings& s,
                                                     const std::string& path);

// Warnings of a scene on standard error, one line each.
void show_warnings(const bench::LoadedScene& scene);

}  // namespace stepbench::cli
