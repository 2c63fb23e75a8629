// Reading of single elements: numbers, orientations, shapes, options, compiler settings.
#include "engine/model/reader.h"

#include <array>
#include <cmath>
#include <numbers>

#include "tests/engine/model/reader_support.h"

namespace stepbench::model::testing {
namespace {

using A3 = std::array<double, 3>;
using A4 = std::array<double, 4>;
constexpr double kHalf = 0.70710678118654752;  // sin(45 deg)

Geom geom_of(const std::string& attributes, const std::string& before = "") {
  return read(before + "<worldbody><geom " + attributes + "/></worldbody>").bodies[0].geoms[0];
}

Joint joint_of(const std::string& attributes, const std::string& before = "") {
  return read(before + "<worldbody><body><joint " + attributes + "/></body></worldbody>")
      .bodies[1]
      .joints[0];
}

TEST(Reader, EmptySceneIsAWorld) {
  const Spec spec = read("");
  ASSERT_EQ(spec.bodies.size(), 1u);
  EXPECT_EQ(spec.bodies[0].name, "world");
  EXPECT_EQ(spec.name, "MuJoCo Model");
  EXPECT_EQ(spec.opt.timestep, 0.002);
}

TEST(Reader, TakesEveryLegalSpellingOfNumbers) {
  const Geom g = geom_of("size='1. +.5 -5E-1' pos='\t0x10\n1e-400  0x1p3 '");
  EXPECT_EQ(g.size, (A3{1, 0.5, -0.5}));
  EXPECT_EQ(g.pos, (A3{16, 0, 8}));
  EXPECT_EQ(geom_of("size='1' contype='+2' conaffinity=' -1 '").contype, 2);
}

TEST(Reader, RefusesOtherNumbers) {
  for (const char* bad : {"1,2", "1e", "1.5abc", "--1", "+ 1", "1e400", "nan", "-inf", ".", "0x",
                          "+-1", "1_0", "1d3"}) {
    EXPECT_NE(error_in("<worldbody><geom size='" + std::string(bad) + "'/></worldbody>"), "")
        << bad;
  }
  for (const char* bad : {"1.0", "0x2", "1 2", "2147483648", "1e1", "+-2"}) {
    EXPECT_NE(error_in("<worldbody><geom contype='" + std::string(bad) + "'/></worldbody>"), "")
        << bad;
  }
}

TEST(Reader, EmptyAttributeIsNoAttribute) {
  const Geom g = geom_of("size='' contype='' friction='' pos='' name=''");
  EXPECT_EQ(g.contype, 1);
  EXPECT_EQ(g.friction, (A3{1, 0.005, 0.0001}));
}

TEST(Reader, ShortListsKeepTheRest) {
  EXPECT_EQ(geom_of("friction='2'").friction, (A3{2, 0.005, 0.0001}));
  EXPECT_EQ(geom_of("solref='0.1'").solref, (std::array<double, 2>{0.1, 1}));
  EXPECT_EQ(joint_of("stiffness='5'", "<default><joint stiffness='1 2 3'/></default>").stiffness,
            (A3{5, 2, 3}));
}

// A quarter turn about x, in each form.
TEST(Reader, AllOrientationsMeanTheSame) {
  const A4 expected = {kHalf, kHalf, 0, 0};
  for (const char* form : {"quat='2 2 0 0'", "axisangle='3 0 0 90'", "euler='90 0 0'",
                           "xyaxes='1 0 0 7 0 2'", "zaxis='0 -4 0'"}) {
    expect_near(geom_of(std::string("size='1' ") + form).quat, expected);
  }
  expect_near(geom_of("euler='1.5707963267948966 0 0'", "<compiler angle='radian'/>").quat,
              expected);
}

TEST(Reader, EulerSequenceTellsFixedFromMovingAxes) {
  const auto turned = [](const char* sequence) {
    return geom_of("euler='90 90 0'", "<compiler eulerseq='" + std::string(sequence) + "'/>").quat;
  };
  expect_near(turned("xyz"), A4{0.5, 0.5, 0.5, 0.5});   // x, then the new y
  expect_near(turned("XYZ"), A4{0.5, 0.5, 0.5, -0.5});  // x, then the old y
  expect_near(turned("yxz"), A4{0.5, 0.5, 0.5, -0.5});
}

TEST(Reader, FromtoGivesPoseAndSize) {
  // z points from the second point to the first.
  const Geom up = geom_of("type='capsule' size='.1' fromto='1 2 3 1 2 1'");
  EXPECT_EQ(up.size, (A3{0.1, 1, 0}));
  EXPECT_EQ(up.pos, (A3{1, 2, 2}));
  expect_near(up.quat, A4{1, 0, 0, 0});
  const Geom box = geom_of("type='box' size='.1 .2 .3' fromto='0 0 0 0 4 0'");
  EXPECT_EQ(box.size, (A3{0.1, 0.1, 2}));
  expect_near(box.quat, A4{kHalf, kHalf, 0, 0});
  EXPECT_NE(error_in("<worldbody><geom size='1' fromto='0 0 0 0 0 1'/></worldbody>"), "");
  EXPECT_NE(error_in("<worldbody><geom type='box' size='1' fromto='0 0 1 0 0 1'/></worldbody>"),
            "");
  EXPECT_NE(
      error_in(
          "<worldbody><geom type='box' size='1' pos='1 0 0' fromto='0 0 0 0 0 1'/></worldbody>"),
      "");
}

TEST(Reader, AnglesOfJointsBecomeRadians) {
  const double radian = std::numbers::pi / 180;
  const Joint hinge = joint_of("range='-90 45' ref='10' springref='20'");
  EXPECT_EQ(hinge.range, (std::array<double, 2>{-90 * radian, 45 * radian}));
  EXPECT_EQ(hinge.ref, 10 * radian);
  EXPECT_EQ(hinge.springref, 20 * radian);
  const Joint slide = joint_of("type='slide' range='-90 45' ref='10'");
  EXPECT_EQ(slide.range, (std::array<double, 2>{-90, 45}));
  EXPECT_EQ(slide.ref, 10);
  EXPECT_EQ(joint_of("type='ball' range='0 90'").range[1], 90 * radian);
  // As in MuJoCo: a range that limits nothing stays as written.
  EXPECT_EQ(joint_of("range='-90 45' limited='false'").range[1], 45);
}

TEST(Reader, SectionsMergeInAnyOrder) {
  const Spec spec = read(
      "<worldbody><geom euler='1 0 0'/></worldbody><option timestep='.1'/><compiler "
      "angle='radian'/>"
      "<worldbody><geom/></worldbody><option gravity='0 0 1'><flag contact='disable'/></option>"
      "<compiler autolimits='false'/><option><flag limit='disable' energy='enable'/></option>");
  EXPECT_EQ(spec.bodies[0].geoms.size(), 2u);
  EXPECT_NEAR(spec.bodies[0].geoms[0].quat[0], std::cos(0.5), 1e-15);
  EXPECT_FALSE(spec.compiler.autolimits);
  EXPECT_EQ(spec.opt.timestep, 0.1);
  EXPECT_EQ(spec.opt.gravity[2], 1);
  EXPECT_EQ(spec.opt.disableflags, kDsblContact | kDsblLimit);
  EXPECT_EQ(spec.opt.enableflags, kEnblEnergy);
}

TEST(Reader, OverridesReplaceOptions) {
  ReadOptions options;
  options.overrides = {{"timestep", "0.01"}, {"flag.contact", "enable"}, {"solver", "CG"}};
  const Spec spec =
      read("<option timestep='1' solver='PGS'><flag contact='disable'/></option>", options);
  EXPECT_EQ(spec.opt.timestep, 0.01);
  EXPECT_EQ(spec.opt.disableflags, 0);
  EXPECT_EQ(spec.opt.solver, kCg);
  // An override settles what the file has and the engine has not.
  options.overrides = {{"integrator", "implicitfast"}};
  EXPECT_EQ(read("<option integrator='discrete'/>", options).opt.integrator, kImplicitFast);
  options.overrides = {{"timestap", "1"}};
  EXPECT_EQ(error_in("", options),
            "--option: <option> unknown attribute 'timestap'; did you mean 'timestep'?");
  options.overrides = {{"flag.contact", "off"}};
  EXPECT_EQ(
      error_in("", options),
      "--option: <flag> attribute 'contact': unknown keyword 'off'; choose one of disable, enable");
}

TEST(Reader, ActuatorGroups) {
  EXPECT_EQ(read("<option actuatorgroupdisable='1 3 3'/>").opt.disableactuator, 10);
  EXPECT_NE(error_in("<option actuatorgroupdisable='31'/>"), "");
}

TEST(Reader, InertialForms) {
  const auto inertial = [](const std::string& attributes) {
    return *read("<worldbody><body><inertial " + attributes + "/></body></worldbody>")
                .bodies[1]
                .inertial;
  };
  const Inertial diagonal = inertial("pos='1 2 3' mass='4' diaginertia='5 6 7' euler='90 0 0'");
  EXPECT_EQ(*diagonal.diaginertia, (A3{5, 6, 7}));
  expect_near(diagonal.quat, A4{kHalf, kHalf, 0, 0});
  const Inertial full = inertial("pos='1 2 3' mass='4' fullinertia='1 2 3 .1 .2 .3'");
  EXPECT_EQ((*full.fullinertia)[3], 0.1);
  EXPECT_FALSE(full.diaginertia);
  const auto refused = [](const std::string& attributes) {
    return error_in("<worldbody><body><inertial " + attributes + "/></body></worldbody>");
  };
  EXPECT_NE(refused("mass='1'"), "");
  EXPECT_NE(refused("pos='0 0 0'"), "");
  EXPECT_NE(refused("pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'"), "");
  EXPECT_NE(refused("pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'"), "");
}

TEST(Reader, FreejointIgnoresDefaults) {
  const Spec spec = read(
      "<default><joint damping='1' armature='2'/></default><worldbody><body><freejoint "
      "name='f'/></body>"
      "<body><joint type='free'/></body></worldbody>");
  EXPECT_EQ(spec.bodies[1].joints[0].armature, 0);
  EXPECT_EQ(spec.bodies[1].joints[0].name, "f");
  EXPECT_EQ(spec.bodies[2].joints[0].armature, 2);
}

TEST(Reader, IgnoresWhatIsOnlyForTheEye) {
  const Spec spec = read(
      "<visual><global fovy='9'/></visual><statistic extent='1'/><custom><numeric name='n' "
      "data='1'/>"
      "</custom><asset><texture name='t' builtin='flat' width='1' height='1'/><material name='m' "
      "texture='t'/></asset><worldbody><light/><camera/><geom size='1' material='m' rgba='1 0 0 "
      "1'/>"
      "<site size='1' user='1 2 3'/></worldbody><sensor><clock/></sensor>");
  EXPECT_EQ(spec.bodies[0].geoms.size(), 1u);
  EXPECT_FALSE(spec.open());
}

TEST(Reader, WarnsOfDeprecatedAttributes) {
  const Spec spec = read("\n<compiler settotalmass='2'/>\n<statistic meaninertia='1'/>");
  ASSERT_EQ(spec.warnings.size(), 2u);
  EXPECT_EQ(spec.warnings[0],
            "scene.xml:2: <compiler> attribute 'settotalmass' is deprecated: scale the masses in "
            "the model");
  EXPECT_EQ(spec.compiler.settotalmass, 2);
}

TEST(Reader, KeyframesAndContacts) {
  const Spec spec = read(
      "<size nkey='3'/><keyframe><key name='home' time='2' qpos='1 2' ctrl='3'/></keyframe>"
      "<default><pair condim='4'/></default>"
      "<contact><pair geom1='a' geom2='b' friction='1 2'/><exclude name='e' body1='x' "
      "body2='y'/></contact>");
  EXPECT_EQ(spec.nkey, 3);
  EXPECT_EQ(spec.keys[0].qpos, (std::vector<double>{1, 2}));
  EXPECT_EQ(spec.keys[0].time, 2);
  EXPECT_EQ(spec.pairs[0].condim, 4);
  EXPECT_EQ(spec.pairs[0].friction, (std::array<double, 5>{1, 2, 0.005, 0.0001, 0.0001}));
  EXPECT_EQ(spec.excludes[0].body2, "y");
}

}  // namespace
}  // namespace stepbench::model::testing
