// Which geom pairs collide, in which order, with which parameters.
#include "engine/collide/pairs.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "engine/model/load.h"
#include "engine/model/model.h"

namespace stepbench::collide {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

Names names_of(const model::Model& m, const std::vector<PairParams<double>>& pairs) {
  Names r;
  for (const auto& q : pairs)
    r.emplace_back(m.names.geom[std::size_t(q.geom1)], m.names.geom[std::size_t(q.geom2)]);
  return r;
}

std::string order_scene(const std::string& flag) {
  return R"(
<mujoco>
  <option><flag )" +
         flag + R"(/></option>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <geom name="block" type="box" size=".3 .3 .3"/>
    <body name="shelf"><geom name="shelf" type="box" size=".3 .3 .3"/></body>
    <body name="a">
      <freejoint/>
      <geom name="a_box" type="box" size=".2 .2 .2"/>
      <geom name="a_ball" type="sphere" size=".2"/>
      <body name="a1">
        <joint/>
        <geom name="a1_capsule" type="capsule" size=".2 .1"/>
        <body name="a1_fixed"><geom name="a1_ball" type="sphere" size=".2"/></body>
        <body name="a2"><joint/><geom name="a2_box" type="box" size=".2 .2 .2"/></body>
      </body>
    </body>
    <body name="b"><freejoint/><geom name="b_capsule" type="capsule" size=".2 .1"/></body>
    <body name="c"><freejoint/><geom name="c_ball" type="sphere" size=".2"/></body>
    <body name="hand" mocap="true">
      <geom name="hand_ball" type="sphere" size=".2"/>
      <body name="finger"><joint/><geom name="finger_box" type="box" size=".2 .2 .2"/></body>
    </body>
    <body name="ghost"><freejoint/>
      <geom name="ghost" type="sphere" size=".2" contype="2" conaffinity="4"/></body>
    <body name="spirit"><freejoint/>
      <geom name="spirit" type="sphere" size=".2" contype="4" conaffinity="8"/></body>
  </worldbody>
  <contact>
    <exclude body1="b" body2="a"/>
    <pair geom1="a_ball" geom2="a1_capsule"/>
    <pair geom1="ghost" geom2="a_box"/>
    <pair geom1="c_ball" geom2="block"/>
  </contact>
</mujoco>)";
}

// The order of mjData.contact of MuJoCo 4.0.0 for the scene above, where all geoms overlap.
TEST(Pairs, OrderAndFilterAreMujocos) {
  const auto m = model::load_model_string(order_scene(""));
  const Names want = {
      {"floor", "a_box"},          {"floor", "a_ball"},          {"block", "a_box"},
      {"a_ball", "block"},         {"floor", "a1_capsule"},      {"a1_capsule", "block"},
      {"floor", "a1_ball"},        {"a1_ball", "block"},         {"floor", "a2_box"},
      {"block", "a2_box"},         {"floor", "b_capsule"},       {"b_capsule", "block"},
      {"c_ball", "block"},         {"floor", "c_ball"},          {"floor", "finger_box"},
      {"block", "finger_box"},     {"shelf", "a_box"},           {"a_ball", "shelf"},
      {"a1_capsule", "shelf"},     {"a1_ball", "shelf"},         {"shelf", "a2_box"},
      {"b_capsule", "shelf"},      {"c_ball", "shelf"},          {"shelf", "finger_box"},
      {"a_ball", "a1_capsule"},    {"a_box", "a2_box"},          {"a_ball", "a2_box"},
      {"a_ball", "c_ball"},        {"c_ball", "a_box"},          {"a_ball", "hand_ball"},
      {"hand_ball", "a_box"},      {"a_box", "finger_box"},      {"a_ball", "finger_box"},
      {"ghost", "a_box"},          {"a1_capsule", "b_capsule"},  {"c_ball", "a1_capsule"},
      {"hand_ball", "a1_capsule"}, {"a1_capsule", "finger_box"}, {"a1_ball", "b_capsule"},
      {"a1_ball", "c_ball"},       {"a1_ball", "hand_ball"},     {"a1_ball", "finger_box"},
      {"b_capsule", "a2_box"},     {"c_ball", "a2_box"},         {"hand_ball", "a2_box"},
      {"a2_box", "finger_box"},    {"c_ball", "b_capsule"},      {"hand_ball", "b_capsule"},
      {"b_capsule", "finger_box"}, {"c_ball", "hand_ball"},      {"c_ball", "finger_box"},
      {"ghost", "spirit"}};
  EXPECT_EQ(names_of(*m, all_pairs(*m)), want);
  EXPECT_GE(count_pairs_bound(*m), want.size());
  EXPECT_TRUE(unsupported_pairs(*m).empty());
}

