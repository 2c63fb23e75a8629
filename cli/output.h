// Standard output and standard error of a command.
#pragma once

#include <string_view>

namespace stepbench::cli {

// Writes text to standard output. A reader that has gone (`stepbench ... | head`) is not an error:
// the text is dropped. Throws reports::FileError where writing fails otherwise (disk full).
void write_out(std::string_view text);

// Writes `text` to `path`, or to standard output where path is empty or "-". Throws
// reports::FileError.
void write_to(std::string_view path, std::string_view text);

// One line on standard error: "stepbench: TEXT".
void complain(std::string_view text);

// One line on standard error without a prefix: where results went, and the like.
void note(std::string_view text);

}  // namespace stepbench::cli
