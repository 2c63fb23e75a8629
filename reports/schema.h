// Columns of samples.csv and summary.csv, and rows to and from records.
//
// Everything here is generated from the one table of fields in bench/records.h: a row has a field
// for each column by construction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/records.h"
#include "reports/csv.h"

namespace stepbench::reports {

enum class ColumnType { kText, kInt, kReal, kBool };
std::string_view to_string(ColumnType t);  // "text", "int", "real", "bool"

struct Column {
  std::string name;  // the CSV's name
  ColumnType type;
  std::string unit;  // "" a name or flag, "1" a count or ratio, else the unit
  std::string description;
  bool in_samples, in_summary;
};

// Every column once, in the order of the files, samples.csv first. A name that means something else
// in summary.csv (a median over repetitions instead of one value) stands twice.
const std::vector<Column>& columns();

// Header of the file that holds rows of this type.
template <class Row>
CsvRow header();

// Fields of a row, as many as its header: shortest round-trip numbers, true/false, empty where not
// measured.
template <class Row>
CsvRow to_fields(const Row& row);

// The other way, by the names in a file's header: a column that the file lacks stays not measured,
// one that this program does not know is skipped. Throws CsvError on a field that is not of its
// column's type.
template <class Row>
Row from_fields(const CsvRow& file_header, const CsvRow& fields);

// Throws CsvError where a file cannot be continued or read by this program: another major schema
// version, or, where `exact`, another header. `name` stands in the message.
template <class Row>
void check_schema(const CsvTable& table, std::string_view name, bool exact);

extern template CsvRow header<bench::Sample>();
extern template CsvRow header<bench::Summary>();
extern template CsvRow to_fields(const bench::Sample&);
extern template CsvRow to_fields(const bench::Summary&);
extern template bench::Sample from_fields(const CsvRow&, const CsvRow&);
extern template bench::Summary from_fields(const CsvRow&, const CsvRow&);
extern template void check_schema<bench::Sample>(const CsvTable&, std::string_view, bool);
extern template void check_schema<bench::Summary>(const CsvTable&, std::string_view, bool);

}  // namespace stepbench::reports
