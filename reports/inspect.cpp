#include "reports/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "reports/json.h"
#include "reports/numbers.h"

namespace stepbench::reports {
namespace {

using model::Model;

const char* integrator_name(int v) {
  constexpr std::array<const char*, 4> kNames = {"Euler", "RK4", "implicit", "implicitfast"};
  return v >= 0 && v < 4 ? kNames[static_cast<std::size_t>(v)] : "?";
}
const char* cone_name(int v) { return v == model::kElliptic ? "elliptic" : "pyramidal"; }
const char* solver_name(int v) {
  constexpr std::array<const char*, 3> kNames = {"PGS", "CG", "Newton"};
  return v >= 0 && v < 3 ? kNames[static_cast<std::size_t>(v)] : "?";
}

// "1 ball joint, 3 hinge joints": counts of the values of an enumeration, names in its order.
void count_kinds(std::vector<std::string>& out, const std::vector<int>& values,
                 std::initializer_list<const char*> names, std::string_view noun) {
  int kind = 0;
  for (const char* name : names) {
    const auto n = std::count(values.begin(), values.end(), kind++);
    if (n > 0) out.push_back(fmt::format("{} {} {}{}", n, name, noun, n == 1 ? "" : "s"));
  }
}

bool any_nonzero(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return v != 0; });
}
bool any_set(const std::vector<int>& x) {
  return std::any_of(x.begin(), x.end(), [](int v) { return v != 0; });
}

constexpr std::array<std::pair<int, const char*>, 20> kDisableFlags = {{
    {model::kDsblConstraint, "constraint"},
    {model::kDsblEquality, "equality"},
    {model::kDsblFrictionloss, "frictionloss"},
    {model::kDsblLimit, "limit"},
    {model::kDsblContact, "contact"},
    {model::kDsblSpring, "spring"},
    {model::kDsblDamper, "damper"},
    {model::kDsblGravity, "gravity"},
    {model::kDsblClampctrl, "clampctrl"},
    {model::kDsblWarmstart, "warmstart"},
    {model::kDsblFilterparent, "filterparent"},
    {model::kDsblActuation, "actuation"},
    {model::kDsblRefsafe, "refsafe"},
    {model::kDsblSensor, "sensor"},
    {model::kDsblMidphase, "midphase"},
    {model::kDsblEulerdamp, "eulerdamp"},
    {model::kDsblAutoreset, "autoreset"},
    {model::kDsblNativeccd, "nativeccd"},
    {model::kDsblIsland, "island"},
    {model::kDsblMulticcd, "multiccd"},
}};
constexpr std::array<std::pair<int, const char*>, 4> kEnableFlags = {{
    {model::kEnblOverride, "override"},
    {model::kEnblEnergy, "energy"},
    {model::kEnblFwdinv, "fwdinv"},
    {model::kEnblInvdiscrete, "invdiscrete"},
}};

