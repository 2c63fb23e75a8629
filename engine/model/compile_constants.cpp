// Inverse weights and the like, from the joint-space inertia matrix M at qpos0.
//
// Definitions (MuJoCo's engine_setconst.c; reference mujoco_warp.md 6.2):
//   body_invweight0 = (mean of the diagonals of the 3x3 blocks of J M^-1 J'), J at the body's centre,
//   dof_invweight0  = diagonal of M^-1, averaged over the dofs of a ball joint, and over the three
//                     translations and three rotations of a free joint,
//   actuator_acc0   = |M^-1 r|, r the moment row of the actuator,
//   damping ratio   -> 2 ratio sqrt(kp / (r' M^-1 r)).
// M comes from composite inertias and is factored as L'DL over its own pattern (Featherstone, Rigid Body
// Dynamics Algorithms, 6.2 and 6.5). Row i of L holds dof i's ancestors, so a solve that starts on the
// chain of a body and is read on that chain never leaves it: O(depth^2) per body, where MuJoCo goes
// through all dofs.
//
// Every sum runs in MuJoCo's order, four partial sums in its dot products included. Joints that act almost
// alike make M ill-conditioned (six hinges of one axis: 1e5), and then only the same rounding gives the
// same first twelve digits. Tried and dropped: articulated-body recursions, O(1) per body and more
// accurate, but 3e-12 off MuJoCo's own numbers in that case.
//
// Spatial vectors are (rotation, translation) in world axes about the centre of mass of the tree.
#include "engine/model/compile_constants.h"

#include <algorithm>
#include <cmath>

#include "engine/model/compile_math.h"

namespace stepbench::model::detail {
namespace {

using Vec6 = std::array<double, 6>;

// Inertia about a point: xx yy zz xy xz yz of the rotational part, mass times offset, mass.
using Inertia10 = std::array<double, 10>;

// Sum of n products in MuJoCo's order: four interleaved partial sums, then what is left over.
class DotProduct {
 public:
  explicit DotProduct(std::size_t n) : whole_(n - n % 4) {}
  void add(std::size_t index, double product) {
    (index < whole_ ? part_[index % 4] : rest_) += product;
  }
  double sum() const { return (part_[0] + part_[2]) + (part_[1] + part_[3]) + rest_; }

 private:
  std::size_t whole_;
  double part_[4] = {0, 0, 0, 0}, rest_ = 0;
};

double product(const Vec6& a, const Vec6& b) {
  DotProduct dot(6);
  for (std::size_t i = 0; i < 6; ++i) dot.add(i, a[i] * b[i]);
  return dot.sum();
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

Vec3 vec3(const std::vector<double>& v, int i) {
  const std::size_t k = 3 * std::size_t(i);
  return {v[k], v[k + 1], v[k + 2]};
}

Quat quat4(const std::vector<double>& v, std::size_t k) { return {v[k], v[k + 1], v[k + 2], v[k + 3]}; }

bool near_zero(const Vec3& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::abs(x) < 1e-6; });
}

// Rotation by less than MuJoCo's frame tolerance, in either sign of the quaternion.
bool near_unit(const Quat& q) {
  return near_zero({q[1], q[2], q[3]}) && (std::abs(q[0] - 1) < 1e-6 || std::abs(q[0] + 1) < 1e-6);
}

// Bodies moved by slides alone whose inertia is diagonal: MuJoCo takes 1/mass for them and leaves armature
// aside ("simple" bodies of level 2).
std::vector<char> sliding_bodies(const Model& m) {
  std::vector<char> simple(std::size_t(m.nbody), 0);
  for (int b = 0; b < m.nbody; ++b) {
    const std::size_t i = std::size_t(b), parent = std::size_t(m.body_parentid[i]);
    const bool top = m.body_rootid[i] == b ||
                     (m.body_parentid[parent] == 0 && m.body_dofnum[parent] == 0);
    simple[i] = top && near_zero(vec3(m.body_ipos, b)) && near_unit(quat4(m.body_iquat, 4 * i));
    if (parent > 0) simple[parent] = 0;
    const int end = m.body_jntadr[i] + m.body_jntnum[i];
    for (int j = m.body_jntadr[i]; j < end && m.body_jntnum[i] > 0; ++j) {
      const Vec3 axis = vec3(m.jnt_axis, j);
      const auto along = std::count_if(axis.begin(), axis.end(),
                                       [](double x) { return std::abs(x) > kEps; });
      if (m.jnt_type[std::size_t(j)] != kJntSlide || along != 1 || !near_zero(vec3(m.jnt_pos, j))) {
        simple[i] = 0;
      }
    }
    if (m.body_dofnum[i] == 0) simple[i] = 0;
  }
  return simple;
}

class Constants {
 public:
  explicit Constants(Model& m) : m_(m) {}

