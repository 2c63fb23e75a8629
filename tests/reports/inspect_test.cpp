#include "reports/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepbench::reports {
namespace {

// One sphere on a free joint and one body on a hinge with friction, no geom.
model::Model small_model() {
  model::Model m;
  m.name = "two";
  m.nq = 8;
  m.nv = 7;
  m.nbody = 3;
  m.njnt = 2;
  m.ngeom = 1;
  m.ntree = 2;
  m.allocate();
  m.jnt_type = {model::kJntFree, model::kJntHinge};
  m.geom_type = {model::kGeomSphere};
  m.geom_condim = {3};
  m.dof_frictionloss[6] = 0.1;
  m.body_mass = {0, 1, 0.5};
  m.qpos0 = {0, 0, 1, 1, 0, 0, 0, 0.25};
  m.names.body = {"world", "ball", "arm \"1\""};
  m.warnings = {"old attribute"};
  return m;
}

TEST(Inspect, NamesWhatAModelUses) {
  const auto f = features(small_model());
  const auto has = [&](const char* text) { return std::find(f.begin(), f.end(), text) != f.end(); };
  EXPECT_TRUE(has("1 free joint"));
  EXPECT_TRUE(has("1 hinge joint"));
  EXPECT_TRUE(has("1 sphere geom"));
  EXPECT_TRUE(has("friction loss"));
  EXPECT_TRUE(has("contacts of condim 3"));
  EXPECT_FALSE(has("joint springs"));
}

TEST(Inspect, TextListsWhatIsUnsupported) {
  const model::Model m = small_model();
  const std::string good = inspect_text({"a.xml", m, {}});
  EXPECT_NE(good.find("nq 8  nv 7  nu 0"), std::string::npos) << good;
  EXPECT_NE(good.find("1.5 kg"), std::string::npos) << good;
  EXPECT_NE(good.find("unsupported: nothing"), std::string::npos) << good;
  EXPECT_NE(good.find("warnings\n  old attribute\n"), std::string::npos) << good;
  const std::string bad = inspect_text({"a.xml", m, {"a.xml:3: <equality/weld>"}});
  EXPECT_NE(bad.find("unsupported\n  a.xml:3: <equality/weld>\n"), std::string::npos) << bad;
}

TEST(Inspect, JsonHoldsEveryArrayUnderItsName) {
  const model::Model m = small_model();
  const std::string json = inspect_json({"a.xml", m, {}});
  EXPECT_NE(json.find("\"qpos0\": [0, 0, 1, 1, 0, 0, 0, 0.25]"), std::string::npos);
  EXPECT_NE(json.find("\"jnt_type\": [0, 3]"), std::string::npos);
  EXPECT_NE(json.find("\"gravity\": [0, 0, -9.81]"), std::string::npos);
  EXPECT_NE(json.find("\"body\": [\"world\", \"ball\", \"arm \\\"1\\\"\"]"), std::string::npos);
  model::for_each_field(m, [&](const char* name, const auto&, int, int) {
    EXPECT_NE(json.find(std::string("\"") + name + "\": ["), std::string::npos) << name;
  });
}

}  // namespace
}  // namespace stepbench::reports
