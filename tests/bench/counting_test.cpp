// The counting lane type computes what the type that it counts for computes, and counts it.
#include "bench/micro/counting.h"  // before any step code

#include <gtest/gtest.h>

#include "engine/math/spatial.h"
#include "engine/math/trig.h"

namespace stepbench::bench::micro {
namespace {

using Plain = math::Pack<float, 4>;
using Counted = math::Counting<Plain>;

TEST(Counting, CountsOperationsOfAllLanes) {
  const Counted a(2.0f), b(3.0f);
  Counts::now() = {};
  const Counted c = fma(a, b, a * b) - sqrt(a) / b;
  EXPECT_EQ(Counts::now().flop, 4 * (2 + 1 + 1 + 1 + 1));
  EXPECT_EQ(math::get(c, 3), math::get(fma(Plain(2.0f), Plain(3.0f), Plain(6.0f)) -
                                           math::sqrt(Plain(2.0f)) / Plain(3.0f),
                                       3));
  // Comparisons, selections and signs cost nothing.
  Counts::now() = {};
  const Counted d = select(a < b, -a, math::abs(b));
  EXPECT_EQ(math::get(d, 0), -2.0f);
  EXPECT_EQ(Counts::now().flop, 0);
}

TEST(Counting, TakesStepCodeWithTheSameBits) {
  Plain s, c;
  Counted cs, cc;
  math::sincos(Plain(0.7f), s, c);
  Counts::now() = {};
  math::sincos(Counted(0.7f), cs, cc);
  EXPECT_EQ(math::get(cs, 1), math::get(s, 1));
  EXPECT_EQ(math::get(cc, 1), math::get(c, 1));
  EXPECT_GT(Counts::now().flop, 4 * 10);
  EXPECT_LT(Counts::now().flop, 4 * 100);
}

TEST(Counting, SeesTheTrafficOfWatchedArraysAlone) {
  Counted array[3] = {Counted(1.0f), Counted(2.0f), Counted(0.0f)};
  const auto at = reinterpret_cast<std::uintptr_t>(array);
  Watched::ranges() = {{at, at + sizeof(array)}};
  Counts::now() = {};
  const Counted local = array[0] + array[1];  // two loads
  EXPECT_EQ(Counts::now().bytes, 2 * sizeof(Plain));
  const Counted more = local * local;  // none
  EXPECT_EQ(Counts::now().bytes, 2 * sizeof(Plain));
  array[2] = more;  // a store
  EXPECT_EQ(Counts::now().bytes, 3 * sizeof(Plain));
  Watched::ranges().clear();
}

}  // namespace
}  // namespace stepbench::bench::micro
