// What the Newton iteration asks of one contact along a line u + alpha v, wherever it is kept: as
// q.u(), q.v(), q.D() and q.cone() of a place of ground.h or coupling.h.
#pragma once

#include "engine/contact/cone.h"

namespace stepbench::contact::inline SB_ISA {

template <class Cone>
struct ContactLine {
  static constexpr int kDim = Cone::kDim;

  // u += v.
  template <class Q, class Lane>
  static SB_INLINE void add(const Q& q, const Lane* v) {
    SB_UNROLL
    for (int r = 0; r < kDim; ++r) q.u()[r] += v[r];
  }

  // Keeps v; adds the cost at u, and at u + v.
  template <class Q, class Lane>
  static SB_INLINE void start(const Q& q, const Lane* v, Lane& cost0, Lane& cost1) {
    Lane u[kDim];
    cost0 += Cone::cost(q.cone(), q.D(), q.u());
    SB_UNROLL
    for (int r = 0; r < kDim; ++r) {
      q.v()[r] = v[r];
      u[r] = q.u()[r] + v[r];
    }
    cost1 += Cone::cost(q.cone(), q.D(), u);
  }

  // Keeps v; adds slopes at u and at u + v, and collects whether the piece changes in between.
  template <class Q, class Lane>
  static SB_INLINE void step(const Q& q, const Lane* v, Lane& slope0, Slope<Lane>& slope1,
                             PieceBits<Lane>& changed) {
    SB_UNROLL
    for (int r = 0; r < kDim; ++r) q.v()[r] = v[r];
    Cone::step(q.cone(), q.D(), q.u(), v, slope0, slope1, changed);
  }

  // Adds slope and curvature at u + alpha v.
  template <class Q, class Lane>
  static SB_INLINE void slope(const Q& q, Lane alpha, Slope<Lane>& s) {
    Lane u[kDim];
    at(q, alpha, u);
    Cone::slope(q.cone(), q.D(), u, q.v(), s);
  }

  // Cost at u + alpha v.
  template <class Q, class Lane>
  static SB_INLINE Lane cost(const Q& q, Lane alpha) {
    Lane u[kDim];
    at(q, alpha, u);
    return Cone::cost(q.cone(), q.D(), u);
  }

 private:
  template <class Q, class Lane>
  static SB_INLINE void at(const Q& q, Lane alpha, Lane* u) {
    SB_UNROLL
    for (int r = 0; r < kDim; ++r) u[r] = fma(alpha, q.v()[r], q.u()[r]);
  }
};

}  // namespace stepbench::contact::inline SB_ISA
