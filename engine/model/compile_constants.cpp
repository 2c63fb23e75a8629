// Inverse weights and the like, by articulated-body recursions.
//
// MuJoCo defines them through the joint-space inertia matrix M at qpos0 (engine_setconst.c; reference
// mujoco_warp.md 6.2):
//   body_invweight0 = (mean of the diagonals of the 3x3 blocks of J M^-1 J'), J at the body's centre,
//   dof_invweight0  = diagonal of M^-1, averaged over the dofs of a ball joint, and over the three
//                     translations and three rotations of a free joint,
//   actuator_acc0   = |M^-1 r|, r the moment row of the actuator,
//   damping ratio   -> 2 ratio sqrt(kp / (r' M^-1 r)).
// M is never formed here. With the articulated inertia I^A of what hangs on dof k (Featherstone, Rigid
// Body Dynamics Algorithms, 7.3), S_k its axis, U_k = I^A S_k, D_k = S_k . U_k + armature, w_k = U_k / D_k:
//   L_k = L_p - S_k t' - t S_k' + S_k S_k' (1/D_k + w_k . t),   t = L_p w_k,
// where L is the inverse operational-space inertia (6x6) of the link behind dof k and L_p that of the link
// before it (0 for the world), and (M^-1)_kk = 1/D_k + w_k . t (the same recursion in Wensing, Featherstone,
// Orin, "A reduced-order recursive algorithm for the computation of the operational-space inertia matrix",
// 2012). That is O(1) per dof, where MuJoCo solves with M once per body.
//
// Spatial vectors are (rotation, translation) in world axes about the centre of mass of the tree.
#include "engine/model/compile_constants.h"

#include <algorithm>
#include <cmath>

#include "engine/model/compile_math.h"

