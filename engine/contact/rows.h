// Constraint blocks of a step: friction loss, joint limits, contacts.
//
// Reads qpos, qvel, xpos-dependent fields (cdof, subtree_com), con_*; writes sc_*, con_J, con_D,
// con_aref, the lists of Blocks and out_nefc. Source: mujoco_warp.md 6.6 and 6.7. Work: sum over
// contact slots of dim * dofs.
//
// Newton forms rows itself (context.h, RowForm): packed, it needs none of contacts with the world
// (minimise_tree.h); single, it forms those of many contacts at once (contact_packs.h). What is
// left out, complete_rows and fill_contacts form for reports and for other solvers.
//
// A contact's rows other than the normal are stored times their friction coefficient. The pyramid's
// edges are then n +- t_k, all with one R, and an elliptic cone needs only its normal's D (cone.h).
#pragma once

#include "engine/contact/cone.h"
#include "engine/contact/impedance.h"

namespace stepbench::contact::inline SB_ISA {

// Rows of a contact in MuJoCo's count.
SB_HD inline int contact_rows(int dim, int cone) {
  return cone == model::kElliptic || dim == 1 ? dim : 2 * (dim - 1);
}

// Sum of the translational inverse weights of the two bodies (1/kg).
template <class Real>
SB_HD Real contact_weight(const model::Params<Real>& p, const collide::PairParams<Real>& pair) {
  return p.body_invweight0[2 * p.geom_bodyid[pair.geom1]] +
         p.body_invweight0[2 * p.geom_bodyid[pair.geom2]];
}

// Damping of a contact's rows other than the normal, whose spring is `sp`.
template <class Real>
SB_HD Real friction_damping(const model::OptionParams<Real>& opt,
                            const collide::PairParams<Real>& pair, Real dmax,
                            const Spring<Real>& sp) {
  const Real* rf = pair.solreffriction;
  if (opt.cone == model::kElliptic && (rf[0] != Real(0) || rf[1] != Real(0)) &&
      (rf[0] > Real(0)) == (rf[1] > Real(0))) {
    return spring(opt, rf, dmax).b;
  }
  return sp.b;
}

// The law of the contacts of a pair.
template <class Real>
struct ContactLaw {
  RowLaw<Real> row;
  Real friction_b;  // damping of the rows other than the normal
  Real A;           // diagonal approximation of the normal row, or of the pyramid's edges
  Real scale;       // D is 1/R over this

  SB_HD void set(const model::Params<Real>& p, const collide::PairParams<Real>& pair) {
    row.set(p.opt, pair.solref, pair.solimp);
    friction_b = friction_damping(p.opt, pair, row.imp.dmax, row.sp);
    A = contact_weight(p, pair);
    scale = Real(1);
    if (pair.dim == 1 || p.opt.cone == model::kElliptic) return;
    // Every edge: R = 2 mu^2 R_0, where mu^2 = mu_1^2 / impratio and R_0 has A = tran + mu_1^2
    // tran.
    const Real mu2 = pair.friction[0] * pair.friction[0];
    A += mu2 * A;
    scale = Real(2) * mu2 / math::max(p.opt.impratio, math::kMinVal<Real>);
    scale = math::max(scale, math::kMinVal<Real>);
  }

