#include "engine/contact/cone.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace stepbench::contact {
namespace {

// Gradient and Hessian of a cone's cost against central differences at random points of every zone,
// and slope() against both (contact_models.md 6.11).
template <class Cone>
void check_derivatives(double mu1, double impratio, int seed) {
  constexpr int n = Cone::kDim;
  model::OptionParams<double> opt{};
  opt.impratio = impratio;
  const auto p = cone_params(opt, mu1);
  std::mt19937_64 random(static_cast<unsigned long>(seed));
  std::normal_distribution<double> normal;
  const double D = 3.7, h = 1e-6;
  for (int k = 0; k < 400; ++k) {
    double u[n], v[n], f[n], W[n * (n + 1) / 2];
    for (int i = 0; i < n; ++i) {
      u[i] = normal(random);
      v[i] = normal(random);
    }
    if (k % 3 == 0) u[0] -= 3 / p.m2;  // deep in the bottom zone
    Cone::force(p, D, u, f);
    Cone::hessian(p, D, u, W);
    Eigen::MatrixXd H(n, n);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) H(r, c) = W[r >= c ? tri(r, c) : tri(c, r)];
      double up[n], down[n];
      std::copy(u, u + n, up);
      std::copy(u, u + n, down);
      up[r] += h;
      down[r] -= h;
      if (!Cone::same_piece(p, up, down) && Cone::kArrow) continue;
      const double scale = 1 + std::abs(u[0]);
      EXPECT_NEAR((Cone::cost(p, D, up) - Cone::cost(p, D, down)) / (2 * h), -f[r],
                  1e-7 * scale * scale / std::min(1.0, p.m2));
      double fu[n], fd[n];
      Cone::force(p, D, up, fu);
      Cone::force(p, D, down, fd);
      for (int c = 0; c < n; ++c) {
        const double T = Eigen::Map<Eigen::VectorXd>(u + (n > 1), std::max(1, n - 1)).norm();
        EXPECT_NEAR((fu[c] - fd[c]) / (2 * h), -W[r >= c ? tri(r, c) : tri(c, r)],
                    1e-4 * (1 + D / (T * p.m2)));
      }
    }
    const Eigen::Map<Eigen::VectorXd> ev(v, n), ef(f, n);
    Slope<double> s{0, 0};
    Cone::slope(p, D, u, v, s);
    EXPECT_NEAR(s.first, -ef.dot(ev), 1e-12 * (1 + std::abs(s.first)) * D / std::min(1.0, p.m2));
    EXPECT_NEAR(s.second, ev.dot(H * ev), 1e-12 * (1 + std::abs(s.second)) * D);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues()(0),
              -1e-11 * H.norm() - 1e-14);
    double WJ[n];
    weigh<Cone>(W, v, WJ);
    EXPECT_NEAR((Eigen::Map<Eigen::VectorXd>(WJ, n) - H * ev).norm(), 0,
                1e-12 * (1 + H.norm() * ev.norm()));
  }
}

TEST(Cone, PyramidDerivatives) {
  check_derivatives<Pyramid<double, 1>>(1, 1, 1);
  check_derivatives<Pyramid<double, 3>>(1, 1, 2);
  check_derivatives<Pyramid<double, 4>>(1, 1, 3);
  check_derivatives<Pyramid<double, 6>>(1, 1, 4);
}

TEST(Cone, EllipticDerivatives) {
  check_derivatives<Elliptic<double, 3>>(0.7, 1, 5);
  check_derivatives<Elliptic<double, 3>>(1, 10, 6);
  check_derivatives<Elliptic<double, 4>>(0.4, 1, 7);
  check_derivatives<Elliptic<double, 6>>(1.2, 3, 8);
}

