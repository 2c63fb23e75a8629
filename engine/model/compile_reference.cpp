#include "engine/model/compile_reference.h"

#include <algorithm>
#include <cmath>

namespace stepbench::model::detail {
namespace {

// Inertia about a point: xx yy zz xy xz yz of the rotational part, mass times offset, mass.
using Inertia10 = std::array<double, 10>;

double product(const Vec6& a, const Vec6& b) {
  DotProduct dot(6);
  for (std::size_t i = 0; i < 6; ++i) dot.add(i, a[i] * b[i]);
  return dot.sum();
}

// Sum of row[i] x(i) over n ancestors, in the order of MuJoCo's sparse dot product: four
// interleaved partial sums, then the rest one by one.
template <class X>
double row_product(const double* row, std::size_t n, const X& x) {
  const std::size_t whole = n - n % 4;
  double part[4] = {0, 0, 0, 0};
  for (std::size_t i = 0; i < whole; ++i) part[i % 4] += row[i] * x(i);
  double sum = (part[0] + part[2]) + (part[1] + part[3]);
  for (std::size_t i = whole; i < n; ++i) sum += row[i] * x(i);
  return sum;
}

// Momentum of an inertia that moves with v.
Vec6 apply(const Inertia10& i, const Vec6& v) {
  return {i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
          i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
          i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
          i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
          i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
          i[7] * v[0] - i[6] * v[1] + i[9] * v[5]};
}

// Quaternion algebra in the order of MuJoCo 4.0.0's step, which sums by pairs (found by comparing
// last digits); the compiler's own (compile_math.h) sums from left to right.
Quat step_product(const Quat& a, const Quat& b) {
  return {(a[0] * b[0] - a[1] * b[1]) - (a[2] * b[2] + a[3] * b[3]),
          (a[0] * b[1] + a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]),
          (a[0] * b[2] - a[1] * b[3]) + (a[2] * b[0] + a[3] * b[1]),
          (a[0] * b[3] + a[1] * b[2]) - (a[2] * b[1] - a[3] * b[0])};
}

Mat3 step_matrix(const Quat& q) {
  Mat3 r = to_matrix(q);
  if (q == kUnitQuat) return r;
  const double ww = q[0] * q[0], xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
  r[0] = (ww - yy) + (xx - zz);
  r[4] = (ww + yy) - (xx + zz);
  r[8] = (ww - yy) - (xx - zz);
  return r;
}

void step_normalize(Quat& q) {
  const double norm = std::sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
  if (norm < kMinVal) {
    q = kUnitQuat;
  } else if (std::abs(norm - 1) > kMinVal) {
    for (double& x : q) x *= 1 / norm;
  }
}

}  // namespace

bool near_zero(const Vec3& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::abs(x) < 1e-6; });
}

// Rotation by less than MuJoCo's frame tolerance, in either sign of the quaternion.
bool near_unit(const Quat& q) {
  return near_zero({q[1], q[2], q[3]}) && (std::abs(q[0] - 1) < 1e-6 || std::abs(q[0] + 1) < 1e-6);
}

ReferenceDynamics::ReferenceDynamics(const Model& m) : m_(m) {
  place_bodies();
  find_centres();
  place_axes();
  inertia_matrix();
  factor();
}

std::pair<std::size_t, std::size_t> ReferenceDynamics::dofs_of(std::size_t joint) const {
  const int type = m_.jnt_type[joint];
  return {std::size_t(m_.jnt_dofadr[joint]), type == kJntFree ? 6u : type == kJntBall ? 3u : 1u};
}

// Poses of bodies and joint anchors at qpos0, where no joint is displaced.
void ReferenceDynamics::place_bodies() {
  const std::size_t n = std::size_t(m_.nbody);
  pose_.resize(n);
  matrix_.assign(n, to_matrix(kUnitQuat));
  centre_.assign(n, Vec3{0, 0, 0});
  anchor_.resize(std::size_t(m_.njnt));
  turned_axis_.resize(std::size_t(m_.njnt));
  for (std::size_t b = 1; b < n; ++b) {
    const std::size_t parent = std::size_t(m_.body_parentid[b]);
    Pose& pose = pose_[b];
    pose = {vec3(m_.body_pos, int(b)), quat4(m_.body_quat, 4 * b)};
    if (parent > 0) {
      pose.pos = multiply(matrix_[parent], pose.pos) + pose_[parent].pos;
      pose.quat = step_product(pose_[parent].quat, pose.quat);
    }
    for (int k = 0; k < m_.body_jntnum[b]; ++k) {
      const int j = m_.body_jntadr[b] + k, type = m_.jnt_type[std::size_t(j)];
      const Vec3 offset = rotate(pose.quat, vec3(m_.jnt_pos, j));
      anchor_[std::size_t(j)] = offset + pose.pos;
      turned_axis_[std::size_t(j)] = rotate(pose.quat, vec3(m_.jnt_axis, j));
      if (type == kJntHinge || type == kJntBall) pose.pos = anchor_[std::size_t(j)] - offset;
    }
    step_normalize(pose.quat);
    matrix_[b] = step_matrix(pose.quat);
    centre_[b] = multiply(matrix_[b], vec3(m_.body_ipos, int(b))) + pose.pos;
  }
}