namespace stepbench::model::detail {
namespace {

using Vec6 = std::array<double, 6>;
using Mat6 = std::array<double, 36>;

double product(const Vec6& a, const Vec6& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

Vec6 apply(const Mat6& m, const Vec6& v) {
  Vec6 r;
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 6; ++j) sum += m[6 * i + j] * v[j];
    r[i] = sum;
  }
  return r;
}

void add(Mat6& a, const Mat6& b) {
  for (std::size_t i = 0; i < 36; ++i) a[i] += b[i];
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
      place_axes();
      inertia_of_dofs();
      inverse_weights();
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

  // Poses at qpos0, where no joint is displaced, and the centre of mass of every root body's subtree.
  void place_bodies() {
    const std::size_t n = std::size_t(m_.nbody);
    pose_.resize(n);
    centre_.assign(n, Vec3{0, 0, 0});
    root_centre_.assign(n, Vec3{0, 0, 0});
    for (std::size_t b = 1; b < n; ++b) {
      const Pose local = {vec3(m_.body_pos, int(b)), quat4(m_.body_quat, 4 * b)};
      const Pose& parent = pose_[std::size_t(m_.body_parentid[b])];
      pose_[b] = {parent.pos + rotate(parent.quat, local.pos), multiply(parent.quat, local.quat)};
      centre_[b] = pose_[b].pos + rotate(pose_[b].quat, vec3(m_.body_ipos, int(b)));
      Vec3& sum = root_centre_[std::size_t(m_.body_rootid[b])];
      sum = sum + m_.body_mass[b] * centre_[b];
    }
    for (std::size_t b = 1; b < n; ++b) {
      if (m_.body_rootid[b] != int(b)) continue;
      const double mass = m_.body_subtreemass[b];
      if (mass < kMinVal) {
        root_centre_[b] = centre_[b];
      } else {
        for (double& x : root_centre_[b]) x /= mass;
      }
    }
  }

  void place_axes() {
    axis_.resize(std::size_t(m_.nv));
    for (std::size_t j = 0; j < std::size_t(m_.njnt); ++j) {
      const std::size_t body = std::size_t(m_.jnt_bodyid[j]), dof = std::size_t(m_.jnt_dofadr[j]);
      const Pose& pose = pose_[body];
      const Vec3 anchor = pose.pos + rotate(pose.quat, vec3(m_.jnt_pos, int(j)));
      const Vec3 arm = root_centre_[std::size_t(m_.body_rootid[body])] - anchor;
      const auto slide = [&](std::size_t k, const Vec3& a) { axis_[k] = {0, 0, 0, a[0], a[1], a[2]}; };
      const auto turn = [&](std::size_t k, const Vec3& a) {
        const Vec3 v = cross(a, arm);
        axis_[k] = {a[0], a[1], a[2], v[0], v[1], v[2]};
      };
      const Mat3 r = to_matrix(pose.quat);
      const auto column = [&](std::size_t k) { return Vec3{r[k], r[k + 3], r[k + 6]}; };
      switch (m_.jnt_type[j]) {
        case kJntFree:
          for (std::size_t k = 0; k < 3; ++k) {
            Vec3 e = {0, 0, 0};
            e[k] = 1;
            slide(dof + k, e);
            turn(dof + 3 + k, column(k));
          }
          break;
        case kJntBall:
          for (std::size_t k = 0; k < 3; ++k) turn(dof + k, column(k));
          break;
        case kJntSlide: slide(dof, rotate(pose.quat, vec3(m_.jnt_axis, int(j)))); break;
        default: turn(dof, rotate(pose.quat, vec3(m_.jnt_axis, int(j)))); break;
      }
    }
  }

  Mat6 spatial_inertia(std::size_t b) const {
    const double mass = m_.body_mass[b];
    const Mat3 r = to_matrix(multiply(pose_[b].quat, quat4(m_.body_iquat, 4 * b)));
    const Vec3 d = centre_[b] - root_centre_[std::size_t(m_.body_rootid[b])];
    Mat6 s{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += r[3 * i + k] * m_.body_inertia[3 * b + k] * r[3 * j + k];
        s[6 * i + j] = sum - mass * d[i] * d[j];
      }
      s[7 * i] += mass * dot(d, d);
      s[6 * (i + 3) + i + 3] = mass;
    }
    // Upper right block: mass [d]x; lower left its transpose.
    const double cross_terms[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        s[6 * i + j + 3] = mass * cross_terms[i][j];
        s[6 * (j + 3) + i] = s[6 * i + j + 3];
      }
    }
    return s;
  }

  // Armature of the joints, with that of the actuators seen through their gears.
  std::vector<double> total_armature() const {
    std::vector<double> armature = m_.dof_armature;
    for (std::size_t i = 0; i < std::size_t(m_.nu); ++i) {
      if (m_.actuator_armature[i] == 0) continue;
      const std::size_t joint = std::size_t(m_.actuator_trnid[2 * i]);
      const double gear = m_.actuator_gear[6 * i];
      const auto [first, count] = dofs_of(joint);
      for (std::size_t k = first; k < first + count; ++k) {
        armature[k] += m_.actuator_armature[i] * (gear * gear);
      }
    }
    return armature;
  }

  std::pair<std::size_t, std::size_t> dofs_of(std::size_t joint) const {
    const int type = m_.jnt_type[joint];
    return {std::size_t(m_.jnt_dofadr[joint]), type == kJntFree ? 6u : type == kJntBall ? 3u : 1u};
  }

  // Backward pass: composite inertias give dof_M0, articulated ones U and D.
  void inertia_of_dofs() {
    const std::size_t n = std::size_t(m_.nbody);
    const std::vector<double> armature = total_armature();
    std::vector<Mat6> composite(n), articulated(n);
    U_.resize(std::size_t(m_.nv));
    D_.resize(std::size_t(m_.nv));
    for (std::size_t b = 1; b < n; ++b) {
      if (m_.body_treeid[b] >= 0) composite[b] = articulated[b] = spatial_inertia(b);
    }
    for (std::size_t b = n - 1; b > 0; --b) {
      if (m_.body_treeid[b] < 0) continue;
      const std::size_t first = std::size_t(std::max(m_.body_dofadr[b], 0));
      for (std::size_t k = first + std::size_t(m_.body_dofnum[b]); k-- > first;) {
        const Vec6& s = axis_[k];
        m_.dof_M0[k] = armature[k] + product(s, apply(composite[b], s));
        Mat6& inertia = articulated[b];
        U_[k] = apply(inertia, s);
        D_[k] = std::max(kMinVal, product(s, U_[k]) + armature[k]);
        for (std::size_t i = 0; i < 6; ++i) {
          for (std::size_t j = 0; j < 6; ++j) inertia[6 * i + j] -= U_[k][i] * U_[k][j] / D_[k];
        }
      }
      const std::size_t parent = std::size_t(m_.body_parentid[b]);
      if (parent == 0) continue;
      add(composite[parent], composite[b]);
      add(articulated[parent], articulated[b]);
    }
    double sum = 0;
    for (double x : m_.dof_M0) sum += x;
    m_.meaninertia = sum / m_.nv;
  }

  // Forward pass: inverse operational-space inertia of every body.
  void inverse_weights() {
    const std::size_t n = std::size_t(m_.nbody);
    const std::vector<char> sliding = sliding_bodies(m_);
    std::vector<Mat6> inverse(n);
    std::vector<double> diagonal(std::size_t(m_.nv), 0);
    for (std::size_t b = 1; b < n; ++b) {
      if (m_.body_treeid[b] < 0) continue;
      Mat6& L = inverse[b];
      L = inverse[std::size_t(m_.body_parentid[b])];
      const std::size_t first = std::size_t(std::max(m_.body_dofadr[b], 0));
      for (std::size_t k = first; k < first + std::size_t(m_.body_dofnum[b]); ++k) {
        Vec6 w = U_[k];
        for (double& x : w) x /= D_[k];
        const Vec6 t = apply(L, w);
        const Vec6& s = axis_[k];
        const double d = 1 / D_[k] + product(w, t);
        diagonal[k] = d;
        for (std::size_t i = 0; i < 6; ++i) {
          for (std::size_t j = 0; j < 6; ++j) L[6 * i + j] += s[i] * s[j] * d - s[i] * t[j] - t[i] * s[j];
        }
      }
      set_body_weight(b, L, sliding[b]);
    }

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
        for (std::size_t i = k; i < k + block; ++i) sum += diagonal[i];
        for (std::size_t i = k; i < k + block; ++i) m_.dof_invweight0[i] = sum / double(block);
      }
    }
  }

  void set_body_weight(std::size_t b, const Mat6& L, bool sliding) {
    double* weight = &m_.body_invweight0[2 * b];
    if (sliding) {
      weight[0] = 1 / std::max(kMinVal, m_.body_mass[b]);
      weight[1] = 0;
      return;
    }
    const Vec3 d = centre_[b] - root_centre_[std::size_t(m_.body_rootid[b])];
    double translation = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 e = {0, 0, 0};
      e[k] = 1;
      const Vec3 torque = cross(d, e);
      const Vec6 force = {torque[0], torque[1], torque[2], e[0], e[1], e[2]};
      translation += product(force, apply(L, force));
    }
    weight[0] = translation / 3;
    weight[1] = (L[0] + L[7] + L[14]) / 3;
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
    std::vector<Vec6> accel(std::size_t(m_.nv));
    std::vector<double> force(std::size_t(m_.nv), 0);
    for (std::size_t i = 0; i < std::size_t(m_.nu); ++i) {
      const std::size_t joint = std::size_t(m_.actuator_trnid[2 * i]);
      if (m_.jnt_type[joint] == kJntSlide || m_.jnt_type[joint] == kJntHinge) {
        m_.actuator_length0[i] = m_.actuator_gear[6 * i] * m_.qpos0[std::size_t(m_.jnt_qposadr[joint])];
      }
      const auto [norm, inverse_inertia] = respond(joint, moment(i), accel, force);
      m_.actuator_acc0[i] = norm;
      set_damping(i, inverse_inertia);
    }
  }

  // Acceleration of the tree under the generalised force r on the dofs of one joint: |M^-1 r|, r' M^-1 r.
  // `force` is all zeros before and after.
  std::pair<double, double> respond(std::size_t joint, const Vec6& r, std::vector<Vec6>& accel,
                                    std::vector<double>& force) const {
    const auto [first, count] = dofs_of(joint);
    for (std::size_t k = 0; k < count; ++k) force[first + k] = r[k];

    // Up the chain: the force that is left over at each dof.
    Vec6 bias{};
    for (int k = int(first + count) - 1; k >= 0; k = m_.dof_parentid[std::size_t(k)]) {
      const std::size_t d = std::size_t(k);
      force[d] -= product(axis_[d], bias);
      for (std::size_t i = 0; i < 6; ++i) bias[i] += U_[d][i] * force[d] / D_[d];
    }

    double norm2 = 0, work = 0;
    const int tree = m_.dof_treeid[first];
    std::size_t d = first;
    while (d > 0 && m_.dof_treeid[d - 1] == tree) --d;
    for (; d < std::size_t(m_.nv) && m_.dof_treeid[d] == tree; ++d) {
      const int parent = m_.dof_parentid[d];
      Vec6 a = parent >= 0 ? accel[std::size_t(parent)] : Vec6{};
      const double qacc = (force[d] - product(U_[d], a)) / D_[d];
      for (std::size_t i = 0; i < 6; ++i) a[i] += axis_[d][i] * qacc;
      accel[d] = a;
      force[d] = 0;
      norm2 += qacc * qacc;
      if (d >= first && d < first + count) work += r[d - first] * qacc;
    }
    return {std::sqrt(norm2), work};
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
  std::vector<Pose> pose_;         // bodies, world frame
  std::vector<Vec3> centre_;       // centres of mass of bodies, world frame
  std::vector<Vec3> root_centre_;  // root bodies: centre of mass of the subtree
  std::vector<Vec6> axis_, U_;     // per dof
  std::vector<double> D_;          // per dof
};

}  // namespace

void set_constants(Model& m) { Constants(m).run(); }

}  // namespace stepbench::model::detail
