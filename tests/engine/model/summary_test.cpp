#include "engine/model/summary.h"

#include <gtest/gtest.h>

#include "engine/model/load.h"

namespace {

using namespace stepbench::model;

TEST(Summary, NamesWhatTheSceneUses) {
  const Spec spec = read_mjcf_string(
      R"(<mujoco><option cone="elliptic" integrator="implicitfast"/><worldbody>
           <geom type="plane" size="0 0 1"/>
           <body><freejoint/><geom type="box" size=".1 .1 .1" condim="4"/></body>
           <body><joint name="j" range="-10 10" stiffness="2"/><geom size=".1"/></body>
         </worldbody>
         <actuator><position joint="j" kp="3"/></actuator></mujoco>)",
      "scene.xml");
  const std::vector<std::string> expected = {"free joints: 1",
                                             "hinge joints: 1",
                                             "joint limits: 1",
                                             "joint springs: 1",
                                             "plane geoms: 1",
                                             "sphere geoms: 1",
                                             "box geoms: 1",
                                             "geoms with condim 3: 2",
                                             "geoms with condim 4: 1",
                                             "actuators: 1",
                                             "actuators with affine bias: 1",
                                             "integrator: implicitfast",
                                             "solver: Newton",
                                             "cone: elliptic"};
  EXPECT_EQ(features(spec, *compile(spec)), expected);
}

}  // namespace
