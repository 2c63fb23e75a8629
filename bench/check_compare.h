// Comparison of arrays for `check`: collects the largest difference of each named quantity.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/check.h"

namespace stepbench::bench {

class Comparison {
 public:
  explicit Comparison(std::string name) { part_.name = std::move(name); }

  // |ours - theirs| relative to max(|theirs| over the row, floor), where a row is `columns` values
  // long (0: the whole array is one row). `step`: for first_step; -1 outside windows.
  template <class Theirs>
  void add(const std::string& field, std::span<const double> ours, const Theirs* theirs,
           std::size_t count, std::size_t columns, double floor, double tolerance,
           const std::string& where, std::int64_t step = -1);

  // Integers and sizes: equal or not.
  void add_equal(const std::string& field, std::int64_t ours, std::int64_t theirs,
                 const std::string& where, std::int64_t index = 0);

  void note(const std::string& text) { part_.notes.push_back(text); }
  CheckPart take() { return std::move(part_); }

 private:
  FieldCheck& find(const std::string& field, double tolerance);
  static void update(FieldCheck& f, double difference, std::int64_t index, double ours,
                     double theirs, const std::string& where, std::int64_t step);
  CheckPart part_;
};

template <class Theirs>
void Comparison::add(const std::string& field, std::span<const double> ours, const Theirs* theirs,
                     std::size_t count, std::size_t columns, double floor, double tolerance,
                     const std::string& where, std::int64_t step) {
  auto& f = find(field, tolerance);
  if (ours.size() != count) {
    update(f, HUGE_VAL, -1, double(ours.size()), double(count), where + ": sizes", step);
    return;
  }
  if (columns == 0) columns = std::max<std::size_t>(count, 1);
  for (std::size_t row = 0; row < count; row += columns) {
    const std::size_t end = std::min(row + columns, count);
    double scale = floor;
    for (std::size_t i = row; i < end; ++i) scale = std::max(scale, std::abs(double(theirs[i])));
    for (std::size_t i = row; i < end; ++i) {
      const double b = double(theirs[i]);
      double d = std::abs(ours[i] - b) / scale;
      if (std::isnan(d)) d = std::isnan(ours[i]) && std::isnan(b) ? 0 : HUGE_VAL;
      update(f, d, std::int64_t(i), ours[i], b, where, step);
    }
  }
}

}  // namespace stepbench::bench
