// Impedance, regularisation and reference acceleration of a constraint (MuJoCo's soft constraint
// law).
//
// Source: MuJoCo's "Solver parameters" (modeling manual), as mujoco_warp.md 6.7 states it. A row
// with violation r has impedance d(r) between solimp's dmin and dmax, regularisation R = (1 - d)/d
// * A with A an approximation of the diagonal of J M^-1 J', and reference acceleration -B v - K d
// r.
#pragma once

#include "engine/contact/context.h"
#include "engine/math/trig.h"

namespace stepbench::contact::inline SB_ISA {

// Stiffness k (1/s^2) and damping b (1/s) of the reference acceleration.
template <class Real>
struct Spring {
  Real k, b;
};

// solimp with its values clipped to their ranges.
template <class Real>
struct Impedance {
  Real dmin, dmax, width, mid, power;
  Real per_width;     // 1/width
  Real below, above;  // 1/mid^(power-1), 1/(1-mid)^(power-1)
};

template <class Lane>
SB_HD Lane power(Lane x, RealOf<Lane> p) {
  if (p == RealOf<Lane>(1)) return x;
  if (p == RealOf<Lane>(2)) return x * x;
  return math::pow(x, Lane(p));
}

// width: replaces solimp's own width where >= 0 (ComFree's constant).
template <class Real>
SB_HD Impedance<Real> impedance_params(const Real* solimp, Real width = Real(-1)) {
  const Real lo = Real(1e-4), hi = Real(0.9999);
  Impedance<Real> r;
  r.dmin = math::clamp(solimp[0], lo, hi);
  r.dmax = math::clamp(solimp[1], lo, hi);
  r.width = width >= Real(0) ? width : math::max(solimp[2], Real(0));
  r.per_width = Real(1) / math::max(r.width, math::kMinVal<Real>);
  r.mid = math::clamp(solimp[3], lo, hi);
  r.power = math::max(solimp[4], Real(1));
  r.below = Real(1) / power(r.mid, r.power - Real(1));
  r.above = Real(1) / power(Real(1) - r.mid, r.power - Real(1));
  return r;
}

// Impedance at violation r (m or rad; its sign does not matter), in [1e-4, 0.9999].
template <class Lane>
SB_HD Lane impedance(const Impedance<RealOf<Lane>>& s, Lane r) {
  using Real = RealOf<Lane>;
  if (s.dmin == s.dmax || s.width <= math::kMinVal<Real>) {
    return Lane(Real(0.5) * (s.dmin + s.dmax));
  }
  const Lane x = math::min(math::abs(r) * Lane(s.per_width), Lane(Real(1)));
  Lane y = x;
  if (s.power != Real(1)) {
    const Lane low = Lane(s.below) * power(x, s.power);
    const Lane high = Lane(Real(1)) - Lane(s.above) * power(Lane(Real(1)) - x, s.power);
    y = select(x <= Lane(s.mid), low, high);
  }
  const Lane inside = Lane(s.dmin) + y * Lane(s.dmax - s.dmin);
  return select(x < Lane(Real(1)), inside, Lane(s.dmax));
}

// Stiffness and damping from solref: (timeconst, dampratio) > 0 or direct (-stiffness, -damping). A
// mix of signs is replaced by the default, a time constant below two steps is raised (flag
// "refsafe").
template <class Real>
SB_HD Spring<Real> spring(const model::OptionParams<Real>& opt, const Real* solref, Real dmax) {
  Real a = solref[0], b = solref[1];
  if ((a > Real(0)) != (b > Real(0))) {
    a = Real(0.02);
    b = Real(1);
  }
  const Real tiny = math::kMinVal<Real>;
  if (a <= Real(0)) return {-a / math::max(tiny, dmax * dmax), -b / math::max(tiny, dmax)};
  if (!(opt.disableflags & model::kDsblRefsafe)) a = math::max(a, Real(2) * opt.timestep);
  return {Real(1) / math::max(tiny, dmax * dmax * a * a * b * b),
          Real(2) / math::max(tiny, dmax * a)};
}

// 1/R of a row with diagonal approximation A (1/kg or 1/(kg m^2)), one for all lanes or one per
// lane; R = (1 - d)/d A.
template <class Lane, class T>
SB_HD Lane row_stiffness(Lane d, T A) {
  using Real = RealOf<Lane>;
  const Lane one(Real(1)), tiny(math::kMinVal<Real>);
  return d / math::max((one - d) * Lane(math::max(A, T(math::kMinVal<Real>))), tiny * d);
}

// Impedance and spring of the rows of one solref and solimp; rows of equal ones follow each other.
template <class Real>
struct RowLaw {
  Impedance<Real> imp{};
  Spring<Real> sp{};
  bool known = false;
  Real key[7] = {};  // solref and solimp of imp and sp

  // Whether the law changed.
  SB_HD bool set(const model::OptionParams<Real>& opt, const Real* solref, const Real* solimp) {
    bool same = known;
    for (int i = 0; i < 2; ++i) same = same && key[i] == solref[i];
    for (int i = 0; i < 5; ++i) same = same && key[2 + i] == solimp[i];
    if (same) return false;
    known = true;
    for (int i = 0; i < 2; ++i) key[i] = solref[i];
    for (int i = 0; i < 5; ++i) key[2 + i] = solimp[i];
    imp = impedance_params(solimp);
    sp = spring(opt, solref, imp.dmax);
    return true;
  }
};

}  // namespace stepbench::contact::inline SB_ISA
