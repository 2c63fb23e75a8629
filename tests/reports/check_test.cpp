#include "reports/check.h"

#include <gtest/gtest.h>

#include <limits>

namespace stepbench::reports {
namespace {

bench::CheckReport report(bool pass) {
  bench::FieldCheck equal;
  equal.field = "body_mass";
  equal.tolerance = 1e-12;
  bench::FieldCheck off;
  off.field = "qacc";
  off.largest = pass ? 2.5e-13 : 3e-5;
  off.tolerance = 1e-10;
  off.pass = pass;
  off.index = 4;
  off.ours = 1.5;
  off.theirs = 1.25;
  off.where = "spread 3";
  off.first_step = pass ? -1 : 17;
  bench::CheckReport r;
  r.parts.push_back({"model", {equal}, {}});
  r.parts.push_back({"forward f64", {equal, off}, {"two states"}});
  return r;
}

TEST(CheckReport, ShowsWhatIsNotEqual) {
  const std::string good = check_text("a.xml", report(true), false);
  EXPECT_NE(good.find("1 fields are equal bit for bit"), std::string::npos) << good;
  EXPECT_NE(good.find("qacc               2.5e-13   1.0e-10  ok       at spread 3\n"),
            std::string::npos)
      << good;
  EXPECT_EQ(good.find("body_mass"), std::string::npos) << good;
  EXPECT_EQ(good.substr(good.size() - 4), "\nok\n");
  const std::string bad = check_text("a.xml", report(false), false);
  EXPECT_NE(
      bad.find("DIFFERS  at spread 3, [4] is 1.5, MuJoCo 1.25; beyond tolerance from step 17"),
      std::string::npos)
      << bad;
}

TEST(CheckReport, OneLineNamesTheWorstOfEachPart) {
  const std::string line = check_line("a.xml", 10, report(false), false);
  EXPECT_EQ(line.substr(0, 12), "a.xml       ");
  EXPECT_NE(line.find("forward f64 3.0e-05 qacc"), std::string::npos) << line;
  EXPECT_NE(line.find("DIFFERS\n"), std::string::npos) << line;
}

TEST(CheckReport, RowsMatchTheHeader) {
  bench::CheckReport r = report(false);
  r.parts[0].fields[0].largest = std::numeric_limits<double>::infinity();
  for (const CsvRow& row : check_rows("a.xml", r)) {
    ASSERT_EQ(row.size(), check_header().size());
    for (const std::string& field : row) EXPECT_EQ(field.find("inf"), std::string::npos);
  }
  EXPECT_EQ(check_rows("a.xml", r)[2][6], "17");
}

}  // namespace
}  // namespace stepbench::reports
