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

TEST(Records, TheContractsColumnsExist) {
  std::set<std::string> names;
  Sample sample;
  for_each_sample_column(sample, [&](const char* n, auto&&...) { names.insert(n); });
  Summary summary;
  for_each_summary_column(summary, [&](const char* n, auto&&...) { names.insert(n); });
  for (const char* n : {"schema_version",
                        "plan_id",
                        "cell_id",
                        "rep",
                        "process_idx",
                        "shard",
                        "status",
                        "status_detail",
                        "marks",
                        "scene",
                        "scene_sha",
                        "nq",
                        "nv",
                        "nu",
                        "nbody",
                        "ngeom",
                        "device",
                        "threads",
                        "worlds",
                        "precision",
                        "timestep_s",
                        "integrator",
                        "solver",
                        "cone",
                        "iterations_cap",
                        "ls_cap",
                        "density_level",
                        "ctrl_profile",
                        "control_period",
                        "seed",
                        "sleep",
                        "sync_mode",
                        "overrides",
                        "load_s",
                        "compile_s",
                        "upload_s",
                        "first_step_s",
                        "warmup_steps",
                        "steps",
                        "elapsed_s",
                        "stop_rule",
                        "world_steps_per_s",
                        "steps_per_s",
                        "realtime_factor_aggregate",
                        "realtime_factor_per_world",
                        "ns_per_world_step",
                        "ncon_mean",
                        "ncon_p95",
                        "ncon_max",
                        "nefc_mean",
                        "nefc_p95",
                        "niter_mean",
                        "niter_p95",
                        "cap_hit_frac",
                        "overflow_worlds",
                        "nonfinite_worlds",
                        "asleep_frac",
                        "max_penetration_m",
                        "energy_drift_frac",
                        "host_rss_bytes",
                        "speedup",
                        "efficiency_frac",
                        "state_hash",
                        "repeat_equal_frac",
                        "repeat_distinct",
                        "env_id",
                        "git_sha",
                        "dirty",
                        "compiler",
                        "cpu_model",
                        "gpu_model",
                        "driver",
                        "started_utc",
                        "layout",
                        "isa",
                        "lanes",
                        "tolerance"}) {
    EXPECT_TRUE(names.contains(n)) << n;
  }
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
