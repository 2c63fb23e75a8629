#include "engine/contact/newton.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "tests/engine/contact/golden_rows.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::max_relative;
using testing::SolverWorld;

// Free spheres and boxes in a loose heap, an arm with limits and friction loss among them.
std::string heap(bool elliptic, int seed, int n) {
  std::mt19937 random{unsigned(seed)};
  std::uniform_real_distribution<double> unit(-1, 1);
  std::string text = "<mujoco><option tolerance='0' iterations='200' impratio='2' cone='";
  text += elliptic ? "elliptic" : "pyramidal";
  text += "'/><worldbody><geom type='plane' size='5 5 1'/>";
  const int dims[] = {1, 3, 4, 6};
  for (int i = 0; i < n; ++i) {
    char body[500];
    std::snprintf(body, sizeof body,
                  "<body pos='%g %g %g'><freejoint/><geom type='%s' size='.1 .08 .06' condim='%d' "
                  "friction='%g .02 .003'/></body>",
                  0.12 * unit(random), 0.12 * unit(random), 0.09 + 0.14 * i,
                  i % 3 == 2 ? "box" : "sphere", dims[i % 4], 0.6 + 0.3 * unit(random));
    text += body;
  }
  text +=
      "<body pos='.5 0 .2'><joint axis='0 1 0' range='-10 10' frictionloss='.3'/>"
      "<geom type='capsule' fromto='0 0 0 -.4 0 -.1' size='.05'/><body pos='-.4 0 -.1'>"
      "<joint type='ball' range='0 15' frictionloss='.01'/>"
      "<geom type='capsule' fromto='0 0 0 -.2 0 -.05' size='.05'/></body></body>"
      "</worldbody></mujoco>";
  return text;
}

void randomise(SolverWorld<double>& w, int seed) {
  std::mt19937 random{unsigned(seed)};
  std::normal_distribution<double> normal;
  for (int i = 0; i < w.p().nv; ++i) {
    w.s().qvel[i] = 0.5 * normal(random);
    w.s().qacc_warmstart[i] = normal(random);
  }
}

struct Dense {
  MatrixXd M, J;
  VectorXd smooth, D, aref, force;
  std::vector<int> type;
};

Dense dense(SolverWorld<double>& w) {
  const auto& p = w.p();
  const auto rows = contact::expand_rows(w.context());
  Dense r;
  const int nv = p.nv, n = int(rows.D.size());
  r.M = MatrixXd::Zero(nv, nv);
  for (int i = 0; i < nv; ++i) {
    for (int k = 0; k < p.M_rownnz[i]; ++k) {
      const int j = p.M_colind[p.M_rowadr[i] + k];
      r.M(i, j) = r.M(j, i) = w.d().M[p.M_rowadr[i] + k];
    }
  }
  r.J = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(rows.J.data(), n, nv);
  r.smooth = Eigen::Map<VectorXd>(w.d().qfrc_smooth, nv);
  r.D = Eigen::Map<const VectorXd>(rows.D.data(), n);
  r.aref = Eigen::Map<const VectorXd>(rows.aref.data(), n);
  r.force = Eigen::Map<const VectorXd>(rows.force.data(), n);
  r.type = rows.type;
  return r;
}

// The dual problem, min 1/2 f'(A + R) f + f'(J a0 - aref) over f >= 0 or |f| <= eta, by
// Gauss-Seidel.
VectorXd gauss_seidel(const Dense& q, const std::vector<double>& eta) {
  const MatrixXd MinvJt = q.M.ldlt().solve(q.J.transpose());
  MatrixXd A = q.J * MinvJt;
  A.diagonal() += q.D.cwiseInverse();
  const VectorXd b = q.J * q.M.ldlt().solve(q.smooth) - q.aref;
  VectorXd f = VectorXd::Zero(q.D.size());
  for (int sweep = 0; sweep < 200000; ++sweep) {
    double moved = 0;
    for (int r = 0; r < f.size(); ++r) {
      double x = f[r] - (A.row(r).dot(f) + b[r]) / A(r, r);
      x = q.type[size_t(r)] == model::kCnstrFrictionDof
              ? std::clamp(x, -eta[size_t(r)], eta[size_t(r)])
              : std::max(0.0, x);
      moved = std::max(moved, std::abs(x - f[r]));
      f[r] = x;
    }
    if (moved < 1e-15 * f.cwiseAbs().maxCoeff()) break;
  }
  return f;
}

