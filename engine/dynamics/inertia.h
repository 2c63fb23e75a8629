// Joint-space inertia matrix by the composite-rigid-body algorithm: MuJoCo's mj_crb; Featherstone
// (2008), section 6.2 with all vectors in one frame.
//
// Reads cinert, cdof. Writes crb (inertia of a body and all that it carries, for bodies with
// children; `composite` picks the right array) and M in the sparse form of model_fields.h: M(i, j)
// = cdof_j . crb_body(i) cdof_i for j an ancestor of i, plus armature on the diagonal.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

// Composite inertia of a body of a tree, after composite_inertia.
template <class Lane>
SB_INLINE const Lane* composite(const model::Params<RealOf<Lane>>& m, const model::Scratch<Lane>& d,
                                int b) {
  return (m.derived.body_kind[b] & model::kBodyHasChild ? d.crb : d.cinert) + 10 * b;
}

namespace detail {

// Row of M of dof i, whose force on its tree is f = crb cdof_i.
template <class Lane>
SB_INLINE void mass_row(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d, int i,
                        const Spatial<Lane>& f, bool free_root) {
  Lane* row = d.M + m.M_rowadr[i];
  const int* col = m.M_colind + m.M_rowadr[i];
  const int n = m.M_rownnz[i];
  int k = 0;
  if (free_root) {  // the root's translations are the world's axes
    store3(row, f.lin);
    k = 3;
  }
  for (; k < n; ++k) {
    const Lane* c = d.cdof + 6 * col[k];
    row[k] = dot(load6(c), f);
  }
  row[n - 1] += Lane(m.derived.dof_arm[i]);
}

}  // namespace detail

template <class Lane>
SB_HD void composite_inertia(const model::Params<RealOf<Lane>>& m, model::Scratch<Lane>& d) {
  using Real = RealOf<Lane>;
  for (int t = 0; t < m.ntree; ++t) {
    const int root = m.tree_bodyadr[t], end = root + m.derived.tree_bodynum[t];
    const bool free_root = m.derived.tree_free[t] != 0;
    for (int b = end - 1; b >= root; --b) {
      const Inertia<Lane> own = load_inertia(composite(m, d, b));
      const int kind = m.derived.body_kind[b], first = m.body_dofadr[b];
      for (int i = first + m.body_dofnum[b] - 1; i >= first; --i) {
        if (free_root && i < m.tree_dofadr[t] + 3) {
          Lane* row = d.M + m.M_rowadr[i];
          const int n = m.M_rownnz[i];
          for (int k = 0; k < n - 1; ++k) row[k] = Lane(Real(0));
          row[n - 1] = own.m + Lane(m.derived.dof_arm[i]);
        } else {
          detail::mass_row(m, d, i, mul(own, load6(d.cdof + 6 * i)), free_root);
        }
      }
      if (kind & model::kBodyRooted) continue;
      Lane* up = d.crb + 10 * m.body_parentid[b];
      const Lane* sum = kind & model::kBodyLastChild ? d.cinert + 10 * m.body_parentid[b] : up;
      const Lane* add = composite(m, d, b);
      SB_UNROLL for (int i = 0; i < 10; ++i) up[i] = sum[i] + add[i];
    }
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