  void run() {
    subtree_masses();
    if (m_.nv > 0) {
      place_bodies();
      find_centres();
      place_axes();
      inertia_matrix();
      factor();
      body_weights();
      dof_weights();
    }
    actuators();
  }

 private:
  void subtree_masses() {
    m_.body_subtreemass = m_.body_mass;
    for (std::size_t b = std::size_t(m_.nbody) - 1; b > 0; --b) {
      m_.body_subtreemass[std::size_t(m_.body_parentid[b])] += m_.body_subtreemass[b];
    }
  }

  // Poses of bodies and joint anchors at qpos0, where no joint is displaced.
  void place_bodies() {
    const std::size_t n = std::size_t(m_.nbody);
    pose_.resize(n);
    matrix_.assign(n, to_matrix(kUnitQuat));
    centre_.assign(n, Vec3{0, 0, 0});
    anchor_.resize(std::size_t(m_.njnt));
    for (std::size_t b = 1; b < n; ++b) {
      const std::size_t parent = std::size_t(m_.body_parentid[b]);
      Pose& pose = pose_[b];
      pose = {vec3(m_.body_pos, int(b)), quat4(m_.body_quat, 4 * b)};
      if (parent > 0) {
        pose.pos = multiply(matrix_[parent], pose.pos) + pose_[parent].pos;
        pose.quat = raw_product(pose_[parent].quat, pose.quat);
      }
      for (int k = 0; k < m_.body_jntnum[b]; ++k) {
        const int j = m_.body_jntadr[b] + k, type = m_.jnt_type[std::size_t(j)];
        const Vec3 offset = rotate(pose.quat, vec3(m_.jnt_pos, j));
        anchor_[std::size_t(j)] = offset + pose.pos;
        if (type == kJntHinge || type == kJntBall) pose.pos = anchor_[std::size_t(j)] - offset;
      }
      normalize_exactly(pose.quat);
      matrix_[b] = to_matrix(pose.quat);
      centre_[b] = multiply(matrix_[b], vec3(m_.body_ipos, int(b))) + pose.pos;
    }
  }

  // Product without the compiler's clean-up of lengths, as in MuJoCo's step.
  static Quat raw_product(const Quat& a, const Quat& b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  }

  static void normalize_exactly(Quat& q) {
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (norm < kMinVal) {
      q = kUnitQuat;
    } else if (std::abs(norm - 1) > kMinVal) {
      for (double& x : q) x *= 1 / norm;
    }
  }

  // Centres of mass of the subtrees; those of root bodies are the reference points of their trees.
  void find_centres() {
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

  const Vec3& reference(std::size_t body) const {
    return subtree_centre_[std::size_t(m_.body_rootid[body])];
  }

  void place_axes() {
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
      const Vec3 axis = rotate(pose_[body].quat, vec3(m_.jnt_axis, int(j)));
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
        case kJntSlide: axis_[dof] = {0, 0, 0, axis[0], axis[1], axis[2]}; break;
        default: turn(dof, axis); break;
      }
    }
  }