TEST(Newton, AgreesWithDualGaussSeidel) {
  for (const bool single : {false, true}) {
    for (int seed = 1; seed <= 4; ++seed) {
      SolverWorld<double> w(heap(false, seed, 4));
      w.single = single;
      randomise(w, seed);
      w.forward();
      const Dense q = dense(w);
      ASSERT_GT(q.D.size(), 10);
      std::vector<double> eta;
      for (int i = 0; i < w.p().nv; ++i) {
        if (w.p().dof_frictionloss[i] > 0) eta.push_back(w.p().dof_frictionloss[i]);
      }
      eta.resize(size_t(q.D.size()), 0);
      const VectorXd f = gauss_seidel(q, eta);
      const VectorXd a = q.M.ldlt().solve(q.smooth + q.J.transpose() * f);
      EXPECT_LT(max_relative(w.qacc(), {a.data(), a.data() + a.size()}), 1e-9) << "seed " << seed;
      EXPECT_LT((f - q.force).cwiseAbs().maxCoeff() / f.cwiseAbs().maxCoeff(), 1e-8);
    }
  }
}

// Optimality (contact_models.md 6.11): M a - smooth = J'f, forces in their cones, and f = -gradient
// of the cost means complementarity f'(J a - aref + R f) = 0 for scalar rows.
TEST(Newton, SatisfiesTheOptimalityConditions) {
  for (const bool elliptic : {false, true}) {
    for (const bool single : {false, true}) {
      for (int seed = 5; seed <= 9; ++seed) {
        SolverWorld<double> w(heap(elliptic, seed, 6));
        w.single = single;
        randomise(w, seed);
        w.forward();
        const Dense q = dense(w);
        const VectorXd a = Eigen::Map<VectorXd>(w.d().qacc, w.p().nv);
        const VectorXd Jf = q.J.transpose() * q.force;
        const double scale = 1 + Jf.cwiseAbs().maxCoeff();
        EXPECT_LT((q.M * a - q.smooth - Jf).cwiseAbs().maxCoeff(), 1e-10 * scale);
        EXPECT_LT(
            (Jf - Eigen::Map<VectorXd>(w.d().qfrc_constraint, w.p().nv)).cwiseAbs().maxCoeff(),
            1e-12 * scale);
        const VectorXd u = q.J * a - q.aref;
        for (int r = 0; r < u.size(); ++r) {
          const int type = q.type[size_t(r)];
          if (type == model::kCnstrFrictionDof || type == model::kCnstrContactElliptic) continue;
          EXPECT_GE(q.force[r], 0);
          EXPECT_NEAR(q.force[r] * (u[r] + q.force[r] / q.D[r]), 0, 1e-9 * scale);
        }
        EXPECT_EQ(w.d().out_capped[0], 0);
      }
    }
  }
}

TEST(Newton, ContactForcesStayInTheEllipticCone) {
  std::string text = heap(true, 11, 5);
  SolverWorld<double> w(text);
  randomise(w, 11);
  w.forward();
  const auto rows = contact::expand_rows(w.context());
  for (int slot = 0; slot < w.d().ncon; ++slot) {
    const auto& pair = w.pairs()[size_t(w.d().con_pair[slot])];
    const int adr = rows.con_address[size_t(slot)];
    if (adr < 0 || pair.dim == 1) continue;
    double t2 = 0;
    for (int k = 1; k < pair.dim; ++k) {
      const double f = rows.force[size_t(adr + k)] / pair.friction[k - 1];
      t2 += f * f;
    }
    EXPECT_LE(std::sqrt(t2), rows.force[size_t(adr)] * (1 + 1e-12));
  }
}

// zeta, tc and the direct form (-k, -b) with k = 1 / (tc zeta)^2, b = 2 / tc describe the same
// contact; condim 1 is the pyramid of mu -> 0 (contact_models.md 6.11).
TEST(Newton, LimitsOfParameters) {
  const auto acceleration = [](const std::string& geom) {
    SolverWorld<double> w(
        "<mujoco><option tolerance='0'/><worldbody><geom type='plane' size='5 5 1'/>"
        "<body pos='0 0 .098'><freejoint/><geom size='.1' mass='1' " +
        geom + "/></body></worldbody></mujoco>");
    w.s().qvel[0] = 0.3;
    w.s().qvel[2] = -0.2;
    w.forward();
    return w.qacc();
  };
  EXPECT_LT(max_relative(acceleration("solref='.04 .5' priority='1'"),
                         acceleration("solref='-2500 -50' priority='1'")),
            1e-12);
}

TEST(Newton, WarmStartAtTheSolutionNeedsNoStep) {
  for (const bool single : {false, true}) {
    SolverWorld<double> w(heap(false, 3, 5));
    w.single = single;
    const_cast<model::Params<double>&>(w.p()).opt.tolerance = 1e-8;
    w.forward();
    EXPECT_GT(w.d().out_niter[0], 0);
    const auto a = w.qacc();
    testing::fill(w.s().qacc_warmstart, a);
    w.forward();
    EXPECT_EQ(w.d().out_niter[0], 0);
    EXPECT_EQ(w.qacc(), a);
  }
}

