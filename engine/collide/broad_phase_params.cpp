#include "engine/collide/broad_phase_params.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "engine/collide/body_filter.h"
#include "engine/collide/pairs.h"
#include "engine/model/model.h"
#include "engine/model/params.h"

namespace stepbench::collide {
namespace {

// More classes than this are not tabulated (the table grows with the square).
constexpr int kMaxClasses = 64;
// A geom is wide where it reaches farther than this many times the median, and at most one in
// kMinPerWide geoms is: each wide geom is tested against all others.
constexpr double kWideFactor = 3;
constexpr std::size_t kMinPerWide = 16;

// Everything that decides a geom's contact parameters.
using Tuple = std::array<double, 16>;

Tuple contact_tuple(const model::Params<double>& p, int g) {
  Tuple t{};
  std::size_t i = 0;
  const auto put = [&](double x) { t[i++] = x; };
  put(p.geom_margin[g]);
  put(p.geom_gap[g]);
  put(p.geom_priority[g]);
  put(p.geom_condim[g]);
  put(p.geom_solmix[g]);
  for (int k = 0; k < 2; ++k) put(p.geom_solref[2 * g + k]);
  for (int k = 0; k < 5; ++k) put(p.geom_solimp[5 * g + k]);
  for (int k = 0; k < 3; ++k) put(p.geom_friction[3 * g + k]);
  return t;
}

// Classes of geoms with equal tuples, numbered by first appearance; `first` geom of each.
std::vector<int> classify(const model::Params<double>& p, std::vector<int>& first) {
  std::map<Tuple, int> known;
  std::vector<int> r;
  for (int g = 0; g < p.ngeom; ++g) {
    const auto [it, inserted] = known.try_emplace(contact_tuple(p, g), int(known.size()));
    if (inserted) first.push_back(g);
    r.push_back(it->second);
  }
  return r;
}

// Greatest reach of a small geom.
double small_reach(std::vector<double> reach) {
  if (reach.empty()) return 0;
  std::sort(reach.begin(), reach.end());
  const std::size_t n = reach.size();
  const double cut = std::max(kWideFactor * reach[n / 2], reach[n - 1 - n / kMinPerWide]);
  return *(std::upper_bound(reach.begin(), reach.end(), cut) - 1);
}

}  // namespace

template <class Real>
BroadPhaseModel<Real>::BroadPhaseModel(const model::Model& m) {
  const model::ParamsStorage<double> storage(m);
  const model::Params<double>& p = storage.params();
  const ContactOverride<double> over = contact_override(m);
  BroadPhaseParams<Real>& r = params_;
  const auto keep = [](auto& store, auto values) {
    store.push_back(std::move(values));
    return store.back().data();
  };
  const auto keep_reals = [&](const std::vector<double>& v) {
    return keep(reals_, std::vector<Real>(v.begin(), v.end()));
  };

  r.nbody = m.nbody;
  r.midphase = (m.opt.disableflags & model::kDsblMidphase) == 0;
  auto& o = r.contact_override;
  o.enabled = over.enabled;
  o.margin = Real(over.margin);
  for (int i = 0; i < 2; ++i) o.solref[i] = Real(over.solref[i]);
  for (int i = 0; i < 5; ++i) o.solimp[i] = Real(over.solimp[i]);
  for (int i = 0; i < 5; ++i) o.friction[i] = Real(over.friction[i]);

  // Reaches, and small against wide. Geoms that only explicit pairs can collide are in neither
  // list.
  std::vector<double> reach, loose, finite;
  for (int g = 0; g < m.ngeom; ++g) {
    const double margin = over.enabled ? 0.5 * over.margin : p.geom_margin[g];
    const double detect = margin + p.geom_gap[g];
    reach.push_back(p.geom_rbound[g] + detect);
    loose.push_back(p.geom_rbound[g] + 2 * std::max(detect, 0.0));
  }
  const auto collides = [&](int g) { return p.geom_contype[g] != 0 || p.geom_conaffinity[g] != 0; };
  const auto plane = [&](int g) { return p.geom_type[g] == model::kGeomPlane; };
  for (int g = 0; g < m.ngeom; ++g)
    if (collides(g) && !plane(g)) finite.push_back(reach[std::size_t(g)]);
  const double cut = small_reach(finite);
  std::vector<int> small, wide;
  for (int g = 0; g < m.ngeom; ++g) {
    if (!collides(g)) continue;
    (plane(g) || reach[std::size_t(g)] > cut ? wide : small).push_back(g);
  }
  // Room for the rounding of positions to float.
  r.cell = float(2.001 * std::max(cut, 1e-6));
  r.nsmall = int(small.size());
  r.nwide = int(wide.size());
  r.small = keep(ints_, std::move(small));
  r.wide = keep(ints_, std::move(wide));
  r.reach = keep_reals(reach);
  r.loose = keep_reals(loose);

  BodyFilter filter(m);
  r.filter_parent = filter.filter_parent;
  r.nexcluded = int(filter.excluded.size());
  r.weld = keep(ints_, std::move(filter.weld));
  r.weld_parent = keep(ints_, std::move(filter.weld_parent));
  r.moves = keep(ints_, std::move(filter.moves));
  r.excluded = keep(keys_, std::move(filter.excluded));

  const std::vector<PairParams<double>> given = explicit_pairs(m);
  std::vector<long long> keys;
  for (int k = 0; k < m.npair; ++k) {
    const auto [low, high] = std::minmax(p.pair_geom1[k], p.pair_geom2[k]);
    keys.push_back(body_key(low, high));
  }
  std::sort(keys.begin(), keys.end());
  r.nexplicit = int(given.size());
  r.nexplicit_geoms = int(keys.size());
  r.explicit_geoms = keep(keys_, std::move(keys));
  r.explicit_pairs = keep(pairs_, cast<Real>(given));

  std::vector<int> first;
  std::vector<int> classes = classify(p, first);
  std::vector<PairParams<Real>> table;
  if (int(first.size()) <= kMaxClasses) {
    r.nclass = int(first.size());
    for (int a : first)
      for (int b : first) table.push_back(cast<Real>(mixed_pair(p, over, a, b)));
  }
  r.geom_class = keep(ints_, std::move(classes));
  r.class_pairs = keep(pairs_, std::move(table));
}

template class BroadPhaseModel<float>;
template class BroadPhaseModel<double>;

}  // namespace stepbench::collide
