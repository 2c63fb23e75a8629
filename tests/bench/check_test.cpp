#include "bench/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/check_compare.h"
#include "bench/error.h"
#include "bench/mujoco_library.h"
#include "tests/bench/scene_file.h"

namespace stepbench::bench {
namespace {

using testing::SceneFile;

TEST(Comparison, KeepsTheLargestDifferenceAndTheFirstStep) {
  Comparison c("window");
  const std::vector<double> ours = {1, 2, 3};
  const double a[] = {1, 2, 3}, b[] = {1, 2.5, 3}, d[] = {1, 2, 5};
  c.add("qpos", ours, a, 3, 0, 1, 0.01, "start, step 1", 1);
  c.add("qpos", ours, b, 3, 0, 1, 0.01, "start, step 2", 2);
  c.add("qpos", ours, d, 3, 0, 1, 0.01, "start, step 3", 3);
  const auto part = c.take();
  ASSERT_EQ(part.fields.size(), 1u);
  const auto& f = part.fields[0];
  EXPECT_FALSE(f.pass);
  EXPECT_FALSE(part.pass());
  EXPECT_EQ(f.first_step, 2);
  EXPECT_DOUBLE_EQ(f.largest, 0.4);  // 2 of 5
  EXPECT_EQ(f.index, 2);
  EXPECT_EQ(f.ours, 3);
  EXPECT_EQ(f.theirs, 5);
  EXPECT_EQ(f.where, "start, step 3");
}

TEST(Comparison, RowsHaveScalesOfTheirOwn) {
  Comparison c("model");
  const std::vector<double> ours = {1000, 0, 1, 1e-9};
  const double theirs[] = {1000, 1e-10, 1, 0};
  c.add("a", ours, theirs, 4, 2, 1e-3, 1e-12, "x");
  const auto part = c.take();
  EXPECT_NEAR(part.fields[0].largest, 1e-9, 1e-15);  // second row: relative to 1
  EXPECT_EQ(part.fields[0].index, 3);
}

TEST(Comparison, SizesAndNonFiniteValuesFail) {
  Comparison c("model");
  const double three[] = {1, 2, 3};
  c.add("short", std::vector<double>{1, 2}, three, 3, 0, 1, 1e-12, "x");
  const double nan = std::nan("");
  c.add("nan", std::vector<double>{nan}, three, 1, 0, 1, 1e-12, "x");
  c.add("both", std::vector<double>{nan}, &nan, 1, 0, 1, 1e-12, "x");
  c.add_equal("same", 3, 3, "x");
  c.add_equal("other", 3, 4, "x");
  const auto part = c.take();
  EXPECT_FALSE(part.fields[0].pass);
  EXPECT_FALSE(part.fields[1].pass);
  EXPECT_TRUE(part.fields[2].pass);
  EXPECT_TRUE(part.fields[3].pass);
  EXPECT_FALSE(part.fields[4].pass);
}

class CheckScene : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!mujoco_status().found) GTEST_SKIP() << mujoco_status().why;
  }
};

std::string failures(const CheckReport& r) {
  std::string out;
  for (const auto& p : r.parts) {
    for (const auto& f : p.fields) {
      if (f.pass) continue;
      out += p.name + " " + f.field + " " + std::to_string(f.largest) + " " + f.where + "\n";
    }
  }
  return out;
}

TEST_F(CheckScene, AJointedBodyOnAPlanePasses) {
  const SceneFile file(R"(
    <mujoco>
      <worldbody>
        <geom type="plane" size="1 1 .1"/>
        <body pos="0 0 .3"><freejoint/><geom type="sphere" size=".1"/>
          <body pos=".2 0 0"><joint name="j" axis="0 1 0" range="-1 1" limited="true"/>
            <geom type="capsule" fromto="0 0 0 .2 0 0" size=".04"/></body></body>
      </worldbody>
      <actuator><motor joint="j" ctrllimited="true" ctrlrange="-1 1"/></actuator>
    </mujoco>)");
  const auto r = check_scene(file.load(), {});
  ASSERT_EQ(r.parts.size(), 4u);
  EXPECT_EQ(r.parts[0].name, "model");
  EXPECT_EQ(r.parts[1].name, "forward f64");
  EXPECT_EQ(r.parts[2].name, "window f64");
  EXPECT_EQ(r.parts[3].name, "window f32");
  EXPECT_TRUE(r.pass()) << failures(r);
  EXPECT_NE(r.parts[1].worst(), nullptr);
}

TEST_F(CheckScene, AForeignModelFails) {
  const SceneFile file(
      "<mujoco><worldbody><body><joint type='slide'/><geom "
      "size='.1'/></body></worldbody></mujoco>");
  auto scene = std::make_shared<LoadedScene>(*file.load());
  auto changed = std::make_shared<model::Model>(*scene->model);
  changed->body_mass[1] *= 1 + 1e-6;
  scene->model = changed;
  CheckOptions o;
  o.precisions = {batch::Precision::kF64};
  const auto r = check_scene(scene, o);
  EXPECT_FALSE(r.pass());
  EXPECT_FALSE(r.parts[0].pass());
  EXPECT_EQ(r.parts[0].worst()->field, "body_mass");
  EXPECT_NEAR(r.parts[0].worst()->largest, 1e-6, 1e-9);
}

TEST_F(CheckScene, OtherContactModelsAreRefused) {
  const SceneFile file("<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>");
  CheckOptions o;
  o.batch.contact = "comfree";
  EXPECT_THROW(check_scene(file.load(), o), CellError);
}

}  // namespace
}  // namespace stepbench::bench
