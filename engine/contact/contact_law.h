// Impedance and springs of a contact pair.
#pragma once

#include "engine/contact/rows.h"

namespace stepbench::contact::inline SB_ISA {

// Impedance and springs of a pair: kept while pairs follow with equal parameters, as they mostly
// do.
template <class Real>
struct ContactLaw {
  const collide::PairParams<Real>* pair = nullptr;
  Impedance<Real> impedance;
  Spring<Real> spring;
  Real friction_damping;

  SB_HD bool same(const collide::PairParams<Real>& q) const {
    if (pair == nullptr) return false;
    bool equal = true;
    for (int i = 0; i < 2; ++i) {
      equal = equal & (pair->solref[i] == q.solref[i]) &
              (pair->solreffriction[i] == q.solreffriction[i]);
    }
    for (int i = 0; i < 5; ++i) equal = equal & (pair->solimp[i] == q.solimp[i]);
    return equal;
  }
  SB_HD void set(const model::OptionParams<Real>& opt, const collide::PairParams<Real>& q) {
    pair = &q;
    impedance = impedance_params(q.solimp);
    spring = contact::spring(opt, q.solref, impedance.dmax);
    friction_damping = contact::friction_damping(opt, q, impedance.dmax, spring);
  }
};

}  // namespace stepbench::contact::inline SB_ISA
