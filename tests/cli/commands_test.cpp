// Every command but `run`, end to end: exit codes, streams, and what stands in them.
#include <algorithm>
#include <regex>
#include <sstream>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace stepbench::cli::testing {
namespace {

class Commands : public ProgramTest {
 protected:
  // An error is one line, with the program's name and nothing on standard output.
  static void expect_error(const ProgramResult& r, int exit_code, const std::string& part) {
    EXPECT_EQ(r.exit_code, exit_code) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err.substr(0, 11), "stepbench: ");
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  }
};

TEST_F(Commands, HelpAndVersion) {
  EXPECT_EQ(run({"--help"}).exit_code, 0);
  EXPECT_EQ(run({"run", "--help"}).exit_code, 0);
  const ProgramResult v = run({"--version"});
  EXPECT_EQ(v.exit_code, 0);
  EXPECT_TRUE(std::regex_match(v.out, std::regex("stepbench \\d+\\.\\d+\\.\\d+.*\n"))) << v.out;
}

TEST_F(Commands, UsageErrors) {
  expect_error(run({}), 2, "--help");
  expect_error(run({"rnu"}), 2, "did you mean 'run'?");
  expect_error(run({"run", "x.xml", "--wrolds", "1"}), 2, "did you mean '--worlds'?");
  expect_error(run({"run", box_scene(), "--worlds", "0"}), 2, "--worlds");
  expect_error(run({"run", box_scene(), "--timestep", "-1"}), 2, "--timestep");
  expect_error(run({"run", box_scene(), "--option", "timestpe=1"}), 2, "timestpe");
  expect_error(run({"hash", box_scene(), "--option", "flag.contact=maybe"}), 2, "maybe");
  expect_error(run({"hash", box_scene(), "--keyframe", "3"}), 2, "--keyframe");
  expect_error(run({"trace", box_scene(), "--controls", "replay:nowhere.csv"}), 2, "nowhere.csv");
}

TEST_F(Commands, ScenesThatCannotBeLoaded) {
  const std::string bad =
      write("bad.xml", "<mujoco>\n<worldbody>\n<boddy/>\n</worldbody></mujoco>");
  for (const char* command : {"run", "plan", "inspect", "trace", "hash", "export"}) {
    expect_error(run({command, bad}), 3, "bad.xml:3");
    expect_error(run({command, "missing.xml"}), 3, "missing.xml");
  }
}

