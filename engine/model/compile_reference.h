// Dynamics at the reference pose qpos0: poses, joint axes, inertia matrix and its factor.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "engine/model/compile_math.h"
#include "engine/model/model.h"

namespace stepbench::model::detail {

// Spatial vector: (rotation, translation) in world axes, about the centre of mass of the tree.
using Vec6 = std::array<double, 6>;

// Sum of n products in the order of MuJoCo's dense dot product: four interleaved partial sums, then
// the sum of what is left over.
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

inline Vec3 vec3(const std::vector<double>& v, int row) {
  const std::size_t k = 3 * std::size_t(row);
  return {v[k], v[k + 1], v[k + 2]};
}

inline Quat quat4(const std::vector<double>& v, std::size_t k) {
  return {v[k], v[k + 1], v[k + 2], v[k + 3]};
}

// True for rotations smaller than MuJoCo's frame tolerance, in either sign of the quaternion.
bool near_unit(const Quat& q);
bool near_zero(const Vec3& v);

// M comes from composite inertias and is factored as L'DL over its own pattern (Featherstone, Rigid
// Body Dynamics Algorithms, 6.2 and 6.5). Row i of L holds dof i's ancestors, so a solve that
// starts on the chain of a body and is read on that chain never leaves it.
//
// Every sum runs in MuJoCo's order. Joints that act almost alike make M ill-conditioned (six hinges
// of one axis: 1e5), and then only the same rounding gives the same first twelve digits.
class ReferenceDynamics {
 public:
  // Needs body_subtreemass and all that the joints, bodies and actuators say; nv > 0.
  explicit ReferenceDynamics(const Model& m);

  // Dofs of a joint: first and number.
  std::pair<std::size_t, std::size_t> dofs_of(std::size_t joint) const;

  // Dofs that move a body, from the root on, and their number. {nullptr, 0}: nothing moves it.
  std::pair<const int*, std::size_t> chain_of(std::size_t body) const;

  // x <- M^-1 x on a chain of dofs (each the parent of the next), where x vanishes elsewhere and is
  // asked for there only. O(n^2).
  void solve_on_chain(const int* chain, std::size_t n, double* x) const;

  // x <- M^-1 x for x that vanishes but on the dofs [first, first + count) of one joint. Returns
  // the range of dofs of its tree, outside of which x stays 0. O(entries of M in the tree).
  std::pair<std::size_t, std::size_t> solve_tree(std::size_t first, std::size_t count,
                                                 std::vector<double>& x) const;

  const Vec6& axis(std::size_t dof) const { return axis_[dof]; }
  double diagonal(std::size_t dof) const { return diagonal_[dof]; }  // of M, kg or kg m^2

  // Centre of mass of a body, from the reference point of its tree (m, world axes).
  Vec3 centre(std::size_t body) const { return centre_[body] - reference(body); }

 private:
  void place_bodies();
  void find_centres();
  void place_axes();
  std::array<double, 10> inertia_of(std::size_t body) const;
  std::vector<double> total_armature() const;
  void inertia_matrix();
  void factor();
  const Vec3& reference(std::size_t body) const {
    return subtree_centre_[std::size_t(m_.body_rootid[body])];
  }
  const double* row_of_L(std::size_t dof) const { return &L_[std::size_t(m_.M_rowadr[dof])]; }

  const Model& m_;
  std::vector<Pose> pose_;            // bodies, world frame
  std::vector<Mat3> matrix_;          // their rotations
  std::vector<Vec3> centre_;          // their centres of mass
  std::vector<Vec3> subtree_centre_;  // centres of mass of what they carry, themselves included
  std::vector<Vec3> anchor_;          // joints, world frame
  std::vector<Vec3> turned_axis_;     // joints, world frame
  std::vector<Vec6> axis_;            // dofs
  std::vector<double> diagonal_;      // nv
  std::vector<double> L_;             // nM, rows as in M_colind
  std::vector<double> inverse_D_;     // nv
};

}  // namespace stepbench::model::detail
