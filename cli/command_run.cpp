// `stepbench run`: measure the cells of a plan; table, CSV, exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "bench/environment.h"
#include "bench/error.h"
#include "bench/measure.h"
#include "bench/summary.h"
#include "cli/commands.h"
#include "cli/expect_hash.h"
#include "cli/output.h"
#include "cli/plan_rows.h"
#include "cli/scenes.h"
#include "reports/csv.h"
#include "reports/environment.h"
#include "reports/numbers.h"
#include "reports/out_folder.h"
#include "reports/progress.h"
#include "reports/schema.h"
#include "reports/table.h"
#include "reports/terminal.h"

namespace stepbench::cli {
namespace {

std::string command_text(const std::vector<std::string>& args) {
  std::string text;
  for (const std::string& a : args) {
    const bool plain =
        !a.empty() && a.find_first_of(" \t\n\"'\\$`*?&|;<>()#~!{}[]") == std::string::npos;
    std::string quoted = a;
    for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4) {
      quoted.replace(at, 1, "'\\''");
    }
    text += (text.empty() ? "" : " ") + (plain ? a : "'" + quoted + "'");
  }
  return text;
}

// Where rows and tables go while cells are measured.
class Reporter : public bench::Observer {
 public:
  Reporter(const Options& o, const bench::Plan& plan)
      : quiet_(o.quiet),
        table_to_stderr_(o.csv == "-"),
        colour_(reports::terminal_of(table_to_stderr_ ? STDERR_FILENO : STDOUT_FILENO).colour),
        progress_(*reports::progress_kind(o.quiet && o.progress == "auto" ? "none" : o.progress,
                                          reports::terminal_of(STDERR_FILENO)),
                  reports::terminal_of(STDERR_FILENO)) {
    for (const bench::PlannedCell* c : plan.mine()) {
      ++missing_[c->scene.scene];
      order_[c->id.cell_id] = c->id.cell;
    }
  }

  // Either may be absent.
  void write_to(reports::OutFolder* folder, std::unique_ptr<reports::AppendFile> csv) {
    folder_ = folder;
    csv_ = std::move(csv);
  }

  void take_earlier(const reports::EarlierRun& earlier) {
    if (csv_) {
      for (const bench::Sample& s : earlier.samples)
        csv_->append(reports::csv_line(reports::to_fields(s)));
    }
    for (const bench::Summary& s : earlier.summaries) take(s);
  }

  void sample(const bench::Sample& s) override {
    if (folder_ != nullptr) folder_->append(s);
    if (csv_) csv_->append(reports::csv_line(reports::to_fields(s)));
  }

  void cell_done(const bench::Summary& s) override {
    if (folder_ != nullptr) folder_->add(s);
    take(s);
  }

  void progress(const bench::Progress& p) override {
    reports::ProgressState s;
    s.done = p.cells_done;
    s.total = p.cells;
    s.fraction = p.fraction;
    if (bench::measured(p.left_s)) s.left_s = p.left_s;
    if (p.cell != nullptr) {
      const bench::Cell& c = p.cell->cell;
      s.note = fmt::format("{} {} {} worlds", c.engine, c.precision, c.worlds);
      if (p.phase == "prepare") s.note += ": preparing";
      if (bench::measured(p.median))
        s.note += fmt::format(": {}/s", reports::with_prefix(p.median));
      if (bench::measured(p.noise_frac))
        s.note += fmt::format(" ± {}", reports::percent(p.noise_frac));
    }
    progress_.show(s);
  }

  // The tables of scenes that were not complete on the way.
  void finish(const std::vector<bench::Summary>& all) {
    progress_.clear();
    std::vector<bench::Summary> left;
    for (const bench::Summary& s : all) {
      if (missing_[s.scene.scene] > 0) left.push_back(s);
    }
    print_table(left);
  }

 private:
  // A scene whose last cell is done gets its table at once.
  void take(const bench::Summary& s) {
    const std::string& scene = s.scene.scene;
    done_[scene].push_back(s);
    if (--missing_[scene] > 0) return;
    std::vector<bench::Summary> rows = std::move(done_[scene]);
    std::sort(rows.begin(), rows.end(), [&](const bench::Summary& a, const bench::Summary& b) {
      return order_[a.id.cell_id] < order_[b.id.cell_id];
    });
    bench::compare_cells(rows);
    print_table(rows);
  }

  void print_table(const std::vector<bench::Summary>& rows) {
    if (quiet_ || rows.empty()) return;
    const std::string text = (printed_ ? "\n" : "") + reports::render_table(rows, colour_);
    printed_ = true;
    progress_.clear();
    if (table_to_stderr_) {
      std::fwrite(text.data(), 1, text.size(), stderr);
    } else {
      write_out(text);
    }
  }

