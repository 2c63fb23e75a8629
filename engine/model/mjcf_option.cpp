#include "engine/model/mjcf_option.h"

#include <array>
#include <string_view>

#include "engine/model/mjcf_attribute.h"

namespace stepbench::model::mjcf {
namespace {

// Values beyond those of enums.h.
constexpr int kDiscrete = 4;
constexpr int kEnblSleep = 1 << 4;
constexpr int kEnblDiagExact = 1 << 5;
constexpr int kEnblIpc = 1 << 6;
constexpr int kEnblSpeculative = 1 << 7;
constexpr int kForeignFlags = kEnblSleep | kEnblDiagExact | kEnblIpc | kEnblSpeculative;

constexpr Keyword kIntegrators[] = {{"Euler", kEuler},
                                    {"RK4", kRk4},
                                    {"implicit", kImplicit},
                                    {"implicitfast", kImplicitFast},
                                    {"discrete", kDiscrete}};
constexpr Keyword kCones[] = {{"pyramidal", kPyramidal}, {"elliptic", kElliptic}};
constexpr Keyword kJacobians[] = {{"dense", kJacDense}, {"sparse", kJacSparse}, {"auto", kJacAuto}};
constexpr Keyword kSolvers[] = {{"PGS", kPgs}, {"CG", kCg}, {"Newton", kNewton}};

constexpr Keyword kDisableFlags[] = {{"constraint", kDsblConstraint},
                                     {"equality", kDsblEquality},
                                     {"frictionloss", kDsblFrictionloss},
                                     {"limit", kDsblLimit},
                                     {"contact", kDsblContact},
                                     {"spring", kDsblSpring},
                                     {"damper", kDsblDamper},
                                     {"gravity", kDsblGravity},
                                     {"clampctrl", kDsblClampctrl},
                                     {"warmstart", kDsblWarmstart},
                                     {"filterparent", kDsblFilterparent},
                                     {"actuation", kDsblActuation},
                                     {"refsafe", kDsblRefsafe},
                                     {"sensor", kDsblSensor},
                                     {"midphase", kDsblMidphase},
                                     {"eulerdamp", kDsblEulerdamp},
                                     {"autoreset", kDsblAutoreset},
                                     {"nativeccd", kDsblNativeccd},
                                     {"island", kDsblIsland},
                                     {"multiccd", kDsblMulticcd}};
constexpr Keyword kEnableFlags[] = {{"override", kEnblOverride}, {"energy", kEnblEnergy},
                                    {"fwdinv", kEnblFwdinv},     {"invdiscrete", kEnblInvdiscrete},
                                    {"sleep", kEnblSleep},       {"diagexact", kEnblDiagExact},
                                    {"ipc", kEnblIpc},           {"speculative", kEnblSpeculative}};

void read_flags(Context& c, const Element& e, OptionExtras& extras) {
  static constexpr Keyword kSwitch[] = {{"disable", 0}, {"enable", 1}};
  Option& o = c.spec.opt;
  int on = 0;
  for (const Keyword& flag : kDisableFlags) {
    if (!read_keyword(c, e, flag.name, kSwitch, on)) continue;
    o.disableflags = on ? o.disableflags & ~flag.value : o.disableflags | flag.value;
  }
  int enabled = o.enableflags | extras.flags;
  for (const Keyword& flag : kEnableFlags) {
    if (!read_keyword(c, e, flag.name, kSwitch, on)) continue;
    enabled = on ? enabled | flag.value : enabled & ~flag.value;
    if (flag.value & kForeignFlags) extras.flag = e;
  }
  o.enableflags = enabled & ~kForeignFlags;
  extras.flags = enabled & kForeignFlags;
}

template <size_t N>
bool read_array(const Context& c, const Element& e, const char* name, double (&out)[N]) {
  return read_numbers(c, e, name, out, 1) > 0;
}

}  // namespace

void read_option(Context& c, const Element& e, OptionExtras& extras) {
  Option& o = c.spec.opt;
  if (read(c, e, "timestep", o.timestep) && o.timestep <= 0) {
    c.fail(e, "attribute 'timestep' is not positive", "the default is 0.002");
  }
  if (read(c, e, "impratio", o.impratio) && o.impratio <= 0) {
    c.fail(e, "attribute 'impratio' is not positive", "the default is 1");
  }
  read(c, e, "tolerance", o.tolerance);
  read(c, e, "ls_tolerance", o.ls_tolerance);
  read_numbers(c, e, "gravity", o.gravity, 3);
  read(c, e, "o_margin", o.o_margin);
  read_array(c, e, "o_solref", o.o_solref);
  read_array(c, e, "o_solimp", o.o_solimp);
  read_array(c, e, "o_friction", o.o_friction);
  read_keyword(c, e, "cone", kCones, o.cone);
  read_keyword(c, e, "jacobian", kJacobians, o.jacobian);
  read_keyword(c, e, "solver", kSolvers, o.solver);
  if (read(c, e, "iterations", o.iterations) && o.iterations < 0) {
    c.fail(e, "attribute 'iterations' is negative", "the default is 100");
  }
  if (read(c, e, "ls_iterations", o.ls_iterations) && o.ls_iterations < 0) {
    c.fail(e, "attribute 'ls_iterations' is negative", "the default is 50");
  }
  if (std::array<int, 31> groups;
      size_t n = read_integers(c, e, "actuatorgroupdisable", groups, 1)) {
    for (size_t i = 0; i < n; ++i) {
      if (groups[i] < 0 || groups[i] > 30) {
        c.fail(e, "attribute 'actuatorgroupdisable' is out of range", "groups are 0 to 30");
      }
      o.disableactuator |= 1 << groups[i];
    }
  }
  if (read_keyword(c, e, "integrator", kIntegrators, extras.integrator_value)) {
    extras.integrator = e;
    o.integrator = extras.integrator_value;
  }
  if (read(c, e, "density", extras.density_value)) extras.density = e;
  if (read(c, e, "viscosity", extras.viscosity_value)) extras.viscosity = e;
  if (read(c, e, "noslip_iterations", extras.noslip_value)) extras.noslip = e;
  Document::for_each_child(e, [&](const Element& child) { read_flags(c, child, extras); });
}

void check_option(Context& c, const OptionExtras& extras) {
  Option& o = c.spec.opt;
  if (extras.density_value != 0) c.unsupported(extras.density, "<option> density (fluid)");
  if (extras.viscosity_value != 0) c.unsupported(extras.viscosity, "<option> viscosity (fluid)");
  if (extras.noslip_value > 0) c.unsupported(extras.noslip, "<option> noslip_iterations");
  for (const Keyword& integrator : kIntegrators) {
    const bool foreign = integrator.value == kImplicit || integrator.value == kDiscrete;
    if (!foreign || integrator.value != o.integrator) continue;
    c.unsupported(extras.integrator, "<option> integrator=\"" + std::string(integrator.name) + '"');
    o.integrator = kImplicitFast;  // nearest relative, for those who ignore it
    break;
  }
  for (const Keyword& flag : kEnableFlags) {
    if (extras.flags & flag.value) {
      c.unsupported(extras.flag, "<flag> " + std::string(flag.name) + "=\"enable\"");
    }
  }
}

void read_compiler(Context& c, const Element& e) {
  CompilerOptions& o = c.spec.compiler;
  read(c, e, "autolimits", o.autolimits);
  read(c, e, "boundmass", o.boundmass);
  read(c, e, "boundinertia", o.boundinertia);
  if (read(c, e, "settotalmass", o.settotalmass) && o.settotalmass > 0) {
    c.warn(e, "attribute 'settotalmass' is deprecated: scale the masses in the model");
  }
  read(c, e, "balanceinertia", o.balanceinertia);
  read(c, e, "discardvisual", o.discardvisual);
  read(c, e, "fusestatic", o.fusestatic);
  read(c, e, "alignfree", o.alignfree);
  read(c, e, "saveinertial", o.saveinertial);
  read_tri(c, e, "inertiafromgeom", o.inertiafromgeom);
  read_integers(c, e, "inertiagrouprange", o.inertiagrouprange, 2);

  static constexpr Keyword kAngles[] = {{"radian", 0}, {"degree", 1}};
  int degree = c.degree ? 1 : 0;
  read_keyword(c, e, "angle", kAngles, degree);
  c.degree = degree == 1;
  static constexpr Keyword kCoordinates[] = {{"local", 0}, {"global", 1}};
  int global = 0;
  read_keyword(c, e, "coordinate", kCoordinates, global);
  if (global) {
    c.fail(e, "global coordinates are no longer part of MJCF",
           "convert the file by loading and saving it in MuJoCo 2.3.3 or older");
  }
  if (std::string sequence; read_name(c, e, "eulerseq", sequence)) {
    const bool valid =
        sequence.size() == 3 && sequence.find_first_not_of("xyzXYZ") == std::string::npos;
    if (!valid)
      c.fail(e, "attribute 'eulerseq' is no sequence of axes", "write three of x y z X Y Z");
    c.eulerseq = sequence;
  }
  read(c, e, "strippath", c.strippath);
  read_name(c, e, "meshdir", c.meshdir);
  read_name(c, e, "assetdir", c.assetdir);
}

void read_size(Context& c, const Element& e) {
  int nkey = 0;
  // Keyframes take memory: nq numbers and more each.
  if (read(c, e, "nkey", nkey) && nkey > 10'000) {
    c.fail(e, "attribute 'nkey' is too large", "at most 10000 keyframes are accepted");
  }
  if (nkey > c.spec.nkey) c.spec.nkey = nkey;
}

}  // namespace stepbench::model::mjcf
