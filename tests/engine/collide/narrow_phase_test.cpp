// The stage as a whole: slots, counts, capacity. The pairs' geometry is tested with each family.
#include "engine/collide/narrow_phase.h"

#include <gtest/gtest.h>

#include "engine/collide/pairs.h"
#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

// A plane and three balls on bodies of their own; contacts: ball 1 and ball 2 with the plane, 1
// with 2.
model::Model balls() {
  model::Model m;
  m.nbody = m.ngeom = 4;
  m.nv = m.ntree = 3;
  m.allocate();
  m.body_weldid = {0, 1, 2, 3};
  m.body_mocapid = {-1, -1, -1, -1};
  m.body_dofnum = {0, 1, 1, 1};
  m.body_treeid = {-1, 0, 1, 2};
  m.dof_treeid = {0, 1, 2};
  m.body_geomnum = {1, 1, 1, 1};
  m.body_geomadr = m.geom_bodyid = {0, 1, 2, 3};
  m.geom_type = {0, 2, 2, 2};
  m.geom_contype = m.geom_conaffinity = {1, 1, 1, 1};
  m.geom_condim = {3, 3, 3, 3};
  m.geom_solmix = {1, 1, 1, 1};
  for (std::size_t g = 1; g < 4; ++g) m.geom_size[3 * g] = m.geom_rbound[g] = .1;
  return m;
}

template <class Lane>
struct Scene {
  using Real = math::RealOf<Lane>;
  model::Model model = balls();
  stepbench::testing::World<Lane> world;
  std::vector<PairParams<Real>> pairs = cast<Real>(all_pairs(model));

  explicit Scene(int maxcon) : world(model, maxcon) {
    for (int l = 0; l < math::kWidth<Lane>; ++l) {
      stepbench::testing::set_values(world.d.geom_xpos, resting(), l);
      stepbench::testing::set_values(world.d.geom_xmat, upright(), l);
    }
  }
  static std::vector<double> resting() { return {0, 0, 0, 0, 0, .09, .15, 0, .08, 5, 5, 5}; }
  static std::vector<double> upright() {
    std::vector<double> r;
    for (int g = 0; g < 4; ++g) r.insert(r.end(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
    return r;
  }
  void collide() {
    narrow_phase<Lane>(world.p(), pairs.data(), int(pairs.size()), world.s, world.d);
  }
};

TEST(NarrowPhase, ListsContactsInOrder) {
  Scene<double> s(8);
  ASSERT_EQ(s.pairs.size(), 6u);
  s.collide();
  const auto& d = s.world.d;
  ASSERT_EQ(d.ncon, 3);
  EXPECT_EQ(d.need_con, 0);
  EXPECT_EQ(d.out_ncon[0], 3);
  const int want[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(s.pairs[std::size_t(d.con_pair[k])].geom1, want[k][0]);
    EXPECT_EQ(s.pairs[std::size_t(d.con_pair[k])].geom2, want[k][1]);
  }
  EXPECT_NEAR(d.out_maxpen[0], .2 - std::hypot(.15, .01), 1e-15);  // the balls overlap most
}

TEST(NarrowPhase, SaysHowManySlotsItNeeds) {
  for (int capacity : {0, 1, 2}) {
    Scene<double> s(capacity);
    s.collide();
    EXPECT_EQ(s.world.d.need_con, 3) << capacity;
    EXPECT_EQ(s.world.d.ncon, capacity);
    s.world.grow_contacts(s.world.d.need_con);
    s.collide();
    EXPECT_EQ(s.world.d.need_con, 0);
    EXPECT_EQ(s.world.d.ncon, 3);
  }
}

TEST(NarrowPhase, DoesNotWriteBeyondCapacity) {
  Scene<double> s(2);
  s.world.grow_contacts(8);  // room that the stage is not told of
  s.world.d.maxcon = 2;
  s.collide();
  EXPECT_TRUE(std::isnan(s.world.d.con_dist[2]));
  EXPECT_TRUE(std::isnan(s.world.d.con_frame[18]));
  EXPECT_EQ(s.world.d.con_pair[2], -1);
}

TEST(NarrowPhase, LanesWithoutAContactHoldFiniteValues) {
  using Lane = math::Pack<double, 4>;
  Scene<Lane> s(8);
  // Lane 1: far up. Lane 2: not a number. Lane 3: only ball 2 touches the plane.
  std::vector<double> up = Scene<Lane>::resting(), nan(12, std::nan("")), one = up;
  for (std::size_t g = 1; g < 4; ++g) up[3 * g + 2] = 10 * double(g);
  one[5] = 3;
  auto& d = s.world.d;
  stepbench::testing::set_values(d.geom_xpos, up, 1);
  stepbench::testing::set_values(d.geom_xpos, nan, 2);
  stepbench::testing::set_values(d.geom_xpos, one, 3);
  s.collide();
  ASSERT_EQ(d.ncon, 3);
  const double listed[4] = {3, 0, 0, 1};
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ(math::get(d.out_ncon[0], l), listed[l]);
    for (int k = 0; k < d.ncon; ++k) {
      const double dist = math::get(d.con_dist[k], l);
      EXPECT_TRUE(dist < .1 || dist == double(model::kNoContact));
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isfinite(math::get(d.con_pos[3 * k + i], l)));
      double n2 = 0;
      for (int i = 0; i < 9; ++i) {
        const double x = math::get(d.con_frame[9 * k + i], l);
        ASSERT_TRUE(std::isfinite(x));
        if (i < 3) n2 += x * x;
      }
      EXPECT_NEAR(n2, 1, 1e-12);
    }
  }
}

TEST(NarrowPhase, ContactsInTheGapAreListed) {
  Scene<double> s(8);
  for (auto& q : s.pairs) {
    q.margin = .001;
    q.gap = .05;
    q.bound += .051;
  }
  s.world.d.geom_xpos[5] = .13;  // ball 1 hovers .03 over the plane
  s.collide();
  EXPECT_EQ(s.world.d.out_ncon[0], 3);
  EXPECT_NEAR(s.world.d.con_dist[0], .03, 1e-15);
  EXPECT_GT(s.world.d.con_dist[0], s.pairs[0].margin);
}

TEST(NarrowPhase, TangentsFormAFrame) {
  Scene<double> s(8);
  s.world.d.geom_xpos[7] = .12;  // balls 1 and 2: an oblique normal
  s.collide();
  for (int k = 0; k < s.world.d.ncon; ++k) {
    const double* f = s.world.d.con_frame + 9 * k;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double dot =
            f[3 * i] * f[3 * j] + f[3 * i + 1] * f[3 * j + 1] + f[3 * i + 2] * f[3 * j + 2];
        EXPECT_NEAR(dot, i == j, 1e-14);
      }
    }
    // Right-handed: normal x tangent 1 = tangent 2.
    EXPECT_NEAR(f[1] * f[5] - f[2] * f[4], f[6], 1e-15);
  }
}

}  // namespace
}  // namespace stepbench::collide::testing
