// JSON text (RFC 8259), written front to back.
//
//   JsonWriter j;
//   j.begin_object();
//   j.field("name", "humanoid");
//   j.key("qpos0").begin_list();  ...  j.end_list();
//   j.end_object();
//   std::string text = j.take();
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::reports {

// `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, since JSON has
// no others.
std::string json_string(std::string_view text);

// Objects are written one field a line, lists on one line. Numbers are shortest round-trip; a
// number that is not finite becomes null.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_list();
  JsonWriter& end_list();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double x);
  JsonWriter& value(bool b);
  JsonWriter& null();
  template <std::integral Int>
  requires(!std::same_as<Int, bool>) JsonWriter& value(Int x) { return raw(std::to_string(x)); }

  // A value that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }
  template <class T>
  JsonWriter& list(std::string_view name, const std::vector<T>& xs) {
    key(name).begin_list();
    for (const T& x : xs) value(x);
    return end_list();
  }

  // The text, with a line end; call once every object and list is closed.
  std::string take();

 private:
  struct Level {
    bool object;
    bool empty;
  };
  void before_value();
  void close(char bracket);

  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace stepbench::reports