// MuJoCo's own form of the elliptic cost, on unscaled rows (mujoco_warp.md 6.8).
TEST(Cone, EllipticIsMuJoCosFormula) {
  const double mu[2] = {0.6, 0.02}, impratio = 2, D0 = 5;
  model::OptionParams<double> opt{};
  opt.impratio = impratio;
  const auto p = cone_params(opt, mu[0]);
  const double m = mu[0] / std::sqrt(impratio);
  const double Dj[4] = {D0, D0 * impratio, D0 * impratio,
                        D0 * impratio * mu[1] * mu[1] / (mu[0] * mu[0])};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int zones[3] = {};
  for (int k = 0; k < 1000; ++k) {
    const double scale[4] = {1, mu[0], mu[0], mu[1]};
    double jar[4], u[4], f[4], expected = 0;
    for (int i = 0; i < 4; ++i) {
      jar[i] = normal(random) * (i == 0 ? 3 : 1);
      u[i] = scale[i] * jar[i];
    }
    const double N = m * jar[0], T = std::sqrt(u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
    const double Dm = D0 / (m * m * (1 + m * m));
    if (N >= m * T) {
      ++zones[0];
    } else if (m * N + T <= 0) {
      ++zones[1];
      for (int i = 0; i < 4; ++i) expected += 0.5 * Dj[i] * jar[i] * jar[i];
    } else {
      ++zones[2];
      expected = 0.5 * Dm * (N - m * T) * (N - m * T);
    }
    using Cone = Elliptic<double, 4>;
    EXPECT_NEAR(Cone::cost(p, D0, u), expected, 1e-13 * (1 + expected));
    Cone::force(p, D0, u, f);
    // In the cone, with the regularised coefficients: |f_t / mu| <= m' f_n holds on jar-scaled
    // forces.
    if (zones[2] > 0 && N < m * T && m * N + T > 0) {
      EXPECT_NEAR(f[0], -Dm * (N - m * T) * m, 1e-12 * (1 + f[0]));
      EXPECT_NEAR(f[1] * scale[1], -(f[0] / T) * u[1] * mu[0], 1e-12 * (1 + f[0]));
    }
  }
  for (int z : zones) EXPECT_GT(z, 50);
}

TEST(Cone, CostIsContinuousAcrossZones) {
  model::OptionParams<double> opt{};
  opt.impratio = 1;
  const auto p = cone_params(opt, 0.8);
  using Cone = Elliptic<double, 3>;
  const double e = 1e-9;
  for (const double border : {0.5, -0.5 / p.m2}) {
    const double a[3] = {border - e, 0.3, 0.4}, b[3] = {border + e, 0.3, 0.4};
    double fa[3], fb[3];
    Cone::force(p, 2.0, a, fa);
    Cone::force(p, 2.0, b, fb);
    EXPECT_FALSE(Cone::same_piece(p, a, b));
    EXPECT_NEAR(Cone::cost(p, 2.0, a), Cone::cost(p, 2.0, b), 1e-7);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(fa[i], fb[i], 1e-7);
  }
}

TEST(Cone, TipOfTheConeIsFinite) {
  model::OptionParams<double> opt{};
  opt.impratio = 1;
  const auto p = cone_params(opt, 0.8);
  using Cone = Elliptic<double, 3>;
  for (const double x0 : {-1.0, 0.0, 1.0}) {
    const double u[3] = {x0, 0, 0}, v[3] = {1, 1, 1};
    double f[3], W[6];
    Slope<double> s{0, 0};
    Cone::force(p, 2.0, u, f);
    Cone::hessian(p, 2.0, u, W);
    Cone::slope(p, 2.0, u, v, s);
    EXPECT_EQ(f[0], x0 < 0 ? 2.0 : 0.0);
    for (double w : W) EXPECT_TRUE(std::isfinite(w));
    EXPECT_TRUE(std::isfinite(s.first) && std::isfinite(s.second));
  }
}

TEST(Scalar, FrictionLossIsHuber) {
  const double D = 4, eta = 2;  // border at |u| = 0.5
  for (const double u : {-3.0, -0.4, 0.0, 0.2, 0.7}) {
    const double bound = eta / D, a = std::abs(u);
    const double cost = a < bound ? 0.5 * D * u * u : eta * a - 0.5 * eta * bound;
    EXPECT_DOUBLE_EQ(scalar_cost(eta, D, u), cost);
    EXPECT_DOUBLE_EQ(scalar_force(eta, D, u), -std::clamp(D * u, -eta, eta));
    EXPECT_DOUBLE_EQ(scalar_hessian(eta, D, u), a < bound ? D : 0.0);
  }
  EXPECT_TRUE(scalar_same_piece(eta, D, 0.1, -0.2));
  EXPECT_FALSE(scalar_same_piece(eta, D, 0.1, 0.6));
  EXPECT_FALSE(scalar_same_piece(eta, D, -0.6, 0.6));
  EXPECT_TRUE(scalar_same_piece(eta, D, 0.6, 0.8));
  EXPECT_TRUE(scalar_same_piece(-1.0, D, -0.6, -0.8));
  EXPECT_FALSE(scalar_same_piece(-1.0, D, -0.6, 0.8));
}

}  // namespace
}  // namespace stepbench::contact
