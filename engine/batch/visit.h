// One visit of a group: several steps in a row, with the counters that reports need.
#pragma once

#include "engine/batch/step.h"

namespace stepbench::batch::inline SB_ISA {

template <class Lane>
void store(math::RealOf<Lane>* out, const Lane& x) {
  *reinterpret_cast<Lane*>(out) = x;
}

template <class Lane>
void visit(const Visit<math::RealOf<Lane>>& v) {
  using Real = math::RealOf<Lane>;
  Stepper<Lane> stepper(v);
  const model::Scratch<Lane>& d = stepper.d();
  const Lane none = Lane(Real(-1));
  const Lane zero = Lane(Real(0));
  Lane capped = zero, iterations = zero, coupled_rows = zero;
  Lane bad_step = none, overflow_step = none;
  for (int k = 0; k < v.nstep; ++k) {
    stepper.step();
    const Lane now = Lane(Real(k));
    capped += d.out_capped[0];
    iterations += d.out_niter[0];
    coupled_rows += d.out_ncoupled[0];
    bad_step =
        math::select((bad_step < Lane(Real(0))) & (d.out_bad[0] > Lane(Real(0))), now, bad_step);
    if (v.max_contacts > 0) {
      const auto over = d.out_ncon[0] > Lane(Real(v.max_contacts));
      overflow_step = math::select((overflow_step < Lane(Real(0))) & over, now, overflow_step);
    }
  }
  store(v.result.ncon, d.out_ncon[0]);
  store(v.result.nefc, d.out_nefc[0]);
  store(v.result.niter, d.out_niter[0]);
  store(v.result.iterations, iterations);
  store(v.result.coupled_rows, coupled_rows);
  store(v.result.max_penetration, d.out_maxpen[0]);
  store(v.result.capped, capped);
  store(v.result.bad_step, bad_step);
  store(v.result.overflow_step, overflow_step);
}

}  // namespace stepbench::batch::inline SB_ISA