// Centres of mass of the subtrees; those of root bodies are the reference points of their trees.
void ReferenceDynamics::find_centres() {
  const std::size_t n = std::size_t(m_.nbody);
  subtree_centre_.assign(n, Vec3{0, 0, 0});
  for (std::size_t b = n; b-- > 0;) {
    Vec3& centre = subtree_centre_[b];
    centre = centre + m_.body_mass[b] * centre_[b];
    if (b > 0) {
      Vec3& parent = subtree_centre_[std::size_t(m_.body_parentid[b])];
      parent = parent + centre;
    }
    const double mass = m_.body_subtreemass[b];
    centre = mass < kMinVal ? centre_[b] : (1 / mass) * centre;
  }
}

void ReferenceDynamics::place_axes() {
  axis_.resize(std::size_t(m_.nv));
  for (std::size_t j = 0; j < std::size_t(m_.njnt); ++j) {
    const std::size_t body = std::size_t(m_.jnt_bodyid[j]), dof = std::size_t(m_.jnt_dofadr[j]);
    const Vec3 arm = reference(body) - anchor_[j];
    const auto turn = [&](std::size_t k, const Vec3& a) {
      const Vec3 v = cross(a, arm);
      axis_[k] = {a[0], a[1], a[2], v[0], v[1], v[2]};
    };
    const auto column = [&](std::size_t k) {
      return Vec3{matrix_[body][k], matrix_[body][k + 3], matrix_[body][k + 6]};
    };
    const Vec3& axis = turned_axis_[j];
    switch (m_.jnt_type[j]) {
      case kJntFree:
        for (std::size_t k = 0; k < 3; ++k) {
          axis_[dof + k] = {0, 0, 0, 0, 0, 0};
          axis_[dof + k][3 + k] = 1;
          turn(dof + 3 + k, column(k));
        }
        break;
      case kJntBall:
        for (std::size_t k = 0; k < 3; ++k) turn(dof + k, column(k));
        break;
      case kJntSlide:
        axis_[dof] = {0, 0, 0, axis[0], axis[1], axis[2]};
        break;
      default:
        turn(dof, axis);
        break;
    }
  }
}

Inertia10 ReferenceDynamics::inertia_of(std::size_t b) const {
  const double mass = m_.body_mass[b];
  Quat quat = pose_[b].quat;
  const Quat inertial = quat4(m_.body_iquat, 4 * b);
  if (!near_unit(inertial)) quat = step_product(quat, inertial);
  const Mat3 r = step_matrix(quat);
  const Vec3 moments = vec3(m_.body_inertia, int(b));
  const Vec3 d = centre_[b] - reference(b);
  const auto entry = [&](std::size_t i, std::size_t j) {
    return r[3 * i] * (r[3 * j] * moments[0]) + r[3 * i + 1] * (r[3 * j + 1] * moments[1]) +
           r[3 * i + 2] * (r[3 * j + 2] * moments[2]);
  };
  return {entry(0, 0) + mass * (d[1] * d[1] + d[2] * d[2]),
          entry(1, 1) + mass * (d[0] * d[0] + d[2] * d[2]),
          entry(2, 2) + mass * (d[0] * d[0] + d[1] * d[1]),
          entry(0, 1) - mass * d[0] * d[1],
          entry(0, 2) - mass * d[0] * d[2],
          entry(1, 2) - mass * d[1] * d[2],
          mass * d[0],
          mass * d[1],
          mass * d[2],
          mass};
}

// Armature of the joints, with that of the actuators seen through their gears.
std::vector<double> ReferenceDynamics::total_armature() const {
  std::vector<double> actuator(std::size_t(m_.njnt), 0), total = m_.dof_armature;
  for (std::size_t i = 0; i < std::size_t(m_.nu); ++i) {
    const double gear = m_.actuator_gear[6 * i];
    actuator[std::size_t(m_.actuator_trnid[2 * i])] += m_.actuator_armature[i] * (gear * gear);
  }
  for (std::size_t k = 0; k < total.size(); ++k) total[k] += actuator[std::size_t(m_.dof_jntid[k])];
  return total;
}

