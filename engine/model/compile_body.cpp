// Mass, inertia and frames of single bodies.
#include <algorithm>
#include <cmath>

#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {
namespace {

bool finite(const RigidInertia& r) {
  return std::isfinite(r.mass) && std::isfinite(r.moments[0]) && std::isfinite(r.moments[1]) &&
         std::isfinite(r.moments[2]);
}

void check_sizes(const Spec& spec, const Source& source, const std::string& element, int type,
                 const std::array<double, 3>& size) {
  if (type == kGeomPlane) {
    if (size[2] <= 0) {
      fail(spec, source, element, "the third size of a plane must be positive",
           "it is the spacing of the grid lines: size=\"0 0 1\" is an infinite plane");
    }
    return;
  }
  constexpr std::size_t kSizes[] = {0, 0, 1, 2,
                                    3, 2, 3};  // by type: numbers that make up the shape
  if (type < 0 || type > kGeomBox) return;
  for (std::size_t i = 0; i < kSizes[type]; ++i) {
    if (!(size[i] > 0)) {
      fail(spec, source, element, "size " + std::to_string(i) + " must be positive",
           "give " + std::to_string(kSizes[type]) +
               (kSizes[type] == 1 ? " positive size" : " positive sizes"));
    }
  }
}

void check_geom(const Spec& spec, const Body& body, const Geom& g, bool moving) {
  const std::string element = "geom";
  if (g.type == kGeomMesh || g.type == kGeomHfield || g.type < 0 || g.type > kGeomBox) {
    fail(spec, g.source, element, "this geom type is not simulated",
         "use plane, sphere, capsule, ellipsoid, cylinder or box");
  }
  if (g.condim != 1 && g.condim != 3 && g.condim != 4 && g.condim != 6) {
    fail(spec, g.source, element, "condim is " + std::to_string(g.condim),
         "it must be 1, 3, 4 or 6");
  }
  if (g.type == kGeomPlane && moving) {
    fail(spec, g.source, element, "a plane in the moving " + named("body", body.name),
         "planes are allowed in static bodies only; use a thin box");
  }
  check_sizes(spec, g.source, element, g.type, g.size);
}

bool in_group_range(const CompilerOptions& options, const Geom& g) {
  return g.group >= options.inertiagrouprange[0] && g.group <= options.inertiagrouprange[1];
}

// Inertia of the geoms together; no mass where no geom has any.
RigidInertia inertia_of_geoms(const Spec& spec, const Body& body) {
  std::vector<RigidInertia> parts;
  for (const Geom& g : body.geoms) {
    if (!in_group_range(spec.compiler, g)) continue;
    const RigidInertia part = geom_inertia(g);
    if (part.mass < 0 || part.moments[0] < 0 || part.moments[1] < 0 || part.moments[2] < 0 ||
        g.density < 0) {
      fail(spec, g.source, "geom", "mass, inertia or density is negative",
           "give a positive mass or density");
    }
    if (!finite(part)) {
      fail(spec, g.source, "geom", "mass or inertia overflows", "check size, density and mass");
    }
    if (part.mass > kEps) parts.push_back(part);
  }
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  RigidInertia sum;
  if (!combine(parts.data(), int(parts.size()), kEps, &sum) || !finite(sum) ||
      !(sum.moments[2] >= kEps)) {
    fail(spec, body.source, "body",
         "the geoms of " + named("body", body.name) + " have no usable inertia",
         "check sizes and masses, or add <inertial>");
  }
  return sum;
}

RigidInertia explicit_inertia(const Spec& spec, const Inertial& in) {
  if (in.mass < 0) {
    fail(spec, in.source, "inertial", "mass is negative", "give a positive mass");
  }
  RigidInertia r;
  r.mass = in.mass;
  r.pose = {in.pos, in.quat};
  normalize(r.pose.quat);
  if (in.diaginertia) r.moments = *in.diaginertia;
  if (in.fullinertia) {
    const Principal principal = principal_axes(*in.fullinertia);
    if (!(principal.moments[2] >= kEps)) {
      fail(spec, in.source, "inertial", "fullinertia must have positive eigenvalues",
           "check the order: xx yy zz xy xz yz");
    }
    r.moments = principal.moments;
    r.pose.quat = principal.quat;
  }
  return r;
}

}  // namespace

