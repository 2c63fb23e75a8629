// The kinematic tree: bodies, frames, replicates and what they hold.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/model/mjcf_defaults.h"
#include "engine/model/mjcf_pose.h"
#include "engine/model/mjcf_replica.h"

namespace stepbench::model::mjcf {

// The outermost <replicate> elements inside the first frame named "density", in document order.
std::vector<const tinyxml2::XMLElement*> find_density_replicates(const Element& root);

// Count of replicate `index` of `n` >= 1 that share a density level: equal shares, the first ones
// take what is left over.
constexpr int density_share(int level, int index, int n) {
  return level / n + (index < level % n ? 1 : 0);
}

class TreeReader {
 public:
  TreeReader(Context& c, const Defaults& defaults, Replicas& replicas);

  // Read all <worldbody> sections below the root into c.spec.bodies.
  void read(const Element& root);

  // Once pairs are read too: note geoms that would be missed (meshes and the like that collide or
  // weigh something); all others of their kind are dropped as decoration.
  void judge_foreign();

  // <mesh> and <hfield> assets, for messages: name to file.
  void add_asset(const Element& e);

 private:
  // Where the reader stands.
  struct Scope {
    int body = 0;
    Pose frame;  // in the body's frame
    int childclass = 0;
    std::string suffix;   // of names, from enclosing replicates
    int replicate = -1;   // innermost enclosing node
    bool first = true;    // no enclosing replicate is past its first pass
    bool direct = false;  // a replicate and no body in between
  };

  // A geom with a mesh, height field or the like: whether it matters is known at the end.
  struct Foreign {
    Element element;
    int body = 0;
    Geom geom;
    std::string what;
  };

  double count(const Element& parent) const;
  int replicate_count(const Element& e) const;

  void read_children(const Element& parent, const Scope& scope);
  void read_body(const Element& e, const Scope& scope);
  void read_frame(const Element& e, const Scope& scope);
  void read_replicate(const Element& e, const Scope& scope);
  void add_names(const Element& parent, int replicate);
  void read_geom_element(const Element& e, const Scope& scope);
  void refuse_in_world(const Element& e, const Scope& scope) const;
  void take_name(const Scope& scope, NameKind kind, std::string& name);

  Body& body(const Scope& scope) { return c_.spec.bodies[static_cast<size_t>(scope.body)]; }

  Context& c_;
  const Defaults& defaults_;
  Replicas& replicas_;
  std::unordered_map<const tinyxml2::XMLElement*, int> density_;  // replicates that share the level
  std::vector<Foreign> foreign_;
  std::unordered_set<std::string> foreign_names_;
  std::unordered_map<std::string, std::string> assets_;
};

}  // namespace stepbench::model::mjcf
