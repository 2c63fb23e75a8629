// The table by regex goldens: the shape of a line, not its figures.
#include "reports/table.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "reports/terminal.h"

namespace stepbench::reports {
namespace {

bench::Summary row(const char* engine, const char* precision, std::int64_t worlds, double speed) {
  bench::Summary r;
  r.id.status = bench::kOk;
  r.scene.scene = "scenes/humanoid.xml";
  r.scene.nv = 27;
  r.scene.nu = 21;
  r.scene.ngeom = 20;
  r.scene.cone = "pyramidal";
  r.cell.engine = engine;
  r.cell.precision = precision;
  r.cell.worlds = worlds;
  r.cell.threads = 2;
  r.cell.timestep_s = 0.005;
  r.cell.solver = "newton";
  r.cell.ctrl_profile = "noise";
  r.stats.world_steps_per_s = speed;
  r.stats.noise_frac = 0.0137;
  r.stats.ratio_mujoco = speed / 57900;
  r.workload.ncon_mean = 7.23;
  r.workload.nefc_mean = 31.4;
  r.workload.niter_mean = 2.11;
  r.workload.cap_hit_frac = 0;
  r.repeat.repeat_equal_frac = 1;
  r.env.cpu_model = "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz";
  if (std::string_view(engine) == "mujoco") {
    r.env.peer_version = "4.0.0";
  } else {
    r.cell.isa = "avx512";
    r.cell.layout = "packed";
  }
  return r;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

void expect_line(const std::string& line, const char* pattern) {
  EXPECT_TRUE(std::regex_match(line, std::regex(pattern)))
      << "got:  " << line << "\nwant: " << pattern;
}

TEST(Table, HasTheShapeOfTheDesign) {
  bench::Summary bad = row("stepbench", "f32", 1024, 1);
  bad.id.status = bench::kOverflow;
  bad.id.status_detail = "overflow in 3 worlds at step 812: raise --max-contacts (now 64)";
  const auto text = lines(render_table(
      std::vector{row("mujoco", "f64", 1024, 57900), row("stepbench", "f64", 1024, 407e3), bad},
      false));
  ASSERT_EQ(text.size(), 5u);
  expect_line(text[0], R"(humanoid\.xml  nv 27  20 geoms  dt 5 ms  newton pyramidal    )"
                       R"(Intel Xeon Platinum 8488C, 2 threads, AVX-512    MuJoCo 4\.0\.0)");
  expect_line(
      text[1],
      R"(engine     prec  worlds  world-steps/s       ±  × mujoco  contacts  rows  iters  bits)");
  expect_line(text[2], R"(mujoco     f64     1024         57\.9 k   1\.4 %      1\.00)"
                       R"(       7\.2  31\.4    2\.1  equal)");
  expect_line(text[3], R"(stepbench  f64     1024          407 k   1\.4 %      7\.03)"
                       R"(       7\.2  31\.4    2\.1  equal)");
  expect_line(text[4], R"(stepbench  f32     1024  overflow in 3 worlds at step 812: )"
                       R"(raise --max-contacts \(now 64\))");
}

TEST(Table, ColumnsLineUp) {
  const auto text = lines(
      render_table(std::vector{row("mujoco", "f64", 1, 5.5), row("stepbench", "f32", 16384, 11.8e6),
                               row("stepbench", "f64", 64, 999.7)},
                   false));
  const std::string& titles = text[1];
  for (const char* title : {"worlds", "world-steps/s", "× mujoco", "contacts", "rows", "iters"}) {
    // A number ends where its title ends, and two spaces follow.
    const std::size_t end =
        display_width(titles.substr(0, titles.find(title))) + display_width(title);
    for (std::size_t i = 2; i < text.size(); ++i) {
      ASSERT_GT(text[i].size(), end + 1) << title;
      EXPECT_NE(text[i][end - 1], ' ') << title << ": " << text[i];
      EXPECT_EQ(text[i].substr(end, 2), "  ") << title << ": " << text[i];
    }
  }
}

TEST(Table, AxesWithSeveralValuesBecomeColumns) {
  bench::Summary slow = row("stepbench", "f64", 64, 1e5);
  slow.cell.timestep_s = 0.001;
  slow.cell.threads = 1;
  const auto text = lines(render_table(std::vector{row("stepbench", "f64", 64, 2e5), slow}, false));
  EXPECT_EQ(text[0].find("dt "), std::string::npos);
  EXPECT_EQ(text[0].find("threads"), std::string::npos);
  expect_line(text[1], R"(engine     prec  worlds    dt  threads  world-steps/s.*)");
  expect_line(text[2], R"(stepbench  f64       64  5 ms        2          200 k.*)");
  expect_line(text[3], R"(stepbench  f64       64  1 ms        1          100 k.*)");
}

TEST(Table, NotMeasuredIsADash) {
  bench::Summary r = row("stepbench", "f64", 64, 2e5);
  r.stats.ratio_mujoco = bench::kNoReal;
  r.workload.niter_mean = bench::kNoReal;
  r.repeat.repeat_equal_frac = bench::kNoReal;
  const auto text = lines(render_table(std::vector{r}, false));
  EXPECT_EQ(text[1].find("mujoco"), std::string::npos);
  expect_line(text[2],
              R"(stepbench  f64       64          200 k   1\.4 %       7\.2  31\.4      -  -)");
}

TEST(Table, MarksAndCapHitsStandBesideTheSpeed) {
  bench::Summary r = row("stepbench", "f64", 64, 2e5);
  r.id.marks = "not_steady;outlier";
  r.workload.cap_hit_frac = 0.12;
  r.repeat.repeat_equal_frac = 0.99999;
  const auto text = lines(render_table(std::vector{r}, false));
  expect_line(text[1], R"(.*  bits    notes)");
  expect_line(text[2], R"(.*  99\.9 %  not steady, outlier, 12 % of solves capped)");
}

TEST(Table, ScenesAreApart) {
  bench::Summary other = row("stepbench", "f64", 64, 2e5);
  other.scene.scene = "drop.xml";
  const auto text =
      lines(render_table(std::vector{row("stepbench", "f64", 64, 2e5), other}, false));
  ASSERT_EQ(text.size(), 7u);
  EXPECT_EQ(text[3], "");
  EXPECT_EQ(text[4].substr(0, 8), "drop.xml");
}

TEST(Table, ColoursOnlyOnRequest) {
  const std::vector rows{row("stepbench", "f64", 64, 2e5)};
  EXPECT_EQ(render_table(rows, false).find('\x1b'), std::string::npos);
  EXPECT_NE(render_table(rows, true).find('\x1b'), std::string::npos);
}

TEST(Table, NamesForPeople) {
  EXPECT_EQ(short_cpu_name("Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz"),
            "Intel Xeon Platinum 8488C");
  EXPECT_EQ(short_cpu_name("AMD EPYC"), "AMD EPYC");
  EXPECT_EQ(timestep_text(0.005), "5 ms");
  EXPECT_EQ(timestep_text(0.0005), "500 µs");
  EXPECT_EQ(timestep_text(1.0 / 240), "4.167 ms");
}

}  // namespace
}  // namespace stepbench::reports
