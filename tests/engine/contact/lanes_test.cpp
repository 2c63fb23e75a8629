// A lane's bits do not depend on the width of the pack or on its neighbours.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/engine/contact/golden_rows.h"
#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::SolverWorld;

// A box and spheres above a plane and each other, an arm with limits: world k has its own poses, so
// that every world of a pack has other contacts.
std::string scene(bool elliptic) {
  return std::string("<mujoco><option timestep='.004' cone='") +
         (elliptic ? "elliptic" : "pyramidal") +
         "'/><worldbody><geom type='plane' size='5 5 1'/>"
         "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .08 .06' condim='4'/></body>"
         "<body pos='.05 0 .25'><freejoint/><geom size='.08' condim='6'/></body>"
         "<body pos='0 .3 .1'><freejoint/><geom size='.1' condim='1' mass='.4'/></body>"
         "<body pos='.5 0 .3'><joint axis='0 1 0' range='-10 10' frictionloss='.3'/>"
         "<geom type='capsule' fromto='0 0 0 -.4 0 -.1' size='.05'/><body pos='-.4 0 -.1'>"
         "<joint type='ball' range='0 15'/>"
         "<geom type='capsule' fromto='0 0 0 -.2 0 -.05' size='.05'/></body></body>"
         "</worldbody></mujoco>";
}

// A robot of one tree above the ground: branches that touch each other and the ground, hinges (two
// on one body), a slide, a ball with a limit, friction loss, every condim.
std::string robot(bool elliptic) {
  std::string text = std::string("<mujoco><option timestep='.004' cone='") +
                     (elliptic ? "elliptic" : "pyramidal") +
                     "'/><worldbody><geom type='plane' size='5 5 1'/>"
                     "<body pos='0 0 .35'><freejoint/><geom type='box' size='.15 .1 .04'/>";
  for (int i = 0; i < 4; ++i) {
    const std::string x = i % 2 ? ".12" : "-.12", y = i / 2 ? ".08" : "-.08";
    const std::string condim[] = {"1", "3", "4", "6"};
    text += "<body pos='" + x + " " + y + " -.05'><joint axis='1 0 0' range='-20 20'/>" +
            "<joint axis='0 1 0' range='-30 30' frictionloss='.1'/>"
            "<geom type='capsule' fromto='0 0 0 0 0 -.12' size='.05' condim='" +
            condim[i] + "'/><body pos='0 0 -.16'>" +
            (i == 2 ? "<joint type='ball' range='0 20'/>"
                    : "<joint type='slide' axis='0 0 1' range='-.01 .01' armature='.1'/>") +
            "<geom size='.06' condim='" + condim[i] + "' friction='.9 .02 .01'/></body></body>";
  }
  return text + "</body></worldbody></mujoco>";
}

double noise(int world, int i) { return std::sin(12.9898 * world + 78.233 * i + 1); }

template <class Lane>
void start(SolverWorld<Lane>& w, int lane, int world) {
  for (int i = 0; i < w.p().nv; ++i) {
    math::set(w.s().qvel[i], lane, math::RealOf<Lane>(0.6 * noise(world, i)));
  }
  for (const int z : {2, 9, 16}) {
    if (z > 2 && w.p().ntree == 1) continue;  // one free joint
    const double q = double(math::get(w.s().qpos[z], lane)) + 0.05 * noise(world, 100 + z);
    math::set(w.s().qpos[z], lane, math::RealOf<Lane>(q));
  }
}

using Bits = std::vector<double>;

template <class Lane>
Bits result(SolverWorld<Lane>& w, int lane) {
  Bits all;
  for (const auto& part :
       {testing::values(w.s().qpos, w.p().nq, lane), testing::values(w.s().qvel, w.p().nv, lane),
        testing::values(w.d().qacc, w.p().nv, lane),
        testing::values(w.d().qfrc_constraint, w.p().nv, lane),
        testing::values(w.d().out_nefc, 1, lane), testing::values(w.d().out_niter, 1, lane)}) {
    for (double x : part) all.push_back(x + 0.0);  // either zero counts as equal
  }
  return all;
}

template <class Lane>
std::vector<Bits> run(const std::string& text, int model, int first, int steps) {
  constexpr int W = math::kWidth<Lane>;
  SolverWorld<Lane> w(text);
  w.options.model = model;
  for (int l = 0; l < W; ++l) start(w, l, first + l);
  w.steps(steps);
  std::vector<Bits> r;
  for (int l = 0; l < W; ++l) r.push_back(result(w, l));
  return r;
}

template <class Lane>
void compare(const std::vector<Bits>& expected, const std::string& text, int model, int steps) {
  constexpr int W = math::kWidth<Lane>;
  for (int first = 0; first < int(expected.size()); first += W) {
    const auto r = run<Lane>(text, model, first, steps);
    for (int l = 0; l < W; ++l) {
      const Bits& e = expected[size_t(first + l)];
      ASSERT_EQ(r[size_t(l)].size(), e.size());
      EXPECT_EQ(0, std::memcmp(r[size_t(l)].data(), e.data(), e.size() * sizeof(double)))
          << "world " << first + l << ", width " << W;
    }
  }
}

template <class Real>
void compare_widths(const std::string& text, int model) {
  constexpr int kSteps = 120;
  std::vector<Bits> expected;
  for (int world = 0; world < 16; ++world) {
    expected.push_back(run<Real>(text, model, world, kSteps)[0]);
    for (double x : expected.back()) ASSERT_TRUE(std::isfinite(x));
  }
  compare<math::Pack<Real, 4>>(expected, text, model, kSteps);
  compare<math::Pack<Real, 8>>(expected, text, model, kSteps);
  compare<math::Pack<Real, 16>>(expected, text, model, kSteps);
}

TEST(Lanes, NewtonPyramidal) {
  compare_widths<double>(scene(false), 0);
  compare_widths<float>(scene(false), 0);
}
TEST(Lanes, NewtonElliptic) {
  compare_widths<double>(scene(true), 0);
  compare_widths<float>(scene(true), 0);
}
TEST(Lanes, NewtonRobot) {
  for (const bool elliptic : {false, true}) {
    compare_widths<double>(robot(elliptic), 0);
    compare_widths<float>(robot(elliptic), 0);
  }
}
TEST(Lanes, Comfree) {
  compare_widths<double>(scene(false), 1);
  compare_widths<float>(scene(false), 1);
}

// A broken neighbour changes nothing.
TEST(Lanes, NeighbourWithNaN) {
  using Lane = math::Pack<double, 4>;
  SolverWorld<Lane> good(scene(true)), bad(scene(true));
  for (int l = 0; l < 4; ++l) {
    start(good, l, l);
    start(bad, l, l);
  }
  math::set(bad.s().qvel[0], 2, double(NAN));
  good.steps(60);
  bad.steps(60);
  for (const int l : {0, 1, 3}) EXPECT_EQ(result(good, l), result(bad, l));
}

}  // namespace
}  // namespace stepbench
