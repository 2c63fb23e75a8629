// Broad phase of single execution: the geom pairs of this step whose bounding volumes touch.
//
// Gives the sublist of all_pairs() (pairs.h) that can make contacts now: the same filter, the same
// parameters, the same order, found without looking at every pair. Small geoms go through a grid
// (or, up to kMaxBruteForce of them, through one vectorised pass over all pairs); planes and large
// geoms are tested against all small ones. Cost per step: O(geoms + pairs found). No allocation;
// deterministic.
//
// Two counting sorts by body bring the pairs into MuJoCo's order, in time linear in their number; a
// comparison sort of 10,000 pairs would cost as much as the rest of the stage.
#pragma once

#include "engine/collide/broad_grid.h"
#include "engine/collide/broad_phase_params.h"
#include "engine/collide/contact_params.h"
#include "engine/collide/narrow_phase.h"
#include "engine/model/arrays.h"
#include "engine/model/params.h"

namespace stepbench::collide::inline SB_ISA {

namespace broad_detail {

SB_INLINE bool contains(const long long* sorted, int n, int a, int b) {
  const long long key = (static_cast<long long>(a < b ? a : b) << 32) + (a < b ? b : a);
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && sorted[low] == key;
}

// Collects candidates that pass the filter; counts on where the list is full.
template <class Real>
class Collector {
 public:
  SB_INLINE Collector(const model::Params<Real>& m, const BroadPhaseParams<Real>& p,
                      BroadPhaseBuffers<Real>& b)
      : m_(m), p_(p), b_(b) {}

  // Two geoms of any order: kept if they may collide (mujoco_warp.md 6.3).
  SB_INLINE void add(int g1, int g2) {
    const int a = m_.geom_bodyid[g1], c = m_.geom_bodyid[g2];
    const int wa = p_.weld[a], wc = p_.weld[c];
    if (wa == wc) return;
    if (!((m_.geom_contype[g1] & m_.geom_conaffinity[g2]) |
          (m_.geom_contype[g2] & m_.geom_conaffinity[g1])))
      return;
    if (!p_.moves[a] && !p_.moves[c]) return;
    if (p_.filter_parent && wa != 0 && wc != 0 &&
        (wa == p_.weld_parent[c] || wc == p_.weld_parent[a]))
      return;
    const int kind = pair_kind(m_.geom_type[g1], m_.geom_type[g2]);
    if (kind == kConvex || kind == kNoKind) return;
    if (p_.nexcluded && contains(p_.excluded, p_.nexcluded, a, c)) return;
    if (p_.nexplicit_geoms && contains(p_.explicit_geoms, p_.nexplicit_geoms, g1, g2)) return;
    // Stored order: the smaller type first, for equal types the smaller body.
    const int t1 = m_.geom_type[g1], t2 = m_.geom_type[g2];
    const bool swap = t1 > t2 || (t1 == t2 && a > c);
    put(swap ? g2 : g1, swap ? g1 : g2, a < c ? a : c, a < c ? c : a, -1);
  }

  SB_INLINE void add_explicit(int k) {
    const PairParams<Real>& q = p_.explicit_pairs[k];
    const int a = m_.geom_bodyid[q.geom1], c = m_.geom_bodyid[q.geom2];
    put(q.geom1, q.geom2, a < c ? a : c, a < c ? c : a, k);
  }

  int count() const { return n_; }

 private:
  SB_INLINE void put(int g1, int g2, int b1, int b2, int given) {
    if (n_ < b_.maxpair) b_.found[n_] = {g1, g2, b1, b2, given};
    ++n_;
  }

