// Shipped configs: what `--profile NAME` stands for, as the text of a config file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepbench::cli {

std::vector<std::string> profile_names();

// Text of a profile, TOML as `--config` reads it; nullptr where there is none of that name.
const char* profile_text(std::string_view name);

}  // namespace stepbench::cli
