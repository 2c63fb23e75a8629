// Compiled model: immutable, shared by all worlds, double precision.
//
// Built by `compile` (compile.h) from a Spec, or by `load_model` (load.h) straight from an MJCF
// file. The arrays and their meaning are listed once, in model_fields.h.
#pragma once

#include <string>
#include <vector>

#include "engine/model/enums.h"
#include "engine/model/model_fields.h"

namespace stepbench::model {

// Physics options: MuJoCo's mjOption, with its defaults.
struct Option {
  double timestep = 0.002;  // s, > 0
  double impratio = 1;      // friction-to-normal impedance ratio
  double tolerance = 1e-8;
  double ls_tolerance = 0.01;
  double gravity[3] = {0, 0, -9.81};  // m/s^2, world frame
  double o_margin = 0;                // override of contact parameters (flag "override")
  double o_solref[2] = {0.02, 1};
  double o_solimp[5] = {0.9, 0.95, 0.001, 0.5, 2};
  double o_friction[5] = {1, 1, 0.005, 0.0001, 0.0001};
  int integrator = kEuler;
  int cone = kPyramidal;
  int jacobian = kJacAuto;
  int solver = kNewton;  // the file's own; see the `overrides` column for what ran
  int iterations = 100;
  int ls_iterations = 50;
  int disableflags = 0;     // DisableBit
  int enableflags = 0;      // EnableBit
  int disableactuator = 0;  // bit g: actuators of group g are off
};

// Names of the elements of one kind, in order; unnamed elements are empty strings.
struct Names {
  std::vector<std::string> body, jnt, geom, site, actuator, key;
};

struct Model {
  std::string name;  // the file's `model` attribute
  Option opt;

#define X(size) int size = 0;
  SB_MODEL_SIZES(X)
#undef X

  using real = double;
#define X(type, name, rows, columns) std::vector<type> name;
  SB_MODEL_FIELDS(X)
#undef X

  double meaninertia = 1;  // mean of the diagonal of the inertia matrix at qpos0 (mjStatistic)
  Names names;

  // Warnings of the compiler (deprecated attributes and the like), one line each, without a
  // newline.
  std::vector<std::string> warnings;

  // Set every array to its size (rows x columns), filled with zeros.
  void allocate();
};

// Call f(name, "int"|"real", vector, rows, columns) for each array, in table order.
template <class ModelT, class F>
void for_each_field(ModelT& m, F&& f) {
  const int nq = m.nq, nv = m.nv, nu = m.nu, na = m.na, nbody = m.nbody, njnt = m.njnt;
  const int ngeom = m.ngeom, nsite = m.nsite, npair = m.npair, nexclude = m.nexclude;
  const int nkey = m.nkey, nmocap = m.nmocap, ntree = m.ntree, nM = m.nM;
  (void)nq, (void)nv, (void)nu, (void)na, (void)nbody, (void)njnt, (void)ngeom, (void)nsite;
  (void)npair, (void)nexclude, (void)nkey, (void)nmocap, (void)ntree, (void)nM;
#define X(type, name, rows, columns) f(#name, m.name, int(rows), int(columns));
  SB_MODEL_FIELDS(X)
#undef X
}

}  // namespace stepbench::model
