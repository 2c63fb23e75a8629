// `stepbench run`, end to end: files, streams, exit codes, kills and resumes.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include "bench/records.h"
#include "reports/csv.h"
#include "reports/schema.h"
#include "tests/cli/program.h"

namespace stepbench::cli::testing {
namespace {

namespace fs = std::filesystem;

class Run : public ProgramTest {
 protected:
  template <class Row>
  std::vector<Row> rows(const fs::path& path) const {
    const reports::CsvTable t = reports::read_csv(path);
    EXPECT_FALSE(t.truncated) << path;
    EXPECT_EQ(t.header, reports::header<Row>()) << path;
    std::vector<Row> all;
    for (const reports::CsvRow& r : t.rows) all.push_back(reports::from_fields<Row>(t.header, r));
    return all;
  }
  std::vector<bench::Sample> samples(const std::string& out) const {
    return rows<bench::Sample>(folder_ / out / "samples.csv");
  }
  std::vector<bench::Summary> summaries(const std::string& out) const {
    return rows<bench::Summary>(folder_ / out / "summary.csv");
  }

  // Every cell of the plan is in both files, every repetition once.
  void expect_complete(const std::string& out, std::size_t cells) const {
    std::set<std::pair<std::string, bench::Int>> seen;
    std::map<std::string, bench::Int> reps;
    for (const bench::Sample& s : samples(out)) {
      EXPECT_TRUE(seen.emplace(s.id.cell_id, s.timing.rep).second)
          << s.id.cell_id << " rep " << s.timing.rep;
      ++reps[s.id.cell_id];
    }
    std::set<std::string> summarised;
    for (const bench::Summary& s : summaries(out)) {
      EXPECT_TRUE(summarised.insert(s.id.cell_id).second) << s.id.cell_id;
      EXPECT_EQ(reps[s.id.cell_id], s.stats.reps) << s.id.cell_id;
    }
    EXPECT_EQ(summarised.size(), cells);
    EXPECT_EQ(reps.size(), cells);
  }

