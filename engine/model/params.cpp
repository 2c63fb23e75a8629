#include "engine/model/params.h"

#include <algorithm>

#include "engine/model/model.h"

namespace stepbench::model {

void Model::allocate() {
#define X(type, name, rows, columns) name.assign(size_t(rows) * size_t(columns), type(0));
  SB_MODEL_FIELDS(X)
#undef X
}

template <class Real>
template <class T>
T* ParamsStorage<Real>::take(std::size_t n) {
  const std::size_t bytes = n * sizeof(T), at = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
  used_ = at + bytes;
  if (used_ > size_) {
    size_ = std::max<std::size_t>(bytes, 1 << 16);
    used_ = bytes;
    chunks_.push_back(std::make_unique<std::byte[]>(size_));
    return reinterpret_cast<T*>(chunks_.back().get());
  }
  return reinterpret_cast<T*>(chunks_.back().get() + at);
}

template <class Real>
const Real* ParamsStorage<Real>::keep(const std::vector<double>& values) {
  Real* to = take<Real>(values.size());
  std::transform(values.begin(), values.end(), to, [](double x) { return Real(x); });
  return to;
}

template <class Real>
const int* ParamsStorage<Real>::keep(const std::vector<int>& values) {
  int* to = take<int>(values.size());
  std::copy(values.begin(), values.end(), to);
  return to;
}

template <class Real>
void ParamsStorage<Real>::keep_links(const Model& m) {
  const auto cast = [](const auto& from, auto& to) {
    std::transform(std::begin(from), std::end(from), std::begin(to),
                   [](double x) { return Real(x); });
  };
  const std::vector<Link<double>> links = make_links(m);
  Link<Real>* to = take<Link<Real>>(links.size());
  params_.derived.nlink = int(links.size());
  params_.derived.links = to;
  for (const Link<double>& a : links) {
    Link<Real>& k = *to++;
    k = {};
    k.parent = a.parent;
    k.flags = a.flags;
    k.turns = a.turns;
    k.turn_cos = Real(a.turn_cos);
    k.turn_sin = Real(a.turn_sin);
    k.q0 = Real(a.q0);
    k.heading_cos = Real(a.heading_cos);
    k.heading_sin = Real(a.heading_sin);
    k.tilt_cos = Real(a.tilt_cos);
    k.tilt_sin = Real(a.tilt_sin);
    cast(a.r, k.r);
    cast(a.half_mr, k.half_mr);
    cast(a.start, k.start);
    k.mass = Real(a.mass);
    cast(a.first, k.first);
    cast(a.second, k.second);
    k.carried_mass = Real(a.carried_mass);
  }
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
