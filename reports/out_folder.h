// The folder of a run (--out): samples.csv, summary.csv, env.json, plan.json.
//
// Made for being killed at any moment: rows of samples.csv are appended whole, every other file is
// replaced in one step, and a later run with --resume finds each complete cell exactly once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/records.h"
#include "reports/files.h"

namespace stepbench::reports {

// What an earlier run of the same plan left: cells that are complete, and what had to be put right.
struct EarlierRun {
  std::vector<bench::Sample> samples;
  std::vector<bench::Summary> summaries;
  std::vector<std::string> notes;  // one line each, for a person
};

class OutFolder {
 public:
  // Creates the folder where needed, checks that it can be written to, and locks it. Without
  // `resume` a folder that holds results is refused. Throws FileError.
  OutFolder(std::filesystem::path folder, bool resume);
  // A folder that this object made is removed again where begin() was never reached.
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  // Starts or continues the run of a plan. Rows of incomplete cells are taken out of samples.csv,
  // since these cells are measured anew. Throws FileError: the folder holds another plan; CsvError:
  // its files are not ours.
  EarlierRun begin(const std::string& plan_id, const std::string& plan_json,
                   const std::string& env_id, const std::string& env_json);

  void append(const bench::Sample& row);
  // Adds a complete cell to summary.csv, beside those of the earlier run.
  void add(const bench::Summary& row);
  // Replaces summary.csv by the final rows.
  void finish(const std::vector<bench::Summary>& rows);

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path samples() const { return folder_ / "samples.csv"; }
  std::filesystem::path summary() const { return folder_ / "summary.csv"; }

 private:
  EarlierRun load(const std::string& plan_id);
  void write_environment(const std::string& env_id, const std::string& env_json,
                         EarlierRun& earlier) const;
  void write_summary(bool durable) const;

  std::filesystem::path folder_;
  bool created_ = false;
  bool begun_ = false;
  std::optional<FolderLock> lock_;
  std::optional<AppendFile> samples_;
  std::vector<bench::Summary> summaries_;
};

// Rows of complete cells among what a killed run left. A cell is complete if it has a summary and
// as many samples as that counts, each repetition once.
void keep_complete_cells(std::vector<bench::Sample>& samples,
                         std::vector<bench::Summary>& summaries);

// A folder for a run that named none: `base`/SCENE-YYYYMMDD-HHMMSS, numbered where that exists.
std::filesystem::path default_folder(const std::filesystem::path& base, const std::string& scene);

}  // namespace stepbench::reports