  // A sweep of several seconds over two scenes, so that some cells are complete while others run.
  std::vector<std::string> long_sweep() const {
    std::string text = read_file(box_scene());
    text.replace(text.find("0.3"), 3, "0.4");
    const std::string other = write("box2.xml", text);
    return {"run",     box_scene(),   other,     "--engine",   "stepbench", "--precision",
            "f32,f64", "--threads",   "1",       "--worlds",   "1,2",       "--min-reps",
            "3",       "--max-noise", "0.0001%", "--max-time", "0.5",       "--out",
            "o"};
  }
  static std::string read_file(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // Waits until `file` has at least `lines` lines; false after a minute.
  bool wait_for_lines(const std::string& file, std::ptrdiff_t lines, RunningProgram& p) const {
    for (int i = 0; i < 6000 && p.running(); ++i) {
      const std::string text = read(file);
      if (std::count(text.begin(), text.end(), '\n') >= lines) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  RunningProgram start(std::vector<std::string> args) const {
    args.insert(args.begin(), SB_PROGRAM);
    return RunningProgram(args, folder_);
  }
};

TEST_F(Run, TableCsvAndExitCode) {
  const ProgramResult r = run(quick({"run", box_scene(), "--out", "o"}));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  expect_complete("o", 2);
  for (const char* f : {"env.json", "plan.json"}) EXPECT_TRUE(fs::exists(folder_ / "o" / f)) << f;
  // The path of the result on standard error, nothing else there since it is not a terminal.
  EXPECT_EQ(r.err, "\no/summary.csv\n");
  const std::regex table(
      "box\\.xml  nv 7  3 geoms  dt 2 ms  newton pyramidal    .*, 1 thread(, .*)?\n"
      "engine     prec  worlds +world-steps/s +± +contacts +rows +iters +bits.*\n"
      "stepbench  f64        1 +[0-9.]+( [kM])? +[0-9.]+ % +[0-9.]+ +[0-9.]+ +[0-9.]+ +equal.*\n"
      "stepbench  f64        2 +[0-9.]+( [kM])? +[0-9.]+ % +[0-9.]+ +[0-9.]+ +[0-9.]+ +equal.*\n");
  EXPECT_TRUE(std::regex_match(r.out, table)) << r.out;

  for (const bench::Summary& s : summaries("o")) {
    EXPECT_EQ(s.id.status, "ok");
    EXPECT_GT(s.stats.world_steps_per_s, 0);
    EXPECT_EQ(s.repeat.repeat_equal_frac, 1);
    EXPECT_TRUE(bench::measured(s.stats.speedup));
  }
}

TEST_F(Run, RowsOnStandardOutputAndNothingElse) {
  const ProgramResult r = run(quick({"run", box_scene(), "--csv", "-"}));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const reports::CsvTable t = reports::parse_csv(r.out, "stdout");
  EXPECT_EQ(t.header, reports::header<bench::Sample>());
  EXPECT_GE(t.rows.size(), 4u);
  EXPECT_NE(r.err.find("world-steps/s"), std::string::npos);  // the table moves over
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Run, CsvFileHoldsTheSamples) {
  EXPECT_EQ(
      run(quick({"run", box_scene(), "--csv", "rows.csv", "--out", "o", "--quiet"})).exit_code, 0);
  EXPECT_EQ(read("rows.csv"), read("o/samples.csv"));
}

TEST_F(Run, QuietSaysNothing) {
  const ProgramResult r = run(quick({"run", box_scene(), "--out", "o", "--quiet"}));
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err, "");
}

TEST_F(Run, NamesAFolderOfItsOwn) {
  const ProgramResult r = run(quick({"run", box_scene()}));
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(std::regex_search(r.err, std::regex("out/box-\\d{8}-\\d{6}/summary\\.csv"))) << r.err;
}

TEST_F(Run, CellsThatCannotRunAreRowsWithAStatus) {
  const ProgramResult r = run(quick({"run", box_scene(), "--out", "o", "--device", "cpu,cuda"}));
  EXPECT_EQ(r.exit_code, 4) << r.err;
  std::set<std::string> status;
  for (const bench::Summary& s : summaries("o")) {
    status.insert(s.id.status);
    EXPECT_EQ(bench::measured(s.stats.world_steps_per_s), s.id.status == "ok");
  }
  EXPECT_EQ(status, (std::set<std::string>{"ok", "no_device"}));
}

TEST_F(Run, MoreWorldsThanMemory) {
  std::vector<std::string> args = quick({"run", box_scene(), "--out", "o"});
  args.insert(args.end(), {"--worlds", "2^40"});
  const ProgramResult r = run(args);
  EXPECT_EQ(r.exit_code, 4) << r.err;
  bool found = false;
  for (const bench::Sample& s : samples("o")) found = found || s.id.status == "out_of_memory";
  EXPECT_TRUE(found);
  EXPECT_NE(r.out.find("GB are available"), std::string::npos) << r.out;
}

TEST_F(Run, OverflowHasNoSpeed) {
  const ProgramResult r =
      run(quick({"run", box_scene(), "--out", "o", "--max-contacts", "1", "--settle", "300"}));
  EXPECT_EQ(r.exit_code, 4) << r.err;
  for (const bench::Summary& s : summaries("o")) {
    EXPECT_EQ(s.id.status, "overflow");
    EXPECT_FALSE(bench::measured(s.stats.world_steps_per_s));
  }
  EXPECT_NE(r.out.find("--max-contacts"), std::string::npos) << r.out;
}

TEST_F(Run, UnwritableFolderIsRefusedBeforeAnyWork) {
  const ProgramResult r = run(quick({"run", "missing.xml", "--out", "/proc/nowhere"}));
  EXPECT_EQ(r.exit_code, 2);  // the folder is looked at first: the scene would be exit 3
  EXPECT_NE(r.err.find("/proc/nowhere"), std::string::npos) << r.err;
  write("file", "x");
  EXPECT_EQ(run(quick({"run", box_scene(), "--out", "file"})).exit_code, 2);
}

TEST_F(Run, ResultsAreNeverOverwritten) {
  EXPECT_EQ(run(quick({"run", box_scene(), "--out", "o"})).exit_code, 0);
  const std::string before = read("o/samples.csv");
  const ProgramResult r = run(quick({"run", box_scene(), "--out", "o"}));
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("--resume"), std::string::npos) << r.err;
  EXPECT_EQ(read("o/samples.csv"), before);
  // Resuming what is complete measures nothing and shows the table again.
  const ProgramResult again = run(quick({"run", box_scene(), "--out", "o", "--resume"}));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.err.find("2 of 2 cells are done already"), std::string::npos) << again.err;
  EXPECT_EQ(read("o/samples.csv"), before);
  expect_complete("o", 2);
}

TEST_F(Run, AnotherPlanIsNotMixedIn) {
  EXPECT_EQ(run(quick({"run", box_scene(), "--out", "o"})).exit_code, 0);
  const ProgramResult r = run(quick({"run", box_scene(), "--out", "o", "--resume", "--seed", "9"}));
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("another plan"), std::string::npos) << r.err;
  expect_complete("o", 2);
}

TEST_F(Run, ExpectedHashes) {
  EXPECT_EQ(run(quick({"run", box_scene(), "--out", "a"})).exit_code, 0);
  EXPECT_EQ(
      run(quick({"run", box_scene(), "--out", "b", "--expect-hash", "a/summary.csv"})).exit_code,
      0);
  std::string golden = read("a/summary.csv");
  const std::string hash = summaries("a")[0].repeat.state_hash;
  golden.replace(golden.find(hash), hash.size(), "0x00000000000000ff");
  write("golden.csv", golden);
  const ProgramResult r =
      run(quick({"run", box_scene(), "--out", "c", "--expect-hash", "golden.csv"}));
  EXPECT_EQ(r.exit_code, 5) << r.err;
  EXPECT_NE(r.err.find("expected 0x00000000000000ff"), std::string::npos) << r.err;
  EXPECT_EQ(run(quick({"run", box_scene(), "--out", "d", "--expect-hash", hash})).exit_code, 2);
}

TEST_F(Run, SecondRunOnTheSameFolderIsRefused) {
  RunningProgram first = start(long_sweep());
  ASSERT_TRUE(wait_for_lines("o/samples.csv", 2, first));
  std::vector<std::string> second = long_sweep();
  second.emplace_back("--resume");
  const ProgramResult r = run(second);
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("another run"), std::string::npos) << r.err;
  first.send(SIGKILL);
  EXPECT_EQ(first.wait().signal, SIGKILL);
}