void ReferenceDynamics::inertia_matrix() {
  const std::size_t n = std::size_t(m_.nbody);
  std::vector<Inertia10> composite(n);
  for (std::size_t b = 1; b < n; ++b) {
    if (m_.body_treeid[b] >= 0) composite[b] = inertia_of(b);
  }
  for (std::size_t b = n - 1; b > 0; --b) {
    const std::size_t parent = std::size_t(m_.body_parentid[b]);
    if (m_.body_treeid[b] < 0 || parent == 0) continue;
    for (std::size_t i = 0; i < 10; ++i) composite[parent][i] += composite[b][i];
  }
  const std::vector<double> armature = total_armature();
  L_.resize(std::size_t(m_.nM));
  diagonal_.resize(std::size_t(m_.nv));
  for (std::size_t k = 0; k < std::size_t(m_.nv); ++k) {
    const Vec6 momentum = apply(composite[std::size_t(m_.dof_bodyid[k])], axis_[k]);
    const std::size_t row = std::size_t(m_.M_rowadr[k]), count = std::size_t(m_.M_rownnz[k]);
    for (std::size_t i = row; i < row + count; ++i) {
      L_[i] = product(axis_[std::size_t(m_.M_colind[i])], momentum);
    }
    diagonal_[k] = L_[row + count - 1] += armature[k];
  }
}

// M = L'DL in place. L_ keeps D on its diagonal (unused), inverse_D_ its inverse.
void ReferenceDynamics::factor() {
  const std::size_t n = std::size_t(m_.nv);
  inverse_D_.resize(n);
  for (std::size_t k = n; k-- > 0;) {
    double* row = &L_[std::size_t(m_.M_rowadr[k])];
    const int* ancestor = &m_.M_colind[std::size_t(m_.M_rowadr[k])];
    const std::size_t above = std::size_t(m_.M_rownnz[k]) - 1;
    row[above] = std::max(row[above], kMinVal);
    const double inverse = inverse_D_[k] = 1 / row[above];
    for (std::size_t a = above; a-- > 0;) {
      double* target = &L_[std::size_t(m_.M_rowadr[std::size_t(ancestor[a])])];
      const double scale = -row[a] * inverse;
      for (std::size_t i = 0; i <= a; ++i) target[i] += row[i] * scale;
    }
    for (std::size_t i = 0; i < above; ++i) row[i] *= inverse;
  }
}

void ReferenceDynamics::solve_on_chain(const int* chain, std::size_t n, double* x) const {
  for (std::size_t i = n; i-- > 0;) {
    const double* row = row_of_L(std::size_t(chain[i]));
    if (x[i] == 0) continue;
    for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = row_of_L(std::size_t(chain[i]));
    x[i] = x[i] * inverse_D_[std::size_t(chain[i])] -
           row_product(row, i, [&](std::size_t j) { return x[j]; });
  }
}

std::pair<const int*, std::size_t> ReferenceDynamics::chain_of(std::size_t body) const {
  while (body > 0 && m_.body_dofnum[body] == 0) body = std::size_t(m_.body_parentid[body]);
  if (body == 0) return {nullptr, 0};
  const std::size_t last = std::size_t(m_.body_dofadr[body] + m_.body_dofnum[body] - 1);
  return {&m_.M_colind[std::size_t(m_.M_rowadr[last])], std::size_t(m_.M_rownnz[last])};
}

std::pair<std::size_t, std::size_t> ReferenceDynamics::solve_tree(std::size_t first,
                                                                  std::size_t count,
                                                                  std::vector<double>& x) const {
  const int tree = m_.dof_treeid[first];
  std::size_t begin = first, end = first + count;
  while (begin > 0 && m_.dof_treeid[begin - 1] == tree) --begin;
  while (end < x.size() && m_.dof_treeid[end] == tree) ++end;

  for (int i = int(first + count) - 1; i >= 0; i = m_.dof_parentid[std::size_t(i)]) {
    const std::size_t k = std::size_t(i), row = std::size_t(m_.M_rowadr[k]);
    const std::size_t above = std::size_t(m_.M_rownnz[k]) - 1;
    if (x[k] == 0) continue;
    for (std::size_t a = row; a < row + above; ++a) x[std::size_t(m_.M_colind[a])] -= L_[a] * x[k];
  }
  for (std::size_t k = begin; k < end; ++k) {
    const std::size_t row = std::size_t(m_.M_rowadr[k]), above = std::size_t(m_.M_rownnz[k]) - 1;
    x[k] = x[k] * inverse_D_[k] - row_product(&L_[row], above, [&](std::size_t a) {
             return x[std::size_t(m_.M_colind[row + a])];
           });
  }
  return {begin, end};
}

}  // namespace stepbench::model::detail
