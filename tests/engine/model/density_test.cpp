// The density axis: the scene's own replicate, or a column of free bodies.
#include "engine/model/density.h"

#include <cmath>

#include "engine/model/writer.h"
#include "tests/engine/model/reader_support.h"

namespace stepbench::model::testing {
namespace {

ReadOptions level(int n) {
  ReadOptions options;
  options.density = n;
  return options;
}

const char kPile[] = R"(
  <worldbody>
    <replicate count="2"><geom size="1"/></replicate>
    <frame name="density" pos="0 0 1">
      <frame>
        <replicate count="3" offset="0 0 1">
          <body name="b"><freejoint/><replicate count="2"><geom size="1"/></replicate></body>
        </replicate>
      </frame>
    </frame>
  </worldbody>
  <keyframe><key name="k"/></keyframe>)";

TEST(Density, SetsTheOutermostReplicateOfItsFrame) {
  const Spec file = read(kPile);
  EXPECT_EQ(density_way(file), DensityWay::kFile);
  EXPECT_EQ(file.bodies.size(), 4u);
  const Spec spec = read(kPile, level(12));
  EXPECT_EQ(density_way(spec), DensityWay::kReplicate);
  ASSERT_EQ(spec.bodies.size(), 13u);
  EXPECT_EQ(spec.bodies[0].geoms.size(), 2u);  // other replicates stay
  EXPECT_EQ(spec.bodies[12].geoms.size(), 2u);
  EXPECT_EQ(spec.bodies[12].name, "b11");
  EXPECT_EQ(spec.bodies[12].pos[2], 12);
  EXPECT_EQ(read(kPile, level(0)).bodies.size(), 1u);
}

TEST(Density, IsSharedAmongReplicatesSideBySide) {
  const std::string shared =
      "<worldbody><frame name='density'><replicate count='1'><body name='a'/></replicate>"
      "<replicate count='1'><body name='b'/></replicate></frame></worldbody>";
  const Spec spec = read(shared, level(5));
  ASSERT_EQ(spec.bodies.size(), 6u);
  EXPECT_EQ(spec.bodies[3].name, "a2");
  EXPECT_EQ(spec.bodies[4].name, "b0");
}

TEST(Density, DropsKeyframesThatNoLongerFit) {
  EXPECT_EQ(read(kPile, level(3)).keys.size(), 1u);
  const Spec spec = read(kPile, level(4));
  EXPECT_TRUE(spec.keys.empty());
  EXPECT_EQ(spec.warnings.size(), 1u);
}

const char kPlain[] = R"(
  <worldbody>
    <geom type="plane" size="9 9 9"/>
    <body name="density_1" pos="1 2 3"><freejoint/><geom size="0.5"/></body>
  </worldbody>
  <keyframe><key qpos="1 2 3 1 0 0 0"/><key qvel="1 2 3 4 5 6"/></keyframe>)";

TEST(Density, AddsAColumnToAnyOtherScene) {
  const Spec spec = read(kPlain, level(30));
  EXPECT_EQ(density_way(spec), DensityWay::kColumn);
  ASSERT_EQ(spec.bodies.size(), 32u);
  int types[7] = {};
  for (size_t i = 2; i < spec.bodies.size(); ++i) {
    const Body& b = spec.bodies[i];
    EXPECT_EQ(b.parent, 0);
    EXPECT_EQ(b.joints.at(0).type, kJntFree);
    ++types[b.geoms.at(0).type];
    EXPECT_GT(b.pos[2], 3.5) << "above the scene";
    EXPECT_LT(std::hypot(b.pos[0] - 1, b.pos[1] - 2), 1) << "over its middle";
    double square = 0;
    for (const double q : b.quat) square += q * q;
    EXPECT_NEAR(square, 1, 1e-15);
    for (size_t k = 2; k < i; ++k) EXPECT_NE(b.name, spec.bodies[k].name);
  }
  EXPECT_EQ(types[kGeomSphere], 10);
  EXPECT_EQ(types[kGeomCapsule], 10);
  EXPECT_EQ(types[kGeomBox], 10);
  EXPECT_EQ(spec.keys[0].qpos.size(), 7u + 7 * 30);
  EXPECT_EQ(spec.keys[0].qpos[9], spec.bodies[2].pos[2]);
  EXPECT_EQ(spec.keys[1].qvel.size(), 6u + 6 * 30);
}

TEST(Density, BodiesDoNotOverlapAtTheStart) {
  const Spec spec = read("<worldbody/>", level(200));
  for (size_t i = 1; i < spec.bodies.size(); ++i) {
    for (size_t k = 1; k < i; ++k) {
      const auto& p = spec.bodies[i].pos;
      const auto& q = spec.bodies[k].pos;
      // Half the diagonal of the largest box is 1.4 x its size, 1.2 x 0.02.
      ASSERT_GT(std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]), 2 * 1.4 * 1.2 * 0.02 * 0.75);
    }
  }
}

TEST(Density, IsReproducibleAndNested) {
  EXPECT_EQ(write_mjcf(read(kPlain, level(9))), write_mjcf(read(kPlain, level(9))));
  // The bodies of a level are the first of every higher one in the same layout.
  const Spec nine = read(kPlain, level(65)), ten = read(kPlain, level(66));
  EXPECT_EQ(nine.bodies[60].quat, ten.bodies[60].quat);
  EXPECT_EQ(nine.bodies[60].pos, ten.bodies[60].pos);
}

TEST(Density, RefusesImpossibleLevels) {
  EXPECT_NE(error_in("<worldbody/>", level(-1)), "");
  EXPECT_NE(error_in("<worldbody/>", level(2'000'000'000)), "");
  EXPECT_EQ(read("<worldbody/>", level(0)).bodies.size(), 1u);
}

}  // namespace
}  // namespace stepbench::model::testing
