#include "reports/csv.h"

#include <fmt/format.h>

#include <csv.hpp>
#include <fstream>
#include <iterator>
#include <sstream>

namespace stepbench::reports {
namespace {

// End of the last complete record: one past the last LF outside quotes. Quotes inside a quoted
// field come in pairs, so counting every quote gives the right parity at each line end.
std::size_t last_record_end(std::string_view text) {
  std::size_t end = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\n' && !quoted) end = i + 1;
  }
  return end;
}

csv::CSVFormat format() {
  csv::CSVFormat f;
  f.delimiter(',').quote('"').header_row(0).variable_columns(csv::VariableColumnPolicy::KEEP);
  return f;
}

}  // namespace

std::string csv_line(const CsvRow& fields) {
  std::ostringstream out;
  auto writer = csv::make_csv_writer(out);
  writer << fields;
  writer.flush();
  return std::move(out).str();
}

CsvTable parse_csv(std::string_view text, std::string_view name) {
  CsvTable table;
  table.intact_bytes = last_record_end(text);
  table.truncated = table.intact_bytes != text.size();
  if (table.intact_bytes == 0) return table;

  std::istringstream in{std::string(text.substr(0, table.intact_bytes))};
  try {
    csv::CSVReader reader(in, format());
    table.header = reader.get_col_names();
    for (csv::CSVRow& row : reader) {
      CsvRow fields;
      fields.reserve(table.header.size());
      for (csv::CSVField field : row) fields.push_back(field.get<std::string>());
      if (fields.size() != table.header.size()) {
        throw CsvError(fmt::format("{}: row {} has {} fields, the header has {}", name,
                                   table.rows.size() + 1, fields.size(), table.header.size()));
      }
      table.rows.push_back(std::move(fields));
    }
  } catch (const CsvError&) {
    throw;
  } catch (const std::exception& e) {
    throw CsvError(fmt::format("{}: not a CSV file: {}", name, e.what()));
  }
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw CsvError(fmt::format("cannot read {}", path.string()));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse_csv(text, path.string());
}

}  // namespace stepbench::reports
