// Options with their meaning: validated values that commands take without looking at any text
// again.
#pragma once

#include <cstdint>
#include <string>

#include "bench/settings.h"
#include "cli/parse.h"

namespace stepbench::cli {

enum class Format { kText, kCsv, kJson, kMarkdown };

// Everything a command may be told; each command reads what applies to it.
struct Options {
  // Scenes, axes, physics, execution and rules of measuring. Commands that take one value of an
  // axis find it at the front of its list; lists are never empty, except `engines` (stepbench, and
  // mujoco where found).
  bench::Settings settings;

  // Measuring.
  std::string expect_hash;  // 16 hexadecimal digits or a file; empty: no gate
  std::int64_t steps = 0;
  std::int64_t every = 1;

  // Output.
  std::string out;  // empty: not given
  bool resume = false;
  std::string csv;  // empty: none; "-": standard output
  bool json = false;
  Format format = Format::kText;
  std::string progress = "auto";  // auto, bar, json, none
  bool quiet = false;
};

// Gives meaning to texts. Throws bench::UsageError with one line that names the option and the way
// out.
Options resolve(const RawOptions& raw);

}  // namespace stepbench::cli
