#include "engine/model/mjcf_tree.h"

#include <filesystem>
#include <system_error>

#include "engine/model/mjcf_attribute.h"
#include "engine/model/mjcf_elements.h"
#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {

std::vector<const tinyxml2::XMLElement*> find_density_replicates(const Element& root) {
  // Depth first, in document order; `inside`: below the frame.
  std::vector<const tinyxml2::XMLElement*> found;
  const auto search = [&](const auto& self, const Element& parent, bool inside) -> void {
    Document::for_each_child(parent, [&](const Element& e) {
      if (!inside && !found.empty()) return;
      const char* name = e.attribute("name");
      const bool frame = e.tag() == "frame" && name && std::string_view(name) == "density";
      if (inside && e.tag() == "replicate") {
        found.push_back(e.xml);
      } else if (e.tag() == "worldbody" || e.tag() == "body" || e.tag() == "frame" ||
                 e.tag() == "replicate") {
        self(self, e, inside || frame);
      }
    });
  };
  search(search, root, false);
  return found;
}

TreeReader::TreeReader(Context& c, const Defaults& defaults, Replicas& replicas)
    : c_(c), defaults_(defaults), replicas_(replicas) {}

void TreeReader::add_asset(const Element& e) {
  std::string name, file;
  read_name(c_, e, "file", file);
  if (!read_name(c_, e, "name", name)) name = std::filesystem::path(file).stem().string();
  assets_.emplace(name, file);
}

int TreeReader::replicate_count(const Element& e) const {
  int n = 0;
  if (!mjcf::read(c_, e, "count", n)) c_.fail(e, "attribute 'count' is missing");
  if (const auto shared = density_.find(e.xml); shared != density_.end()) {
    n = density_share(*c_.options.density, shared->second, static_cast<int>(density_.size()));
  }
  return n > 0 ? n : 0;
}

double TreeReader::count(const Element& parent) const {
  double total = 0;
  Document::for_each_child(parent, [&](const Element& e) {
    if (e.tag() == "replicate") {
      total += replicate_count(e) * (1 + count(e));
    } else if (e.tag() == "frame" || e.tag() == "worldbody") {
      total += count(e);
    } else if (e.tag() == "body") {
      total += 1 + count(e);
    } else {
      total += 1;
    }
    if (total > c_.options.max_elements) {
      c_.fail(e,
              "scene is too large: more than " +
                  std::to_string(static_cast<long long>(c_.options.max_elements)) +
                  " bodies, geoms and the like",
              "lower the counts of <replicate>");
    }
  });
  return total;
}

void TreeReader::read(const Element& root) {
  if (c_.options.density) {
    for (const tinyxml2::XMLElement* xml : find_density_replicates(root)) {
      density_.emplace(xml, static_cast<int>(density_.size()));
    }
  }
  Body& world = c_.spec.bodies.emplace_back();
  world.name = "world";
  replicas_.add_name(kBodyName, world.name, -1);
  Document::for_each_child(root, [&](const Element& e) {
    if (e.tag() == "worldbody") world.source = e.source();
  });
  count(root);
  Document::for_each_child(root, [&](const Element& e) {
    if (e.tag() == "worldbody") read_children(e, Scope{});
  });
}

