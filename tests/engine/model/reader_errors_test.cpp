// What a person sees when a file cannot be read: one line with file, line, element and a way out.
#include <filesystem>
#include <fstream>

#include "engine/model/compile.h"
#include "tests/engine/model/reader_support.h"

namespace stepbench::model::testing {
namespace {

TEST(ReaderErrors, NameFileLineElementAndHint) {
  EXPECT_EQ(error_of("<mujoco>\n<worldbody>\n<boddy name='a'/></worldbody></mujoco>"),
            "scene.xml:3: <boddy \"a\"> unknown element in <worldbody>; did you mean 'body'?");
  EXPECT_EQ(error_in("<worldbody><geom name='g' sise='1'/></worldbody>"),
            "scene.xml:1: <geom \"g\"> unknown attribute 'sise'; did you mean 'size'?");
  EXPECT_EQ(
      error_in("<worldbody><body><joint type='hinges'/></body></worldbody>"),
      "scene.xml:1: <joint> attribute 'type': unknown keyword 'hinges'; choose one of free, ball, "
      "slide, hinge");
  EXPECT_EQ(error_in("<worldbody><body pos='0 1'/></worldbody>"),
            "scene.xml:1: <body> attribute 'pos' holds 2 numbers; expected 3");
  EXPECT_EQ(error_in("<worldbody><geom size='1 2 3 4'/></worldbody>"),
            "scene.xml:1: <geom> attribute 'size' holds 4 numbers; expected 1 to 3");
  EXPECT_EQ(
      error_in(
          "<default><default class='wheel'/></default><worldbody><geom class='whel'/></worldbody>"),
      "scene.xml:1: <geom> default class 'whel' is not defined; did you mean 'wheel'?");
}

TEST(ReaderErrors, MalformedXml) {
  EXPECT_EQ(error_of(""), "scene.xml: file is empty; an MJCF file begins with <mujoco>");
  for (const char* text : {"<mujoco>", "<mujoco></mujocco>", "text", "<a b='1' b='2'/>", "<",
                           "<mujoco a=>", "<!-- -->", "<mujoco/><mujoco", "\xff\xfe<"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
  EXPECT_EQ(error_of("<robot/>"),
            "scene.xml:1: <robot> root element is not <mujoco>; URDF is not supported; convert it "
            "to MJCF");
  EXPECT_EQ(
      error_of("\n<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>"),
      "scene.xml:2: document type declarations are not accepted; remove <!DOCTYPE ...> and write "
      "entities out");
  EXPECT_NE(error_of(std::string("<mujoco/>\0", 10)), "");
  EXPECT_EQ(error_of("<!-- <!DOCTYPE --><mujoco/>"), "");
}

TEST(ReaderErrors, StayOneLineWhateverTheFileHolds) {
  const std::string error = error_in("<worldbody><geom type='a&#10;b\xff'/></worldbody>");
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_NE(error.find("'a b?'"), std::string::npos) << error;
  EXPECT_LT(
      error_in("<worldbody><geom type='" + std::string(100000, 'x') + "'/></worldbody>").size(),
      500u);
}

TEST(ReaderErrors, NamesArePrintableUtf8) {
  EXPECT_EQ(error_in("<worldbody><body name='\xc3\xa4\xe2\x82\xac'/></worldbody>"), "");
  for (const char* bad :
       {"\xe4", "\xc0\x80", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "a\xc3", "&#1;"}) {
    EXPECT_NE(error_in("<worldbody><body name='" + std::string(bad) + "'/></worldbody>"), "")
        << bad;
    EXPECT_NE(error_in("<sensor><clock name='" + std::string(bad) + "'/></sensor>"), "") << bad;
  }
}

TEST(ReaderErrors, ListAllThatIsUnsupported) {
  const std::string inner =
      "\n<option noslip_iterations='3' density='1.2'><flag sleep='enable'/></option>\n"
      "<worldbody><body><joint name='j' springyield='1'/><geom adhesion='1'/></body></worldbody>\n"
      "<equality><weld body1='a' body2='b'/>\n<weld body1='a' body2='c'/></equality>\n"
      "<actuator><motor site='s'/><general joint='j' dyntype='muscle'/><adhesion body='b'/>"
      "<motor joint='j' delay='1'/></actuator>";
  const std::string error = error_in(inner);
  for (const char* part :
       {"<equality/weld> (scene.xml:4,5)", "<actuator/adhesion> (scene.xml:6)",
        "<motor> site (scene.xml:6)", "<general> dyntype=\"muscle\"", "<motor> delay",
        "<option> noslip_iterations (scene.xml:2)", "<option> density (fluid)",
        "<flag> sleep=\"enable\"", "<joint> springyield (scene.xml:3)", "<geom> adhesion",
        "--ignore-unsupported"}) {
    EXPECT_NE(error.find(part), std::string::npos) << part << " in " << error;
  }
  ReadOptions options;
  options.ignore_unsupported = true;
  const Spec spec = read(inner, options);
  EXPECT_TRUE(spec.open());
  EXPECT_EQ(spec.unsupported.size(), 11u);
  EXPECT_TRUE(spec.actuators.empty());
}

TEST(ReaderErrors, HarmlessValuesOfUnsupportedFeaturesPass) {
  EXPECT_EQ(
      error_in("<option density='0' noslip_iterations='0' wind='1 0 0' magnetic='1 0 0'>"
               "<flag sleep='disable' multiccd='enable' fwdinv='enable'/></option><worldbody>"
               "<geom adhesion='0' surfacevel='0 0 0 0 0 0' fluidshape='ellipsoid'/></worldbody>"
               "<equality/><tendon/><default><tendon/><equality/></default>"),
      "");
}

TEST(ReaderErrors, MeshesPassAsDecorationOnly) {
  const std::string asset = "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>";
  const auto scene = [&](const std::string& body) {
    return error_in(asset + "<worldbody><body>" + body + "</body></worldbody>");
  };
  const std::string inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  const std::string visual = "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/>";
  EXPECT_EQ(scene(inertial + visual), "");
  EXPECT_EQ(
      scene("<geom size='1'/><geom type='mesh' mesh='m' contype='0' conaffinity='0' mass='0'/>"),
      "");
  EXPECT_EQ(
      scene("<geom size='1'/><geom type='mesh' mesh='m' contype='0' conaffinity='0' density='0'/>"),
      "");
  EXPECT_NE(scene(visual), "");                                     // gives the body its mass
  EXPECT_NE(scene(inertial + "<geom type='mesh' mesh='m'/>"), "");  // collides
  EXPECT_NE(scene(inertial + "<geom type='box' mesh='m'/>"), "");   // fitted to the mesh
  EXPECT_NE(scene(inertial + "<geom type='mesh' mesh='n' contype='0' conaffinity='0'/>"), "");
  EXPECT_EQ(error_in(asset + "<worldbody>" + visual + "</worldbody>"),
            "");  // the world has no mass
  EXPECT_EQ(
      error_in("<compiler inertiagrouprange='0 1'/>" + asset +
               "<worldbody><body><geom type='mesh' mesh='m' contype='0' conaffinity='0' group='2'/>"
               "</body></worldbody>"),
      "");
  EXPECT_NE(
      error_in(
          asset + "<worldbody><body>" + inertial +
          "<geom name='g' type='mesh' mesh='m' contype='0' conaffinity='0'/></body></worldbody>"
          "<contact><pair geom1='g' geom2='h'/></contact>"),
      "");
}

TEST(ReaderErrors, RefuseWhatHasNoMeaning) {
  for (const char* inner : {"<worldbody><joint/></worldbody>",
                            "<worldbody><freejoint/></worldbody>",
                            "<worldbody><inertial pos='0 0 0' mass='1'/></worldbody>",
                            "<worldbody name='w'/>",
                            "<worldbody><geom quat='1 0 0 0' euler='0 0 0'/></worldbody>",
                            "<worldbody><geom quat='0 0 0 0'/></worldbody>",
                            "<worldbody><geom zaxis='0 0 0'/></worldbody>",
                            "<worldbody><geom xyaxes='1 0 0 2 0 0'/></worldbody>",
                            "<worldbody><geom axisangle='0 0 0 1'/></worldbody>",
                            "<worldbody><geom class=''/></worldbody>",
                            "<worldbody><body childclass='x'/></worldbody>",
                            "<default class='x'/>",
                            "<default><default/></default>",
                            "<default><default class='a'/><default class='a'/></default>",
                            "<default><geom/><geom/></default>",
                            "<default><geom name='x'/></default>",
                            "<option timestep='0'/>",
                            "<option timestep='-1'/>",
                            "<option impratio='0'/>",
                            "<option iterations='-1'/>",
                            "<option><flag contact='true'/></option>",
                            "<compiler coordinate='global'/>",
                            "<compiler eulerseq='xyw'/>",
                            "<compiler eulerseq='xyzx'/>",
                            "<compiler inertiagrouprange='3'/>",
                            "<contact><pair geom1='a'/></contact>",
                            "<actuator><motor/></actuator>",
                            "<actuator><motor joint='a' jointinparent='b'/></actuator>",
                            "<worldbody><replicate offset='1 0 0'/></worldbody>",
                            "<foo/>",
                            "<worldbody><composite/></worldbody>",
                            "<size nkey='1000000000'/>",
                            "<worldbody><site type='plane'/></worldbody>"}) {
    EXPECT_NE(error_in(inner), "") << inner;
  }
}

TEST(ReaderErrors, MissingFilesAndDirectories) {
  EXPECT_THROW(read_mjcf("/nonexistent/scene.xml"), ModelError);
  EXPECT_THROW(read_mjcf("/"), ModelError);
  EXPECT_THROW(read_mjcf("/dev/zero"), ModelError);
}

TEST(ReaderErrors, BombsAreRefusedBeforeTheyGrow) {
  const auto bomb = [](const std::string& inner) {
    return error_in("<worldbody>" + inner + "</worldbody>").find("too large") != std::string::npos;
  };
  EXPECT_TRUE(bomb("<replicate count='100000000'><geom size='1'/></replicate>"));
  EXPECT_TRUE(bomb("<replicate count='2000000000'/>"));
  std::string nested = "<geom size='1'/>";
  for (int i = 0; i < 20; ++i) nested = "<replicate count='10'>" + nested + "</replicate>";
  EXPECT_TRUE(bomb(nested));
  const std::string million = "<replicate count='900000'><geom size='1'/></replicate>";
  EXPECT_TRUE(bomb(million + million));

  std::string deep;
  for (int i = 0; i < 600; ++i) deep += "<body>";
  EXPECT_NE(error_in("<worldbody>" + deep), "");
  EXPECT_NE(error_of("<mujoco>" + std::string(40 << 20, ' ') + "</mujoco>"), "");
  std::string markup = "<mujoco>";
  for (int i = 0; i < 800'000; ++i) markup += "<a/><a/>";
  EXPECT_NE(error_of(markup + "</mujoco>"), "");
}

// Each file of the malformed set, through reading and compiling.
TEST(ReaderErrors, SharedBadFilesGiveTheExpectedOutcome) {
  const std::filesystem::path folder = std::filesystem::path(SB_SHARED_MODELS) / "bad";
  std::ifstream table(folder / "expected.csv");
  if (!table) GTEST_SKIP() << "no files in " << folder;
  std::string row;
  std::getline(table, row);
  int count = 0;
  while (std::getline(table, row)) {
    const size_t first = row.find(','), second = row.find(',', first + 1);
    const std::string file = row.substr(0, first);
    const std::string expected = row.substr(first + 1, second - first - 1);
    std::string outcome = "ok";
    try {
      const Spec spec = read_mjcf(folder / file);
      compile(spec);
      if (!spec.warnings.empty()) outcome = "warning";
    } catch (const ModelError& error) {
      outcome = "error";
      const std::string line = error.what();
      EXPECT_EQ(line.find('\n'), std::string::npos) << file;
      EXPECT_NE(line.find(file.substr(0, file.find('.'))), std::string::npos) << line;
    }
    EXPECT_EQ(outcome, expected) << file;
    ++count;
  }
  EXPECT_GE(count, 32);
}

}  // namespace
}  // namespace stepbench::model::testing