TEST(Newton, IterationCapIsReported) {
  SolverWorld<double> w(heap(true, 3, 6));
  randomise(w, 1);
  const_cast<model::Params<double>&>(w.p()).opt.iterations = 1;
  w.forward();
  EXPECT_EQ(w.d().out_niter[0], 1);
  EXPECT_EQ(w.d().out_capped[0], 1);
}

TEST(Newton, WorldWithoutRowsIsSmooth) {
  for (const bool single : {false, true}) {
    SolverWorld<double> w(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 3'>"
        "<freejoint/><geom size='.1'/></body></worldbody></mujoco>");
    w.single = single;
    w.forward();
    EXPECT_EQ(w.d().out_niter[0], 0);
    EXPECT_EQ(w.qacc(), testing::values(w.d().qacc_smooth, w.p().nv));
    EXPECT_EQ(testing::values(w.d().qfrc_constraint, w.p().nv), std::vector<double>(6, 0.0));
  }
}

// Poisoned input must end the solve, not hang it.
TEST(Newton, NaNStops) {
  for (const bool single : {false, true}) {
    SolverWorld<double> w(heap(false, 3, 4));
    w.single = single;
    w.s().qvel[0] = NAN;
    w.forward();
    EXPECT_TRUE(std::isnan(w.d().qacc[0]));
  }
}

TEST(Newton, PyramidFrictionCapability) {
  // A push along an axis slides where it exceeds mu m g; along the diagonal the pyramid holds only
  // mu m g / sqrt(2), the elliptic cone is isotropic (contact_models.md 6.3, 6.11).
  const auto slides = [](bool elliptic, double push, double angle) {
    char text[600];
    std::snprintf(
        text, sizeof text,
        "<mujoco><option cone='%s' gravity='%.17g %.17g -10' impratio='100'/><worldbody>"
        "<geom type='plane' size='5 5 1' friction='.5'/><body pos='0 0 .1'><joint type='slide' "
        "axis='1 0 0'/>"
        "<joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>"
        "<geom type='box' size='.1 .1 .1' mass='1' friction='.5'/></body></worldbody></mujoco>",
        elliptic ? "elliptic" : "pyramidal", push * std::cos(angle), push * std::sin(angle));
    SolverWorld<double> w(text);
    w.steps(500);
    return std::hypot(w.s().qvel[0], w.s().qvel[1]) > 0.05;
  };
  for (const bool elliptic : {false, true}) {
    EXPECT_FALSE(slides(elliptic, 4.8, 0));
    EXPECT_TRUE(slides(elliptic, 5.2, 0));
  }
  EXPECT_FALSE(slides(true, 4.8, M_PI / 4));
  EXPECT_TRUE(slides(true, 5.2, M_PI / 4));
  EXPECT_FALSE(slides(false, 3.4, M_PI / 4));
  EXPECT_TRUE(slides(false, 3.7, M_PI / 4));
}

// The articulated solve against the direct one of islands: two balls, floor and tilted walls, so
// that contacts of one body with the world differ in nothing but the direction of their normal.
TEST(Newton, CornersAgreeWithTheIslandSolver) {
  for (const char* option : {"", "cone='elliptic'"}) {
    const std::string scene =
        "<mujoco><option gravity='4 0 -3' tolerance='0' " + std::string(option) +
        "/><worldbody><geom type='plane' size='1 1 .1'/>"
        "<geom type='plane' size='1 1 .1' zaxis='-1 0 0' pos='.5 0 0'/>"
        "<geom type='plane' size='1 1 .1' zaxis='0 1 1' pos='0 -.2 0'/>"
        "<body pos='0 0 .2'><freejoint/><geom size='.1' mass='1'/></body>"
        "<body pos='-.3 0 .2'><freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>";
    SolverWorld<double> packed(scene), single(scene);
    single.single = true;
    for (int step = 0; step < 400; ++step) {
      for (int i = 0; i < packed.p().nq; ++i) single.s().qpos[i] = packed.s().qpos[i];
      for (int i = 0; i < packed.p().nv; ++i) {
        single.s().qvel[i] = packed.s().qvel[i];
        single.s().qacc_warmstart[i] = packed.s().qacc_warmstart[i];
      }
      single.forward();
      packed.step();
      ASSERT_LT(max_relative(packed.qacc(), single.qacc()), 1e-8) << option << " step " << step;
    }
    EXPECT_GE(packed.d().ncon, 3);
  }
}

}  // namespace
}  // namespace stepbench
