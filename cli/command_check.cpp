// `stepbench check`: is the physics MuJoCo's?
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bench/check.h"
#include "bench/error.h"
#include "bench/hash_run.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/scenes.h"
#include "engine/model/error.h"
#include "reports/check.h"
#include "reports/terminal.h"

namespace stepbench::cli {
namespace {

bench::CheckOptions check_options(const Options& o, const bench::LoadedScene& scene) {
  const bench::Settings& s = o.settings;
  bench::CheckOptions c;
  c.precisions.clear();
  for (const std::string& p : s.precisions) {
    c.precisions.push_back(p == "f32" ? batch::Precision::kF32 : batch::Precision::kF64);
  }
  c.batch = bench::first_options(scene, s);
  c.steps = o.steps;
  c.controls = s.controls.front();
  c.control_period = s.control_period;
  c.seed = s.seed;
  c.keyframe = s.keyframe;
  return c;
}

}  // namespace

ExitCode command_check(const Options& o) {
  const std::vector<std::string>& scenes = o.settings.scenes;
  const bool colour = reports::terminal_of(STDOUT_FILENO).colour;
  std::size_t width = 0;
  for (const std::string& s : scenes) width = std::max(width, reports::display_width(s));

  std::string csv = reports::csv_line(reports::check_header());
  const bool text = !o.quiet && o.csv != "-";
  bool same = true, loaded = true;
  for (const std::string& path : scenes) {
    // One scene that cannot be loaded does not hide what the others have to say.
    try {
      const auto scene = load_scene(o.settings, path);
      const bench::CheckReport report = bench::check_scene(scene, check_options(o, *scene));
      same = same && report.pass();
      for (const reports::CsvRow& row : reports::check_rows(path, report))
        csv += reports::csv_line(row);
      if (!text) continue;
      write_out(scenes.size() == 1 ? reports::check_text(path, report, colour)
                                   : reports::check_line(path, width, report, colour));
    } catch (const model::ModelError& e) {
      loaded = false;
      complain(e.what());
    } catch (const bench::CellError& e) {
      if (e.status() == bench::kNoDevice) throw;
      same = false;
      complain(fmt::format("{}: {}", path, e.what()));
    }
  }
  if (!o.csv.empty()) write_to(o.csv, csv);
  return !same ? kExitInvalid : !loaded ? kExitScene : kExitOk;
}

}  // namespace stepbench::cli
