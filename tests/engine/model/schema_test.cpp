#include "engine/model/schema.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {
namespace {

const SchemaNode& mujoco() { return *schema_root().child("mujoco")->node; }

TEST(Schema, HoldsTheSectionsOfMjcf) {
  for (const char* section : {"option", "compiler", "size", "statistic", "asset", "worldbody",
                              "deformable", "contact", "equality", "tendon", "actuator", "sensor",
                              "keyframe", "visual", "default", "custom", "extension"}) {
    EXPECT_NE(mujoco().child(section), nullptr) << section;
  }
  EXPECT_EQ(mujoco().child("body"), nullptr);
}

TEST(Schema, FramesAndReplicatesHoldWhatBodiesHold) {
  const SchemaNode& body = *mujoco().child("worldbody")->node->child("body")->node;
  for (const char* holder : {"frame", "replicate"}) {
    const SchemaNode& node = *body.child(holder)->node;
    for (const SchemaNode::Child& child : body.children()) {
      ASSERT_NE(node.child(child.tag), nullptr) << holder << ' ' << child.tag;
      EXPECT_EQ(node.child(child.tag)->node, child.node);
    }
  }
}

TEST(Schema, HasNoDoubles) {
  std::set<const SchemaNode*> seen;
  const auto check = [&](const auto& self, const SchemaNode& node) -> void {
    if (!seen.insert(&node).second) return;
    std::set<std::string> tags, names;
    for (const SchemaNode::Child& child : node.children()) {
      EXPECT_TRUE(tags.insert(std::string(child.tag)).second) << child.tag;
      self(self, *child.node);
    }
    for (const SchemaNode::Attribute& a : node.attributes()) {
      EXPECT_TRUE(names.insert(std::string(a.name)).second) << a.name;
    }
  };
  check(check, schema_root());
  EXPECT_GT(seen.size(), 80u);
}

TEST(Schema, TellsWhatIsSimulated) {
  EXPECT_EQ(mujoco().child("equality")->node->child("weld")->node->use(), Use::kUnsupported);
  EXPECT_EQ(mujoco().child("visual")->node->use(), Use::kIgnore);
  const SchemaNode& motor = *mujoco().child("actuator")->node->child("motor")->node;
  EXPECT_TRUE(motor.attribute("tendon")->unsupported);
  EXPECT_FALSE(motor.attribute("joint")->unsupported);
  EXPECT_EQ(motor.attribute("kp"), nullptr);
}

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("size", "size", 5), 0);
  EXPECT_EQ(edit_distance("sise", "size", 5), 1);
  EXPECT_EQ(edit_distance("szie", "size", 5), 1);  // swap
  EXPECT_EQ(edit_distance("siz", "size", 5), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3);
  EXPECT_EQ(edit_distance("a", "abcdef", 2), 3);  // limit + 1
  EXPECT_EQ(closest("forec", std::vector<std::string_view>{"gear", "force", "torque"}), "force");
  EXPECT_EQ(closest("xyz", std::vector<std::string_view>{"gear", "force"}), "");
}

}  // namespace
}  // namespace stepbench::model::mjcf
