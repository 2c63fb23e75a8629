#include "engine/contact/free_island.h"

#include <gtest/gtest.h>

#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::max_relative;
using testing::SolverWorld;

// n^3 bodies in a block over the floor, each overlapping its neighbours a little: spheres and boxes
// by turns, contact dimensions from the list by turns.
std::string heap(int n, const std::string& option, const std::vector<int>& condim,
                 const std::string& geom = "") {
  std::string text = "<mujoco><option " + option + "/><worldbody><geom type='plane' size='1 1 1'/>";
  for (int i = 0; i < n * n * n; ++i) {
    const auto at = [&](int k) { return std::to_string(0.195 * k); };
    const double tilt = 0.01 * (i % 7);
    text += "<body pos='" + at(i % n) + " " + at(i / n % n) + " " +
            std::to_string(0.098 + 0.195 * (i / n / n)) + "' euler='" + std::to_string(tilt) + " " +
            std::to_string(2 * tilt) + " 0'><freejoint/><geom " +
            (i % 2 == 0 ? "size='.1' " : "type='box' size='.1 .1 .1' ") + "condim='" +
            std::to_string(condim[std::size_t(i) % condim.size()]) + "' " + geom + "/></body>";
  }
  return text + "</worldbody></mujoco>";
}

template <class Real>
void shake(SolverWorld<Real>& w) {
  w.single = true;
  for (int i = 0; i < w.p().nv; ++i) {
    w.s().qvel[i] = Real(0.3 * std::sin(1.7 * i));
    w.s().qacc_warmstart[i] = Real(2 * std::cos(0.9 * i));
  }
}

// qacc by the direct factor, whatever the size of the islands.
template <class Real>
std::vector<double> direct(SolverWorld<Real>& w) {
  w.forward();  // memory
  w.prepare();
  auto c = w.context();
  for (int i = 0; i < w.p().nv; ++i) w.d().qacc[i] = w.d().qacc_smooth[i];
  std::vector<std::byte> memory(1 << 24);
  auto aligned = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  contact::Workspace space(reinterpret_cast<void*>(aligned), memory.size() - 64, 0);
  contact::Islands islands;
  std::vector<int> local(std::size_t(w.p().ntree));
  EXPECT_TRUE(contact::find_islands(w.p(), contact::blocks_of(w.d()), space, islands));
  for (int k = 0; k < islands.n; ++k) {
    const contact::Range range = islands.range(k);
    contact::fill_contacts(c, range.con, range.ncon);
    contact::BlockHessian<Real> hessian;
    EXPECT_TRUE(hessian.prepare(c, range, space, local.data()));
    contact::minimise(c, range, hessian, true);
  }
  return w.qacc();
}

// Norm of the gradient at a, in units of the tolerance's.
template <class Real>
double residual(SolverWorld<Real>& w, const std::vector<double>& a) {
  w.prepare();
  auto c = w.context();
  const contact::Blocks& b = contact::blocks_of(c.d);
  contact::fill_contacts(c, b.con, b.ncon);
  const int begin = 0, end = w.p().nv;
  const contact::Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
  const contact::BlockOps<Real> ops(c, all);
  auto& d = w.d();
  for (int i = 0; i < end; ++i) d.qacc[i] = Real(a[std::size_t(i)]);
  ops.product(d.qacc, true, d.con_u, d.sc_u);
  ops.multiply_M(d.qacc, d.sol_grad);
  for (int i = 0; i < end; ++i) d.sol_grad[i] -= d.qfrc_smooth[i];
  ops.add_forces(Real(-1), d.sol_grad);
  return double(math::sqrt(ops.dot(d.sol_grad, d.sol_grad)) / ops.trace_M());
}

// Whether the inexact Newton method takes the first island.
template <class Real>
typename contact::FreeIsland<Real>::Outcome outcome(SolverWorld<Real>& w) {
  w.forward();
  w.prepare();
  auto c = w.context();
  std::vector<std::byte> memory(1 << 24);
  auto aligned = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  contact::Workspace space(reinterpret_cast<void*>(aligned), memory.size() - 64, 0);
  contact::Islands islands;
  EXPECT_TRUE(contact::find_islands(w.p(), contact::blocks_of(w.d()), space, islands));
  const contact::Range range = islands.range(0);
  if (!contact::FreeIsland<Real>::suits(c, range)) return contact::FreeIsland<Real>::kOther;
  std::vector<int> local(std::size_t(w.p().ntree));
  contact::FreeIsland<Real> island;
  return island.solve(c, range, space, local.data());
}

TEST(FreeIsland, AgreesWithDirectFactor) {
  for (const char* cone : {"pyramidal", "elliptic"}) {
    for (const std::vector<int>& condim :
         {std::vector<int>{3}, std::vector<int>{1}, std::vector<int>{1, 3, 4, 6, 3}}) {
      const std::string text =
          heap(3, std::string("tolerance='1e-13' impratio='2' cone='") + cone + "'", condim);
      SolverWorld<double> w(text), oracle(text);
      shake(w);
      shake(oracle);
      EXPECT_EQ(outcome(w), contact::FreeIsland<double>::kDone);
      w.forward();
      EXPECT_GT(w.d().out_niter[0], 1);
      EXPECT_EQ(w.d().out_capped[0], 0);
      const auto a = w.qacc();
      EXPECT_LT(residual(w, a), 1e-12) << cone << " " << condim.size();
      // With elliptic cones the direct solve stops on cost differences, some way before.
      const double bound = std::string(cone) == "elliptic" ? 1e-6 : 1e-10;
      EXPECT_LT(max_relative(a, direct(oracle)), bound) << cone << " " << condim.size();
    }
  }
}

