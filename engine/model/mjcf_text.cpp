#include "engine/model/mjcf_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace stepbench::model::mjcf {

std::string quote(std::string_view text) {
  constexpr size_t kMax = 60;
  std::string result = "'";
  result += text.substr(0, kMax);
  if (text.size() > kMax) result += "...";
  result += '\'';
  return result;
}

bool is_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    size_t extra = 0;
    unsigned code = lead;
    if (lead < 0x80) {
      ++i;
      continue;
    } else if ((lead & 0xe0u) == 0xc0u) {
      extra = 1;
      code = lead & 0x1fu;
    } else if ((lead & 0xf0u) == 0xe0u) {
      extra = 2;
      code = lead & 0x0fu;
    } else if ((lead & 0xf8u) == 0xf0u) {
      extra = 3;
      code = lead & 0x07u;
    } else {
      return false;
    }
    if (i + extra >= text.size()) return false;
    for (size_t k = 1; k <= extra; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0u) != 0x80u) return false;
      code = (code << 6) | (next & 0x3fu);
    }
    // Overlong forms, surrogates, beyond Unicode.
    const unsigned smallest = extra == 1 ? 0x80u : extra == 2 ? 0x800u : 0x10000u;
    if (code < smallest || code > 0x10ffffu || (code >= 0xd800u && code <= 0xdfffu)) return false;
    i += extra + 1;
  }
  return true;
}

int edit_distance(std::string_view a, std::string_view b, int limit) {
  const auto n = static_cast<int>(std::min<size_t>(a.size(), 100));
  const auto m = static_cast<int>(std::min<size_t>(b.size(), 100));
  if (std::abs(n - m) > limit) return limit + 1;
  const auto columns = static_cast<size_t>(m + 1);
  std::vector<int> before(columns), above(columns), row(columns);
  for (int j = 0; j <= m; ++j) above[static_cast<size_t>(j)] = j;
  for (int i = 1; i <= n; ++i) {
    row[0] = i;
    for (int j = 1; j <= m; ++j) {
      const auto x = static_cast<size_t>(i), y = static_cast<size_t>(j);
      const int substitution = above[y - 1] + (a[x - 1] == b[y - 1] ? 0 : 1);
      row[y] = std::min({above[y] + 1, row[y - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[x - 1] == b[y - 2] && a[x - 2] == b[y - 1]) {
        row[y] = std::min(row[y], before[y - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return std::min(above[static_cast<size_t>(m)], limit + 1);
}

}  // namespace stepbench::model::mjcf
