#include "engine/collide/pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "engine/collide/body_filter.h"
#include "engine/model/model.h"
#include "engine/model/params.h"

namespace stepbench::collide {
namespace {

using model::Model;
using model::Params;

int at(const std::vector<int>& a, int i) { return a[std::size_t(i)]; }

bool contacts_disabled(const Model& m) {
  return (m.opt.disableflags & (model::kDsblConstraint | model::kDsblContact)) != 0;
}

bool masks_match(const Model& m, int g1, int g2) {
  return (at(m.geom_contype, g1) & at(m.geom_conaffinity, g2)) != 0 ||
         (at(m.geom_contype, g2) & at(m.geom_conaffinity, g1)) != 0;
}

long long geom_key(int g1, int g2) { return body_key(std::min(g1, g2), std::max(g1, g2)); }

// Explicit pairs in the order of their body pairs, and their geom keys, sorted.
struct ExplicitPairs {
  std::vector<int> order;
  std::vector<long long> signature;  // of each element of `order`
  std::vector<long long> geoms;

  explicit ExplicitPairs(const Model& m) : order(std::size_t(m.npair)) {
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int k) {
      return geom_key(at(m.geom_bodyid, at(m.pair_geom1, k)),
                      at(m.geom_bodyid, at(m.pair_geom2, k)));
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    for (int k : order) signature.push_back(key(k));
    for (int k = 0; k < m.npair; ++k)
      geoms.push_back(geom_key(at(m.pair_geom1, k), at(m.pair_geom2, k)));
    std::sort(geoms.begin(), geoms.end());
  }
  bool contains(int g1, int g2) const {
    return !geoms.empty() && std::binary_search(geoms.begin(), geoms.end(), geom_key(g1, g2));
  }
};

// Calls f(g1, g2, b1, b2) for every automatic pair, g1 of the smaller body, in the order of the
// bodies. `use(body)`, `use(b1, b2)`: bodies and body pairs to look at.
template <class UseBody, class F>
void for_each_automatic(const Model& m, UseBody&& use, F&& f) {
  const BodyFilter filter(m);
  const ExplicitPairs pairs(m);
  std::vector<int> bodies, contype(std::size_t(m.nbody), 0), conaffinity(std::size_t(m.nbody), 0);
  for (int g = 0; g < m.ngeom; ++g) {
    contype[std::size_t(at(m.geom_bodyid, g))] |= at(m.geom_contype, g);
    conaffinity[std::size_t(at(m.geom_bodyid, g))] |= at(m.geom_conaffinity, g);
  }
  for (int b = 0; b < m.nbody; ++b)
    if ((at(contype, b) || at(conaffinity, b)) && at(m.body_geomnum, b) > 0) bodies.push_back(b);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int b1 = bodies[i];
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const int b2 = bodies[j];
      if (!(at(contype, b1) & at(conaffinity, b2)) && !(at(contype, b2) & at(conaffinity, b1)))
        continue;
      if (!use(b1, b2) || !filter.may_collide(b1, b2)) continue;
      const int end1 = at(m.body_geomadr, b1) + at(m.body_geomnum, b1);
      const int end2 = at(m.body_geomadr, b2) + at(m.body_geomnum, b2);
      for (int g1 = at(m.body_geomadr, b1); g1 < end1; ++g1)
        for (int g2 = at(m.body_geomadr, b2); g2 < end2; ++g2)
          if (masks_match(m, g1, g2) && !pairs.contains(g1, g2)) f(g1, g2, b1, b2);
    }
  }
}

const char* type_name(int type) {
  constexpr std::array<const char*, 8> kNames = {"plane",     "hfield",   "sphere", "capsule",
                                                 "ellipsoid", "cylinder", "box",    "mesh"};
  return type >= 0 && type < int(kNames.size()) ? kNames[std::size_t(type)] : "geom";
}

std::string geom_name(const Model& m, int g) {
  if (std::size_t(g) < m.names.geom.size() && !m.names.geom[std::size_t(g)].empty())
    return "'" + m.names.geom[std::size_t(g)] + "'";
  const int b = at(m.geom_bodyid, g);
  const std::string number = std::to_string(g - at(m.body_geomadr, b));
  if (b == 0) return "geom " + number + " of the world";
  if (std::size_t(b) < m.names.body.size() && !m.names.body[std::size_t(b)].empty())
    return "geom " + number + " of body '" + m.names.body[std::size_t(b)] + "'";
  return "geom " + std::to_string(g);
}

}  // namespace

ContactOverride<double> contact_override(const Model& m) {
  ContactOverride<double> o{};
  o.enabled = (m.opt.enableflags & model::kEnblOverride) != 0;
  o.margin = m.opt.o_margin;
  std::copy_n(m.opt.o_solref, 2, o.solref);
  std::copy_n(m.opt.o_solimp, 5, o.solimp);
  std::copy_n(m.opt.o_friction, 5, o.friction);
  return o;
}

