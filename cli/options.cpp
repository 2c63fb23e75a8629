#include "cli/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "bench/axes.h"
#include "bench/error.h"
#include "bench/memory.h"
#include "engine/batch/batch.h"

namespace stepbench::cli {
namespace {

using bench::UsageError;

constexpr std::int64_t kMostInt = std::numeric_limits<int>::max();
constexpr std::int64_t kMostSteps = 1'000'000'000'000;

[[noreturn]] void fail(std::string_view option, std::string_view text, std::string_view why) {
  throw UsageError(fmt::format("--{}: '{}' {}", option, text, why));
}

// Text of options, with defaults.
class Reader {
 public:
  explicit Reader(const RawOptions& raw) : raw_(raw) {}

  bool has(std::string_view name) const { return raw_.has(name); }

  // All values of a list option as one comma-separated list.
  std::string list(std::string_view name, std::string_view otherwise) const {
    const auto it = raw_.values.find(name);
    return it == raw_.values.end() ? std::string(otherwise)
                                   : fmt::format("{}", fmt::join(it->second, ","));
  }

  std::string text(std::string_view name, std::string_view otherwise = {}) const {
    const auto it = raw_.values.find(name);
    return it == raw_.values.end() ? std::string(otherwise) : it->second.back();
  }

  std::int64_t integer(std::string_view name, std::int64_t otherwise, std::int64_t low,
                       std::int64_t high) const {
    if (!has(name)) return otherwise;
    const std::string value = text(name);
    const auto all = bench::parse_integers(value, fmt::format("--{}", name), low, high);
    if (all.size() != 1) fail(name, value, "is a list; give one value");
    return all[0];
  }

  double real(std::string_view name, double otherwise) const {
    if (!has(name)) return otherwise;
    const std::string value = text(name);
    double x = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, x);
    if (error != std::errc() || rest != end || !std::isfinite(x))
      fail(name, value, "is not a number");
    return x;
  }

  std::string choice(std::string_view name, const std::vector<std::string>& known) const {
    if (!has(name)) return known.front();
    const std::string value = text(name);
    for (const std::string& k : known) {
      if (k == value) return value;
    }
    fail(name, value, fmt::format("is not known; choose from {}", fmt::join(known, ", ")));
  }

 private:
  const RawOptions& raw_;
};

// "1%" or "0.01".
double parse_fraction(std::string_view option, std::string text) {
  const std::string given = text;
  double unit = 1;
  if (text.ends_with("%")) {
    text.pop_back();
    unit = 100;
  }
  double x = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, x);
  if (error != std::errc() || rest != end || !(x > 0) || x / unit > 1) {
    fail(option, given, "is not a percentage above 0; use 1% or 0.01");
  }
  return x / unit;
}

// "10", "10s", "2m", "1h".
double parse_duration(std::string_view option, std::string text) {
  const std::string given = text;
  double unit = 1;
  if (!text.empty()) {
    const char last = text.back();
    if (last == 's' || last == 'm' || last == 'h') {
      unit = last == 's' ? 1 : last == 'm' ? 60 : 3600;
      text.pop_back();
    }
  }
  double x = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, x);
  if (error != std::errc() || rest != end || !(x > 0) || !std::isfinite(x)) {
    fail(option, given, "is not a time above 0; use seconds, or 10s, 2m, 1h");
  }
  return x * unit;
}

std::vector<std::pair<std::string, std::string>> parse_overrides(const RawOptions& raw) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto it = raw.values.find("option");
  if (it == raw.values.end()) return all;
  for (const std::string& item : it->second) {
    const auto at = item.find('=');
    if (at == 0 || at == std::string::npos || at + 1 == item.size()) {
      fail("option", item, "is not NAME=VALUE, such as impratio=10 or flag.warmstart=disable");
    }
    all.emplace_back(item.substr(0, at), item.substr(at + 1));
  }
  return all;
}

template <class Enum>
Enum parse_enum(const Reader& r, std::string_view name, std::initializer_list<Enum> values) {
  std::vector<std::string> names;
  for (const Enum v : values) names.emplace_back(batch::to_string(v));
  const std::string chosen = r.choice(name, names);
  for (const Enum v : values) {
    if (batch::to_string(v) == chosen) return v;
  }
  return *values.begin();
}

