// CSV text (RFC 4180), written and read by Vince's CSV Parser.
//
// csv.cpp is the one file of the project that includes the library (it costs seconds to compile);
// everything else speaks in plain strings. Lines end in LF, fields are quoted only where they must
// be.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::reports {

using CsvRow = std::vector<std::string>;

// A file that is not what its name promises; the message names the file and says what to do.
class CsvError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One record with its line end. Fields may hold anything, line ends and quotes included.
std::string csv_line(const CsvRow& fields);

struct CsvTable {
  CsvRow header;
  std::vector<CsvRow> rows;      // each as long as the header
  std::size_t intact_bytes = 0;  // length of the text up to its last complete record
  bool truncated = false;        // something followed that: the last record was cut off
};

// Parse a whole text. A last record without its line end is what a killed writer leaves behind: it
// is left out and `truncated` is set. Throws CsvError on a record that is longer or shorter than
// the header. `name` stands in messages.
CsvTable parse_csv(std::string_view text, std::string_view name);

// Read and parse a file. Throws CsvError also where it cannot be read.
CsvTable read_csv(const std::filesystem::path& path);

}  // namespace stepbench::reports
