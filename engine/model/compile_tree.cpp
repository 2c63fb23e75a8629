// The kinematic tree: bodies, joints, dofs, geoms, sites, reference poses, sparsity of the inertia
// matrix.
#include <algorithm>
#include <cmath>

#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {
namespace {

template <std::size_t N>
void store(std::vector<double>& array, std::size_t row, const std::array<double, N>& values) {
  std::copy(values.begin(), values.end(), array.begin() + std::ptrdiff_t(N * row));
}

int dofs(int type) { return type == kJntFree ? 6 : type == kJntBall ? 3 : 1; }

double bounding_radius(int type, const std::array<double, 3>& s) {
  switch (type) {
    case kGeomSphere:
      return s[0];
    case kGeomCapsule:
      return s[0] + s[1];
    case kGeomCylinder:
      return std::sqrt(s[0] * s[0] + s[1] * s[1]);
    case kGeomEllipsoid:
      return std::max(std::max(s[0], s[1]), s[2]);
    case kGeomBox:
      return std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    default:
      return 0;  // planes have no bound
  }
}

void check_joints(const Spec& spec, const Body& body, bool world) {
  if (body.joints.empty()) return;
  if (world) {
    fail(spec, body.joints[0].source, "joint", "the world body cannot have joints",
         "put the joint into a body");
  }
  const std::string name = named("body", body.name);
  int count = 0;
  bool ball = false;
  for (const Joint& j : body.joints) {
    count += dofs(j.type);
    if (count > 6) {
      fail(spec, j.source, "joint", "more than 6 dofs in " + name,
           "insert a body to hold some of the joints");
    }
    if (ball && (j.type == kJntBall || j.type == kJntHinge)) {
      fail(spec, j.source, "joint", "a rotation after a ball joint in " + name,
           "a ball joint already turns in every direction");
    }
    ball = ball || j.type == kJntBall;
    if (j.type == kJntFree && body.parent != 0) {
      fail(spec, j.source, "joint",
           "a free joint in " + name + ", which is not a child of the world",
           "free joints are allowed on top level only");
    }
    if ((j.springdamper[0] != 0 || j.springdamper[1] != 0) &&
        (j.springdamper[0] <= 0 || j.springdamper[1] <= 0)) {
      fail(spec, j.source, "joint", "springdamper needs two positive numbers",
           "they are a time constant and a damping ratio");
    }
  }
}

// A moving body needs mass and inertia, of its own or of a static child's (which moves along).
bool has_inertia(const Spec& spec, const Model& m, const std::vector<std::vector<int>>& children,
                 std::size_t body) {
  const double* i = &m.body_inertia[3 * body];
  if (m.body_mass[body] >= kMinVal && i[0] >= kMinVal && i[1] >= kMinVal && i[2] >= kMinVal)
    return true;
  return std::any_of(children[body].begin(), children[body].end(), [&](int child) {
    return spec.bodies[std::size_t(child)].joints.empty() &&
           has_inertia(spec, m, children, std::size_t(child));
  });
}

class Tree {
 public:
  Tree(const Spec& spec, Model& m) : spec_(spec), m_(m), children_(spec.bodies.size()) {}

  void run() {
    for (std::size_t b = 1; b < spec_.bodies.size(); ++b) {
      children_[std::size_t(spec_.bodies[b].parent)].push_back(int(b));
    }
    for (std::size_t b = 0; b < spec_.bodies.size(); ++b) body(b);
    for (std::size_t b = 1; b < spec_.bodies.size(); ++b) {
      if (!spec_.bodies[b].joints.empty() && !has_inertia(spec_, m_, children_, b)) {
        fail(spec_, spec_.bodies[b].source, "body",
             "moving " + named("body", spec_.bodies[b].name) + " has no mass or no inertia",
             "add a geom, an <inertial>, or <compiler boundmass boundinertia>");
      }
    }
    trees();
    sparsity();
  }

