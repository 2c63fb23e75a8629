// What all parts of the reader share: the scene under construction, and how to complain about it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/model/mjcf_document.h"
#include "engine/model/reader.h"

namespace stepbench::model::mjcf {

struct Context {
  Context(const Document& d, const ReadOptions& o) : document(d), options(o) {
    spec.files = d.names();
  }

  const Document& document;
  const ReadOptions& options;
  Spec spec;

  // Attributes of <compiler> that only the reader needs.
  bool degree = true;
  std::string eulerseq = "xyz";
  bool strippath = false;
  std::string meshdir, assetdir;

  // Set where ignoring something changed nq, nu or the like, so that keyframes no longer fit.
  bool sizes_changed = false;

  const std::string& file_name(int file) const { return spec.files[static_cast<size_t>(file)]; }

  [[noreturn]] void fail(const Element& e, const std::string& message,
                         const std::string& hint = {}) const;
  // Note something that is not simulated. Throws only at the end of reading (see
  // check_unsupported).
  void unsupported(const Element& e, std::string what);
  void warn(const Element& e, const std::string& message);

  // Throw one error that lists all that is unsupported, unless the options say to ignore it.
  void check_unsupported() const;
};

}  // namespace stepbench::model::mjcf
