#include "bench/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bench/error.h"

namespace stepbench::bench {
namespace {

[[noreturn]] void fail(std::string_view option, std::string_view item, std::string_view why) {
  throw UsageError(fmt::format("{}: '{}' {}", option, item, why));
}

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

// Items of a comma-separated list; an empty list or item is an error.
std::vector<std::string_view> items(std::string_view text, std::string_view option) {
  auto parts = split(text, ",");
  for (const auto part : parts) {
    if (part.empty()) fail(option, text, "has an empty item; give values separated by commas");
  }
  return parts;
}

template <class T>
void add(std::vector<T>& values, const T& v, std::string_view option) {
  if (std::find(values.begin(), values.end(), v) != values.end()) return;
  if (values.size() == kMaxAxisValues) {
    throw UsageError(fmt::format("{}: more than {} values", option, kMaxAxisValues));
  }
  values.push_back(v);
}

bool to_integer(std::string_view s, std::int64_t& v) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  return error == std::errc{} && end == s.data() + s.size();
}

// N or B^E.
struct Term {
  std::int64_t value = 0, base = 0, exponent = 0;  // base 0: plain integer
};

Term parse_term(std::string_view s, std::string_view item, std::string_view option) {
  Term t;
  const auto caret = s.find('^');
  if (caret == std::string_view::npos) {
    if (!to_integer(s, t.value)) {
      fail(option, item, "is not an integer; use N, 2^E, A..B or A..B..STEP");
    }
    return t;
  }
  if (!to_integer(trim(s.substr(0, caret)), t.base) ||
      !to_integer(trim(s.substr(caret + 1)), t.exponent) || t.base < 2 || t.exponent < 0) {
    fail(option, item, "is not a power; use BASE^EXPONENT such as 2^10");
  }
  t.value = 1;
  for (std::int64_t i = 0; i < t.exponent; ++i) {
    if (t.value > (std::int64_t{1} << 62) / t.base) fail(option, item, "is too large");
    t.value *= t.base;
  }
  return t;
}

}  // namespace

std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option,
                                         std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> values;
  const auto check = [&](std::int64_t v, std::string_view item) {
    if (v < low) fail(option, item, fmt::format("is below the smallest possible value, {}", low));
    if (v > high) fail(option, item, fmt::format("is above the largest possible value, {}", high));
    add(values, v, option);
  };
  for (const auto item : items(text, option)) {
    const auto ends = split(item, "..");
    if (ends.size() > 3) fail(option, item, "has too many '..'; use A..B or A..B..STEP");
    const Term first = parse_term(ends[0], item, option);
    if (ends.size() == 1) {
      check(first.value, item);
      continue;
    }
    const Term last = parse_term(ends[1], item, option);
    if (last.value < first.value) fail(option, item, "runs downwards; put the smaller end first");
    // Both ends are checked before the range is expanded, so that a typing error costs no memory.
    if (first.value < low || last.value > high) {
      fail(option, item, fmt::format("leaves the possible range {}..{}", low, high));
    }
    if (ends.size() == 2 && first.base != 0 && first.base == last.base) {
      for (auto v = first.value;; v *= first.base) {
        check(v, item);
        if (v == last.value) break;
      }
      continue;
    }
    std::int64_t step = 1;
    if (ends.size() == 3 && (!to_integer(ends[2], step) || step < 1)) {
      fail(option, item, "has a step that is not a positive integer");
    }
    for (auto v = first.value; v <= last.value; v += step) check(v, item);
  }
  return values;
}

std::vector<int> parse_threads(std::string_view text, int all_threads) {
  std::vector<int> values;
  for (const auto item : items(text, "--threads")) {
    if (item == "all") {
      add(values, all_threads, "--threads");
    } else {
      for (const auto v : parse_integers(item, "--threads", 1, 4096)) {
        add(values, int(v), "--threads");
      }
    }
  }
  return values;
}

std::vector<std::optional<double>> parse_timesteps(std::string_view text) {
  std::vector<std::optional<double>> values;
  for (const auto item : items(text, "--timestep")) {
    if (item == "file") {
      add(values, std::optional<double>{}, "--timestep");
      continue;
    }
    double v = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), v);
    if (error != std::errc{} || end != item.data() + item.size() || !std::isfinite(v)) {
      fail("--timestep", item, "is not a number of seconds; use a number or 'file'");
    }
    if (v <= 0 || v > 10) fail("--timestep", item, "is not between 0 and 10 seconds");
    add(values, std::optional<double>(v), "--timestep");
  }
  return values;
}

std::vector<std::optional<int>> parse_densities(std::string_view text) {
  std::vector<std::optional<int>> values;
  for (const auto item : items(text, "--density")) {
    if (item == "none") {
      add(values, std::optional<int>{}, "--density");
    } else {
      for (const auto v : parse_integers(item, "--density", 0, 1'000'000)) {
        add(values, std::optional<int>(int(v)), "--density");
      }
    }
  }
  return values;
}

std::vector<std::string> parse_names(std::string_view text, std::string_view option,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> values;
  for (const auto item : items(text, option)) {
    if (std::find(known.begin(), known.end(), item) == known.end()) {
      fail(option, item, fmt::format("is not known; choose from {}", fmt::join(known, ", ")));
    }
    add(values, std::string(item), option);
  }
  return values;
}

std::vector<std::string> parse_controls(std::string_view text) {
  std::vector<std::string> values;
  for (const auto item : items(text, "--controls")) {
    const bool replay = item.substr(0, 7) == "replay:";
    if (replay && item.size() == 7) fail("--controls", item, "names no file; use replay:FILE");
    if (!replay && item != "noise" && item != "zero" && item != "random") {
      fail("--controls", item, "is not known; choose from noise, zero, random, replay:FILE");
    }
    add(values, std::string(item), "--controls");
  }
  return values;
}

Shard parse_shard(std::string_view text) {
  const auto parts = split(text, "/");
  std::int64_t i = 0, n = 0;
  if (parts.size() != 2 || !to_integer(parts[0], i) || !to_integer(parts[1], n) || n < 1 || i < 1 ||
      i > n || n > 1'000'000) {
    fail("--shard", text, "is not a part; use I/N with 1 <= I <= N");
  }
  return {int(i), int(n)};
}

}  // namespace stepbench::bench
