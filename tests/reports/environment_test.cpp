#include "reports/environment.h"

#include <gtest/gtest.h>

namespace stepbench::reports {
namespace {

bench::Environment machine() {
  bench::Environment e;
  e.cpu_model = "Some \"CPU\"";
  e.cpu_cores = 8;
  e.l1d_bytes = 32768;
  e.l2_bytes = 1048576;
  e.memory_bytes = 25276502016;
  e.clock_max_mhz = 3700;
  e.load_average = 0.25;
  e.smt = true;
  return e;
}

TEST(EnvironmentReport, TextHasUnitsAndLeavesOutTheUnmeasured) {
  const std::string text = environment_text(machine());
  for (const char* part : {"Some \"CPU\"\n", " 32 KiB\n", " 1 MiB\n", " 25.3 GB\n", " 3700 MHz\n",
                           " 0.25\n", " yes\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("governor"), std::string::npos) << text;
}

TEST(EnvironmentReport, JsonHasEveryField) {
  const bench::Environment e = machine();
  const std::string json = environment_json(e);
  EXPECT_NE(json.find("\"cpu_model\": \"Some \\\"CPU\\\"\""), std::string::npos);
  EXPECT_NE(json.find("\"governor\": null"), std::string::npos);
  bench::for_each_environment_field(e, [&](const char* name, auto&&...) {
    EXPECT_NE(json.find(std::string("\"") + name + "\": "), std::string::npos) << name;
  });
}

}  // namespace
}  // namespace stepbench::reports
