// Contacts of links with the world (static and mocap bodies), as seen by the articulated sweeps.
//
// Rows are never formed: the motion of a contact's base rows comes from the spatial motion of its
// link, and their forces become a wrench on the link. A contact keeps the arm from its tree's
// centre of mass, three directions (rows times their friction coefficient, minus where body 1
// moves), D, u and v. Source: packed_contacts.md 3.2.
//
// A lane's k-th contact of a link and class (equal parameters) lies in the k-th place of that
// class, so that there are as many places as the fullest lane needs (packed_contacts.md 4).
#pragma once

#include "engine/contact/articulated.h"
#include "engine/contact/contact_line.h"
#include "engine/contact/ground_places.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class GroundContacts : public GroundPlaces<Lane> {
 public:
  using Base = GroundPlaces<Lane>;
  using typename Base::Mask;
  using typename Base::Real;

  // u += J a for the motions S of the links.
  SB_HD void add_to_u(const Lane* S) {
    with_motions(S, [](auto line, auto q, const Lane* v) { line.add(q, v); });
  }

  // v = J x for the motions S of the links; adds the cost at u, and at u + v.
  SB_HD void start(const Lane* S, Lane& cost0, Lane& cost1) {
    with_motions(S, [&](auto line, auto q, const Lane* v) { line.start(q, v, cost0, cost1); });
  }

  // v = J x, and slopes at u and at u + v; same: where no contact changes its piece in between.
  SB_HD void step(const Lane* S, Lane& slope0, Slope<Lane>& slope1, Mask& same) {
    PieceBits<Lane> changed = math::to_bits(Lane(Real(0)));
    with_motions(
        S, [&](auto line, auto q, const Lane* v) { line.step(q, v, slope0, slope1, changed); });
    same = same & no_change<Lane>(changed);
  }

  SB_HD void slope(unsigned need, Lane alpha, Slope<Lane>& s) {
    for_links([&](int k) {
      each(k, [&](auto kind, auto q) {
        if (q.q.owners & need) ContactLine<decltype(kind)>::slope(q, alpha, s);
      });
    });
  }

  // Cost at u + alpha v.
  SB_HD Lane cost(Lane alpha) {
    Lane sum(Real(0));
    for_links([&](int k) {
      each(k, [&](auto kind, auto q) { sum += ContactLine<decltype(kind)>::cost(q, alpha); });
    });
    return sum;
  }

  // u += alpha v where `active` (elsewhere alpha is 0); then the wrenches on the links, of the
  // contacts that are left. Marks the links whose contacts have another Hessian than before in a
  // lane of `run`.
  SB_HD void move(Mask active, Mask run, Lane alpha, Lane* wrench, unsigned char* dirty) {
    const Lane zero(Real(0));
    for (int k = 0; k < nlink_; ++k) {
      if (begin_[k + 1] == begin_[k]) continue;
      Lane w[6];
      SB_UNROLL
      for (int i = 0; i < 6; ++i) w[i] = Lane(Real(0));
      PieceBits<Lane> changed = math::to_bits(Lane(Real(0)));
      each(k, [&](auto kind, auto q) {
        using Cone = decltype(kind);
        Lane u[Cone::kDim], f[Cone::kDim];
        SB_UNROLL
        for (int r = 0; r < Cone::kDim; ++r) {
          u[r] = fma(alpha, select(active, q.v()[r], zero), q.u()[r]);
        }
        Cone::update(q.cone(), q.D(), q.u(), u, f, changed);
        SB_UNROLL
        for (int r = 0; r < Cone::kDim; ++r) q.u()[r] = u[r];
        q.template add_wrench<Cone>(f, w);
      });
      SB_UNROLL
      for (int i = 0; i < 6; ++i) wrench[6 * k + i] = w[i];
      if (any(run & !no_change<Lane>(changed))) dirty[k] |= Articulated<Lane>::kOwn;
    }
  }

  // Wrenches of all contacts.
  SB_HD void forces(Lane* wrench) {
    for (int k = 0; k < nlink_; ++k) {
      Lane w[6];
      SB_UNROLL
      for (int i = 0; i < 6; ++i) w[i] = Lane(Real(0));
      for (int i = begin_[k]; i < begin_[k + 1]; ++i) {
        visit(all_[i], [&](auto kind, auto q) {
          using Cone = decltype(kind);
          Lane f[Cone::kDim];
          Cone::force(q.cone(), q.D(), q.u(), f);
          q.template add_wrench<Cone>(f, w);
        });
      }
      SB_UNROLL
      for (int i = 0; i < 6; ++i) wrench[6 * k + i] = w[i];
    }
  }

  // Y += X'W X of the contacts of a link, W at u, for the lanes `active`.
  SB_HD void add_inertia(int k, Mask active, Lane* Y) {
    each(k, [&](auto kind, auto q) {
      using Cone = decltype(kind);
      Lane W[Cone::kDim * (Cone::kDim + 1) / 2];
      Cone::hessian(q.cone(), q.D(), q.u(), W);
      // W is positive semidefinite with W_00 > 0 wherever it is not zero.
      if (!any(active & (W[0] > Lane(Real(0))))) return;
      q.template add_inertia<Cone>(W, Y);
    });
  }

 private:
  using Base::all_;
  using Base::begin_;
  using Base::each;
  using Base::for_links;
  using Base::nlink_;
  using Base::visit;

  // f(ContactLine, contact, motion of its rows) for the motions S of the links.
  template <class F>
  SB_INLINE void with_motions(const Lane* S, F&& f) {
    for_links([&](int k) {
      each(k, [&](auto kind, auto q) {
        Lane v[decltype(kind)::kDim];
        q.template motion<decltype(kind)>(S + 6 * k, v);
        f(ContactLine<decltype(kind)>(), q, v);
      });
    });
  }
};

}  // namespace stepbench::contact::inline SB_ISA