TEST_F(Run, KilledAndResumedHasEachCellOnce) {
  RunningProgram first = start(long_sweep());
  // The first scene's four cells are complete, the second's are under way.
  ASSERT_TRUE(wait_for_lines("o/summary.csv", 5, first));
  const auto before = static_cast<std::ptrdiff_t>(samples("o").size()) + 1;
  ASSERT_TRUE(wait_for_lines("o/samples.csv", before + 2, first));
  first.send(SIGKILL);
  EXPECT_EQ(first.wait().signal, SIGKILL);

  std::vector<std::string> again = long_sweep();
  again.emplace_back("--resume");
  const ProgramResult r = run(again);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.err.find("of 8 cells are done already"), std::string::npos) << r.err;
  expect_complete("o", 8);
}

TEST_F(Run, InterruptEndsAfterTheRepetition) {
  RunningProgram first = start(long_sweep());
  ASSERT_TRUE(wait_for_lines("o/samples.csv", 4, first));
  first.send(SIGINT);
  const ProgramResult r = first.wait();
  EXPECT_EQ(r.exit_code, 8) << r.err;
  EXPECT_NE(r.err.find("--resume"), std::string::npos) << r.err;
  EXPECT_GE(samples("o").size(), 3u);
  summaries("o");

  std::vector<std::string> again = long_sweep();
  again.emplace_back("--resume");
  EXPECT_EQ(run(again).exit_code, 0);
  expect_complete("o", 8);
}

TEST_F(Run, ProgressForMachines) {
  const ProgramResult r = run(quick({"run", box_scene(), "--out", "o", "--progress", "json"}));
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_NE(r.err.find("{\"event\":\"progress\",\"cells_done\":"), std::string::npos) << r.err;
}

TEST_F(Run, OptionsFromAFile) {
  box_scene();
  write("c.toml",
        "scene = \"box.xml\"\nworlds = [1, 2]\nprecision = \"f64\"\nengine = "
        "\"stepbench\"\nthreads = 1\n"
        "min-reps = 2\nmax-noise = \"100%\"\nmax-time = 0.2\n");
  const ProgramResult r = run({"run", "--config", "c.toml", "--out", "o"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  expect_complete("o", 2);
}

}  // namespace
}  // namespace stepbench::cli::testing
