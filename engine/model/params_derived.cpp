// Numbers that follow from a model's arrays, computed once in double precision.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/model/model.h"
#include "engine/model/params.h"

namespace stepbench::model {

namespace {

// Right-angle turns written as angles differ from exact ones by rounding alone: make them exact, so
// that step code can skip their zeros.
double snap(double x) {
  for (double whole : {0.0, 1.0, -1.0}) {
    if (std::fabs(x - whole) < 1e-15) return whole;
  }
  return x;
}

std::array<double, 9> matrix(const double* q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  return {snap(w * w + x * x - y * y - z * z), snap(2 * (x * y - w * z)),
          snap(2 * (x * z + w * y)),           snap(2 * (x * y + w * z)),
          snap(w * w - x * x + y * y - z * z), snap(2 * (y * z - w * x)),
          snap(2 * (x * z - w * y)),           snap(2 * (y * z + w * x)),
          snap(w * w - x * x - y * y + z * z)};
}

// R diag(d) R^T as xx yy zz xy xz yz.
std::array<double, 6> rotated_diagonal(const std::array<double, 9>& r, const double* d) {
  const auto e = [&](size_t i, size_t j) {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) sum += r[3 * i + k] * d[k] * r[3 * j + k];
    return sum;
  };
  return {e(0, 0), e(1, 1), e(2, 2), e(0, 1), e(0, 2), e(1, 2)};
}

template <size_t N>
void append(std::vector<double>& v, const std::array<double, N>& a) {
  v.insert(v.end(), a.begin(), a.end());
}

int axis_code(const double* a) {
  for (int k = 0; k < 3; ++k) {
    if (std::fabs(a[k]) == 1 && a[(k + 1) % 3] == 0 && a[(k + 2) % 3] == 0) {
      return a[k] > 0 ? k + 1 : -(k + 1);
    }
  }
  return 0;
}

int shift_bits(const double* v) {
  return (v[0] != 0 ? kShiftX : 0) | (v[1] != 0 ? kShiftY : 0) | (v[2] != 0 ? kShiftZ : 0);
}

int turn_bit(const double* r) { return r[0] == 1 && r[4] == 1 && r[8] == 1 ? 0 : kTurned; }

std::vector<int> body_kinds(const Model& m, const std::vector<double>& inert) {
  std::vector<int> kind(size_t(m.nbody), 0);
  for (int b = m.nbody - 1; b > 0; --b) {
    const size_t i = size_t(b), p = size_t(m.body_parentid[i]);
    const double* I = &inert[6 * i];
    const bool diagonal = I[3] == 0 && I[4] == 0 && I[5] == 0;
    if (diagonal) kind[i] |= kBodyDiagonal;
    if (diagonal && I[0] == I[1] && I[1] == I[2]) kind[i] |= kBodyIsotropic;
    if (m.body_mass[i] == 0 && diagonal && I[0] == 0 && I[1] == 0 && I[2] == 0) {
      kind[i] |= kBodyMassless;
    }
    if (m.body_treeid[i] < 0) continue;
    if (m.body_treeid[p] != m.body_treeid[i]) {
      kind[i] |= kBodyRooted;
      continue;
    }
    if (!(kind[p] & kBodyHasChild)) kind[i] |= kBodyLastChild;
    kind[p] |= kBodyHasChild;
  }
  return kind;
}

std::vector<int> posed_geoms(const Model& m) {
  std::vector<int> posed(size_t(m.ngeom), 0);
  if (m.opt.disableflags & (kDsblContact | kDsblConstraint)) return posed;
  for (size_t g = 0; g < size_t(m.ngeom); ++g) {
    posed[g] = (m.geom_contype[g] | m.geom_conaffinity[g]) != 0;
  }
  for (size_t i = 0; i < size_t(m.npair); ++i) {
    posed[size_t(m.pair_geom1[i])] = posed[size_t(m.pair_geom2[i])] = 1;
  }
  return posed;
}

// Joint damping and armature with the part that actuators reflect onto their joint.
void reflect(const Model& m, std::vector<double>& damp, std::vector<double>& arm) {
  damp.assign(3 * size_t(m.nv), 0);
  arm = m.dof_armature;
  for (size_t v = 0; v < size_t(m.nv); ++v) {
    damp[3 * v] = m.dof_damping[v];
    damp[3 * v + 1] = m.dof_dampingpoly[2 * v];
    damp[3 * v + 2] = m.dof_dampingpoly[2 * v + 1];
  }
  for (size_t i = 0; i < size_t(m.nu); ++i) {
    const size_t j = size_t(m.actuator_trnid[2 * i]);
    const int type = m.jnt_type[j];
    const double gear = m.actuator_gear[6 * i];
    const double scale = gear * gear;
    const int n = type == kJntBall ? 3 : type == kJntFree ? 6 : 1;
    for (size_t v = size_t(m.jnt_dofadr[j]), end = v + size_t(n); v < end; ++v) {
      arm[v] += scale * m.actuator_armature[i];
      damp[3 * v] += scale * m.actuator_damping[i];
      damp[3 * v + 1] += scale * m.actuator_dampingpoly[2 * i];
      damp[3 * v + 2] += scale * m.actuator_dampingpoly[2 * i + 1];
    }
  }
}

bool any_nonzero(const std::vector<double>& v) {
  for (double x : v) {
    if (x != 0) return true;
  }
  return false;
}

}  // namespace