TEST(Pairs, WithoutTheParentFilterChildrenCollide) {
  const auto m = model::load_model_string(order_scene(R"(filterparent="disable")"));
  const Names names = names_of(*m, all_pairs(*m));
  EXPECT_EQ(names.size(), 58u);
  EXPECT_NE(std::find(names.begin(), names.end(),
                      std::pair<std::string, std::string>("hand_ball", "finger_box")),
            names.end());
}

TEST(Pairs, WithoutMidphaseTheBodiesOwnOrderHolds) {
  const auto m = model::load_model_string(order_scene(R"(midphase="disable")"));
  const Names names = names_of(*m, all_pairs(*m));
  ASSERT_EQ(names.size(), 52u);
  const auto box =
      std::find(names.begin(), names.end(), std::pair<std::string, std::string>("c_ball", "a_box"));
  ASSERT_NE(box, names.end());
  EXPECT_EQ(*(box + 1), (std::pair<std::string, std::string>("a_ball", "c_ball")));
}

TEST(Pairs, DisabledContactsHaveNoPairs) {
  for (const char* flag : {R"(contact="disable")", R"(constraint="disable")"}) {
    const auto m = model::load_model_string(order_scene(flag));
    EXPECT_TRUE(all_pairs(*m).empty());
    EXPECT_EQ(count_pairs_bound(*m), 0u);
  }
}

// One free ball over one world ball, with the given attributes.
PairParams<double> mixed(const std::string& world, const std::string& ball,
                         const std::string& option = "", const std::string& contact = "") {
  const auto m =
      model::load_model_string("<mujoco>" + option + "<worldbody><geom name='w' size='.1' " +
                               world + "/><body><freejoint/><geom name='f' size='.2' " + ball +
                               "/></body></worldbody><contact>" + contact + "</contact></mujoco>");
  const auto pairs = all_pairs(*m);
  EXPECT_EQ(pairs.size(), 1u);
  return pairs.at(0);
}

TEST(Pairs, EqualPriorityMixes) {
  const auto q =
      mixed("margin='.01' gap='.02' condim='1' friction='.3 .02 .005' solref='.03 1' solmix='1'",
            "margin='.03' gap='.04' condim='4' friction='.2 .03 0' solref='.05 .5' solmix='3' "
            "solimp='.8 .9 .01 .5 2'");
  EXPECT_DOUBLE_EQ(q.margin, .04);
  EXPECT_DOUBLE_EQ(q.gap, .06);
  EXPECT_DOUBLE_EQ(q.bound, .4);
  EXPECT_EQ(q.dim, 4);
  const double friction[5] = {.3, .3, .03, .005, .005};
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(q.friction[i], friction[i]);
  EXPECT_DOUBLE_EQ(q.solref[0], .25 * .03 + .75 * .05);
  EXPECT_DOUBLE_EQ(q.solref[1], .25 * 1 + .75 * .5);
  EXPECT_DOUBLE_EQ(q.solimp[0], .25 * .9 + .75 * .8);
  EXPECT_DOUBLE_EQ(q.solreffriction[0], 0);
}

TEST(Pairs, DirectSolrefTakesTheMinimum) {
  const auto q = mixed("solref='-500 -20'", "solref='-300 -40'");
  EXPECT_EQ(q.solref[0], -500);
  EXPECT_EQ(q.solref[1], -40);
}

TEST(Pairs, ZeroWeightsMix) {
  EXPECT_DOUBLE_EQ(mixed("solmix='0' solref='.03 1'", "solmix='0' solref='.05 1'").solref[0], .04);
  EXPECT_DOUBLE_EQ(mixed("solmix='0' solref='.03 1'", "solref='.05 1'").solref[0], .05);
  EXPECT_DOUBLE_EQ(mixed("solref='.03 1'", "solmix='0' solref='.05 1'").solref[0], .03);
}

TEST(Pairs, HigherPriorityWins) {
  const auto q = mixed("priority='1' condim='1' friction='.3 .02 .001' solref='.03 1'",
                       "condim='6' friction='2 2 2' solref='.05 1'");
  EXPECT_EQ(q.dim, 1);
  EXPECT_EQ(q.friction[0], .3);
  EXPECT_EQ(q.solref[0], .03);
}

TEST(Pairs, FrictionHasAFloor) {
  const auto q = mixed("friction='0 0 0'", "friction='0 0 0'");
  for (double f : q.friction) EXPECT_EQ(f, 1e-5);
}