void TreeReader::read_children(const Element& parent, const Scope& scope) {
  Document::for_each_child(parent, [&](const Element& e) {
    const std::string_view tag = e.tag();
    if (tag == "body") {
      read_body(e, scope);
    } else if (tag == "geom") {
      read_geom_element(e, scope);
    } else if (tag == "joint") {
      refuse_in_world(e, scope);
      RawJoint raw = defaults_.of(c_, e, scope.childclass).joint;
      read_joint(c_, e, raw);
      Joint joint = finish_joint(c_, e, std::move(raw), scope.frame);
      take_name(scope, kJointName, joint.name);
      body(scope).joints.push_back(std::move(joint));
    } else if (tag == "freejoint") {
      refuse_in_world(e, scope);
      Joint joint = read_freejoint(c_, e);
      take_name(scope, kJointName, joint.name);
      body(scope).joints.push_back(std::move(joint));
    } else if (tag == "site") {
      RawSite raw = defaults_.of(c_, e, scope.childclass).site;
      read_site(c_, e, raw);
      Site site = finish_site(c_, e, std::move(raw), scope.frame);
      if (!site.name.empty()) site.name += scope.suffix;
      body(scope).sites.push_back(std::move(site));
    } else if (tag == "inertial") {
      refuse_in_world(e, scope);
      Inertial inertial = read_inertial(c_, e);
      place_inertial(scope.frame, inertial);
      body(scope).inertial = inertial;
    } else if (tag == "frame") {
      read_frame(e, scope);
    } else if (tag == "replicate") {
      read_replicate(e, scope);
    }
  });
}

void TreeReader::read_body(const Element& e, const Scope& scope) {
  Body b;
  b.source = e.source();
  b.parent = scope.body;
  read_name(c_, e, "name", b.name);
  take_name(scope, kBodyName, b.name);
  read_pose(c_, e, b.pos, b.quat);
  const Pose pose = compose(scope.frame, {b.pos, b.quat});
  if (pose.pos != b.pos || pose.quat != b.quat) {
    b.written_pose = {b.pos[0], b.pos[1], b.pos[2], b.quat[0], b.quat[1], b.quat[2], b.quat[3]};
  }
  b.pos = pose.pos;
  b.quat = pose.quat;
  mjcf::read(c_, e, "mocap", b.mocap);
  mjcf::read(c_, e, "gravcomp", b.gravcomp);
  static constexpr Keyword kFuse[] = {{"false", 0}, {"auto", 1}};
  int fuse = 1;
  read_keyword(c_, e, "fuse", kFuse, fuse);
  b.fuse = fuse == 1;

  Scope inner;
  inner.body = static_cast<int>(c_.spec.bodies.size());
  inner.childclass =
      e.attribute("childclass") ? defaults_.find(c_, e, "childclass") : scope.childclass;
  inner.suffix = scope.suffix;
  inner.replicate = scope.replicate;
  inner.first = scope.first;
  c_.spec.bodies.push_back(std::move(b));
  read_children(e, inner);
}

void TreeReader::read_frame(const Element& e, const Scope& scope) {
  Pose own;
  read_pose(c_, e, own.pos, own.quat);
  Scope inner = scope;
  inner.frame = compose(scope.frame, own);
  if (e.attribute("childclass")) inner.childclass = defaults_.find(c_, e, "childclass");
  read_children(e, inner);
}

void TreeReader::read_replicate(const Element& e, const Scope& scope) {
  const int n = replicate_count(e);
  std::string separator;
  read_name(c_, e, "sep", separator);
  Vec3 offset = {0, 0, 0}, euler = {0, 0, 0};
  mjcf::read(c_, e, "offset", offset);
  mjcf::read(c_, e, "euler", euler);

  Scope inner = scope;
  inner.direct = true;
  inner.replicate = replicas_.node(e.xml, scope.replicate, n, separator);
  if (n == 0 && scope.first) add_names(e, inner.replicate);
  // Replica i is turned by i times the angles (not by the i-th power of the rotation), and set off
  // from the one before in that one's frame.
  Pose replica;
  for (int i = 0; i < n; ++i) {
    inner.frame = compose(scope.frame, replica);
    inner.suffix = replica_suffix(separator, n, i) + scope.suffix;
    inner.first = scope.first && i == 0;
    read_children(e, inner);
    replica = compose(replica, {offset, {1, 0, 0, 0}});
    const double k = i + 1;
    replica.quat = from_euler(c_, {k * euler[0], k * euler[1], k * euler[2]});
  }
}

