// What the stream behind a report can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepbench::reports {

struct Terminal {
  bool interactive = false;  // a person watches: the stream is a terminal that can redraw a line
  bool colour = false;       // interactive, and NO_COLOR is not set
  int columns = 80;          // width, where interactive
};

// Look at a file descriptor (1 standard output, 2 standard error) and the environment: TERM,
// NO_COLOR (any value that is not empty turns colours off, as on no-color.org).
Terminal terminal_of(int fd);

enum class Colour { kNone, kBold, kDim, kRed, kYellow, kGreen };

// `text` in a colour, or as it is where `on` is false.
std::string paint(std::string_view text, Colour c, bool on);

// Columns that UTF-8 text takes, one per code point.
std::size_t display_width(std::string_view text);

// `text` padded with spaces to `width` columns, at its left (numbers) or right (words).
std::string pad(std::string_view text, std::size_t width, bool left);

}  // namespace stepbench::reports
