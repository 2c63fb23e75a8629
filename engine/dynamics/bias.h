// Bias forces (gravity, Coriolis, centripetal, gyroscopic) by the recursive Newton-Euler algorithm:
// MuJoCo's mj_rne at zero acceleration; Featherstone (2008), section 5.3.
//
// Reads cinert, cvel, cacc, cdof. Writes cfrc (force that a joint carries for its body and all
// beyond it) and qfrc_bias_i = cdof_i . cfrc_body(i).
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

template <class Lane>
SB_HD void bias(const model::Params<RealOf<Lane>>& m, const model::State<Lane>&,
                model::Scratch<Lane>& d) {
  for (int t = 0; t < m.ntree; ++t) {
    const int root = m.tree_bodyadr[t], end = root + m.derived.tree_bodynum[t];
    // Children before parents: a body's own force joins what its children have already left there.
    for (int b = end - 1; b >= root; --b) {
      const int kind = m.derived.body_kind[b];
      const bool has_child = kind & model::kBodyHasChild;
      Spatial<Lane> f;
      if (kind & model::kBodyMassless) {
        f = has_child ? load6(d.cfrc + 6 * b) : zero6<Lane>();
      } else {
        // f = I a + v x* (I v)
        const Inertia<Lane> inertia = load_inertia(d.cinert + 10 * b);
        const Spatial<Lane> v = load6(d.cvel + 6 * b);
        const Spatial<Lane> p = mul(inertia, v);
        f = mul(inertia, load6(d.cacc + 6 * b));
        f.ang = cross_add(v.lin, p.lin, cross_add(v.ang, p.ang, f.ang));
        f.lin = cross_add(v.ang, p.lin, f.lin);
        if (has_child) f = f + load6(d.cfrc + 6 * b);
      }
      const int first = m.body_dofadr[b];
      for (int i = first; i < first + m.body_dofnum[b]; ++i) {
        const Lane* c = d.cdof + 6 * i;
        d.qfrc_bias[i] = is_translation(m, i) ? dot(load3(c + 3), f.lin) : dot(load6(c), f);
      }
      if (kind & model::kBodyRooted) continue;
      Lane* up = d.cfrc + 6 * m.body_parentid[b];
      store6(up, kind & model::kBodyLastChild ? f : f + load6(up));
    }
  }
}

}  // namespace stepbench::dynamics::inline SB_ISA
