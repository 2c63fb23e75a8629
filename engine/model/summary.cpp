#include "engine/model/summary.h"

#include <algorithm>

namespace stepbench::model {
namespace {

class Summary {
 public:
  void add(const std::string& text) { lines_.push_back(text); }
  void count(const std::string& what, std::ptrdiff_t number) {
    if (number > 0) add(what + ": " + std::to_string(number));
  }
  void flag(bool on, const std::string& text) {
    if (on) add(text);
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

std::ptrdiff_t equal(const std::vector<int>& values, int value) {
  return std::count(values.begin(), values.end(), value);
}

template <class T>
std::ptrdiff_t non_zero(const std::vector<T>& values) {
  return std::count_if(values.begin(), values.end(), [](T x) { return x != 0; });
}

void joints(const Model& m, Summary& s) {
  s.count("free joints", equal(m.jnt_type, kJntFree));
  s.count("ball joints", equal(m.jnt_type, kJntBall));
  s.count("slide joints", equal(m.jnt_type, kJntSlide));
  s.count("hinge joints", equal(m.jnt_type, kJntHinge));
  s.count("joint limits", non_zero(m.jnt_limited));
  s.count("joint springs", non_zero(m.jnt_stiffness));
  s.flag(non_zero(m.jnt_stiffnesspoly) > 0, "polynomial springs");
  s.count("dofs with damping", non_zero(m.dof_damping));
  s.flag(non_zero(m.dof_dampingpoly) > 0, "polynomial dampers");
  s.count("dofs with friction loss", non_zero(m.dof_frictionloss));
  s.count("dofs with armature", non_zero(m.dof_armature));
  s.count("joints with actuatorfrcrange", non_zero(m.jnt_actfrclimited));
  s.count("joints with actuator gravity compensation", non_zero(m.jnt_actgravcomp));
  s.count("mocap bodies", m.nmocap);
  s.count("bodies with gravity compensation", non_zero(m.body_gravcomp));
}

void contacts(const Model& m, Summary& s) {
  constexpr const char* kGeoms[] = {"plane",     "",         "sphere", "capsule",
                                    "ellipsoid", "cylinder", "box"};
  for (int type = kGeomPlane; type <= kGeomBox; ++type) {
    s.count(kGeoms[type] + std::string(" geoms"), equal(m.geom_type, type));
  }
  for (int condim : {1, 3, 4, 6}) {
    s.count("geoms with condim " + std::to_string(condim), equal(m.geom_condim, condim));
  }
  s.count("geoms with margin", non_zero(m.geom_margin));
  s.count("geoms with gap", non_zero(m.geom_gap));
  s.count("geoms with priority", non_zero(m.geom_priority));
  s.count("contact pairs", m.npair);
  s.count("contact exclusions", m.nexclude);
}

void actuators(const Model& m, Summary& s) {
  s.count("actuators", m.nu);
  s.count("actuators with affine gain", equal(m.actuator_gaintype, kGainAffine));
  s.count("actuators with affine bias", equal(m.actuator_biastype, kBiasAffine));
  s.count("actuators with an integrator", equal(m.actuator_dyntype, kDynIntegrator));
  s.count("actuators with a filter",
          equal(m.actuator_dyntype, kDynFilter) + equal(m.actuator_dyntype, kDynFilterExact));
  s.count("actuators on jointinparent", equal(m.actuator_trntype, kTrnJointInParent));
  s.count("actuators with ctrlrange", non_zero(m.actuator_ctrllimited));
  s.count("actuators with forcerange", non_zero(m.actuator_forcelimited));
  s.count("actuators with actrange", non_zero(m.actuator_actlimited));
  s.count("actuators with armature", non_zero(m.actuator_armature));
  s.count("actuators with damping", non_zero(m.actuator_damping));
  s.count("keyframes", m.nkey);
}

void options(const Spec& spec, const Model& m, Summary& s) {
  constexpr const char* kIntegrators[] = {"Euler", "RK4", "implicit", "implicitfast"};
  constexpr const char* kSolvers[] = {"PGS", "CG", "Newton"};
  s.add(std::string("integrator: ") + kIntegrators[m.opt.integrator]);
  s.add(std::string("solver: ") + kSolvers[m.opt.solver]);
  s.add(m.opt.cone == kElliptic ? "cone: elliptic" : "cone: pyramidal");
  s.flag(m.opt.disableflags != 0, "disabled flags");
  s.flag(m.opt.enableflags != 0, "enabled flags");
  s.flag(spec.compiler.fusestatic, "compiler fusestatic");
  s.flag(spec.compiler.discardvisual, "compiler discardvisual");
  s.flag(spec.compiler.alignfree, "compiler alignfree");
  s.flag(spec.compiler.balanceinertia, "compiler balanceinertia");
  s.flag(spec.compiler.settotalmass > 0, "compiler settotalmass");
}

}  // namespace

std::vector<std::string> features(const Spec& spec, const Model& m) {
  Summary s;
  joints(m, s);
  contacts(m, s);
  actuators(m, s);
  options(spec, m, s);
  return s.take();
}

}  // namespace stepbench::model
