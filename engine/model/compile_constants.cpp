// Inverse weights and the like, by MuJoCo's definitions (engine_setconst.c; reference
// mujoco_warp.md, section 6.2), with M at qpos0:
//
// - body_invweight0: means of the diagonals of the 3x3 blocks of J M^-1 J', J at the body's centre;
// - dof_invweight0: diagonal of M^-1, averaged over the dofs of a ball joint, and over the three
//   translations and the three rotations of a free joint;
// - actuator_acc0: |M^-1 r|, r the moment row of the actuator;
// - damping: kv = 2 ratio sqrt(kp / (r' M^-1 r)).
//
// O(depth^2) per body, where MuJoCo goes through all dofs of the model. Tried and dropped:
// articulated-body recursions, O(1) per body and more accurate, but 3e-12 off MuJoCo's own numbers
// where M is ill-conditioned (see compile_reference.h).
#include "engine/model/compile_constants.h"

#include <algorithm>
#include <cmath>

#include "engine/model/compile_reference.h"

namespace stepbench::model::detail {
namespace {

// Bodies moved by slides alone whose inertia is diagonal: MuJoCo takes 1/mass for them and leaves
// armature aside ("simple" bodies of level 2).
std::vector<char> sliding_bodies(const Model& m) {
  std::vector<char> simple(std::size_t(m.nbody), 0);
  for (int b = 0; b < m.nbody; ++b) {
    const std::size_t i = std::size_t(b), parent = std::size_t(m.body_parentid[i]);
    const bool top =
        m.body_rootid[i] == b || (m.body_parentid[parent] == 0 && m.body_dofnum[parent] == 0);
    simple[i] = top && near_zero(vec3(m.body_ipos, b)) && near_unit(quat4(m.body_iquat, 4 * i));
    if (parent > 0) simple[parent] = 0;
    const int end = m.body_jntadr[i] + m.body_jntnum[i];
    for (int j = m.body_jntadr[i]; j < end && m.body_jntnum[i] > 0; ++j) {
      const Vec3 axis = vec3(m.jnt_axis, j);
      const auto along =
          std::count_if(axis.begin(), axis.end(), [](double x) { return std::abs(x) > kEps; });
      if (m.jnt_type[std::size_t(j)] != kJntSlide || along != 1 || !near_zero(vec3(m.jnt_pos, j))) {
        simple[i] = 0;
      }
    }
    if (m.body_dofnum[i] == 0) simple[i] = 0;
  }
  return simple;
}

void set_subtree_masses(Model& m) {
  m.body_subtreemass = m.body_mass;
  for (std::size_t b = std::size_t(m.nbody) - 1; b > 0; --b) {
    m.body_subtreemass[std::size_t(m.body_parentid[b])] += m.body_subtreemass[b];
  }
}

class Constants {
 public:
  explicit Constants(Model& m) : m_(m), dynamics_(m) {}

  void run() {
    const std::vector<char> sliding = sliding_bodies(m_);
    diagonal();
    body_weights(sliding);
    dof_weights(sliding);
    actuators();
  }

 private:
  void diagonal() {
    double sum = 0;
    for (std::size_t k = 0; k < std::size_t(m_.nv); ++k) {
      sum += m_.dof_M0[k] = dynamics_.diagonal(k);
    }
    m_.meaninertia = sum / m_.nv;
  }

  void body_weights(const std::vector<char>& sliding) {
    std::vector<double> J, x;
    for (std::size_t b = 1; b < std::size_t(m_.nbody); ++b) {
      double* weight = &m_.body_invweight0[2 * b];
      if (sliding[b]) {
        weight[0] = 1 / std::max(kMinVal, m_.body_mass[b]);
        continue;
      }
      const auto [chain, n] = dynamics_.chain_of(b);
      if (n == 0) continue;
      const Vec3 d = dynamics_.centre(b);
      J.resize(6 * n);
      for (std::size_t i = 0; i < n; ++i) {
        const Vec6& s = dynamics_.axis(std::size_t(chain[i]));
        const Vec3 shift = cross({s[0], s[1], s[2]}, d);
        for (std::size_t k = 0; k < 3; ++k) {
          J[k * n + i] = s[3 + k] + shift[k];
          J[(k + 3) * n + i] = s[k];
        }
      }
      x = J;
      double A[6];
      for (std::size_t k = 0; k < 6; ++k) {
        dynamics_.solve_on_chain(chain, n, &x[k * n]);
        DotProduct dot(std::size_t(m_.nv));
        for (std::size_t i = 0; i < n; ++i)
          dot.add(std::size_t(chain[i]), J[k * n + i] * x[k * n + i]);
        A[k] = dot.sum();
      }
      weight[0] = (A[0] + A[1] + A[2]) / 3;
      weight[1] = (A[3] + A[4] + A[5]) / 3;
    }
  }

  void dof_weights(const std::vector<char>& sliding) {
    std::vector<double> x;
    for (std::size_t j = 0; j < std::size_t(m_.njnt); ++j) {
      const auto [first, count] = dynamics_.dofs_of(j);
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
          dynamics_.solve_on_chain(&m_.M_colind[std::size_t(m_.M_rowadr[i])], n, x.data());
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
        m_.actuator_length0[i] =
            m_.actuator_gear[6 * i] * m_.qpos0[std::size_t(m_.jnt_qposadr[joint])];
      }
      const Vec6 r = moment(i);
      const auto [first, count] = dynamics_.dofs_of(joint);
      for (std::size_t k = 0; k < count; ++k) x[first + k] = r[k];
      const auto [begin, end] = dynamics_.solve_tree(first, count, x);

      DotProduct norm(std::size_t(m_.nv));
      double inverse_inertia = 0;
      for (std::size_t k = begin; k < end; ++k) norm.add(k, x[k] * x[k]);
      for (std::size_t k = 0; k < count; ++k) inverse_inertia += r[k] * x[first + k];
      std::fill(x.begin() + std::ptrdiff_t(begin), x.begin() + std::ptrdiff_t(end), 0.0);
      m_.actuator_acc0[i] = std::sqrt(norm.sum());
      set_damping(i, inverse_inertia);
    }
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
  ReferenceDynamics dynamics_;
};

}  // namespace

void set_constants(Model& m) {
  set_subtree_masses(m);
  if (m.nv > 0) Constants(m).run();
}

}  // namespace stepbench::model::detail
