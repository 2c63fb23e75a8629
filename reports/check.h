// Reports of `stepbench check`: how far this engine is from the real MuJoCo.
#pragma once

#include <string>
#include <vector>

#include "bench/check.h"
#include "reports/csv.h"

namespace stepbench::reports {

// Every field of a scene that is not equal bit for bit: largest difference, tolerance, where it is
// largest, where it first passed the tolerance.
std::string check_text(const std::string& scene, const bench::CheckReport& report, bool colour);

// One line per scene with the worst field of each part.
std::string check_line(const std::string& scene, std::size_t scene_width,
                       const bench::CheckReport& report, bool colour);

// CSV: header, and a row per field.
CsvRow check_header();
std::vector<CsvRow> check_rows(const std::string& scene, const bench::CheckReport& report);

}  // namespace stepbench::reports
