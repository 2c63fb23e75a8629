#include "bench/trace.h"

#include <gtest/gtest.h>

#include "bench/error.h"
#include "tests/bench/scene_file.h"

namespace stepbench::bench {
namespace {

constexpr const char* kFall =
    "<mujoco><option timestep='0.01'/><worldbody>"
    "<body pos='0 0 5'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='2'/></body>"
    "</worldbody></mujoco>";

std::vector<TraceRow> rows(const TraceOptions& o) {
  const testing::SceneFile file(kFall);
  std::vector<TraceRow> out;
  trace(file.load()->model, o, [&](const TraceRow& r) {
    out.push_back(r);
    return true;
  });
  return out;
}

TEST(Trace, FreeFallIsTheIntegratorsOwnParabola) {
  TraceOptions o;
  o.steps = 50;
  const auto r = rows(o);
  ASSERT_EQ(r.size(), 51u);
  for (std::size_t k = 0; k < r.size(); ++k) {
    // Semi-implicit Euler: v_k = -g h k, q_k = -g h^2 k (k + 1) / 2.
    const double n = double(k), h = 0.01, g = 9.81;
    EXPECT_EQ(r[k].step, std::int64_t(k));
    EXPECT_NEAR(r[k].time_s, h * n, 1e-14);
    EXPECT_NEAR(r[k].qvel[0], -g * h * n, 1e-12);
    EXPECT_NEAR(r[k].qpos[0], -g * h * h * n * (n + 1) / 2, 1e-12);
    EXPECT_NEAR(r[k].energy_kinetic_j, 0.5 * 2 * r[k].qvel[0] * r[k].qvel[0], 1e-10);
    EXPECT_NEAR(r[k].energy_potential_j, 2 * g * (5 + r[k].qpos[0]), 1e-10);
    EXPECT_EQ(r[k].ncon, 0);
  }
}

TEST(Trace, EveryNthRowAndTheLast) {
  TraceOptions o;
  o.steps = 25;
  o.every = 10;
  std::vector<std::int64_t> steps;
  for (const auto& r : rows(o)) steps.push_back(r.step);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 10, 20, 25}));
}

TEST(Trace, ColumnsFitTheRow) {
  const testing::SceneFile file(kFall);
  EXPECT_EQ(
      trace_columns(*file.load()->model),
      (std::vector<std::string>{"step", "time_s", "ncon", "nefc", "solver_niter",
                                "energy_potential_j", "energy_kinetic_j", "qpos_0", "qvel_0"}));
}

TEST(Trace, StopsWhenTold) {
  const testing::SceneFile file(kFall);
  int seen = 0;
  trace(file.load()->model, {}, [&](const TraceRow&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST(Trace, BadOptionsAreUsageErrors) {
  TraceOptions o;
  o.every = 0;
  EXPECT_THROW(rows(o), UsageError);
  o = {};
  o.steps = -1;
  EXPECT_THROW(rows(o), UsageError);
  o = {};
  o.keyframe = 0;
  EXPECT_THROW(rows(o), UsageError);
}

}  // namespace
}  // namespace stepbench::bench
