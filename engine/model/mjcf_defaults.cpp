#include "engine/model/mjcf_defaults.h"

#include "engine/model/mjcf_actuator.h"
#include "engine/model/mjcf_attribute.h"
#include "engine/model/mjcf_elements.h"
#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {
namespace {

// A class holds about 2 kB; more of them than this is no model but an attack on memory.
constexpr size_t kMaxClasses = 10'000;

}  // namespace

Defaults::Defaults() {
  classes_.emplace_back().name = "main";
  index_["main"] = 0;
}

int Defaults::find(const Context& c, const Element& e, const char* attribute) const {
  const std::string name = e.attribute(attribute);
  const auto at = index_.find(name);
  if (at != index_.end()) return at->second;
  std::vector<std::string_view> names;
  for (const DefaultClass& known : classes_) names.push_back(known.name);
  const std::string_view close = closest(name, names);
  c.fail(e, "default class " + quote(name) + " is not defined",
         close.empty() ? "define it in <default>" : "did you mean '" + std::string(close) + "'?");
}

const DefaultClass& Defaults::of(const Context& c, const Element& e, int childclass) const {
  return (*this)[e.attribute("class") ? find(c, e, "class") : childclass];
}

void Defaults::read_section(Context& c, const Element& section) {
  std::string name;
  if (read_name(c, section, "class", name) && name != "main") {
    c.fail(section, "the top-level default class cannot be named " + quote(name),
           "it is always 'main'; nest named classes inside it");
  }
  read_class(c, section, 0);
}

void Defaults::read_class(Context& c, const Element& section, int index) {
  // The class itself first, wherever its elements stand: children start as copies of it.
  Document::for_each_child(section, [&](const Element& e) {
    DefaultClass& self = classes_[static_cast<size_t>(index)];
    const std::string_view tag = e.tag();
    if (tag == "joint") {
      read_joint(c, e, self.joint);
    } else if (tag == "geom") {
      read_geom(c, e, self.geom);
    } else if (tag == "site") {
      read_site(c, e, self.site);
    } else if (tag == "pair") {
      read_pair(c, e, self.pair);
    } else if (const Shortcut shortcut = shortcut_of(tag); shortcut != Shortcut::kNone) {
      const RawActuator base = self.actuator;
      read_actuator_default(c, e, shortcut, *this, self, base);
    }
  });
  Document::for_each_child(section, [&](const Element& e) {
    if (e.tag() != "default") return;
    const std::string name = require_name(c, e, "class");
    const int child = static_cast<int>(classes_.size());
    if (!index_.emplace(name, child).second) {
      c.fail(e, "default class " + quote(name) + " is defined twice", "rename one of them");
    }
    if (classes_.size() >= kMaxClasses) c.fail(e, "too many default classes");
    DefaultClass copy = classes_[static_cast<size_t>(index)];
    copy.name = name;
    copy.parent = index;
    classes_.push_back(std::move(copy));
    read_class(c, e, child);
  });
}

}  // namespace stepbench::model::mjcf
