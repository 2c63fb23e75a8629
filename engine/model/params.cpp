#include "engine/model/params.h"

#include "engine/model/model.h"

namespace stepbench::model {

void Model::allocate() {
#define X(type, name, rows, columns) name.assign(size_t(rows) * size_t(columns), type(0));
  SB_MODEL_FIELDS(X)
#undef X
}

// Moving a vector keeps its buffer, so the pointers stay valid while the outer vectors grow.
template <class Real>
const Real* ParamsStorage<Real>::keep(const std::vector<double>& values) {
  reals_.emplace_back(values.begin(), values.end());
  return reals_.back().data();
}

template <class Real>
const int* ParamsStorage<Real>::keep(const std::vector<int>& values) {
  ints_.push_back(values);
  return ints_.back().data();
}

template <class Real>
ParamsStorage<Real>::ParamsStorage(const Model& m) {
  Params<Real>& p = params_;
  const Option& o = m.opt;
  p.opt = {Real(o.timestep),
           Real(o.impratio),
           Real(o.tolerance),
           Real(o.ls_tolerance),
           {Real(o.gravity[0]), Real(o.gravity[1]), Real(o.gravity[2])},
           o.integrator,
           o.cone,
           o.iterations,
           o.ls_iterations,
           o.disableflags,
           o.enableflags};
#define X(size) p.size = m.size;
  SB_MODEL_SIZES(X)
#undef X

#define X(type, name, rows, columns) p.name = keep(m.name);
  SB_MODEL_STEP_FIELDS(X)
#undef X

  p.meaninertia = Real(m.meaninertia);
  double mass = 0;
  for (double x : m.body_mass) mass += x;
  p.totalmass = Real(mass);

  std::vector<int> bodyadr(size_t(m.ntree), -1), dofadr(size_t(m.ntree), -1),
      dofnum(size_t(m.ntree), 0);
  for (int b = 0; b < m.nbody; ++b) {
    const int t = m.body_treeid[size_t(b)];
    if (t >= 0 && bodyadr[size_t(t)] < 0) bodyadr[size_t(t)] = b;
  }
  for (int v = 0; v < m.nv; ++v) {
    const size_t t = size_t(m.dof_treeid[size_t(v)]);
    if (dofadr[t] < 0) dofadr[t] = v;
    ++dofnum[t];
  }
  p.tree_bodyadr = keep(bodyadr);
  p.tree_dofadr = keep(dofadr);
  p.tree_dofnum = keep(dofnum);

  std::vector<int> disabled(size_t(m.nu), 0);
  for (int i = 0; i < m.nu; ++i) {
    const int g = m.actuator_group[size_t(i)];
    disabled[size_t(i)] = g >= 0 && g < 31 && ((o.disableactuator >> g) & 1);
  }
  p.actuator_disabled = keep(disabled);
  derive(m);
}

template class ParamsStorage<float>;
template class ParamsStorage<double>;

}  // namespace stepbench::model
