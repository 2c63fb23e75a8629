// Typed access to attributes. All functions leave the value alone where the attribute is absent or
// empty, and throw ModelError where it is malformed.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/mjcf_context.h"

namespace stepbench::model::mjcf {

struct Keyword {
  const char* name;
  int value;
};

// Numbers are finite; spelling as in C (decimal or hexadecimal), separated by white space. Returns
// how many were given; fewer than `least` (but not none) or more than out.size() is an error.
size_t read_numbers(const Context& c, const Element& e, const char* name, std::span<double> out,
                    size_t least);
size_t read_integers(const Context& c, const Element& e, const char* name, std::span<int> out,
                     size_t least);
// Any count.
bool read_vector(const Context& c, const Element& e, const char* name, std::vector<double>& out);

bool read(const Context& c, const Element& e, const char* name, double& out);
bool read(const Context& c, const Element& e, const char* name, int& out);
bool read(const Context& c, const Element& e, const char* name, bool& out);  // true, false

// Exactly N numbers.
template <size_t N>
bool read(const Context& c, const Element& e, const char* name, std::array<double, N>& out) {
  return read_numbers(c, e, name, out, N) > 0;
}
// Up to N numbers; the others keep their values.
template <size_t N>
bool read_some(const Context& c, const Element& e, const char* name, std::array<double, N>& out) {
  return read_numbers(c, e, name, out, 1) > 0;
}

bool read_keyword(const Context& c, const Element& e, const char* name,
                  std::span<const Keyword> keywords, int& out);
bool read_tri(const Context& c, const Element& e, const char* name, int& out);  // false, true, auto

// Names: UTF-8 without control characters.
bool read_name(const Context& c, const Element& e, const char* name, std::string& out);
// As read_name; absence is an error.
std::string require_name(const Context& c, const Element& e, const char* name);

}  // namespace stepbench::model::mjcf
