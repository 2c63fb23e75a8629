#include "reports/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "reports/numbers.h"
#include "reports/terminal.h"

namespace stepbench::reports {
namespace {

using bench::Summary;

// A column: title, how a cell shows, and whether numbers (flush right) or words stand in it.
// Columns from `world-steps/s` on make room for the reason where there is no speed.
struct TableColumn {
  std::string title;
  std::function<std::string(const Summary&)> text;
  bool right = true;
  bool result = false;
  std::size_t min_width = 0;
};

// Distinct values of a property over rows in which it applies.
std::set<std::string> values(std::span<const Summary> rows,
                             const std::function<std::string(const Summary&)>& text) {
  std::set<std::string> all;
  for (const Summary& r : rows) {
    if (std::string t = text(r); !t.empty()) all.insert(std::move(t));
  }
  return all;
}

std::string count(bench::Int n) {
  return bench::measured(n) ? fmt::format("{}", n) : std::string();
}

// "7.2", "31", "1052": one decimal below 100.
std::string mean(double x) {
  if (!bench::measured(x)) return "";
  return x < 100 && x != 0 ? fmt::format("{:.1f}", x) : fmt::format("{:.0f}", x);
}

std::string ratio(double x) {
  if (!bench::measured(x)) return "";
  return fmt::format("{:.{}f}", x, x < 10 ? 2 : x < 100 ? 1 : 0);
}

std::string bits(const Summary& r) {
  const double f = r.repeat.repeat_equal_frac;
  if (!bench::measured(f)) return "";
  if (f == 1) return "equal";
  // Never round up to all: 99.97 % of the worlds is not "equal".
  return fmt::format("{:.1f} %", std::min(99.9, 100 * f));
}

// The phases that take a twentieth of a step or more, largest first: "contact 62 %, collide 14 %".
std::string phases(const Summary& r) {
  std::vector<std::pair<double, std::string>> list;
#define SB_LIST(type, name, unit, doc) list.emplace_back(r.workload.name, #name);
  SB_PHASE_COLUMNS(SB_LIST)
#undef SB_LIST
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [share, column] : list) {
    if (!bench::measured(share) || share < 0.05) continue;
    // phase_contact_frac -> contact
    const std::size_t from = column.find('_') + 1, to = column.rfind('_');
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", column.substr(from, to - from),
                        100 * share);
  }
  return text;
}

std::string notes(const Summary& r) {
  std::string text = r.id.marks;
  std::replace(text.begin(), text.end(), '_', ' ');
  for (std::size_t at = 0; (at = text.find(';', at)) != std::string::npos; at += 2)
    text.replace(at, 1, ", ");
  if (bench::measured(r.workload.cap_hit_frac) && r.workload.cap_hit_frac > 0) {
    text += fmt::format("{}{} of solves capped", text.empty() ? "" : ", ",
                        percent(r.workload.cap_hit_frac));
  }
  const std::string shares = phases(r);
  if (!shares.empty()) text += (text.empty() ? "" : ", ") + shares;
  return text;
}

std::string timestep_of(const Summary& r) {
  return bench::measured(r.cell.timestep_s) ? timestep_text(r.cell.timestep_s) : std::string();
}

std::string solver_of(const Summary& r) { return r.cell.solver; }

// Axes that the headline names where they have one value: {title, word before it, word after it,
// text}.
struct Axis {
  std::string title, before, after;
  std::function<std::string(const Summary&)> text;
  bool right = true;
};

const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = {
      {"dt", "dt ", "", timestep_of},
      {"contact", "", "",
       [](const Summary& r) { return r.cell.engine == "stepbench" ? r.cell.solver : ""; }, false},
      {"level", "density ", "", [](const Summary& r) { return count(r.cell.density_level); }},
      {"threads", "", " threads", [](const Summary& r) { return count(r.cell.threads); }},
      {"layout", "", "", [](const Summary& r) { return r.cell.layout; }, false},
      {"isa", "", "", [](const Summary& r) { return isa_name(r.cell.isa); }, false},
      {"device", "", "", [](const Summary& r) { return r.cell.device; }, false},
      {"controls", "controls ", "", [](const Summary& r) { return r.cell.ctrl_profile; }, false},
  };
  return all;
}

// Value of an axis if it is the same in all rows, else empty.
std::string single(std::span<const Summary> rows, std::string_view title) {
  for (const Axis& a : axes()) {
    if (a.title != title) continue;
    const auto v = values(rows, a.text);
    if (v.size() != 1) return "";
    return a.before + *v.begin() +
           (a.after == " threads" && *v.begin() == "1" ? " thread" : a.after);
  }
  return "";
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& p : parts) {
    if (p.empty()) continue;
    if (!text.empty()) text += separator;
    text += p;
  }
  return text;
}

std::string headline(std::span<const Summary> rows) {
  // Sizes come from a row that has them: one of a cell that could not even load has none.
  const auto it = std::find_if(rows.begin(), rows.end(),
                               [](const Summary& r) { return bench::measured(r.scene.nv); });
  const Summary& r = it != rows.end() ? *it : rows.front();

  const auto of = [](bench::Int n, const char* form) {
    return bench::measured(n) ? fmt::format(fmt::runtime(form), n) : std::string();
  };
  const std::string contact = single(rows, "contact");
  const std::string controls = single(rows, "controls");
  const std::string scene = joined(
      {r.scene.scene.substr(r.scene.scene.rfind('/') + 1), of(r.scene.nv, "nv {}"),
       of(r.scene.ngeom, "{} geoms"), single(rows, "dt"), joined({contact, r.scene.cone}, " "),
       single(rows, "level"), controls == "controls noise" || r.scene.nu == 0 ? "" : controls},
      "  ");
  const std::string machine =
      joined({short_cpu_name(r.env.cpu_model), single(rows, "threads"), single(rows, "isa")}, ", ");
  std::string peer;
  for (const Summary& row : rows) {
    if (row.cell.engine == "mujoco" && !row.env.peer_version.empty())
      peer = "MuJoCo " + row.env.peer_version;
  }
  return joined({scene, machine, peer}, "    ");
}

