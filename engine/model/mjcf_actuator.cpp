#include "engine/model/mjcf_actuator.h"

#include <cmath>
#include <numbers>

#include "engine/model/mjcf_attribute.h"

namespace stepbench::model::mjcf {
namespace {

// Keywords that exist and are not simulated have values from here on.
constexpr int kForeign = 100;

constexpr Keyword kDynTypes[] = {{"none", kDynNone},       {"integrator", kDynIntegrator},
                                 {"filter", kDynFilter},   {"filterexact", kDynFilterExact},
                                 {"pid", kForeign},        {"dcmotor", kForeign + 1},
                                 {"muscle", kForeign + 2}, {"user", kForeign + 3}};
constexpr Keyword kGainTypes[] = {{"fixed", kGainFixed}, {"affine", kGainAffine},
                                  {"muscle", kForeign},  {"dcmotor", kForeign + 1},
                                  {"pid", kForeign + 2}, {"so3", kForeign + 3},
                                  {"user", kForeign + 4}};
constexpr Keyword kBiasTypes[] = {{"none", kBiasNone},   {"affine", kBiasAffine},
                                  {"muscle", kForeign},  {"dcmotor", kForeign + 1},
                                  {"so3", kForeign + 2}, {"user", kForeign + 3}};

struct ShortcutName {
  std::string_view tag;
  Shortcut shortcut;
};
constexpr ShortcutName kShortcuts[] = {
    {"general", Shortcut::kGeneral},   {"motor", Shortcut::kMotor},
    {"position", Shortcut::kPosition}, {"velocity", Shortcut::kVelocity},
    {"damper", Shortcut::kDamper},     {"intvelocity", Shortcut::kIntVelocity},
    {"cylinder", Shortcut::kCylinder}, {"orientation", Shortcut::kOther},
    {"pid", Shortcut::kOther},         {"muscle", Shortcut::kOther},
    {"adhesion", Shortcut::kOther},    {"dcmotor", Shortcut::kOther}};

bool nonzero(const std::array<double, 2>& range) { return range[0] != 0 || range[1] != 0; }

// Attributes that all actuators inherit from any default.
void read_mechanics(Context& c, const Element& e, RawActuator& raw) {
  Actuator& a = raw.actuator;
  read(c, e, "group", a.group);
  read(c, e, "ctrlrange", a.ctrlrange);
  read(c, e, "forcerange", a.forcerange);
  read(c, e, "actrange", a.actrange);
  read_tri(c, e, "ctrllimited", a.ctrllimited);
  read_tri(c, e, "forcelimited", a.forcelimited);
  read_tri(c, e, "actlimited", a.actlimited);
  read_some(c, e, "gear", a.gear);
  read_some(c, e, "damping", a.damping);
  read(c, e, "armature", a.armature);
  read(c, e, "delay", raw.delay);
}

void read_general(Context& c, const Element& e, RawActuator& raw) {
  Actuator& a = raw.actuator;
  read_keyword(c, e, "dyntype", kDynTypes, a.dyntype);
  read_keyword(c, e, "gaintype", kGainTypes, a.gaintype);
  read_keyword(c, e, "biastype", kBiasTypes, a.biastype);
  read_some(c, e, "dynprm", a.dynprm);
  read_some(c, e, "gainprm", a.gainprm);
  read_some(c, e, "biasprm", a.biasprm);
  read(c, e, "inheritrange", a.inheritrange);
  read(c, e, "actdim", raw.actdim);
  bool early = a.actearly != 0;
  read(c, e, "actearly", early);
  a.actearly = early ? 1 : 0;
}

// A shortcut takes its own parameters from a default written with the same shortcut, or with
// <general> of the shortcut's gain type.
bool gives_parameters(const RawActuator& raw, Shortcut shortcut) {
  if (raw.written == shortcut) return true;
  const int gain = shortcut == Shortcut::kDamper ? kGainAffine : kGainFixed;
  return raw.written == Shortcut::kGeneral && raw.actuator.gaintype == gain;
}

// Forget gain, bias and dynamics.
void reset(RawActuator& raw) {
  const Actuator fresh;
  Actuator& a = raw.actuator;
  a.dyntype = fresh.dyntype;
  a.gaintype = fresh.gaintype;
  a.biastype = fresh.biastype;
  a.dynprm = fresh.dynprm;
  a.gainprm = fresh.gainprm;
  a.biasprm = fresh.biasprm;
  a.inheritrange = fresh.inheritrange;
  a.actearly = fresh.actearly;
  raw.actdim = -1;
}

// inheritrange and an explicit range exclude each other; the one at the element beats an inherited
// one.
void settle_range(Context& c, const Element& e, const char* name, Actuator& a,
                  std::array<double, 2>& range) {
  double inherit = 0;
  const bool asks = read(c, e, "inheritrange", inherit) && inherit > 0;
  const bool has = e.attribute(name) && nonzero(range);
  if (asks && has) {
    c.fail(e, "both " + std::string(name) + " and inheritrange are given", "keep one of them");
  }
  if (asks) range = {0, 0};
  if (e.attribute("inheritrange")) a.inheritrange = inherit;
  if (has) a.inheritrange = 0;
}

double read_positive(Context& c, const Element& e, const char* name, bool& given) {
  double value = 0;
  given = read(c, e, name, value);
  if (given && value < 0) {
    c.fail(e, "attribute '" + std::string(name) + "' is negative", "it must be at least 0");
  }
  return value;
}

// position and intvelocity.
void read_servo(Context& c, const Element& e, Shortcut shortcut, const Actuator& from,
                Actuator& a) {
  a.gaintype = kGainFixed;
  a.biastype = kBiasAffine;
  double kp = from.gainprm[0];
  read(c, e, "kp", kp);
  a.gainprm[0] = kp;
  a.biasprm[1] = -kp;
  a.biasprm[2] = from.biasprm[2];
  a.inheritrange = from.inheritrange;
  bool has_kv = false, has_ratio = false;
  const double kv = read_positive(c, e, "kv", has_kv);
  const double ratio = read_positive(c, e, "dampratio", has_ratio);
  if (has_kv && has_ratio) c.fail(e, "both kv and dampratio are given", "keep one of them");
  if (has_kv) a.biasprm[2] = -kv;
  if (has_ratio) a.biasprm[2] = ratio;
  if (from.dyntype == kDynFilterExact) {
    a.dyntype = kDynFilterExact;
    a.dynprm[0] = from.dynprm[0];
  }
  if (shortcut == Shortcut::kIntVelocity) {
    a.dyntype = kDynIntegrator;
    settle_range(c, e, "actrange", a, a.actrange);
    return;
  }
  bool has_time = false;
  if (const double time = read_positive(c, e, "timeconst", has_time); has_time) {
    a.dyntype = time > 0 ? kDynFilterExact : kDynNone;
    a.dynprm[0] = time;
  }
  settle_range(c, e, "ctrlrange", a, a.ctrlrange);
}

void read_damper(Context& c, const Element& e, const Actuator& from, Actuator& a) {
  double kv = -from.gainprm[2];
  read(c, e, "kv", kv);
  if (kv < 0) c.fail(e, "attribute 'kv' is negative", "a damper's coefficient must be at least 0");
  a.gaintype = kGainAffine;
  a.gainprm = {0, 0, -kv};
  a.ctrllimited = kTrue;
  if (a.ctrlrange[0] < 0 || a.ctrlrange[1] < 0) {
    c.fail(e, "attribute 'ctrlrange' is negative", "a damper's control must be at least 0");
  }
}

void read_cylinder(Context& c, const Element& e, const Actuator& from, Actuator& a) {
  a.dyntype = kDynFilter;
  a.gaintype = kGainFixed;
  a.biastype = kBiasAffine;
  a.dynprm[0] = from.dynprm[0];
  a.gainprm[0] = from.gainprm[0];
  std::array<double, 3> bias = {from.biasprm[0], from.biasprm[1], from.biasprm[2]};
  read(c, e, "timeconst", a.dynprm[0]);
  read(c, e, "area", a.gainprm[0]);
  if (double diameter = -1; read(c, e, "diameter", diameter) && diameter >= 0) {
    a.gainprm[0] = std::numbers::pi / 4 * diameter * diameter;
  }
  read(c, e, "bias", bias);
  a.biasprm[0] = bias[0];
  a.biasprm[1] = bias[1];
  a.biasprm[2] = bias[2];
}

void read_shortcut(Context& c, const Element& e, Shortcut shortcut, const Defaults& defaults,
                   const DefaultClass& self, const RawActuator& base, RawActuator& raw) {
  // Nearest class, this one included, whose default this shortcut can inherit from.
  static const Actuator kDocumented;
  const Actuator* from = &kDocumented;
  if (gives_parameters(base, shortcut)) {
    from = &base.actuator;
  } else {
    for (int i = self.parent; i >= 0; i = defaults[i].parent) {
      if (!gives_parameters(defaults[i].actuator, shortcut)) continue;
      from = &defaults[i].actuator.actuator;
      break;
    }
  }
  const Actuator source = *from;  // `raw` may be what it points into
  reset(raw);
  Actuator& a = raw.actuator;
  switch (shortcut) {
    case Shortcut::kPosition:
    case Shortcut::kIntVelocity:
      read_servo(c, e, shortcut, source, a);
      break;
    case Shortcut::kVelocity:
      a.biastype = kBiasAffine;
      a.gainprm[0] = source.gainprm[0];
      read(c, e, "kv", a.gainprm[0]);
      a.biasprm[2] = -a.gainprm[0];
      break;
    case Shortcut::kDamper:
      read_damper(c, e, source, a);
      break;
    case Shortcut::kCylinder:
      read_cylinder(c, e, source, a);
      break;
    default:
      break;  // motor: nothing of its own
  }
}

void lay_over(Context& c, const Element& e, Shortcut shortcut, const Defaults& defaults,
              const DefaultClass& self, const RawActuator& base, RawActuator& raw) {
  read_mechanics(c, e, raw);
  if (shortcut == Shortcut::kGeneral) {
    read_general(c, e, raw);
  } else {
    read_shortcut(c, e, shortcut, defaults, self, base, raw);
  }
}

void check_types(Context& c, const Element& e, const RawActuator& raw) {
  const Actuator& a = raw.actuator;
  const std::string tag = "<" + std::string(e.tag()) + ">";
  const auto foreign = [&](const char* name, std::span<const Keyword> keywords, int value) {
    if (value < kForeign) return;
    for (const Keyword& k : keywords) {
      if (k.value == value) c.unsupported(e, tag + ' ' + name + "=\"" + k.name + '"');
    }
  };
  foreign("dyntype", kDynTypes, a.dyntype);
  foreign("gaintype", kGainTypes, a.gaintype);
  foreign("biastype", kBiasTypes, a.biastype);
  if (raw.written == Shortcut::kOther && e.tag() == "general") {
    c.unsupported(e, tag + " with the default of <" + raw.written_tag + '>');
  }
  if (raw.delay != 0) c.unsupported(e, tag + " delay");
  const int states = a.dyntype == kDynNone ? 0 : 1;
  if (raw.actdim >= 0 && a.dyntype < kForeign && raw.actdim != states) {
    c.fail(e, "attribute 'actdim' does not fit the dynamics type",
           "it can be left out; here it is " + std::to_string(states));
  }
}

}  // namespace

Shortcut shortcut_of(std::string_view tag) {
  for (const ShortcutName& name : kShortcuts) {
    if (name.tag == tag) return name.shortcut;
  }
  return Shortcut::kNone;
}

void read_actuator_default(Context& c, const Element& e, Shortcut shortcut,
                           const Defaults& defaults, DefaultClass& self, const RawActuator& base) {
  lay_over(c, e, shortcut, defaults, self, base, self.actuator);
  self.actuator.written = shortcut;
  self.actuator.written_tag = e.tag();
}

std::optional<Actuator> read_actuator(Context& c, const Element& e, const Defaults& defaults) {
  const Shortcut shortcut = shortcut_of(e.tag());
  // The schema check has noted these as unsupported.
  bool foreign = shortcut == Shortcut::kOther || shortcut == Shortcut::kNone;
  for (const char* name : {"tendon", "cranksite", "slidersite", "site", "refsite", "body"}) {
    foreign = foreign || e.attribute(name);
  }
  if (foreign) {
    c.sizes_changed = true;
    return std::nullopt;
  }
  const DefaultClass& self = defaults.of(c, e);
  RawActuator raw = self.actuator;
  lay_over(c, e, shortcut, defaults, self, self.actuator, raw);

  const size_t before = c.spec.unsupported.size();
  check_types(c, e, raw);
  if (c.spec.unsupported.size() > before) {
    c.sizes_changed = true;
    return std::nullopt;
  }
  Actuator a = std::move(raw.actuator);
  a.source = e.source();
  read_name(c, e, "name", a.name);
  const bool joint = read_name(c, e, "joint", a.joint);
  std::string parent_target;
  if (read_name(c, e, "jointinparent", parent_target)) {
    if (joint) c.fail(e, "both joint and jointinparent are given", "keep one of them");
    a.joint = parent_target;
    a.trntype = kTrnJointInParent;
  } else if (!joint) {
    c.fail(e, "no transmission target is given", "add joint=\"NAME\"");
  }
  return a;
}

}  // namespace stepbench::model::mjcf