TEST_F(Commands, UnsupportedPartsAreListedWithFileAndLine) {
  const std::string scene = write("weld.xml",
                                  "<mujoco>\n<worldbody><body name='a'><freejoint/>"
                                  "<geom size='.1'/></body></worldbody>\n"
                                  "<equality>\n<weld body1='a'/>\n</equality></mujoco>");
  expect_error(run({"run", scene}), 3, "weld.xml:4");
  const ProgramResult r = run({"inspect", scene});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_NE(r.out.find("weld.xml:4"), std::string::npos) << r.out;
  EXPECT_EQ(run({"inspect", scene, "--ignore-unsupported"}).exit_code, 0);
  // Without its mesh the body has no mass either; what is told is the cause.
  const std::string mesh =
      write("mesh.xml",
            "<mujoco>\n<asset><mesh name='m' file='nowhere.obj'/></asset>\n<worldbody>"
            "<body><freejoint/>\n<geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  expect_error(run({"inspect", mesh}), 3, "nowhere.obj");
}

TEST_F(Commands, ColumnsNameWhatTheFilesHold) {
  const ProgramResult text = run({"columns"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("world_steps_per_s"), std::string::npos);
  const ProgramResult csv = run({"columns", "--format", "csv"});
  const reports::CsvTable t = reports::parse_csv(csv.out, "columns");
  EXPECT_EQ(t.header[0], "column");
  EXPECT_GT(t.rows.size(), 80u);
  EXPECT_EQ(run({"columns", "--format", "json"}).out[0], '{');
}

TEST_F(Commands, InspectShowsSizesAndArrays) {
  const ProgramResult r = run({"inspect", box_scene()});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.out.find("nq 8  nv 7  nu 1"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("1 free joint"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("unsupported: nothing"), std::string::npos) << r.out;
  const ProgramResult j = run({"inspect", box_scene(), "--json"});
  for (const char* key : {"\"nq\": 8", "\"qpos0\": [0, 0, 0.3, 1, 0, 0, 0, 0]", "\"body_mass\": [",
                          "\"timestep\": 0.002", "\"actuator_gear\": [", "\"unsupported\": []"}) {
    EXPECT_NE(j.out.find(key), std::string::npos) << key;
  }
}

TEST_F(Commands, TraceWritesOneWorld) {
  const ProgramResult r = run({"trace", box_scene(), "--steps", "100", "--every", "20"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const reports::CsvTable t = reports::parse_csv(r.out, "trace");
  const reports::CsvRow begin(t.header.begin(), t.header.begin() + 8);
  EXPECT_EQ(begin, (reports::CsvRow{"step", "time_s", "ncon", "nefc", "solver_niter",
                                    "energy_potential_j", "energy_kinetic_j", "qpos_0"}));
  EXPECT_EQ(t.header.size(), 7u + 8 + 7);
  ASSERT_EQ(t.rows.size(), 6u);
  EXPECT_EQ(t.rows[0][0], "0");
  EXPECT_EQ(t.rows[0][1], "0");
  EXPECT_EQ(t.rows[5][0], "100");

  const ProgramResult f =
      run({"trace", box_scene(), "--steps", "100", "--every", "20", "--out", "t.csv"});
  EXPECT_EQ(f.out, "");
  EXPECT_EQ(read("t.csv"), r.out);
}

TEST_F(Commands, ExportIsAScene) {
  const ProgramResult r = run({"export", box_scene(), "--timestep", "0.001", "--out", "e.xml"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  const ProgramResult again = run({"inspect", "e.xml", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("\"timestep\": 0.001"), std::string::npos);
  EXPECT_EQ(run({"export", box_scene(), "--timestep", "0.001"}).out, read("e.xml"));
}

TEST_F(Commands, HashIsAGate) {
  const std::vector<std::string> base = {"hash", box_scene(), "--steps", "50", "--worlds", "3"};
  const ProgramResult r = run(base);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const reports::CsvTable t = reports::parse_csv(r.out, "hash");
  EXPECT_EQ(t.header, (reports::CsvRow{"world", "hash"}));
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_NE(t.rows[0][1], t.rows[1][1]);

  write("golden.csv", r.out);
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = base;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  EXPECT_EQ(with({"--expect-hash", "golden.csv"}).exit_code, 0);
  // The same bits from another number of threads and worlds.
  EXPECT_EQ(with({"--threads", "1", "--worlds", "5", "--expect-hash", "golden.csv"}).exit_code, 0);
  const ProgramResult other = with({"--seed", "1", "--expect-hash", "golden.csv"});
  EXPECT_EQ(other.exit_code, 5);
  EXPECT_NE(other.err.find("expected " + t.rows[0][1]), std::string::npos) << other.err;
  EXPECT_EQ(with({"--expect-hash", "0000000000000001"}).exit_code, 5);
  EXPECT_EQ(with({"--expect-hash", "nonsense"}).exit_code, 2);
}

TEST_F(Commands, PlanRunsNothing) {
  const ProgramResult r = run({"plan", box_scene(), "--engine", "stepbench", "--worlds", "1,64"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.out.find("\n4 cells, about "), std::string::npos) << r.out;
  const ProgramResult j = run({"plan", box_scene(), "--engine", "stepbench", "--json"});
  EXPECT_NE(j.out.find("\"plan_id\": \""), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Commands, EnvDescribesTheMachine) {
  const ProgramResult r = run({"env"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_NE(r.out.find("compiler"), std::string::npos);
  EXPECT_EQ(run({"env", "--json"}).out.substr(0, 2), "{\n");
}

TEST_F(Commands, ReaderThatLeavesIsHarmless) {
  EXPECT_EQ(shell("$SB columns | head -n 1 > /dev/null").exit_code, 0);
  EXPECT_EQ(shell("$SB trace " + box_scene() + " --steps 20000 | head -n 1 > /dev/null").exit_code,
            0);
}

TEST_F(Commands, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const ProgramResult r = shell("$SB columns > /dev/full");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.err.find("standard output"), std::string::npos) << r.err;
}

// Every file of ../shared/models/bad has the outcome of its expected.csv.
TEST_F(Commands, MalformedScenes) {
  const std::filesystem::path bad = std::filesystem::path(SB_SHARED_MODELS) / "bad";
  if (!std::filesystem::exists(bad / "expected.csv")) GTEST_SKIP() << bad << " is not here";
  const reports::CsvTable t = reports::read_csv(bad / "expected.csv");
  for (const reports::CsvRow& row : t.rows) {
    SCOPED_TRACE(row[0]);
    const ProgramResult r = run({"inspect", (bad / row[0]).string()});
    if (row[1] == "error") {
      expect_error(r, 3, row[0]);
    } else {
      EXPECT_EQ(r.exit_code, 0) << r.err;
      const bool warned = r.out.find("warnings") != std::string::npos;
      EXPECT_EQ(warned, row[1] == "warning") << r.out;
    }
  }
}

}  // namespace
}  // namespace stepbench::cli::testing