std::vector<TableColumn> columns_for(std::span<const Summary> rows) {
  std::vector<TableColumn> c = {
      {"engine", [](const Summary& r) { return r.cell.engine; }, false, false, 9},
      {"prec", [](const Summary& r) { return r.cell.precision; }, false},
      {"worlds", [](const Summary& r) { return count(r.cell.worlds); }},
  };
  for (const Axis& a : axes()) {
    if (values(rows, a.text).size() < 2) continue;
    // A peer's row names the solver that it ran; the headline names ours alone.
    const bool contact = a.title == "contact";
    c.push_back({a.title, contact ? solver_of : a.text, a.right});
  }
  const auto result = [&](const char* title, std::function<std::string(const Summary&)> text,
                          std::size_t width) {
    c.push_back({title, std::move(text), true, true, width});
  };
  result(
      "world-steps/s",
      [](const Summary& r) {
        return bench::measured(r.stats.world_steps_per_s) ? with_prefix(r.stats.world_steps_per_s)
                                                          : std::string();
      },
      6);
  result(
      "±",
      [](const Summary& r) {
        return bench::measured(r.stats.noise_frac) ? percent(r.stats.noise_frac) : std::string();
      },
      6);
  const auto has_peer = values(rows, [](const Summary& r) { return ratio(r.stats.ratio_mujoco); });
  if (!has_peer.empty()) {
    result(
        "× mujoco", [](const Summary& r) { return ratio(r.stats.ratio_mujoco); }, 4);
  }
  result(
      "contacts", [](const Summary& r) { return mean(r.workload.ncon_mean); }, 4);
  result(
      "rows", [](const Summary& r) { return mean(r.workload.nefc_mean); }, 4);
  result(
      "iters", [](const Summary& r) { return mean(r.workload.niter_mean); }, 4);
  c.push_back({"bits", bits, false, true, 5});
  if (!values(rows, notes).empty()) c.push_back({"notes", notes, false, true});
  return c;
}

Colour colour_of(const TableColumn& column, const std::string& text) {
  if (column.title == "bits" && text != "equal") return Colour::kYellow;
  if (column.title == "notes") return Colour::kYellow;
  if (column.title == "world-steps/s") return Colour::kBold;
  return Colour::kNone;
}

std::string render_scene(std::span<const Summary> rows, bool colour) {
  const std::vector<TableColumn> columns = columns_for(rows);
  std::vector<std::size_t> width;
  for (const TableColumn& c : columns) {
    std::size_t w = std::max(display_width(c.title), c.min_width);
    for (const Summary& r : rows) w = std::max(w, display_width(c.text(r)));
    width.push_back(w);
  }
  const auto trimmed = [](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  };

  std::string out = paint(headline(rows), Colour::kBold, colour) + '\n';
  std::string titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    titles += (i > 0 ? "  " : "") + pad(columns[i].title, width[i], columns[i].right);
  }
  titles.erase(titles.find_last_not_of(' ') + 1);
  out += paint(titles, Colour::kDim, colour) + '\n';

  for (const Summary& r : rows) {
    const bool valid = r.id.status == bench::kOk;
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line += "  ";
      if (!valid && columns[i].result) {
        line += paint(reason(r), Colour::kRed, colour);
        break;
      }
      std::string text = columns[i].text(r);
      if (text.empty() && columns[i].title != "notes") text = "-";
      // No padding after the last column: coloured spaces would wrap on a narrow terminal.
      const bool last = i + 1 == columns.size() && !columns[i].right;
      const std::string padded = pad(text, last ? 0 : width[i], columns[i].right);
      line += text == "-" ? padded : paint(padded, colour_of(columns[i], text), colour);
    }
    out += trimmed(std::move(line));
  }
  return out;
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
}

}  // namespace

std::string short_cpu_name(const std::string& cpu_model) {
  std::string name = cpu_model.substr(0, cpu_model.find('@'));
  for (const char* part : {"(R)", "(TM)", "(r)", "(tm)", " CPU", " Processor"})
    erase_all(name, part);
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

std::string isa_name(const std::string& isa) {
  if (isa == "avx512") return "AVX-512";
  if (isa == "avx2") return "AVX2";
  if (isa == "neon") return "NEON";
  return isa;
}

std::string timestep_text(double seconds) {
  return seconds >= 1e-3 ? fmt::format("{:.4g} ms", 1e3 * seconds)
                         : fmt::format("{:.4g} µs", 1e6 * seconds);
}

std::string reason(const Summary& row) {
  if (!row.id.status_detail.empty()) return row.id.status_detail;
  std::string text = row.id.status;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string render_table(std::span<const Summary> rows, bool colour) {
  std::string out;
  while (!rows.empty()) {
    const std::string& scene = rows.front().scene.scene;
    std::size_t n = 1;
    while (n < rows.size() && rows[n].scene.scene == scene) ++n;
    if (!out.empty()) out += '\n';
    out += render_scene(rows.first(n), colour);
    rows = rows.subspan(n);
  }
  return out;
}

}  // namespace stepbench::reports