// Names inside a replicate of no replicas: what refers to them is dropped with it.
void TreeReader::add_names(const Element& parent, int replicate) {
  Document::for_each_child(parent, [&](const Element& e) {
    const std::string_view tag = e.tag();
    std::string name;
    read_name(c_, e, "name", name);
    if (tag == "body") replicas_.add_name(kBodyName, name, replicate);
    if (tag == "geom") replicas_.add_name(kGeomName, name, replicate);
    if (tag == "joint" || tag == "freejoint") replicas_.add_name(kJointName, name, replicate);
    add_names(e, replicate);
  });
}

void TreeReader::read_geom_element(const Element& e, const Scope& scope) {
  RawGeom raw = defaults_.of(c_, e, scope.childclass).geom;
  read_geom(c_, e, raw);
  std::string what;
  switch (raw.geom.type) {
    case kGeomHfield:
      what = "<geom> type=\"hfield\"";
      break;
    case kGeomMesh:
      what = "<geom> type=\"mesh\"";
      break;
    case kGeomSdf:
      what = "<geom> type=\"sdf\"";
      break;
    default:
      if (!raw.mesh.empty()) what = "<geom> fitted to a mesh";
  }
  if (!what.empty()) {
    const std::string& asset = raw.geom.type == kGeomHfield ? raw.hfield : raw.mesh;
    const auto at = assets_.find(asset);
    if (at == assets_.end()) {
      c_.fail(e, "asset " + quote(asset) + " is not defined", "add it to <asset>");
    }
    std::error_code error;
    const std::filesystem::path file = c_.strippath ? std::filesystem::path(at->second).filename()
                                                    : std::filesystem::path(at->second);
    const std::string& directory = c_.meshdir.empty() ? c_.assetdir : c_.meshdir;
    if (!file.empty() &&
        !std::filesystem::exists(c_.document.directory() / directory / file, error)) {
      what += " with missing file " + quote(at->second);
    }
  }
  Geom geom = finish_geom(c_, e, std::move(raw), scope.frame);
  take_name(scope, kGeomName, geom.name);
  if (what.empty()) {
    body(scope).geoms.push_back(std::move(geom));
  } else {
    if (!geom.name.empty()) foreign_names_.insert(geom.name);
    if (scope.first) foreign_.push_back({e, scope.body, std::move(geom), std::move(what)});
  }
}

void TreeReader::judge_foreign() {
  if (foreign_.empty()) return;
  std::unordered_set<std::string> paired;
  std::vector<Pair>& pairs = c_.spec.pairs;
  for (const Pair& p : pairs) paired.insert({p.geom1, p.geom2});
  const CompilerOptions& o = c_.spec.compiler;
  for (const Foreign& foreign : foreign_) {
    const Geom& g = foreign.geom;
    const Body& b = c_.spec.bodies[static_cast<size_t>(foreign.body)];
    const bool collides =
        g.contype != 0 || g.conaffinity != 0 || (!g.name.empty() && paired.count(g.name) > 0);
    const bool from_geoms = foreign.body != 0 && o.inertiafromgeom != kFalse &&
                            (o.inertiafromgeom == kTrue || !b.inertial) &&
                            g.group >= o.inertiagrouprange[0] && g.group <= o.inertiagrouprange[1];
    const bool heavy = g.mass ? *g.mass != 0 : g.density != 0;
    if (collides || (from_geoms && heavy)) c_.unsupported(foreign.element, foreign.what);
  }
  std::erase_if(pairs, [&](const Pair& p) {
    return foreign_names_.count(p.geom1) > 0 || foreign_names_.count(p.geom2) > 0;
  });
}

void TreeReader::refuse_in_world(const Element& e, const Scope& scope) const {
  const std::string tag(e.tag());
  if (scope.body == 0) {
    c_.fail(e, "the world cannot have a " + tag, "put it inside a <body>");
  }
  if (scope.direct) {
    c_.fail(e, "a " + tag + " cannot stand in <replicate> without a body",
            "put it inside a <body>");
  }
}

void TreeReader::take_name(const Scope& scope, NameKind kind, std::string& name) {
  if (name.empty()) return;
  if (scope.first) replicas_.add_name(kind, name, scope.replicate);
  name += scope.suffix;
}

}  // namespace stepbench::model::mjcf
