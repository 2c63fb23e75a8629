// Actuators: shortcuts, and what they inherit from default classes.
#include <array>
#include <numbers>

#include "tests/engine/model/reader_support.h"

namespace stepbench::model::testing {
namespace {

using A3 = std::array<double, 3>;

Actuator actuator(const std::string& element, const std::string& before = "") {
  const Spec spec = read(before + "<actuator>" + element + "</actuator>");
  return spec.actuators.at(0);
}

A3 first3(const std::array<double, 10>& v) { return {v[0], v[1], v[2]}; }

// One row per shortcut: dyntype, gaintype, biastype, first three of dynprm, gainprm, biasprm, gear.
struct Row {
  int dyn, gain, bias;
  A3 dynprm, gainprm, biasprm;
  double gear;
};
struct Case {
  const char* defaults;    // inside the top-level <default>
  const char* attributes;  // of each actuator
  Row rows[7];
};
constexpr const char* kTags[] = {"motor",  "position", "velocity", "intvelocity",
                                 "damper", "cylinder", "general"};

// Oracle: MuJoCo 4.0.0 (mjModel.actuator_*) of <TAG joint="j" .../> under each set of defaults.
const Case kInheritance[] = {
    {R"()",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1}}},
    {R"(<general gainprm="400"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, -400, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, 0, -400}, 1},
      {1, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, -400, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 0, {1, 0, 0}, {400, 0, 0}, {0, 0, 0}, 1}}},
    {R"(<general gainprm="400" biasprm="0 -300 -5" biastype="affine" dynprm="7" dyntype="filter"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, -400, -5}, 1},
      {0, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, 0, -400}, 1},
      {1, 0, 1, {1, 0, 0}, {400, 0, 0}, {0, -400, -5}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {7, 0, 0}, {400, 0, 0}, {0, -300, -5}, 1},
      {2, 0, 1, {7, 0, 0}, {400, 0, 0}, {0, -300, -5}, 1}}},
    {R"(<position kp="50" kv="3" ctrlrange="-1 1"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, -3}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, -3}, 1}}},
    {R"(<velocity kv="3"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {3, 0, 0}, {0, 0, -3}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {3, 0, 0}, {0, 0, -3}, 1}}},
    {R"(<motor gear="3" ctrlrange="-2 2"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 3},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 3},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 3},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 3},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 3},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 3},
      {0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 3}}},
    {R"(<position kp="50" timeconst=".2"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {3, 0, 1, {0.2, 0, 0}, {50, 0, 0}, {0, -50, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {3, 0, 1, {0.2, 0, 0}, {50, 0, 0}, {0, -50, 0}, 1}}},
    {R"(<intvelocity kp="50" kv="2"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, -2}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {1, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, -2}, 1}}},
    {R"(<cylinder area="5" timeconst="2" bias="1 2 3"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {2, 0, 0}, {5, 0, 0}, {1, 2, 3}, 1},
      {2, 0, 1, {2, 0, 0}, {5, 0, 0}, {1, 2, 3}, 1}}},
    {R"(<general gaintype="affine" gainprm="1 2 -3"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, -3}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {1, 2, -3}, {0, 0, 0}, 1}}},
    {R"(<position kp="50"/><general gainprm="7"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, -7, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, 0, -7}, 1},
      {1, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, -7, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, -50, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, -50, 0}, 1}}},
    {R"(<general gainprm="7"/><position kv="2"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, -7, -2}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, -7, -2}, 1}}},
    {R"(<position kp="50"/><velocity kv="7"/>)",
     "",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, 0, -7}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {7, 0, 0}, {0, 0, -7}, 1}}},
    {R"(<position kp="50"/><default class="c"><velocity kv="3"/></default>)",
     " class='c'",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {3, 0, 0}, {0, 0, -3}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {3, 0, 0}, {0, 0, -3}, 1}}},
    {R"(<position kp="50"/><default class="c"><general gear="3"/></default>)",
     " class='c'",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 3},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, 0}, 3},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, 0, -50}, 3},
      {1, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, 0}, 3},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 3},
      {2, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, 0}, 3},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, 0}, 3}}},
    {R"(<position kp="50"/><default class="c"><position kv="3"/></default>)",
     " class='c'",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, -3}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, -3}, 1}}},
    {R"(<general gainprm="40" biasprm="0 -2 -3"/><default class="c"><position kv="9"/></default>)",
     " class='c'",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {40, 0, 0}, {0, -40, -9}, 1},
      {0, 0, 1, {1, 0, 0}, {40, 0, 0}, {0, 0, -40}, 1},
      {1, 0, 1, {1, 0, 0}, {40, 0, 0}, {0, -40, -3}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {40, 0, 0}, {0, -2, -3}, 1},
      {0, 0, 1, {1, 0, 0}, {40, 0, 0}, {0, -40, -9}, 1}}},
    {R"(<position kp="50"/><default class="c"><motor/><default class="d"/></default>)",
     " class='d'",
     {{0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {50, 0, 0}, {0, -50, 0}, 1},
      {0, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, -1}, 1},
      {1, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, -1, 0}, 1},
      {0, 1, 0, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1},
      {2, 0, 1, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1},
      {0, 0, 0, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}, 1}}},
};

