// MJCF text as a loaded scene, through a temporary file as a user's would be.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "bench/scene.h"

namespace stepbench::bench::testing {

class SceneFile {
 public:
  explicit SceneFile(const std::string& text) {
    static int number = 0;
    path_ =
        std::filesystem::temp_directory_path() /
        ("stepbench_scene_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".xml");
    std::ofstream(path_) << text;
  }
  ~SceneFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  SceneFile(const SceneFile&) = delete;
  SceneFile& operator=(const SceneFile&) = delete;

  std::string path() const { return path_.string(); }
  std::shared_ptr<const LoadedScene> load(SceneRequest r = {}) const {
    r.path = path();
    return make_scene_loader()->load(r);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace stepbench::bench::testing
