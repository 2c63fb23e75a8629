// Structure and refusals of the compiler; numbers are in compile_constants_test and
// compile_golden_test.
#include "engine/model/compile.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace {

using namespace stepbench::model;

// World with a ball on a hinge "j" in body "b", geom "g".
Spec pendulum() {
  Spec spec;
  spec.files = {"scene.xml"};
  spec.bodies.resize(2);
  spec.bodies[0].name = "world";
  Body& b = spec.bodies[1];
  b.source = {0, 7};
  b.name = "b";
  b.parent = 0;
  b.joints.resize(1);
  b.joints[0].name = "j";
  b.joints[0].axis = {0, 3, 0};
  b.geoms.resize(1);
  b.geoms[0].name = "g";
  b.geoms[0].size = {0.1, 0, 0};
  b.geoms[0].pos = {0, 0, -1};
  return spec;
}

Body child_of(int parent, const std::string& name) {
  Body b = pendulum().bodies[1];
  b.parent = parent;
  b.name = name;
  b.joints[0].name = b.geoms[0].name = "";
  return b;
}

TEST(Compile, Pendulum) {
  const auto m = compile(pendulum());
  EXPECT_EQ(m->nbody, 2);
  EXPECT_EQ(m->nq, 1);
  EXPECT_EQ(m->nv, 1);
  EXPECT_EQ(m->jnt_axis, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(m->body_ipos, (std::vector<double>{0, 0, 0, 0, 0, -1}));
  EXPECT_EQ(m->geom_rbound, std::vector<double>{0.1});
  EXPECT_EQ(m->names.body, (std::vector<std::string>{"world", "b"}));
}

TEST(Compile, EmptyWorld) {
  Spec spec;
  spec.bodies.resize(1);
  const auto m = compile(spec);
  EXPECT_EQ(m->nbody, 1);
  EXPECT_EQ(m->nv, 0);
  EXPECT_EQ(m->ntree, 0);
  EXPECT_EQ(m->body_iquat, (std::vector<double>{1, 0, 0, 0}));
}

// world - a (free) - b (hinge) - c (welded) - d (ball), e (hinge) below the world.
TEST(Compile, TreeNumbers) {
  Spec spec = pendulum();
  spec.bodies[1].joints[0].type = kJntFree;
  spec.bodies.push_back(child_of(1, "bb"));
  spec.bodies.push_back(child_of(2, "c"));
  spec.bodies[3].joints.clear();
  spec.bodies.push_back(child_of(3, "d"));
  spec.bodies[4].joints[0].type = kJntBall;
  spec.bodies.push_back(child_of(0, "e"));
  const auto m = compile(spec);
  EXPECT_EQ(m->body_weldid, (std::vector<int>{0, 1, 2, 2, 4, 5}));
  EXPECT_EQ(m->body_rootid, (std::vector<int>{0, 1, 1, 1, 1, 5}));
  EXPECT_EQ(m->body_treeid, (std::vector<int>{-1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(m->body_dofadr, (std::vector<int>{-1, 0, 6, -1, 7, 10}));
  EXPECT_EQ(m->jnt_qposadr, (std::vector<int>{0, 7, 8, 12}));
  EXPECT_EQ(m->dof_parentid, (std::vector<int>{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, -1}));
  EXPECT_EQ(m->dof_treeid, (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(m->nM, 10 * 11 / 2 + 1);
  EXPECT_EQ(m->M_rownnz[9], 10);
  EXPECT_EQ(m->M_rowadr[10], 55);
  EXPECT_EQ(m->M_colind[54], 9);
  EXPECT_EQ(m->M_colind[55], 10);
}

TEST(Compile, PairsAndExcludesAscend) {
  Spec spec = pendulum();
  spec.bodies.push_back(child_of(0, "c"));
  spec.bodies[2].geoms[0].name = "h";
  spec.pairs.resize(2);
  spec.pairs[0].geom1 = "h";
  spec.pairs[0].geom2 = "g";
  spec.pairs[1].geom1 = spec.pairs[1].geom2 = "g";
  spec.excludes.resize(2);
  spec.excludes[0].body1 = "c";
  spec.excludes[0].body2 = "b";
  spec.excludes[1].body1 = "c";
  spec.excludes[1].body2 = "world";
  const auto m = compile(spec);
  EXPECT_EQ(m->pair_signature, (std::vector<int>{(1 << 16) + 1, (1 << 16) + 2}));
  EXPECT_EQ(m->pair_geom1, (std::vector<int>{0, 0}));
  EXPECT_EQ(m->pair_geom2, (std::vector<int>{0, 1}));
  EXPECT_EQ(m->exclude_signature, (std::vector<int>{2, (1 << 16) + 2}));
}

TEST(Compile, KeyframesAreCompleted) {
  Spec spec = pendulum();
  spec.bodies[1].joints[0].ref = 0.3;
  spec.bodies.push_back(child_of(0, "m"));
  spec.bodies[2].joints.clear();
  spec.bodies[2].mocap = true;
  spec.bodies[2].pos = {1, 2, 3};
  spec.keys.resize(1);
  spec.keys[0].qvel = {5};
  spec.keys[0].mquat = {0, 2, 0, 0};
  spec.nkey = 2;
  const auto m = compile(spec);
  EXPECT_EQ(m->nkey, 2);
  EXPECT_EQ(m->key_qpos, (std::vector<double>{0.3, 0.3}));
  EXPECT_EQ(m->key_qvel, (std::vector<double>{5, 0}));
  EXPECT_EQ(m->key_mpos, (std::vector<double>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(m->key_mquat, (std::vector<double>{0, 1, 0, 0, 1, 0, 0, 0}));
}

TEST(Compile, InheritedRangeIsScaledAboutItsMiddle) {
  Spec spec = pendulum();
  spec.bodies[1].joints[0].range = {-1, 3};
  Actuator a;
  a.joint = "j";
  a.biastype = kBiasAffine;
  a.gainprm[0] = 10;
  a.biasprm[1] = -10;
  a.inheritrange = 0.5;
  spec.actuators = {a, a};
  spec.actuators[1].dyntype = kDynIntegrator;
  const auto m = compile(spec);
  EXPECT_EQ(m->actuator_ctrlrange, (std::vector<double>{0, 2, 0, 0}));
  EXPECT_EQ(m->actuator_actrange, (std::vector<double>{0, 0, 0, 2}));
  EXPECT_EQ(m->actuator_ctrllimited, (std::vector<int>{1, 0}));
  EXPECT_EQ(m->actuator_actlimited, (std::vector<int>{0, 1}));
  EXPECT_EQ(m->actuator_actadr, (std::vector<int>{-1, 0}));
  EXPECT_EQ(m->na, 1);
}

TEST(Compile, TotalMassIsSet) {
  Spec spec = pendulum();
  spec.compiler.settotalmass = 7;
  const auto m = compile(spec);
  EXPECT_DOUBLE_EQ(m->body_mass[1], 7);
  EXPECT_DOUBLE_EQ(m->body_inertia[3], 0.4 * 7 * 0.01);
}

// --- refusals
// --------------------------------------------------------------------------------------

struct Refusal {
  const char* message;  // part of the message
  int line;
  std::function<void(Spec&)> spoil;
};

class CompileRefuses : public ::testing::TestWithParam<Refusal> {};

TEST_P(CompileRefuses, WithPlaceAndReason) {
  Spec spec = pendulum();
  GetParam().spoil(spec);
  try {
    compile(spec);
    FAIL() << "accepted; expected: " << GetParam().message;
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find(GetParam().message), std::string::npos) << e.what();
    EXPECT_EQ(e.line(), GetParam().line) << e.what();
    EXPECT_EQ(e.file(), GetParam().line >= 0 ? "scene.xml" : "");
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
  }
}

Actuator motor(int line, const std::string& joint) {
  Actuator a;
  a.source = {0, line};
  a.joint = joint;
  return a;
}

INSTANTIATE_TEST_SUITE_P(
    All, CompileRefuses,
    ::testing::Values(
        Refusal{"no mass", 7, [](Spec& s) { s.bodies[1].geoms.clear(); }},
        Refusal{"no mass", 7, [](Spec& s) { s.compiler.inertiafromgeom = kFalse; }},
        Refusal{"no mass", 7, [](Spec& s) { s.bodies[1].geoms[0].size[0] = 1e-6; }},
        Refusal{"size 0 must be positive", 3,
                [](Spec& s) {
                  s.bodies[1].geoms[0].source.line = 3, s.bodies[1].geoms[0].size[0] = 0;
                }},
        Refusal{"size 1 must be positive", 0,
                [](Spec& s) { s.bodies[1].geoms[0].type = kGeomCapsule; }},
        Refusal{
            "third size of a plane", 0,
            [](Spec& s) { s.bodies[0].geoms.resize(1), s.bodies[0].geoms[0].type = kGeomPlane; }},
        Refusal{"a plane in the moving body 'b'", 0,
                [](Spec& s) {
                  s.bodies[1].geoms[0].type = kGeomPlane, s.bodies[1].geoms[0].size[2] = 1;
                }},
        Refusal{"not simulated", 0, [](Spec& s) { s.bodies[1].geoms[0].type = kGeomMesh; }},
        Refusal{"condim is 2", 0, [](Spec& s) { s.bodies[1].geoms[0].condim = 2; }},
        Refusal{"negative", 0, [](Spec& s) { s.bodies[1].geoms[0].mass = -1; }},
        Refusal{"negative", 0, [](Spec& s) { s.bodies[1].geoms[0].density = -1; }},
        Refusal{"overflows", 0, [](Spec& s) { s.bodies[1].geoms[0].size[0] = 1e308; }},
        Refusal{
            "A + B >= C", 9,
            [](Spec& s) {
              s.bodies[1].inertial = Inertial{{0, 9}, 1, {0, 0, 0}, {1, 0, 0, 0}, {{1, 1, 3}}, {}};
            }},
        Refusal{
            "mass is negative", 9,
            [](Spec& s) {
              s.bodies[1].inertial = Inertial{{0, 9}, -1, {0, 0, 0}, {1, 0, 0, 0}, {{1, 1, 1}}, {}};
            }},
        Refusal{"positive eigenvalues", 9,
                [](Spec& s) {
                  s.bodies[1].inertial =
                      Inertial{{0, 9}, 1, {0, 0, 0}, {1, 0, 0, 0}, {}, {{1, 1, -3, 0, 0, 0}}};
                }},
        Refusal{"axis is zero", 0,
                [](Spec& s) {
                  s.bodies[1].joints[0].axis = {0, 0, 0};
                }},
        Refusal{"more than 6 dofs", 0, [](Spec& s) { s.bodies[1].joints.resize(7); }},
        Refusal{
            "more than 6 dofs", 0,
            [](Spec& s) { s.bodies[1].joints.resize(2), s.bodies[1].joints[0].type = kJntFree; }},
        Refusal{
            "rotation after a ball", 0,
            [](Spec& s) { s.bodies[1].joints.resize(2), s.bodies[1].joints[0].type = kJntBall; }},
        Refusal{"not a child of the world", 0,
                [](Spec& s) {
                  s.bodies.push_back(child_of(1, "c")), s.bodies[2].joints[0].type = kJntFree;
                }},
        Refusal{"world body cannot have joints", 0, [](Spec& s) { s.bodies[0].joints.resize(1); }},
        Refusal{"not a fixed child of the world", 7, [](Spec& s) { s.bodies[1].mocap = true; }},
        Refusal{"range[0] must be smaller", 0,
                [](Spec& s) { s.bodies[1].joints[0].limited = kTrue; }},
        Refusal{"range[0] must be 0", 0,
                [](Spec& s) {
                  s.bodies[1].joints[0].type = kJntBall, s.bodies[1].joints[0].range = {0.1, 1};
                }},
        Refusal{"autolimits is off", 0,
                [](Spec& s) {
                  s.compiler.autolimits = false, s.bodies[1].joints[0].range = {0, 1};
                }},
        Refusal{"two positive numbers", 0,
                [](Spec& s) {
                  s.bodies[1].joints[0].springdamper = {1, 0};
                }},
        Refusal{"repeated name 'b'", 7, [](Spec& s) { s.bodies.push_back(child_of(0, "b")); }},
        Refusal{"unknown joint 'nobody'", 4, [](Spec& s) { s.actuators = {motor(4, "nobody")}; }},
        Refusal{"acts on nothing", 4, [](Spec& s) { s.actuators = {motor(4, "")}; }},
        Refusal{"ctrlrange[0] must be smaller", 4,
                [](Spec& s) { s.actuators = {motor(4, "j")}, s.actuators[0].ctrllimited = kTrue; }},
        Refusal{"actrange without activation", 4,
                [](Spec& s) {
                  s.actuators = {motor(4, "j")}, s.actuators[0].actrange = {0, 1};
                }},
        Refusal{"positive kp", 4,
                [](Spec& s) {
                  s.actuators = {motor(4, "j")};
                  s.actuators[0].gainprm[0] = -5;
                  s.actuators[0].biasprm = {0, 5, 1};
                }},
        Refusal{"has no range", 4,
                [](Spec& s) {
                  s.actuators = {motor(4, "j")};
                  s.actuators[0].biastype = kBiasAffine;
                  s.actuators[0].biasprm[1] = -1;
                  s.actuators[0].inheritrange = 1;
                }},
        Refusal{"dof_M0 is not finite", 0,
                [](Spec& s) {
                  s.actuators = {motor(4, "j")};
                  s.actuators[0].armature = s.actuators[0].gear[0] = 1e200;
                }},
        Refusal{"has 2 numbers for qpos, the model has 1", 0,
                [](Spec& s) {
                  s.keys.resize(1), s.keys[0].qpos = {1, 2};
                }},
        Refusal{"unknown geom 'x'", 0,
                [](Spec& s) { s.pairs.resize(1), s.pairs[0].geom1 = "g", s.pairs[0].geom2 = "x"; }},
        Refusal{"unknown body 'x'", 0, [](Spec& s) {
                  s.excludes.resize(1), s.excludes[0].body1 = "b", s.excludes[0].body2 = "x";
                }}));

}  // namespace