TEST(Actuators, InheritAsInMuJoCo) {
  for (const Case& c : kInheritance) {
    std::string elements;
    for (const char* tag : kTags) {
      elements += '<' + std::string(tag) + " joint='j'" + c.attributes +
                  (std::string(tag) == "damper" ? " ctrlrange='0 1'" : "") + "/>";
    }
    const Spec spec = read("<default>" + std::string(c.defaults) + "</default><actuator>" +
                           elements + "</actuator>");
    ASSERT_EQ(spec.actuators.size(), 7u);
    for (size_t i = 0; i < 7; ++i) {
      SCOPED_TRACE(std::string(c.defaults) + " then " + kTags[i]);
      const Actuator& a = spec.actuators[i];
      const Row& r = c.rows[i];
      EXPECT_EQ(a.dyntype, r.dyn);
      EXPECT_EQ(a.gaintype, r.gain);
      EXPECT_EQ(a.biastype, r.bias);
      EXPECT_EQ(first3(a.dynprm), r.dynprm);
      EXPECT_EQ(first3(a.gainprm), r.gainprm);
      EXPECT_EQ(first3(a.biasprm), r.biasprm);
      EXPECT_EQ(a.gear[0], r.gear);
    }
  }
}

TEST(Actuators, DampingRatioIsAPositiveBias) {
  EXPECT_EQ(actuator("<position joint='j' kp='5' dampratio='0.7'/>").biasprm[2], 0.7);
  EXPECT_EQ(actuator("<intvelocity joint='j' kp='5' dampratio='0.7'/>").biasprm[2], 0.7);
  EXPECT_EQ(actuator("<position joint='j' kp='5' kv='2'/>").biasprm[2], -2);
  EXPECT_EQ(actuator("<position joint='j' kv='2'/>", "<default><position dampratio='1'/></default>")
                .biasprm[2],
            -2);
}

TEST(Actuators, RangesAndInheritance) {
  const std::string inherits = "<default><position inheritrange='1'/></default>";
  EXPECT_EQ(actuator("<position joint='j'/>", inherits).inheritrange, 1);
  EXPECT_EQ(actuator("<position joint='j' ctrlrange='0 1'/>", inherits).inheritrange, 0);
  EXPECT_EQ(actuator("<general joint='j'/>", inherits).inheritrange, 1);
  EXPECT_EQ(actuator("<velocity joint='j'/>", inherits).inheritrange, 0);
  EXPECT_EQ(actuator("<intvelocity joint='j'/>", inherits).inheritrange, 0);
  const std::string ranged = "<default><position ctrlrange='0 1'/></default>";
  EXPECT_EQ(actuator("<position joint='j' inheritrange='1'/>", ranged).ctrlrange[1], 0);
  EXPECT_NE(error_in("<actuator><position joint='j' ctrlrange='0 1' inheritrange='1'/></actuator>"),
            "");
  EXPECT_NE(
      error_in("<actuator><intvelocity joint='j' actrange='0 1' inheritrange='1'/></actuator>"),
      "");
}

TEST(Actuators, Details) {
  EXPECT_EQ(actuator("<position joint='j' timeconst='0.1'/>").dyntype, kDynFilterExact);
  EXPECT_EQ(actuator("<position joint='j' timeconst='0'/>").dyntype, kDynNone);
  EXPECT_EQ(actuator("<damper joint='j' kv='2' ctrlrange='0 1'/>").ctrllimited, kTrue);
  EXPECT_DOUBLE_EQ(actuator("<cylinder joint='j' diameter='2' area='9'/>").gainprm[0],
                   std::numbers::pi);
  EXPECT_EQ(actuator("<motor jointinparent='j'/>").trntype, kTrnJointInParent);
  EXPECT_EQ(actuator("<motor joint='j' gear='1 2'/>").gear,
            (std::array<double, 6>{1, 2, 0, 0, 0, 0}));
  EXPECT_EQ(actuator("<general joint='j' actearly='true' dyntype='filter'/>").actearly, 1);
  // A shortcut resets the activation layout.
  EXPECT_EQ(actuator("<intvelocity joint='j'/>", "<default><general actearly='true'/></default>")
                .actearly,
            0);
}

TEST(Actuators, RefuseImpossibleParameters) {
  for (const char* element :
       {"<position joint='j' kv='-1'/>", "<position joint='j' kv='1' dampratio='1'/>",
        "<position joint='j' dampratio='-1'/>", "<position joint='j' timeconst='-1'/>",
        "<damper joint='j' kv='-1' ctrlrange='0 1'/>", "<damper joint='j' ctrlrange='-1 1'/>",
        "<general joint='j' actdim='2' dyntype='filter'/>", "<general joint='j' actdim='1'/>",
        "<general joint='j' actdim='0' dyntype='filter'/>", "<cylinder joint='j' bias='1'/>",
        "<general joint='j' gainprm='1 2 3 4 5 6 7 8 9 10 11'/>", "<motor joint='j' kp='1'/>"}) {
    EXPECT_NE(error_in("<actuator>" + std::string(element) + "</actuator>"), "") << element;
  }
}

TEST(Actuators, DefaultsOfForeignShortcutsGiveMechanicsOnly) {
  const std::string before = "<default><muscle gear='3' ctrlrange='0 1'/></default>";
  const Actuator motor = actuator("<motor joint='j'/>", before);
  EXPECT_EQ(motor.gear[0], 3);
  EXPECT_EQ(motor.gainprm[0], 1);
  // <general> would be a muscle.
  EXPECT_NE(error_in(before + "<actuator><general joint='j'/></actuator>").find("not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace stepbench::model::testing
