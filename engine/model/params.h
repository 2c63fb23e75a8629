// What step code reads of a model: pointers to its arrays, cast once to the precision of the run.
//
// Params is plain data, so that it can be copied to a device; ParamsStorage owns the memory on the host.
#pragma once

#include <vector>

#include "engine/model/enums.h"
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
  Real totalmass;              // kg, sum over all bodies
  const int* tree_bodyadr;     // ntree: first body of each kinematic tree (its root)
  const int* tree_dofadr;      // ntree: first dof of each tree (a tree's dofs are contiguous)
  const int* tree_dofnum;      // ntree
  const int* actuator_disabled;  // nu: 1 where the actuator's group is switched off
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
  Params<Real> params_{};
  std::vector<std::vector<Real>> reals_;
  std::vector<std::vector<int>> ints_;
};

}  // namespace stepbench::model
