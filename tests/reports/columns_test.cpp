#include "reports/columns.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "bench/records.h"
#include "reports/csv.h"
#include "reports/schema.h"

namespace stepbench::reports {
namespace {

TEST(Columns, OneLineForEach) {
  const CsvTable t = parse_csv(columns_csv(), "columns");
  EXPECT_EQ(t.header, (CsvRow{"column", "file", "type", "unit", "description"}));
  EXPECT_EQ(t.rows.size(), columns().size());
  CsvRow samples, summary;
  for (const CsvRow& r : t.rows) {
    if (r[1] != "summary") samples.push_back(r[0]);
    if (r[1] != "samples") summary.push_back(r[0]);
  }
  EXPECT_EQ(samples, header<bench::Sample>());
  EXPECT_EQ(summary, header<bench::Summary>());
}

TEST(Columns, ReadmeHoldsTheTable) {
  std::ifstream in(std::string(SB_TESTS_DIR) + "/../reports/README.md");
  ASSERT_TRUE(in) << "reports/README.md is missing";
  const std::string readme{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(readme.find(columns_markdown()), std::string::npos)
      << "reports/README.md is out of date: put the output of `stepbench columns --format "
         "markdown` there";
}

}  // namespace
}  // namespace stepbench::reports
