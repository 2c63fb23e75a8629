#include "engine/model/mjcf_elements.h"

#include <numbers>

#include "engine/model/mjcf_attribute.h"

namespace stepbench::model::mjcf {
namespace {

constexpr Keyword kJointTypes[] = {
    {"free", kJntFree}, {"ball", kJntBall}, {"slide", kJntSlide}, {"hinge", kJntHinge}};

constexpr Keyword kGeomTypes[] = {
    {"plane", kGeomPlane},     {"hfield", kGeomHfield},       {"sphere", kGeomSphere},
    {"capsule", kGeomCapsule}, {"ellipsoid", kGeomEllipsoid}, {"cylinder", kGeomCylinder},
    {"box", kGeomBox},         {"mesh", kGeomMesh},           {"sdf", kGeomSdf}};

constexpr Keyword kSiteTypes[] = {
    {"sphere", kGeomSphere},     {"capsule", kGeomCapsule}, {"ellipsoid", kGeomEllipsoid},
    {"cylinder", kGeomCylinder}, {"box", kGeomBox},         {"mesh", kGeomMesh}};

bool is_zero(const std::array<double, 6>& v) {
  for (const double x : v) {
    if (x != 0) return false;
  }
  return true;
}

// Replace pos, quat and size by what fromto says. Shared by geoms and sites.
template <class Shape>
void apply_fromto(const Context& c, const Element& e, const std::array<double, 6>& fromto,
                  Shape& shape) {
  const bool thin = shape.type == kGeomCapsule || shape.type == kGeomCylinder;
  const bool thick = shape.type == kGeomBox || shape.type == kGeomEllipsoid;
  if (!thin && !thick) {
    c.fail(e, "attribute 'fromto' does not fit the type",
           "it is for capsule, cylinder, box and ellipsoid");
  }
  if (shape.pos != Vec3{0, 0, 0}) {
    c.fail(e, "both pos and fromto are given", "keep one of them");
  }
  const Segment s = segment(c, e, fromto);
  shape.pos = s.pose.pos;
  shape.quat = s.pose.quat;
  if (thin) {
    shape.size[1] = s.half_length;
  } else {
    shape.size[1] = shape.size[0];
    shape.size[2] = s.half_length;
  }
}

template <class Shape>
void place(const Pose& frame, Shape& shape) {
  const Pose pose = compose(frame, {shape.pos, shape.quat});
  shape.pos = pose.pos;
  shape.quat = pose.quat;
}

}  // namespace

void read_joint(Context& c, const Element& e, RawJoint& raw) {
  Joint& j = raw.joint;
  j.source = e.source();
  read_keyword(c, e, "type", kJointTypes, j.type);
  read(c, e, "group", j.group);
  read(c, e, "pos", j.pos);
  read(c, e, "axis", j.axis);
  read(c, e, "springdamper", j.springdamper);
  read_tri(c, e, "limited", j.limited);
  read_tri(c, e, "actuatorfrclimited", j.actuatorfrclimited);
  read_some(c, e, "solreflimit", j.solreflimit);
  read_some(c, e, "solimplimit", j.solimplimit);
  read_some(c, e, "solreffriction", j.solreffriction);
  read_some(c, e, "solimpfriction", j.solimpfriction);
  read_some(c, e, "stiffness", j.stiffness);
  read_some(c, e, "damping", j.damping);
  read(c, e, "range", j.range);
  read(c, e, "actuatorfrcrange", j.actuatorfrcrange);
  read(c, e, "actuatorgravcomp", j.actuatorgravcomp);
  read(c, e, "margin", j.margin);
  read(c, e, "ref", j.ref);
  read(c, e, "springref", j.springref);
  read(c, e, "springyield", raw.springyield);
  read(c, e, "armature", j.armature);
  read(c, e, "frictionloss", j.frictionloss);
}

Joint finish_joint(Context& c, const Element& e, RawJoint raw, const Pose& frame) {
  Joint j = std::move(raw.joint);
  j.source = e.source();
  read_name(c, e, "name", j.name);
  if (raw.springyield != 0) c.unsupported(e, "<joint> springyield");
  if (j.type == kJntFree) return j;
  if (c.degree && (j.type == kJntHinge || j.type == kJntBall)) {
    constexpr double kRadian = std::numbers::pi / 180;
    // As in MuJoCo, the range of a joint without limits stays in the file's unit.
    const bool limited =
        j.limited == kTrue || (j.limited == kAuto && (j.range[0] != 0 || j.range[1] != 0));
    if (limited) j.range = {j.range[0] * kRadian, j.range[1] * kRadian};
    if (j.type == kJntHinge) {
      j.ref *= kRadian;
      j.springref *= kRadian;
    }
  }
  j.pos = compose(frame, {j.pos, {1, 0, 0, 0}}).pos;
  j.axis = rotate(frame.quat, j.axis);
  return j;
}

Joint read_freejoint(Context& c, const Element& e) {
  Joint j;
  j.source = e.source();
  j.type = kJntFree;
  read_name(c, e, "name", j.name);
  read(c, e, "group", j.group);
  read_tri(c, e, "align", j.align);
  return j;
}

void read_geom(Context& c, const Element& e, RawGeom& raw) {
  Geom& g = raw.geom;
  read_keyword(c, e, "type", kGeomTypes, g.type);
  read(c, e, "contype", g.contype);
  read(c, e, "conaffinity", g.conaffinity);
  read(c, e, "condim", g.condim);
  read(c, e, "group", g.group);
  read(c, e, "priority", g.priority);
  read_some(c, e, "size", g.size);
  read_some(c, e, "friction", g.friction);
  if (double mass = 0; read(c, e, "mass", mass)) g.mass = mass;
  read(c, e, "density", g.density);
  read(c, e, "shellinertia", g.shellinertia);
  read(c, e, "solmix", g.solmix);
  read_some(c, e, "solref", g.solref);
  read_some(c, e, "solimp", g.solimp);
  read(c, e, "margin", g.margin);
  read(c, e, "gap", g.gap);
  read_some(c, e, "surfacevel", raw.surfacevel);
  read(c, e, "adhesion", raw.adhesion);
  if (std::array<double, 6> fromto; read(c, e, "fromto", fromto)) raw.fromto = fromto;
  read_pose(c, e, g.pos, g.quat);
  read_name(c, e, "mesh", raw.mesh);
  read_name(c, e, "hfield", raw.hfield);
}

Geom finish_geom(Context& c, const Element& e, RawGeom raw, const Pose& frame) {
  Geom g = std::move(raw.geom);
  g.source = e.source();
  read_name(c, e, "name", g.name);
  if (raw.adhesion != 0) c.unsupported(e, "<geom> adhesion");
  if (!is_zero(raw.surfacevel)) c.unsupported(e, "<geom> surfacevel");
  const bool primitive = g.type != kGeomHfield && g.type != kGeomMesh && g.type != kGeomSdf;
  if (primitive && raw.fromto) apply_fromto(c, e, *raw.fromto, g);
  place(frame, g);
  return g;
}

void read_site(Context& c, const Element& e, RawSite& raw) {
  Site& s = raw.site;
  read_keyword(c, e, "type", kSiteTypes, s.type);
  read_some(c, e, "size", s.size);
  if (std::array<double, 6> fromto; read(c, e, "fromto", fromto)) raw.fromto = fromto;
  read_pose(c, e, s.pos, s.quat);
}

Site finish_site(Context& c, const Element& e, RawSite raw, const Pose& frame) {
  Site s = std::move(raw.site);
  s.source = e.source();
  read_name(c, e, "name", s.name);
  if (raw.fromto) apply_fromto(c, e, *raw.fromto, s);
  // A mesh only gives a site its looks; what counts is the place.
  if (s.type == kGeomMesh) s.type = kGeomSphere;
  place(frame, s);
  return s;
}

void read_pair(Context& c, const Element& e, RawPair& raw) {
  Pair& p = raw.pair;
  read(c, e, "condim", p.condim);
  read_some(c, e, "friction", p.friction);
  read_some(c, e, "solref", p.solref);
  read_some(c, e, "solreffriction", p.solreffriction);
  read_some(c, e, "solimp", p.solimp);
  read(c, e, "gap", p.gap);
  read(c, e, "margin", p.margin);
  read(c, e, "adhesion", raw.adhesion);
}

Pair finish_pair(Context& c, const Element& e, RawPair raw) {
  Pair p = std::move(raw.pair);
  p.source = e.source();
  read_name(c, e, "name", p.name);
  p.geom1 = require_name(c, e, "geom1");
  p.geom2 = require_name(c, e, "geom2");
  if (raw.adhesion != 0) c.unsupported(e, "<pair> adhesion");
  return p;
}

Exclude read_exclude(Context& c, const Element& e) {
  Exclude x;
  x.source = e.source();
  read_name(c, e, "name", x.name);
  x.body1 = require_name(c, e, "body1");
  x.body2 = require_name(c, e, "body2");
  return x;
}

Inertial read_inertial(Context& c, const Element& e) {
  Inertial inertial;
  inertial.source = e.source();
  if (!read(c, e, "pos", inertial.pos)) c.fail(e, "attribute 'pos' is missing");
  if (!read(c, e, "mass", inertial.mass)) c.fail(e, "attribute 'mass' is missing");
  const bool turned = read_orientation(c, e, inertial.quat);
  if (Vec3 diagonal; read(c, e, "diaginertia", diagonal)) inertial.diaginertia = diagonal;
  if (std::array<double, 6> full; read(c, e, "fullinertia", full)) {
    if (inertial.diaginertia || turned) {
      c.fail(e, "fullinertia is given together with diaginertia or an orientation",
             "fullinertia holds both; remove the others");
    }
    inertial.fullinertia = full;
  }
  return inertial;
}

void place_inertial(const Pose& frame, Inertial& inertial) {
  const Pose pose = compose(frame, {inertial.pos, inertial.quat});
  inertial.pos = pose.pos;
  if (!inertial.fullinertia) {
    inertial.quat = pose.quat;
    return;
  }
  // R I R': turn the columns, then the rows.
  const auto& f = *inertial.fullinertia;
  const Vec3 columns[3] = {rotate(frame.quat, {f[0], f[3], f[4]}),
                           rotate(frame.quat, {f[3], f[1], f[5]}),
                           rotate(frame.quat, {f[4], f[5], f[2]})};
  Vec3 rows[3];
  for (size_t i = 0; i < 3; ++i) {
    rows[i] = rotate(frame.quat, {columns[0][i], columns[1][i], columns[2][i]});
  }
  inertial.fullinertia = {rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2]};
}

Key read_key(Context& c, const Element& e) {
  Key k;
  k.source = e.source();
  read_name(c, e, "name", k.name);
  read(c, e, "time", k.time);
  read_vector(c, e, "qpos", k.qpos);
  read_vector(c, e, "qvel", k.qvel);
  read_vector(c, e, "act", k.act);
  read_vector(c, e, "ctrl", k.ctrl);
  read_vector(c, e, "mpos", k.mpos);
  read_vector(c, e, "mquat", k.mquat);
  return k;
}

}  // namespace stepbench::model::mjcf
