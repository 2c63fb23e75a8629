#include "engine/model/mjcf_document.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "engine/model/error.h"
#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {
namespace {

namespace fs = std::filesystem;

int line_at(std::string_view text, size_t position) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<long>(position), '\n'));
}

// Look over the text before the parser does: refuse document types (entities could expand without
// bound), zero bytes, and more markup than the parser's tree may take. Returns the amount of
// markup.
size_t inspect(std::string_view text, const std::string& name) {
  size_t markup = 0;
  size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\0') {
      throw ModelError(name, line_at(text, i), "", "zero byte in the file",
                       "MJCF files are UTF-8 text");
    }
    if (c == '=') ++markup;
    if (c != '<') {
      ++i;
      continue;
    }
    ++markup;
    const std::string_view rest = text.substr(i);
    const bool comment = rest.starts_with("<!--");
    const bool data = rest.starts_with("<![CDATA[");
    if (comment || data) {
      const size_t end = text.find(comment ? "-->" : "]]>", i + (comment ? 4 : 9));
      if (end == std::string_view::npos) break;  // the parser reports it
      i = end + 3;
    } else if (rest.starts_with("<!")) {
      throw ModelError(name, line_at(text, i), "", "document type declarations are not accepted",
                       "remove <!DOCTYPE ...> and write entities out");
    } else {
      ++i;
    }
  }
  return markup;
}

[[noreturn]] void fail_parse(const tinyxml2::XMLDocument& xml, const std::string& name) {
  const int line = xml.ErrorLineNum();
  switch (xml.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      throw ModelError(name, 0, "", "no XML element in the file",
                       "an MJCF file begins with <mujoco>");
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      throw ModelError(name, line, "", "text where an XML element is expected",
                       "an MJCF file begins with <mujoco>");
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      throw ModelError(name, line, "", "malformed XML: start and end tags do not match",
                       "close the elements in reverse order");
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      throw ModelError(name, line, "", "malformed XML: bad or repeated attribute",
                       "attributes are written NAME=\"VALUE\", each name once");
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      throw ModelError(name, line, "", "elements are nested too deeply",
                       "at most " + std::to_string(kMaxDepth) + " levels are accepted");
    default:
      throw ModelError(name, line, "", "malformed XML", "check that every element is closed");
  }
}

std::string read_text(const fs::path& path, const std::string& name, size_t limit) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ModelError(name, 0, "", "no such file");
  if (!fs::is_regular_file(path, error)) throw ModelError(name, 0, "", "not a regular file");
  const auto size = fs::file_size(path, error);
  if (error) throw ModelError(name, 0, "", "cannot be read");
  if (size > limit) {
    throw ModelError(name, 0, "", "file is too large",
                     "at most " + std::to_string(kMaxBytes >> 20) + " MiB of XML are accepted");
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(static_cast<size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  if (!stream && size > 0) throw ModelError(name, 0, "", "cannot be read", "check its permissions");
  return text;
}

}  // namespace

Document Document::from_file(const fs::path& path) {
  const std::string name = path.string();
  const std::string text = read_text(path, name, kMaxBytes);
  std::error_code error;
  Document document;
  document.directory_ = path.parent_path();
  document.parse(text, name, fs::weakly_canonical(path, error));
  document.expand_includes(document.files_.front().xml->RootElement(), 0, 1);
  return document;
}

Document Document::from_text(std::string_view text, const std::string& name) {
  if (text.size() > kMaxBytes) throw ModelError(name, 0, "", "text is too large");
  Document document;
  document.directory_ = fs::path(name).parent_path();
  document.parse(text, name, {});
  document.expand_includes(document.files_.front().xml->RootElement(), 0, 1);
  return document;
}

void Document::parse(std::string_view text, const std::string& name, const fs::path& path) {
  bytes_ += text.size();
  markup_ += inspect(text, name);
  if (bytes_ > kMaxBytes || markup_ > kMaxMarkup) {
    throw ModelError(name, 0, "", "scene is too large to be read",
                     "write repeated parts with <replicate>");
  }
  auto xml = std::make_unique<tinyxml2::XMLDocument>();
  // tinyxml2 takes length 0 for "measure it yourself".
  if (text.empty() || xml->Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    if (text.empty())
      throw ModelError(name, 0, "", "file is empty", "an MJCF file begins with <mujoco>");
    fail_parse(*xml, name);
  }
  if (!xml->RootElement()) {
    throw ModelError(name, 0, "", "no XML element in the file",
                     "an MJCF file begins with <mujoco>");
  }
  names_.push_back(name);
  files_.push_back({std::move(xml), path});
}

void Document::expand_includes(tinyxml2::XMLElement* element, int file, int depth) {
  if (depth > kMaxDepth) {
    throw ModelError(names_[static_cast<size_t>(file)], element->GetLineNum(), element->Name(),
                     "elements are nested too deeply",
                     "at most " + std::to_string(kMaxDepth) + " levels are accepted");
  }
  for (auto* child = element->FirstChildElement(); child; child = child->NextSiblingElement()) {
    if (std::string_view(child->Name()) == "include") {
      include(child, file, depth);
    } else {
      expand_includes(child, file, depth + 1);
    }
  }
}

void Document::include(tinyxml2::XMLElement* element, int file, int depth) {
  const std::string from = names_[static_cast<size_t>(file)];  // a copy: names_ grows below
  const int line = element->GetLineNum();
  const char* target = element->Attribute("file");
  if (!target || *target == '\0') {
    throw ModelError(from, line, "include", "attribute 'file' is missing");
  }
  if (element->FirstChildElement()) {
    throw ModelError(from, line, "include", "an include cannot hold elements");
  }
  if (files_.size() > kMaxIncludes) throw ModelError(from, line, "include", "too many includes");

  // As in MuJoCo: relative to the main file, and if it is not there, to the including file.
  std::error_code error;
  fs::path path = directory_ / target;
  if (!fs::exists(path, error)) {
    const fs::path near = fs::path(from).parent_path() / target;
    if (fs::exists(near, error)) path = near;
  }
  const fs::path canonical = fs::weakly_canonical(path, error);
  for (const File& known : files_) {
    if (known.path == canonical) {
      throw ModelError(from, line, "include",
                       "file " + quote(target) + " is already part of the scene",
                       "each file can be included once, and not by itself");
    }
  }
  if (!fs::is_regular_file(path, error)) {
    throw ModelError(from, line, "include", "file " + quote(target) + " not found",
                     "paths are relative to the main file");
  }
  const std::string name = path.lexically_normal().string();
  const std::string text = read_text(path, name, kMaxBytes - bytes_);
  const int index = static_cast<int>(files_.size());
  parse(text, name, canonical);
  tinyxml2::XMLElement* root = files_.back().xml->RootElement();
  if (!root->FirstChildElement()) {
    throw ModelError(from, line, "include", "file " + quote(target) + " holds no elements");
  }
  included_.push_back(std::make_unique<Element>(Element{root, index}));
  element->SetUserData(included_.back().get());
  expand_includes(root, index, depth + 1);
}

}  // namespace stepbench::model::mjcf
