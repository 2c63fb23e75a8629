// Predefined contact pairs and excluded body pairs.
#include <algorithm>
#include <numeric>

#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {
namespace {

// Key of a pair of bodies, smaller number first. Body numbers fit in 16 bits (checked in
// compile.cpp).
int signature(int body1, int body2) {
  return int((unsigned(std::min(body1, body2)) << 16) + unsigned(std::max(body1, body2)));
}

// Order of ascending signatures; equal ones keep the order of the file.
std::vector<std::size_t> ascending(const std::vector<int>& signatures) {
  std::vector<std::size_t> order(signatures.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return signatures[a] < signatures[b]; });
  return order;
}

void store_pair(const Pair& in, std::size_t row, Model& m) {
  m.pair_dim[row] = in.condim;
  std::copy(in.solref.begin(), in.solref.end(), m.pair_solref.begin() + std::ptrdiff_t(2 * row));
  std::copy(in.solreffriction.begin(), in.solreffriction.end(),
            m.pair_solreffriction.begin() + std::ptrdiff_t(2 * row));
  std::copy(in.solimp.begin(), in.solimp.end(), m.pair_solimp.begin() + std::ptrdiff_t(5 * row));
  std::copy(in.friction.begin(), in.friction.end(),
            m.pair_friction.begin() + std::ptrdiff_t(5 * row));
  m.pair_margin[row] = in.margin;
  m.pair_gap[row] = in.gap;
}

}  // namespace

void compile_contact(const Spec& spec, const NamedIds& ids, Model& m) {
  std::vector<std::array<int, 2>> geoms;
  std::vector<int> signatures;
  for (const Pair& pair : spec.pairs) {
    if (pair.condim != 1 && pair.condim != 3 && pair.condim != 4 && pair.condim != 6) {
      fail(spec, pair.source, "pair", "condim is " + std::to_string(pair.condim),
           "it must be 1, 3, 4 or 6");
    }
    int g1 = find(spec, ids.geom, pair.geom1, pair.source, "pair", "geom");
    int g2 = find(spec, ids.geom, pair.geom2, pair.source, "pair", "geom");
    if (m.geom_bodyid[std::size_t(g1)] > m.geom_bodyid[std::size_t(g2)]) std::swap(g1, g2);
    geoms.push_back({g1, g2});
    signatures.push_back(signature(m.geom_bodyid[std::size_t(g1)], m.geom_bodyid[std::size_t(g2)]));
  }
  std::size_t row = 0;
  for (std::size_t i : ascending(signatures)) {
    store_pair(spec.pairs[i], row, m);
    m.pair_geom1[row] = geoms[i][0];
    m.pair_geom2[row] = geoms[i][1];
    m.pair_signature[row++] = signatures[i];
  }

  for (std::size_t i = 0; i < spec.excludes.size(); ++i) {
    const Exclude& e = spec.excludes[i];
    m.exclude_signature[i] = signature(find(spec, ids.body, e.body1, e.source, "exclude", "body"),
                                       find(spec, ids.body, e.body2, e.source, "exclude", "body"));
  }
  std::sort(m.exclude_signature.begin(), m.exclude_signature.end());
}

}  // namespace stepbench::model::detail
