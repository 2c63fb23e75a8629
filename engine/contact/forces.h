// Constraint rows of one lane in MuJoCo's order and names (efc_*), for reports and checks.
//
// Host code: allocates. Call after a contact model's solve(). Pyramids are expanded to their edges.
#pragma once

#include <vector>

#include "engine/contact/model.h"
#include "engine/contact/rows.h"

namespace stepbench::contact::inline SB_ISA {

struct EfcRows {
  std::vector<int> type;                    // model::ConstraintType
  std::vector<double> D, aref, pos, force;  // efc_D, efc_aref, efc_pos, efc_force
  std::vector<double> J;                    // nefc x nv, row-major
  std::vector<int> con_address;             // per contact slot: its first row; -1: no rows
};

namespace detail {

template <class Model, class Lane>
EfcRows expand(const Context<Lane>& c, int lane) {
  const auto& p = c.p;
  auto& d = c.d;
  const Blocks& b = blocks_of(d);
  Model::prepare_report(c);
  EfcRows out;
  out.con_address.assign(std::size_t(d.ncon), -1);
  const auto value = [lane](const Lane& x) { return double(math::get(x, lane)); };
  const auto add = [&](int type, double D, double aref, double pos, double force) -> double* {
    out.type.push_back(type);
    out.D.push_back(D);
    out.aref.push_back(aref);
    out.pos.push_back(pos);
    out.force.push_back(force);
    out.J.resize(out.J.size() + std::size_t(p.nv), 0.0);
    return out.J.data() + out.J.size() - std::size_t(p.nv);
  };

  for (int k = 0; k < b.nsc; ++k) {
    const int id = b.sc[k];
    const ScalarRow<Lane> row = scalar_row(p, d, id);
    const double D = value(d.sc_D[id]);
    if (!(D > 0)) continue;
    const bool limit = id >= p.nv;
    double* J =
        add(limit ? model::kCnstrLimitJoint : model::kCnstrFrictionDof, D, value(d.sc_aref[id]),
            limit ? value(d.sc_pos[id - p.nv]) : 0.0, value(Model::scalar_row_force(c, id, row)));
    if (row.axis == nullptr) {
      J[row.dof] = double(row.sign);
    } else {
      for (int i = 0; i < 3; ++i) J[row.dof + i] = value(row.axis[i]);
    }
  }

  for (int k = 0; k < b.ncon; ++k) {
    const int slot = b.con[k];
    const double D = value(d.con_D[slot]);
    if (!(D > 0)) continue;
    const auto& pair = c.pairs[d.con_pair[slot]];
    const int n = contact_rows(pair.dim, p.opt.cone);
    const bool pyramid = n != pair.dim;
    const int type = pair.dim == 1 ? model::kCnstrContactFrictionless
                     : pyramid     ? model::kCnstrContactPyramidal
                                   : model::kCnstrContactElliptic;
    Lane force[10];
    Model::contact_row_forces(c, slot, force);
    out.con_address[std::size_t(slot)] = int(out.type.size());
    const int* dof = b.dof + b.con_dofadr[slot];
    const Lane* base = d.con_J + b.con_jadr[slot];
    const Lane* aref = d.con_aref + 6 * slot;
    const double dist = value(d.con_dist[slot]);
    for (int r = 0; r < n; ++r) {
      // Row = first * base row 0 + second * base row `other`.
      const int other = pyramid ? 1 + r / 2 : r;
      const double first = pyramid || r == 0 ? 1 : 0;
      const double second = pyramid  ? (r % 2 == 0 ? 1 : -1)
                            : r == 0 ? 0
                                     : 1 / double(pair.friction[r - 1]);
      const double mix = pyramid || r == 0
                             ? 1
                             : double(p.opt.impratio) *
                                   double(pair.friction[r - 1] * pair.friction[r - 1]) /
                                   double(pair.friction[0] * pair.friction[0]);
      double* J = add(type, D * mix, first * value(aref[0]) + second * value(aref[other]),
                      pyramid || r == 0 ? dist : 0.0, value(force[r]));
      for (int i = 0; i < b.con_ndof[slot]; ++i) {
        J[dof[i]] = first * value(base[i * pair.dim]) + second * value(base[i * pair.dim + other]);
      }
    }
  }
  return out;
}

}  // namespace detail

// Rows that lane `lane` of the group has.
template <class Lane>
EfcRows expand_rows(const Context<Lane>& c, int lane = 0) {
  int k = 0;
#define X(Model) \
  if (c.options.model == k++) return detail::expand<Model>(c, lane);
  SB_CONTACT_MODELS(X)
#undef X
  return {};
}

}  // namespace stepbench::contact::inline SB_ISA
