#include "engine/model/reader.h"

#include <algorithm>

#include "engine/model/density.h"
#include "engine/model/mjcf_actuator.h"
#include "engine/model/mjcf_attribute.h"
#include "engine/model/mjcf_check.h"
#include "engine/model/mjcf_elements.h"
#include "engine/model/mjcf_option.h"
#include "engine/model/mjcf_replica.h"
#include "engine/model/mjcf_tree.h"

namespace stepbench::model {
namespace mjcf {
namespace {

// References beyond this many are not collected: they only matter to fusestatic and discardvisual.
constexpr size_t kMaxReferences = 100'000;

// Call f(child) for each child of all top-level sections of one name, in document order.
template <class F>
void for_each_in(const Element& root, std::string_view section, F&& f) {
  Document::for_each_child(root, [&](const Element& e) {
    if (e.tag() == section) Document::for_each_child(e, f);
  });
}

template <class F>
void for_each_section(const Element& root, std::string_view section, F&& f) {
  Document::for_each_child(root, [&](const Element& e) {
    if (e.tag() == section) f(e);
  });
}

// Lay --option over the file's options, by way of an <option> element of our own, so that the same
// rules and messages apply.
void apply_overrides(Context& c, tinyxml2::XMLDocument& xml, OptionExtras& extras) {
  if (c.options.overrides.empty()) return;
  tinyxml2::XMLElement* option = xml.NewElement("option");
  xml.InsertEndChild(option);
  tinyxml2::XMLElement* flags = nullptr;
  for (const auto& [name, value] : c.options.overrides) {
    if (name.starts_with("flag.")) {
      if (!flags) flags = option->InsertNewChildElement("flag");
      flags->SetAttribute(name.c_str() + 5, value.c_str());
    } else {
      option->SetAttribute(name.c_str(), value.c_str());
    }
  }
  const Element e{option, static_cast<int>(c.spec.files.size())};
  c.spec.files.push_back(kOverridesFile);
  const SchemaNode& rule = *schema_root().child("mujoco")->node->child("option")->node;
  check_attributes(c, e, rule);
  check_children(c, e, rule);
  read_option(c, e, extras);
}

// Names that ignored elements use; what they name must outlive fusestatic and discardvisual.
void collect_references(Context& c, const Element& parent, const Replicas& replicas,
                        std::vector<std::string>& sites) {
  Document::for_each_child(parent, [&](const Element& e) {
    const auto add = [&](NameKind kind, const char* name) {
      if (!name) return;
      std::vector<std::string>& list =
          kind == kGeomName ? c.spec.referenced_geoms : c.spec.referenced_bodies;
      if (list.size() > kMaxReferences) return;
      for (std::string& full : replicas.names(kind, name)) list.push_back(std::move(full));
    };
    for (const char* name : {"body", "body1", "body2", "subtree1", "subtree2", "target"}) {
      add(kBodyName, e.attribute(name));
    }
    for (const char* name : {"geom", "geom1", "geom2"}) add(kGeomName, e.attribute(name));
    for (const auto& [type, name] : {std::pair{"objtype", "objname"}, {"reftype", "refname"}}) {
      const char* kind = e.attribute(type);
      if (!kind) continue;
      const std::string_view view = kind;
      if (view == "body" || view == "xbody") add(kBodyName, e.attribute(name));
      if (view == "geom") add(kGeomName, e.attribute(name));
    }
    const char* site = e.attribute("site");
    if (site && (e.tag() == "force" || e.tag() == "torque")) sites.push_back(site);
    collect_references(c, e, replicas, sites);
  });
}

void collect_references(Context& c, const Element& root, const Replicas& replicas) {
  std::vector<std::string> sites;
  for (const char* section : {"sensor", "custom", "asset", "deformable"}) {
    for_each_section(root, section,
                     [&](const Element& e) { collect_references(c, e, replicas, sites); });
  }
  // Cameras and lights that follow a body.
  const auto targets = [&](const auto& self, const Element& parent) -> void {
    Document::for_each_child(parent, [&](const Element& e) {
      if (e.tag() == "camera" || e.tag() == "light") {
        if (const char* name = e.attribute("target")) {
          std::vector<std::string>& list = c.spec.referenced_bodies;
          if (list.size() > kMaxReferences) return;
          for (std::string& full : replicas.names(kBodyName, name)) list.push_back(std::move(full));
        }
      } else {
        self(self, e);
      }
    });
  };
  for_each_section(root, "worldbody", [&](const Element& e) { targets(targets, e); });
  // Force and torque sensors measure at the body that holds their site.
  if (sites.empty()) return;
  for (Body& b : c.spec.bodies) {
    for (const Site& s : b.sites) {
      if (std::find(sites.begin(), sites.end(), s.name) != sites.end()) b.fuse = false;
    }
  }
}

void apply_density(Context& c, const Element& root) {
  if (!c.options.density) return;
  Spec& spec = c.spec;
  spec.density = c.options.density;
  const auto replicates = find_density_replicates(root);
  const int n = static_cast<int>(replicates.size());
  spec.density_replicate = n > 0;
  if (n == 0) add_column(spec, *c.options.density);
  for (int i = 0; i < n; ++i) {
    const int count = density_share(*c.options.density, i, n);
    if (replicates[static_cast<size_t>(i)]->IntAttribute("count") != count) c.sizes_changed = true;
  }
}

// Keyframes of a scene whose sizes are not those of the file do not fit any more.
void drop_keys(Context& c) {
  if (!c.sizes_changed || (c.spec.keys.empty() && c.spec.nkey == 0)) return;
  c.spec.keys.clear();
  c.spec.nkey = 0;
  c.spec.warnings.push_back(c.file_name(0) +
                            ": keyframes are dropped: the scene's size is not that of the file");
}

Spec read_scene(const Document& document, const ReadOptions& options) {
  Context c(document, options);
  const Element root = document.root();
  if (options.density && (*options.density < 0 || *options.density > options.max_elements)) {
    c.fail(root, "density level " + std::to_string(*options.density) + " is out of range",
           "levels are counts of bodies");
  }
  check_schema(c, root);

  // Sections in the order in which they build on each other, wherever they stand in the file.
  c.spec.name = "MuJoCo Model";
  read_name(c, root, "model", c.spec.name);
  for_each_section(root, "compiler", [&](const Element& e) { read_compiler(c, e); });
  OptionExtras extras;
  for_each_section(root, "option", [&](const Element& e) { read_option(c, e, extras); });
  tinyxml2::XMLDocument overrides;
  apply_overrides(c, overrides, extras);
  check_option(c, extras);
  for_each_section(root, "size", [&](const Element& e) { read_size(c, e); });
  for_each_section(root, "statistic", [&](const Element& e) {
    if (e.attribute("meaninertia")) {
      c.warn(e, "attribute 'meaninertia' is deprecated: it has no influence on the simulation");
    }
  });

  Defaults defaults;
  for_each_section(root, "default", [&](const Element& e) { defaults.read_section(c, e); });

  Replicas replicas;
  TreeReader tree(c, defaults, replicas);
  for_each_in(root, "asset", [&](const Element& e) {
    if (e.tag() == "mesh" || e.tag() == "hfield") tree.add_asset(e);
  });
  tree.read(root);

  for_each_in(root, "contact", [&](const Element& e) {
    if (e.tag() == "pair") {
      RawPair raw = defaults.of(c, e).pair;
      read_pair(c, e, raw);
      c.spec.pairs.push_back(finish_pair(c, e, std::move(raw)));
    } else if (e.tag() == "exclude") {
      c.spec.excludes.push_back(read_exclude(c, e));
    }
  });
  for_each_in(root, "actuator", [&](const Element& e) {
    if (std::optional<Actuator> a = read_actuator(c, e, defaults)) {
      c.spec.actuators.push_back(std::move(*a));
    }
  });
  replicas.expand(c, c.spec.pairs);
  replicas.expand(c, c.spec.excludes);
  replicas.expand(c, c.spec.actuators);
  tree.judge_foreign();

  for_each_in(root, "keyframe", [&](const Element& e) { c.spec.keys.push_back(read_key(c, e)); });
  collect_references(c, root, replicas);
  c.check_unsupported();
  apply_density(c, root);
  drop_keys(c);
  return std::move(c.spec);
}

}  // namespace
}  // namespace mjcf

Spec read_mjcf(const std::filesystem::path& file, const ReadOptions& options) {
  return mjcf::read_scene(mjcf::Document::from_file(file), options);
}

Spec read_mjcf_string(std::string_view text, const std::string& name, const ReadOptions& options) {
  return mjcf::read_scene(mjcf::Document::from_text(text, name), options);
}

}  // namespace stepbench::model
