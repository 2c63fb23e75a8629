// Progress of a sweep on standard error: a bar with the time left on a terminal, JSON lines for
// machines, or nothing.
//
//   [#########-----] 9/14 cells  1m12s left  stepbench f32 1024 worlds
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/terminal.h"

namespace stepbench::reports {

enum class ProgressKind { kNone, kBar, kJson };

// What --progress asks for: auto (bar on a terminal, else none), bar, json, none. Empty optional:
// not one of them.
std::optional<ProgressKind> progress_kind(std::string_view name, const Terminal& err);

struct ProgressState {
  std::int64_t done = 0, total = 0;  // cells
  double fraction = 0;               // of the work, in [0, 1]
  double left_s = -1;                // estimate; < 0: not known
  std::string note;                  // what runs now
};

// The bar's line for a terminal of `columns` columns; never longer than that.
std::string progress_bar(const ProgressState& s, int columns);

// One JSON object on one line, without its line end.
std::string progress_json(const ProgressState& s);

class Progress {
 public:
  // Writes to descriptor 2.
  Progress(ProgressKind kind, const Terminal& err) : kind_(kind), err_(err) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows a state; at most ten times a second, except for the last one.
  void show(const ProgressState& s);
  // Takes the bar away, so that other text can be written.
  void clear();

 private:
  ProgressKind kind_;
  Terminal err_;
  bool visible_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace stepbench::reports
