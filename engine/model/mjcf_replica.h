// <replicate>: counting, names, and the elements that refer into it.
//
// Replicas of a subtree get name suffixes, innermost replicate first. What refers to a name inside
// a replicate (actuators, pairs, excludes) is itself copied for each replica; copies follow the
// elements that do not refer into replicates, in document order of the replicates, replica by
// replica. This is the order of MuJoCo 4.0.0, found by experiment.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/mjcf_context.h"

namespace stepbench::model::mjcf {

struct ReplicateNode {
  int parent = -1;  // enclosing replicate; -1: none
  int count = 0;
  std::string separator;
  std::vector<int> children;
};

// Suffix of one replica: separator and zero-padded index.
std::string replica_suffix(const std::string& separator, int count, int index);

enum NameKind { kBodyName, kJointName, kGeomName, kNameKinds };

class Replicas {
 public:
  // Node of a <replicate> element below node `parent`; the same for every pass over the element.
  int node(const tinyxml2::XMLElement* xml, int parent, int count, std::string separator);

  // Note a name as written in the file, inside `node` (-1: outside).
  void add_name(NameKind kind, const std::string& name, int node);

  // Copy what refers into replicates. References to names that are not known stay as they are.
  void expand(Context& c, std::vector<Actuator>& actuators) const;
  void expand(Context& c, std::vector<Pair>& pairs) const;
  void expand(Context& c, std::vector<Exclude>& excludes) const;
  // All names that a written name stands for.
  std::vector<std::string> names(NameKind kind, const std::string& written) const;

 private:
  template <class T, size_t N>
  void expand_all(Context& c, std::vector<T>& items, NameKind kind,
                  std::string T::*const (&references)[N]) const;

  int find(NameKind kind, const std::string& name) const;
  int depth(int node) const;
  bool contains(int outer, int inner) const;
  std::string suffix(int node, const std::vector<int>& index) const;

  std::vector<ReplicateNode> nodes_;
  std::vector<int> roots_;
  std::unordered_map<const tinyxml2::XMLElement*, int> by_element_;
  std::unordered_map<std::string, int> by_name_[kNameKinds];
};

}  // namespace stepbench::model::mjcf
