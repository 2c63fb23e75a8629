// Worlds keep their identity when they change places.
#include "engine/batch/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace stepbench::batch {
namespace {

TEST(WorldOrder, PutsTheMostWorkFirstAndKeepsTiesInOrder) {
  // Iterations, coupled rows; rows count before iterations.
  const std::vector<Work> work = {{0, 0}, {90, 0}, {0, 40}, {90, 0}, {0, 0}, {50, 40}};
  std::vector<std::int32_t> from;
  ASSERT_TRUE(WorldOrder::plan(12, work, 2, from));
  EXPECT_EQ(from, (std::vector<std::int32_t>{17, 14, 13, 15, 12, 16}));
}

TEST(WorldOrder, LeavesPlacesAloneWhereNothingIsGained) {
  std::vector<std::int32_t> from;
  EXPECT_FALSE(WorldOrder::plan(0, std::vector<Work>(64), 8, from));
  EXPECT_FALSE(WorldOrder::plan(0, std::vector<Work>(64, {70, 20}), 8, from));
  std::vector<Work> sorted;
  for (int i = 64; i > 0; --i) sorted.push_back({float(i), 0});
  EXPECT_FALSE(WorldOrder::plan(0, sorted, 8, from));
  // One pack: its order does not matter.
  std::reverse(sorted.begin(), sorted.end());
  EXPECT_FALSE(WorldOrder::plan(0, sorted, 64, from));
  EXPECT_TRUE(WorldOrder::plan(0, {{{0}, {60}, {0}, {60}}}, 2, from));
}

TEST(WorldOrder, PlacesAndWorldsStayInverse) {
  WorldOrder order(10);
  order.permute(2, std::vector<std::int32_t>{5, 2, 4, 3});
  order.permute(0, std::vector<std::int32_t>{3, 1, 0, 2});
  EXPECT_EQ(order.world(0), 2);
  EXPECT_EQ(order.world(3), 5);
  std::vector<std::int64_t> seen;
  for (std::int64_t w = 0; w < 10; ++w) {
    EXPECT_EQ(order.world(order.place(w)), w);
    seen.push_back(order.place(w));
  }
  std::sort(seen.begin(), seen.end());
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(seen[size_t(i)], i);
}

}  // namespace
}  // namespace stepbench::batch
