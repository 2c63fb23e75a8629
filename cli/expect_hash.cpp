#include "cli/expect_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "bench/error.h"
#include "reports/csv.h"

namespace stepbench::cli {

std::string as_hash(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string digits(text);
  for (char& c : digits) {
    if (!std::isxdigit(static_cast<unsigned char>(c))) return "";
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return digits.size() == 16 ? "0x" + digits : "";
}

ExpectedHashes expect_hashes(const std::string& text, const std::string& key,
                             const std::string& hash) {
  ExpectedHashes expected;
  if (std::string one = as_hash(text); !one.empty()) {
    expected.one = std::move(one);
    return expected;
  }
  reports::CsvTable table;
  try {
    table = reports::read_csv(text);
  } catch (const reports::CsvError& e) {
    throw bench::UsageError(
        fmt::format("--expect-hash: '{}' is neither 16 hexadecimal digits nor a CSV file ({})",
                    text, e.what()));
  }
  const auto column = [&](const std::string& name) {
    const auto it = std::find(table.header.begin(), table.header.end(), name);
    if (it == table.header.end()) {
      throw bench::UsageError(fmt::format("--expect-hash: {} has no column {}", text, name));
    }
    return static_cast<std::size_t>(it - table.header.begin());
  };
  const std::size_t k = column(key), h = column(hash);
  for (const reports::CsvRow& row : table.rows) {
    if (row[h].empty()) continue;
    const std::string value = as_hash(row[h]);
    if (value.empty())
      throw bench::UsageError(fmt::format("--expect-hash: {}: '{}' is no hash", text, row[h]));
    expected.by_key[row[k]] = value;
  }
  return expected;
}

}  // namespace stepbench::cli
