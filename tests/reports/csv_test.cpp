#include "reports/csv.h"

#include <gtest/gtest.h>

#include <fstream>

namespace stepbench::reports {
namespace {

CsvTable round_trip(const CsvRow& header, const std::vector<CsvRow>& rows) {
  std::string text = csv_line(header);
  for (const CsvRow& r : rows) text += csv_line(r);
  return parse_csv(text, "test");
}

TEST(Csv, PlainFieldsAreNotQuoted) { EXPECT_EQ(csv_line({"a", "1.5", "", "b c"}), "a,1.5,,b c\n"); }

TEST(Csv, QuotesWhereRfc4180AsksForIt) {
  EXPECT_EQ(csv_line({"a,b", "say \"hi\"", "two\nlines"}),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
  EXPECT_EQ(csv_line({"a\rb", "x"}), "\"a\rb\",x\n");
}

TEST(Csv, AwkwardFieldsComeBackAsTheyWere) {
  const std::vector<CsvRow> rows = {
      {"a,b", "\"", "\"\"", "two\nlines"},
      {"", " lead", "trail ", "\r\n"},
      {"Ω µ 世界", "1e-300", "-0", "x=\"1,2\"\n\n\"y\""},
      {"", "", "", ""},
  };
  const CsvTable t = round_trip({"a", "b", "c", "d"}, rows);
  EXPECT_EQ(t.header, (CsvRow{"a", "b", "c", "d"}));
  EXPECT_EQ(t.rows, rows);
  EXPECT_FALSE(t.truncated);
}

TEST(Csv, CutOffLastRecordIsLeftOutAndNoted) {
  const std::string whole = csv_line({"a", "b"}) + csv_line({"1", "two\nlines"});
  const std::string cut = csv_line({"3", "fo\no"});
  for (std::size_t n = 1; n < cut.size(); ++n) {
    const CsvTable t = parse_csv(whole + cut.substr(0, n), "test");
    EXPECT_TRUE(t.truncated) << n;
    EXPECT_EQ(t.intact_bytes, whole.size()) << n;
    ASSERT_EQ(t.rows.size(), 1u) << n;
    EXPECT_EQ(t.rows[0], (CsvRow{"1", "two\nlines"})) << n;
  }
  const CsvTable t = parse_csv(whole + cut, "test");
  EXPECT_FALSE(t.truncated);
  EXPECT_EQ(t.rows.size(), 2u);
}

TEST(Csv, EmptyAndHeaderOnlyTexts) {
  const CsvTable nothing = parse_csv("", "test");
  EXPECT_TRUE(nothing.header.empty());
  EXPECT_FALSE(nothing.truncated);
  const CsvTable half = parse_csv("a,b", "test");
  EXPECT_TRUE(half.header.empty());
  EXPECT_TRUE(half.truncated);
  const CsvTable header = parse_csv("a,b\n", "test");
  EXPECT_EQ(header.header, (CsvRow{"a", "b"}));
  EXPECT_TRUE(header.rows.empty());
}

TEST(Csv, RaggedRowsAreRefused) {
  EXPECT_THROW(parse_csv("a,b\n1\n", "f.csv"), CsvError);
  EXPECT_THROW(parse_csv("a,b\n1,2,3\n", "f.csv"), CsvError);
  try {
    parse_csv("a,b\n1,2\n1,2,3\n", "f.csv");
  } catch (const CsvError& e) {
    EXPECT_STREQ(e.what(), "f.csv: row 2 has 3 fields, the header has 2");
  }
}

TEST(Csv, ReadsCrlfToo) {
  const CsvTable t = parse_csv("a,b\r\n1,2\r\n", "test");
  EXPECT_EQ(t.header, (CsvRow{"a", "b"}));
  ASSERT_EQ(t.rows.size(), 1u);
  EXPECT_EQ(t.rows[0], (CsvRow{"1", "2"}));
}

TEST(Csv, ManyRows) {
  std::string text = csv_line({"i", "text"});
  for (int i = 0; i < 20000; ++i)
    text += csv_line({std::to_string(i), "row \"" + std::to_string(i)});
  const CsvTable t = parse_csv(text, "test");
  ASSERT_EQ(t.rows.size(), 20000u);
  EXPECT_EQ(t.rows[19999], (CsvRow{"19999", "row \"19999"}));
}

TEST(Csv, MissingFileIsNamed) {
  try {
    read_csv("/nonexistent/x.csv");
    FAIL();
  } catch (const CsvError& e) {
    EXPECT_STREQ(e.what(), "cannot read /nonexistent/x.csv");
  }
}

}  // namespace
}  // namespace stepbench::reports
