#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "engine/contact/newton.h"
#include "tests/engine/contact/golden_rows.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::SolverWorld;

std::string text_with(bool elliptic) {
  std::string text = golden::kMixedScene;
  text.insert(text.find("impratio"), elliptic ? "cone='elliptic' " : "cone='pyramidal' ");
  return text;
}

// H at the current u by brute force: M plus differences of the gradient -J'f along each dof.
MatrixXd reference(SolverWorld<double>& w, const contact::BlockOps<double>& ops, double h = 1e-5) {
  const auto& p = w.p();
  auto& d = w.d();
  const int nv = p.nv;
  MatrixXd H = MatrixXd::Zero(nv, nv);
  const VectorXd a = Eigen::Map<VectorXd>(d.qacc_smooth, nv);
  for (int i = 0; i < nv; ++i) {
    VectorXd up = a, down = a, e = VectorXd::Zero(nv), Me(nv), fu = VectorXd::Zero(nv), fd = fu;
    up[i] += h;
    down[i] -= h;
    e[i] = 1;
    ops.multiply_M(e.data(), Me.data());
    ops.product(up.data(), true, d.con_u, d.sc_u);
    ops.add_forces(-1, fu.data());
    ops.product(down.data(), true, d.con_u, d.sc_u);
    ops.add_forces(-1, fd.data());
    H.col(i) = Me + (fu - fd) / (2 * h);
  }
  ops.product(a.data(), true, d.con_u, d.sc_u);
  return H;
}

// Returns the solution; differences with step 1e-5 leave about 1e-6.
template <class Hessian>
VectorXd check_solve(Hessian& hessian, const MatrixXd& H) {
  hessian.assemble();
  hessian.factor();
  const VectorXd b = VectorXd::LinSpaced(H.rows(), -1, 2);
  VectorXd x = b;
  hessian.solve(x.data());
  EXPECT_LT((H * x - b).norm() / b.norm(), 1e-5);
  return x;
}

// Assembled, factored and solved against H from differences; the smooth acceleration lies inside
// pieces.
TEST(Hessian, PackedAndBlockFactorsSolveWithH) {
  for (const bool elliptic : {false, true}) {
    SolverWorld<double> w(text_with(elliptic));
    testing::fill(w.s().qpos, golden::kQpos);
    testing::fill(w.s().qvel, golden::kQvel);
    w.forward();
    auto c = w.context();
    contact::complete_rows(c);
    auto& b = contact::blocks_of(w.d());
    const int begin = 0, end = w.p().nv;
    const contact::Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
    const contact::BlockOps<double> ops(c, all);
    const MatrixXd H = reference(w, ops);

    contact::PackedHessian<double> packed;
    ASSERT_TRUE(packed.prepare(c, all));
    const VectorXd x = check_solve(packed, H);

    // All trees as one island, touched or not.
    std::vector<int> from, to, local(size_t(w.p().ntree));
    for (int t = 0; t < w.p().ntree; ++t) {
      from.push_back(w.p().tree_dofadr[t]);
      to.push_back(w.p().tree_dofadr[t] + w.p().tree_dofnum[t]);
    }
    std::vector<double> memory(1 << 16);
    const std::size_t skip = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) / 8;
    const contact::Workspace space(memory.data() + skip, (memory.size() - 8) * 8, 0);
    const contact::Range trees{b.sc, b.nsc, b.con, b.ncon, from.data(), to.data(), w.p().ntree};
    contact::BlockHessian<double> block;
    ASSERT_TRUE(block.prepare(c, trees, space, local.data()));
    const VectorXd y = check_solve(block, H);
    EXPECT_LT((x - y).norm() / x.norm(), 1e-12);
  }
}

// Contacts of two free bodies are summed first; their centres of mass lie off their joints here.
TEST(Hessian, TakesFreeBodiesOfAllDimensionsAndBothCones) {
  for (const char* cone : {"pyramidal", "elliptic"}) {
    std::string text = std::string("<mujoco><option cone='") + cone + "'/><worldbody>";
    const char* places[3] = {"0 0 5", ".16 .02 5.05", ".05 .15 5.1"};
    const char* dims[3] = {"1", "6", "4"};
    for (int i = 0; i < 3; ++i) {
      text += std::string("<body pos='") + places[i] + "' euler='10 20 30'><freejoint/>" +
              "<geom type='box' size='.1 .1 .1' condim='" + dims[i] + "'/>" +
              "<geom size='.1' pos='.1 0 .1' condim='3'/></body>";
    }
    SolverWorld<double> w(text + "</worldbody></mujoco>");
    w.forward();
    auto c = w.context();
    contact::complete_rows(c);
    auto& b = contact::blocks_of(w.d());
    int taken = 0;
    for (int k = 0; k < b.ncon; ++k) {
      const int slot = b.con[k];
      taken += contact::PairInertia<double>::takes(w.p(), b.dof + b.con_dofadr[slot],
                                                   b.con_ndof[slot]);
    }
    EXPECT_GT(taken, 8);
    const int begin = 0, end = w.p().nv;
    const contact::Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
    contact::PackedHessian<double> packed;
    ASSERT_TRUE(packed.prepare(c, all));
    // Forces are large here, and so is their rounding in a small difference.
    check_solve(packed, reference(w, contact::BlockOps<double>(c, all), 1e-3));
  }
}

