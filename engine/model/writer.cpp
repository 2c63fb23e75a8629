#include "engine/model/writer.h"

#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "engine/model/xml_text.h"

namespace stepbench::model {
namespace {

constexpr const char* kJointNames[] = {"free", "ball", "slide", "hinge"};
constexpr const char* kGeomNames[] = {"plane",     "hfield",   "sphere", "capsule",
                                      "ellipsoid", "cylinder", "box"};
constexpr const char* kIntegratorNames[] = {"Euler", "RK4", "implicit", "implicitfast"};
constexpr const char* kConeNames[] = {"pyramidal", "elliptic"};
constexpr const char* kJacobianNames[] = {"dense", "sparse", "auto"};
constexpr const char* kSolverNames[] = {"PGS", "CG", "Newton"};
constexpr const char* kDynNames[] = {"none", "integrator", "filter", "filterexact"};
constexpr const char* kGainNames[] = {"fixed", "affine"};
constexpr const char* kBiasNames[] = {"none", "affine"};
constexpr const char* kDisableNames[] = {
    "constraint", "equality",  "frictionloss", "limit",        "contact",   "spring",  "damper",
    "gravity",    "clampctrl", "warmstart",    "filterparent", "actuation", "refsafe", "sensor",
    "midphase",   "eulerdamp", "autoreset",    "nativeccd",    "island",    "multiccd"};
constexpr const char* kEnableNames[] = {"override", "energy", "fwdinv", "invdiscrete"};

void write_compiler(XmlText& x, const CompilerOptions& o) {
  const CompilerOptions standard;
  x.leaf("compiler");
  x.attribute("angle", "radian");
  x.attribute("autolimits", o.autolimits ? "true" : "false");
  x.differing("balanceinertia", o.balanceinertia, standard.balanceinertia);
  x.differing("fusestatic", o.fusestatic, standard.fusestatic);
  x.differing("discardvisual", o.discardvisual, standard.discardvisual);
  x.differing("alignfree", o.alignfree, standard.alignfree);
  x.differing("boundmass", o.boundmass, standard.boundmass);
  x.differing("boundinertia", o.boundinertia, standard.boundinertia);
  if (o.settotalmass > 0) x.value("settotalmass", o.settotalmass);
  x.tri("inertiafromgeom", o.inertiafromgeom);
  if (o.inertiagrouprange != standard.inertiagrouprange) {
    x.list("inertiagrouprange", std::span<const int>(o.inertiagrouprange));
  }
}

template <size_t N>
void differing(XmlText& x, const char* name, const double (&v)[N], const double (&standard)[N]) {
  if (std::memcmp(v, standard, sizeof v) != 0) x.list(name, std::span<const double>(v));
}

void write_option(XmlText& x, const Option& o) {
  const Option standard;
  x.open("option");
  x.value("timestep", o.timestep);
  x.differing("impratio", o.impratio, standard.impratio);
  x.value("tolerance", o.tolerance);
  x.differing("ls_tolerance", o.ls_tolerance, standard.ls_tolerance);
  x.list("gravity", std::span<const double>(o.gravity));
  x.differing("o_margin", o.o_margin, standard.o_margin);
  differing(x, "o_solref", o.o_solref, standard.o_solref);
  differing(x, "o_solimp", o.o_solimp, standard.o_solimp);
  differing(x, "o_friction", o.o_friction, standard.o_friction);
  x.attribute("integrator", kIntegratorNames[o.integrator]);
  x.attribute("cone", kConeNames[o.cone]);
  x.attribute("jacobian", kJacobianNames[o.jacobian]);
  x.attribute("solver", kSolverNames[o.solver]);
  x.value("iterations", o.iterations);
  x.differing("ls_iterations", o.ls_iterations, standard.ls_iterations);
  if (o.disableactuator) {
    std::vector<int> groups;
    for (int g = 0; g <= 30; ++g) {
      if (o.disableactuator & (1 << g)) groups.push_back(g);
    }
    x.list("actuatorgroupdisable", std::span<const int>(groups));
  }
  if (o.disableflags || o.enableflags) {
    x.leaf("flag");
    for (int i = 0; const char* name : kDisableNames) {
      if (o.disableflags & (1 << i++)) x.attribute(name, "disable");
    }
    for (int i = 0; const char* name : kEnableNames) {
      if (o.enableflags & (1 << i++)) x.attribute(name, "enable");
    }
  }
  x.close();
}

template <class Element>
void write_pose(XmlText& x, const Element& e) {
  x.differing("pos", e.pos, {0, 0, 0});
  x.differing("quat", e.quat, {1, 0, 0, 0});
}

void write_inertial(XmlText& x, const Inertial& i) {
  x.leaf("inertial");
  x.list("pos", std::span<const double>(i.pos));
  x.value("mass", i.mass);
  if (i.fullinertia) {
    x.list("fullinertia", std::span<const double>(*i.fullinertia));
    return;
  }
  x.differing("quat", i.quat, {1, 0, 0, 0});
  if (i.diaginertia) x.list("diaginertia", std::span<const double>(*i.diaginertia));
}

void write_joint(XmlText& x, const Joint& j) {
  const Joint standard;
  const bool aligned = j.type == kJntFree && j.align != kAuto;
  x.leaf(aligned ? "freejoint" : "joint");
  x.name(j.name);
  x.differing("group", j.group, standard.group);
  if (aligned) {
    x.tri("align", j.align);
    return;
  }
  x.attribute("type", kJointNames[j.type]);
  x.differing("pos", j.pos, standard.pos);
  x.differing("axis", j.axis, standard.axis);
  x.differing("ref", j.ref, standard.ref);
  x.differing("springref", j.springref, standard.springref);
  x.differing("range", j.range, standard.range);
  x.tri("limited", j.limited);
  x.differing("actuatorfrcrange", j.actuatorfrcrange, standard.actuatorfrcrange);
  x.tri("actuatorfrclimited", j.actuatorfrclimited);
  x.differing("actuatorgravcomp", j.actuatorgravcomp, standard.actuatorgravcomp);
  x.differing("margin", j.margin, standard.margin);
  x.differing("solreflimit", j.solreflimit, standard.solreflimit);
  x.differing("solimplimit", j.solimplimit, standard.solimplimit);
  x.differing("solreffriction", j.solreffriction, standard.solreffriction);
  x.differing("solimpfriction", j.solimpfriction, standard.solimpfriction);
  x.differing("stiffness", j.stiffness, standard.stiffness);
  x.differing("damping", j.damping, standard.damping);
  x.differing("armature", j.armature, standard.armature);
  x.differing("frictionloss", j.frictionloss, standard.frictionloss);
  x.differing("springdamper", j.springdamper, standard.springdamper);
}

void write_geom(XmlText& x, const Geom& g) {
  const Geom standard;
  x.leaf("geom");
  x.name(g.name);
  x.attribute("type", kGeomNames[g.type]);
  x.list("size", std::span<const double>(g.size));
  write_pose(x, g);
  x.differing("contype", g.contype, standard.contype);
  x.differing("conaffinity", g.conaffinity, standard.conaffinity);
  x.differing("condim", g.condim, standard.condim);
  x.differing("group", g.group, standard.group);
  x.differing("priority", g.priority, standard.priority);
  x.differing("friction", g.friction, standard.friction);
  if (g.mass) x.value("mass", *g.mass);
  x.differing("density", g.density, standard.density);
  x.differing("shellinertia", g.shellinertia, standard.shellinertia);
  x.differing("solmix", g.solmix, standard.solmix);
  x.differing("solref", g.solref, standard.solref);
  x.differing("solimp", g.solimp, standard.solimp);
  x.differing("margin", g.margin, standard.margin);
  x.differing("gap", g.gap, standard.gap);
}

void write_site(XmlText& x, const Site& s) {
  x.leaf("site");
  x.name(s.name);
  x.attribute("type", kGeomNames[s.type]);
  x.list("size", std::span<const double>(s.size));
  write_pose(x, s);
}

// What a body holds but its child bodies.
void write_contents(XmlText& x, const Body& b) {
  if (b.inertial) write_inertial(x, *b.inertial);
  for (const Joint& j : b.joints) write_joint(x, j);
  for (const Geom& g : b.geoms) write_geom(x, g);
  for (const Site& s : b.sites) write_site(x, s);
}

void write_tree(XmlText& x, const Spec& spec) {
  std::vector<int> stack;  // open bodies, the world first
  for (size_t i = 0; i < spec.bodies.size(); ++i) {
    const Body& b = spec.bodies[i];
    while (!stack.empty() && stack.back() != b.parent) {
      x.close();
      stack.pop_back();
    }
    if (i == 0) {
      x.open("worldbody");
    } else {
      x.open("body");
      x.name(b.name);
      write_pose(x, b);
      x.differing("mocap", b.mocap, false);
      x.differing("gravcomp", b.gravcomp, 0.0);
      if (!b.fuse) x.attribute("fuse", "false");
    }
    write_contents(x, b);
    stack.push_back(static_cast<int>(i));
  }
  for (; !stack.empty(); stack.pop_back()) x.close();
}

void write_contact(XmlText& x, const Spec& spec) {
  if (spec.pairs.empty() && spec.excludes.empty()) return;
  x.open("contact");
  const Pair standard;
  for (const Pair& p : spec.pairs) {
    x.leaf("pair");
    x.name(p.name);
    x.attribute("geom1", p.geom1);
    x.attribute("geom2", p.geom2);
    x.differing("condim", p.condim, standard.condim);
    x.differing("friction", p.friction, standard.friction);
    x.differing("solref", p.solref, standard.solref);
    x.differing("solreffriction", p.solreffriction, standard.solreffriction);
    x.differing("solimp", p.solimp, standard.solimp);
    x.differing("margin", p.margin, standard.margin);
    x.differing("gap", p.gap, standard.gap);
  }
  for (const Exclude& e : spec.excludes) {
    x.leaf("exclude");
    x.name(e.name);
    x.attribute("body1", e.body1);
    x.attribute("body2", e.body2);
  }
  x.close();
}

void write_actuators(XmlText& x, const Spec& spec) {
  if (spec.actuators.empty()) return;
  x.open("actuator");
  const Actuator standard;
  for (const Actuator& a : spec.actuators) {
    x.leaf("general");
    x.name(a.name);
    x.attribute(a.trntype == kTrnJoint ? "joint" : "jointinparent", a.joint);
    x.differing("group", a.group, standard.group);
    x.differing("gear", a.gear, standard.gear);
    x.attribute("dyntype", kDynNames[a.dyntype]);
    x.attribute("gaintype", kGainNames[a.gaintype]);
    x.attribute("biastype", kBiasNames[a.biastype]);
    x.list("dynprm", std::span<const double>(a.dynprm));
    x.list("gainprm", std::span<const double>(a.gainprm));
    x.list("biasprm", std::span<const double>(a.biasprm));
    x.differing("ctrlrange", a.ctrlrange, standard.ctrlrange);
    x.differing("forcerange", a.forcerange, standard.forcerange);
    x.differing("actrange", a.actrange, standard.actrange);
    x.tri("ctrllimited", a.ctrllimited);
    x.tri("forcelimited", a.forcelimited);
    x.tri("actlimited", a.actlimited);
    x.differing("inheritrange", a.inheritrange, standard.inheritrange);
    if (a.actearly) x.attribute("actearly", "true");
    x.differing("damping", a.damping, standard.damping);
    x.differing("armature", a.armature, standard.armature);
  }
  x.close();
}

void write_keys(XmlText& x, const Spec& spec) {
  if (spec.keys.empty()) return;
  x.open("keyframe");
  for (const Key& k : spec.keys) {
    x.leaf("key");
    x.name(k.name);
    x.differing("time", k.time, 0.0);
    const auto vector = [&](const char* name, const std::vector<double>& v) {
      if (!v.empty()) x.list(name, std::span<const double>(v));
    };
    vector("qpos", k.qpos);
    vector("qvel", k.qvel);
    vector("act", k.act);
    vector("ctrl", k.ctrl);
    vector("mpos", k.mpos);
    vector("mquat", k.mquat);
  }
  x.close();
}

// Elements that ignored ones referred to: a tuple keeps them from fusestatic and discardvisual.
void write_references(XmlText& x, const Spec& spec) {
  if (!spec.compiler.fusestatic && !spec.compiler.discardvisual) return;
  std::set<std::string> bodies(spec.referenced_bodies.begin(), spec.referenced_bodies.end());
  std::set<std::string> geoms(spec.referenced_geoms.begin(), spec.referenced_geoms.end());
  std::vector<std::pair<const char*, const std::string*>> known;
  for (const Body& b : spec.bodies) {
    if (bodies.count(b.name) > 0) known.emplace_back("body", &b.name);
    for (const Geom& g : b.geoms) {
      if (geoms.count(g.name) > 0) known.emplace_back("geom", &g.name);
    }
  }
  if (known.empty()) return;
  x.open("custom");
  x.open("tuple");
  x.attribute("name", "referenced");
  for (const auto& [type, name] : known) {
    x.leaf("element");
    x.attribute("objtype", type);
    x.attribute("objname", *name);
  }
  x.close();
  x.close();
}

}  // namespace

std::string write_mjcf(const Spec& spec) {
  XmlText x;
  x.open("mujoco");
  x.attribute("model", spec.name);
  write_compiler(x, spec.compiler);
  write_option(x, spec.opt);
  if (spec.nkey > 0) {
    x.leaf("size");
    x.value("nkey", spec.nkey);
  }
  write_tree(x, spec);
  write_contact(x, spec);
  write_actuators(x, spec);
  write_keys(x, spec);
  write_references(x, spec);
  x.close();
  return x.take();
}

}  // namespace stepbench::model
