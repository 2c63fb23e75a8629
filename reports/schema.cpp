#include "reports/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <type_traits>

#include "reports/numbers.h"

namespace stepbench::reports {
namespace {

template <class Row, class F>
void for_each_column(Row& row, F&& f) {
  if constexpr (std::is_same_v<std::remove_const_t<Row>, bench::Sample>) {
    bench::for_each_sample_column(row, f);
  } else {
    bench::for_each_summary_column(row, f);
  }
}

template <class T>
ColumnType type_of(const T&) {
  if constexpr (std::is_same_v<T, bench::Text>) return ColumnType::kText;
  if constexpr (std::is_same_v<T, bench::Int>) return ColumnType::kInt;
  if constexpr (std::is_same_v<T, bench::Real>) return ColumnType::kReal;
  return ColumnType::kBool;
}

template <class Row>
std::vector<Column> columns_of() {
  constexpr bool kSamples = std::is_same_v<Row, bench::Sample>;
  std::vector<Column> all;
  const Row row;
  for_each_column(row, [&](const char* name, const char* unit, const char* doc, const auto& value) {
    all.push_back({name, type_of(value), unit, doc, kSamples, !kSamples});
  });
  return all;
}

// Columns of both files in one list: those that mean the same are merged, the others of summary.csv
// follow the column that they stand behind in their own file.
std::vector<Column> merged_columns() {
  std::vector<Column> all = columns_of<bench::Sample>();
  std::size_t at = 0;
  for (Column& c : columns_of<bench::Summary>()) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Column& o) {
      return o.name == c.name && o.description == c.description && o.unit == c.unit && o.in_samples;
    });
    if (same != all.end()) {
      same->in_summary = true;
      at = static_cast<std::size_t>(same - all.begin()) + 1;
    } else {
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), std::move(c));
      ++at;
    }
  }
  return all;
}

template <class T>
std::string to_text(const T& value) {
  if constexpr (std::is_same_v<T, bench::Text>) {
    return value;
  } else if constexpr (std::is_same_v<T, bench::Bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, bench::Int>) {
    return bench::measured(value) ? fmt::format("{}", value) : std::string();
  } else {
    return shortest(value);
  }
}

template <class T>
bool parse(const std::string& text, T& value) {
  if constexpr (std::is_same_v<T, bench::Text>) {
    value = text;
    return true;
  } else if constexpr (std::is_same_v<T, bench::Bool>) {
    value = text == "true";
    return text.empty() || text == "true" || text == "false";
  } else {
    value = bench::not_measured<T>();
    if (text.empty()) return true;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end && bench::measured(value);
  }
}

std::string_view major_version(std::string_view version) {
  return version.substr(0, version.find('.'));
}

}  // namespace

std::string_view to_string(ColumnType t) {
  switch (t) {
    case ColumnType::kText:
      return "text";
    case ColumnType::kInt:
      return "int";
    case ColumnType::kReal:
      return "real";
    case ColumnType::kBool:
      break;
  }
  return "bool";
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = merged_columns();
  return all;
}

template <class Row>
CsvRow header() {
  CsvRow names;
  const Row row;
  for_each_column(row, [&](const char* name, auto&&...) { names.emplace_back(name); });
  return names;
}

template <class Row>
CsvRow to_fields(const Row& row) {
  CsvRow fields;
  for_each_column(row, [&](const char*, const char*, const char*, const auto& value) {
    fields.push_back(to_text(value));
  });
  return fields;
}

template <class Row>
Row from_fields(const CsvRow& file_header, const CsvRow& fields) {
  std::map<std::string_view, const std::string*> by_name;
  for (std::size_t i = 0; i < std::min(file_header.size(), fields.size()); ++i) {
    by_name.emplace(file_header[i], &fields[i]);
  }
  Row row;
  for_each_column(row, [&](const char* name, const char*, const char*, auto& value) {
    const auto it = by_name.find(name);
    if (it != by_name.end() && !parse(*it->second, value)) {
      throw CsvError(fmt::format("column {}: '{}' is not {} {}", name, *it->second,
                                 type_of(value) == ColumnType::kInt ? "an" : "a",
                                 to_string(type_of(value))));
    }
  });
  return row;
}

template <class Row>
void check_schema(const CsvTable& table, std::string_view name, bool exact) {
  const CsvRow expected = header<Row>();
  if (table.header.empty() || table.header[0] != expected[0]) {
    throw CsvError(fmt::format("{} is not a file of stepbench: its first column is not {}", name,
                               expected[0]));
  }
  for (const CsvRow& row : table.rows) {
    if (major_version(row[0]) != major_version(bench::kSchemaVersion)) {
      throw CsvError(fmt::format(
          "{} has schema version {}, this program writes {}: use the program that wrote it", name,
          row[0], bench::kSchemaVersion));
    }
  }
  if (exact && table.header != expected) {
    throw CsvError(
        fmt::format("{} was written by another version of stepbench (its columns differ): "
                    "continue it with that version or choose another --out",
                    name));
  }
}

template CsvRow header<bench::Sample>();
template CsvRow header<bench::Summary>();
template CsvRow to_fields(const bench::Sample&);
template CsvRow to_fields(const bench::Summary&);
template bench::Sample from_fields(const CsvRow&, const CsvRow&);
template bench::Summary from_fields(const CsvRow&, const CsvRow&);
template void check_schema<bench::Sample>(const CsvTable&, std::string_view, bool);
template void check_schema<bench::Summary>(const CsvTable&, std::string_view, bool);

}  // namespace stepbench::reports
