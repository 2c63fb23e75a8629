#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stepbench::bench {
namespace {

TEST(Statistics, MedianAndQuantiles) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
  // Definition 7: position p (n - 1).
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.95), 4.8);
  EXPECT_EQ(quantile({5, 1, 2}, 0), 1);
  EXPECT_EQ(quantile({5, 1, 2}, 1), 5);
}

TEST(Statistics, MedianAbsoluteDeviation) {
  const std::vector<double> x = {1, 1, 2, 2, 4, 6, 9};  // deviations 1 1 0 0 2 4 7
  EXPECT_EQ(median_absolute_deviation(x), 1);
}

TEST(Statistics, IntervalCoverageIsTheBinomialOne) {
  // n = 5: the whole range covers with 1 - 2/32.
  const auto five = median_interval({5, 4, 3, 2, 1});
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_DOUBLE_EQ(five.coverage, 1 - 2.0 / 32);
  // n = 6: 1 - 2/64 = 0.969; dropping one at each end would give 1 - 2 * 7/64 = 0.78.
  EXPECT_DOUBLE_EQ(median_interval({1, 2, 3, 4, 5, 6}).coverage, 1 - 2.0 / 64);
  // n = 9: second to eighth, 1 - 2 (1 + 9)/512 = 0.961.
  const auto nine = median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(nine.low, 2);
  EXPECT_EQ(nine.high, 8);
  EXPECT_NEAR(nine.coverage, 1 - 20.0 / 512, 1e-12);
  EXPECT_EQ(median_interval({7}).coverage, 0);
  EXPECT_EQ(median_interval({7}).low, 7);
}

TEST(Statistics, IntervalOfALargeSampleIsNarrow) {
  std::vector<double> x;
  for (int i = 0; i < 1001; ++i) x.push_back(i);
  const auto i = median_interval(x);
  EXPECT_GE(i.coverage, 0.95);
  EXPECT_LT(i.coverage, 0.96);
  EXPECT_NEAR(i.high - i.low, 2 * 1.96 * std::sqrt(1001.0) / 2, 3);  // normal approximation
}

TEST(Statistics, OutliersAreMarkedByTheModifiedZScore) {
  // Median 100, MAD 1: the limit is 14.826 / 0.6745 = 21.98 from the median.
  EXPECT_TRUE(outliers(std::vector<double>{99, 99, 100, 100, 101, 101, 122.1})[6]);
  EXPECT_FALSE(outliers(std::vector<double>{99, 99, 100, 100, 101, 101, 121.9})[6]);
  EXPECT_TRUE(outliers(std::vector<double>{99, 99, 100, 100, 101, 101, 77.9})[6]);
}

TEST(Statistics, OutliersOfAConstantSample) {
  const std::vector<double> x = {5, 5, 5, 5, 5.04, 5.2};
  const auto marks = outliers(x);
  EXPECT_FALSE(marks[4]);  // within 1 %
  EXPECT_TRUE(marks[5]);
}

TEST(Statistics, TwoClustersAreBimodal) {
  EXPECT_TRUE(bimodal({22.5, 22.6, 22.4, 22.5, 25.5, 25.4, 25.6, 25.5}));
  EXPECT_FALSE(bimodal({22.5, 22.6, 22.4, 22.5, 22.7, 22.3, 22.5, 25.5}));  // one outlier
  EXPECT_FALSE(bimodal({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(bimodal({1, 1, 2, 2}));  // too few
}

}  // namespace
}  // namespace stepbench::bench