 private:
  void body(std::size_t b) {
    const Body& in = spec_.bodies[b];
    check_joints(spec_, in, b == 0);
    const BodyParts parts = compile_body(spec_, b, !children_[b].empty());
    const int parent = std::max(in.parent, 0);
    const std::size_t p = std::size_t(parent);

    m_.names.body[b] = in.name;
    m_.body_parentid[b] = parent;
    m_.body_rootid[b] = parent == 0 ? int(b) : m_.body_rootid[p];
    m_.body_weldid[b] = !in.joints.empty() || in.mocap ? int(b) : b == 0 ? 0 : m_.body_weldid[p];
    m_.body_mocapid[b] = in.mocap ? mocap_++ : -1;
    m_.body_jntnum[b] = int(in.joints.size());
    m_.body_jntadr[b] = in.joints.empty() ? -1 : joint_;
    m_.body_geomnum[b] = int(in.geoms.size());
    m_.body_geomadr[b] = in.geoms.empty() ? -1 : geom_;
    store(m_.body_pos, b, parts.pose.pos);
    store(m_.body_quat, b, parts.pose.quat);
    store(m_.body_ipos, b, parts.inertia.pose.pos);
    store(m_.body_iquat, b, parts.inertia.pose.quat);
    m_.body_mass[b] = parts.inertia.mass;
    store(m_.body_inertia, b, parts.inertia.moments);
    m_.body_gravcomp[b] = in.gravcomp;

    last_dof_.push_back(b == 0 ? -1 : last_dof_[p]);
    const int first = dof_;
    for (const Joint& j : in.joints) joint(j, b, parts.pose);
    m_.body_dofnum[b] = dof_ - first;
    m_.body_dofadr[b] = dof_ > first ? first : -1;
    for (std::size_t i = 0; i < in.geoms.size(); ++i) geom(in.geoms[i], parts.geoms[i], b);
    for (std::size_t i = 0; i < in.sites.size(); ++i) site(in.sites[i], parts.sites[i], b);
  }

  void joint(const Joint& in, std::size_t body, const Pose& pose) {
    const std::size_t j = std::size_t(joint_++);
    const bool scalar = in.type == kJntHinge || in.type == kJntSlide;
    Vec3 axis = scalar ? in.axis : Vec3{0, 0, 1};
    if (normalize(axis) < kEps)
      fail(spec_, in.source, "joint", "axis is zero", "give it a direction");

    m_.names.jnt[j] = in.name;
    m_.jnt_type[j] = in.type;
    m_.jnt_qposadr[j] = qpos_;
    m_.jnt_dofadr[j] = dof_;
    m_.jnt_bodyid[j] = int(body);
    m_.jnt_group[j] = in.group;
    m_.jnt_limited[j] = limited(in);
    m_.jnt_actfrclimited[j] =
        scalar && resolve_limited(spec_, in.source, "joint", "actuatorfrcrange",
                                  "actuatorfrclimited", in.actuatorfrclimited, in.actuatorfrcrange);
    if (m_.jnt_actfrclimited[j] && in.actuatorfrcrange[0] >= in.actuatorfrcrange[1]) {
      fail(spec_, in.source, "joint",
           "actuatorfrcrange[0] must be smaller than actuatorfrcrange[1]");
    }
    m_.jnt_actgravcomp[j] = in.actuatorgravcomp;
    store(m_.jnt_solref, j, in.solreflimit);
    store(m_.jnt_solimp, j, in.solimplimit);
    store(m_.jnt_pos, j, in.type == kJntFree ? Vec3{0, 0, 0} : in.pos);
    store(m_.jnt_axis, j, axis);
    m_.jnt_stiffness[j] = in.stiffness[0];
    store(m_.jnt_stiffnesspoly, j, std::array<double, 2>{in.stiffness[1], in.stiffness[2]});
    store(m_.jnt_range, j, in.range);
    store(m_.jnt_actfrcrange, j, in.actuatorfrcrange);
    m_.jnt_margin[j] = in.margin;

    const std::size_t q = std::size_t(qpos_);
    if (in.type == kJntFree) {
      std::copy(pose.pos.begin(), pose.pos.end(), m_.qpos0.begin() + qpos_);
      std::copy(pose.quat.begin(), pose.quat.end(), m_.qpos0.begin() + qpos_ + 3);
      std::copy_n(m_.qpos0.begin() + qpos_, 7, m_.qpos_spring.begin() + qpos_);
      qpos_ += 7;
    } else if (in.type == kJntBall) {
      m_.qpos0[q] = m_.qpos_spring[q] = 1;
      qpos_ += 4;
    } else {
      m_.qpos0[q] = in.ref;
      m_.qpos_spring[q] = in.springref;
      ++qpos_;
    }

    for (int k = 0; k < dofs(in.type); ++k) {
      const std::size_t d = std::size_t(dof_);
      m_.dof_bodyid[d] = int(body);
      m_.dof_jntid[d] = int(j);
      store(m_.dof_solref, d, in.solreffriction);
      store(m_.dof_solimp, d, in.solimpfriction);
      m_.dof_frictionloss[d] = in.frictionloss;
      m_.dof_armature[d] = in.armature;
      m_.dof_damping[d] = in.damping[0];
      store(m_.dof_dampingpoly, d, std::array<double, 2>{in.damping[1], in.damping[2]});
      m_.dof_parentid[d] = last_dof_[body];
      last_dof_[body] = dof_++;
    }
  }

