#include "engine/contact/rows.h"

#include <gtest/gtest.h>

#include "tests/engine/contact/golden_rows.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::max_relative;
using testing::SolverWorld;

std::string mixed_scene(bool elliptic) {
  std::string text = golden::kMixedScene;
  text.insert(text.find("impratio"),
              elliptic ? "tolerance='0' cone='elliptic' " : "tolerance='0' cone='pyramidal' ");
  return text;
}

template <class Lane>
void set_mixed(SolverWorld<Lane>& w) {
  testing::fill(w.s().qpos, golden::kQpos);
  testing::fill(w.s().qvel, golden::kQvel);
}

template <class Real>
void compare_rows(bool elliptic, double tolerance, bool single) {
  const golden::Rows& g = elliptic ? golden::kElliptic : golden::kPyramidal;
  SolverWorld<Real> w(mixed_scene(elliptic));
  w.single = single;
  set_mixed(w);
  w.forward();
  const auto rows = contact::expand_rows(w.context());
  EXPECT_EQ(double(w.d().out_nefc[0]), double(g.D.size()));
  EXPECT_EQ(std::vector<double>(rows.type.begin(), rows.type.end()), g.type);
  ASSERT_EQ(rows.D.size(), g.D.size());
  std::vector<double> norm;
  const std::size_t nv = std::size_t(w.p().nv);
  for (std::size_t r = 0; r < rows.D.size(); ++r) {
    EXPECT_NEAR(rows.D[r] / g.D[r], 1, tolerance) << "row " << r;
    double sum = 0;
    for (std::size_t i = 0; i < nv; ++i) sum += rows.J[r * nv + i] * std::cos(double(i));
    norm.push_back(sum);
  }
  EXPECT_LT(max_relative(rows.aref, g.aref), tolerance);
  EXPECT_LT(max_relative(norm, g.J_norm), tolerance);
  EXPECT_LT(max_relative(rows.pos, g.pos), tolerance);
  EXPECT_LT(max_relative(rows.force, g.force), 100 * tolerance);
  EXPECT_LT(max_relative(w.qacc(), g.qacc), tolerance);
  EXPECT_EQ(double(w.d().out_capped[0]), 0);
}

// f32: distances of 1e-3 m between coordinates of 1 m leave four digits.
TEST(Rows, EqualMuJoCoPyramidal) { compare_rows<double>(false, 1e-11, false); }
TEST(Rows, EqualMuJoCoElliptic) { compare_rows<double>(true, 1e-11, false); }
TEST(Rows, EqualMuJoCoSingle) {
  compare_rows<double>(false, 1e-11, true);
  compare_rows<double>(true, 1e-11, true);
}
TEST(Rows, EqualMuJoCoInF32) {
  compare_rows<float>(false, 2e-3, false);
  compare_rows<float>(true, 2e-3, false);
}

TEST(Rows, FlagsSwitchBlocksOff) {
  const auto count = [](const char* flag) {
    std::string text = mixed_scene(false);
    text.insert(text.find("</option>") == std::string::npos ? text.find("<default>") : 0,
                std::string("<option><flag ") + flag + "/></option>");
    SolverWorld<double> w(text);
    set_mixed(w);
    w.forward();
    return double(w.d().out_nefc[0]);
  };
  EXPECT_EQ(count("constraint='enable'"), 54);
  EXPECT_EQ(count("frictionloss='disable'"), 50);
  EXPECT_EQ(count("limit='disable'"), 51);
  EXPECT_EQ(count("contact='disable'"), 7);
  EXPECT_EQ(count("constraint='disable'"), 0);
}

