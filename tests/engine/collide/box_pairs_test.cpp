// Separating axes with lanes over pairs: the same findings as for each pair alone, to the bit.
#include "engine/collide/box_pairs.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "engine/collide/narrow_phase.h"
#include "engine/collide/pairs.h"
#include "engine/dynamics/kinematics.h"
#include "engine/model/load.h"
#include "tests/engine/testing/world.h"

namespace stepbench {
namespace {

// Bodies of all shapes thrown together, most of them touching several others.
std::string crowd(int n) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto some = [&](double scale) { return std::to_string(scale * u(rng)) + " "; };
  const char* shapes[] = {"type='box' size='.1 .12 .08'", "type='box' size='.1 .1 .1'",
                          "type='capsule' size='.06 .1'", "type='sphere' size='.1'"};
  std::string text = "<mujoco><worldbody><geom type='plane' size='1 1 1' pos='0 0 -.3'/>";
  for (int i = 0; i < n; ++i) {
    const std::string pos = some(.35) + some(.35) + some(.35);
    const std::string euler = i % 3 == 0 ? "0 0 90 " : some(180) + some(180) + some(180);
    text += "<body pos='" + pos + "' euler='" + euler + "'><freejoint/><geom " + shapes[i % 4] +
            "/></body>";
  }
  return text + "</worldbody></mujoco>";
}

template <class Real>
class BoxPairs : public ::testing::Test {
 protected:
  BoxPairs()
      : model_(model::load_model_string(crowd(60))),
        pairs_(collide::cast<Real>(collide::all_pairs(*model_))),
        world_(*model_, 4000) {
    dynamics::init_static(world_.p(), world_.s, world_.d);
    dynamics::kinematics(world_.p(), world_.s, world_.d);
  }
  std::shared_ptr<const model::Model> model_;
  std::vector<collide::PairParams<Real>> pairs_;
  testing::World<Real> world_;
};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BoxPairs, Precisions);

TYPED_TEST(BoxPairs, FindWhatOnePairFinds) {
  using Real = TypeParam;
  const auto& p = this->world_.p();
  const auto& d = this->world_.d;
  std::vector<int> boxes;
  for (int i = 0; i < int(this->pairs_.size()); ++i) {
    if (this->pairs_[std::size_t(i)].kind == collide::kBoxBox) boxes.push_back(i);
  }
  boxes.resize(boxes.size() / 8 * 8 + 3);  // not a multiple of a pack
  std::vector<collide::BoxFinding<Real>> found(boxes.size());
  collide::find_box_axes(p, this->pairs_.data(), boxes.data(), int(boxes.size()), d.geom_xpos,
                         d.geom_xmat, found.data());
  int hits = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto& q = this->pairs_[std::size_t(boxes[i])];
    collide::BoxAxes<Real> r;
    const bool hit = collide::box_box_axes(
        collide::Pose<Real>::of(d.geom_xpos, d.geom_xmat, q.geom1), p.geom_size + 3 * q.geom1,
        collide::Pose<Real>::of(d.geom_xpos, d.geom_xmat, q.geom2), p.geom_size + 3 * q.geom2,
        q.margin + q.gap, true, r);
    ASSERT_EQ(found[i].hit, hit);
    if (!hit) continue;
    ++hits;
    const auto& f = found[i].axes;
    EXPECT_EQ(f.face, r.face);
    EXPECT_EQ(f.face_sep, r.face_sep);
    EXPECT_EQ(f.edge, r.edge);
    EXPECT_EQ(f.edge_sep, r.edge_sep);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(f.rot[k], r.rot[k]);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(f.pos21[k], r.pos21[k]);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(f.pos12[k], r.pos12[k]);
  }
  EXPECT_GT(hits, 50);
  EXPECT_LT(hits, int(boxes.size()) - 50);
}

// Contacts of a world come out as from one pair after the other.
TYPED_TEST(BoxPairs, KeepContactsAndTheirOrder) {
  using Real = TypeParam;
  testing::World<Real> single(*this->model_, 4000);
  auto& a = this->world_;
  dynamics::init_static(single.p(), single.s, single.d);
  dynamics::kinematics(single.p(), single.s, single.d);
  const int n = int(this->pairs_.size());
  collide::narrow_phase(a.p(), this->pairs_.data(), n, a.s, a.d);
  collide::ContactWriter<Real> out(single.d);
  for (int i = 0; i < n; ++i) {
    const auto& q = this->pairs_[std::size_t(i)];
    if (collide::bounds_touch(q, single.d.geom_xpos, single.d.geom_xmat)) {
      collide::collide_pair(single.p(), q, i, single.d.geom_xpos, single.d.geom_xmat, true, out);
    }
  }
  out.finish();
  ASSERT_GT(a.d.ncon, 200);
  ASSERT_EQ(a.d.ncon, single.d.ncon);
  for (int k = 0; k < a.d.ncon; ++k) {
    EXPECT_EQ(a.d.con_pair[k], single.d.con_pair[k]);
    EXPECT_EQ(a.d.con_dist[k], single.d.con_dist[k]);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(a.d.con_pos[3 * k + i], single.d.con_pos[3 * k + i]);
    for (int i = 0; i < 9; ++i) EXPECT_EQ(a.d.con_frame[9 * k + i], single.d.con_frame[9 * k + i]);
  }
}

}  // namespace
}  // namespace stepbench
