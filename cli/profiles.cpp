#include "cli/profiles.h"

#include <array>
#include <utility>

namespace stepbench::cli {
namespace {

// Under a minute for a scene of ordinary size: is everything in order, roughly how fast is it?
constexpr const char* kQuick = R"(
worlds = [1, 64, 1024]
precision = ["f32", "f64"]
min-reps = 3
max-noise = "5%"
max-time = 1
)";

// For CI on one machine, night after night: few cells, enough repetitions for a narrow interval.
constexpr const char* kNightly = R"(
worlds = [1, 64, 1024, 8192]
precision = ["f32", "f64"]
threads = [1, "all"]
min-reps = 10
max-noise = "0.5%"
max-time = 20
progress = "json"
)";

// For numbers that others will quote: whole scaling curves, the peer beside every cell, long
// windows.
constexpr const char* kPaper = R"(
worlds = "2^0..2^14"
precision = ["f32", "f64"]
threads = [1, "all"]
engine = ["stepbench", "mujoco"]
min-reps = 10
max-noise = "0.5%"
max-time = 60
)";

constexpr std::array<std::pair<const char*, const char*>, 3> kProfiles = {
    {{"quick", kQuick}, {"nightly", kNightly}, {"paper", kPaper}}};

}  // namespace

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : kProfiles) names.emplace_back(name);
  return names;
}

const char* profile_text(std::string_view name) {
  for (const auto& [known, text] : kProfiles) {
    if (name == known) return text;
  }
  return nullptr;
}

}  // namespace stepbench::cli
