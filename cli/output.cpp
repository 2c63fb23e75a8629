#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "reports/files.h"

namespace stepbench::cli {

void write_out(std::string_view text) {
  reports::AppendFile::on_descriptor(STDOUT_FILENO, "standard output").append(text);
}

void write_to(std::string_view path, std::string_view text) {
  if (path.empty() || path == "-") {
    write_out(text);
  } else {
    reports::replace_file(path, text);
  }
}

void complain(std::string_view text) { note(fmt::format("stepbench: {}", text)); }

void note(std::string_view text) {
  const std::string line = fmt::format("{}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace stepbench::cli
