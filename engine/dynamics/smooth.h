// Unconstrained acceleration: MuJoCo's mj_fwdAcceleration.
//
// Reads qfrc_bias, qfrc_passive, qfrc_actuator, qLD. Writes qfrc_smooth = passive - bias + actuator
// and qacc_smooth = M^-1 qfrc_smooth.
#pragma once

#include "engine/dynamics/factor.h"
#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

template <class Lane>
SB_HD void smooth_acceleration(const model::Params<RealOf<Lane>>& m, const model::State<Lane>&,
                               model::Scratch<Lane>& d) {
  for (int i = 0; i < m.nv; ++i) {
    const Lane f = (d.qfrc_passive[i] - d.qfrc_bias[i]) + d.qfrc_actuator[i];
    d.qfrc_smooth[i] = f;
    d.qacc_smooth[i] = f;
  }
  solve_LD(m, d.qLD, d.qLDiagInv, d.qacc_smooth);
}

}  // namespace stepbench::dynamics::inline SB_ISA
