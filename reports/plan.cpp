#include "reports/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "reports/json.h"
#include "reports/numbers.h"
#include "reports/table.h"
#include "reports/terminal.h"

namespace stepbench::reports {
namespace {

struct PlanColumn {
  const char* title;
  bool right;
  std::function<std::string(const PlanRow&)> text;
};

std::string count(bench::Int n) {
  return bench::measured(n) ? fmt::format("{}", n) : std::string("-");
}

std::vector<PlanColumn> plan_columns(std::span<const PlanRow> cells) {
  std::vector<PlanColumn> all = {
      {"cell", true, [](const PlanRow& r) { return count(r.id.cell); }},
      {"scene", false, [](const PlanRow& r) { return r.scene.scene; }},
      {"engine", false, [](const PlanRow& r) { return r.cell.engine; }},
      {"prec", false, [](const PlanRow& r) { return r.cell.precision; }},
      {"worlds", true, [](const PlanRow& r) { return count(r.cell.worlds); }},
      {"threads", true, [](const PlanRow& r) { return count(r.cell.threads); }},
      {"dt", true, [](const PlanRow& r) { return timestep_text(r.cell.timestep_s); }},
      {"contact", false, [](const PlanRow& r) { return r.cell.solver; }},
      {"level", true, [](const PlanRow& r) { return count(r.cell.density_level); }},
      {"controls", false, [](const PlanRow& r) { return r.cell.ctrl_profile; }},
      {"layout", false, [](const PlanRow& r) { return r.cell.layout; }},
      {"memory", true, [](const PlanRow& r) { return bytes(static_cast<double>(r.bytes)); }},
      {"time", true, [](const PlanRow& r) { return duration(r.seconds); }},
  };
  const bool levels = std::any_of(cells.begin(), cells.end(), [](const PlanRow& r) {
    return bench::measured(r.cell.density_level);
  });
  if (!levels)
    std::erase_if(all, [](const PlanColumn& c) { return std::string_view(c.title) == "level"; });
  return all;
}

}  // namespace

std::string plan_json(std::span<const PlanRow> cells, const std::string& options) {
  JsonWriter j;
  j.begin_object();
  j.field("plan_id", cells.empty() ? std::string() : cells.front().id.plan_id);
  j.field("schema_version", bench::kSchemaVersion);
  if (!options.empty()) j.field("command", options);
  j.key("cells").begin_list();
  for (const PlanRow& r : cells) {
    j.begin_object();
    const auto field = [&](const char* name, const auto& value) {
      const std::string_view n = name;
      if (bench::measured(value) && n != "plan_id" && n != "schema_version") j.field(name, value);
    };
#define SB_FIELD(type, name, unit, doc) field(#name, part.name);
    {
      const auto& part = r.id;
      SB_ID_COLUMNS(SB_FIELD)
    }
    {
      const auto& part = r.scene;
      SB_SCENE_COLUMNS(SB_FIELD)
    }
    {
      const auto& part = r.cell;
      SB_CELL_COLUMNS(SB_FIELD)
    }
#undef SB_FIELD
    j.field("estimated_s", r.seconds).field("estimated_bytes", r.bytes);
    j.end_object();
  }
  j.end_list().end_object();
  return j.take();
}

std::string plan_text(std::span<const PlanRow> cells) {
  const std::vector<PlanColumn> columns = plan_columns(cells);
  std::string text;
  const auto line = [&](auto&& cell_text, const std::vector<std::size_t>& width) {
    std::string out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      out += (i > 0 ? "  " : "") + pad(cell_text(columns[i]), width[i], columns[i].right);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::vector<std::size_t> width;
  for (const PlanColumn& c : columns) {
    std::size_t w = display_width(c.title);
    for (const PlanRow& r : cells) w = std::max(w, display_width(c.text(r)));
    width.push_back(w);
  }
  text += line([](const PlanColumn& c) { return std::string(c.title); }, width) + '\n';
  double seconds = 0;
  bench::Int most = 0;
  std::size_t blocked = 0;
  for (const PlanRow& r : cells) {
    text += line([&](const PlanColumn& c) { return c.text(r); }, width);
    if (r.id.status != bench::kOk) {
      text += "  " + (r.id.status_detail.empty() ? r.id.status : r.id.status_detail);
      ++blocked;
    } else {
      seconds += r.seconds;
      most = std::max(most, r.bytes);
    }
    text += '\n';
  }
  text += fmt::format("{} cells, about {}, up to {}", cells.size(), duration(seconds),
                      bytes(static_cast<double>(most)));
  if (blocked > 0) text += fmt::format("; {} cannot run here", blocked);
  return text + '\n';
}

std::string plan_id_of(std::string_view json) {
  constexpr std::string_view kKey = "\"plan_id\": \"";
  const auto at = json.find(kKey);
  if (at == std::string_view::npos) return "";
  const auto begin = at + kKey.size();
  return std::string(json.substr(begin, json.find('"', begin) - begin));
}

}  // namespace stepbench::reports
