#include "bench/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "bench/error.h"
#include "bench/rng.h"

namespace stepbench::bench {
namespace {

constexpr double kNoiseStd = 0.01;  // of the half range (testspeed's noisestd)
constexpr double kNoiseRate = 0.1;  // s (testspeed's noiserate)

class Source : public batch::ControlSource {
 public:
  Source(const model::Model& m, const ControlOptions& o)
      : range_(control_range(m, o.keyframe)), seed_(o.seed), period_(o.period) {}
  int period() const override { return period_; }

 protected:
  double clip(std::size_t i, double v) const {
    return std::min(std::max(v, range_.low[i]), range_.high[i]);
  }
  // f(i, random number in (-1, 1)) for each control.
  template <class F>
  void draw(std::int64_t world, std::int64_t step, std::size_t n, F f) const {
    std::array<double, 64> e;
    for (std::size_t first = 0; first < n; first += e.size()) {
      const std::size_t count = std::min(e.size(), n - first);
      random_symmetric(seed_, Stream::kControls, world, step, std::uint32_t(first),
                       std::span(e).first(count));
      for (std::size_t i = 0; i < count; ++i) f(first + i, e[i]);
    }
  }
  ControlRange range_;
  std::uint64_t seed_;
  int period_;
};

class Noise : public Source {
 public:
  Noise(const model::Model& m, const ControlOptions& o)
      : Source(m, o),
        // The project's own exp: the same bits from every C library.
        rate_(math::exp(-o.period * m.opt.timestep / kNoiseRate)),
        // sqrt(3): a uniform number in [-1, 1) has variance 1/3.
        scale_(kNoiseStd * std::sqrt(1 - rate_ * rate_) * std::sqrt(3.0)),
        pull_(range_.centre),
        push_(range_.half) {
    for (double& x : pull_) x *= 1 - rate_;
    for (double& x : push_) x *= scale_;
  }

  void fill(std::int64_t world, std::int64_t step, std::span<double> ctrl) const override {
    draw(world, step, ctrl.size(), [&](std::size_t i, double e) {
      const double before = step == 0 ? range_.centre[i] : ctrl[i];
      const double pulled = rate_ * before + pull_[i];
      ctrl[i] = clip(i, pulled + push_[i] * e);
    });
  }

 private:
  double rate_, scale_;
  std::vector<double> pull_, push_;  // towards the centre; per unit of noise
};

class Random : public Source {
 public:
  using Source::Source;
  void fill(std::int64_t world, std::int64_t step, std::span<double> ctrl) const override {
    draw(world, step, ctrl.size(), [&](std::size_t i, double e) {
      ctrl[i] = clip(i, range_.centre[i] + range_.half[i] * e);
    });
  }
};

class Zero : public Source {
 public:
  using Source::Source;
  void fill(std::int64_t, std::int64_t, std::span<double> ctrl) const override {
    std::fill(ctrl.begin(), ctrl.end(), 0.0);
  }
};

class Replay : public Source {
 public:
  Replay(const model::Model& m, const ControlOptions& o, std::vector<double> rows)
      : Source(m, o), rows_(std::move(rows)) {}
  void fill(std::int64_t, std::int64_t step, std::span<double> ctrl) const override {
    if (ctrl.empty()) return;
    const auto count = std::int64_t(rows_.size() / ctrl.size());
    const auto row = std::size_t(step / period_ % count) * ctrl.size();
    for (std::size_t i = 0; i < ctrl.size(); ++i) ctrl[i] = clip(i, rows_[row + i]);
  }

 private:
  std::vector<double> rows_;
};

// Numbers of a line; false where a field is no number.
bool parse_row(std::string line, std::vector<double>& row) {
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream in(line);
  in.imbue(std::locale::classic());
  row.clear();
  std::string field;
  while (in >> field) {
    char* end = nullptr;
    const double v = std::strtod(field.c_str(), &end);
    if (*end != '\0' || !std::isfinite(v)) return false;
    row.push_back(v);
  }
  return true;
}

std::vector<double> read_replay(const std::string& path, int nu) {
  std::ifstream in(path);
  if (!in) throw UsageError(fmt::format("--controls: cannot read the replay file {}", path));
  std::vector<double> rows, row;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (!parse_row(line, row)) {
      if (number == 1) continue;  // names of columns
      throw UsageError(fmt::format("{}:{}: not a row of numbers", path, number));
    }
    if (row.empty()) continue;
    if (row.size() != std::size_t(nu)) {
      throw UsageError(fmt::format("{}:{}: {} numbers, but the scene has {} controls", path, number,
                                   row.size(), nu));
    }
    rows.insert(rows.end(), row.begin(), row.end());
  }
  if (rows.empty() && nu > 0) throw UsageError(fmt::format("{}: no row of controls", path));
  return rows;
}

}  // namespace

ControlRange control_range(const model::Model& m, int keyframe) {
  const auto nu = std::size_t(m.nu);
  constexpr double inf = std::numeric_limits<double>::infinity();
  ControlRange r{std::vector<double>(nu), std::vector<double>(nu, 1.0),
                 std::vector<double>(nu, -inf), std::vector<double>(nu, inf)};
  const int key = keyframe >= 0 ? keyframe : m.nkey > 0 ? 0 : -1;
  for (std::size_t i = 0; i < nu; ++i) {
    const double low = m.actuator_ctrlrange[2 * i], high = m.actuator_ctrlrange[2 * i + 1];
    if (m.actuator_ctrllimited[i]) {
      r.low[i] = low;
      r.high[i] = high;
    }
    // An unlimited control can still carry a range (0 0 is none).
    if (high > low) {
      r.centre[i] = 0.5 * (low + high);
      r.half[i] = 0.5 * (high - low);
    }
    if (key >= 0) r.centre[i] = m.key_ctrl[std::size_t(key) * nu + i];
  }
  return r;
}

std::unique_ptr<batch::ControlSource> make_controls(const model::Model& m,
                                                    const ControlOptions& o) {
  if (o.period < 1) throw UsageError("--control-period: must be at least 1 step");
  if (o.profile == "noise") return std::make_unique<Noise>(m, o);
  if (o.profile == "random") return std::make_unique<Random>(m, o);
  if (o.profile == "zero") return std::make_unique<Zero>(m, o);
  if (o.profile.starts_with("replay:")) {
    return std::make_unique<Replay>(m, o, read_replay(o.profile.substr(7), m.nu));
  }
  throw UsageError(fmt::format(
      "--controls: '{}' is not known; choose from noise, zero, random, replay:FILE", o.profile));
}

}  // namespace stepbench::bench
