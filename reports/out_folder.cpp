#include "reports/out_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "reports/csv.h"
#include "reports/plan.h"
#include "reports/schema.h"

namespace stepbench::reports {
namespace fs = std::filesystem;
namespace {

template <class Row>
std::string file_text(const std::vector<Row>& rows) {
  std::string text = csv_line(header<Row>());
  for (const Row& r : rows) text += csv_line(to_fields(r));
  return text;
}

// Rows of a file that a kill may have cut short; none where it does not exist.
template <class Row>
std::vector<Row> read_rows(const fs::path& path, std::vector<std::string>& notes) {
  std::vector<Row> rows;
  if (!fs::exists(path)) return rows;
  const CsvTable table = read_csv(path);
  if (table.truncated) {
    notes.push_back(fmt::format("{}: the last line was cut off and is left out", path.string()));
  }
  if (table.header.empty()) return rows;
  check_schema<Row>(table, path.string(), true);
  for (const CsvRow& fields : table.rows) rows.push_back(from_fields<Row>(table.header, fields));
  return rows;
}

}  // namespace

void keep_complete_cells(std::vector<bench::Sample>& samples,
                         std::vector<bench::Summary>& summaries) {
  std::set<std::tuple<std::string, bench::Int, bench::Int>> seen;
  std::erase_if(samples, [&](const bench::Sample& s) {
    return !seen.emplace(s.id.cell_id, s.timing.process_idx, s.timing.rep).second;
  });
  std::map<std::string, bench::Int> speeds, rows;
  for (const bench::Sample& s : samples) {
    ++rows[s.id.cell_id];
    if (s.id.status == bench::kOk) ++speeds[s.id.cell_id];
  }
  std::set<std::string> complete;
  std::erase_if(summaries, [&](const bench::Summary& s) {
    const bool ok = s.id.status == bench::kOk
                        ? bench::measured(s.stats.reps) && speeds[s.id.cell_id] >= s.stats.reps
                        : rows[s.id.cell_id] >= 1;
    return !ok || !complete.insert(s.id.cell_id).second;
  });
  std::erase_if(samples, [&](const bench::Sample& s) { return !complete.contains(s.id.cell_id); });
}

OutFolder::OutFolder(fs::path folder, bool resume) : folder_(std::move(folder)) {
  std::error_code error;
  created_ = fs::create_directories(folder_, error);
  if (error)
    throw FileError(fmt::format("--out: cannot create {}: {}", folder_.string(), error.message()));
  lock_.emplace(folder_);
  if (!resume && fs::exists(samples())) {
    throw FileError(fmt::format(
        "{} holds results of an earlier run; add --resume to continue it or choose another --out",
        folder_.string()));
  }
}

OutFolder::~OutFolder() {
  if (!created_ || begun_) return;
  std::error_code ignored;
  fs::remove(folder_ / ".lock", ignored);
  fs::remove(folder_, ignored);
}

EarlierRun OutFolder::load(const std::string& plan_id) {
  EarlierRun earlier;
  if (!fs::exists(samples())) return earlier;
  earlier.samples = read_rows<bench::Sample>(samples(), earlier.notes);
  earlier.summaries = read_rows<bench::Summary>(summary(), earlier.notes);

  std::set<std::string> plans;
  if (fs::exists(folder_ / "plan.json")) plans.insert(plan_id_of(read_file(folder_ / "plan.json")));
  for (const bench::Sample& s : earlier.samples) plans.insert(s.id.plan_id);
  for (const std::string& other : plans) {
    if (other != plan_id) {
      throw FileError(
          fmt::format("--resume: {} holds another plan ({}, this is {}); repeat the options and "
                      "scenes of the first "
                      "run or choose another --out",
                      folder_.string(), other, plan_id));
    }
  }

  const std::size_t before = earlier.samples.size();
  keep_complete_cells(earlier.samples, earlier.summaries);
  if (earlier.samples.size() < before) {
    earlier.notes.push_back(fmt::format("{} repetitions of incomplete cells are measured anew",
                                        before - earlier.samples.size()));
  }
  return earlier;
}

void OutFolder::write_environment(const std::string& env_id, const std::string& env_json,
                                  EarlierRun& earlier) const {
  std::string file = "env.json";
  for (const bench::Sample& s : earlier.samples) {
    if (s.env.env_id != env_id && file == "env.json") {
      file = fmt::format("env-{}.json", env_id);
      earlier.notes.push_back(
          fmt::format("earlier rows come from another machine or build (env_id {}, now {})",
                      s.env.env_id, env_id));
    }
  }
  replace_file(folder_ / file, env_json);
}

EarlierRun OutFolder::begin(const std::string& plan_id, const std::string& plan_json,
                            const std::string& env_id, const std::string& env_json) {
  EarlierRun earlier = load(plan_id);
  begun_ = true;
  write_environment(env_id, env_json, earlier);
  replace_file(folder_ / "plan.json", plan_json);
  summaries_ = earlier.summaries;
  write_summary(true);
  // Last, so that a folder with samples always has its plan.
  replace_file(samples(), file_text(earlier.samples));
  samples_.emplace(samples());
  return earlier;
}

void OutFolder::append(const bench::Sample& row) { samples_->append(csv_line(to_fields(row))); }

void OutFolder::add(const bench::Summary& row) {
  summaries_.push_back(row);
  write_summary(false);  // between repetitions: no waiting for the disk
}

void OutFolder::finish(const std::vector<bench::Summary>& rows) {
  summaries_ = rows;
  write_summary(true);
}

void OutFolder::write_summary(bool durable) const {
  replace_file(summary(), file_text(summaries_), durable);
}

fs::path default_folder(const fs::path& base, const std::string& scene) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  const std::string name = fmt::format("{}-{}", fs::path(scene).stem().string(), stamp);
  fs::path folder = base / name;
  for (int n = 2; fs::exists(folder); ++n) folder = base / fmt::format("{}-{}", name, n);
  return folder;
}

}  // namespace stepbench::reports
