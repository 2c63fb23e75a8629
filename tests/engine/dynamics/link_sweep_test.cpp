// Link frames against world axes: two ways to the same M and bias forces.
#include "engine/dynamics/link_sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/engine/dynamics/smooth_world.h"

namespace stepbench::dynamics {
namespace {

// A tree of hinges and slides. Axes and frames are coordinate axes and quarter turns half of the
// time, also reversed; some bodies have two joints or none, some joints an anchor of their own.
std::string random_tree(unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto chance = [&](double p) { return unit(random) < 2 * p - 1; };
  const auto pick = [&](std::initializer_list<const char*> list) {
    return std::string(list.begin()[random() % list.size()]);
  };
  const auto vector = [&](double scale) {
    char text[100];
    std::snprintf(text, sizeof text, "%.6f %.6f %.6f", scale * unit(random), scale * unit(random),
                  scale * unit(random));
    return std::string(text);
  };
  const auto joint = [&] {
    const std::string axis =
        chance(0.7) ? pick({"1 0 0", "0 1 0", "0 0 1", "-1 0 0", "0 0 -1"}) : vector(1);
    return "<joint type='" + pick({"hinge", "hinge", "slide"}) + "' axis='" + axis + "'" +
           (chance(0.3) ? " pos='" + vector(0.1) + "'" : "") + (chance(0.3) ? " ref='0.3'" : "") +
           (chance(0.3) ? " armature='0.01'" : "") + "/>";
  };
  std::string text = "<mujoco><compiler angle='radian'/><worldbody>";
  int open = 0;
  const int n = 3 + int(random() % 8);
  for (int b = 0; b < n; ++b) {
    while (open > 0 && chance(0.35)) text += "</body>", --open;
    const std::string quat = chance(0.5)   ? pick({"1 0 0 0", "1 1 0 0", "1 -1 0 0", "0 0 0 1"})
                             : chance(0.5) ? pick({"1 0 1 0", "0 1 0 0"})
                                           : "1 " + vector(1);
    text += "<body pos='" + (chance(0.5) ? pick({"0 0 0", "0 0 .3", ".2 0 0"}) : vector(0.4)) +
            "' quat='" + quat + "'>";
    const int joints = b == 0 ? 1 : int(random() % 3);
    for (int j = 0; j < joints; ++j) text += joint();
    if (chance(0.4)) {
      text += "<inertial pos='0 0 0' mass='.4' diaginertia='.01 .02 .015'/>";
    } else {
      text += "<inertial pos='" + vector(0.1) + "' mass='.8' fullinertia='.02 .03 .025 .001 .002 " +
              "-.003'/>";
    }
    ++open;
  }
  while (open-- > 0) text += "</body>";
  return text + "</worldbody></mujoco>";
}

template <class World>
void start(World& w, int world, int lane) {
  const auto& m = w.p();
  std::vector<double> q = w.model().qpos0, v;
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += std::sin(1.7 * double(i) + 0.9 * world + 0.3);
  for (int i = 0; i < m.nv; ++i) v.push_back(2 * std::sin(2.3 * i + world));
  testing::set_values(w.s().qpos, q, lane);
  testing::set_values(w.s().qvel, v, lane);
}

double largest(const std::vector<double>& a) {
  double most = 0;
  for (double x : a) most = std::max(most, std::fabs(x));
  return most;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  const double scale = std::max(1.0, largest(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance * scale) << what << ", number " << i;
  }
}

template <class Real>
void compare(unsigned seed, double tolerance, bool gravity = true) {
  const std::string text = random_tree(seed);
  auto m = std::make_shared<model::Model>(*model::load_model_string(text));
  if (!gravity) m->opt.disableflags |= model::kDsblGravity;
  testing::SmoothWorld<Real> w(m);
  ASSERT_EQ(w.p().derived.nlink, m->nv);
  start(w, int(seed), 0);
  w.forward();
  const auto M = testing::values(w.d().M, m->nM), bias = testing::values(w.d().qfrc_bias, m->nv);
  for (int i = 0; i < m->nM; ++i) w.d().M[i] = std::numeric_limits<Real>::quiet_NaN();
  hinge_angles(w.p(), w.s(), w.d());
  link_sweep(w.p(), w.s(), w.d());
  expect_near(testing::values(w.d().M, m->nM), M, tolerance, "M of\n" + text);
  expect_near(testing::values(w.d().qfrc_bias, m->nv), bias, tolerance, "bias of\n" + text);
}

TEST(LinkSweep, AgreesWithWorldAxesOnRandomTrees) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    compare<double>(seed, 1e-12);
    compare<float>(seed, 1e-4);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(LinkSweep, AgreesWithoutGravity) {
  for (unsigned seed = 0; seed < 20; ++seed) compare<double>(seed, 1e-12, false);
}

TEST(LinkSweep, LanesHaveTheBitsOfSingleWorlds) {
  using Lane = math::Pack<double, 4>;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto m = model::load_model_string(random_tree(seed));
    testing::SmoothWorld<Lane> packed(m);
    for (int i = 0; i < 4; ++i) start(packed, i, i);
    hinge_angles(packed.p(), packed.s(), packed.d());
    link_sweep(packed.p(), packed.s(), packed.d());
    for (int i = 0; i < 4; ++i) {
      testing::SmoothWorld<double> single(m);
      start(single, i, 0);
      hinge_angles(single.p(), single.s(), single.d());
      link_sweep(single.p(), single.s(), single.d());
      EXPECT_EQ(testing::values(packed.d().M, m->nM, i), testing::values(single.d().M, m->nM));
      EXPECT_EQ(testing::values(packed.d().qfrc_bias, m->nv, i),
                testing::values(single.d().qfrc_bias, m->nv));
    }
  }
}

TEST(LinkSweep, OtherJointsAndGravityCompensationKeepWorldAxes) {
  for (const char* body : {"<body><freejoint/><geom size='.1'/></body>",
                           "<body><joint type='ball'/><geom size='.1'/></body>",
                           "<body gravcomp='1'><joint/><geom size='.1'/></body>"}) {
    const auto m = model::load_model_string("<mujoco><worldbody>" + std::string(body) +
                                            "</worldbody></mujoco>");
    EXPECT_TRUE(model::make_links(*m).empty()) << body;
  }
}

}  // namespace
}  // namespace stepbench::dynamics
