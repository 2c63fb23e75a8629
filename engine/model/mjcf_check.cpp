#include "engine/model/mjcf_check.h"

#include <string>
#include <vector>

#include "engine/model/mjcf_attribute.h"
#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {
namespace {

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  if (const std::string_view close = closest(word, known); !close.empty()) {
    return "did you mean '" + std::string(close) + "'?";
  }
  if (known.empty()) return "none is expected here";
  constexpr size_t kMax = 12;
  std::string text = "known are ";
  for (size_t i = 0; i < known.size() && i < kMax; ++i)
    text += (i ? ", " : "") + std::string(known[i]);
  if (known.size() > kMax) text += ", ...";
  return text;
}

[[noreturn]] void fail_child(Context& c, const Element& e, const Element& parent,
                             const SchemaNode& node) {
  if (e.tag() == "composite") {
    c.fail(e, "element was removed in MuJoCo 4.0.0", "flexcomp replaces it");
  }
  std::vector<std::string_view> known;
  for (const SchemaNode::Child& child : node.children()) known.push_back(child.tag);
  c.fail(e, "unknown element in <" + std::string(parent.tag()) + '>', suggestion(e.tag(), known));
}

}  // namespace

void check_attributes(Context& c, const Element& e, const SchemaNode& node) {
  for (auto* a = e.xml->FirstAttribute(); a; a = a->Next()) {
    const SchemaNode::Attribute* rule = node.attribute(a->Name());
    if (!rule) {
      std::vector<std::string_view> known;
      for (const SchemaNode::Attribute& attribute : node.attributes()) {
        known.push_back(attribute.name);
      }
      c.fail(e, "unknown attribute " + quote(a->Name()), suggestion(a->Name(), known));
    }
    if (rule->unsupported) {
      c.unsupported(e, '<' + std::string(e.tag()) + "> " + std::string(rule->name));
    }
  }
  std::string name;
  read_name(c, e, "name", name);
}

void check_children(Context& c, const Element& parent, const SchemaNode& node) {
  std::vector<const SchemaNode::Child*> seen;  // of those that may occur once
  Document::for_each_child(parent, [&](const Element& e) {
    const SchemaNode::Child* rule = node.child(e.tag());
    if (!rule) fail_child(c, e, parent, node);
    if (rule->unique) {
      for (const SchemaNode::Child* other : seen) {
        if (other == rule) {
          c.fail(e, "element occurs twice in <" + std::string(parent.tag()) + '>', "merge the two");
        }
      }
      seen.push_back(rule);
    }
    if (rule->node->use() == Use::kUnsupported) {
      c.unsupported(e, '<' + std::string(parent.tag()) + '/' + std::string(e.tag()) + '>');
      // These bring bodies and joints of their own.
      if (e.tag() == "flexcomp" || e.tag() == "attach") c.sizes_changed = true;
      return;
    }
    check_attributes(c, e, *rule->node);
    check_children(c, e, *rule->node);
  });
}

void check_schema(Context& c, const Element& root) {
  const SchemaNode::Child* rule = schema_root().child(root.tag());
  if (!rule) {
    c.fail(root, "root element is not <mujoco>",
           root.tag() == "robot" ? "URDF is not supported; convert it to MJCF"
                                 : "an MJCF file begins with <mujoco>");
  }
  check_attributes(c, root, *rule->node);
  check_children(c, root, *rule->node);
}

}  // namespace stepbench::model::mjcf
