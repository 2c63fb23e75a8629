#include "reports/out_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "reports/csv.h"
#include "reports/plan.h"
#include "reports/schema.h"

namespace stepbench::reports {
namespace {

namespace fs = std::filesystem;

bench::Sample sample(const std::string& cell, bench::Int rep, const char* status = bench::kOk) {
  bench::Sample s;
  s.id.schema_version = bench::kSchemaVersion;
  s.id.plan_id = "plan1";
  s.id.cell_id = cell;
  s.id.status = status;
  s.timing.rep = rep;
  s.timing.process_idx = 0;
  s.timing.world_steps_per_s = 1000.5 + static_cast<double>(rep);
  s.env.env_id = "env1";
  return s;
}

bench::Summary summary(const std::string& cell, bench::Int reps, const char* status = bench::kOk) {
  bench::Summary s;
  s.id.schema_version = bench::kSchemaVersion;
  s.id.plan_id = "plan1";
  s.id.cell_id = cell;
  s.id.status = status;
  if (s.id.status == bench::kOk) s.stats.reps = reps;
  return s;
}

const std::string kPlanJson = "{\n  \"plan_id\": \"plan1\"\n}\n";

class OutFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    base_ =
        fs::temp_directory_path() / ("sb_out_" + std::to_string(::getpid()) + "_" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(base_);
    dir_ = base_ / "a" / "b";
  }
  void TearDown() override { fs::remove_all(base_); }

  static EarlierRun begin(OutFolder& f, const char* plan = "plan1", const char* env = "env1") {
    return f.begin(plan, kPlanJson, env, "{}\n");
  }
  std::vector<bench::Sample> rows() const {
    std::vector<bench::Sample> all;
    const CsvTable t = read_csv(dir_ / "samples.csv");
    EXPECT_FALSE(t.truncated);
    for (const CsvRow& r : t.rows) all.push_back(from_fields<bench::Sample>(t.header, r));
    return all;
  }

