#include "engine/contact/island.h"

#include <gtest/gtest.h>

#include "engine/contact/block_order.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::SolverWorld;

// Spheres on a line, 0.2 apart where they touch; the list gives the x coordinates.
std::string row(const std::vector<double>& x) {
  std::string text = "<mujoco><option gravity='0 0 0'/><worldbody>";
  for (double a : x) {
    text += "<body pos='" + std::to_string(a) + " 0 0'><freejoint/><geom size='.1001'/></body>";
  }
  return text + "</worldbody></mujoco>";
}

struct Found {
  std::vector<std::byte> memory = std::vector<std::byte>(1 << 16);
  contact::Islands islands;
};

void find(SolverWorld<double>& w, Found& f) {
  w.prepare();
  contact::Workspace space(f.memory.data(), f.memory.size(), 0);
  ASSERT_TRUE(contact::find_islands(w.p(), contact::blocks_of(w.d()), space, f.islands));
}

TEST(Islands, JoinTouchingTrees) {
  // Trees 0-3-1 touch, 2-5 touch, 4 is alone.
  SolverWorld<double> w(row({0, 0.4, 2, 0.2, 5, 2.2}));
  Found f;
  find(w, f);
  const auto& s = f.islands;
  ASSERT_EQ(s.n, 2);
  const std::vector<int> trees(s.tree, s.tree + s.tree_adr[s.n]);
  EXPECT_EQ(trees, (std::vector<int>{0, 1, 3, 2, 5}));
  EXPECT_EQ(s.tree_adr[1], 3);
  EXPECT_EQ(s.con_adr[1], 2);
  EXPECT_EQ(s.con_adr[2], 3);
  const contact::Range r = s.range(1);
  EXPECT_EQ(r.nspan, 2);
  EXPECT_EQ(r.dof_begin[0], 12);
  EXPECT_EQ(r.dof_end[1], 36);
}

TEST(Islands, MemoryTooSmallIsSaid) {
  SolverWorld<double> w(row({0, 0.2}));
  w.prepare();
  contact::Islands s;
  contact::Workspace space(nullptr, 0, 0);
  EXPECT_FALSE(contact::find_islands(w.p(), contact::blocks_of(w.d()), space, s));
  EXPECT_GT(space.bytes(), 0u);
}

// A tree that no block touches keeps the smooth acceleration to the bit.
TEST(Islands, FreeTreesStaySmooth) {
  SolverWorld<double> w(row({0, 0.2, 5}));
  w.single = true;
  for (int i = 0; i < 18; ++i) w.s().qvel[i] = 0.1 * i;
  w.forward();
  for (int i = 12; i < 18; ++i) {
    EXPECT_EQ(w.d().qacc[i], w.d().qacc_smooth[i]);
    EXPECT_EQ(w.d().qfrc_constraint[i], 0);
  }
  EXPECT_NE(w.d().qacc[0], w.d().qacc_smooth[0]);
}

// The two layouts are two algorithms for one minimiser.
TEST(Islands, SingleAgreesWithPacked) {
  for (const char* cone : {"pyramidal", "elliptic"}) {
    std::string text = row({0, 0.19, 0.38, 2, 2.19, 0.1});
    text.replace(text.find("gravity"), 0, std::string("tolerance='0' cone='") + cone + "' ");
    SolverWorld<double> packed(text), single(text);
    single.single = true;
    for (int i = 0; i < 36; ++i) packed.s().qvel[i] = single.s().qvel[i] = std::sin(i + 1);
    packed.forward();
    single.forward();
    EXPECT_LT(testing::max_relative(single.qacc(), packed.qacc()), 1e-11);
  }
}

TEST(MinimumDegree, ChainHasNoFill) {
  constexpr int n = 100;
  std::vector<std::uint64_t> rows(n * 2);
  contact::BitGraph g;
  g.n = n;
  g.words = 2;
  g.row = rows.data();
  for (int i = 0; i + 1 < n; ++i) g.connect(i, i + 1);
  std::vector<int> order(n), position(n), degree(n);
  EXPECT_EQ(contact::minimum_degree(g, order.data(), position.data(), degree.data()), n - 1);
  EXPECT_EQ(order[0], 0);
  for (int q = 0; q < n; ++q) EXPECT_EQ(position[size_t(order[size_t(q)])], q);
}

TEST(MinimumDegree, StarEliminatesItsLeavesFirst) {
  constexpr int n = 9;
  std::vector<std::uint64_t> rows(n);
  contact::BitGraph g;
  g.n = n;
  g.words = 1;
  g.row = rows.data();
  for (int i = 1; i < n; ++i) g.connect(0, i);
  std::vector<int> order(n), position(n), degree(n);
  EXPECT_EQ(contact::minimum_degree(g, order.data(), position.data(), degree.data()), n - 1);
  EXPECT_GE(position[0], n - 2);
}

TEST(MinimumDegree, CycleFillsByTriangles) {
  constexpr int n = 10;
  std::vector<std::uint64_t> rows(n);
  contact::BitGraph g;
  g.n = n;
  g.words = 1;
  g.row = rows.data();
  for (int i = 0; i < n; ++i) g.connect(i, (i + 1) % n);
  std::vector<int> order(n), position(n), degree(n);
  EXPECT_EQ(contact::minimum_degree(g, order.data(), position.data(), degree.data()), n + n - 3);
}

}  // namespace
}  // namespace stepbench