  // D where `active`, else 0; v, velocities of the rows, become their aref.
  template <class Lane>
  SB_INLINE Lane apply(Lane r, MaskOf<Lane> active, int dim, Lane* v) const {
    const Lane zero(Real(0));
    const Lane d = impedance(row.imp, r);
    v[0] = select(active, -(Lane(row.sp.b) * v[0]) - Lane(row.sp.k) * d * r, zero);
    for (int i = 1; i < dim; ++i) v[i] = select(active, -(Lane(friction_b) * v[i]), zero);
    return select(active, row_stiffness(d, A) * Lane(Real(1) / scale), zero);
  }
};

// The n dofs that move body 2 against body 1, ascending, and their signs.
template <class Real>
SB_HD void list_dofs(const model::Params<Real>& p, int body1, int body2, int n, int* dof,
                     int* sign) {
  for_contact_dofs(p, body1, body2, [&](int v, int s) {
    --n;
    dof[n] = v;
    sign[n] = s;
  });
}

namespace detail {

template <class Lane>
SB_HD void friction_loss(const model::Params<RealOf<Lane>>& p, const model::State<Lane>& s,
                         model::Scratch<Lane>& d, Blocks& b, Lane& nefc) {
  using Real = RealOf<Lane>;
  if (p.opt.disableflags & model::kDsblFrictionloss) return;
  RowLaw<Real> law;
  for (int i = 0; i < p.nv; ++i) {
    if (!(p.dof_frictionloss[i] > Real(0))) continue;
    law.set(p.opt, p.dof_solref + 2 * i, p.dof_solimp + 5 * i);
    const Real dr = impedance(law.imp, Real(0));
    d.sc_D[i] = Lane(row_stiffness(dr, p.dof_invweight0[i]));
    d.sc_aref[i] = -(Lane(law.sp.b) * s.qvel[i]);
    b.sc[b.nsc++] = i;
    nefc += Lane(Real(1));
  }
}

// Distance to a limit, and for a ball the rotation axis.
template <class Lane>
SB_HD Lane limit_distance(const model::Params<RealOf<Lane>>& p, const model::State<Lane>& s, int j,
                          int side, Lane* axis) {
  using Real = RealOf<Lane>;
  const Lane* q = s.qpos + p.jnt_qposadr[j];
  const Real* range = p.jnt_range + 2 * j;
  if (p.jnt_type[j] != model::kJntBall) {
    return side == 0 ? q[0] - Lane(range[0]) : Lane(range[1]) - q[0];
  }
  // Rotation from the reference pose as axis and angle in [0, pi].
  const Lane one(Real(1)), tiny(math::kMinVal<Real>), pi(Real(3.14159265358979323846));
  const Lane norm2 = fma(q[3], q[3], fma(q[2], q[2], fma(q[1], q[1], q[0] * q[0])));
  const Lane inverse = one / math::sqrt(math::max(norm2, tiny));
  const Lane w = q[0] * inverse, x = q[1] * inverse, y = q[2] * inverse, z = q[3] * inverse;
  const Lane half_sin = math::sqrt(fma(z, z, fma(y, y, x * x)));
  Lane angle = Lane(Real(2)) * math::atan2(half_sin, w);
  angle = select(angle > pi, angle - Lane(Real(2)) * pi, angle);
  const auto turned = half_sin > tiny;
  Lane scale = one / select(turned, half_sin, one);
  scale = select(angle < Lane(Real(0)), scale, -scale);
  axis[0] = select(turned, x * scale, -one);
  axis[1] = select(turned, y * scale, Lane(Real(0)));
  axis[2] = select(turned, z * scale, Lane(Real(0)));
  angle = math::abs(angle);
  return Lane(math::max(range[0], range[1])) - angle;
}

template <class Lane>
SB_HD void limits(const model::Params<RealOf<Lane>>& p, const model::State<Lane>& s,
                  model::Scratch<Lane>& d, Blocks& b, Lane& nefc) {
  using Real = RealOf<Lane>;
  if (p.opt.disableflags & model::kDsblLimit) return;
  RowLaw<Real> law;
  for (int j = 0; j < p.njnt; ++j) {
    if (!p.jnt_limited[j] || p.jnt_type[j] == model::kJntFree) continue;
    const bool ball = p.jnt_type[j] == model::kJntBall;
    for (int side = 0; side < (ball ? 1 : 2); ++side) {
      Lane* axis = d.sc_axis + 3 * j;
      const Lane pos = limit_distance(p, s, j, side, axis);
      const auto active = pos < Lane(p.jnt_margin[j]);
      if (!any(active)) continue;
      const int dof = p.jnt_dofadr[j];
      const int id = p.nv + 2 * j + side;
      Lane v = side == 0 ? s.qvel[dof] : -s.qvel[dof];
      if (ball) {
        v = axis[0] * s.qvel[dof];
        v = fma(axis[1], s.qvel[dof + 1], v);
        v = fma(axis[2], s.qvel[dof + 2], v);
      }
      law.set(p.opt, p.jnt_solref + 2 * j, p.jnt_solimp + 5 * j);
      const Lane r = pos - Lane(p.jnt_margin[j]);
      const Lane dr = impedance(law.imp, r);
      const Lane zero(Real(0));
      d.sc_pos[2 * j + side] = pos;
      d.sc_D[id] = select(active, row_stiffness(dr, p.dof_invweight0[dof]), zero);
      d.sc_aref[id] = select(active, -(Lane(law.sp.b) * v) - Lane(law.sp.k) * dr * r, zero);
      b.sc[b.nsc++] = id;
      nefc += select(active, Lane(Real(1)), zero);
    }
  }
}

// Jacobian of a slot's base rows, and their velocities: frame times the motion of the contact point
// (rotation for rows 3..5) that each dof gives body 2 against body 1. With r from the tree's centre
// of mass to the point, row f acts on a dof's motion (angular w, linear l) as f.l + (r x f).w.
template <int kDim, class Lane>
SB_HD void contact_jacobian(const model::Params<RealOf<Lane>>& p,
                            const collide::PairParams<RealOf<Lane>>& pair, const Lane* pos,
                            const Lane* frame, const int* dof, const int* sign, int n,
                            const model::State<Lane>& s, const model::Scratch<Lane>& d, Lane* J,
                            Lane* velocity) {
  constexpr int kMoves = kDim < 3 ? kDim : 3;
  Lane f[kDim][3], torque[kMoves][3], v[kDim];
  SB_UNROLL
  for (int row = 0; row < kDim; ++row) {
    v[row] = Lane(RealOf<Lane>(0));
    SB_UNROLL
    for (int i = 0; i < 3; ++i) f[row][i] = frame[3 * (row % 3) + i] * Lane(row_scale(pair, row));
  }
  for (int k = 0; k < n;) {
    const int tree = p.dof_treeid[dof[k]];
    const Lane* com = d.subtree_com + 3 * tree;
    const Lane r[3] = {pos[0] - com[0], pos[1] - com[1], pos[2] - com[2]};
    SB_UNROLL
    for (int row = 0; row < kMoves; ++row) {
      torque[row][0] = fnma(r[2], f[row][1], r[1] * f[row][2]);
      torque[row][1] = fnma(r[0], f[row][2], r[2] * f[row][0]);
      torque[row][2] = fnma(r[1], f[row][0], r[0] * f[row][1]);
    }
    for (; k < n && p.dof_treeid[dof[k]] == tree; ++k) {
      const Lane* c = d.cdof + 6 * dof[k];
      const Lane speed = s.qvel[dof[k]];
      const bool minus = sign[k] < 0;
      SB_UNROLL
      for (int row = 0; row < kDim; ++row) {
        Lane x;
        if (row < 3) {
          const Lane* t = torque[row < 3 ? row : 0];
          x = fma(f[row][2], c[5], fma(f[row][1], c[4], f[row][0] * c[3]));
          x += fma(t[2], c[2], fma(t[1], c[1], t[0] * c[0]));
        } else {
          x = fma(f[row][2], c[2], fma(f[row][1], c[1], f[row][0] * c[0]));
        }
        x = minus ? -x : x;
        J[k * kDim + row] = x;
        v[row] = fma(x, speed, v[row]);
      }
    }
  }
  for (int row = 0; row < kDim; ++row) velocity[row] = v[row];
}

// Number of dofs that move a contact between two free bodies, or of one with the world, and the
// first and the last of them. -1: other bodies take part. d1, d2: last dofs of the bodies.
template <class Real>
SB_HD int free_dofs(const model::Params<Real>& p, int d1, int d2, int* ends) {
  const auto is_free = [&](int d) { return p.derived.tree_free[p.dof_treeid[d]] == 2; };
  if ((d1 >= 0 && !is_free(d1)) || (d2 >= 0 && !is_free(d2))) return -1;
  if (d1 == d2) return 0;
  const int low = d1 < d2 ? d1 : d2, high = d1 < d2 ? d2 : d1;
  ends[0] = (low < 0 ? high : low) - 5;
  ends[1] = high;
  return low < 0 ? 6 : 12;
}

// Dofs, Jacobian and velocity of a slot's rows, for a contact whose place in the lists is known.
template <class Lane>
SB_HD void form_rows(const model::Params<RealOf<Lane>>& p,
                     const collide::PairParams<RealOf<Lane>>& pair, const model::State<Lane>& s,
                     const model::Scratch<Lane>& d, const Blocks& b, int slot, Lane* v) {
  const int n = b.con_ndof[slot];
  int* dof = b.dof + b.con_dofadr[slot];
  list_dofs(p, p.geom_bodyid[pair.geom1], p.geom_bodyid[pair.geom2], n, dof, b.sign);
  Lane* J = d.con_J + b.con_jadr[slot];
  const Lane *pos = d.con_pos + 3 * slot, *frame = d.con_frame + 9 * slot;
  if (pair.dim == 1) contact_jacobian<1>(p, pair, pos, frame, dof, b.sign, n, s, d, J, v);
  if (pair.dim == 3) contact_jacobian<3>(p, pair, pos, frame, dof, b.sign, n, s, d, J, v);
  if (pair.dim == 4) contact_jacobian<4>(p, pair, pos, frame, dof, b.sign, n, s, d, J, v);
  if (pair.dim == 6) contact_jacobian<6>(p, pair, pos, frame, dof, b.sign, n, s, d, J, v);
}

// Rows of a slot with their D and aref. law: of the slot before, whose parameters are often equal.
template <class Lane>
SB_HD void fill_contact(const model::Params<RealOf<Lane>>& p,
                        const collide::PairParams<RealOf<Lane>>& pair, const model::State<Lane>& s,
                        model::Scratch<Lane>& d, const Blocks& b, ContactLaw<RealOf<Lane>>& law,
                        int slot) {
  Lane v[6] = {};
  form_rows(p, pair, s, d, b, slot, v);
  law.set(p, pair);
  const Lane margin(pair.margin);
  d.con_D[slot] = law.apply(d.con_dist[slot] - margin, d.con_dist[slot] < margin, pair.dim, v);
  for (int row = 0; row < pair.dim; ++row) d.con_aref[6 * slot + row] = v[row];
}

}  // namespace detail

// Fill the blocks of a step. Contacts that `form` leaves out are listed only; RowForm::kNone: with
// the first and the last of free bodies' dofs. Sets need_workspace or need_j and returns early
// where memory lacks.
template <class Lane>
SB_HD void make_rows(const model::Params<RealOf<Lane>>& p,
                     const collide::PairParams<RealOf<Lane>>* pairs, const model::State<Lane>& s,
                     model::Scratch<Lane>& d, RowForm form = RowForm::kAll) {
  using Real = RealOf<Lane>;
  d.need_j = 0;
  d.need_workspace = 0;
  d.nj = 0;
  Workspace w(d.workspace, d.workspace_bytes, 0);
  Blocks* head = w.take<Blocks>(1);
  Blocks b;
  b.sc = w.take<int>(std::size_t(p.nv + 2 * p.njnt));
  b.con = w.take<int>(std::size_t(d.maxcon));
  b.con_dofadr = w.take<int>(std::size_t(d.maxcon));
  b.con_ndof = w.take<int>(std::size_t(d.maxcon));
  b.con_last = w.take<int>(std::size_t(d.maxcon));
  b.con_jadr = w.take<int>(std::size_t(d.maxcon));
  b.dof = w.take<int>(std::size_t(d.maxj));
  b.sign = w.take<int>(std::size_t(p.nv));
  b.geom_dof = w.take<int>(std::size_t(form == RowForm::kNone ? p.ngeom : 0));
  if (w.full()) {
    d.need_workspace = w.bytes();
    return;
  }
  b.bytes = w.bytes();
  b.form = form;
  const bool lists_only = form == RowForm::kNone;
  for (int g = 0; g < p.ngeom && lists_only; ++g) b.geom_dof[g] = last_dof(p, p.geom_bodyid[g]);
  Lane nefc(Real(0)), ncoupled(Real(0));
  const bool enabled = !(p.opt.disableflags & model::kDsblConstraint);
  if (enabled) {
    detail::friction_loss(p, s, d, b, nefc);
    detail::limits(p, s, d, b, nefc);
  }
  int ndof = 0;
  ContactLaw<Real> law;
  for (int slot = 0; slot < d.ncon && enabled; ++slot) {
    const auto& pair = pairs[d.con_pair[slot]];
    const auto active = d.con_dist[slot] < Lane(pair.margin);
    b.con_ndof[slot] = 0;
    if (!any(active)) continue;
    const int b1 = p.geom_bodyid[pair.geom1], b2 = p.geom_bodyid[pair.geom2];
    const int last1 = lists_only ? b.geom_dof[pair.geom1] : last_dof(p, b1);
    const int last2 = lists_only ? b.geom_dof[pair.geom2] : last_dof(p, b2);
    const int last = last1 < 0 ? last2 : last2 < 0 ? last1 : -1;
    int n = -1, ends[2] = {};
    if (lists_only) n = detail::free_dofs(p, last1, last2, ends);
    const bool free = n >= 0;
    if (!free && last >= 0) n = p.M_rownnz[last];  // the dof and its ancestors
    if (!free && last < 0) {
      n = 0;
      for_contact_dofs(p, b1, b2, [&](int, int) { ++n; });
    }
    if (n == 0) continue;
    b.con_last[slot] = last;
    b.con_ndof[slot] = n;
    b.con_dofadr[slot] = ndof;
    b.con_jadr[slot] = d.nj;
    ndof += n;
    d.nj += n * pair.dim;
    if (d.nj > d.maxj) continue;  // counts on, to know the need
    if (free) {
      int* dof = b.dof + b.con_dofadr[slot];
      dof[0] = ends[0];
      dof[n - 1] = ends[1];
    } else if (lists_only) {
      list_dofs(p, b1, b2, n, b.dof + b.con_dofadr[slot], b.sign);
    } else if (last < 0 || form == RowForm::kAll) {
      detail::fill_contact(p, pair, s, d, b, law, slot);
    }
    b.con[b.ncon++] = slot;
    const Lane rows = select(active, Lane(Real(contact_rows(pair.dim, p.opt.cone))), Lane(Real(0)));
    nefc += rows;
    if (last < 0) ncoupled += rows;
  }
  if (d.nj > d.maxj) {
    d.need_j = d.nj;
    return;
  }
  d.out_nefc[0] = nefc;
  d.out_ncoupled[0] = ncoupled;
  *head = b;
}

// Rows of the n slots, which are listed only.
template <class Lane>
SB_HD void fill_contacts(const Context<Lane>& c, const int* slots, int n) {
  ContactLaw<RealOf<Lane>> law;
  for (int k = 0; k < n; ++k) {
    const auto& pair = c.pairs[c.d.con_pair[slots[k]]];
    detail::fill_contact(c.p, pair, c.s, c.d, blocks_of(c.d), law, slots[k]);
  }
}

// Form what make_rows left out.
template <class Lane>
SB_HD void complete_rows(const Context<Lane>& c) {
  Blocks& b = blocks_of(c.d);
  if (b.form == RowForm::kAll) return;
  ContactLaw<RealOf<Lane>> law;
  for (int k = 0; k < b.ncon; ++k) {
    const int slot = b.con[k];
    if (b.form == RowForm::kCoupled && b.con_last[slot] < 0) continue;  // formed
    const auto& pair = c.pairs[c.d.con_pair[slot]];
    detail::fill_contact(c.p, pair, c.s, c.d, b, law, slot);
  }
  b.form = RowForm::kAll;
}

}  // namespace stepbench::contact::inline SB_ISA
