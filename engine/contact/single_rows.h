// Rows on single dofs (limits, friction loss) and limits of balls, for the articulated solve.
//
// Limits and friction losses of block_ops.h with D, u and v side by side. Loops visit the rows that
// some lane still needs: prune().
#pragma once

#include "engine/contact/block_ops.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class SingleRows {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  // Takes memory; false: the workspace is too small.
  SB_HD bool prepare(const Context<Lane>& c, Workspace& w) {
    const Blocks& b = blocks_of(c.d);
    all_ = w.take<Row>(std::size_t(b.nsc));
    live_ = w.take<int>(std::size_t(b.nsc));
    Lane* lanes = w.take<Lane>(3 * std::size_t(b.nsc));
    if (w.full()) return false;
    n_ = nlive_ = b.nsc;
    for (int k = 0; k < n_; ++k) {
      const int id = b.sc[k];
      const ScalarRow<Lane> row = scalar_row(c.p, c.d, id);
      const unsigned owners = math::bits_of(c.d.sc_D[id] > Lane(Real(0)));
      all_[k] = {row.dof, row.axis, row.sign < Real(0), owners, row.eta, lanes + 3 * k};
      all_[k].D() = c.d.sc_D[id];
      all_[k].u() = -c.d.sc_aref[id];
      live_[k] = k;
    }
    return true;
  }

  // The rows that are left, for some lanes of a wider pack.
  template <class Wide, class Map>
  bool adopt(const SingleRows<Wide>& o, const Map& map, Workspace& w) {
    n_ = nlive_ = o.nlive_;
    all_ = w.take<Row>(std::size_t(n_));
    live_ = w.take<int>(std::size_t(n_));
    Lane* lanes = w.take<Lane>(6 * std::size_t(n_));
    if (w.full()) return false;
    for (int k = 0; k < n_; ++k) {
      const auto& from = o.all_[o.live_[k]];
      Lane* own = lanes + 6 * k;
      all_[k] = {from.dof, nullptr, from.minus, 0, from.eta, own};
      map.take(from.lanes, 2, own);
      if (from.axis != nullptr) {
        map.take(from.axis, 3, own + 3);
        all_[k].axis = own + 3;
      }
      all_[k].owners = math::bits_of(own[0] > Lane(Real(0)));
      live_[k] = k;
    }
    return true;
  }
  // u back into the wider pack.
  template <class Wide, class Map>
  void return_u(SingleRows<Wide>& o, const Map& map) const {
    for (int k = 0; k < n_; ++k) map.give(all_[k].u(), o.all_[o.live_[k]].u());
  }

  // Leave out rows that no lane of `active` has.
  SB_HD void prune(unsigned active) {
    int n = 0;
    for (int k = 0; k < nlive_; ++k) {
      live_[n] = live_[k];
      n += (all_[live_[k]].owners & active) != 0;
    }
    nlive_ = n;
  }

  // u += J a.
  SB_HD void add_to_u(const Lane* a) {
    each([&](Row& q) { q.u() += q.motion(a); });
  }

  // v = J x; adds the cost at u, and at u + v.
  SB_HD void start(const Lane* x, Lane& cost0, Lane& cost1) {
    each([&](Row& q) {
      const Lane v = q.motion(x);
      q.v() = v;
      cost0 += scalar_cost(q.eta, q.D(), q.u());
      cost1 += scalar_cost(q.eta, q.D(), q.u() + v);
    });
  }

  // v = J x, slopes at u and at u + v; same: where no row changes its piece in between.
  SB_HD void step(const Lane* x, Lane& slope0, Slope<Lane>& slope1, Mask& same) {
    const Lane zero(Real(0));
    PieceBits<Lane> changed = math::to_bits(zero);
    each([&](Row& q) {
      const Lane v = q.motion(x), D = q.D(), u = q.u(), w = u + v;
      q.v() = v;
      changed = changed | change(q, u, w);
      const Lane dv = D * v;
      if (q.eta < Real(0)) {
        slope0 = fma(math::min(u, zero), dv, slope0);
        const Lane x1 = math::min(w, zero);
        slope1.first = fma(x1, dv, slope1.first);
        slope1.second = fma(select(x1 < zero, dv, zero), v, slope1.second);
      } else {
        slope0 = fnma(scalar_force(q.eta, D, u), v, slope0);
        slope1.first = fnma(scalar_force(q.eta, D, w), v, slope1.first);
        slope1.second = fma(scalar_hessian(q.eta, D, w) * v, v, slope1.second);
      }
    });
    same = same & no_change<Lane>(changed);
  }

  SB_HD void slope(Lane alpha, Slope<Lane>& s) {
    each([&](Row& q) {
      const Lane v = q.v(), u = fma(alpha, v, q.u());
      s.first = fnma(scalar_force(q.eta, q.D(), u), v, s.first);
      s.second = fma(scalar_hessian(q.eta, q.D(), u) * v, v, s.second);
    });
  }

  // Cost at u + alpha v.
  SB_HD Lane cost(Lane alpha) {
    Lane sum(Real(0));
    each([&](Row& q) { sum += scalar_cost(q.eta, q.D(), fma(alpha, q.v(), q.u())); });
    return sum;
  }

  // u += alpha v where `active` (elsewhere alpha is 0); changed(dof) where a lane of `run` has
  // another Hessian than before.
  template <class F>
  SB_HD void move(Mask active, Mask run, Lane alpha, F&& changed) {
    const Lane zero(Real(0));
    each([&](Row& q) {
      const Lane old = q.u(), u = fma(alpha, select(active, q.v(), zero), old);
      q.u() = u;
      if (any(run & !no_change<Lane>(change(q, old, u)))) changed(q.dof);
    });
  }

  // out += J'f; of all rows, or of those that are left.
  template <bool kAll>
  SB_HD void add_forces(Lane* out) {
    const int n = kAll ? n_ : nlive_;
    for (int k = 0; k < n; ++k) {
      const Row& q = all_[kAll ? k : live_[k]];
      const Lane f = scalar_force(q.eta, q.D(), q.u());
      Lane* o = out + q.dof;
      if (q.axis == nullptr) {
        o[0] = q.minus ? o[0] - f : o[0] + f;
      } else {
        SB_UNROLL
        for (int i = 0; i < 3; ++i) o[i] = fma(q.axis[i], f, o[i]);
      }
    }
  }

  // Add to the pivots of single dofs.
  SB_HD void add_pivots(Lane* diag) {
    each([&](Row& q) {
      if (q.axis == nullptr) diag[q.dof] += scalar_hessian(q.eta, q.D(), q.u());
    });
  }

  // Adds the limits of the ball that starts at `dof` to its 3 x 3 block.
  SB_HD void add_ball(int dof, Lane (&D)[3][3]) {
    each([&](Row& q) {
      if (q.axis == nullptr || q.dof != dof) return;
      const Lane w = scalar_hessian(q.eta, q.D(), q.u());
      SB_UNROLL
      for (int a = 0; a < 3; ++a) {
        SB_UNROLL
        for (int b = 0; b <= a; ++b) D[a][b] = fma(w * q.axis[a], q.axis[b], D[a][b]);
      }
    });
  }

 private:
  template <class>
  friend class SingleRows;

  struct Row {
    int dof;
    const Lane* axis;  // ball: 3 values; else null
    bool minus;        // the row is minus the dof
    unsigned owners;   // lanes that have the row
    Real eta;          // friction loss (N, N m); -1: a limit
    Lane* lanes;
    SB_INLINE Lane& D() const { return lanes[0]; }
    SB_INLINE Lane& u() const { return lanes[1]; }
    SB_INLINE Lane& v() const { return lanes[2]; }
    SB_INLINE Lane motion(const Lane* x) const {
      if (axis == nullptr) return minus ? -x[dof] : x[dof];
      return fma(axis[2], x[dof + 2], fma(axis[1], x[dof + 1], axis[0] * x[dof]));
    }
  };

  template <class F>
  SB_INLINE void each(F&& f) const {
    for (int k = 0; k < nlive_; ++k) f(all_[live_[k]]);
  }

  static SB_INLINE PieceBits<Lane> change(const Row& q, Lane u, Lane w) {
    const Lane zero(Real(0));
    if (q.eta < Real(0)) {
      return (math::to_bits(math::min(u, zero)) ^ math::to_bits(math::min(w, zero))) &
             math::to_bits(zero - q.D());
    }
    return math::to_bits(select(scalar_same_piece(q.eta, q.D(), u, w), zero, Lane(Real(-0.0))));
  }

  Row* all_;
  int *live_, n_, nlive_;
};

}  // namespace stepbench::contact::inline SB_ISA
