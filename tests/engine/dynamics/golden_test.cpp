// The stages against MuJoCo 4.0.0: scenes and expected numbers in golden/, written by
// golden/make.py.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/engine/dynamics/smooth_world.h"

namespace stepbench::dynamics {
namespace {

using Golden = std::map<std::string, std::vector<double>>;

std::string path(const std::string& name, const char* suffix) {
  return std::string(SB_TESTS_DIR) + "/engine/dynamics/golden/" + name + suffix;
}

Golden read_golden(const std::string& name) {
  Golden g;
  std::ifstream file(path(name, ".txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string key;
    in >> key;
    std::vector<double>& values = g[key];
    for (double x; in >> x;) values.push_back(x);
  }
  return g;
}

// Largest |a - b| over max(1, largest |b|).
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double scale = 1, worst = a.size() == b.size() ? 0 : INFINITY;
  for (double x : b) scale = std::max(scale, std::fabs(x));
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::isnan(a[i]) ? INFINITY : std::fabs(a[i] - b[i]));
  }
  return worst / scale;
}

// MuJoCo's pattern leaves out the zeros of bodies that it calls simple, so matrices are compared in
// full.
template <class Lane>
std::vector<Lane> dense_mass(testing::SmoothWorld<Lane>& w) {
  const auto& m = w.p();
  const auto nv = std::size_t(m.nv);
  std::vector<Lane> full(nv * nv, Lane(0));
  for (int i = 0; i < m.nv; ++i) {
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; ++k) {
      const auto a = std::size_t(i), b = std::size_t(m.M_colind[k]);
      full[a * nv + b] = full[b * nv + a] = w.d().M[k];
    }
  }
  return full;
}

class GoldenTest : public ::testing::TestWithParam<const char*> {
 protected:
  GoldenTest() : golden_(read_golden(GetParam())) {}

  template <class Lane>
  void start(testing::SmoothWorld<Lane>& w) {
    testing::fill(w.s().qpos, golden_.at("start.qpos"));
    testing::fill(w.s().qvel, golden_.at("start.qvel"));
    testing::fill(w.s().act, golden_.at("start.act"));
    testing::fill(w.s().ctrl, golden_.at("start.ctrl"));
  }

  template <class Lane>
  void expect(const std::string& key, const Lane* got, double tolerance) {
    const std::vector<double>& want = golden_.at(key);
    const double error = difference(testing::values(got, int(want.size())), want);
    EXPECT_LE(error, tolerance) << GetParam() << ' ' << key;
    if (std::getenv("STEPBENCH_RESIDUALS") != nullptr) {
      std::printf("%s %s %.2g\n", GetParam(), key.c_str(), error);
    }
  }

  template <class Lane>
  void expect_forward(double tolerance) {
    testing::SmoothWorld<Lane> w(model::load_model(path(GetParam(), ".xml")));
    start(w);
    w.forward();
    expect("forward.xpos", w.d().xpos, tolerance);
    expect("forward.xmat", w.d().xmat, tolerance);
    expect("forward.xipos", w.d().xipos, tolerance);
    report_poses(w.p(), w.s(), w.d());
    expect("forward.xquat", w.d().xquat, tolerance);
    expect("forward.geom_xpos", w.d().geom_xpos, tolerance);
    expect("forward.geom_xmat", w.d().geom_xmat, tolerance);
    const std::vector<Lane> mass = dense_mass(w);
    expect("forward.M", mass.data(), tolerance);
    expect("forward.qfrc_bias", w.d().qfrc_bias, tolerance);
    expect("forward.qfrc_passive", w.d().qfrc_passive, tolerance);
    expect("forward.actuator_force", w.d().actuator_force, tolerance);
    expect("forward.act_dot", w.d().act_dot, tolerance);
    expect("forward.qfrc_actuator", w.d().qfrc_actuator, tolerance);
    // The accelerations carry the condition of M.
    expect("forward.qacc_smooth", w.d().qacc_smooth, 100 * tolerance);
    const Lane energy[2] = {energy_potential(w.p(), w.s(), w.d()),
                            energy_kinetic(w.p(), w.s(), w.d())};
    expect("forward.energy", energy, tolerance);
  }

  template <class Lane>
  void expect_steps(const std::string& integrator, int number, double tolerance) {
    auto model = std::make_shared<model::Model>(*model::load_model(path(GetParam(), ".xml")));
    model->opt.integrator = number;
    testing::SmoothWorld<Lane> w(model);
    start(w);
    int done = 0;
    for (int steps : {1, 20, 200}) {
      w.step(steps - done);
      done = steps;
      const std::string key = integrator + "." + std::to_string(steps) + ".";
      expect(key + "qpos", w.s().qpos, tolerance);
      expect(key + "qvel", w.s().qvel, tolerance);
      expect(key + "act", w.s().act, tolerance);
      expect(key + "qacc_warmstart", w.s().qacc_warmstart, 100 * tolerance);
    }
  }

  Golden golden_;
};

TEST_P(GoldenTest, OneEvaluationEqualsMuJoCo) {
  expect_forward<double>(1e-13);
  expect_forward<float>(2e-5);
}

TEST_P(GoldenTest, EulerWindowEqualsMuJoCo) {
  expect_steps<double>("euler", model::kEuler, 1e-9);
  expect_steps<float>("euler", model::kEuler, 1e-3);
}

TEST_P(GoldenTest, ImplicitFastWindowEqualsMuJoCo) {
  expect_steps<double>("implicitfast", model::kImplicitFast, 1e-9);
  expect_steps<float>("implicitfast", model::kImplicitFast, 1e-3);
}

TEST_P(GoldenTest, RungeKuttaWindowEqualsMuJoCo) {
  expect_steps<double>("rk4", model::kRk4, 1e-9);
  expect_steps<float>("rk4", model::kRk4, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Scenes, GoldenTest, ::testing::Values("arm", "tree", "free", "actuators"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace stepbench::dynamics
