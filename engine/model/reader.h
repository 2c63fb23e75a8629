// Reads MJCF into a Spec.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/error.h"
#include "engine/model/spec.h"

namespace stepbench::model {

// Stands for the file in errors about ReadOptions::overrides.
inline constexpr const char* kOverridesFile = "--option";

struct ReadOptions {
  // List what is unsupported in Spec::unsupported and go on without it, instead of throwing.
  bool ignore_unsupported = false;
  // Contact density level, see density.h; none: the scene as the file has it.
  std::optional<int> density;
  // NAME=VALUE of --option: attributes of <option>, and `flag.NAME` of <flag>. They replace the
  // file's.
  std::vector<std::pair<std::string, std::string>> overrides;
  // Most bodies, joints, geoms, sites and replicas that a scene may come to, counted before any is
  // made.
  double max_elements = 2e6;
};

// Read an MJCF file and its includes. Throws ModelError (also where the file cannot be read), never
// anything else but std::bad_alloc. Bounded in file size, nesting (mjcf_document.h) and elements
// (max_elements). Messages about overrides name the file kOverridesFile.
Spec read_mjcf(const std::filesystem::path& file, const ReadOptions& options = {});

// Same for text that is already in memory; `name` stands for the file in messages and includes are
// looked for in its directory.
Spec read_mjcf_string(std::string_view text, const std::string& name,
                      const ReadOptions& options = {});

}  // namespace stepbench::model