  bool limited(const Joint& in) const {
    if (in.type == kJntFree) return false;
    const bool on =
        resolve_limited(spec_, in.source, "joint", "range", "limited", in.limited, in.range);
    if (!on) return false;
    if (in.type == kJntBall && in.range[0] != 0) {
      fail(spec_, in.source, "joint", "range[0] must be 0 for a ball joint",
           "range[1] is the largest angle from the reference");
    }
    if (in.type != kJntBall && in.range[0] >= in.range[1]) {
      fail(spec_, in.source, "joint", "range[0] must be smaller than range[1]");
    }
    return true;
  }

  void geom(const Geom& in, const Pose& pose, std::size_t body) {
    const std::size_t g = std::size_t(geom_++);
    m_.names.geom[g] = in.name;
    m_.geom_type[g] = in.type;
    m_.geom_contype[g] = in.contype;
    m_.geom_conaffinity[g] = in.conaffinity;
    m_.geom_condim[g] = in.condim;
    m_.geom_bodyid[g] = int(body);
    m_.geom_group[g] = in.group;
    m_.geom_priority[g] = in.priority;
    m_.geom_solmix[g] = in.solmix;
    store(m_.geom_solref, g, in.solref);
    store(m_.geom_solimp, g, in.solimp);
    store(m_.geom_size, g, in.size);
    m_.geom_rbound[g] = bounding_radius(in.type, in.size);
    store(m_.geom_pos, g, pose.pos);
    store(m_.geom_quat, g, pose.quat);
    store(m_.geom_friction, g, in.friction);
    m_.geom_margin[g] = in.margin;
    m_.geom_gap[g] = in.gap;
  }

  void site(const Site& in, const Pose& pose, std::size_t body) {
    const std::size_t s = std::size_t(site_++);
    m_.names.site[s] = in.name;
    m_.site_type[s] = in.type;
    m_.site_bodyid[s] = int(body);
    store(m_.site_size, s, in.size);
    store(m_.site_pos, s, pose.pos);
    store(m_.site_quat, s, pose.quat);
  }

  // A tree begins at each dof without a parent; a body belongs to the tree that moves it.
  void trees() {
    m_.ntree = 0;
    for (std::size_t d = 0; d < std::size_t(m_.nv); ++d) {
      if (m_.dof_parentid[d] < 0) ++m_.ntree;
      m_.dof_treeid[d] = m_.ntree - 1;
    }
    for (std::size_t b = 0; b < std::size_t(m_.nbody); ++b) {
      const std::size_t weld = std::size_t(m_.body_weldid[b]);
      m_.body_treeid[b] =
          m_.body_dofnum[weld] > 0 ? m_.dof_treeid[std::size_t(m_.body_dofadr[weld])] : -1;
    }
  }

  void sparsity() {
    m_.nM = 0;
    for (std::size_t d = 0; d < std::size_t(m_.nv); ++d) {
      const int parent = m_.dof_parentid[d];
      m_.M_rownnz[d] = parent < 0 ? 1 : m_.M_rownnz[std::size_t(parent)] + 1;
      m_.M_rowadr[d] = m_.nM;
      if (m_.nM > kMaxEntries - m_.M_rownnz[d]) {
        fail(spec_, spec_.bodies[std::size_t(m_.dof_bodyid[d])].source, "body",
             "the inertia matrix has more than " + std::to_string(kMaxEntries) + " entries",
             "make the kinematic chains shorter");
      }
      m_.nM += m_.M_rownnz[d];
    }
    m_.M_colind.reserve(std::size_t(m_.nM));
    for (std::size_t d = 0; d < std::size_t(m_.nv); ++d) {
      const int parent = m_.dof_parentid[d];
      if (parent >= 0) {
        const std::size_t begin = std::size_t(m_.M_rowadr[std::size_t(parent)]);
        const std::size_t count = std::size_t(m_.M_rownnz[std::size_t(parent)]);
        for (std::size_t k = begin; k < begin + count; ++k) m_.M_colind.push_back(m_.M_colind[k]);
      }
      m_.M_colind.push_back(int(d));
    }
  }

  static constexpr int kMaxEntries = 100'000'000;

  const Spec& spec_;
  Model& m_;
  std::vector<std::vector<int>> children_;
  std::vector<int> last_dof_;  // per body: last dof of the chain from the world to it, -1: none
  int joint_ = 0, dof_ = 0, qpos_ = 0, geom_ = 0, site_ = 0, mocap_ = 0;
};

}  // namespace

void compile_tree(const Spec& spec, Model& m) { Tree(spec, m).run(); }

}  // namespace stepbench::model::detail
