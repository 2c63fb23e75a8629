#include "engine/model/mjcf_replica.h"

#include <functional>
#include <utility>

#include "engine/model/error.h"
#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {

std::string replica_suffix(const std::string& separator, int count, int index) {
  std::string digits = std::to_string(index);
  const size_t width = std::to_string(count).size();
  return separator + std::string(width - digits.size(), '0') + digits;
}

int Replicas::node(const tinyxml2::XMLElement* xml, int parent, int count, std::string separator) {
  const auto [at, added] = by_element_.emplace(xml, static_cast<int>(nodes_.size()));
  if (added) {
    nodes_.push_back({parent, count, std::move(separator), {}});
    (parent < 0 ? roots_ : nodes_[static_cast<size_t>(parent)].children).push_back(at->second);
  }
  return at->second;
}

void Replicas::add_name(NameKind kind, const std::string& name, int node) {
  if (!name.empty()) by_name_[kind].emplace(name, node);
}

int Replicas::find(NameKind kind, const std::string& name) const {
  const auto at = by_name_[kind].find(name);
  return at == by_name_[kind].end() ? -1 : at->second;
}

int Replicas::depth(int node) const {
  int result = 0;
  for (; node >= 0; node = nodes_[static_cast<size_t>(node)].parent) ++result;
  return result;
}

bool Replicas::contains(int outer, int inner) const {
  for (; inner >= 0; inner = nodes_[static_cast<size_t>(inner)].parent) {
    if (inner == outer) return true;
  }
  return outer < 0;
}

std::string Replicas::suffix(int node, const std::vector<int>& index) const {
  std::string result;
  for (; node >= 0; node = nodes_[static_cast<size_t>(node)].parent) {
    const ReplicateNode& n = nodes_[static_cast<size_t>(node)];
    result += replica_suffix(n.separator, n.count, index[static_cast<size_t>(node)]);
  }
  return result;
}

template <class T, size_t N>
void Replicas::expand_all(Context& c, std::vector<T>& items, NameKind kind,
                          std::string T::*const (&references)[N]) const {
  if (nodes_.empty()) return;
  // The innermost replicate that an item refers into owns it.
  std::vector<std::vector<const T*>> owned(nodes_.size());
  std::vector<T> result;
  double total = 0;
  for (const T& item : items) {
    int owner = -1;
    for (const auto reference : references) {
      const int node = find(kind, item.*reference);
      if (depth(node) > depth(owner)) owner = node;
    }
    for (const auto reference : references) {
      if (!contains(find(kind, item.*reference), owner)) {
        throw ModelError(
            c.file_name(item.source.file), item.source.line, "",
            "element refers to " + quote(item.*reference) + " and into another <replicate>",
            "name the single replicas instead");
      }
    }
    double copies = 1;
    for (int n = owner; n >= 0; n = nodes_[static_cast<size_t>(n)].parent) {
      copies *= nodes_[static_cast<size_t>(n)].count;
    }
    total += copies;
    if (total > c.options.max_elements) {
      throw ModelError(c.file_name(item.source.file), item.source.line, "",
                       "replicas come to too many referring elements", "lower the counts");
    }
    if (owner < 0) {
      result.push_back(item);
    } else {
      owned[static_cast<size_t>(owner)].push_back(&item);
    }
  }
  if (result.size() == items.size()) return;  // nothing refers into replicates

  std::vector<char> busy(nodes_.size(), 0);  // subtree of the node owns something
  for (size_t i = nodes_.size(); i-- > 0;) {
    busy[i] = busy[i] || !owned[i].empty();
    if (busy[i] && nodes_[i].parent >= 0) busy[static_cast<size_t>(nodes_[i].parent)] = 1;
  }
  std::vector<int> index(nodes_.size(), 0);
  const std::function<void(int)> emit = [&](int node) {
    const auto n = static_cast<size_t>(node);
    if (!busy[n]) return;
    for (int i = 0; i < nodes_[n].count; ++i) {
      index[n] = i;
      for (const T* item : owned[n]) {
        T copy = *item;
        if (!copy.name.empty()) copy.name += suffix(node, index);
        for (const auto reference : references) {
          const int target = find(kind, copy.*reference);
          if (target >= 0) copy.*reference += suffix(target, index);
        }
        result.push_back(std::move(copy));
      }
      for (const int child : nodes_[n].children) emit(child);
    }
  };
  for (const int root : roots_) emit(root);
  items = std::move(result);
}

void Replicas::expand(Context& c, std::vector<Actuator>& actuators) const {
  expand_all(c, actuators, kJointName, {&Actuator::joint});
}

void Replicas::expand(Context& c, std::vector<Pair>& pairs) const {
  expand_all(c, pairs, kGeomName, {&Pair::geom1, &Pair::geom2});
}

void Replicas::expand(Context& c, std::vector<Exclude>& excludes) const {
  expand_all(c, excludes, kBodyName, {&Exclude::body1, &Exclude::body2});
}

std::vector<std::string> Replicas::names(NameKind kind, const std::string& written) const {
  const int owner = find(kind, written);
  std::vector<std::string> result;
  std::vector<int> index(nodes_.size(), 0);
  std::vector<int> chain;  // innermost first
  for (int n = owner; n >= 0; n = nodes_[static_cast<size_t>(n)].parent) chain.push_back(n);
  for (const int n : chain) {
    if (nodes_[static_cast<size_t>(n)].count == 0) return result;
  }
  for (;;) {
    result.push_back(written + suffix(owner, index));
    size_t k = 0;
    for (; k < chain.size(); ++k) {
      const auto n = static_cast<size_t>(chain[k]);
      if (++index[n] < nodes_[n].count) break;
      index[n] = 0;
    }
    if (k == chain.size()) return result;
  }
}

}  // namespace stepbench::model::mjcf
