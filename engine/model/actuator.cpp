// Actuators: targets, ranges, activation state. Damping ratios need the dynamics:
// compile_constants.cpp.
#include <algorithm>
#include <cmath>

#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {
namespace {

// Range that a position-like servo takes from its joint, scaled about the middle.
std::array<double, 2> inherited_range(const Spec& spec, const Actuator& a, std::size_t joint,
                                      const Model& m) {
  const auto refuse = [&](const std::string& message, const std::string& hint = {}) {
    fail(spec, a.source, "actuator", message, hint);
  };
  if (a.trntype != kTrnJoint)
    refuse("inheritrange needs a joint transmission", "use joint, not jointinparent");
  const int type = m.jnt_type[joint];
  if (type != kJntHinge && type != kJntSlide) refuse("inheritrange needs a hinge or slide joint");
  const double low = m.jnt_range[2 * joint], high = m.jnt_range[2 * joint + 1];
  if (low == high) {
    refuse("inheritrange, but " + named("joint", a.joint) + " has no range",
           "give the joint a range");
  }
  const double middle = 0.5 * (high + low), radius = 0.5 * (high - low) * a.inheritrange;
  return {middle - radius, middle + radius};
}

void check_range(const Spec& spec, const Actuator& a, const char* name, bool limited,
                 const std::array<double, 2>& range) {
  if (limited && range[0] >= range[1]) {
    fail(spec, a.source, "actuator",
         std::string(name) + "[0] must be smaller than " + name + "[1]");
  }
}

}  // namespace

void compile_actuators(const Spec& spec, const NamedIds& ids, Model& m) {
  int activation = 0;
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const Actuator& a = spec.actuators[i];
    if (a.joint.empty()) {
      fail(spec, a.source, "actuator", named("actuator", a.name) + " acts on nothing",
           "give it a joint");
    }
    const int joint = find(spec, ids.joint, a.joint, a.source, "actuator", "joint");

    std::array<double, 2> ctrlrange = a.ctrlrange, actrange = a.actrange;
    const bool servo =
        a.gaintype == kGainFixed && a.biastype == kBiasAffine && a.gainprm[0] == -a.biasprm[1];
    if (servo && a.inheritrange > 0) {
      if (a.dyntype != kDynNone && a.dyntype != kDynFilterExact && a.dyntype != kDynIntegrator) {
        fail(spec, a.source, "actuator",
             "inheritrange is for position and intvelocity actuators only");
      }
      (a.dyntype == kDynIntegrator ? actrange : ctrlrange) =
          inherited_range(spec, a, std::size_t(joint), m);
    }
    if (a.gainprm[0] == -a.biasprm[1] && a.biasprm[2] > 0 && a.gainprm[0] < 0) {
      fail(spec, a.source, "actuator", "a damping ratio needs a positive kp",
           "use kv, or change the sign of kp");
    }

    const auto limited = [&](const char* prefix, int setting, const std::array<double, 2>& range) {
      return resolve_limited(spec, a.source, "actuator", std::string(prefix) + "range",
                             std::string(prefix) + "limited", setting, range);
    };
    m.actuator_forcelimited[i] = limited("force", a.forcelimited, a.forcerange);
    m.actuator_ctrllimited[i] = limited("ctrl", a.ctrllimited, ctrlrange);
    m.actuator_actlimited[i] = limited("act", a.actlimited, actrange);
    check_range(spec, a, "forcerange", m.actuator_forcelimited[i], a.forcerange);
    check_range(spec, a, "ctrlrange", m.actuator_ctrllimited[i], ctrlrange);
    check_range(spec, a, "actrange", m.actuator_actlimited[i], actrange);
    if (m.actuator_actlimited[i] && a.dyntype == kDynNone) {
      fail(spec, a.source, "actuator", "actrange without activation dynamics",
           "set dyntype, or remove actrange");
    }

    m.names.actuator[i] = a.name;
    m.actuator_trntype[i] = a.trntype;
    m.actuator_dyntype[i] = a.dyntype;
    m.actuator_gaintype[i] = a.gaintype;
    m.actuator_biastype[i] = a.biastype;
    m.actuator_trnid[2 * i] = joint;
    m.actuator_trnid[2 * i + 1] = -1;
    m.actuator_actnum[i] = a.dyntype != kDynNone;
    m.actuator_actadr[i] = m.actuator_actnum[i] ? activation : -1;
    activation += m.actuator_actnum[i];
    m.actuator_group[i] = a.group;
    m.actuator_actearly[i] = a.actearly;
    m.actuator_damping[i] = a.damping[0];
    m.actuator_dampingpoly[2 * i] = a.damping[1];
    m.actuator_dampingpoly[2 * i + 1] = a.damping[2];
    m.actuator_armature[i] = a.armature;
    const auto store = [&](std::vector<double>& array, const auto& values) {
      std::copy(values.begin(), values.end(), array.begin() + std::ptrdiff_t(values.size() * i));
    };
    store(m.actuator_dynprm, a.dynprm);
    store(m.actuator_gainprm, a.gainprm);
    store(m.actuator_biasprm, a.biasprm);
    store(m.actuator_ctrlrange, ctrlrange);
    store(m.actuator_forcerange, a.forcerange);
    store(m.actuator_actrange, actrange);
    store(m.actuator_gear, a.gear);
  }
}

}  // namespace stepbench::model::detail
