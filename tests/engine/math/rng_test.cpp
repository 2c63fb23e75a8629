// Philox-4x32-10 against the authors' known answers (Random123, kat_vectors), and moments of the
// variates.
#include "engine/math/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace stepbench::math {
namespace {

void expect_words(const Random4& r, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::uint32_t d) {
  EXPECT_EQ(r.v[0], a);
  EXPECT_EQ(r.v[1], b);
  EXPECT_EQ(r.v[2], c);
  EXPECT_EQ(r.v[3], d);
}

TEST(Rng, PhiloxGivesThePublishedAnswers) {
  expect_words(philox4x32({{0, 0, 0, 0}}, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  const std::uint32_t f = 0xffffffff;
  expect_words(philox4x32({{f, f, f, f}}, f, f), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  expect_words(
      philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
      0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Rng, EveryPartOfTheKeyMatters) {
  std::set<double> seen;
  for (std::uint64_t high : {0ull, 1ull << 32}) {
    seen.insert(uniform(1 + high, 2, 3, 4));
    seen.insert(uniform(1, 7 + high, 3, 4));
    seen.insert(uniform(1, 2, 9 + high, 4));
  }
  seen.insert(uniform(1, 2, 3, 5));
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(uniform(1, 2, 3, 4), uniform(1, 2, 3, 4));
}

TEST(Rng, ManyNumbersAtOnceAreTheSameNumbers) {
  for (int n : {0, 1, 7, 8, 9, 21}) {
    std::vector<double> many(std::size_t(n) + 1, -1);
    uniforms(77 + (5ull << 32), (3ull << 32) + 9, (1ull << 33) + 4, 0xfffffff9u, n, many.data());
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(many[std::size_t(i)], uniform(77 + (5ull << 32), (3ull << 32) + 9, (1ull << 33) + 4,
                                              0xfffffff9u + std::uint32_t(i)));
    }
    EXPECT_EQ(many[std::size_t(n)], -1);
  }
}

TEST(Rng, UniformNumbersHaveTheirMoments) {
  const int n = 200000;
  double sum = 0, squares = 0, least = 1, most = 0;
  for (int i = 0; i < n; ++i) {
    const double u = uniform(11, std::uint64_t(i % 64), std::uint64_t(i / 64), 0);
    sum += u;
    squares += u * u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_GT(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / n, 0.5, 5 * 0.2887 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.004);
}

TEST(Rng, NormalNumbersHaveTheirMoments) {
  const int n = 200000;
  double m[5] = {};
  for (int i = 0; i < n; ++i) {
    const NormalPair p = normal_pair(5, 3, std::uint64_t(i), 1);
    for (double x : {p.a, p.b}) {
      for (int k = 1; k < 5; ++k) m[k] += std::pow(x, k) / (2 * n);
    }
  }
  EXPECT_NEAR(m[1], 0, 0.01);
  EXPECT_NEAR(m[2], 1, 0.01);
  EXPECT_NEAR(m[3], 0, 0.03);
  EXPECT_NEAR(m[4], 3, 0.06);
}

}  // namespace
}  // namespace stepbench::math
