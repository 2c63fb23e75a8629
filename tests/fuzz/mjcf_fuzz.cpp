// Fuzz target of the loader: whatever the bytes, reading and compiling ends with a scene or a
// ModelError of one line; a scene that was read is written, read again and written to the same
// text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/model/compile.h"
#include "engine/model/reader.h"
#include "engine/model/writer.h"

namespace {

using namespace stepbench::model;

void require(bool condition) {
  if (!condition) std::abort();
}

// The first byte chooses options, so that the fuzzer reaches them.
ReadOptions options_for(std::uint8_t byte) {
  ReadOptions options;
  options.max_elements = 3000;
  options.ignore_unsupported = (byte & 1) != 0;
  if (byte & 2) options.density = byte >> 4;
  if (byte & 4) options.overrides.emplace_back("integrator", "implicitfast");
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Plain files begin with '<' or white space, which keep the defaults.
  const bool plain = data[0] == '<' || data[0] == ' ' || data[0] == '\n' || data[0] == 0xef;
  const ReadOptions options = options_for(plain ? 0 : data[0]);
  const std::string_view text(reinterpret_cast<const char*>(data) + (plain ? 0 : 1),
                              size - (plain ? 0 : 1));
  try {
    const Spec spec = read_mjcf_string(text, "fuzz.xml", options);
    const std::string written = write_mjcf(spec);
    ReadOptions plainly;
    plainly.max_elements = 1e6;
    require(write_mjcf(read_mjcf_string(written, "written.xml", plainly)) == written);
    compile(spec);
  } catch (const ModelError& error) {
    const std::string_view line = error.what();
    require(!line.empty() && line.find('\n') == std::string_view::npos);
  }
  return 0;
}
