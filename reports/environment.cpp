#include "reports/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "reports/json.h"
#include "reports/numbers.h"

namespace stepbench::reports {
namespace {

std::string value_text(std::string_view, const bench::Text& v) { return v; }
std::string value_text(std::string_view, bench::Bool v) { return v ? "yes" : "no"; }
std::string value_text(std::string_view unit, bench::Int v) {
  // Caches come in powers of two, and are known by them.
  if (unit == "bytes" && v % 1024 == 0 && v < (1 << 30)) {
    return v % (1 << 20) == 0 ? fmt::format("{} MiB", v >> 20) : fmt::format("{} KiB", v >> 10);
  }
  if (unit == "bytes") return bytes(static_cast<double>(v));
  return unit == "1" || unit.empty() ? fmt::format("{}", v) : fmt::format("{} {}", v, unit);
}
std::string value_text(std::string_view unit, bench::Real v) {
  return unit == "1" || unit.empty() ? brief(v) : fmt::format("{} {}", brief(v), unit);
}

}  // namespace

std::string environment_json(const bench::Environment& e) {
  JsonWriter j;
  j.begin_object();
  bench::for_each_environment_field(e,
                                    [&](const char* name, const char*, const char*, const auto& v) {
                                      if (bench::measured(v)) {
                                        j.field(name, v);
                                      } else {
                                        j.key(name).null();
                                      }
                                    });
  j.end_object();
  return j.take();
}

std::string environment_text(const bench::Environment& e) {
  std::size_t width = 0;
  bench::for_each_environment_field(e, [&](const char* name, auto&&...) {
    width = std::max(width, std::string_view(name).size());
  });
  std::string text;
  bench::for_each_environment_field(
      e, [&](const char* name, const char* unit, const char*, const auto& v) {
        if (!bench::measured(v)) return;
        std::string_view label = name;
        // The unit stands with the value.
        if (label.ends_with("_bytes")) label.remove_suffix(6);
        if (label.ends_with("_mhz")) label.remove_suffix(4);
        std::string words(label);
        std::replace(words.begin(), words.end(), '_', ' ');
        text += fmt::format("{:<{}}  {}\n", words, width, value_text(unit, v));
      });
  return text;
}

}  // namespace stepbench::reports
