#include "reports/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace stepbench::reports {
namespace {

// A record whose every field is set to something that is hard to write.
template <class Row, class Visit>
Row awkward(unsigned seed, Visit visit) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> exponent(-300, 300);
  Row row;
  visit(row, [&](const char*, const char*, const char*, auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bench::Text>) value = "a,\"b\"\n" + std::to_string(rng());
    if constexpr (std::is_same_v<T, bench::Int>) value = static_cast<bench::Int>(rng() >> 1);
    if constexpr (std::is_same_v<T, bench::Real>)
      value = std::pow(10.0, exponent(rng)) * 1.0000000001;
    if constexpr (std::is_same_v<T, bench::Bool>) value = true;
  });
  return row;
}

constexpr auto kVisitSample = [](auto& row, auto f) { bench::for_each_sample_column(row, f); };
constexpr auto kVisitSummary = [](auto& row, auto f) { bench::for_each_summary_column(row, f); };

template <class Row, class Visit>
void expect_round_trip(Visit visit) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Row row = awkward<Row>(seed, visit);
    const CsvRow fields = to_fields(row);
    ASSERT_EQ(fields.size(), header<Row>().size());
    const CsvTable t = parse_csv(csv_line(header<Row>()) + csv_line(fields), "test");
    ASSERT_EQ(t.rows.size(), 1u);
    EXPECT_EQ(t.rows[0], fields);
    EXPECT_EQ(to_fields(from_fields<Row>(t.header, t.rows[0])), fields);
  }
}

TEST(Schema, RecordsComeBackBitForBit) {
  expect_round_trip<bench::Sample>(kVisitSample);
  expect_round_trip<bench::Summary>(kVisitSummary);
}

// What the reports promise to hold, whatever else is added (the tool's published column list).
TEST(Schema, CoreColumnsExist) {
  const CsvRow samples = header<bench::Sample>(), summary = header<bench::Summary>();
  const auto has = [](const CsvRow& names, const std::string& n) {
    return std::find(names.begin(), names.end(), n) != names.end();
  };
  // Names of both files, in one text to keep the list readable.
  std::istringstream both(
      "schema_version plan_id cell_id shard status status_detail marks scene scene_sha nq "
      "nv nu nbody ngeom device threads worlds precision timestep_s integrator solver cone "
      "iterations_cap ls_cap density_level ctrl_profile control_period seed sleep sync_mode "
      "overrides load_s compile_s upload_s first_step_s warmup_steps steps elapsed_s "
      "world_steps_per_s steps_per_s realtime_factor_aggregate realtime_factor_per_world "
      "ns_per_world_step ncon_mean ncon_p95 ncon_max nefc_mean nefc_p95 niter_mean "
      "niter_p95 cap_hit_frac overflow_worlds nonfinite_worlds asleep_frac "
      "max_penetration_m energy_drift_frac host_rss_bytes state_hash repeat_equal_frac "
      "repeat_distinct env_id git_sha dirty compiler cpu_model gpu_model driver layout isa "
      "lanes tolerance");
  for (std::string n; both >> n;) {
    EXPECT_TRUE(has(samples, n)) << n;
    EXPECT_TRUE(has(summary, n)) << n;
  }
  for (const char* n : {"rep", "process_idx", "started_utc"}) EXPECT_TRUE(has(samples, n)) << n;
  for (const char* n : {"speedup", "efficiency_frac", "stop_rule"})
    EXPECT_TRUE(has(summary, n)) << n;
  EXPECT_EQ(samples[0], "schema_version");
  EXPECT_EQ(summary[0], "schema_version");
}

TEST(Schema, NamesAreUniqueInAFileAndPlain) {
  const std::regex plain("[a-z][a-z0-9_]*");
  for (const CsvRow& names : {header<bench::Sample>(), header<bench::Summary>()}) {
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const std::string& n : names) EXPECT_TRUE(std::regex_match(n, plain)) << n;
  }
}

