// Contact parameters of a geom pair from the two geoms (mujoco_warp.md 6.4).
#pragma once

#include "engine/collide/geometry.h"
#include "engine/collide/pair_params.h"
#include "engine/model/params.h"

namespace stepbench::collide {

// The flag "override" gives all contacts the same margin and parameters (option o_*).
template <class Real>
struct ContactOverride {
  int enabled;
  Real margin, solref[2], solimp[5], friction[5];
};

inline namespace SB_ISA {

template <class Real>
inline constexpr Real kMinFriction = Real(1e-5);

// Kind and bound from the geoms and margins.
template <class Real>
SB_HD void set_bound(const model::Params<Real>& m, PairParams<Real>& q) {
  q.kind = pair_kind(m.geom_type[q.geom1], m.geom_type[q.geom2]);
  q.bound = m.geom_rbound[q.geom1] + m.geom_rbound[q.geom2] + (q.margin + q.gap);
}

// Friction floor, override, kind and bound: the last step for automatic and explicit pairs.
template <class Real>
SB_HD void finish_pair(const model::Params<Real>& m, const ContactOverride<Real>& o,
                       PairParams<Real>& q) {
  if (o.enabled) {
    q.margin = o.margin;
    for (int i = 0; i < 2; ++i) q.solref[i] = q.solreffriction[i] = o.solref[i];
    for (int i = 0; i < 5; ++i) q.solimp[i] = o.solimp[i];
    for (int i = 0; i < 5; ++i) q.friction[i] = o.friction[i];
  }
  for (int i = 0; i < 5; ++i) q.friction[i] = math::max(kMinFriction<Real>, q.friction[i]);
  set_bound(m, q);
}

// Geoms in stored order: the smaller type first; equal types keep the order given.
template <class Real>
SB_HD void order_geoms(const model::Params<Real>& m, int g1, int g2, PairParams<Real>& q) {
  const bool swap = m.geom_type[g1] > m.geom_type[g2];
  q.geom1 = swap ? g2 : g1;
  q.geom2 = swap ? g1 : g2;
}

// Parameters mixed from geoms a and b, which are kept in this order.
template <class Real>
SB_HD PairParams<Real> mixed_pair(const model::Params<Real>& m, const ContactOverride<Real>& o,
                                  int a, int b) {
  PairParams<Real> q{};
  q.geom1 = a;
  q.geom2 = b;
  q.margin = m.geom_margin[a] + m.geom_margin[b];
  q.gap = m.geom_gap[a] + m.geom_gap[b];

  // Weight of geom a: 1 or 0 where the priorities differ.
  const int rank = m.geom_priority[a] - m.geom_priority[b];
  const Real s1 = m.geom_solmix[a], s2 = m.geom_solmix[b], tiny = kMinVal<Real>;
  Real mix = s1 / (s1 + s2);
  if (s1 < tiny || s2 < tiny) mix = s1 < tiny ? (s2 < tiny ? Real(0.5) : Real(0)) : Real(1);

  const int winner = rank > 0 ? a : b;
  const int dim1 = m.geom_condim[a], dim2 = m.geom_condim[b];
  q.dim = rank != 0 ? m.geom_condim[winner] : dim1 > dim2 ? dim1 : dim2;
  const Real* r1 = m.geom_solref + 2 * a;
  const Real* r2 = m.geom_solref + 2 * b;
  const bool standard = r1[0] > Real(0) && r2[0] > Real(0);
  for (int i = 0; i < 2; ++i) {
    const Real both = standard ? mix * r1[i] + (Real(1) - mix) * r2[i] : math::min(r1[i], r2[i]);
    q.solref[i] = rank != 0 ? m.geom_solref[2 * winner + i] : both;
  }
  for (int i = 0; i < 5; ++i) {
    const Real both = mix * m.geom_solimp[5 * a + i] + (Real(1) - mix) * m.geom_solimp[5 * b + i];
    q.solimp[i] = rank != 0 ? m.geom_solimp[5 * winner + i] : both;
  }
  Real friction[3];
  for (int i = 0; i < 3; ++i) {
    const Real both = math::max(m.geom_friction[3 * a + i], m.geom_friction[3 * b + i]);
    friction[i] = rank != 0 ? m.geom_friction[3 * winner + i] : both;
  }
  q.friction[0] = q.friction[1] = friction[0];
  q.friction[2] = friction[1];
  q.friction[3] = q.friction[4] = friction[2];
  finish_pair(m, o, q);
  return q;
}

// Pair that the engine finds by itself. g1 is the geom of the smaller body.
template <class Real>
SB_HD PairParams<Real> automatic_pair(const model::Params<Real>& m, const ContactOverride<Real>& o,
                                      int g1, int g2) {
  PairParams<Real> q{};
  order_geoms(m, g1, g2, q);
  return mixed_pair(m, o, q.geom1, q.geom2);
}

// Element k of <contact><pair>: its own values, whatever its geoms say.
template <class Real>
SB_HD PairParams<Real> explicit_pair(const model::Params<Real>& m, const ContactOverride<Real>& o,
                                     int k) {
  PairParams<Real> q{};
  order_geoms(m, m.pair_geom1[k], m.pair_geom2[k], q);
  q.dim = m.pair_dim[k];
  q.margin = m.pair_margin[k];
  q.gap = m.pair_gap[k];
  for (int i = 0; i < 2; ++i) q.solref[i] = m.pair_solref[2 * k + i];
  for (int i = 0; i < 2; ++i) q.solreffriction[i] = m.pair_solreffriction[2 * k + i];
  for (int i = 0; i < 5; ++i) q.solimp[i] = m.pair_solimp[5 * k + i];
  for (int i = 0; i < 5; ++i) q.friction[i] = m.pair_friction[5 * k + i];
  finish_pair(m, o, q);
  return q;
}

}  // namespace SB_ISA

}  // namespace stepbench::collide