  Inertia10 inertia_of(std::size_t b) const {
    const double mass = m_.body_mass[b];
    Quat quat = pose_[b].quat;
    const Quat inertial = quat4(m_.body_iquat, 4 * b);
    if (!near_unit(inertial)) quat = raw_product(quat, inertial);
    const Mat3 r = to_matrix(quat);
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

  std::pair<std::size_t, std::size_t> dofs_of(std::size_t joint) const {
    const int type = m_.jnt_type[joint];
    return {std::size_t(m_.jnt_dofadr[joint]), type == kJntFree ? 6u : type == kJntBall ? 3u : 1u};
  }

  // Armature of the joints, with that of the actuators seen through their gears.
  std::vector<double> total_armature() const {
    std::vector<double> actuator(std::size_t(m_.njnt), 0), total = m_.dof_armature;
    for (std::size_t i = 0; i < std::size_t(m_.nu); ++i) {
      const double gear = m_.actuator_gear[6 * i];
      actuator[std::size_t(m_.actuator_trnid[2 * i])] += m_.actuator_armature[i] * (gear * gear);
    }
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += actuator[std::size_t(m_.dof_jntid[k])];
    return total;
  }

  void inertia_matrix() {
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
    double sum = 0;
    for (std::size_t k = 0; k < std::size_t(m_.nv); ++k) {
      const Vec6 momentum = apply(composite[std::size_t(m_.dof_bodyid[k])], axis_[k]);
      const std::size_t row = std::size_t(m_.M_rowadr[k]), count = std::size_t(m_.M_rownnz[k]);
      for (std::size_t i = row; i < row + count; ++i) {
        L_[i] = product(axis_[std::size_t(m_.M_colind[i])], momentum);
      }
      m_.dof_M0[k] = L_[row + count - 1] += armature[k];
      sum += m_.dof_M0[k];
    }
    m_.meaninertia = sum / m_.nv;
  }

  // M = L'DL in place. L_ keeps D on its diagonal (unused), inverse_D_ its inverse.
  void factor() {
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

  const double* row_of_L(std::size_t dof) const { return &L_[std::size_t(m_.M_rowadr[dof])]; }

  // x <- M^-1 x on a chain of dofs (each the parent of the next), where x vanishes elsewhere and is asked
  // for there only.
  void solve_on_chain(const int* chain, std::size_t n, double* x) const {
    for (std::size_t i = n; i-- > 0;) {
      const double* row = row_of_L(std::size_t(chain[i]));
      if (x[i] == 0) continue;
      for (std::size_t j = 0; j < i; ++j) x[j] -= row[j] * x[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double* row = row_of_L(std::size_t(chain[i]));
      x[i] *= inverse_D_[std::size_t(chain[i])];
      for (std::size_t j = 0; j < i; ++j) x[i] -= row[j] * x[j];
    }
  }

  // Dofs that move a body, from the root on.
  std::pair<const int*, std::size_t> chain_of(std::size_t body) const {
    while (body > 0 && m_.body_dofnum[body] == 0) body = std::size_t(m_.body_parentid[body]);
    if (body == 0) return {nullptr, 0};
    const std::size_t last = std::size_t(m_.body_dofadr[body] + m_.body_dofnum[body] - 1);
    return {&m_.M_colind[std::size_t(m_.M_rowadr[last])], std::size_t(m_.M_rownnz[last])};
  }

  void body_weights() {
    const std::vector<char> sliding = sliding_bodies(m_);
    std::vector<double> J, x;
    for (std::size_t b = 1; b < std::size_t(m_.nbody); ++b) {
      double* weight = &m_.body_invweight0[2 * b];
      if (sliding[b]) {
        weight[0] = 1 / std::max(kMinVal, m_.body_mass[b]);
        continue;
      }
      const auto [chain, n] = chain_of(b);
      if (n == 0) continue;
      const Vec3 d = centre_[b] - reference(b);
      J.resize(6 * n);
      for (std::size_t i = 0; i < n; ++i) {
        const Vec6& s = axis_[std::size_t(chain[i])];
        const Vec3 shift = cross({s[0], s[1], s[2]}, d);
        for (std::size_t k = 0; k < 3; ++k) {
          J[k * n + i] = s[3 + k] + shift[k];
          J[(k + 3) * n + i] = s[k];
        }
      }
      x = J;
      double A[6];
      for (std::size_t k = 0; k < 6; ++k) {
        solve_on_chain(chain, n, &x[k * n]);
        DotProduct dot(std::size_t(m_.nv));
        for (std::size_t i = 0; i < n; ++i) dot.add(std::size_t(chain[i]), J[k * n + i] * x[k * n + i]);
        A[k] = dot.sum();
      }
      weight[0] = (A[0] + A[1] + A[2]) / 3;
      weight[1] = (A[3] + A[4] + A[5]) / 3;
    }
  }

  void dof_weights() {
    const std::vector<char> sliding = sliding_bodies(m_);
    std::vector<double> x;
    for (std::size_t j = 0; j < std::size_t(m_.njnt); ++j) {
      const auto [first, count] = dofs_of(j);
      const std::size_t body = std::size_t(m_.jnt_bodyid[j]);
      if (sliding[body]) {
        m_.dof_invweight0[first] = 1 / std::max(kMinVal, m_.body_mass[body]);
        continue;
      }
      const std::size_t block = std::min<std::size_t>(count, 3);
      for (std::size_t k = first; k < first + count; k += block) {
        double sum = 0;
        for (std::size_t i = k; i < k + block; ++i) {
          // The chain up to dof i is enough: (M^-1)_ii needs no dofs behind it once L is known.
          const std::size_t n = std::size_t(m_.M_rownnz[i]);
          x.assign(n, 0);
          x[n - 1] = 1;
          solve_on_chain(&m_.M_colind[std::size_t(m_.M_rowadr[i])], n, x.data());
          sum += x[n - 1];
        }
        for (std::size_t i = k; i < k + block; ++i) m_.dof_invweight0[i] = sum / double(block);
      }
    }
  }

  // Moment of actuator i on the dofs of its joint at qpos0.
  Vec6 moment(std::size_t i) const {
    const std::size_t joint = std::size_t(m_.actuator_trnid[2 * i]);
    Vec6 r;
    std::copy_n(m_.actuator_gear.begin() + std::ptrdiff_t(6 * i), 6, r.begin());
    if (m_.actuator_trntype[i] == kTrnJointInParent && m_.jnt_type[joint] == kJntFree) {
      const Quat q = quat4(m_.qpos0, std::size_t(m_.jnt_qposadr[joint]) + 3);
      const Vec3 v = rotate(conjugate(q), {r[3], r[4], r[5]});
      std::copy_n(v.begin(), 3, r.begin() + 3);
    }
    return r;
  }

  void actuators() {
    std::vector<double> x(std::size_t(m_.nv), 0);
    for (std::size_t i = 0; i < std::size_t(m_.nu); ++i) {
      const std::size_t joint = std::size_t(m_.actuator_trnid[2 * i]);
      if (m_.jnt_type[joint] == kJntSlide || m_.jnt_type[joint] == kJntHinge) {
        m_.actuator_length0[i] = m_.actuator_gear[6 * i] * m_.qpos0[std::size_t(m_.jnt_qposadr[joint])];
      }
      const Vec6 r = moment(i);
      const auto [first, count] = dofs_of(joint);
      for (std::size_t k = 0; k < count; ++k) x[first + k] = r[k];
      const auto [begin, end] = solve_tree(first, count, x);

      DotProduct norm(std::size_t(m_.nv));
      double inverse_inertia = 0;
      for (std::size_t k = begin; k < end; ++k) norm.add(k, x[k] * x[k]);
      for (std::size_t k = 0; k < count; ++k) inverse_inertia += r[k] * x[first + k];
      std::fill(x.begin() + std::ptrdiff_t(begin), x.begin() + std::ptrdiff_t(end), 0.0);
      m_.actuator_acc0[i] = std::sqrt(norm.sum());
      set_damping(i, inverse_inertia);
    }
  }

  // x <- M^-1 x for x that vanishes but on the dofs [first, first + count) of one joint. Returns the range
  // of dofs of its tree, outside of which x stays 0.
  std::pair<std::size_t, std::size_t> solve_tree(std::size_t first, std::size_t count,
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
      x[k] *= inverse_D_[k];
      DotProduct dot(above);
      for (std::size_t a = 0; a < above; ++a) dot.add(a, L_[row + a] * x[std::size_t(m_.M_colind[row + a])]);
      x[k] -= dot.sum();
    }
    return {begin, end};
  }

  // A positive biasprm[2] beside gain kp and bias -kp is a damping ratio.
  void set_damping(std::size_t i, double inverse_inertia) {
    const double kp = m_.actuator_gainprm[10 * i];
    double& kv = m_.actuator_biasprm[10 * i + 2];
    if (kp != -m_.actuator_biasprm[10 * i + 1] || kv <= 0) return;
    const double inertia = inverse_inertia > kMinVal ? 1 / inverse_inertia : 0;
    kv = -(kv * 2 * std::sqrt(kp * inertia));
  }

  Model& m_;
  std::vector<Pose> pose_;            // bodies, world frame
  std::vector<Mat3> matrix_;          // their rotations
  std::vector<Vec3> centre_;          // their centres of mass
  std::vector<Vec3> subtree_centre_;  // centres of mass of what they carry, themselves included
  std::vector<Vec3> anchor_;          // joints, world frame
  std::vector<Vec6> axis_;            // dofs
  std::vector<double> L_;             // nM, rows as in M_colind
  std::vector<double> inverse_D_;     // nv
};

}  // namespace

void set_constants(Model& m) { Constants(m).run(); }

}  // namespace stepbench::model::detail
