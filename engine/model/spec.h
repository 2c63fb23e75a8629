// Parsed scene: what an MJCF file says, with everything that is a matter of text already settled.
//
// Made by `read_mjcf` (reader.h), taken by `compile` (compile.h) and `write_mjcf` (writer.h).
// Settled here: includes are inlined; default classes are applied; frames and replicates are
// expanded (poses composed, names suffixed, referencing elements copied); every orientation form is
// a unit quaternion; `fromto` has become pos, quat and size; angles are radians; actuator shortcuts
// are general actuators. Left to the compiler: masses and inertias, limits that follow from ranges,
// damping ratios, inherited ranges, names to numbers, sizes of keyframes, fusestatic,
// discardvisual, alignfree.
//
// Conventions are MuJoCo's: SI units, quaternions (w, x, y, z), poses in the parent body's frame.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/enums.h"
#include "engine/model/model.h"

namespace stepbench::model {

// Where an element stands: Spec::files[file], line (1-based; 0: made by the program, not by a
// file).
struct Source {
  int file = 0;
  int line = 0;
};

// Three-valued switch of MJCF (`limited` and the like).
enum Tri : int { kFalse = 0, kTrue = 1, kAuto = 2 };

// Attributes of <compiler> that outlive parsing. `angle`, `eulerseq`, `coordinate` and the
// directories are used up by the reader.
struct CompilerOptions {
  bool autolimits = true;
  bool balanceinertia = false;
  bool fusestatic = false;
  bool discardvisual = false;
  bool alignfree = false;
  bool saveinertial = false;
  double boundmass = 0;      // kg; 0: no bound
  double boundinertia = 0;   // kg m^2; 0: no bound
  double settotalmass = -1;  // kg; not positive: masses stay
  int inertiafromgeom = kAuto;
  std::array<int, 2> inertiagrouprange = {0, 5};
};

// <inertial>. At most one of diaginertia and fullinertia is set; with neither the inertia is zero.
struct Inertial {
  Source source;
  double mass = 0;                            // kg, >= 0 is checked by the compiler
  std::array<double, 3> pos = {0, 0, 0};      // body frame
  std::array<double, 4> quat = {1, 0, 0, 0};  // body frame; given only together with diaginertia
  std::optional<std::array<double, 3>> diaginertia;
  std::optional<std::array<double, 6>> fullinertia;  // xx yy zz xy xz yz
};

// <joint>, or <freejoint> (type free with all defaults of the program, not of the file).
struct Joint {
  Source source;
  std::string name;
  int type = kJntHinge;
  int group = 0;
  std::array<double, 3> pos = {0, 0, 0};
  std::array<double, 3> axis = {0, 0, 1};  // as written, turned by frames; the compiler normalises
  double ref = 0;                          // m or rad
  double springref = 0;                    // m or rad
  std::array<double, 2> range = {0, 0};    // m or rad
  int limited = kAuto;                     // kAuto: limited where range is not 0 0 (and autolimits)
  std::array<double, 2> actuatorfrcrange = {0, 0};
  int actuatorfrclimited = kAuto;
  bool actuatorgravcomp = false;
  double margin = 0;
  std::array<double, 2> solreflimit = {0.02, 1};
  std::array<double, 5> solimplimit = {0.9, 0.95, 0.001, 0.5, 2};
  std::array<double, 2> solreffriction = {0.02, 1};
  std::array<double, 5> solimpfriction = {0.9, 0.95, 0.001, 0.5, 2};
  std::array<double, 3> stiffness = {0, 0, 0};  // coefficients of x, x^2, x^3
  std::array<double, 3> damping = {0, 0, 0};    // coefficients of v, v|v|, v^3
  double armature = 0;
  double frictionloss = 0;
  std::array<double, 2> springdamper = {0, 0};  // time constant, damping ratio; both > 0: in force
  int align = kAuto;                            // free joints: kAuto follows alignfree
};

// <geom>. Types: plane, sphere, capsule, ellipsoid, cylinder, box. Meshes without influence on the
// physics are dropped by the reader; all others are unsupported.
struct Geom {
  Source source;
  std::string name;
  int type = kGeomSphere;
  int contype = 1;
  int conaffinity = 1;
  int condim = 3;
  int group = 0;
  int priority = 0;
  std::array<double, 3> size = {0, 0, 0};
  std::array<double, 3> pos = {0, 0, 0};
  std::array<double, 4> quat = {1, 0, 0, 0};
  std::array<double, 3> friction = {1, 0.005, 0.0001};
  std::optional<double> mass;  // set: replaces density
  double density = 1000;
  bool shellinertia = false;
  double solmix = 1;
  std::array<double, 2> solref = {0.02, 1};
  std::array<double, 5> solimp = {0.9, 0.95, 0.001, 0.5, 2};
  double margin = 0;
  double gap = 0;
};

struct Site {
  Source source;
  std::string name;
  int type = kGeomSphere;
  std::array<double, 3> size = {0.005, 0.005, 0.005};
  std::array<double, 3> pos = {0, 0, 0};
  std::array<double, 4> quat = {1, 0, 0, 0};
};

struct Body {
  Source source;
  std::string name;  // "world" for body 0
  int parent = -1;   // index in Spec::bodies, smaller than this body's own
  std::array<double, 3> pos = {0, 0, 0};
  std::array<double, 4> quat = {1, 0, 0, 0};
  // Pose as written (pos, quat), where frames around the body changed it: MuJoCo puts the inertial
  // frame of a body without any inertia there.
  std::optional<std::array<double, 7>> written_pose;
  bool mocap = false;
  double gravcomp = 0;
  bool fuse = true;  // false: fusestatic leaves this body alone
  std::optional<Inertial> inertial;
  std::vector<Joint> joints;  // each in the order in which the model numbers them
  std::vector<Geom> geoms;
  std::vector<Site> sites;
};

struct Pair {
  Source source;
  std::string name, geom1, geom2;
  int condim = 3;
  std::array<double, 5> friction = {1, 1, 0.005, 0.0001, 0.0001};
  std::array<double, 2> solref = {0.02, 1};
  std::array<double, 2> solreffriction = {0, 0};
  std::array<double, 5> solimp = {0.9, 0.95, 0.001, 0.5, 2};
  double margin = 0;
  double gap = 0;
};

struct Exclude {
  Source source;
  std::string name, body1, body2;
};

// <general>, or a shortcut written as one. As in MuJoCo's own spec a damping ratio is a positive
// biasprm[2] beside biasprm[1] = -gainprm[0] (a written kv is stored as -kv): the compiler turns it
// into -kv. inheritrange > 0 asks the compiler for ctrlrange (actrange with an integrator) from the
// joint.
struct Actuator {
  Source source;
  std::string name;
  int group = 0;
  int trntype = kTrnJoint;
  std::string joint;  // name of the target
  std::array<double, 6> gear = {1, 0, 0, 0, 0, 0};
  int dyntype = kDynNone;
  int gaintype = kGainFixed;
  int biastype = kBiasNone;
  std::array<double, 10> dynprm = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::array<double, 10> gainprm = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::array<double, 10> biasprm = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::array<double, 2> ctrlrange = {0, 0};
  std::array<double, 2> forcerange = {0, 0};
  std::array<double, 2> actrange = {0, 0};
  int ctrllimited = kAuto;
  int forcelimited = kAuto;
  int actlimited = kAuto;
  double inheritrange = 0;
  int actearly = 0;
  std::array<double, 3> damping = {0, 0, 0};
  double armature = 0;
};

// <key>. Empty vectors take the model's defaults; other lengths are checked by the compiler.
struct Key {
  Source source;
  std::string name;
  double time = 0;
  std::vector<double> qpos, qvel, act, ctrl, mpos, mquat;
};

// An element or attribute that would change the physics and is not simulated.
struct Unsupported {
  Source source;
  std::string what;  // e.g. `<equality/weld>`, `<option> integrator="discrete"`
};

struct Spec {
  std::string name;                // attribute `model`, "MuJoCo Model" where absent
  std::vector<std::string> files;  // main file first, then included ones; see Source
  CompilerOptions compiler;
  Option opt;

  std::vector<Body> bodies;  // depth first, body 0 is the world
  std::vector<Pair> pairs;
  std::vector<Exclude> excludes;
  std::vector<Actuator> actuators;
  std::vector<Key> keys;
  int nkey = 0;  // <size nkey>: the model has at least so many keyframes

  std::optional<int> density;      // level asked for (density.h)
  bool density_replicate = false;  // it set the count of a <replicate>

  // Names used by elements that are read and ignored (sensors, cameras, lights, tuples): fusestatic
  // must keep such bodies, discardvisual such geoms.
  std::vector<std::string> referenced_bodies, referenced_geoms;

  std::vector<Unsupported> unsupported;  // not empty only with ReadOptions::ignore_unsupported
  std::vector<std::string> warnings;     // deprecated attributes and the like, one line each
  bool open() const { return !unsupported.empty(); }
};

}  // namespace stepbench::model
