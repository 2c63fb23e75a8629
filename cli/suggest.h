// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepbench::cli {

// The known word closest to `word`, or empty where none is close: at most a third of its letters
// (and one at least) may be inserted, removed, replaced or swapped. A word that begins with all of
// `word` is close too.
std::string closest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean 'X'?" or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace stepbench::cli
