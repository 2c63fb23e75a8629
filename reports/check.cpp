#include "reports/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/numbers.h"
#include "reports/terminal.h"

namespace stepbench::reports {
namespace {

using bench::CheckPart;
using bench::CheckReport;
using bench::FieldCheck;

// "1.2e-15", "0", "inf".
std::string difference(double x) { return x == 0 ? "0" : fmt::format("{:.1e}", x); }

std::string verdict(bool pass, bool colour) {
  return pass ? paint("ok", Colour::kGreen, colour) : paint("DIFFERS", Colour::kRed, colour);
}

std::string field_line(const FieldCheck& f, std::size_t width, bool colour) {
  std::string line =
      fmt::format("  {}  {:>8}  {:>8}  {}", pad(f.field, width, false), difference(f.largest),
                  difference(f.tolerance), verdict(f.pass, colour));
  if (f.largest > 0 && !f.where.empty())
    line += fmt::format("{}at {}", f.pass ? "       " : "  ", f.where);
  if (!f.pass) {
    if (f.index >= 0)
      line += fmt::format(", [{}] is {}, MuJoCo {}", f.index, shortest(f.ours), shortest(f.theirs));
    if (f.first_step >= 0) line += fmt::format("; beyond tolerance from step {}", f.first_step);
  }
  return line + '\n';
}

}  // namespace

std::string check_text(const std::string& scene, const CheckReport& report, bool colour) {
  std::string text = paint(scene, Colour::kBold, colour) + '\n';
  for (const std::string& n : report.notes) text += fmt::format("  note: {}\n", n);
  for (const CheckPart& part : report.parts) {
    std::size_t width = 16;
    for (const FieldCheck& f : part.fields) width = std::max(width, display_width(f.field));
    text += paint(fmt::format("{}  {:>8}  {:>8}", pad(part.name, width + 2, false), "largest",
                              "allowed"),
                  Colour::kDim, colour) +
            '\n';
    std::size_t equal = 0;
    for (const FieldCheck& f : part.fields) {
      if (f.pass && f.largest == 0) {
        ++equal;
      } else {
        text += field_line(f, width, colour);
      }
    }
    if (equal > 0) text += fmt::format("  {} fields are equal bit for bit\n", equal);
    for (const std::string& n : part.notes) text += fmt::format("  note: {}\n", n);
  }
  text += fmt::format("{}\n", verdict(report.pass(), colour));
  return text;
}

std::string check_line(const std::string& scene, std::size_t scene_width, const CheckReport& report,
                       bool colour) {
  std::string line = pad(scene, scene_width, false);
  for (const CheckPart& part : report.parts) {
    const FieldCheck* worst = part.worst();
    const std::string text =
        worst == nullptr
            ? fmt::format("{} -", part.name)
            : fmt::format("{} {} {}", part.name, difference(worst->largest), worst->field);
    line += "  " + paint(pad(text, part.name.size() + 26, false),
                         part.pass() ? Colour::kNone : Colour::kRed, colour);
  }
  return line + "  " + verdict(report.pass(), colour) + '\n';
}

CsvRow check_header() {
  return {"scene",      "part",  "field", "status",       "largest_diff", "tolerance",
          "first_step", "index", "value", "value_mujoco", "where"};
}

std::vector<CsvRow> check_rows(const std::string& scene, const CheckReport& report) {
  std::vector<CsvRow> rows;
  for (const CheckPart& part : report.parts) {
    for (const FieldCheck& f : part.fields) {
      const bool at = f.index >= 0;
      rows.push_back({scene, part.name, f.field, f.pass ? "ok" : "differs", shortest(f.largest),
                      shortest(f.tolerance),
                      f.first_step >= 0 ? fmt::format("{}", f.first_step) : "",
                      at ? fmt::format("{}", f.index) : "", at ? shortest(f.ours) : "",
                      at ? shortest(f.theirs) : "", f.where});
    }
  }
  return rows;
}

}  // namespace stepbench::reports
