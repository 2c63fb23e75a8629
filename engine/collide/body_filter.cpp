#include "engine/collide/body_filter.h"

#include <algorithm>

namespace stepbench::collide {

BodyFilter::BodyFilter(const model::Model& m)
    : weld(m.body_weldid), filter_parent((m.opt.disableflags & model::kDsblFilterparent) == 0) {
  const auto at = [](const std::vector<int>& a, int i) { return a[std::size_t(i)]; };
  for (int b = 0; b < m.nbody; ++b) {
    const int root = at(weld, b);
    weld_parent.push_back(at(weld, at(m.body_parentid, root)));
    moves.push_back(at(m.body_dofnum, root) > 0);
  }
  for (int s : m.exclude_signature) {
    const unsigned key = unsigned(s);
    const int a = int(key >> 16), b = int(key & 0xffffu);
    excluded.push_back(body_key(std::min(a, b), std::max(a, b)));
  }
  std::sort(excluded.begin(), excluded.end());
}

bool BodyFilter::may_collide(int b1, int b2) const {
  const std::size_t i = std::size_t(b1), j = std::size_t(b2);
  if (weld[i] == weld[j]) return false;
  if (!moves[i] && !moves[j]) return false;
  if (filter_parent && weld[i] != 0 && weld[j] != 0 &&
      (weld[i] == weld_parent[j] || weld[j] == weld_parent[i]))
    return false;
  return excluded.empty() ||
         !std::binary_search(excluded.begin(), excluded.end(), body_key(b1, b2));
}

}  // namespace stepbench::collide
