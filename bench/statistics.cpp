#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stepbench::bench {
namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
}

double quantile(std::vector<double> x, double p) {
  if (x.empty()) return kNaN;
  const double at = p * double(x.size() - 1);
  const auto below = std::size_t(at);
  const auto nth = x.begin() + std::ptrdiff_t(below);
  std::nth_element(x.begin(), nth, x.end());
  if (below + 1 == x.size()) return *nth;
  const double next = *std::min_element(nth + 1, x.end());
  return *nth + (at - double(below)) * (next - *nth);
}

double median(std::vector<double> x) { return quantile(std::move(x), 0.5); }

double median_absolute_deviation(std::span<const double> x) {
  const double m = median({x.begin(), x.end()});
  std::vector<double> deviations;
  for (const double v : x) deviations.push_back(std::abs(v - m));
  return median(std::move(deviations));
}

Interval median_interval(std::vector<double> x, double level) {
  if (x.empty()) return {kNaN, kNaN, kNaN};
  std::sort(x.begin(), x.end());
  const auto n = x.size();
  // below = P(Bin(n, 1/2) < k), summed from the left; logarithms keep 2^-n in range.
  std::size_t best = 1;
  double best_coverage = 1 - 2 * std::exp2(-double(n)), below = 0;
  double log_binomial = -double(n) * std::log(2.0);
  for (std::size_t k = 1; 2 * k <= n; ++k) {
    below += std::exp(log_binomial);
    log_binomial += std::log(double(n - k + 1)) - std::log(double(k));
    const double coverage = 1 - 2 * below;
    if (coverage < level) break;
    best = k;
    best_coverage = coverage;
  }
  return {x[best - 1], x[n - best], n == 1 ? 0.0 : best_coverage};
}

std::vector<bool> outliers(std::span<const double> x) {
  const double m = median({x.begin(), x.end()});
  const double mad = median_absolute_deviation(x);
  std::vector<bool> marks;
  for (const double v : x) {
    const double off = std::abs(v - m);
    marks.push_back(mad > 0 ? 0.6745 * off > kOutlierZ * mad : off > 0.01 * std::abs(m));
  }
  return marks;
}

bool bimodal(std::vector<double> x) {
  const auto n = x.size();
  if (n < 8) return false;
  std::sort(x.begin(), x.end());
  std::size_t at = n / 4;
  for (std::size_t i = n / 4; i + n / 4 <= n; ++i) {
    if (x[i] - x[i - 1] > x[at] - x[at - 1]) at = i;
  }
  const double gap = x[at] - x[at - 1];
  const double spread = std::max(x[at - 1] - x[0], x[n - 1] - x[at]);
  return gap > 0.03 * std::abs(x[n / 2]) && gap > 3 * spread;
}

}  // namespace stepbench::bench