  bool quiet_, table_to_stderr_, colour_;
  bool printed_ = false;
  reports::Progress progress_;
  reports::OutFolder* folder_ = nullptr;
  std::unique_ptr<reports::AppendFile> csv_;
  std::map<std::string, std::int64_t> missing_;              // cells, by scene
  std::map<std::string, bench::Int> order_;                  // place in the plan, by cell_id
  std::map<std::string, std::vector<bench::Summary>> done_;  // by scene
};

// The stream of sample rows of --csv, with its header.
std::unique_ptr<reports::AppendFile> open_csv(const std::string& csv) {
  if (csv.empty()) return nullptr;
  const std::string head = reports::csv_line(reports::header<bench::Sample>());
  if (csv != "-") {
    reports::replace_file(csv, head);
    return std::make_unique<reports::AppendFile>(csv);
  }
  auto out = std::make_unique<reports::AppendFile>(
      reports::AppendFile::on_descriptor(STDOUT_FILENO, "standard output"));
  out->append(head);
  return out;
}

// Warnings of each scene, once.
void show_all_warnings(const bench::Plan& plan) {
  // The same file at several densities or timesteps says the same.
  std::set<std::string> files;
  for (const bench::PlannedCell& c : plan.cells) {
    if (files.insert(c.scene.scene).second) show_warnings(*c.loaded);
  }
}

std::size_t own_cells(const bench::Plan& plan) {
  const auto mine = plan.mine();
  return static_cast<std::size_t>(std::count_if(
      mine.begin(), mine.end(), [](const auto* c) { return c->cell.engine == "stepbench"; }));
}

// Cells whose hash is not the expected one, on standard error.
bool hashes_as_expected(const ExpectedHashes& expected, const std::vector<bench::Summary>& rows) {
  bool good = true;
  std::size_t compared = 0;
  for (const bench::Summary& r : rows) {
    if (r.cell.engine != "stepbench" || r.repeat.state_hash.empty()) continue;
    std::string want;
    if (expected.one) {
      want = *expected.one;
    } else if (const auto it = expected.by_key.find(r.id.cell_id); it != expected.by_key.end()) {
      want = it->second;
    } else {
      continue;
    }
    ++compared;
    if (as_hash(r.repeat.state_hash) == want) continue;
    good = false;
    complain(fmt::format("--expect-hash: {} {} {} worlds: state_hash is {}, expected {}",
                         r.scene.scene, r.cell.precision, r.cell.worlds, r.repeat.state_hash,
                         want));
  }
  if (compared == 0) {
    complain("--expect-hash: no cell of this run has an expected hash");
    return false;
  }
  return good;
}

std::vector<bench::DoneCell> done_cells(const reports::EarlierRun& earlier) {
  std::vector<bench::DoneCell> all;
  for (const bench::Summary& s : earlier.summaries) {
    bench::DoneCell cell;
    cell.stop_rule = s.stats.stop_rule;
    for (const bench::Sample& row : earlier.samples) {
      if (row.id.cell_id == s.id.cell_id) cell.samples.push_back(row);
    }
    all.push_back(std::move(cell));
  }
  return all;
}

}  // namespace

ExitCode command_run(const Options& o, const std::vector<std::string>& args) {
  // Whatever can be wrong with the outputs shows before any work.
  std::unique_ptr<reports::OutFolder> folder;
  if (!o.out.empty()) folder = std::make_unique<reports::OutFolder>(o.out, o.resume);
  std::optional<ExpectedHashes> expected;
  if (!o.expect_hash.empty()) expected = expect_hashes(o.expect_hash, "cell_id", "state_hash");

  bench::EngineSet engines = bench::all_engines();
  const auto loader = bench::make_scene_loader();
  const bench::Plan plan = bench::make_plan(o.settings, *loader, engines);
  if (expected && expected->one && own_cells(plan) != 1) {
    throw bench::UsageError(fmt::format(
        "--expect-hash: one hash for {} cells; name a summary.csv, or one value per axis",
        own_cells(plan)));
  }
  if (!folder && o.csv.empty()) {
    folder = std::make_unique<reports::OutFolder>(
        reports::default_folder("out", o.settings.scenes.front()), false);
  }

  if (!o.quiet) show_all_warnings(plan);

  const bench::Environment environment = bench::capture_environment(args);
  Reporter reporter(o, plan);
  auto csv = open_csv(o.csv);
  reports::EarlierRun earlier;
  if (folder) {
    earlier = folder->begin(plan.plan_id, reports::plan_json(plan_rows(plan), command_text(args)),
                            environment.env_id, reports::environment_json(environment));
  }
  if (!o.quiet) {
    for (const std::string& n : earlier.notes) note(fmt::format("stepbench: {}", n));
    if (o.resume && !earlier.summaries.empty()) {
      note(fmt::format("stepbench: {} of {} cells are done already", earlier.summaries.size(),
                       plan.mine().size()));
    }
  }
  reporter.write_to(folder.get(), std::move(csv));
  reporter.take_earlier(earlier);

  bench::install_stop_handlers();
  bench::MeasureOptions measure;
  measure.env = bench::row_environment(environment);
  measure.stop = &bench::stop_flag();
  measure.done = done_cells(earlier);
  const bench::Outcome outcome = bench::measure(plan, engines, reporter, measure);
  if (folder) folder->finish(outcome.summaries);
  reporter.finish(outcome.summaries);

  if (folder && !o.quiet) note(fmt::format("\n{}", folder->summary().string()));
  if (outcome.stopped) {
    complain(fmt::format("stopped after {} of {} cells{}", outcome.summaries.size(),
                         plan.mine().size(),
                         folder ? fmt::format("; the same command with --out {} --resume goes on",
                                              folder->path().string())
                                : std::string()));
    return kExitStopped;
  }
  if (expected && !hashes_as_expected(*expected, outcome.summaries)) return kExitRepeat;
  const bool valid = std::all_of(outcome.summaries.begin(), outcome.summaries.end(),
                                 [](const bench::Summary& s) { return s.id.status == bench::kOk; });
  return valid ? kExitOk : kExitInvalid;
}

}  // namespace stepbench::cli