TEST(Rows, ContactInTheGapHasNoRows) {
  const auto rows = [](double z) {
    char text[500];
    std::snprintf(
        text, sizeof text,
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 %g'><freejoint/>"
        "<geom size='.1' margin='.01' gap='.005'/></body></worldbody></mujoco>",
        z);
    SolverWorld<double> w(text);
    w.forward();
    return std::pair<double, int>(double(w.d().out_nefc[0]), w.d().ncon);
  };
  EXPECT_EQ(rows(0.112), std::make_pair(0.0, 1));
  EXPECT_EQ(rows(0.108), std::make_pair(4.0, 1));
  EXPECT_EQ(rows(0.2), std::make_pair(0.0, 0));
}

// Impedance over the violation: MuJoCo's manual, "Solver parameters" (0.5 where midpoint and power
// say so).
TEST(Impedance, CurveAndClipping) {
  const double solimp[5] = {0.2, 0.8, 0.01, 0.5, 2};
  const auto s = contact::impedance_params(solimp);
  EXPECT_DOUBLE_EQ(contact::impedance(s, 0.0), 0.2);
  EXPECT_DOUBLE_EQ(contact::impedance(s, -0.005), 0.5);
  EXPECT_DOUBLE_EQ(contact::impedance(s, 0.0025), 0.2 + 0.6 * 0.125);
  EXPECT_DOUBLE_EQ(contact::impedance(s, -0.0075), 0.2 + 0.6 * 0.875);
  EXPECT_DOUBLE_EQ(contact::impedance(s, 0.01), 0.8);
  EXPECT_DOUBLE_EQ(contact::impedance(s, -1.0), 0.8);

  const double linear[5] = {0.2, 0.8, 0.01, 0.3, 1};
  EXPECT_DOUBLE_EQ(contact::impedance(contact::impedance_params(linear), 0.004), 0.44);
  const double cubic[5] = {0, 1, 1, 0.25, 3};  // clipped to [1e-4, 0.9999]
  const auto c = contact::impedance_params(cubic);
  EXPECT_DOUBLE_EQ(contact::impedance(c, 0.0), 1e-4);
  EXPECT_DOUBLE_EQ(contact::impedance(c, 2.0), 0.9999);
  EXPECT_NEAR(contact::impedance(c, 0.25), 1e-4 + 0.9998 * 0.25, 1e-15);
  EXPECT_NEAR(contact::impedance(c, 0.5), 1e-4 + 0.9998 * (1 - 0.125 / 0.5625), 1e-15);
  const double flat[5] = {0.9, 0.9, 0.01, 0.5, 2}, no_width[5] = {0.4, 0.8, 0, 0.5, 2};
  EXPECT_DOUBLE_EQ(contact::impedance(contact::impedance_params(flat), 0.003), 0.9);
  EXPECT_DOUBLE_EQ(contact::impedance(contact::impedance_params(no_width), 0.003),
                   0.6000000000000001);
}

TEST(Impedance, SpringForms) {
  model::OptionParams<double> opt{};
  opt.timestep = 0.01;
  const double standard[2] = {0.05, 0.5}, direct[2] = {-1600, -40}, fast[2] = {0.001, 1},
               mixed[2] = {0.05, -1};
  const auto a = contact::spring(opt, standard, 0.8);
  EXPECT_DOUBLE_EQ(a.k, 1 / (0.64 * 0.0025 * 0.25));
  EXPECT_DOUBLE_EQ(a.b, 2 / (0.8 * 0.05));
  const auto b = contact::spring(opt, direct, 0.8);
  EXPECT_DOUBLE_EQ(b.k, 1600 / 0.64);
  EXPECT_DOUBLE_EQ(b.b, 50);
  EXPECT_DOUBLE_EQ(contact::spring(opt, fast, 1.0).b, 2 / 0.02);  // raised to two steps
  opt.disableflags = model::kDsblRefsafe;
  EXPECT_DOUBLE_EQ(contact::spring(opt, fast, 1.0).b, 2 / 0.001);
  EXPECT_DOUBLE_EQ(contact::spring(opt, mixed, 1.0).b, 2 / 0.02);  // MuJoCo's default in its place
}

}  // namespace
}  // namespace stepbench
