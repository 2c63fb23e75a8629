#include "reports/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "reports/json.h"
#include "reports/numbers.h"

namespace stepbench::reports {
namespace {

// Progress is for the watcher only: where it cannot be written, nothing is lost.
void write_err(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// The first `columns` code points.
std::string_view cut(std::string_view text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) != 0x80 && ++seen > columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::optional<ProgressKind> progress_kind(std::string_view name, const Terminal& err) {
  if (name == "auto") return err.interactive ? ProgressKind::kBar : ProgressKind::kNone;
  if (name == "bar") return ProgressKind::kBar;
  if (name == "json") return ProgressKind::kJson;
  if (name == "none") return ProgressKind::kNone;
  return std::nullopt;
}

std::string progress_bar(const ProgressState& s, int columns) {
  constexpr int kWidth = 14;
  const double fraction = std::clamp(s.fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::floor(fraction * kWidth + 1e-9));
  std::string line = fmt::format("[{}{}] {}/{} cells", std::string(filled, '#'),
                                 std::string(kWidth - filled, '-'), s.done, s.total);
  if (s.left_s >= 0) line += fmt::format("  {} left", duration(std::max(s.left_s, 1.0)));
  if (!s.note.empty()) line += "  " + s.note;
  // One column stays free: a full line would wrap on some terminals.
  return std::string(cut(line, static_cast<std::size_t>(std::max(columns - 1, 1))));
}

std::string progress_json(const ProgressState& s) {
  return fmt::format(R"({{"event":"progress","cells_done":{},"cells_total":{},"fraction":{:.4f},)"
                     R"("left_s":{},"cell":{}}})",
                     s.done, s.total, std::clamp(s.fraction, 0.0, 1.0),
                     s.left_s >= 0 ? fmt::format("{:.1f}", s.left_s) : "null", json_string(s.note));
}

void Progress::show(const ProgressState& s) {
  if (kind_ == ProgressKind::kNone) return;
  const auto now = std::chrono::steady_clock::now();
  const auto pause = std::chrono::milliseconds(kind_ == ProgressKind::kBar ? 100 : 1000);
  const bool last = s.done == s.total;
  if (!last && last_ != std::chrono::steady_clock::time_point{} && now - last_ < pause) return;
  last_ = now;
  if (kind_ == ProgressKind::kJson) {
    write_err(progress_json(s) + '\n');
  } else {
    write_err('\r' + progress_bar(s, err_.columns) + "\x1b[K");
    visible_ = true;
  }
}

void Progress::clear() {
  if (!visible_) return;
  write_err("\r\x1b[K");
  visible_ = false;
}

}  // namespace stepbench::reports
