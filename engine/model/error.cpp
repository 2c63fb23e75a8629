#include "engine/model/error.h"

#include <utility>

#include "engine/model/mjcf_text.h"

namespace stepbench::model {
namespace {

// A file can put anything into a name; what() must stay one printable line.
std::string one_line(std::string text) {
  const bool utf8 = mjcf::is_utf8(text);
  for (char& c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) c = ' ';
    if (!utf8 && u >= 0x80) c = '?';
  }
  return text;
}

std::string compose(const std::string& file, int line, const std::string& element,
                    const std::string& message, const std::string& hint) {
  std::string text = file;
  if (line > 0) text += ':' + std::to_string(line);
  if (!text.empty()) text += ": ";
  if (!element.empty()) text += '<' + element + "> ";
  text += message;
  if (!hint.empty()) text += "; " + hint;
  return one_line(std::move(text));
}

}  // namespace

ModelError::ModelError(std::string file, int line, std::string element, std::string message,
                       std::string hint)
    : std::runtime_error(compose(file, line, element, message, hint)),
      file_(std::move(file)),
      line_(line),
      element_(std::move(element)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

}  // namespace stepbench::model
