#include "reports/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace stepbench::reports {
namespace {

// Decimals that leave `digits` significant digits of x after rounding: 9.996 counts as 10.0.
int decimals(double x, int digits) {
  if (x == 0) return 0;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(x)) + 1e-12));
  const double scale = std::pow(10.0, digits - 1 - exponent);
  const bool carries = std::round(std::abs(x) * scale) >= std::pow(10.0, digits);
  return std::max(0, digits - 1 - exponent - (carries ? 1 : 0));
}

}  // namespace

std::string shortest(double x) { return std::isfinite(x) ? fmt::format("{}", x) : std::string(); }

std::string with_prefix(double x) {
  static constexpr std::array<const char*, 5> kPrefix = {"", " k", " M", " G", " T"};
  std::size_t i = 0;
  // 999.5 is the first value that three digits show as 1000.
  while (x >= 999.5 && i + 1 < kPrefix.size()) {
    x /= 1000;
    ++i;
  }
  return fmt::format("{:.{}f}{}", x, decimals(x, 3), kPrefix[i]);
}

std::string brief(double x) { return fmt::format("{:.3g}", x); }

std::string percent(double fraction) {
  const double p = 100 * fraction;
  return fmt::format("{:.{}f} %", p, std::min(2, decimals(p, 2)));
}

std::string duration(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", 1000 * seconds);
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  return fmt::format("{}h{:02}m", s / 3600, s % 3600 / 60);
}

std::string bytes(double n) {
  if (n < 1000) return fmt::format("{:.0f} B", n);
  static constexpr std::array<const char*, 5> kUnit = {"kB", "MB", "GB", "TB", "PB"};
  std::size_t i = 0;
  n /= 1000;
  while (n >= 999.5 && i + 1 < kUnit.size()) {
    n /= 1000;
    ++i;
  }
  return fmt::format("{:.{}f} {}", n, decimals(n, n < 10 ? 2 : 3), kUnit[i]);
}

}  // namespace stepbench::reports
