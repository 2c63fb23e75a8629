// What step code reads of a model: pointers to its arrays, cast once to the precision of the run.
//
// Params is plain data, so that it can be copied to a device; ParamsStorage owns the memory on the
// host.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/model/enums.h"
#include "engine/model/links.h"
#include "engine/model/model_fields.h"

namespace stepbench::model {

struct Model;

// Options in the precision of the run.
template <class Real>
struct OptionParams {
  Real timestep, impratio, tolerance, ls_tolerance;
  Real gravity[3];
  int integrator, cone, iterations, ls_iterations, disableflags, enableflags;
};

// Bits of body_kind.
enum BodyKind : int {
  kBodyHasChild = 1,   // has a child body in its tree
  kBodyLastChild = 2,  // highest-numbered child of its parent
  kBodyRooted = 4,     // parent lies outside the tree (world or static)
  kBodyMassless = 8,   // no mass and no inertia
  kBodyDiagonal = 16,  // inertia is diagonal in the body frame
  kBodyIsotropic = 32  // inertia is a multiple of the identity
};

// Bits of body_place, geom_place and joint_place: which coordinates of a shift are not 0, and
// whether there is a turn.
enum PlaceBits : int {
  kShiftX = 1,
  kShiftY = 2,
  kShiftZ = 4,
  kTurned = 8,
  kComShift = 4  // bits of body_ipos: kShiftX << kComShift, ...
};

// Numbers that follow from the model's arrays and save work in every step. Uniform over worlds.
template <class Real>
struct DerivedParams {
  // Bodies whose pose changes: those of trees, and mocap bodies with what is welded to them.
  int nmove;
  const int* move_body;  // nmove, ascending
  const int* body_kind;  // nbody: BodyKind bits
  const Real*
      body_rot;  // nbody x 9: body_quat as a matrix; entries within rounding of 0, 1, -1 are exact
  const Real*
      body_inert;  // nbody x 6: xx yy zz xy xz yz about the centre of mass, in the body frame
  const int*
      geom_posed;        // ngeom: 1 where the geom can touch something, so that steps need its pose
  const Real* geom_rot;  // ngeom x 9: geom_quat as a matrix
  const int* body_place;    // nbody: PlaceBits of body_pos, body_rot and body_ipos
  const int* geom_place;    // ngeom: of geom_pos and geom_rot
  const int* joint_place;   // njnt: of jnt_pos
  const int* jnt_axiscode;  // njnt: +-(k + 1) where the axis is +-e_k, else 0
  // Joint damping and armature plus what actuators reflect (MuJoCo manual, actuator/damping):
  // scaled by the square of the first gear, on all dofs of the joint.
  const Real* dof_damp;     // nv x 3: force is -(b0 + b1 |v| + b2 v^2) v
  const Real* dof_arm;      // nv
  const int* tree_bodynum;  // ntree
  const int*
      tree_free;  // ntree: 1 where the root has a free joint; 2 where no other dof is in the tree
  const int* dof_end;  // nv: one past the last descendant of a dof (descendants are consecutive)
  // Trees of hinges and slides in link frames: nv links, or none where the model has other joints.
  int nlink;
  const Link<Real>* links;
  int poses_needed;   // 1 where some geom can touch something
  int nfrictionloss;  // dofs with friction loss
  int has_damping, has_spring, has_gravcomp, has_actgravcomp, has_implicit_actuator;
};

template <class Real>
struct Params {
  OptionParams<Real> opt;

#define X(size) int size;
  SB_MODEL_SIZES(X)
#undef X

  using real = Real;
#define X(type, name, rows, columns) const type* name;
  SB_MODEL_STEP_FIELDS(X)
#undef X

  Real meaninertia;
  Real totalmass;                // kg, sum over all bodies
  const int* tree_bodyadr;       // ntree: first body of each kinematic tree (its root)
  const int* tree_dofadr;        // ntree: first dof of each tree (a tree's dofs are contiguous)
  const int* tree_dofnum;        // ntree
  const int* actuator_disabled;  // nu: 1 where the actuator's group is switched off

  DerivedParams<Real> derived;
};

// Owns the arrays of a Params<Real>. Movable, not copyable; Params points into it.
template <class Real>
class ParamsStorage {
 public:
  explicit ParamsStorage(const Model& m);
  ParamsStorage(const ParamsStorage&) = delete;
  ParamsStorage& operator=(const ParamsStorage&) = delete;
  const Params<Real>& params() const { return params_; }

 private:
  void derive(const Model& m);  // params_derived.cpp
  void keep_links(const Model& m);
  const Real* keep(const std::vector<double>& values);
  const int* keep(const std::vector<int>& values);

  // Room for n values behind those before: a step reads some sixty short arrays, which apart would
  // take two cache lines each.
  template <class T>
  T* take(std::size_t n);

  Params<Real> params_{};
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t used_ = 0, size_ = 0;  // bytes of the last chunk
};

}  // namespace stepbench::model
