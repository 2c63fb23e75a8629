// Statistics of repetitions. Functions take samples by value or span in any order; an empty sample
// gives NaN. Nothing here drops a value: outliers are marked, not removed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::bench {

double median(std::vector<double> x);

// Median absolute deviation from the median, unscaled.
double median_absolute_deviation(std::span<const double> x);

// p-quantile, p in [0, 1], linear between order statistics (definition 7 of Hyndman and Fan 1996).
double quantile(std::vector<double> x, double p);

// Confidence interval of the median from order statistics: (x_(k), x_(n+1-k)) covers the median
// with probability 1 - 2 P(Bin(n, 1/2) < k), whatever the distribution (David and Nagaraja
// 2003, 7.1).
struct Interval {
  double low, high;
  double
      coverage;  // of the interval taken: the narrowest that reaches `level`, else the whole range
};
Interval median_interval(std::vector<double> x, double level = 0.95);

// Modified Z score 0.6745 (x - median) / MAD above kOutlierZ marks an outlier (Iglewicz and Hoaglin
// 1993; the threshold is hyperfine's, far in the tail since timings are skewed). With MAD = 0
// nothing is marked unless it lies more than 1 % off the median.
inline constexpr double kOutlierZ = 14.826;
std::vector<bool> outliers(std::span<const double> x);

// Two clusters: sorted, the widest gap between neighbours lies in the middle (a quarter of the
// sample on either side at least), is more than 3 % of the median and more than 3 times the wider
// cluster's range. Needs 8 values.
bool bimodal(std::vector<double> x);

}  // namespace stepbench::bench
