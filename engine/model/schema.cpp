#include "engine/model/schema.h"

#include <deque>
#include <map>

namespace stepbench::model::mjcf {
namespace {

std::vector<std::string_view> words(const char* text) {
  std::vector<std::string_view> result;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find(' ');
    const std::string_view word = rest.substr(0, end);
    if (!word.empty()) result.push_back(word);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace

const SchemaNode::Attribute* SchemaNode::attribute(std::string_view name) const {
  for (const Attribute& a : attributes_) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

const SchemaNode::Child* SchemaNode::child(std::string_view tag) const {
  for (const Child& c : children_) {
    if (c.tag == tag) return &c;
  }
  return nullptr;
}

struct SchemaBuilder {
  std::deque<SchemaNode> nodes;  // addresses stay
  std::map<std::string_view, std::vector<SchemaNode*>> by_id;

  SchemaBuilder() {
    nodes.emplace_back();
    by_id[""].push_back(&nodes.back());
    // Rows may refer to parents further down (frame and replicate hold each other), so nodes come
    // first.
    std::vector<SchemaNode*> row_node;
    for (const SchemaRow& row : schema_table()) {
      SchemaNode& node = nodes.emplace_back();
      node.use_ = row.use;
      for (std::string_view word : words(row.attributes)) {
        const bool unsupported = word.front() == '!';
        if (unsupported) word.remove_prefix(1);
        node.attributes_.push_back({word, unsupported});
      }
      row_node.push_back(&node);
      if (*row.id != '\0') by_id[row.id].push_back(&node);
    }
    size_t i = 0;
    for (const SchemaRow& row : schema_table()) {
      std::vector<std::string_view> parents = words(row.parents);
      if (parents.empty()) parents.push_back("");
      for (const std::string_view parent : parents) {
        for (SchemaNode* holder : by_id[parent]) {
          for (std::string_view tag : words(row.tags)) {
            const bool unique = tag.front() == '?';
            if (unique) tag.remove_prefix(1);
            holder->children_.push_back({tag, row_node[i], unique});
          }
        }
      }
      ++i;
    }
  }
};

const SchemaNode& schema_root() {
  static const SchemaBuilder builder;
  return builder.nodes.front();
}

}  // namespace stepbench::model::mjcf
