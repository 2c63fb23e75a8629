// Every scene of scenes/ loads, with MuJoCo's sizes and constants, and needs analytic collision
// only.
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/collide/pairs.h"
#include "engine/model/load.h"

namespace stepbench {
namespace {

struct Expected {
  const char* name;
  int nq, nv, nu, nbody, ngeom, nkey;
  double mass;                 // kg
  double meaninertia;          // mean diagonal of the inertia matrix at qpos0
  double sum_dof_invweight0;   // over all dofs
  double sum_body_invweight0;  // over all bodies, both columns
};

// From MuJoCo 4.0.0: MjModel.from_xml_path, then body_mass.sum(), stat.meaninertia,
// dof_invweight0.sum(), body_invweight0.sum().
const Expected kExpected[] = {
    {"cartpole", 2, 2, 1, 3, 3, 1, 1.1, 0.5561423617021277, 88.18421167159957, 31.860005220244965},
    {"drop", 7, 6, 0, 2, 2, 0, 0.1, 0.05002083333333334, 72029.99999999997, 24009.99999999999},
    {"humanoid", 28, 27, 21, 17, 20, 0, 48.39441286880276, 7.649282516091858, 591.6047739801485,
     249.60185975425895},
    {"panda", 9, 9, 9, 12, 16, 1, 17.451901000000003, 0.5249779291166423, 58.50400590271775,
     65.01578735218432},
    {"panda_free", 9, 9, 9, 12, 16, 1, 17.451901000000003, 0.5249779291166423, 58.50400590271775,
     65.01578735218432},
    {"pile", 448, 384, 0, 65, 69, 0, 25.599999999999994, 0.20017472685185211, 635465.3776252691,
     211821.79254175638},
    {"quadruped", 19, 18, 12, 14, 18, 1, 11.999999999999998, 2.0900186223366357, 591.8409652354395,
     248.23485917807042},
    {"slide", 2, 2, 0, 2, 2, 1, 0.1, 0.1, 20.0, 10.0},
    {"stack", 70, 60, 0, 11, 11, 0, 10.0, 0.500833333333333, 18029.999999999996, 6009.999999999999},
};

std::filesystem::path scene(const std::string& name) {
  return std::filesystem::path(SB_SCENES_DIR) / (name + ".xml");
}

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

class SceneLoad : public testing::TestWithParam<Expected> {};

TEST_P(SceneLoad, HasMujocosSizesAndConstants) {
  const Expected& e = GetParam();
  const auto m = model::load_model(scene(e.name));
  EXPECT_EQ(m->nq, e.nq);
  EXPECT_EQ(m->nv, e.nv);
  EXPECT_EQ(m->nu, e.nu);
  EXPECT_EQ(m->nbody, e.nbody);
  EXPECT_EQ(m->ngeom, e.ngeom);
  EXPECT_EQ(m->nkey, e.nkey);
  EXPECT_NEAR(sum(m->body_mass), e.mass, 1e-12 * e.mass);
  EXPECT_NEAR(m->meaninertia, e.meaninertia, 1e-12 * e.meaninertia);
  EXPECT_NEAR(sum(m->dof_invweight0), e.sum_dof_invweight0, 1e-11 * e.sum_dof_invweight0);
  EXPECT_NEAR(sum(m->body_invweight0), e.sum_body_invweight0, 1e-11 * e.sum_body_invweight0);
  EXPECT_TRUE(m->warnings.empty()) << m->warnings.front();
}

TEST_P(SceneLoad, NeedsAnalyticCollisionOnly) {
  const auto m = model::load_model(scene(GetParam().name));
  const std::vector<std::string> unsupported = collide::unsupported_pairs(*m);
  EXPECT_TRUE(unsupported.empty()) << unsupported.front();
}

INSTANTIATE_TEST_SUITE_P(Scenes, SceneLoad, testing::ValuesIn(kExpected),
                         [](const auto& i) { return std::string(i.param.name); });

// A scene that is added must be added to the table above.
TEST(SceneList, IsComplete) {
  std::map<std::string, bool> listed;
  for (const Expected& e : kExpected) listed[e.name] = true;
  for (const auto& entry : std::filesystem::directory_iterator(SB_SCENES_DIR)) {
    if (entry.path().extension() != ".xml") continue;
    EXPECT_TRUE(listed.count(entry.path().stem().string())) << entry.path();
  }
}

// The density level is the number of free bodies, also where several shapes share it.
TEST(SceneDensity, LevelIsTheNumberOfBodies) {
  for (int level : {1, 3, 25}) {
    model::ReadOptions options;
    options.density = level;
    EXPECT_EQ(model::load_model(scene("stack"), options)->nbody, 1 + level);
  }
  for (int level : {16, 18, 256}) {
    model::ReadOptions options;
    options.density = level;
    const auto m = model::load_model(scene("pile"), options);
    EXPECT_EQ(m->nbody, 1 + level);
    std::map<int, int> shapes;
    for (int type : m->geom_type) ++shapes[type];
    EXPECT_EQ(shapes[model::kGeomSphere], (level + 3) / 4);
    EXPECT_EQ(shapes[model::kGeomCapsule], (level + 2) / 4);
    EXPECT_EQ(shapes[model::kGeomBox], level - (level + 3) / 4 - (level + 2) / 4);
  }
}

}  // namespace
}  // namespace stepbench