// A contact between two branches that moves by as many dofs as the shorter branch has up to the
// root (7) is no contact with the world.
TEST(Hessian, ContactsWithTheWorldAreToldByTheirDofs) {
  std::string text =
      "<mujoco><option cone='pyramidal'/><worldbody><body pos='0 0 5'><freejoint/>"
      "<geom size='.05' contype='0' conaffinity='0'/>"
      "<body pos='.1 0 .02'><joint axis='0 1 0'/><geom size='.06'/></body>";
  for (int i = 0; i < 6; ++i) {
    text += std::string("<body pos='.01 0 .01'><joint axis='") + (i % 2 ? "1 0 0" : "0 0 1") +
            "'/><geom size='" + (i == 5 ? "0.06'/>" : ".02' contype='0' conaffinity='0'/>");
  }
  for (int i = 0; i < 6; ++i) text += "</body>";
  text += "</body></worldbody></mujoco>";
  SolverWorld<double> w(text);
  for (int i = 0; i < w.p().nv; ++i) w.s().qvel[i] = 0.3 * double(i % 5 - 2);
  w.forward();
  auto c = w.context();
  contact::complete_rows(c);
  auto& b = contact::blocks_of(w.d());
  ASSERT_EQ(b.ncon, 1);
  ASSERT_EQ(b.con_ndof[b.con[0]], 7);
  const int begin = 0, end = w.p().nv;
  const contact::Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
  const contact::BlockOps<double> ops(c, all);
  const MatrixXd H = reference(w, ops);
  contact::PackedHessian<double> packed;
  ASSERT_TRUE(packed.prepare(c, all));
  check_solve(packed, H);
}

// A workspace that is too small is asked for, and then suffices.
TEST(Hessian, AsksForMemory) {
  SolverWorld<double> w(text_with(false));
  w.prepare();
  auto c = w.context();
  contact::complete_rows(c);
  auto& b = contact::blocks_of(w.d());
  const int begin = 0, end = w.p().nv;
  const contact::Range all{b.sc, b.nsc, b.con, b.ncon, &begin, &end, 1};
  w.d().workspace_bytes = b.bytes;
  contact::PackedHessian<double> packed;
  EXPECT_FALSE(packed.prepare(c, all));
  EXPECT_GT(w.d().need_workspace, b.bytes);
}

TEST(Kernels, CholeskyAndProducts) {
  for (const int n : {1, 6, 7, 13, 27}) {
    const int ld = contact::padded(n);
    const MatrixXd G = MatrixXd::Random(n, n), A = G * G.transpose() + MatrixXd::Identity(n, n);
    struct alignas(64) Store {
      double v[40 * 40];
    };
    auto a = std::make_unique<Store>(), b = std::make_unique<Store>(),
         t = std::make_unique<Store>();
    MatrixXd B = MatrixXd::Random(n, 5);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < ld; ++j) a->v[i * ld + j] = j < n ? A(i, j) : 0;
      for (int j = 0; j < 8; ++j) b->v[i * 8 + j] = j < 5 ? B(i, j) : 0;
    }
    double inverse[40];
    contact::cholesky(a->v, inverse, n);
    contact::solve_transposed(a->v, inverse, n, b->v, 8);
    const MatrixXd X = A.llt().matrixL().solve(B);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < 5; ++j) EXPECT_NEAR(b->v[i * 8 + j], X(i, j), 1e-12);
    }
    std::fill(t->v, t->v + 5 * 8, 1.0);
    contact::subtract_product(t->v, b->v, 8, b->v, 8, 5, n);
    const MatrixXd T = MatrixXd::Ones(5, 5) - X.transpose() * X;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) EXPECT_NEAR(t->v[i * 8 + j], T(i, j), 1e-12);
    }
  }
}

}  // namespace
}  // namespace stepbench
