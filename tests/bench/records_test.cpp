#include "bench/records.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "bench/environment.h"

namespace stepbench::bench {
namespace {

struct Column {
  std::string name, unit, doc;
};

template <class Row, class Visit>
std::vector<Column> columns(Visit&& visit) {
  std::vector<Column> out;
  Row row;
  visit(row, [&](const char* name, const char* unit, const char* doc, auto& value) {
    // Fresh fields are not measured; a Bool always has a value.
    const bool is_bool = std::is_same_v<std::decay_t<decltype(value)>, bool>;
    EXPECT_EQ(measured(value), is_bool) << name;
    out.push_back({name, unit, doc});
  });
  return out;
}

void check(const std::vector<Column>& all) {
  std::set<std::string> names;
  for (const auto& c : all) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " twice";
    EXPECT_FALSE(c.doc.empty()) << c.name;
    EXPECT_EQ(c.doc.find('\n'), std::string::npos) << c.name;
    // The unit stands in the name where there is one beyond a count.
    const std::map<std::string, std::vector<std::string>> suffixes = {
        {"s", {"_s"}},          {"1/s", {"_per_s", "_low", "_high", "_mad", "_min", "_max"}},
        {"m", {"_m"}},          {"bytes", {"_bytes"}},
        {"MHz", {"_mhz"}},      {"ns", {"ns_"}},
        {"J/kg", {"_j_per_kg"}}};
    if (c.unit.empty() || c.unit == "1") continue;
    ASSERT_TRUE(suffixes.contains(c.unit)) << c.name << " " << c.unit;
    bool named = false;
    for (const auto& s : suffixes.at(c.unit)) named = named || c.name.find(s) != std::string::npos;
    EXPECT_TRUE(named) << c.name << " [" << c.unit << "]";
  }
}

TEST(Records, ColumnsAreUniqueDocumentedAndCarryTheirUnit) {
  check(columns<Sample>([](auto& r, auto&& f) { for_each_sample_column(r, f); }));
  check(columns<Summary>([](auto& r, auto&& f) { for_each_summary_column(r, f); }));
  check(columns<Environment>([](auto& r, auto&& f) { for_each_environment_field(r, f); }));
}

TEST(Environment, IsFilledAndItsIdentifierIsStable) {
  const auto a = capture_environment({"stepbench", "run", "it's.xml"});
  const auto b = capture_environment({"stepbench", "plan"});
  EXPECT_EQ(a.env_id.size(), 16u);
  EXPECT_EQ(a.env_id, b.env_id);
  EXPECT_EQ(a.argv, "stepbench run 'it'\\''s.xml'");
  EXPECT_GE(a.cpu_threads, 1);
  EXPECT_FALSE(a.compiler.empty());
  EXPECT_FALSE(a.cpu_model.empty());
  EXPECT_EQ(row_environment(a).env_id, a.env_id);
}

}  // namespace
}  // namespace stepbench::bench
