// Default classes: a complete set of dummy elements per class.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/mjcf_context.h"
#include "engine/model/spec.h"

namespace stepbench::model::mjcf {

// Elements as written: before fromto, angles and meshes are settled.
struct RawJoint {
  Joint joint;
  double springyield = 0;
};

inline constexpr int kGeomSdf = 8;

struct RawGeom {
  Geom geom;  // type can also be hfield, mesh, sdf
  std::optional<std::array<double, 6>> fromto;
  std::string mesh, hfield;
  double adhesion = 0;
  std::array<double, 6> surfacevel = {};
};

struct RawSite {
  Site site;
  std::optional<std::array<double, 6>> fromto;
};

struct RawPair {
  Pair pair;
  double adhesion = 0;
};

// Element names of actuators. kNone: a class whose actuator default was never written.
enum class Shortcut {
  kNone,
  kGeneral,
  kMotor,
  kPosition,
  kVelocity,
  kIntVelocity,
  kDamper,
  kCylinder,
  kOther  // exists, not simulated
};

struct RawActuator {
  Actuator actuator;
  double delay = 0;
  int actdim = -1;
  Shortcut written = Shortcut::kNone;  // element that set gain, bias and dynamics
  std::string written_tag;             // its name, for kOther
};

struct DefaultClass {
  std::string name;
  int parent = -1;
  RawJoint joint;
  RawGeom geom;
  RawSite site;
  RawPair pair;
  RawActuator actuator;
};

class Defaults {
 public:
  Defaults();

  // Read a <default> section of the top level; they all describe the class "main".
  void read_section(Context& c, const Element& section);

  // Class of an element: its own `class`, else `childclass` (an index from find, 0: main).
  const DefaultClass& of(const Context& c, const Element& e, int childclass = 0) const;
  // Index of the class that an attribute names.
  int find(const Context& c, const Element& e, const char* attribute) const;

  const DefaultClass& operator[](int index) const { return classes_[static_cast<size_t>(index)]; }

 private:
  void read_class(Context& c, const Element& section, int index);

  std::vector<DefaultClass> classes_;
  std::unordered_map<std::string, int> index_;
};

}  // namespace stepbench::model::mjcf
