#include "engine/model/links.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "engine/model/enums.h"
#include "engine/model/model.h"

namespace stepbench::model {

namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double kTiny = 1e-14;  // angles and lengths that are rounding of 0

Vector3d vec(const double* a) { return {a[0], a[1], a[2]}; }
Quaterniond quat(const double* a) { return Quaterniond(a[0], a[1], a[2], a[3]).normalized(); }

// Poses of all bodies at qpos0, where no joint moves anything.
struct Pose {
  Matrix3d rot = Matrix3d::Identity();
  Vector3d pos = Vector3d::Zero();
};
std::vector<Pose> reference_poses(const Model& m) {
  std::vector<Pose> pose(size_t(m.nbody));
  for (size_t b = 1; b < size_t(m.nbody); ++b) {
    const Pose& up = pose[size_t(m.body_parentid[b])];
    pose[b].rot = up.rot * quat(&m.body_quat[4 * b]).toRotationMatrix();
    pose[b].pos = up.pos + up.rot * vec(&m.body_pos[3 * b]);
  }
  return pose;
}

bool fits(const Model& m) {
  if (m.nv == 0 || m.njnt != m.nv) return false;
  for (int type : m.jnt_type) {
    if (type != kJntHinge && type != kJntSlide) return false;
  }
  for (double x : m.body_gravcomp) {
    if (x != 0) return false;
  }
  return true;
}

double snapped(double x) {
  for (double whole : {0.0, 1.0, -1.0}) {
    if (std::fabs(x - whole) < kTiny) return whole;
  }
  return x;
}

class Builder {
 public:
  explicit Builder(const Model& m)
      : m_(m), body_(reference_poses(m)), frame_(size_t(m.nv)), links_(size_t(m.nv)) {}

  std::vector<Link<double>> build() {
    for (size_t i = 0; i < links_.size(); ++i) topology(i);
    for (size_t i = 0; i < links_.size(); ++i) place(i);
    for (size_t b = 1; b < size_t(m_.nbody); ++b) add_body(b);
    for (size_t i = links_.size(); i-- > 0;) finish(i);
    return links_;
  }

 private:
  void set(size_t i, int flag) { links_[i].flags |= flag; }

  void topology(size_t i) {
    Link<double>& k = links_[i];
    k = {};
    k.parent = m_.dof_parentid[i];
    const size_t j = size_t(m_.dof_jntid[i]);
    k.q0 = m_.qpos0[size_t(m_.jnt_qposadr[j])];
    if (m_.jnt_type[j] == kJntSlide) set(i, kLinkSlide);
    if (k.parent < 0) return;
    const size_t p = size_t(k.parent);
    if (i == p + 1) set(p, kLinkCarriesNext);
    for (size_t c = p + 1; c < i; ++c) {
      if (links_[c].parent != k.parent) continue;
      set(p, kLinkBranches);
      links_[c].flags &= ~kLinkLastChild;
    }
    set(i, kLinkLastChild);
  }

  Vector3d axis(size_t i) const {
    const size_t j = size_t(m_.dof_jntid[i]);
    return body_[size_t(m_.jnt_bodyid[j])].rot * vec(&m_.jnt_axis[3 * j]);
  }
  Vector3d anchor(size_t i) const {
    const size_t j = size_t(m_.dof_jntid[i]);
    const Pose& b = body_[size_t(m_.jnt_bodyid[j])];
    return b.pos + b.rot * vec(&m_.jnt_pos[3 * j]);
  }

  // A unit vector orthogonal to z.
  static Vector3d across(const Vector3d& z) {
    Eigen::Index k = 0;
    z.cwiseAbs().minCoeff(&k);
    return (Vector3d::Unit(k) - z[k] * z).normalized();
  }

  // x axis of link i that leaves its first tilted child without a heading; 0 where there is none.
  Vector3d wanted_x(size_t i, const Vector3d& z) const {
    for (size_t c = i + 1; c < links_.size(); ++c) {
      if (links_[c].parent != int(i)) continue;
      const Vector3d n = z.cross(axis(c));
      if (n.norm() > kTiny) return n.normalized();
    }
    return Vector3d::Zero();
  }

