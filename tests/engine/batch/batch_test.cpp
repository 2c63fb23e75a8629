// Batches keep their promises: a world's bits depend on the model, its state and its inputs alone.
#include "engine/batch/batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "engine/batch/choose.h"
#include "engine/model/load.h"

namespace stepbench::batch {
namespace {

// A hinged arm above a floor with two free bodies that land on it and on each other.
constexpr const char* kScene = R"(
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body pos="0 0 0.5">
      <joint name="shoulder" axis="0 1 0" damping="0.1" range="-100 100"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      <body pos="0.3 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.1" range="-90 90"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
      </body>
    </body>
    <body pos="0 0.5 0.3"><freejoint/><geom type="box" size="0.05 0.06 0.07"/></body>
    <body pos="0.02 0.51 0.5"><freejoint/><geom type="sphere" size="0.05"/></body>
  </worldbody>
  <actuator>
    <motor joint="shoulder" gear="5" ctrlrange="-1 1"/>
    <position joint="elbow" kp="5" ctrlrange="-1 1"/>
  </actuator>
</mujoco>)";

std::shared_ptr<const model::Model> scene() {
  static const auto model = model::load_model_string(kScene);
  return model;
}

// Inputs that differ by world and change every third step.
class Wave final : public ControlSource {
 public:
  void fill(std::int64_t world, std::int64_t step, std::span<double> ctrl) const override {
    for (size_t i = 0; i < ctrl.size(); ++i) {
      ctrl[i] = double((world * 7 + step * 3 + std::int64_t(i) * 5) % 21 - 10) / 10.0;
    }
  }
  int period() const override { return 3; }
};

// A start that differs by world.
WorldState start(std::int64_t world) {
  WorldState s = initial_state(*scene());
  s.qpos[0] = 0.1 * double(world % 7);
  s.qvel[1] = 0.05 * double(world % 11);
  return s;
}

std::vector<std::uint64_t> hashes(std::int64_t worlds, std::int64_t steps, BatchOptions o,
                                  std::int64_t first = 0) {
  const auto batch = make_batch(scene(), worlds, o);
  batch->set_first_world(first);
  for (std::int64_t w = 0; w < worlds; ++w) batch->set_state(w, start(first + w));
  batch->step(steps, std::make_unique<Wave>().get());
  std::vector<std::uint64_t> h;
  for (std::int64_t w = 0; w < worlds; ++w) h.push_back(batch->hash(w));
  return h;
}

class Bits : public testing::TestWithParam<Precision> {};

TEST_P(Bits, DoNotDependOnInstructionSetWidthOrThreads) {
  BatchOptions o;
  o.precision = GetParam();
  o.layout = Layout::kPacked;
  o.isa = available_isas().front();
  o.lanes = 1;
  const auto reference = hashes(19, 200, o);
  for (Isa isa : available_isas()) {
    for (int lanes : available_lanes(isa, o.precision)) {
      for (int threads : {1, 2, 3}) {
        o.isa = isa;
        o.lanes = lanes;
        o.threads = threads;
        EXPECT_EQ(hashes(19, 200, o), reference)
            << to_string(isa) << " lanes " << lanes << " threads " << threads;
      }
    }
  }
}

TEST_P(Bits, OfSingleLayoutDoNotDependOnInstructionSetOrThreads) {
  BatchOptions o;
  o.precision = GetParam();
  o.layout = Layout::kSingle;
  o.isa = available_isas().front();
  const auto reference = hashes(5, 200, o);
  for (Isa isa : available_isas()) {
    o.isa = isa;
    for (int threads : {1, 2}) {
      o.threads = threads;
      EXPECT_EQ(hashes(5, 200, o), reference) << to_string(isa) << " threads " << threads;
    }
  }
}

TEST_P(Bits, DoNotDependOnBatchSizeOrPlaceInTheBatch) {
  BatchOptions o;
  o.precision = GetParam();
  const auto all = hashes(37, 100, o);
  for (std::int64_t w : {0, 1, 5, 17, 36}) {
    EXPECT_EQ(hashes(1, 100, o, w)[0], all[size_t(w)]) << "world " << w << " alone";
  }
  const auto part = hashes(9, 100, o, 20);
  EXPECT_EQ(part, std::vector<std::uint64_t>(all.begin() + 20, all.begin() + 29));
}

// States, counters and inputs follow a world to its new place.
TEST_P(Bits, DoNotDependOnSortingByWork) {
  const Wave wave;
  for (int threads : {1, 2}) {
    BatchOptions o;
    o.precision = GetParam();
    o.threads = threads;
    const std::int64_t worlds = 75;
    const auto sorted = make_batch(scene(), worlds, o);
    o.sort = false;
    const auto fixed = make_batch(scene(), worlds, o);
    EXPECT_EQ(sorted->options().sort, sorted->options().lanes > 1);
    for (const auto* b : {&sorted, &fixed}) {
      // Some lie on the ground already, some are about to land, some fall for long.
      for (std::int64_t w = 0; w < worlds; ++w) {
        WorldState s = start(w);
        s.qpos[4] += 0.3 * double(w * 13 % 5) - 0.2;
        s.qpos[11] += 0.3 * double(w * 13 % 5) - 0.2;
        (*b)->set_state(w, s);
      }
      (*b)->step(130, &wave);
    }
    int niter = 0;
    for (std::int64_t w = 0; w < worlds; ++w) {
      EXPECT_EQ(sorted->hash(w), fixed->hash(w)) << "world " << w;
      EXPECT_EQ(sorted->state(w).qpos, fixed->state(w).qpos) << "world " << w;
      EXPECT_EQ(sorted->state(w).ctrl, fixed->state(w).ctrl) << "world " << w;
      EXPECT_EQ(sorted->stats(w).nefc, fixed->stats(w).nefc) << "world " << w;
      EXPECT_EQ(sorted->stats(w).niter, fixed->stats(w).niter) << "world " << w;
      niter += fixed->stats(w).niter;
    }
    EXPECT_GT(niter, 0);
  }
}

TEST_P(Bits, DoNotDependOnHowStepsAreCutIntoCalls) {
  BatchOptions o;
  o.precision = GetParam();
  const Wave wave;
  const auto whole = make_batch(scene(), 3, o), cut = make_batch(scene(), 3, o);
  for (std::int64_t w = 0; w < 3; ++w) {
    whole->set_state(w, start(w));
    cut->set_state(w, start(w));
  }
  whole->step(100, &wave);
  for (int n : {1, 1, 5, 0, 40, 53}) cut->step(n, &wave);
  for (std::int64_t w = 0; w < 3; ++w) EXPECT_EQ(whole->hash(w), cut->hash(w));
  EXPECT_EQ(cut->steps_done(), 100);
}

TEST_P(Bits, ContinueFromASavedState) {
  BatchOptions o;
  o.precision = GetParam();
  const auto whole = make_batch(scene(), 1, o), restored = make_batch(scene(), 2, o);
  const Wave wave;
  whole->step(60, &wave);
  restored->set_state(0, whole->state(0));
  restored->set_steps_done(60);
  whole->step(60, &wave);
  restored->step(60, &wave);
  EXPECT_EQ(whole->hash(0), restored->hash(0));
}

TEST_P(Bits, OfAWorldSurviveABrokenNeighbour) {
  BatchOptions o;
  o.precision = GetParam();
  const auto clean = make_batch(scene(), 4, o), mixed = make_batch(scene(), 4, o);
  WorldState broken = start(2);
  broken.qvel[3] = std::numeric_limits<double>::quiet_NaN();
  mixed->set_state(2, broken);
  clean->step(100, nullptr);
  mixed->step(100, nullptr);
  for (std::int64_t w : {0, 1, 3}) {
    EXPECT_EQ(clean->hash(w), mixed->hash(w));
    EXPECT_EQ(mixed->stats(w).flags, 0u);
  }
  EXPECT_EQ(mixed->stats(2).flags, unsigned(kFlagNonFinite));
  EXPECT_EQ(mixed->stats(2).flag_step, 0);
  for (double x : mixed->state(2).qpos) EXPECT_TRUE(std::isfinite(x));
}

INSTANTIATE_TEST_SUITE_P(Precisions, Bits, testing::Values(Precision::kF32, Precision::kF64),
                         [](const auto& p) { return std::string(to_string(p.param)); });

TEST(Batch, LayoutsAgreeToSolverTolerance) {
  // Solved to the minimum, where two layouts can only differ by rounding.
  model::ReadOptions exact;
  exact.overrides = {{"tolerance", "0"}};
  const auto model = model::load_model_string(kScene, "exact.xml", exact);
  BatchOptions packed, single;
  packed.layout = Layout::kPacked;
  single.layout = Layout::kSingle;
  const auto a = make_batch(model, 1, packed), b = make_batch(model, 1, single);
  const Wave wave;
  a->step(100, &wave);
  b->step(100, &wave);
  const WorldState x = a->state(0), y = b->state(0);
  for (size_t i = 0; i < x.qpos.size(); ++i) EXPECT_NEAR(x.qpos[i], y.qpos[i], 1e-9) << i;
}

TEST(Batch, CountsContactsAndFlagsMoreThanAllowed) {
  BatchOptions o;
  o.max_contacts = 3;
  const auto batch = make_batch(scene(), 2, o);
  batch->step(500, nullptr);
  EXPECT_GT(batch->stats(0).ncon, 3);
  EXPECT_GT(batch->stats(0).nefc, 0);
  EXPECT_GT(batch->stats(0).max_penetration_m, 0);
  EXPECT_EQ(batch->stats(1).flags, unsigned(kFlagOverflow));
  EXPECT_GT(batch->stats(1).flag_step, 0);
  batch->clear_counters();
  EXPECT_EQ(batch->stats(1).flags, 0u);
}

TEST(Batch, EnergyOfAFallingBodyIsKept) {
  const auto model = model::load_model_string(
      R"(<mujoco><worldbody><body pos="0 0 100"><freejoint/><geom size="0.1" mass="2"/></body>
         </worldbody></mujoco>)");
  const auto batch = make_batch(model, 1, {});
  const Energy before = batch->energy(0);
  EXPECT_NEAR(before.potential_j, 2 * 9.81 * 100, 1e-9);
  EXPECT_EQ(before.kinetic_j, 0);
  batch->step(1000, nullptr);
  // z_k = z_0 - g h^2 k (k + 1) / 2 and v_k = -g h k for the semi-implicit scheme.
  const double h = model->opt.timestep, k = 1000, g = 9.81;
  EXPECT_NEAR(batch->state(0).qpos[2], 100 - g * h * h * k * (k + 1) / 2, 1e-9);
  EXPECT_NEAR(batch->energy(0).kinetic_j, 0.5 * 2 * (g * h * k) * (g * h * k), 1e-8);
  EXPECT_NEAR(batch->state(0).time, 2.0, 1e-12);
}

TEST(Batch, ForwardGivesRowsInMujocosOrder) {
  const auto batch = make_batch(scene(), 1, {});
  batch->step(500, nullptr);
  const Forward f = batch->forward(0);
  ASSERT_FALSE(f.contact.empty());
  int rows = 0;
  for (int t : f.efc_type) rows += t < model::kCnstrContactFrictionless;
  for (const Forward::Contact& c : f.contact) {
    if (c.efc_address < 0) continue;
    EXPECT_EQ(c.efc_address, rows);
    rows += 2 * (c.dim - 1);
  }
  EXPECT_EQ(rows, int(f.efc_type.size()));
  // J' f = qfrc_constraint.
  const int nv = scene()->nv;
  for (int i = 0; i < nv; ++i) {
    double sum = 0;
    for (size_t r = 0; r < f.efc_force.size(); ++r) {
      sum += f.efc_J[r * size_t(nv) + size_t(i)] * f.efc_force[r];
    }
    EXPECT_NEAR(sum, f.qfrc_constraint[size_t(i)], 1e-9 * (1 + std::abs(sum)));
  }
}

TEST(Options, RefuseWhatCannotRun) {
  BatchOptions o;
  o.contact = "nonesuch";
  EXPECT_THROW(make_batch(scene(), 1, o), std::invalid_argument);
  o = {};
  o.lanes = 3;
  EXPECT_THROW(make_batch(scene(), 1, o), std::invalid_argument);
  o = {};
  o.isa = Isa::kNeon;
#if defined(__x86_64__)
  EXPECT_THROW(make_batch(scene(), 1, o), std::invalid_argument);
#endif
  EXPECT_THROW(make_batch(scene(), 0, {}), std::invalid_argument);
  EXPECT_THROW(initial_state(*scene(), 0), std::invalid_argument);
}

TEST(Options, AutomaticChoicesDependOnTheModelAlone) {
  for (int threads : {1, 2}) {
    BatchOptions o;
    o.threads = threads;
    EXPECT_EQ(resolve(*scene(), o).layout, Layout::kPacked);
  }
}

// `n` free spheres, each with `hinges` links below it.
std::shared_ptr<const model::Model> free_bodies(int n, int hinges) {
  std::string xml = "<mujoco><worldbody>";
  for (int i = 0; i < n; ++i) {
    xml += "<body pos='" + std::to_string(i) + " 0 1'><freejoint/><geom size='.1'/>";
    for (int k = 0; k < hinges; ++k) {
      xml += "<body pos='.1 0 0'><joint axis='0 1 0'/><geom size='.05'/></body>";
    }
    xml += "</body>";
  }
  return model::load_model_string(xml + "</worldbody></mujoco>");
}

TEST(Options, ManyFreeBodiesRunSingleAndRobotsOfAsManyDofsPacked) {
  EXPECT_EQ(auto_layout(*free_bodies(10, 0)), Layout::kPacked);
  EXPECT_EQ(auto_layout(*free_bodies(11, 0)), Layout::kSingle);
  EXPECT_EQ(auto_layout(*free_bodies(3, 21)), Layout::kPacked);  // 81 dofs
  EXPECT_EQ(auto_layout(*free_bodies(5, 21)), Layout::kSingle);  // 135 dofs
}

TEST(Memory, EstimateIsWhatABatchTakes) {
  BatchOptions o;
  o.threads = 2;
  const MemoryEstimate e = estimate_memory(*scene(), 1000, o);
  const auto batch = make_batch(scene(), 1000, o);
  EXPECT_EQ(e.state_bytes, batch->state_bytes());
  EXPECT_GE(batch->scratch_bytes(), e.scratch_bytes / 2);
}

TEST(Hash, OfAPeersStateIsThatOfABatchInDoublePrecision) {
  const auto batch = make_batch(scene(), 2, {});
  batch->step(50, nullptr);
  EXPECT_EQ(hash_state(batch->state(1)), batch->hash(1));
}

}  // namespace
}  // namespace stepbench::batch