template <class Real>
void ParamsStorage<Real>::derive(const Model& m) {
  DerivedParams<Real>& p = params_.derived;

  std::vector<int> moves(size_t(m.nbody), 0), move;
  std::vector<double> rot, inert, geom_rot;
  for (size_t b = 0; b < size_t(m.nbody); ++b) {
    moves[b] = b > 0 && (m.body_treeid[b] >= 0 || m.body_mocapid[b] >= 0 ||
                         moves[size_t(m.body_parentid[b])]);
    if (moves[b]) move.push_back(int(b));
    append(rot, matrix(&m.body_quat[4 * b]));
    append(inert, rotated_diagonal(matrix(&m.body_iquat[4 * b]), &m.body_inertia[3 * b]));
  }
  std::vector<int> body_place, geom_place, joint_place;
  for (size_t b = 0; b < size_t(m.nbody); ++b) {
    body_place.push_back(shift_bits(&m.body_pos[3 * b]) | turn_bit(&rot[9 * b]) |
                         shift_bits(&m.body_ipos[3 * b]) << kComShift);
  }
  for (size_t g = 0; g < size_t(m.ngeom); ++g) {
    append(geom_rot, matrix(&m.geom_quat[4 * g]));
    geom_place.push_back(shift_bits(&m.geom_pos[3 * g]) | turn_bit(&geom_rot[9 * g]));
  }
  for (size_t j = 0; j < size_t(m.njnt); ++j) joint_place.push_back(shift_bits(&m.jnt_pos[3 * j]));
  p.body_place = keep(body_place);
  p.geom_place = keep(geom_place);
  p.joint_place = keep(joint_place);
  p.nmove = int(move.size());
  p.move_body = keep(move);
  p.body_kind = keep(body_kinds(m, inert));
  p.body_rot = keep(rot);
  p.body_inert = keep(inert);
  const std::vector<int> posed = posed_geoms(m);
  p.geom_posed = keep(posed);
  p.poses_needed = std::find(posed.begin(), posed.end(), 1) != posed.end();
  p.geom_rot = keep(geom_rot);

  std::vector<int> axis;
  for (size_t j = 0; j < size_t(m.njnt); ++j) axis.push_back(axis_code(&m.jnt_axis[3 * j]));
  p.jnt_axiscode = keep(axis);

  std::vector<double> damp, arm;
  reflect(m, damp, arm);
  p.has_damping = any_nonzero(damp) && !(m.opt.disableflags & kDsblDamper);
  p.dof_damp = keep(damp);
  p.dof_arm = keep(arm);

  std::vector<int> bodynum(size_t(m.ntree), 0), free(size_t(m.ntree), 0);
  for (int t : m.body_treeid) {
    if (t >= 0) ++bodynum[size_t(t)];
  }
  for (size_t t = 0; t < size_t(m.ntree); ++t) {
    const size_t b = size_t(params_.tree_bodyadr[t]);
    if (m.body_jntnum[b] > 0 && m.jnt_type[size_t(m.body_jntadr[b])] == kJntFree) {
      free[t] = params_.tree_dofnum[t] == 6 ? 2 : 1;
    }
  }
  p.tree_bodynum = keep(bodynum);
  p.tree_free = keep(free);

  std::vector<int> end(size_t(m.nv));
  for (int v = m.nv - 1; v >= 0; --v) {
    end[size_t(v)] = std::max(end[size_t(v)], v + 1);
    const int parent = m.dof_parentid[size_t(v)];
    if (parent >= 0) end[size_t(parent)] = std::max(end[size_t(parent)], end[size_t(v)]);
  }
  p.dof_end = keep(end);

  keep_links(m);
  p.nfrictionloss = int(std::count_if(m.dof_frictionloss.begin(), m.dof_frictionloss.end(),
                                      [](double x) { return x > 0; }));

  const int disabled = m.opt.disableflags;
  const bool passive = (disabled & (kDsblSpring | kDsblDamper)) != (kDsblSpring | kDsblDamper);
  p.has_spring = (any_nonzero(m.jnt_stiffness) || any_nonzero(m.jnt_stiffnesspoly)) &&
                 !(disabled & kDsblSpring);
  p.has_gravcomp = any_nonzero(m.body_gravcomp) && passive && !(disabled & kDsblGravity);
  p.has_actgravcomp = 0;
  for (int x : m.jnt_actgravcomp) p.has_actgravcomp |= p.has_gravcomp && x != 0;

  p.has_implicit_actuator = 0;
  for (size_t i = 0; i < size_t(m.nu); ++i) {
    const bool gain = m.actuator_gaintype[i] == kGainAffine && m.actuator_gainprm[10 * i + 2] != 0;
    const bool bias = m.actuator_biastype[i] == kBiasAffine && m.actuator_biasprm[10 * i + 2] != 0;
    p.has_implicit_actuator |= (gain || bias) && !(disabled & kDsblActuation);
  }
}

template void ParamsStorage<float>::derive(const Model&);
template void ParamsStorage<double>::derive(const Model&);

}  // namespace stepbench::model