  // Frame of link i at qpos0, and how it is reached from its parent's.
  void place(size_t i) {
    Link<double>& k = links_[i];
    Vector3d z = axis(i), n, origin = anchor(i);
    if (k.parent < 0) {
      n = across(z);
    } else {
      const Pose& up = frame_[size_t(k.parent)];
      const Vector3d up_z = up.rot.col(2), up_x = up.rot.col(0);
      n = up_z.cross(z);
      if (n.norm() > kTiny) {
        const double sine = n.norm(), cosine = up_z.dot(z);
        n /= sine;
        k.tilt_sin = snapped(sine);
        k.tilt_cos = snapped(cosine);
        set(i, k.tilt_sin == 1 && k.tilt_cos == 0 ? kLinkQuarter : kLinkTilted);
        k.heading_cos = snapped(up_x.dot(n));
        k.heading_sin = snapped(up.rot.col(1).dot(n));
        if (k.heading_cos != 1) set(i, kLinkHeading);
        // Along the axis to the foot of the common normal, unless the axes are nearly parallel.
        if (!(k.flags & kLinkSlide) && sine > 0.1) {
          const Vector3d y = up_z.cross(n);
          origin -= z * ((origin - up.pos).dot(y) / z.dot(y));
        }
      } else {
        if (up_z.dot(z) < 0) {
          z = -z;
          set(i, kLinkReversed);
        }
        n = up_x;
        if (!(k.flags & kLinkSlide)) origin -= z * (origin - up.pos).dot(z);
      }
      const Vector3d r = up.rot.transpose() * (origin - up.pos);
      const int shift[3] = {kLinkShiftX, kLinkShiftY, kLinkShiftZ};
      for (int a = 0; a < 3; ++a) {
        k.r[a] = std::fabs(r[a]) < kTiny ? 0 : r[a];
        if (k.r[a] != 0) set(i, shift[a]);
      }
    }
    // The joint's own turn from n to x.
    Vector3d x = n;
    if (!(k.flags & kLinkSlide)) {
      const Vector3d wanted = wanted_x(i, z);
      if (wanted.norm() > 0) x = wanted;
      const double quarter = std::numbers::pi / 2;
      const double angle = std::atan2(x.dot(z.cross(n)), x.dot(n)), turns = angle / quarter;
      if (std::fabs(turns - std::round(turns)) < kTiny) {
        k.turns = int(std::round(turns)) & 3;
      } else {
        k.turns = -1;
        k.turn_cos = std::cos(angle);
        k.turn_sin = std::sin(angle);
      }
    }
    Pose& f = frame_[i];
    f.rot << x, z.cross(x), z;
    f.pos = origin;
    if (k.parent < 0 && !(m_.opt.disableflags & kDsblGravity)) {
      Matrix3d before;
      before << n, z.cross(n), z;
      const Vector3d up = before.transpose() * -vec(m_.opt.gravity);
      for (int a = 0; a < 3; ++a) k.start[a] = up[a];
    }
  }

  // Mass and moments of body b join those of the link that carries it.
  void add_body(size_t b) {
    if (m_.body_treeid[b] < 0) return;
    const size_t w = size_t(m_.body_weldid[b]);
    const size_t i = size_t(m_.body_dofadr[w] + m_.body_dofnum[w] - 1);
    Link<double>& k = links_[i];
    const Pose& f = frame_[i];
    const Matrix3d rot =
        f.rot.transpose() * body_[b].rot * quat(&m_.body_iquat[4 * b]).toRotationMatrix();
    const Vector3d c =
        f.rot.transpose() * (body_[b].pos + body_[b].rot * vec(&m_.body_ipos[3 * b]) - f.pos);
    const double mass = m_.body_mass[b];
    const Vector3d inertia = vec(&m_.body_inertia[3 * b]);
    // Second moments of the principal axes: half the trace less the moment of inertia.
    const Vector3d principal = Vector3d::Constant(inertia.sum() / 2) - inertia;
    const Matrix3d second =
        rot * principal.asDiagonal() * rot.transpose() + mass * c * c.transpose();
    k.mass += mass;
    for (int a = 0; a < 3; ++a) k.first[a] += mass * c[a];
    const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int a = 0; a < 6; ++a) k.second[a] += second(row[a], col[a]);
  }

  void finish(size_t i) {
    Link<double>& k = links_[i];
    const double scale = k.second[0] + k.second[1] + k.second[2];
    const auto is_zero = [&](double x, double whole) { return std::fabs(x) <= kTiny * whole; };
    for (double& x : k.first) x = is_zero(x, k.mass) ? 0 : x;
    for (double& x : k.second) x = is_zero(x, scale) ? 0 : x;
    if (k.first[0] == 0 && k.first[1] == 0 && k.first[2] == 0) set(i, kLinkCentred);
    if (k.second[3] == 0 && k.second[4] == 0 && k.second[5] == 0) set(i, kLinkDiagonal);
    if (k.mass == 0 && scale == 0) set(i, kLinkMassless);
    k.carried_mass += k.mass;
    if (k.parent >= 0) links_[size_t(k.parent)].carried_mass += k.carried_mass;
    for (int a = 0; a < 3; ++a) k.half_mr[a] = k.carried_mass / 2 * k.r[a];
  }

  const Model& m_;
  std::vector<Pose> body_, frame_;
  std::vector<Link<double>> links_;
};

}  // namespace

std::vector<Link<double>> make_links(const Model& m) {
  return fits(m) ? Builder(m).build() : std::vector<Link<double>>{};
}

}  // namespace stepbench::model
