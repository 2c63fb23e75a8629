// Text of an XML file, element by element.
#pragma once

#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/model/spec.h"

namespace stepbench::model {

// Builds indented XML: start tags by open (closed by close) or leaf (closed by itself), each
// followed by its attributes. Values are escaped; numbers are the shortest text that reads back
// exactly.
class XmlText {
 public:
  void open(const char* tag) {
    start(tag);
    path_.push_back(tag);
  }
  void leaf(const char* tag) {
    start(tag);
    leaf_ = true;
  }
  void close() {
    const char* tag = path_.back();
    path_.pop_back();
    if (pending_ && !leaf_) {
      text_ += "/>\n";
      pending_ = false;
    } else {
      finish();
      indent();
      text_ += "</" + std::string(tag) + ">\n";
    }
    leaf_ = false;
  }

  void attribute(const char* name, std::string_view value) {
    text_ += ' ' + std::string(name) + "=\"";
    for (const char c : value) {
      switch (c) {
        case '&':
          text_ += "&amp;";
          break;
        case '<':
          text_ += "&lt;";
          break;
        case '>':
          text_ += "&gt;";
          break;
        case '"':
          text_ += "&quot;";
          break;
        default:
          text_ += c;
      }
    }
    text_ += '"';
  }
  // Attribute `name`, unless it is empty.
  void name(const std::string& value) {
    if (!value.empty()) attribute("name", value);
  }
  template <class T>
  void list(const char* attribute_name, std::span<const T> values) {
    text_ += ' ' + std::string(attribute_name) + "=\"";
    for (size_t i = 0; i < values.size(); ++i) {
      if (i) text_ += ' ';
      number(values[i]);
    }
    text_ += '"';
  }
  void value(const char* attribute_name, double v) {
    list(attribute_name, std::span<const double>(&v, 1));
  }
  void value(const char* attribute_name, int v) {
    list(attribute_name, std::span<const int>(&v, 1));
  }

  // Attributes that differ from the program's default; others are left out.
  template <size_t N>
  void differing(const char* attribute_name, const std::array<double, N>& v,
                 const std::array<double, N>& standard) {
    if (v != standard) list(attribute_name, std::span<const double>(v));
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void differing(const char* attribute_name, T v, T standard) {
    if (v == standard) return;
    if constexpr (std::is_same_v<T, bool>) {
      attribute(attribute_name, v ? "true" : "false");
    } else {
      value(attribute_name, v);
    }
  }
  // true, false; nothing for auto.
  void tri(const char* attribute_name, int v) {
    if (v != kAuto) attribute(attribute_name, v == kTrue ? "true" : "false");
  }

  // The whole text. The object is empty afterwards.
  std::string take() {
    finish();
    return std::move(text_);
  }

 private:
  void start(const char* tag) {
    finish();
    indent();
    text_ += '<' + std::string(tag);
    pending_ = true;
    leaf_ = false;
  }
  // End the open start tag.
  void finish() {
    if (pending_) text_ += leaf_ ? "/>\n" : ">\n";
    pending_ = false;
    leaf_ = false;
  }
  void indent() { text_.append(2 * path_.size(), ' '); }
  template <class T>
  void number(T v) {
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, v);
    text_.append(buffer, result.ptr);
  }

  std::string text_;
  std::vector<const char*> path_;
  bool pending_ = false;
  bool leaf_ = false;
};

}  // namespace stepbench::model
