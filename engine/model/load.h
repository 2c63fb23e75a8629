// From an MJCF file to a compiled model in one call.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/model/compile.h"
#include "engine/model/model.h"
#include "engine/model/reader.h"

namespace stepbench::model {

// A scene as the file says it (what `export` writes) and as the engine runs it.
struct Scene {
  Spec spec;
  std::shared_ptr<const Model> model;
};

// Read and compile. Throw ModelError for a scene that cannot be loaded.
Scene load_scene(const std::filesystem::path& file, const ReadOptions& options = {});
std::shared_ptr<const Model> load_model(const std::filesystem::path& file,
                                        const ReadOptions& options = {});

// Same for MJCF text; `name` stands for the file in messages.
std::shared_ptr<const Model> load_model_string(std::string_view text,
                                               const std::string& name = "string.xml",
                                               const ReadOptions& options = {});

}  // namespace stepbench::model
