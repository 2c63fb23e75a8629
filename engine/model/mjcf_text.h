// Small helpers on text, for messages and names.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::model::mjcf {

// The text in single quotes, shortened to fit into a message.
std::string quote(std::string_view text);

bool is_utf8(std::string_view text);

// Edit distance (insertions, deletions, substitutions, swaps of neighbours), at most `limit` + 1.
int edit_distance(std::string_view a, std::string_view b, int limit);

// The candidate closest to a misspelt word; "" where none is close. `candidates` is any range of
// string views.
template <class Candidates>
std::string_view closest(std::string_view word, const Candidates& candidates) {
  int best = word.size() <= 3 ? 2 : 3;  // distances below this count as close
  std::string_view found;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate, best);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace stepbench::model::mjcf