void read_axes(const Reader& r, unsigned command, bench::Settings& s) {
  const bool sweep = (command & (kRun | kPlan)) != 0;
  // More worlds than any machine holds become a row with a status, as long as the number itself
  // makes sense.
  constexpr std::int64_t kMostWorlds = std::int64_t{1} << 40;
  s.worlds = bench::parse_integers(r.list("worlds", sweep ? "1,64,1024" : "1"), "--worlds", 1,
                                   kMostWorlds);
  s.threads = bench::parse_threads(r.list("threads", "all"), bench::usable_threads());
  s.precisions =
      bench::parse_names(r.list("precision", sweep || command == kCheck ? "f32,f64" : "f64"),
                         "--precision", {"f32", "f64"});
  s.timesteps_s = bench::parse_timesteps(r.list("timestep", "file"));
  s.densities = bench::parse_densities(r.list("density", "none"));
  if (r.has("engine")) {
    s.engines = bench::parse_names(r.list("engine", ""), "--engine", {"stepbench", "mujoco"});
  }
  std::vector<std::string> models = {"file"};
  for (std::string& name : batch::contact_model_names()) models.push_back(std::move(name));
  s.contacts = bench::parse_names(r.list("contact", "file"), "--contact", models);
  s.controls = bench::parse_controls(r.list("controls", "noise"));
  s.devices = bench::parse_names(r.list("device", "cpu"), "--device", {"cpu", "cuda"});

  if (sweep) return;
  const auto one = [&](std::string_view name, std::size_t n) {
    if (n != 1) fail(name, r.list(name, ""), "is a list; give one value");
  };
  if (command != kCheck) one("precision", s.precisions.size());
  one("worlds", s.worlds.size());
  one("threads", s.threads.size());
  one("timestep", s.timesteps_s.size());
  one("density", s.densities.size());
  one("contact", s.contacts.size());
  one("controls", s.controls.size());
}

void read_physics(const Reader& r, const RawOptions& raw, bench::Settings& s) {
  s.options = parse_overrides(raw);
  s.ignore_unsupported = r.has("ignore-unsupported");
  s.keyframe = static_cast<int>(r.integer("keyframe", s.keyframe, 0, kMostInt));
  s.start = r.choice("start", {"spread", "file"});
  s.settle = r.integer("settle", s.settle, 0, kMostSteps);
  s.seed =
      static_cast<std::uint64_t>(r.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  s.control_period = static_cast<int>(r.integer("control-period", s.control_period, 1, kMostInt));
  s.max_contacts = static_cast<int>(r.integer("max-contacts", s.max_contacts, 0, kMostInt));
  s.comfree_stiffness = r.real("comfree-stiffness", s.comfree_stiffness);
  s.comfree_damping = r.real("comfree-damping", s.comfree_damping);
  for (const auto& [name, x] : {std::pair("comfree-stiffness", s.comfree_stiffness),
                                std::pair("comfree-damping", s.comfree_damping)}) {
    if (x < 0) fail(name, r.text(name), "is below 0");
  }
}

void read_execution(const Reader& r, bench::Settings& s) {
  using batch::Isa;
  using batch::Layout;
  s.layout = parse_enum(r, "layout", {Layout::kAuto, Layout::kPacked, Layout::kSingle});
  s.isa = parse_enum(r, "isa", {Isa::kAuto, Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kNeon});
  s.lanes = static_cast<int>(r.integer("lanes", s.lanes, 0, 1024));
  s.sort = r.choice("sort", {"on", "off"}) == "on";
}

void read_measuring(const Reader& r, unsigned command, Options& o) {
  bench::Rules& rules = o.settings.rules;
  rules.min_reps = static_cast<int>(r.integer("min-reps", rules.min_reps, 1, rules.max_reps));
  if (r.has("max-noise")) rules.max_noise = parse_fraction("max-noise", r.text("max-noise"));
  if (r.has("max-time")) rules.max_time_s = parse_duration("max-time", r.text("max-time"));
  rules.phases = r.has("phases");
  o.expect_hash = r.text("expect-hash");
  o.steps = r.integer("steps", command == kCheck ? 200 : 1000, 0, kMostSteps);
  o.every = r.integer("every", o.every, 1, kMostSteps);
}

void read_output(const Reader& r, unsigned command, Options& o) {
  o.out = r.text("out");
  if (r.has("out") && o.out.empty()) fail("out", o.out, "names nothing");
  o.resume = r.has("resume");
  if (o.resume && o.out.empty())
    throw UsageError("--resume needs --out, the folder of the run to continue");
  o.csv = r.text("csv");
  o.json = r.has("json");
  const std::vector<std::string> formats = {"text", "csv", "json", "markdown"};
  const std::string format = r.choice("format", formats);
  o.format = format == "csv"        ? Format::kCsv
             : format == "json"     ? Format::kJson
             : format == "markdown" ? Format::kMarkdown
                                    : Format::kText;
  o.progress = r.choice("progress", {"auto", "bar", "json", "none"});
  o.quiet = r.has("quiet");
  if (command == kRun && o.out == "-") {
    throw UsageError("--out: a folder is needed; use --csv - for rows on standard output");
  }
}

}  // namespace

Options resolve(const RawOptions& raw) {
  const Reader r(raw);
  const unsigned command = raw.command->id;
  Options o;
  o.settings.scenes = raw.scenes;
  read_axes(r, command, o.settings);
  read_physics(r, raw, o.settings);
  read_execution(r, o.settings);
  read_measuring(r, command, o);
  read_output(r, command, o);
  return o;
}

}  // namespace stepbench::cli
