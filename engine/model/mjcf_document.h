// XML files of a scene: the main file and its includes, checked and parsed.
#pragma once

#include <tinyxml2.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/spec.h"

namespace stepbench::model::mjcf {

// An XML element and the file it stands in.
struct Element {
  const tinyxml2::XMLElement* xml = nullptr;
  int file = 0;

  explicit operator bool() const { return xml != nullptr; }
  std::string_view tag() const { return xml->Name(); }
  // nullptr where the attribute is absent.
  const char* attribute(const char* name) const { return xml->Attribute(name); }
  Source source() const { return {file, xml->GetLineNum()}; }
};

// Bounds on input, so that no file takes the program down. All files of a scene together.
inline constexpr size_t kMaxBytes = size_t{32} << 20;
inline constexpr size_t kMaxMarkup = 1'500'000;  // elements and attributes
inline constexpr int kMaxDepth = 100;            // elements inside each other, includes counted in
inline constexpr int kMaxIncludes = 1000;

class Document {
 public:
  // Parse the main file and, recursively, what it includes. All functions throw ModelError.
  static Document from_file(const std::filesystem::path& path);
  static Document from_text(std::string_view text, const std::string& name);

  Element root() const { return {files_.front().xml->RootElement(), 0}; }
  // Names of the files, in the order of Source::file.
  const std::vector<std::string>& names() const { return names_; }
  // Directory of the main file.
  const std::filesystem::path& directory() const { return directory_; }

  // Call f(child) for each child element in order; includes are replaced by what they hold.
  template <class F>
  static void for_each_child(const Element& parent, F&& f) {
    for (auto* xml = parent.xml->FirstChildElement(); xml; xml = xml->NextSiblingElement()) {
      if (const auto* included = static_cast<const Element*>(xml->GetUserData())) {
        for_each_child(*included, f);
      } else {
        f(Element{xml, parent.file});
      }
    }
  }

 private:
  struct File {
    std::unique_ptr<tinyxml2::XMLDocument> xml;
    std::filesystem::path path;  // canonical
  };

  void parse(std::string_view text, const std::string& name, const std::filesystem::path& path);
  void expand_includes(tinyxml2::XMLElement* element, int file, int depth);
  void include(tinyxml2::XMLElement* element, int file, int depth);

  std::filesystem::path directory_;
  std::vector<File> files_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Element>> included_;  // user data of <include> elements
  size_t bytes_ = 0;
  size_t markup_ = 0;
};

}  // namespace stepbench::model::mjcf
