#include "engine/model/compile.h"

#include <algorithm>
#include <cmath>

#include "engine/model/compile_constants.h"
#include "engine/model/compile_internal.h"

namespace stepbench::model {
namespace detail {

int find(const Spec& spec, const Ids& ids, const std::string& name, const Source& source,
         const std::string& element, const std::string& kind) {
  const auto it = ids.find(name);
  if (it == ids.end()) {
    fail(spec, source, element, "unknown " + kind + " '" + name + "'", "check the spelling");
  }
  return it->second;
}

bool resolve_limited(const Spec& spec, const Source& source, const std::string& element,
                     const std::string& range_name, const std::string& limited_name, int limited,
                     const std::array<double, 2>& range) {
  if (limited != kAuto) return limited == kTrue;
  if (!spec.compiler.autolimits && (range[0] != 0 || range[1] != 0)) {
    fail(spec, source, element, range_name + " without " + limited_name + ", and autolimits is off",
         "add " + limited_name + ", or set <compiler autolimits=\"true\"/>");
  }
  return range[0] < range[1];
}

namespace {

void add_name(const Spec& spec, const Source& source, const std::string& element,
              const std::string& name, Ids& ids, int id) {
  if (name.empty()) return;
  if (!ids.emplace(name, id).second) {
    fail(spec, source, element, "repeated name '" + name + "'",
         "names of one kind of element must differ");
  }
}

NamedIds number_names(const Spec& spec) {
  NamedIds ids;
  Ids sites, actuators, pairs, excludes, keys;
  int joint = 0, geom = 0, body = 0, other = 0;
  for (const Body& b : spec.bodies) {
    add_name(spec, b.source, "body", b.name, ids.body, body++);
    for (const Joint& j : b.joints) add_name(spec, j.source, "joint", j.name, ids.joint, joint++);
    for (const Geom& g : b.geoms) add_name(spec, g.source, "geom", g.name, ids.geom, geom++);
    for (const Site& s : b.sites) add_name(spec, s.source, "site", s.name, sites, other++);
  }
  for (const Actuator& a : spec.actuators)
    add_name(spec, a.source, "actuator", a.name, actuators, other++);
  for (const Pair& p : spec.pairs) add_name(spec, p.source, "pair", p.name, pairs, other++);
  for (const Exclude& e : spec.excludes)
    add_name(spec, e.source, "exclude", e.name, excludes, other++);
  for (const Key& k : spec.keys) add_name(spec, k.source, "key", k.name, keys, other++);
  return ids;
}

void count(const Spec& spec, Model& m) {
  constexpr std::size_t kMaxBodies = 65534;  // two body numbers make one contact signature
  if (spec.bodies.size() >= kMaxBodies) {
    fail(spec, spec.bodies[kMaxBodies - 1].source, "body",
         "more than " + std::to_string(kMaxBodies - 1) + " bodies");
  }
  std::size_t joints = 0, geoms = 0, sites = 0;
  for (const Body& b : spec.bodies) {
    joints += b.joints.size();
    geoms += b.geoms.size();
    sites += b.sites.size();
    m.nmocap += b.mocap;
    for (const Joint& j : b.joints) {
      m.nq += j.type == kJntFree ? 7 : j.type == kJntBall ? 4 : 1;
      m.nv += j.type == kJntFree ? 6 : j.type == kJntBall ? 3 : 1;
    }
  }
  for (const Actuator& a : spec.actuators) m.na += a.dyntype != kDynNone;
  m.nbody = int(spec.bodies.size());
  m.njnt = int(joints);
  m.ngeom = int(geoms);
  m.nsite = int(sites);
  m.nu = int(spec.actuators.size());
  m.npair = int(spec.pairs.size());
  m.nexclude = int(spec.excludes.size());
  m.nkey = std::max(int(spec.keys.size()), spec.nkey);

  m.names.body.resize(spec.bodies.size());
  m.names.jnt.resize(joints);
  m.names.geom.resize(geoms);
  m.names.site.resize(sites);
  m.names.actuator.resize(spec.actuators.size());
  m.names.key.resize(std::size_t(m.nkey));
}

// A mocap body stands where the user puts it: in the world frame, without joints. Checked on the
// scene as written, fusestatic does not excuse it.
void check_mocap(const Spec& spec) {
  for (const Body& b : spec.bodies) {
    if (b.mocap && (!b.joints.empty() || b.parent != 0)) {
      fail(spec, b.source, "body",
           "mocap " + named("body", b.name) + " is not a fixed child of the world",
           "move it to top level and remove its joints");
    }
  }
}

// <compiler settotalmass>: scale all masses and inertias alike.
void scale_mass(const Spec& spec, Model& m) {
  if (spec.compiler.settotalmass <= 0) return;
  double total = 0;
  for (double mass : m.body_mass) total += mass;
  const double scale = std::max(kMinVal, spec.compiler.settotalmass / std::max(kMinVal, total));
  for (double& x : m.body_mass) x *= scale;
  for (double& x : m.body_inertia) x *= scale;
}

// <joint springdamper>: stiffness and damping that give the joint this time constant and damping
// ratio (reference mujoco_warp.md 6.1). Needs dof_invweight0.
void set_springdampers(const Spec& spec, Model& m) {
  std::size_t joint = 0;
  for (const Body& b : spec.bodies) {
    for (const Joint& j : b.joints) {
      const std::size_t i = joint++;
      const double time = j.springdamper[0], ratio = j.springdamper[1];
      if (time <= 0 || ratio <= 0) continue;
      const std::size_t first = std::size_t(m.jnt_dofadr[i]);
      const std::size_t n = j.type == kJntFree ? 6 : j.type == kJntBall ? 3 : 1;
      double weight = 0;
      for (std::size_t k = first; k < first + n; ++k) weight += m.dof_invweight0[k];
      const double inertia = double(n) / std::max(kMinVal, weight);
      m.jnt_stiffness[i] = inertia / std::max(kMinVal, time * time * ratio * ratio);
      for (std::size_t k = first; k < first + n; ++k)
        m.dof_damping[k] = 2 * inertia / std::max(kMinVal, time);
    }
  }
}

// Every number of the model must be usable; the reader refuses NaN and inf, but products can
// overflow.
void check_finite(const Spec& spec, const Model& m) {
  for_each_field(m, [&](const char* name, const auto& values, int, int) {
    const bool ok =
        std::all_of(values.begin(), values.end(), [](auto x) { return std::isfinite(double(x)); });
    if (!ok) {
      fail(spec, {}, "", std::string(name) + " is not finite: masses, sizes or gains overflow",
           "use SI units of moderate size");
    }
  });
}

}  // namespace
}  // namespace detail

std::shared_ptr<const Model> compile(const Spec& source) {
  using namespace detail;
  check_mocap(source);
  const bool reshape = source.compiler.fusestatic || source.compiler.discardvisual;
  const Spec reshaped = reshape ? restructure(source) : Spec{};
  const Spec& spec = reshape ? reshaped : source;

  auto model = std::make_shared<Model>();
  Model& m = *model;
  m.name = spec.name;
  m.opt = spec.opt;
  m.warnings = spec.warnings;
  const NamedIds ids = number_names(spec);
  count(spec, m);
  m.allocate();
  compile_tree(spec, m);
  compile_contact(spec, ids, m);
  compile_actuators(spec, ids, m);
  compile_keys(spec, m);
  scale_mass(spec, m);
  set_constants(m);
  set_springdampers(spec, m);
  check_finite(spec, m);
  return model;
}

}  // namespace stepbench::model