TEST(Schema, UnitsStandInNames) {
  for (const Column& c : columns()) {
    if (c.unit == "s") {
      EXPECT_TRUE(c.name.ends_with("_s")) << c.name;
    }
    if (c.unit == "1/s") {
      EXPECT_NE(c.name.find("_per_s"), std::string::npos) << c.name;
    }
    if (c.unit == "bytes") {
      EXPECT_TRUE(c.name.ends_with("_bytes")) << c.name;
    }
    if (c.unit == "m") {
      EXPECT_TRUE(c.name.ends_with("_m")) << c.name;
    }
    if (c.unit == "MHz") {
      EXPECT_TRUE(c.name.ends_with("_mhz")) << c.name;
    }
    if (c.type == ColumnType::kText || c.type == ColumnType::kBool) {
      EXPECT_EQ(c.unit, "") << c.name;
    }
    EXPECT_FALSE(c.description.empty()) << c.name;
  }
}

TEST(Schema, ColumnsCoverBothFilesInOrder) {
  CsvRow samples, summary;
  for (const Column& c : columns()) {
    if (c.in_samples) samples.push_back(c.name);
    if (c.in_summary) summary.push_back(c.name);
  }
  EXPECT_EQ(samples, header<bench::Sample>());
  EXPECT_EQ(summary, header<bench::Summary>());
}

TEST(Schema, NotMeasuredIsEmptyAndComesBack) {
  bench::Sample s;
  s.timing.elapsed_s = std::numeric_limits<double>::infinity();
  const CsvRow fields = to_fields(s);
  const CsvRow names = header<bench::Sample>();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (names[i] != "dirty") {
      EXPECT_EQ(fields[i], "") << names[i];
    }
  }
  const bench::Sample back = from_fields<bench::Sample>(names, fields);
  EXPECT_FALSE(bench::measured(back.timing.elapsed_s));
  EXPECT_EQ(back.cell.worlds, bench::kNoInt);
}

TEST(Schema, FilesOfAnOlderOrNewerMinorVersionAreRead) {
  const bench::Sample s = from_fields<bench::Sample>({"worlds", "from_the_future"}, {"64", "x"});
  EXPECT_EQ(s.cell.worlds, 64);
  EXPECT_EQ(s.cell.engine, "");
}

TEST(Schema, WrongTypesAreNamed) {
  try {
    from_fields<bench::Sample>({"worlds"}, {"many"});
    FAIL();
  } catch (const CsvError& e) {
    EXPECT_STREQ(e.what(), "column worlds: 'many' is not an int");
  }
  EXPECT_THROW(from_fields<bench::Sample>({"worlds"}, {"1.5"}), CsvError);
  EXPECT_THROW(from_fields<bench::Sample>({"elapsed_s"}, {"nan"}), CsvError);
  EXPECT_THROW(from_fields<bench::Sample>({"elapsed_s"}, {"1 s"}), CsvError);
  EXPECT_THROW(from_fields<bench::Sample>({"dirty"}, {"yes"}), CsvError);
}

TEST(Schema, FilesThatCannotBeContinuedAreRefused) {
  bench::Sample s;
  s.id.schema_version = bench::kSchemaVersion;
  CsvTable t;
  t.header = header<bench::Sample>();
  t.rows = {to_fields(s)};
  EXPECT_NO_THROW(check_schema<bench::Sample>(t, "f", true));
  EXPECT_THROW(check_schema<bench::Summary>(t, "f", true), CsvError);

  CsvTable fewer = t;
  fewer.header.pop_back();
  fewer.rows[0].pop_back();
  EXPECT_THROW(check_schema<bench::Sample>(fewer, "f", true), CsvError);
  EXPECT_NO_THROW(check_schema<bench::Sample>(fewer, "f", false));

  CsvTable major = t;
  major.rows[0][0] = "99.0.0";
  EXPECT_THROW(check_schema<bench::Sample>(major, "f", false), CsvError);

  CsvTable other;
  other.header = {"threads", "ms"};
  EXPECT_THROW(check_schema<bench::Sample>(other, "f", false), CsvError);
}

}  // namespace
}  // namespace stepbench::reports
