// Default classes, frames, replicates, includes.
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/engine/model/reader_support.h"

namespace stepbench::model::testing {
namespace {

using A3 = std::array<double, 3>;
using A4 = std::array<double, 4>;
constexpr double kHalf = 0.70710678118654752;

std::vector<std::string> body_names(const Spec& spec) {
  std::vector<std::string> names;
  for (size_t i = 1; i < spec.bodies.size(); ++i) names.push_back(spec.bodies[i].name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Defaults, OwnClassThenNearestChildclassThenMain) {
  const Spec spec = read(R"(
    <default>
      <geom condim="1" margin="1"/>
      <default class="outer"><geom condim="3" gap="2"/>
        <default class="inner"><geom condim="4"/></default>
      </default>
      <default class="other"><geom condim="6"/></default>
    </default>
    <worldbody>
      <geom/>
      <body childclass="outer"><geom/><geom class="other"/><geom class="main"/>
        <frame childclass="inner"><geom/><body><geom/></body>
          <body childclass="other"><geom/></body></frame>
        <geom condim="1"/>
      </body>
    </worldbody>)");
  EXPECT_EQ(spec.bodies[0].geoms[0].condim, 1);
  const std::vector<Geom>& g = spec.bodies[1].geoms;
  EXPECT_EQ(g[0].condim, 3);
  EXPECT_EQ(g[0].margin, 1);  // inherited by the class
  EXPECT_EQ(g[0].gap, 2);
  EXPECT_EQ(g[1].condim, 6);
  EXPECT_EQ(g[1].gap, 0);
  EXPECT_EQ(g[2].condim, 1);
  EXPECT_EQ(g[3].condim, 4);
  EXPECT_EQ(g[4].condim, 1);
  EXPECT_EQ(spec.bodies[2].geoms[0].condim, 4);
  EXPECT_EQ(spec.bodies[3].geoms[0].condim, 6);
}

TEST(Defaults, ClassTakesItsOwnElementsWhereverTheyStand) {
  const Spec spec = read(
      "<default><default class='x'><geom size='1'/></default><geom condim='1'/></default>"
      "<default class='main'><geom margin='3'/></default>"
      "<worldbody><geom class='x'/><geom/></worldbody>");
  EXPECT_EQ(spec.bodies[0].geoms[0].condim, 1);
  EXPECT_EQ(spec.bodies[0].geoms[0].margin, 0);  // the class existed before the second section
  EXPECT_EQ(spec.bodies[0].geoms[1].margin, 3);
}

TEST(Defaults, ElementReplacesAnyOrientation) {
  const Spec spec = read(
      "<default><geom euler='90 0 0'/></default><worldbody><geom quat='1 0 0 "
      "0'/><geom/></worldbody>");
  EXPECT_EQ(spec.bodies[0].geoms[0].quat, (A4{1, 0, 0, 0}));
  expect_near(spec.bodies[0].geoms[1].quat, A4{kHalf, kHalf, 0, 0});
}

TEST(Frames, MoveWhatTheyHold) {
  const Spec spec = read(R"(
    <worldbody>
      <frame pos="1 0 0" euler="0 0 90">
        <geom pos="1 0 0" type="capsule" size="1 1"/>
        <geom type="box" size="1" fromto="0 0 1 0 0 0"/>
        <frame pos="2 0 0"><body pos="1 0 0"><geom pos="5 0 0"/>
          <frame pos="0 0 1" euler="90 0 0"><joint pos="0 1 0" axis="0 1 0"/>
            <inertial pos="0 1 0" mass="1" fullinertia="1 2 3 0 0 0"/><site pos="0 1 0"/></frame>
        </body></frame>
      </frame>
    </worldbody>)");
  const std::vector<Geom>& g = spec.bodies[0].geoms;
  expect_near(g[0].pos, A3{1, 1, 0});
  expect_near(g[0].quat, A4{kHalf, 0, 0, kHalf});
  expect_near(g[1].pos, A3{1, 0, 0.5});
  expect_near(g[1].quat, A4{kHalf, 0, 0, kHalf});
  const Body& b = spec.bodies[1];
  expect_near(b.pos, A3{1, 3, 0});
  expect_near(b.quat, A4{kHalf, 0, 0, kHalf});
  EXPECT_EQ(b.geoms[0].pos, (A3{5, 0, 0}));  // in the body's frame
  expect_near(b.joints[0].pos, A3{0, 0, 2});
  expect_near(b.joints[0].axis, A3{0, 0, 1});
  expect_near(b.sites[0].pos, A3{0, 0, 2});
  expect_near(b.inertial->pos, A3{0, 0, 2});
  // y and z have changed places.
  expect_near(*b.inertial->fullinertia, std::array<double, 6>{1, 3, 2, 0, 0, 0}, 1e-14);
}

TEST(Frames, HaveNoInfluenceOnFreeJoints) {
  const Spec spec = read(
      "<worldbody><body><frame pos='1 2 3'><joint type='free' pos='1 1 "
      "1'/></frame></body></worldbody>");
  EXPECT_EQ(spec.bodies[1].joints[0].type, kJntFree);
}

TEST(Replicates, SuffixesHaveTheDigitsOfTheCount) {
  const auto names = [](const char* count) {
    return body_names(read("<worldbody><replicate count='" + std::string(count) +
                           "' sep='-'><body name='b'/></replicate></worldbody>"));
  };
  EXPECT_EQ(names("1"), (Names{"b-0"}));
  EXPECT_EQ(names("2"), (Names{"b-0", "b-1"}));
  EXPECT_EQ(names("10")[9], "b-09");
  EXPECT_EQ(names("0"), Names{});
  EXPECT_EQ(names("-1"), Names{});
}

TEST(Replicates, NestedSuffixesBeginInside) {
  const Spec spec = read(R"(
    <worldbody>
      <replicate count="2" offset="0 1 0" sep="_">
        <replicate count="2" offset="1 0 0" sep="-"><body name="r"/></replicate>
        <body name="x"/><body/>
      </replicate>
    </worldbody>)");
  EXPECT_EQ(body_names(spec), (Names{"r-0_0", "r-1_0", "x_0", "", "r-0_1", "r-1_1", "x_1", ""}));
  EXPECT_EQ(spec.bodies[6].pos, (A3{1, 1, 0}));
}

// Oracle: MuJoCo 4.0.0, body_pos and body_quat of <replicate count="4" offset="1 .2 .3" euler="20
// 30 40">.
TEST(Replicates, TurnByMultiplesOfTheAngles) {
  const Spec spec = read(
      "<worldbody><replicate count='4' offset='1 .2 .3' euler='20 30 "
      "40'><body/></replicate></worldbody>");
  expect_near(spec.bodies[3].pos, A3{1.70207987, 0.96814928, 0.51686526}, 1e-8);
  expect_near(spec.bodies[3].quat,
              A4{5.13482036e-01, 5.28912320e-01, 1.69530665e-01, 6.54100381e-01}, 1e-8);
  expect_near(spec.bodies[4].pos, A3{1.9502308, 1.63976422, 1.30258435}, 1e-7);
  expect_near(spec.bodies[4].quat, A4{0, kHalf, 0, kHalf}, 1e-8);
}

TEST(Replicates, CopyWhatRefersIntoThem) {
  const Spec spec = read(R"(
    <worldbody>
      <body name="s"><joint name="s"/><geom name="s"/></body>
      <replicate count="2"><body name="o"><joint name="o"/><geom name="o"/>
        <replicate count="2"><body name="i"><joint name="i"/><geom name="i"/></body></replicate>
      </body></replicate>
    </worldbody>
    <actuator><motor name="a" joint="i"/><motor joint="o"/><motor name="c" joint="s"/>
      <motor name="d" joint="o1"/></actuator>
    <contact><pair geom1="s" geom2="o"/><pair geom1="o" geom2="i"/><exclude body1="i" body2="s"/></contact>)");
  Names actuators;
  for (const Actuator& a : spec.actuators) actuators.push_back(a.name + ":" + a.joint);
  EXPECT_EQ(actuators,
            (Names{"c:s", "d:o1", ":o0", "a00:i00", "a10:i10", ":o1", "a01:i01", "a11:i11"}));
  Names pairs;
  for (const Pair& p : spec.pairs) pairs.push_back(p.geom1 + "-" + p.geom2);
  EXPECT_EQ(pairs, (Names{"s-o0", "o0-i00", "o0-i10", "s-o1", "o1-i01", "o1-i11"}));
  EXPECT_EQ(spec.excludes.size(), 4u);
  EXPECT_EQ(spec.excludes[1].body1, "i10");
}

TEST(Replicates, DropWhatRefersIntoNothing) {
  const Spec spec = read(
      "<worldbody><replicate count='0'><body name='b'><joint "
      "name='j'/></body></replicate></worldbody>"
      "<actuator><motor joint='j'/></actuator>");
  EXPECT_TRUE(spec.actuators.empty());
}

TEST(Replicates, RefuseReferencesIntoTwo) {
  EXPECT_NE(error_in("<worldbody><replicate count='2'><geom name='a' size='1'/></replicate>"
                     "<replicate count='2'><geom name='b' size='1'/></replicate></worldbody>"
                     "<contact><pair geom1='a' geom2='b'/></contact>"),
            "");
}

TEST(Replicates, RefuseBareJoints) {
  EXPECT_NE(
      error_in("<worldbody><body><replicate count='2'><joint/></replicate></body></worldbody>"),
      "");
}

TEST(References, OfIgnoredElementsAreNoted) {
  const Spec spec = read(R"(
    <worldbody>
      <body name="a"><site name="s"/></body>
      <replicate count="2"><body name="b"><geom name="g"/></body></replicate>
      <camera mode="targetbody" target="b"/>
    </worldbody>
    <sensor><force site="s"/><subtreecom body="b"/><distance geom1="g" body2="a"/>
      <framepos objtype="body" objname="a"/></sensor>)");
  EXPECT_FALSE(spec.bodies[1].fuse);
  EXPECT_EQ(spec.referenced_geoms, (Names{"g0", "g1"}));
  EXPECT_EQ(spec.referenced_bodies, (Names{"b0", "b1", "a", "a", "b0", "b1"}));
}

// Files of an include test, removed at the end.
class Includes : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() /
        ("stepbench_includes_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "sub" / "deep");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string error() {
    try {
      read_mjcf(folder_ / "main.xml");
    } catch (const ModelError& e) {
      return e.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(Includes, AreInlinedAnywhere) {
  write("main.xml",
        "<mujoco><include file='sub/a.xml'/>\n<worldbody><body name='b'><include "
        "file='g.xml'/></body>"
        "</worldbody></mujoco>");
  write("sub/a.xml",
        "<mujocoinclude><compiler angle='radian'/><default><geom condim='1'/></default>"
        "</mujocoinclude>");
  write("g.xml", "<anything>\n<geom euler='1 0 0'/></anything>");
  const Spec spec = read_mjcf(folder_ / "main.xml");
  ASSERT_EQ(spec.files.size(), 3u);
  const Geom& g = spec.bodies[1].geoms.at(0);
  EXPECT_EQ(g.condim, 1);
  EXPECT_NEAR(g.quat[0], std::cos(0.5), 1e-15);
  EXPECT_EQ(g.source.line, 2);
  EXPECT_EQ(spec.files[static_cast<size_t>(g.source.file)], (folder_ / "g.xml").string());
}

TEST_F(Includes, AreRelativeToTheMainFileThenToTheirOwn) {
  write("main.xml", "<mujoco><include file='sub/a.xml'/></mujoco>");
  write("sub/a.xml", "<x><include file='deep/b.xml'/></x>");
  write("sub/deep/b.xml", "<x><worldbody><geom size='1'/></worldbody></x>");
  EXPECT_EQ(read_mjcf(folder_ / "main.xml").bodies[0].geoms[0].size[0], 1);
  std::filesystem::create_directories(folder_ / "deep");
  write("deep/b.xml", "<x><worldbody><geom size='2'/></worldbody></x>");
  EXPECT_EQ(read_mjcf(folder_ / "main.xml").bodies[0].geoms[0].size[0], 2);
}

TEST_F(Includes, AreRefusedTwiceInCyclesEmptyAndMissing) {
  write("a.xml", "<x><worldbody/></x>");
  write("e.xml", "<x/>");
  for (const char* inner :
       {"<include file='a.xml'/><include file='./sub/../a.xml'/>", "<include file='main.xml'/>",
        "<include file='e.xml'/>", "<include file='nowhere.xml'/>", "<include/>",
        "<include file='sub'/>", "<include file='/dev/zero'/>",
        "<include file='a.xml'><geom/></include>"}) {
    write("main.xml", "<mujoco>\n" + std::string(inner) + "</mujoco>");
    EXPECT_NE(error().find("main.xml:2: <include>"), std::string::npos) << inner << ": " << error();
  }
}

}  // namespace
}  // namespace stepbench::model::testing