TEST(Pairs, ExplicitPairKeepsItsOwnValues) {
  auto q = mixed("friction='3' solref='.5 1' margin='1'", "", "",
                 "<pair geom1='f' geom2='w' condim='4' margin='.01' gap='.002' "
                 "friction='.5 .4 .3 .2 .1' solreffriction='.03 .7'/>");
  EXPECT_EQ(q.geom1, 0);  // the smaller body first
  EXPECT_EQ(q.dim, 4);
  EXPECT_DOUBLE_EQ(q.margin, .01);
  EXPECT_DOUBLE_EQ(q.gap, .002);
  EXPECT_DOUBLE_EQ(q.friction[1], .4);
  EXPECT_DOUBLE_EQ(q.solref[0], .02);
  EXPECT_DOUBLE_EQ(q.solreffriction[0], .03);
}

TEST(Pairs, OverrideReplacesMarginAndParameters) {
  const auto q = mixed("margin='.5' gap='.1' condim='4' friction='3'", "condim='3'",
                       "<option o_margin='.02' o_solref='.04 1' o_solimp='.7 .8 .01 .5 2' "
                       "o_friction='.6 0 .1 .2 .3'>"
                       "<flag override='enable'/></option>");
  EXPECT_DOUBLE_EQ(q.margin, .02);
  EXPECT_DOUBLE_EQ(q.gap, .1);
  EXPECT_EQ(q.dim, 4);
  EXPECT_DOUBLE_EQ(q.solref[0], .04);
  EXPECT_DOUBLE_EQ(q.solreffriction[0], .04);
  EXPECT_DOUBLE_EQ(q.solimp[0], .7);
  EXPECT_DOUBLE_EQ(q.friction[0], .6);
  EXPECT_DOUBLE_EQ(q.friction[1], 1e-5);
}

TEST(Pairs, KindsAreTheClosedForms) {
  using namespace model;
  EXPECT_EQ(pair_kind(kGeomBox, kGeomPlane), kPlaneBox);
  EXPECT_EQ(pair_kind(kGeomEllipsoid, kGeomPlane), kPlaneEllipsoid);
  EXPECT_EQ(pair_kind(kGeomPlane, kGeomPlane), kNoKind);
  EXPECT_EQ(pair_kind(kGeomSphere, kGeomEllipsoid), kConvex);
  EXPECT_EQ(pair_kind(kGeomCapsule, kGeomCylinder), kConvex);
  EXPECT_EQ(pair_kind(kGeomCylinder, kGeomCylinder), kConvex);
  EXPECT_EQ(pair_kind(kGeomBox, kGeomCylinder), kConvex);
  EXPECT_EQ(pair_kind(kGeomPlane, kGeomMesh), kConvex);
  EXPECT_EQ(pair_kind(kGeomBox, kGeomHfield), kConvex);
}

TEST(Pairs, UnsupportedPairsAreNamed) {
  const auto m = model::load_model_string(R"(
<mujoco><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body name="can"><freejoint/><geom name="can" type="cylinder" size=".1 .1"/></body>
  <body name="egg"><freejoint/><geom type="ellipsoid" size=".1 .1 .2"/></body>
  <body name="box1"><freejoint/><geom name="box1" type="box" size=".1 .1 .1"/></body>
  <body name="box2"><freejoint/><geom name="box2" type="box" size=".1 .1 .1"/></body>
</worldbody></mujoco>)");
  const std::vector<std::string> want = {
      "ellipsoid-cylinder contact needs convex collision: geom 0 of body 'egg' and 'can'",
      "ellipsoid-box contacts need convex collision: 2 geom pairs, the first is geom 0 of body "
      "'egg' "
      "and 'box1'",
      "cylinder-box contacts need convex collision: 2 geom pairs, the first is 'can' and 'box1'"};
  EXPECT_EQ(unsupported_pairs(*m), want);
  EXPECT_EQ(all_pairs(*m).size(), 5u);  // four with the plane, box-box
}

TEST(Pairs, WhatCannotCollideIsNotUnsupported) {
  const auto m = model::load_model_string(R"(
<mujoco><worldbody>
  <geom type="plane" size="1 1 1"/>
  <geom type="cylinder" size=".1 .1"/>
  <body><freejoint/><geom type="cylinder" size=".1 .1" contype="0" conaffinity="0"/>
    <geom type="sphere" size=".1"/></body>
</worldbody></mujoco>)");
  EXPECT_TRUE(unsupported_pairs(*m).empty());
}

}  // namespace
}  // namespace stepbench::collide