TEST(FreeIsland, DefaultToleranceIsMetInBothPrecisions) {
  const std::string text = heap(4, "", {3});
  SolverWorld<double> w(text), oracle(heap(4, "tolerance='1e-14'", {3}));
  SolverWorld<float> f(text);
  shake(w);
  shake(oracle);
  shake(f);
  const std::vector<double> exact = direct(oracle);
  w.forward();
  f.forward();
  EXPECT_LT(max_relative(w.qacc(), exact), 1e-5);
  EXPECT_LT(max_relative(f.qacc(), exact), 1e-3);
}

// Forces, rows and accelerations of a report fit together.
TEST(FreeIsland, ReportsItsForces) {
  SolverWorld<double> w(heap(3, "tolerance='1e-13'", {3, 4}));
  shake(w);
  w.forward();
  const contact::EfcRows rows = contact::expand_rows(w.context());
  ASSERT_EQ(int(rows.type.size()), int(w.d().out_nefc[0]));
  const int nv = w.p().nv;
  std::vector<double> sum(std::size_t(nv), 0.0);
  for (std::size_t r = 0; r < rows.force.size(); ++r) {
    for (int i = 0; i < nv; ++i)
      sum[std::size_t(i)] += rows.J[r * std::size_t(nv) + std::size_t(i)] * rows.force[r];
  }
  EXPECT_LT(max_relative(testing::values(w.d().qfrc_constraint, nv), sum), 1e-12);
}

TEST(FreeIsland, LeavesChainsAndStiffContactsToTheDirectFactor) {
  std::string row = "<mujoco><option gravity='0 0 0'/><worldbody>";
  for (int i = 0; i < 40; ++i) {
    row +=
        "<body pos='" + std::to_string(0.2 * i) + " 0 0'><freejoint/><geom size='.1001'/></body>";
  }
  SolverWorld<double> chain(row + "</worldbody></mujoco>");
  shake(chain);
  EXPECT_EQ(outcome(chain), contact::FreeIsland<double>::kOther);

  const std::string text =
      heap(4, "tolerance='1e-12'", {3}, "solimp='.9999 .9999 .001' solref='.004 1'");
  SolverWorld<double> stiff(text), oracle(text);
  shake(stiff);
  shake(oracle);
  EXPECT_EQ(outcome(stiff), contact::FreeIsland<double>::kOther);
  stiff.forward();
  EXPECT_LT(max_relative(stiff.qacc(), direct(oracle)), 1e-9);
}

TEST(FreeIsland, MemoryTooSmallIsSaid) {
  SolverWorld<double> w(heap(3, "", {3}));
  shake(w);
  w.forward();
  w.prepare();
  auto c = w.context();
  std::vector<std::byte> memory(1 << 20);
  contact::Workspace space(memory.data(), memory.size(), 0);
  contact::Islands islands;
  ASSERT_TRUE(contact::find_islands(w.p(), contact::blocks_of(w.d()), space, islands));
  std::vector<int> local(std::size_t(w.p().ntree));
  contact::FreeIsland<double> island;
  contact::Workspace none(nullptr, 0, 0);
  EXPECT_EQ(island.solve(c, islands.range(0), none, local.data()),
            contact::FreeIsland<double>::kMemory);
  EXPECT_GT(w.d().need_workspace, 1000u);
}

// A body's row does not depend on what lies beside it in a pack.
TEST(LaneRows, MoveRowsToLanesAndBack) {
  using Real = double;
  constexpr int W = contact::kWidth<contact::Chunk<Real>>;
  alignas(64) Real x[12 * 8], y[12 * 8] = {};
  for (int i = 0; i < 96; ++i) x[i] = i % 8 < 6 ? i : 0;
  int index[8] = {3, 1, 4, 1, 5, 9, 2, 6}, none[8];
  for (int& k : none) k = 11;
  contact::Chunk<Real> lanes[6], zero[6];
  contact::load_rows(x, index, lanes);
  for (int c = 0; c < 6; ++c) {
    zero[c] = contact::Chunk<Real>(0.0);
    for (int l = 0; l < W; ++l) EXPECT_EQ(math::get(lanes[c], l), 8 * index[l] + c);
  }
  contact::add_rows(y, index, lanes, none, zero);
  for (int c = 0; c < 6; ++c) {
    EXPECT_EQ(y[8 * 3 + c], x[8 * 3 + c]);
    EXPECT_EQ(y[8 + c], 2 * x[8 + c]);  // listed twice among the first four
  }
  EXPECT_EQ(y[8 * 11], 0);
}

}  // namespace
}  // namespace stepbench
