// `stepbench trace`: one world as CSV.
#include <fmt/format.h>
#include <unistd.h>

#include "bench/hash_run.h"
#include "bench/trace.h"
#include "cli/commands.h"
#include "cli/scenes.h"
#include "reports/csv.h"
#include "reports/files.h"
#include "reports/numbers.h"

namespace stepbench::cli {
namespace {

std::string row_text(const bench::TraceRow& r) {
  reports::CsvRow fields = {fmt::format("{}", r.step),
                            reports::shortest(r.time_s),
                            fmt::format("{}", r.ncon),
                            fmt::format("{}", r.nefc),
                            fmt::format("{}", r.solver_niter),
                            reports::shortest(r.energy_potential_j),
                            reports::shortest(r.energy_kinetic_j)};
  for (const double x : r.qpos) fields.push_back(reports::shortest(x));
  for (const double x : r.qvel) fields.push_back(reports::shortest(x));
  return reports::csv_line(fields);
}

}  // namespace

ExitCode command_trace(const Options& o) {
  const bench::Settings& s = o.settings;
  const auto scene = load_scene(s, s.scenes.front());
  bench::TraceOptions t;
  t.batch = bench::first_options(*scene, s);
  t.controls = s.controls.front();
  t.control_period = s.control_period;
  t.seed = s.seed;
  t.keyframe = s.keyframe;
  t.steps = o.steps;
  t.every = o.every;

  const bool to_file = !o.out.empty() && o.out != "-";
  if (to_file) reports::replace_file(o.out, "");
  auto out = to_file ? reports::AppendFile(o.out)
                     : reports::AppendFile::on_descriptor(STDOUT_FILENO, "standard output");
  // Rows are collected into writes of some size: a trace has no reader who waits for a single row.
  std::string buffer = reports::csv_line(bench::trace_columns(*scene->model));
  bench::trace(scene->model, t, [&](const bench::TraceRow& r) {
    buffer += row_text(r);
    if (buffer.size() > 60000) {
      out.append(buffer);
      buffer.clear();
    }
    return !out.closed();
  });
  out.append(buffer);
  return kExitOk;
}

}  // namespace stepbench::cli