template <class Table>
std::string flag_names(int bits, const Table& table) {
  std::string text;
  for (const auto& [bit, name] : table) {
    if ((bits & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

}  // namespace

std::vector<std::string> features(const Model& m) {
  std::vector<std::string> f;
  count_kinds(f, m.jnt_type, {"free", "ball", "slide", "hinge"}, "joint");
  count_kinds(
      f, m.geom_type,
      {"plane", "height field", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"},
      "geom");
  count_kinds(f, m.actuator_dyntype, {"stateless", "integrator", "filter", "filterexact"},
              "actuator");
  const auto say = [&](bool used, std::string text) {
    if (used) f.push_back(std::move(text));
  };
  say(any_set(m.jnt_limited),
      fmt::format("{} limited joints", std::count(m.jnt_limited.begin(), m.jnt_limited.end(), 1)));
  say(any_nonzero(m.dof_frictionloss), "friction loss");
  say(any_nonzero(m.jnt_stiffness) || any_nonzero(m.jnt_stiffnesspoly), "joint springs");
  say(any_nonzero(m.dof_damping) || any_nonzero(m.dof_dampingpoly), "joint damping");
  say(any_nonzero(m.dof_armature), "armature");
  say(any_nonzero(m.body_gravcomp), "gravity compensation");
  say(any_set(m.actuator_ctrllimited), "control limits");
  say(any_set(m.actuator_forcelimited) || any_set(m.jnt_actfrclimited), "force limits");
  say(m.nmocap > 0, fmt::format("{} mocap bodies", m.nmocap));
  say(m.npair > 0, fmt::format("{} contact pairs", m.npair));
  say(m.nexclude > 0, fmt::format("{} excluded pairs", m.nexclude));
  say(m.nkey > 0, fmt::format("{} key frames", m.nkey));
  std::vector<int> condims = m.geom_condim;
  std::sort(condims.begin(), condims.end());
  condims.erase(std::unique(condims.begin(), condims.end()), condims.end());
  say(!condims.empty(), fmt::format("contacts of condim {}", fmt::join(condims, ", ")));
  return f;
}

std::string inspect_text(const Inspection& i) {
  const Model& m = i.model;
  const model::Option& opt = m.opt;
  std::string text = fmt::format("{}  ({})\n", i.file, m.name);
  const auto line = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<12}{}\n", label, value);
  };
  line("sizes", fmt::format("nq {}  nv {}  nu {}  na {}  bodies {}  joints {}  geoms {}  sites {}",
                            m.nq, m.nv, m.nu, m.na, m.nbody, m.njnt, m.ngeom, m.nsite));
  line("trees", fmt::format("{}", m.ntree));
  double mass = 0;
  for (const double kg : m.body_mass) mass += kg;
  line("mass", fmt::format("{} kg", brief(mass)));
  line("timestep", fmt::format("{} s", shortest(opt.timestep)));
  line("integrator", integrator_name(opt.integrator));
  line("solver", fmt::format("{}, {} cone, {} iterations, tolerance {}", solver_name(opt.solver),
                             cone_name(opt.cone), opt.iterations, shortest(opt.tolerance)));
  line("impratio", shortest(opt.impratio));
  line("gravity", fmt::format("{} {} {} m/s^2", shortest(opt.gravity[0]), shortest(opt.gravity[1]),
                              shortest(opt.gravity[2])));
  line("disabled", flag_names(opt.disableflags, kDisableFlags));
  line("enabled", flag_names(opt.enableflags, kEnableFlags));
  const auto block = [&](std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    text += fmt::format("{}\n", title);
    for (const std::string& item : items) text += fmt::format("  {}\n", item);
  };
  block("features", features(m));
  block("warnings", m.warnings);
  if (i.unsupported.empty()) {
    text += "unsupported: nothing\n";
  } else {
    block("unsupported", i.unsupported);
  }
  return text;
}

std::string inspect_json(const Inspection& i) {
  const Model& m = i.model;
  const model::Option& opt = m.opt;
  JsonWriter j;
  j.begin_object().field("file", i.file).field("name", m.name);
#define X(size) j.field(#size, m.size);
  SB_MODEL_SIZES(X)
#undef X

  const auto array = [&](const char* name, const double* begin, std::size_t n) {
    j.list(name, std::vector<double>(begin, begin + n));
  };
  j.key("opt").begin_object();
  j.field("timestep", opt.timestep).field("impratio", opt.impratio);
  j.field("tolerance", opt.tolerance).field("ls_tolerance", opt.ls_tolerance);
  array("gravity", opt.gravity, 3);
  j.field("o_margin", opt.o_margin);
  array("o_solref", opt.o_solref, std::size(opt.o_solref));
  array("o_solimp", opt.o_solimp, std::size(opt.o_solimp));
  array("o_friction", opt.o_friction, std::size(opt.o_friction));
  j.field("integrator", opt.integrator).field("cone", opt.cone).field("jacobian", opt.jacobian);
  j.field("solver", opt.solver)
      .field("iterations", opt.iterations)
      .field("ls_iterations", opt.ls_iterations);
  j.field("disableflags", opt.disableflags).field("enableflags", opt.enableflags);
  j.field("disableactuator", opt.disableactuator);
  j.end_object();
  j.key("stat").begin_object().field("meaninertia", m.meaninertia).end_object();

  model::for_each_field(
      m, [&](const char* name, const auto& values, int, int) { j.list(name, values); });

  j.key("names").begin_object();
  j.list("body", m.names.body).list("jnt", m.names.jnt).list("geom", m.names.geom);
  j.list("site", m.names.site).list("actuator", m.names.actuator).list("key", m.names.key);
  j.end_object();
  j.list("features", features(m)).list("unsupported", i.unsupported).list("warnings", m.warnings);
  j.end_object();
  return j.take();
}

}  // namespace stepbench::reports
