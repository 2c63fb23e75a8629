// Text of the command line -> values of an axis.
//
// Every function throws UsageError with one line that names the option, the text and the way out.
// Values keep the order in which they were given; repeated values are dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::bench {

// Longest axis that a list or range may expand to.
inline constexpr std::size_t kMaxAxisValues = 4096;

// Integers: comma-separated items N, B^E (power), A..B (step 1; powers of one base: each exponent)
// and A..B..STEP. Example: `1,64`, `2^0..2^14`, `100..1000..100`. Values outside [low, high] are
// errors.
std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option,
                                         std::int64_t low, std::int64_t high);

// Integers, where `all` stands for `all_threads`.
std::vector<int> parse_threads(std::string_view text, int all_threads);

// Seconds; `file` (nullopt) is the scene's own timestep.
std::vector<std::optional<double>> parse_timesteps(std::string_view text);

// Density levels; `none` (nullopt) is the scene as it is.
std::vector<std::optional<int>> parse_densities(std::string_view text);

// Names out of `known`.
std::vector<std::string> parse_names(std::string_view text, std::string_view option,
                                     const std::vector<std::string>& known);

// noise, zero, random, replay:FILE (a file name may not contain a comma).
std::vector<std::string> parse_controls(std::string_view text);

// Part i of n, from 1: `i/n`.
struct Shard {
  int index = 1, count = 1;
};
Shard parse_shard(std::string_view text);

}  // namespace stepbench::bench
