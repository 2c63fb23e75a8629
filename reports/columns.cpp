#include "reports/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/csv.h"
#include "reports/json.h"
#include "reports/schema.h"

namespace stepbench::reports {
namespace {

std::string files_of(const Column& c) {
  return c.in_samples && c.in_summary ? "both" : c.in_samples ? "samples" : "summary";
}

}  // namespace

std::string columns_csv() {
  std::string text = csv_line({"column", "file", "type", "unit", "description"});
  for (const Column& c : columns()) {
    text += csv_line({c.name, files_of(c), std::string(to_string(c.type)), c.unit, c.description});
  }
  return text;
}

std::string columns_json() {
  JsonWriter j;
  j.begin_object().field("schema_version", bench::kSchemaVersion).key("columns").begin_list();
  for (const Column& c : columns()) {
    j.begin_object()
        .field("name", c.name)
        .field("file", files_of(c))
        .field("type", to_string(c.type))
        .field("unit", c.unit)
        .field("description", c.description)
        .end_object();
  }
  j.end_list().end_object();
  return j.take();
}

std::string columns_markdown() {
  std::string text = "| column | file | type | unit | meaning |\n|---|---|---|---|---|\n";
  for (const Column& c : columns()) {
    std::string description = c.description;
    for (std::size_t at = 0; (at = description.find('|', at)) != std::string::npos; at += 2) {
      description.insert(at, "\\");
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", c.name, files_of(c), to_string(c.type),
                        c.unit, description);
  }
  return text;
}

std::string columns_text() {
  std::size_t name = 0, unit = 0;
  for (const Column& c : columns()) {
    name = std::max(name, c.name.size());
    unit = std::max(unit, c.unit.size());
  }
  std::string text = fmt::format(
      "schema {}: samples.csv has a row per cell and repetition, summary.csv a row per cell\n\n",
      bench::kSchemaVersion);
  for (const Column& c : columns()) {
    text += fmt::format("{:<{}}  {:<7}  {:<4}  {:<{}}  {}\n", c.name, name, files_of(c),
                        to_string(c.type), c.unit, unit, c.description);
  }
  return text;
}

}  // namespace stepbench::reports