  fs::path base_, dir_;
};

TEST_F(OutFolderTest, FilesExistFromTheStartAndGrow) {
  OutFolder f(dir_, false);
  EXPECT_TRUE(begin(f).samples.empty());
  for (const char* name : {"samples.csv", "summary.csv", "env.json", "plan.json"})
    EXPECT_TRUE(fs::exists(dir_ / name));
  EXPECT_TRUE(rows().empty());
  f.append(sample("c1", 0));
  EXPECT_EQ(rows().size(), 1u);
  f.append(sample("c1", 1));
  f.add(summary("c1", 2));
  EXPECT_EQ(rows().size(), 2u);
  EXPECT_EQ(read_csv(f.summary()).rows.size(), 1u);
}

TEST_F(OutFolderTest, ResultsAreNotOverwritten) {
  {
    OutFolder f(dir_, false);
    begin(f);
    f.append(sample("c1", 0));
  }
  EXPECT_THROW(OutFolder(dir_, false), FileError);
  EXPECT_EQ(rows().size(), 1u);
}

TEST_F(OutFolderTest, ARunThatNeverBeganLeavesNothing) {
  { OutFolder f(dir_, false); }
  EXPECT_FALSE(fs::exists(dir_));
  fs::create_directories(dir_);
  { OutFolder f(dir_, true); }
  EXPECT_TRUE(fs::exists(dir_));
}

TEST_F(OutFolderTest, TwoRunsAtOnceAreRefused) {
  OutFolder f(dir_, false);
  EXPECT_THROW(OutFolder(dir_, true), FileError);
}

TEST_F(OutFolderTest, ResumeKeepsCompleteCellsOnly) {
  {
    OutFolder f(dir_, false);
    begin(f);
    f.append(sample("c1", 0));
    f.append(sample("c2", 0));
    f.append(sample("c1", 1));
    f.add(summary("c1", 2));
    f.append(sample("bad", 0, bench::kOverflow));
    f.add(summary("bad", 0, bench::kOverflow));
    f.append(sample("c2", 1));
  }
  OutFolder f(dir_, true);
  const EarlierRun e = begin(f);
  ASSERT_EQ(e.samples.size(), 3u);
  EXPECT_EQ(e.summaries.size(), 2u);
  EXPECT_EQ(e.notes.size(), 1u);
  EXPECT_EQ(rows().size(), 3u);
  // The rest of the plan, and every cell x repetition is there once.
  f.append(sample("c2", 0));
  f.append(sample("c2", 1));
  f.add(summary("c2", 2));
  EXPECT_EQ(rows().size(), 5u);
  EXPECT_EQ(read_csv(f.summary()).rows.size(), 3u);
}

TEST_F(OutFolderTest, CutOffLineIsRepaired) {
  {
    OutFolder f(dir_, false);
    begin(f);
    f.append(sample("c1", 0));
    f.add(summary("c1", 1));
  }
  const std::string whole = read_file(dir_ / "samples.csv");
  const std::string more = csv_line(to_fields(sample("c2", 0)));
  for (const std::size_t n : {std::size_t{1}, more.size() / 2, more.size() - 1}) {
    replace_file(dir_ / "samples.csv", whole + more.substr(0, n));
    OutFolder f(dir_, true);
    const EarlierRun e = begin(f);
    EXPECT_EQ(e.samples.size(), 1u) << n;
    EXPECT_EQ(e.notes.size(), 1u) << n;
    EXPECT_EQ(read_file(dir_ / "samples.csv"), whole) << n;
  }
}

TEST_F(OutFolderTest, AKillBeforeTheHeaderWasWrittenStartsAnew) {
  fs::create_directories(dir_);
  replace_file(dir_ / "samples.csv", "schema_ver");
  OutFolder f(dir_, true);
  EXPECT_TRUE(begin(f).samples.empty());
  EXPECT_EQ(read_file(dir_ / "samples.csv"), csv_line(header<bench::Sample>()));
}

TEST_F(OutFolderTest, AnotherPlanIsRefusedAndLeftAlone) {
  {
    OutFolder f(dir_, false);
    begin(f);
    f.append(sample("c1", 0));
  }
  const std::string before = read_file(dir_ / "samples.csv");
  {
    OutFolder f(dir_, true);
    EXPECT_THROW(begin(f, "plan2"), FileError);
  }
  EXPECT_EQ(read_file(dir_ / "samples.csv"), before);
}

TEST_F(OutFolderTest, ForeignFilesAreRefusedAndLeftAlone) {
  fs::create_directories(dir_);
  replace_file(dir_ / "samples.csv", "threads,ms\n1,5\n");
  {
    OutFolder f(dir_, true);
    EXPECT_THROW(begin(f), CsvError);
  }
  EXPECT_EQ(read_file(dir_ / "samples.csv"), "threads,ms\n1,5\n");
}

TEST_F(OutFolderTest, AnotherMachineIsNoted) {
  {
    OutFolder f(dir_, false);
    begin(f);
    f.append(sample("c1", 0));
    f.add(summary("c1", 1));
  }
  OutFolder f(dir_, true);
  const EarlierRun e = begin(f, "plan1", "env2");
  ASSERT_EQ(e.notes.size(), 1u);
  EXPECT_NE(e.notes[0].find("another machine"), std::string::npos);
  EXPECT_TRUE(fs::exists(dir_ / "env-env2.json"));
  EXPECT_TRUE(fs::exists(dir_ / "env.json"));
}

TEST(CompleteCells, NeedAsManySamplesAsTheSummaryCounts) {
  std::vector samples{sample("c1", 0), sample("c1", 1), sample("c1", 1), sample("c2", 0),
                      sample("c3", 0)};
  std::vector summaries{summary("c1", 2), summary("c2", 2), summary("c1", 2)};
  keep_complete_cells(samples, summaries);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].id.cell_id, "c1");
  EXPECT_EQ(samples[1].timing.rep, 1);
  EXPECT_EQ(summaries.size(), 1u);
}

TEST(DefaultFolder, IsNamedAfterSceneAndTime) {
  const std::string name = default_folder("/nonexistent", "scenes/humanoid.xml").string();
  EXPECT_EQ(name.substr(0, 22), "/nonexistent/humanoid-");
  EXPECT_EQ(name.size(), std::string("/nonexistent/humanoid-20260101-120000").size());
}

TEST(PlanJson, HoldsItsIdAndCells) {
  std::vector<PlanRow> cells(2);
  cells[0].id.plan_id = "0123456789abcdef";
  cells[0].scene.scene = "a \"b\".xml";
  cells[0].cell.worlds = 64;
  const std::string json = plan_json(cells, "stepbench run a.xml");
  EXPECT_EQ(plan_id_of(json), "0123456789abcdef");
  EXPECT_NE(json.find(R"("scene": "a \"b\".xml")"), std::string::npos);
  EXPECT_NE(json.find(R"("worlds": 64)"), std::string::npos);
  EXPECT_EQ(json.find("NaN"), std::string::npos);
  EXPECT_EQ(plan_id_of("{}"), "");
}

}  // namespace
}  // namespace stepbench::reports
