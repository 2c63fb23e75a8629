// The documentation of the CSV columns, for `stepbench columns` and reports/README.md.
#pragma once

#include <string>

namespace stepbench::reports {

std::string columns_text();      // aligned, one line per column
std::string columns_csv();       // column, file, type, unit, description
std::string columns_json();      // schema_version and a list of objects
std::string columns_markdown();  // a table

}  // namespace stepbench::reports
