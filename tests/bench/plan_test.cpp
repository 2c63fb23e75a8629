#include "bench/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/bench/fakes.h"

namespace stepbench::bench {
namespace {

using testing::FakeBehaviour;
using testing::FakeEngine;
using testing::FakeLoader;

class PlanTest : public ::testing::Test {
 protected:
  PlanTest() {
    stepbench_ = std::make_shared<FakeEngine>("stepbench", clock_);
    mujoco_ = std::make_shared<FakeEngine>("mujoco", clock_);
    engines_.add(stepbench_);
    engines_.add(mujoco_);
    settings_.scenes = {"a.xml"};
    settings_.threads = {2};
  }
  Plan plan() { return make_plan(settings_, loader_, engines_); }
  std::vector<std::string> rows() {
    std::vector<std::string> out;
    for (const auto& c : plan().cells) {
      out.push_back(c.cell.engine + " " + c.cell.precision + " " + std::to_string(c.cell.worlds));
    }
    return out;
  }

  std::shared_ptr<double> clock_ = std::make_shared<double>(0);
  std::shared_ptr<FakeEngine> stepbench_, mujoco_;
  EngineSet engines_;
  FakeLoader loader_;
  Settings settings_;
};

TEST_F(PlanTest, DefaultsAreThreeWorldCountsAndMujocoOnce) {
  EXPECT_EQ(rows(), (std::vector<std::string>{"stepbench f32 1", "stepbench f64 1", "mujoco f64 1",
                                              "stepbench f32 64", "stepbench f64 64",
                                              "mujoco f64 64", "stepbench f32 1024",
                                              "stepbench f64 1024", "mujoco f64 1024"}));
}

TEST_F(PlanTest, WithoutThePeersLibraryItIsNotADefault) {
  mujoco_->behaviour.missing = "not found; get it";
  settings_.worlds = {1};
  EXPECT_EQ(rows(), (std::vector<std::string>{"stepbench f32 1", "stepbench f64 1"}));
  // Asked for by name it is a row that says why.
  settings_.engines = {"mujoco"};
  const auto p = plan();
  ASSERT_EQ(p.cells.size(), 1u);
  EXPECT_EQ(p.cells[0].id.status, kNoDevice);
  EXPECT_EQ(p.cells[0].id.status_detail, "not found; get it");
}

TEST_F(PlanTest, ContactModelsAndPrecisionsDoNotMultiplyThePeer) {
  settings_.worlds = {1};
  settings_.contacts = {"newton", "comfree"};
  EXPECT_EQ(rows().size(), 5u);
  settings_.contacts = {"file", "newton"};  // the same thing twice
  EXPECT_EQ(rows().size(), 3u);
}

TEST_F(PlanTest, CudaIsARowWithAStatus) {
  settings_.worlds = {1};
  settings_.devices = {"cpu", "cuda"};
  const auto p = plan();
  ASSERT_EQ(p.cells.size(), 5u);
  int no_device = 0;
  for (const auto& c : p.cells) no_device += c.id.status == kNoDevice;
  EXPECT_EQ(no_device, 2);
}

TEST_F(PlanTest, MoreWorldsThanMemoryIsARowWithAStatus) {
  stepbench_->behaviour.bytes_per_world = 1'000'000'000;
  settings_.worlds = {1, 1'000'000};
  settings_.engines = {"stepbench"};
  settings_.precisions = {"f32"};
  const auto p = plan();
  EXPECT_EQ(p.cells[1].id.status, kOutOfMemory);
  EXPECT_NE(p.cells[1].id.status_detail.find("1000000.0 GB"), std::string::npos)
      << p.cells[1].id.status_detail;
}

TEST_F(PlanTest, ImpossibleAxesAreUsageErrors) {
  const auto refused = [&](auto&& change) {
    auto s = settings_;
    change(s);
    EXPECT_THROW(make_plan(s, loader_, engines_), UsageError);
  };
  refused([](Settings& s) { s.worlds = {0}; });
  refused([](Settings& s) { s.threads = {0}; });
  refused([](Settings& s) { s.timesteps_s = {-1.0}; });
  refused([](Settings& s) { s.engines = {"bullet"}; });
  refused([](Settings& s) { s.contacts = {"glue"}; });
  refused([](Settings& s) { s.controls = {"replay:/nowhere.csv"}; });
  refused([](Settings& s) { s.start = "mess"; });
  refused([](Settings& s) { s.scenes = {}; });
  refused([](Settings& s) { s.precisions = {}; });
  refused([](Settings& s) { s.keyframe = 3; });
  refused([](Settings& s) { s.rules.min_reps = 0; });
  refused([](Settings& s) { s.rules.max_noise = 0; });
}

TEST_F(PlanTest, IdentifiersAreStableAndDistinct) {
  settings_.timesteps_s = {std::nullopt, 0.001};
  settings_.densities = {std::nullopt, 16};
  settings_.controls = {"noise", "zero"};
  const auto a = plan(), b = plan();
  std::set<std::string> ids;
  for (const auto& c : a.cells) ids.insert(c.id.cell_id);
  EXPECT_EQ(ids.size(), a.cells.size());
  EXPECT_EQ(a.plan_id, b.plan_id);
  EXPECT_EQ(a.cells.back().id.cell_id, b.cells.back().id.cell_id);
  // A cell keeps its identifier in another plan.
  settings_.worlds = {1024};
  settings_.timesteps_s = {0.001};
  const auto c = plan();
  EXPECT_NE(c.plan_id, a.plan_id);
  for (const auto& cell : c.cells) EXPECT_TRUE(ids.contains(cell.id.cell_id));
}

// Loads two files of the same content.
class TwinLoader : public FakeLoader {
 public:
  std::shared_ptr<const LoadedScene> load(const SceneRequest& r) override {
    auto s = std::make_shared<LoadedScene>(*FakeLoader::load(r));
    s->sha = "same";
    return s;
  }
};

TEST_F(PlanTest, FilesOfTheSameContentAreTwoScenes) {
  TwinLoader loader;
  settings_.worlds = {1};
  settings_.scenes = {"a.xml", "b.xml", "a.xml"};
  const auto p = make_plan(settings_, loader, engines_);
  std::set<std::string> ids;
  for (const auto& c : p.cells) ids.insert(c.id.cell_id);
  EXPECT_EQ(p.cells.size(), 6u);  // the file named twice counts once
  EXPECT_EQ(ids.size(), 6u);
  settings_.scenes = {"a.xml"};
  const auto alone = make_plan(settings_, loader, engines_);
  EXPECT_EQ(alone.cells[0].id.cell_id, p.cells[0].id.cell_id);
}

TEST_F(PlanTest, WhatChangesAResultChangesTheIdentifier) {
  settings_.worlds = {1};
  const auto id = [&] { return plan().cells[0].id.cell_id; };
  const auto base = id();
  const auto differs = [&](auto&& change) {
    const auto before = settings_;
    change(settings_);
    EXPECT_NE(id(), base);
    settings_ = before;
  };
  differs([](Settings& s) { s.seed = 1; });
  differs([](Settings& s) { s.settle = 1; });
  differs([](Settings& s) { s.start = "file"; });
  differs([](Settings& s) { s.control_period = 1; });
  differs([](Settings& s) { s.layout = batch::Layout::kSingle; });
  differs([](Settings& s) { s.max_contacts = 5; });
  differs([](Settings& s) { s.options = {{"cone", "elliptic"}}; });
}

TEST_F(PlanTest, OverridesAreListedAndMarkTheRowOpen) {
  settings_.worlds = {1};
  EXPECT_EQ(plan().cells[0].id.marks, "");
  settings_.options = {{"cone", "elliptic"}, {"flag.warmstart", "disable"}};
  settings_.max_contacts = 9;
  const auto p = plan();
  EXPECT_EQ(p.cells[0].scene.overrides, "cone=elliptic;flag.warmstart=disable;max_contacts=9");
  EXPECT_EQ(p.cells[0].id.marks, kOpen);
  EXPECT_EQ(p.cells.back().scene.overrides, "cone=elliptic;flag.warmstart=disable");  // mujoco
}

TEST_F(PlanTest, ASolverThatDoesNotExistIsReplacedAndListed) {
  settings_.worlds = {1};
  loader_.solver = model::kCg;
  const auto p = plan();
  EXPECT_EQ(p.cells[0].cell.solver, "newton");
  EXPECT_EQ(p.cells[0].scene.overrides, "solver=newton(file:cg)");
  EXPECT_EQ(p.cells.back().cell.engine, "mujoco");
  EXPECT_EQ(p.cells.back().cell.solver, "cg");
  EXPECT_EQ(p.cells.back().scene.overrides, "");

  EXPECT_EQ(choose_contact("pgs", model::kNewton, {"newton"}).substitution,
            "solver=newton(asked:pgs)");
  EXPECT_EQ(choose_contact("pgs", model::kNewton, {"newton", "pgs"}).substitution, "");
  EXPECT_EQ(choose_contact("file", model::kPgs, {"newton"}).model, "newton");
  EXPECT_THROW(choose_contact("tgs", model::kNewton, {"newton"}), UsageError);
}

TEST_F(PlanTest, ShardsHoldEachCellOnceAndKeepGroupsTogether) {
  settings_.worlds = {1, 2, 4, 8, 16};
  settings_.shard.count = 3;
  std::multiset<std::string> seen;
  std::map<std::string, int> shard_of_group;
  for (int i = 1; i <= 3; ++i) {
    settings_.shard.index = i;
    const auto p = plan();
    EXPECT_FALSE(p.mine().empty());
    for (const auto* c : p.mine()) {
      seen.insert(c->id.cell_id);
      const auto [at, fresh] = shard_of_group.emplace(c->group, i);
      EXPECT_EQ(at->second, i) << c->group;
    }
  }
  EXPECT_EQ(seen.size(), plan().cells.size());
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), seen.size());
}

TEST_F(PlanTest, EachCellHasACost) {
  for (const auto& c : plan().cells) {
    EXPECT_GT(c.cost.seconds, 0);
    EXPECT_GT(c.cost.bytes, 0);
  }
}

TEST_F(PlanTest, SceneErrorsPassThrough) {
  settings_.scenes = {"missing.xml"};
  EXPECT_THROW(plan(), std::runtime_error);
}

}  // namespace
}  // namespace stepbench::bench
