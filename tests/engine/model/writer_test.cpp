// Written scenes are plain MJCF that reads back bit for bit.
#include "engine/model/writer.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/model/compile.h"
#include "tests/engine/model/reader_support.h"

namespace stepbench::model::testing {
namespace {

const char kEverything[] = R"(
  <compiler angle="radian" eulerseq="zyx" boundmass="0.001" boundinertia="1e-6" balanceinertia="true"
    inertiafromgeom="true" inertiagrouprange="0 3" alignfree="true" fusestatic="true" discardvisual="true"/>
  <option timestep="0.003" impratio="2" gravity="0 1 -9" integrator="RK4" cone="elliptic" solver="CG"
    jacobian="dense" iterations="7" ls_iterations="8" tolerance="1e-7" ls_tolerance="0.02" o_margin="0.1"
    o_solref="0.1 2" o_friction="1 2 3 4 5" actuatorgroupdisable="1 30">
    <flag contact="disable" multiccd="disable" override="enable" energy="enable"/></option>
  <size nkey="2"/>
  <default><joint damping="1 2 3"/><geom friction="0.3"/></default>
  <worldbody>
    <geom name="&lt;floor&gt; &amp; &quot;wall&quot;" type="plane" size="1 1 1"/>
    <replicate count="2" offset="1 0 0" euler="0.1 0.2 0.3">
      <body name="a" gravcomp="0.5" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
        <inertial pos="0 0 1" mass="2" diaginertia="1 1 1" quat="1 2 3 4"/>
        <joint name="h" range="-1 1" ref="0.1" springref="0.2" stiffness="3" armature="0.1" margin="0.01"
          frictionloss="0.1" axis="1 2 3" pos="1 0 0" solreflimit="0.1 2" solimpfriction="0.8"
          actuatorfrcrange="-2 2" actuatorgravcomp="true" group="3"/>
        <joint name="s" type="slide" springdamper="0.1 1"/>
        <geom type="capsule" size="0.1" fromto="0 0 0 1 2 3" mass="1" condim="4" priority="1" solmix="0.3"
          solref="-100 -10" solimp="0.8 0.9" margin="0.2" gap="0.1" group="2" shellinertia="true"/>
        <geom name="g" type="ellipsoid" size="1 2 3" contype="2" conaffinity="4" density="7"/>
        <site name="t" type="box" size="0.1 0.2 0.3" pos="1 1 1"/>
        <body fuse="false"><inertial pos="0 0 0" mass="1" fullinertia="1 2 3 0.1 0.2 0.3"/></body>
      </body>
    </replicate>
    <body mocap="true" name="m"><geom type="box" size="1 1 1"/></body>
    <body><freejoint align="false" name="f"/><geom type="cylinder" size="1 1"/></body>
  </worldbody>
  <contact><pair name="p" geom1="g" geom2="&lt;floor&gt; &amp; &quot;wall&quot;" condim="6"
    friction="1 2 3" solreffriction="0.1 1" gap="0.1"/><exclude body1="a" body2="m"/></contact>
  <actuator><position name="q" joint="h" kp="3" dampratio="1" inheritrange="0.5" forcerange="-1 1"/>
    <general jointinparent="s" dyntype="filter" gaintype="affine" gainprm="1 2 3" biastype="affine"
      biasprm="1 2 3 4 5 6 7 8 9 10" actearly="true" actrange="-1 1" damping="1 2" armature="3" group="1"/>
  </actuator>
  <keyframe><key name="k" time="1" mpos="1 2 3" mquat="1 0 0 0"/></keyframe>
  <sensor><framepos objtype="geom" objname="g"/><subtreecom body="m"/></sensor>)";

TEST(Writer, ReadsBackToTheSameText) {
  const std::string once = write_mjcf(read(kEverything));
  const Spec again = read_mjcf_string(once, "written.xml");
  EXPECT_EQ(write_mjcf(again), once);
  for (const char* part :
       {"replicate", "frame", "default", "euler", "fromto", "position", "include"}) {
    EXPECT_EQ(once.find('<' + std::string(part)), std::string::npos) << part;
  }
}

void expect_same_model(const Spec& a, const Spec& b) {
  const auto one = compile(a), two = compile(b);
  std::ostringstream first, second;
  first.precision(17);
  second.precision(17);
  const auto dump = [](std::ostringstream& out) {
    return [&out](const char* name, const auto& values, int, int) {
      out << name << ':';
      for (const auto& v : values) out << ' ' << v;
      out << '\n';
    };
  };
  for_each_field(*one, dump(first));
  for_each_field(*two, dump(second));
  EXPECT_EQ(first.str(), second.str());
  EXPECT_EQ(one->names.body, two->names.body);
  EXPECT_EQ(one->names.geom, two->names.geom);
  EXPECT_EQ(one->names.actuator, two->names.actuator);
}

TEST(Writer, CompilesToTheSameModel) {
  const Spec spec = read(kEverything);
  expect_same_model(spec, read_mjcf_string(write_mjcf(spec), "written.xml"));
}

TEST(Writer, EmptyWorld) {
  const std::string text = write_mjcf(read("<worldbody/>"));
  EXPECT_NE(text.find("<worldbody/>"), std::string::npos) << text;
  EXPECT_EQ(read_mjcf_string(text, "w.xml").bodies.size(), 1u);
}

TEST(Writer, OverridesAndDensityAreInTheText) {
  ReadOptions options;
  options.overrides = {{"timestep", "0.25"}, {"flag.contact", "disable"}};
  options.density = 2;
  const std::string text = write_mjcf(read("<worldbody/>", options));
  EXPECT_NE(text.find("timestep=\"0.25\""), std::string::npos);
  EXPECT_NE(text.find("contact=\"disable\""), std::string::npos);
  EXPECT_NE(text.find("density_1"), std::string::npos);
}

// Every model of the corpus that needs nothing unsupported.
TEST(Writer, SharedModelsReadBackToTheSameModel) {
  const std::filesystem::path folder = SB_SHARED_MODELS;
  std::ifstream table(folder / "corpus.csv");
  if (!table) GTEST_SKIP() << "no models in " << folder;
  std::string row;
  std::getline(table, row);
  int count = 0;
  while (std::getline(table, row)) {
    std::istringstream columns(row);
    std::string path, source, tier, tier_nosensor;
    std::getline(columns, path, ',');
    std::getline(columns, source, ',');
    std::getline(columns, tier, ',');
    std::getline(columns, tier_nosensor, ',');
    if (tier_nosensor != "0" && tier_nosensor != "1") continue;
    SCOPED_TRACE(path);
    const Spec spec = read_mjcf(folder / path);
    expect_same_model(spec, read_mjcf_string(write_mjcf(spec), "written.xml"));
    ++count;
  }
  EXPECT_GE(count, 17);
}

}  // namespace
}  // namespace stepbench::model::testing