  const model::Params<Real>& m_;
  const BroadPhaseParams<Real>& p_;
  BroadPhaseBuffers<Real>& b_;
  int n_ = 0;
};

// Whether the bounding sphere of small geom g can touch box w: distance of a point to the box. The
// doubled margin covers separated boxes, whose contact distance is that along an axis, not the
// Euclidean one.
template <class Real>
SB_HD bool sphere_meets_box(const model::Params<Real>& m, const BroadPhaseParams<Real>& p, int w,
                            int g, const Real* xpos, const Real* xmat) {
  const Pose<Real> box = Pose<Real>::of(xpos, xmat, w);
  const Vec3<Real> centre = {xpos[3 * g], xpos[3 * g + 1], xpos[3 * g + 2]};
  const Vec3<Real> c = box.to_local(centre - box.pos);
  const Real* size = m.geom_size + 3 * w;
  const Vec3<Real> nearest = {math::clamp(c.x, -size[0], size[0]),
                              math::clamp(c.y, -size[1], size[1]),
                              math::clamp(c.z, -size[2], size[2])};
  const Vec3<Real> d = c - nearest;
  const Real bound = (p.loose[g] + p.loose[w] - m.geom_rbound[w]) * Real(1.0001);
  return dot(d, d) <= bound * bound;
}

// Wide geoms against the small ones and against each other.
template <class Real>
SB_HD void collect_wide(const model::Params<Real>& m, const BroadPhaseParams<Real>& p,
                        const Real* xpos, const Real* xmat, const BroadPhaseBuffers<Real>& b,
                        Collector<Real>& out) {
  for (int i = 0; i < p.nwide; ++i) {
    const int w = p.wide[i], type = m.geom_type[w];
    const float x = broad_coordinate(xpos[3 * w]), y = broad_coordinate(xpos[3 * w + 1]),
                z = broad_coordinate(xpos[3 * w + 2]);
    const float r = broad_reach(p.reach[w], x, y, z);
    if (type == model::kGeomPlane) {
      const float nx = float(xmat[9 * w + 2]), ny = float(xmat[9 * w + 5]),
                  nz = float(xmat[9 * w + 8]);
      const BroadLane X(x), Y(y), Z(z), R(r), NX(nx), NY(ny), NZ(nz);
      scan(
          0, p.nsmall,
          [&](int k) {
            const BroadLane dx = load(b.x + k) - X, dy = load(b.y + k) - Y, dz = load(b.z + k) - Z;
            return dx * NX + dy * NY + dz * NZ <= load(b.r + k) + R;
          },
          [&](int k) { out.add(w, b.order[k]); });
    } else {
      scan_sphere(b, x, y, z, r, 0, p.nsmall, [&](int k) {
        const int g = b.order[k];
        if (type != model::kGeomBox || sphere_meets_box(m, p, w, g, xpos, xmat)) out.add(w, g);
      });
    }
    for (int j = i + 1; j < p.nwide; ++j) out.add(w, p.wide[j]);
  }
}

// Order inside a body pair: explicit pairs, then by stored geoms (midphase), or by the bodies' own
// geoms.
template <class Real>
SB_INLINE bool before(const model::Params<Real>& m, bool midphase, const BroadCandidate& a,
                      const BroadCandidate& c) {
  if (a.given >= 0 || c.given >= 0) return a.given >= 0 && (c.given < 0 || a.given < c.given);
  int a1 = a.geom1, a2 = a.geom2, c1 = c.geom1, c2 = c.geom2;
  if (!midphase) {
    if (m.geom_bodyid[a1] != a.body1) a1 = a.geom2, a2 = a.geom1;
    if (m.geom_bodyid[c1] != c.body1) c1 = c.geom2, c2 = c.geom1;
  }
  return a1 < c1 || (a1 == c1 && a2 < c2);
}

// Stable counting sort of n candidates by a body.
template <class Key>
SB_HD void counting_sort(const BroadCandidate* in, BroadCandidate* out, int n, int* count,
                         int nbody, Key&& key) {
  for (int i = 0; i <= nbody; ++i) count[i] = 0;
  for (int i = 0; i < n; ++i) ++count[key(in[i]) + 1];
  for (int i = 1; i <= nbody; ++i) count[i] += count[i - 1];
  for (int i = 0; i < n; ++i) out[count[key(in[i])]++] = in[i];
}

}  // namespace broad_detail

// Writes b.pairs; returns their number. Where maxpair does not suffice, returns 0 and need_pair is
// the number that does; otherwise need_pair is 0.
template <class Real>
SB_HD int broad_phase(const model::Params<Real>& m, const BroadPhaseParams<Real>& p,
                      const model::Scratch<Real>& d, BroadPhaseBuffers<Real>& b) {
  namespace detail = broad_detail;
  b.need_pair = 0;
  if (m.opt.disableflags & (model::kDsblConstraint | model::kDsblContact)) return 0;
  const Real* xpos = d.geom_xpos;
  const Real* xmat = d.geom_xmat;
  const BroadGrid grid = sort_into_cells(p, xpos, b);
  detail::Collector<Real> out(m, p, b);
  for (int k = 0; k < p.nexplicit; ++k)
    if (bounds_touch<Real>(p.explicit_pairs[k], xpos, xmat)) out.add_explicit(k);
  detail::collect_wide(m, p, xpos, xmat, b, out);
  for_each_touching(grid, b, [&](int k1, int k2) { out.add(b.order[k1], b.order[k2]); });
  const int n = out.count();
  if (n > b.maxpair) {
    b.need_pair = n;
    return 0;
  }

  detail::counting_sort(b.found, b.sorted, n, b.count, p.nbody,
                        [](const BroadCandidate& c) { return c.body2; });
  detail::counting_sort(b.sorted, b.found, n, b.count, p.nbody,
                        [](const BroadCandidate& c) { return c.body1; });
  for (int i = 0; i < n; ++i) {
    const BroadCandidate c = b.found[i];
    int j = i;
    for (; j > 0 && b.found[j - 1].body1 == c.body1 && b.found[j - 1].body2 == c.body2 &&
           detail::before(m, p.midphase, c, b.found[j - 1]);
         --j)
      b.found[j] = b.found[j - 1];
    b.found[j] = c;
  }

  for (int i = 0; i < n; ++i) {
    const BroadCandidate& c = b.found[i];
    if (c.given >= 0) {
      b.pairs[i] = p.explicit_pairs[c.given];
    } else if (p.nclass > 0) {
      PairParams<Real>& q = b.pairs[i];
      q = p.class_pairs[p.nclass * p.geom_class[c.geom1] + p.geom_class[c.geom2]];
      q.geom1 = c.geom1;
      q.geom2 = c.geom2;
      set_bound(m, q);
    } else {
      b.pairs[i] = mixed_pair(m, p.contact_override, c.geom1, c.geom2);
    }
  }
  return n;
}

}  // namespace stepbench::collide::inline SB_ISA
