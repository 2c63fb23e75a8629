#include "engine/model/mjcf_attribute.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Words of a list, by white space.
class Words {
 public:
  explicit Words(const char* text) : at_(text) {}

  bool next(std::string_view& word) {
    while (is_space(*at_)) ++at_;
    if (*at_ == '\0') return false;
    const char* begin = at_;
    while (*at_ != '\0' && !is_space(*at_)) ++at_;
    word = {begin, static_cast<size_t>(at_ - begin)};
    return true;
  }

 private:
  const char* at_;
};

[[noreturn]] void fail_number(const Context& c, const Element& e, const char* name,
                              std::string_view word, const char* what, const char* hint) {
  c.fail(e, "attribute '" + std::string(name) + "': " + quote(word) + ' ' + what, hint);
}

double parse_number(const Context& c, const Element& e, const char* name, std::string_view word) {
  std::string_view digits = word;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  auto format = std::chars_format::general;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    digits.remove_prefix(2);
    format = std::chars_format::hex;
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const bool signed_twice = digits.starts_with('-') || digits.starts_with('+');
  const auto result = std::from_chars(digits.data(), end, value, format);
  if (signed_twice || result.ptr != end || result.ec == std::errc::invalid_argument) {
    fail_number(c, e, name, word, "is not a number", "numbers are separated by spaces");
  }
  if (result.ec == std::errc::result_out_of_range) {
    // Too small is zero or denormal, too large is an error; from_chars does not tell which.
    value = std::strtod(
        (format == std::chars_format::hex ? "0x" + std::string(digits) : std::string(digits))
            .c_str(),
        nullptr);
    if (!(std::abs(value) < 1)) {
      fail_number(c, e, name, word, "is too large", "the largest number is 1.79e308");
    }
  }
  if (!std::isfinite(value)) {
    fail_number(c, e, name, word, "is not finite", "write a finite number");
  }
  return negative ? -value : value;
}

int parse_integer(const Context& c, const Element& e, const char* name, std::string_view word) {
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) {
    fail_number(c, e, name, word, "is too large for an integer", "the limits are +-2147483647");
  }
  if (result.ec != std::errc{} || result.ptr != end || (digits.size() < word.size() && value < 0)) {
    fail_number(c, e, name, word, "is not an integer", "write digits only");
  }
  return value;
}

template <class T, class Parse>
size_t read_list(const Context& c, const Element& e, const char* name, std::span<T> out,
                 size_t least, Parse&& parse) {
  const char* text = e.attribute(name);
  if (!text) return 0;
  size_t count = 0;
  Words words(text);
  for (std::string_view word; words.next(word); ++count) {
    if (count < out.size()) {
      out[count] = parse(c, e, name, word);
    }
  }
  if (count > out.size() || (count > 0 && count < least)) {
    std::string expected = std::to_string(out.size());
    if (least < out.size()) expected = std::to_string(least) + " to " + expected;
    c.fail(e, "attribute '" + std::string(name) + "' holds " + std::to_string(count) + " numbers",
           "expected " + expected);
  }
  return count;
}

}  // namespace

size_t read_numbers(const Context& c, const Element& e, const char* name, std::span<double> out,
                    size_t least) {
  return read_list(c, e, name, out, least, parse_number);
}

size_t read_integers(const Context& c, const Element& e, const char* name, std::span<int> out,
                     size_t least) {
  return read_list(c, e, name, out, least, parse_integer);
}

bool read_vector(const Context& c, const Element& e, const char* name, std::vector<double>& out) {
  const char* text = e.attribute(name);
  if (!text) return false;
  out.clear();
  Words words(text);
  for (std::string_view word; words.next(word);) out.push_back(parse_number(c, e, name, word));
  return !out.empty();
}

bool read(const Context& c, const Element& e, const char* name, double& out) {
  return read_numbers(c, e, name, {&out, 1}, 1) > 0;
}

bool read(const Context& c, const Element& e, const char* name, int& out) {
  return read_integers(c, e, name, {&out, 1}, 1) > 0;
}

bool read(const Context& c, const Element& e, const char* name, bool& out) {
  static constexpr Keyword kBool[] = {{"false", 0}, {"true", 1}};
  int value = out ? 1 : 0;
  if (!read_keyword(c, e, name, kBool, value)) return false;
  out = value == 1;
  return true;
}

bool read_keyword(const Context& c, const Element& e, const char* name,
                  std::span<const Keyword> keywords, int& out) {
  const char* text = e.attribute(name);
  if (!text) return false;
  for (const Keyword& keyword : keywords) {
    if (std::strcmp(keyword.name, text) == 0) {
      out = keyword.value;
      return true;
    }
  }
  std::string choices;
  for (const Keyword& keyword : keywords) {
    choices += (choices.empty() ? "" : ", ") + std::string(keyword.name);
  }
  c.fail(e, "attribute '" + std::string(name) + "': unknown keyword " + quote(text),
         "choose one of " + choices);
}

bool read_tri(const Context& c, const Element& e, const char* name, int& out) {
  static constexpr Keyword kTri[] = {{"false", kFalse}, {"true", kTrue}, {"auto", kAuto}};
  return read_keyword(c, e, name, kTri, out);
}

bool read_name(const Context& c, const Element& e, const char* name, std::string& out) {
  const char* text = e.attribute(name);
  if (!text) return false;
  const std::string_view view = text;
  if (!is_utf8(view)) {
    c.fail(e, "attribute '" + std::string(name) + "' is not UTF-8", "save the file as UTF-8");
  }
  for (const char byte : view) {
    const auto u = static_cast<unsigned char>(byte);
    if (u < 0x20 || u == 0x7f) {
      c.fail(e, "attribute '" + std::string(name) + "' holds a control character",
             "names are printable text");
    }
  }
  out = view;
  return !view.empty();
}

std::string require_name(const Context& c, const Element& e, const char* name) {
  std::string value;
  if (!read_name(c, e, name, value)) {
    c.fail(e, "attribute '" + std::string(name) + "' is missing");
  }
  return value;
}

}  // namespace stepbench::model::mjcf