bool infers_inertia(const CompilerOptions& options, const Body& body) {
  return options.inertiafromgeom == kTrue || (options.inertiafromgeom == kAuto && !body.inertial);
}

bool contributes(const CompilerOptions& options, const Geom& geom) {
  return in_group_range(options, geom) && geom_inertia(geom).mass > kEps;
}

RigidInertia body_inertia(const Spec& spec, std::size_t index, bool* adjusted) {
  const Body& body = spec.bodies[index];
  const CompilerOptions& options = spec.compiler;
  RigidInertia r;
  // Without any source of inertia MuJoCo leaves the body's own pose in the inertial frame.
  r.pose = {body.pos, body.quat};
  if (body.written_pose) {
    const std::array<double, 7>& p = *body.written_pose;
    r.pose = {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  }
  if (index == 0) return r;

  if (body.inertial) r = explicit_inertia(spec, *body.inertial);
  if (infers_inertia(options, body)) {
    const RigidInertia geoms = inertia_of_geoms(spec, body);
    if (geoms.mass > 0) r = geoms;
  }

  const RigidInertia given = r;
  r.mass = std::max(r.mass, options.boundmass);
  for (double& x : r.moments) x = std::max(x, options.boundinertia);
  const Source& source = body.inertial ? body.inertial->source : body.source;
  const std::string element = body.inertial ? "inertial" : "body";
  if (!finite(r))
    fail(spec, source, element,
         "mass or inertia of " + named("body", body.name) + " is not finite");
  if (r.mass < 0 || r.moments[0] < 0 || r.moments[1] < 0 || r.moments[2] < 0) {
    fail(spec, source, element, "mass and inertia cannot be negative");
  }
  const Vec3& i = r.moments;
  if (i[0] + i[1] < i[2] || i[0] + i[2] < i[1] || i[1] + i[2] < i[0]) {
    if (!options.balanceinertia) {
      fail(spec, source, element, "inertia must satisfy A + B >= C",
           "correct the numbers, or set <compiler balanceinertia=\"true\"/>");
    }
    const double mean = (i[0] + i[1] + i[2]) / 3.0;
    r.moments = {mean, mean, mean};
  }
  if (adjusted) *adjusted = r.mass != given.mass || r.moments != given.moments;
  return r;
}

BodyParts compile_body(const Spec& spec, std::size_t index, bool has_children) {
  const Body& body = spec.bodies[index];
  BodyParts parts;
  parts.pose = {body.pos, body.quat};
  normalize(parts.pose.quat);

  bool moving = false;  // by a joint of its own or of a body that carries it
  for (std::size_t b = index; b > 0 && !moving; b = std::size_t(spec.bodies[b].parent)) {
    moving = !spec.bodies[b].joints.empty();
  }
  for (const Geom& g : body.geoms) {
    check_geom(spec, body, g, moving);
    parts.geoms.push_back({g.pos, g.quat});
    normalize(parts.geoms.back().quat);
  }
  for (const Site& s : body.sites) {
    if (s.type == kGeomPlane || s.type == kGeomHfield) {
      fail(spec, s.source, "site", "a site cannot be a plane or a height field");
    }
    check_sizes(spec, s.source, "site", s.type, s.size);
    parts.sites.push_back({s.pos, s.quat});
    normalize(parts.sites.back().quat);
  }
  parts.inertia = body_inertia(spec, index);

  // Alignment of a free body with its inertial frame: everything in it moves the other way.
  const bool align =
      body.joints.size() == 1 && body.joints[0].type == kJntFree && !has_children &&
      (body.joints[0].align == kTrue || (body.joints[0].align == kAuto && spec.compiler.alignfree));
  if (align) {
    const Pose back = inverse(parts.inertia.pose);
    parts.pose = parts.pose * parts.inertia.pose;
    parts.inertia.pose = {};
    for (Pose& p : parts.geoms) p = back * p;
    for (Pose& p : parts.sites) p = back * p;
  }
  return parts;
}

}  // namespace stepbench::model::detail
