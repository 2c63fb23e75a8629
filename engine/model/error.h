// The one error of the loader: every refusal of a scene names file, line, element and a way out.
#pragma once

#include <stdexcept>
#include <string>

namespace stepbench::model {

// A scene cannot be loaded. what() is exactly one line:
//
//   FILE:LINE: <element> message; hint
//
// Parts that are not known are left out: a line of 0, an empty element, an empty hint. Line breaks
// and control characters inside the parts (they can come from the file) are shown as spaces.
// Several findings (see `unsupported` in spec.h) are one message, separated by "; ".
class ModelError : public std::runtime_error {
 public:
  ModelError(std::string file, int line, std::string element, std::string message,
             std::string hint = {});

  const std::string& file() const noexcept { return file_; }
  int line() const noexcept { return line_; }
  const std::string& element() const noexcept { return element_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string file_;
  int line_;
  std::string element_;
  std::string message_;
  std::string hint_;
};

}  // namespace stepbench::model