std::vector<PairParams<double>> explicit_pairs(const Model& m) {
  std::vector<PairParams<double>> r;
  if (contacts_disabled(m)) return r;
  const model::ParamsStorage<double> storage(m);
  const ContactOverride<double> o = contact_override(m);
  for (int k : ExplicitPairs(m).order) {
    const PairParams<double> q = explicit_pair(storage.params(), o, k);
    if (q.kind != kConvex && q.kind != kNoKind) r.push_back(q);
  }
  return r;
}

std::vector<PairParams<double>> all_pairs(const Model& m) {
  std::vector<PairParams<double>> r;
  if (contacts_disabled(m)) return r;
  const model::ParamsStorage<double> storage(m);
  const Params<double>& p = storage.params();
  const ContactOverride<double> o = contact_override(m);
  const bool midphase = (m.opt.disableflags & model::kDsblMidphase) == 0;
  const ExplicitPairs pairs(m);
  std::size_t next = 0;
  const auto add = [&](const PairParams<double>& q) {
    if (q.kind != kConvex && q.kind != kNoKind) r.push_back(q);
  };
  const auto add_explicit_up_to = [&](long long signature) {
    for (; next < pairs.order.size() && pairs.signature[next] <= signature; ++next)
      add(explicit_pair(p, o, pairs.order[next]));
  };

  // The automatic pairs of one body pair, sorted when the next one begins.
  long long current = -1;
  std::size_t begin = 0;
  const auto sort_block = [&] {
    const auto by_geoms = [](const PairParams<double>& a, const PairParams<double>& b) {
      return std::pair(a.geom1, a.geom2) < std::pair(b.geom1, b.geom2);
    };
    if (midphase) std::sort(r.begin() + std::ptrdiff_t(begin), r.end(), by_geoms);
  };
  for_each_automatic(
      m, [](int, int) { return true; },
      [&](int g1, int g2, int b1, int b2) {
        const long long signature = body_key(b1, b2);
        if (signature != current) {
          sort_block();
          add_explicit_up_to(signature);
          current = signature;
          begin = r.size();
        }
        add(automatic_pair(p, o, g1, g2));
      });
  sort_block();
  for (; next < pairs.order.size(); ++next) add(explicit_pair(p, o, pairs.order[next]));
  return r;
}

std::size_t count_pairs_bound(const Model& m) {
  if (contacts_disabled(m)) return 0;
  // Geoms by (contype, conaffinity, moves): few classes in any model.
  const BodyFilter filter(m);
  std::map<std::array<int, 3>, std::size_t> classes;
  for (int g = 0; g < m.ngeom; ++g)
    ++classes[{at(m.geom_contype, g), at(m.geom_conaffinity, g),
               at(filter.moves, at(m.geom_bodyid, g))}];
  std::size_t n = std::size_t(m.npair);
  for (auto a = classes.begin(); a != classes.end(); ++a) {
    for (auto b = a; b != classes.end(); ++b) {
      const auto& [x, count_x] = *a;
      const auto& [y, count_y] = *b;
      if (!(x[0] & y[1]) && !(y[0] & x[1])) continue;
      if (!x[2] && !y[2]) continue;
      n += a == b ? count_x * (count_x - 1) / 2 : count_x * count_y;
    }
  }
  return n;
}

std::vector<std::string> unsupported_pairs(const Model& m) {
  std::vector<std::string> lines;
  if (contacts_disabled(m)) return lines;
  struct Found {
    std::size_t n = 0;
    int g1 = 0, g2 = 0;
  };
  std::map<std::pair<int, int>, Found> found;
  const auto look = [&](int g1, int g2) {
    const int t1 = at(m.geom_type, g1), t2 = at(m.geom_type, g2);
    if (pair_kind(t1, t2) != kConvex) return;
    Found& f = found[{std::min(t1, t2), std::max(t1, t2)}];
    if (f.n++ == 0) f.g1 = t1 <= t2 ? g1 : g2, f.g2 = t1 <= t2 ? g2 : g1;
  };
  // Bodies with a geom type that is in some pair without a closed form; any such pair has one of
  // these.
  std::vector<char> convex(std::size_t(m.nbody), 0);
  bool any = false;
  for (int g = 0; g < m.ngeom; ++g) {
    const int t = at(m.geom_type, g);
    if (t == model::kGeomEllipsoid || t == model::kGeomCylinder || t == model::kGeomMesh ||
        t == model::kGeomHfield || t > model::kGeomMesh)
      convex[std::size_t(at(m.geom_bodyid, g))] = 1, any = true;
  }
  if (any)
    for_each_automatic(
        m, [&](int b1, int b2) { return convex[std::size_t(b1)] || convex[std::size_t(b2)]; },
        [&](int g1, int g2, int, int) { look(g1, g2); });
  for (int k = 0; k < m.npair; ++k) look(at(m.pair_geom1, k), at(m.pair_geom2, k));
  for (const auto& [types, f] : found) {
    const std::string pair = std::string(type_name(types.first)) + "-" + type_name(types.second);
    const std::string names = geom_name(m, f.g1) + " and " + geom_name(m, f.g2);
    lines.push_back(f.n == 1 ? pair + " contact needs convex collision: " + names
                             : pair + " contacts need convex collision: " + std::to_string(f.n) +
                                   " geom pairs, the first is " + names);
  }
  return lines;
}

}  // namespace stepbench::collide
