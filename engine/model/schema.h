// What MJCF 4.0.0 consists of, as data: every element and attribute, and what this program does
// with it.
#pragma once

#include <string_view>
#include <vector>

namespace stepbench::model::mjcf {

// What becomes of an element.
enum class Use {
  kRead,        // simulated
  kIgnore,      // known to have no influence on the physics
  kUnsupported  // would change the physics and is not simulated
};

// Attributes: space-separated names; a name behind '!' is unsupported wherever it is given, all
// other names are read or ignored by the reader of the element. A tag behind '?' may occur once per
// parent.
struct SchemaRow {
  const char* parents;  // ids of the rows that may hold this element
  const char* tags;     // element names that share this row
  const char* id;       // name of this row as a parent; "" if it has no children
  Use use;
  const char* attributes;  // not looked at below unsupported elements
};

// The table (schema_table.cpp). The root element is the child of "".
const std::vector<SchemaRow>& schema_table();

// Parsed form of the table.
class SchemaNode {
 public:
  struct Attribute {
    std::string_view name;
    bool unsupported;
  };
  struct Child {
    std::string_view tag;
    const SchemaNode* node;
    bool unique;
  };

  Use use() const { return use_; }
  // nullptr where there is no such attribute or child.
  const Attribute* attribute(std::string_view name) const;
  const Child* child(std::string_view tag) const;
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<Child>& children() const { return children_; }

 private:
  friend struct SchemaBuilder;
  Use use_ = Use::kRead;
  std::vector<Attribute> attributes_;
  std::vector<Child> children_;
};

// Row of the root: its only child is <mujoco>. Built on first use.
const SchemaNode& schema_root();

}  // namespace stepbench::model::mjcf
