#include "engine/model/mjcf_context.h"

#include <map>
#include <vector>

#include "engine/model/error.h"
#include "engine/model/mjcf_text.h"

namespace stepbench::model::mjcf {
namespace {

// Collected findings are bounded, so that a hostile file cannot make us build endless messages.
constexpr size_t kMaxFindings = 10'000;

// `geom "foo"`, as it stands in messages.
std::string describe(const Element& e) {
  std::string text(e.tag());
  if (const char* name = e.attribute("name"); name && *name && is_utf8(name)) {
    std::string shown = quote(name);
    shown.front() = shown.back() = '"';
    text += ' ' + shown;
  }
  return text;
}

}  // namespace

void Context::fail(const Element& e, const std::string& message, const std::string& hint) const {
  throw ModelError(file_name(e.file), e.xml->GetLineNum(), describe(e), message, hint);
}

void Context::unsupported(const Element& e, std::string what) {
  if (spec.unsupported.size() < kMaxFindings) {
    spec.unsupported.push_back({e.source(), std::move(what)});
  }
}

void Context::warn(const Element& e, const std::string& message) {
  if (spec.warnings.size() >= kMaxFindings) return;
  spec.warnings.push_back(
      ModelError(file_name(e.file), e.xml->GetLineNum(), describe(e), message).what());
}

void Context::check_unsupported() const {
  if (spec.unsupported.empty() || options.ignore_unsupported) return;
  // Same finding on many lines: one entry, `what (FILE:12,15,19)`.
  struct Places {
    std::string text;
    int file = -1;
  };
  std::vector<std::string> order;
  std::map<std::string, Places> places;
  for (const Unsupported& u : spec.unsupported) {
    const auto [at, added] = places.emplace(u.what, Places{});
    if (added) order.push_back(u.what);
    Places& p = at->second;
    if (p.file == u.source.file) {
      p.text += ',';
    } else {
      p.text += (added ? "" : ", ") + file_name(u.source.file) + ':';
      p.file = u.source.file;
    }
    p.text += std::to_string(u.source.line);
  }
  std::string message = "not supported:";
  for (size_t i = 0; i < order.size(); ++i) {
    message += (i ? "; " : " ") + order[i] + " (" + places[order[i]].text + ')';
  }
  const Unsupported& first = spec.unsupported.front();
  throw ModelError(file_name(first.source.file), first.source.line, "", message,
                   "--ignore-unsupported loads the scene without them");
}

}  // namespace stepbench::model::mjcf
