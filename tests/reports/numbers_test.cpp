#include "reports/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace stepbench::reports {
namespace {

TEST(Numbers, ShortestReadsBackExactly) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = rng();
    double x;
    static_assert(sizeof x == sizeof bits);
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    const std::string text = shortest(x);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), x) << text;
    EXPECT_LE(text.size(), 24u) << text;
  }
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(5), "5");
  EXPECT_EQ(shortest(1e-6), "1e-06");
}

TEST(Numbers, NotFiniteIsNotWritten) {
  EXPECT_EQ(shortest(std::nan("")), "");
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "");
}

TEST(Numbers, PrefixKeepsThreeDigits) {
  EXPECT_EQ(with_prefix(57900), "57.9 k");
  EXPECT_EQ(with_prefix(11.8e6), "11.8 M");
  EXPECT_EQ(with_prefix(407e3), "407 k");
  EXPECT_EQ(with_prefix(999.6), "1.00 k");
  EXPECT_EQ(with_prefix(999.4), "999");
  EXPECT_EQ(with_prefix(99.96), "100");
  EXPECT_EQ(with_prefix(9.996), "10.0");
  EXPECT_EQ(with_prefix(1e6), "1.00 M");
  EXPECT_EQ(with_prefix(0), "0");
  EXPECT_EQ(with_prefix(0.8123), "0.812");
}

TEST(Numbers, Percent) {
  EXPECT_EQ(percent(0.0137), "1.4 %");
  EXPECT_EQ(percent(0.2), "20 %");
  EXPECT_EQ(percent(0.00996), "1.0 %");
  EXPECT_EQ(percent(0.0034), "0.34 %");
  EXPECT_EQ(percent(0.00001), "0.00 %");
  EXPECT_EQ(percent(0), "0 %");
}

TEST(Numbers, DurationAndBytes) {
  EXPECT_EQ(duration(0.85), "850 ms");
  EXPECT_EQ(duration(12.2), "12 s");
  EXPECT_EQ(duration(59.7), "1m00s");
  EXPECT_EQ(duration(72), "1m12s");
  EXPECT_EQ(duration(7500), "2h05m");
  EXPECT_EQ(bytes(12), "12 B");
  EXPECT_EQ(bytes(312000), "312 kB");
  EXPECT_EQ(bytes(1.43e9), "1.4 GB");
}

}  // namespace
}  // namespace stepbench::reports
