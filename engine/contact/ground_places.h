// Places of the contacts of links with the world: which contacts there are, and where they are
// kept.
//
// A lane's k-th contact of a link and class (equal parameters) lies in the k-th place of that
// class, so that there are as many places as the fullest lane needs (packed_contacts.md 4).
#pragma once

#include "engine/contact/ground_forms.h"
#include "engine/contact/links.h"
#include "engine/contact/rows.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class GroundPlaces {
 public:
  using Real = RealOf<Lane>;
  using Mask = MaskOf<Lane>;

  // Takes memory; false: the workspace is too small.
  SB_HD bool prepare(const Context<Lane>& c, const Links<Lane>& links, Workspace& w) {
    const auto& p = c.p;
    const auto& d = c.d;
    const Blocks& b = blocks_of(c.d);
    const Lane zero(Real(0)), one(Real(1));
    cone_ = p.opt.cone;
    nlink_ = links.n;
    const std::size_t most = std::size_t(b.ncon);
    all_ = w.take<Contact>(most);
    live_ = w.take<int>(most);
    Class* classes = w.take<Class>(most);
    Contact* found = w.take<Contact>(most);
    Lane* lanes = w.take<Lane>(most * kStride);
    if (w.full()) return false;

    // Places of every class of contacts, in lists by link. In a lane that lacks it a place holds
    // finite values and D = 0.
    int first_class[kMaxPackedDofs], nclass = 0, nfound = 0;
    for (int k = 0; k < nlink_; ++k) first_class[k] = -1;
    for (int i = 0; i < b.ncon; ++i) {
      const int slot = b.con[i], last = b.con_last[slot];
      if (last < 0) continue;
      const auto& pair = c.pairs[d.con_pair[slot]];
      const int k = links.of_dof[last];
      Class* of = find_class(p, pair, classes, &first_class[k]);
      if (of == nullptr) {
        of = classes + nclass;
        insert_class(p, pair, classes, nclass++, &first_class[k]);
      }
      const bool flat = of->flat;
      Mask rest = d.con_dist[slot] < Lane(pair.margin);
      int* at = &of->first;
      for (int n = 0; any(rest); ++n) {
        const bool fresh = *at < 0;
        if (fresh) {
          found[nfound] = {};
          found[nfound].lanes = lanes + std::size_t(nfound) * kStride;
          found[nfound].next = -1;
          *at = nfound++;
        }
        Contact& q = found[*at];
        at = &q.next;
        const Mask here = fresh ? rest : rest & (q.D() == zero);
        if (!any(here)) continue;
        rest = rest & !here;
        const Lane *pos = d.con_pos + 3 * slot, *frame = d.con_frame + 9 * slot;
        const auto put = [&](Lane& to, const Lane& from) {
          to = fresh ? from : select(here, from, to);
        };
        SB_UNROLL
        for (int e = 0; e < 3; ++e) put(q.arm()[e], pos[e]);
        if (flat) {
          put(q.frame()[0], frame[3]);
          put(q.frame()[1], frame[4]);
        } else {
          SB_UNROLL
          for (int e = 0; e < 9; ++e) put(q.frame()[e], frame[e]);
        }
        put(q.u()[0], d.con_dist[slot]);
        q.D() = select(here, one, fresh ? zero : q.D());
      }
    }

    int n = 0;
    ContactLaw<Real> law;
    for (int k = 0; k < nlink_; ++k) {
      begin_[k] = n;
      for (int e = first_class[k]; e >= 0; e = classes[e].next) {
        const auto& pair = *classes[e].pair;
        law.set(p, pair);
        for (int at = classes[e].first; at >= 0; at = found[at].next) {
          Contact& q = all_[n];
          q.lanes = found[at].lanes;
          live_[n] = n;
          ++n;
          q.flat = classes[e].flat;
          finish(c, pair, law, links.link[k].dof, q);
        }
      }
      end_[k] = n;
    }
    begin_[nlink_] = n;
    return true;
  }

  // The contacts that are left, for some lanes of a wider pack.
  template <class Wide, class Map>
  bool adopt(const GroundPlaces<Wide>& o, const Map& map, Workspace& w) {
    cone_ = o.cone_;
    nlink_ = o.nlink_;
    int n = 0;
    for (int k = 0; k < nlink_; ++k) n += o.end_[k] - o.begin_[k];
    all_ = w.take<Contact>(std::size_t(n));
    live_ = w.take<int>(std::size_t(n));
    Lane* lanes = w.take<Lane>(std::size_t(n) * kStride);
    if (w.full()) return false;
    n = 0;
    for (int k = 0; k < nlink_; ++k) {
      begin_[k] = n;
      for (int i = o.begin_[k]; i < o.end_[k]; ++i) {
        const auto& from = o.all_[o.live_[i]];
        Contact& q = all_[n];
        q = {};
        q.lanes = lanes + std::size_t(n) * kStride;
        q.dim = from.dim;
        q.flat = from.flat;
        q.cone = from.cone;
        for (int e = 0; e < 3; ++e) q.turn[e] = from.turn[e];
        map.take(from.lanes, 13 + q.dim, q.lanes);
        q.owners = math::bits_of(q.D() > Lane(Real(0)));
        live_[n] = n;
        ++n;
      }
      end_[k] = n;
    }
    begin_[nlink_] = n;
    return true;
  }
  // u back into the wider pack.
  template <class Wide, class Map>
  void return_u(GroundPlaces<Wide>& o, const Map& map) const {
    int n = 0;
    for (int k = 0; k < nlink_; ++k) {
      for (int i = o.begin_[k]; i < o.end_[k]; ++i, ++n) {
        map.give(all_[n].u(), all_[n].dim, o.all_[o.live_[i]].u());
      }
    }
  }

  // Leave out contacts that no lane of `active` has.
  SB_HD void prune(unsigned active) {
    for (int k = 0; k < nlink_; ++k) {
      int n = begin_[k];
      for (int i = begin_[k]; i < end_[k]; ++i) {
        live_[n] = live_[i];
        n += (all_[live_[i]].owners & active) != 0;
      }
      end_[k] = n;
    }
  }

 protected:
  template <class>
  friend class GroundPlaces;

  using Contact = GroundContact<Lane>;
  static constexpr int kStride = Contact::kLanes;

  // Contacts of one link that may share places: their pairs have the same parameters.
  struct Class {
    const collide::PairParams<Real>* pair;
    int first, next;  // place; class of the same link
    bool flat;
  };

  // Order of the parameters that contacts of a place must share: -1, 0 or 1. It depends on the two
  // pairs alone, so that the order of a lane's contacts does not depend on its neighbours.
  static SB_HD int compare(const model::Params<Real>& p, const collide::PairParams<Real>& a,
                           const collide::PairParams<Real>& b) {
    if (&a == &b) return 0;
    const auto less = [](auto x, auto y) { return x < y ? -1 : (y < x ? 1 : 0); };
    const auto body = [&](const collide::PairParams<Real>& q, int geom) {
      return p.geom_bodyid[geom == 1 ? q.geom1 : q.geom2];
    };
    int r = less(a.dim, b.dim);
    r = r != 0 ? r : less(is_flat(p, a), is_flat(p, b));
    for (int i = 1; i <= 2; ++i) r = r != 0 ? r : less(body(a, i), body(b, i));
    r = r != 0 ? r : less(a.margin, b.margin);
    for (int i = 0; i < 5 && r == 0; ++i) r = less(a.friction[i], b.friction[i]);
    for (int i = 0; i < 2 && r == 0; ++i) r = less(a.solref[i], b.solref[i]);
    for (int i = 0; i < 2 && r == 0; ++i) r = less(a.solreffriction[i], b.solreffriction[i]);
    for (int i = 0; i < 5 && r == 0; ++i) r = less(a.solimp[i], b.solimp[i]);
    return r;
  }
  static SB_HD Class* find_class(const model::Params<Real>& p,
                                 const collide::PairParams<Real>& pair, Class* classes,
                                 const int* first) {
    for (int e = *first; e >= 0; e = classes[e].next) {
      if (compare(p, pair, *classes[e].pair) == 0) return classes + e;
    }
    return nullptr;
  }
  static SB_HD void insert_class(const model::Params<Real>& p,
                                 const collide::PairParams<Real>& pair, Class* classes, int e,
                                 int* at) {
    while (*at >= 0 && compare(p, *classes[*at].pair, pair) < 0) at = &classes[*at].next;
    classes[e] = {&pair, -1, *at, is_flat(p, pair)};
    *at = e;
  }

  // Whether a pair's contacts have the world's z as their normal and equal frictions along both
  // tangents: contacts with a plane of the world that faces upward. Frames are then exact: see
  // collide/narrow_phase.h.
  static SB_HD bool is_flat(const model::Params<Real>& p, const collide::PairParams<Real>& pair) {
    const Real* turn = p.derived.geom_rot + 9 * pair.geom1;
    return p.geom_type[pair.geom1] == model::kGeomPlane && p.geom_bodyid[pair.geom1] == 0 &&
           turn[2] == Real(0) && turn[5] == Real(0) && turn[8] == Real(1) &&
           pair.friction[0] == pair.friction[1];
  }

  // From pos, frame (flat: its first tangent's x and y), dist (in u) and a mark (in D) to the
  // contact of a link.
  SB_HD void finish(const Context<Lane>& c, const collide::PairParams<Real>& pair,
                    const ContactLaw<Real>& law, int dof, Contact& q) {
    const auto& p = c.p;
    const auto& d = c.d;
    const Lane zero(Real(0));
    q.dim = pair.dim;
    q.cone = {};
    if (pair.dim > 1 && p.opt.cone == model::kElliptic) {
      q.cone = cone_params(p.opt, pair.friction[0]);
    }
    q.turn[0] = pair.friction[2];
    q.turn[1] = q.turn[2] = Real(0);
    if (pair.dim > 4) {
      q.turn[1] = pair.friction[3] / pair.friction[0];
      q.turn[2] = pair.friction[4] / pair.friction[1];
    }
    const int b2 = p.geom_bodyid[pair.geom2];
    const bool minus = last_dof(p, b2) < 0;  // body 1 moves
    const Lane* com = d.subtree_com + 3 * p.dof_treeid[dof];
    SB_UNROLL
    for (int i = 0; i < 3; ++i) q.arm()[i] = q.arm()[i] - com[i];
    const auto scale = [&](int row) {
      return Lane(minus ? -row_scale(pair, row) : row_scale(pair, row));
    };
    if (q.flat) {
      for (int i = 0; i < 2; ++i) q.frame()[i] = q.frame()[i] * scale(1);
    } else {
      for (int r = 0; r < (pair.dim == 1 ? 1 : 3); ++r) {
        SB_UNROLL
        for (int i = 0; i < 3; ++i) q.frame()[3 * r + i] = q.frame()[3 * r + i] * scale(r);
      }
    }
    const Lane* body = d.cvel + 6 * (minus ? p.geom_bodyid[pair.geom1] : b2);
    Lane v[6] = {};
    visit(q, [&](auto kind, auto form) { form.template motion<decltype(kind)>(body, v); });
    const Mask has = q.D() > zero;
    q.owners = math::bits_of(has);
    q.D() = law.apply(q.u()[0] - Lane(pair.margin), has, pair.dim, v);
    for (int r = 0; r < pair.dim; ++r) q.u()[r] = -v[r];
  }

  template <class F>
  SB_INLINE void for_links(F&& f) const {
    for (int k = 0; k < nlink_; ++k) {
      if (end_[k] > begin_[k]) f(k);
    }
  }

  // f(Cone, contact in its form) for the contacts that are left of a link.
  template <class F>
  SB_INLINE void each(int k, F&& f) const {
    for (int i = begin_[k]; i < end_[k]; ++i) visit(all_[live_[i]], f);
  }
  template <class F>
  SB_INLINE void visit(Contact& q, F&& f) const {
    with_cone<Lane>(q.dim, cone_, [&](auto kind) {
      if (q.flat) {
        f(kind, FlatContact<Lane>{q});
      } else {
        f(kind, FreeContact<Lane>{q});
      }
    });
  }

  Contact* all_;  // by link
  int* live_;     // by link, the first ones: contacts that some lane still needs
  int end_[kMaxPackedDofs];
  int begin_[kMaxPackedDofs + 1];
  int nlink_, cone_;
};

}  // namespace stepbench::contact::inline SB_ISA
