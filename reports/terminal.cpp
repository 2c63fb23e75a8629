#include "reports/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace stepbench::reports {

Terminal terminal_of(int fd) {
  Terminal t;
  const char* kind = std::getenv("TERM");
  t.interactive = ::isatty(fd) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
  const char* no_colour = std::getenv("NO_COLOR");
  t.colour = t.interactive && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (t.interactive && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    t.columns = size.ws_col;
  return t;
}

std::string paint(std::string_view text, Colour c, bool on) {
  const char* code = nullptr;
  switch (c) {
    case Colour::kNone:
      break;
    case Colour::kBold:
      code = "1";
      break;
    case Colour::kDim:
      code = "2";
      break;
    case Colour::kRed:
      code = "31";
      break;
    case Colour::kYellow:
      code = "33";
      break;
    case Colour::kGreen:
      code = "32";
      break;
  }
  if (!on || code == nullptr || text.empty()) return std::string(text);
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

std::size_t display_width(std::string_view text) {
  // Continuation bytes of UTF-8 are 10xxxxxx.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string pad(std::string_view text, std::size_t width, bool left) {
  const std::size_t w = display_width(text);
  const std::string space(w < width ? width - w : 0, ' ');
  return left ? space + std::string(text) : std::string(text) + space;
}

}  // namespace stepbench::reports
