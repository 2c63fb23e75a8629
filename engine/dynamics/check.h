// Worlds that blew up: MuJoCo's mj_checkPos, mj_checkVel, mj_checkAcc and mj_resetData.
//
// A number that is NaN or beyond 1e10 resets its world (and no other) to qpos0, zero velocity,
// controls and activations, mocap bodies at their start, time 0; out_bad tells. Without autoreset
// it only tells.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

namespace detail {

inline constexpr float kMaxValue = 1e10f;  // mjMAXVAL

// Lanes where all of a[0 .. n) are numbers within 1e10. The sum of squares settles it for all lanes
// at once in every ordinary step.
template <class Lane>
SB_INLINE MaskOf<Lane> all_good(const Lane* a, int n, MaskOf<Lane> good) {
  using Real = RealOf<Lane>;
  Lane sum[2] = {Lane(Real(0)), Lane(Real(0))};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    sum[0] = fma(a[i], a[i], sum[0]);
    sum[1] = fma(a[i + 1], a[i + 1], sum[1]);
  }
  if (i < n) sum[0] = fma(a[i], a[i], sum[0]);
  if (math::all(sum[0] + sum[1] <= Lane(Real(9e19)))) return good;
  for (i = 0; i < n; ++i) good = good & (math::abs(a[i]) <= Lane(Real(kMaxValue)));
  return good;
}

}  // namespace detail

// Reset the lanes of a mask: the state of mj_resetData.
template <class Lane>
SB_HD void reset_lanes(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                       MaskOf<Lane> lanes) {
  using Real = RealOf<Lane>;
  const Lane zero = Lane(Real(0));
  const auto clear = [&](Lane* a, int n) {
    for (int i = 0; i < n; ++i) a[i] = select(lanes, zero, a[i]);
  };
  for (int i = 0; i < m.nq; ++i) s.qpos[i] = select(lanes, Lane(m.qpos0[i]), s.qpos[i]);
  clear(s.qvel, m.nv);
  clear(s.act, m.na);
  clear(s.ctrl, m.nu);
  clear(s.qacc_warmstart, m.nv);
  clear(s.time, 1);
  for (int b = 0; b < m.nbody; ++b) {
    const int k = m.body_mocapid[b];
    if (k < 0) continue;
    for (int i = 0; i < 3; ++i) {
      Lane& x = s.mocap_pos[3 * k + i];
      x = select(lanes, Lane(m.body_pos[3 * b + i]), x);
    }
    for (int i = 0; i < 4; ++i) {
      Lane& x = s.mocap_quat[4 * k + i];
      x = select(lanes, Lane(m.body_quat[4 * b + i]), x);
    }
  }
}

// Mark the lanes that are not good in out_bad and reset them. Whether any was reset.
template <class Lane>
SB_HD bool flag_and_reset(const model::Params<RealOf<Lane>>& m, const model::State<Lane>& s,
                          model::Scratch<Lane>& d, MaskOf<Lane> good) {
  using Real = RealOf<Lane>;
  if (math::all(good)) return false;
  d.out_bad[0] = select(good, d.out_bad[0], Lane(Real(1)));
  if (m.opt.disableflags & model::kDsblAutoreset) return false;
  reset_lanes(m, s, MaskOf<Lane>(!good));
  return true;
}

}  // namespace stepbench::dynamics::inline SB_ISA
