// Compiled models against MuJoCo 4.0.0: a scene for every feature of the loader (golden/scenes.txt)
// and the shared models, with the oracle's numbers in golden/values.csv (made by
// golden/make_values.py, which also explains the checksums). Tolerance 1e-12 relative to the
// magnitude of an array.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/model/load.h"

namespace {

using namespace stepbench::model;
namespace fs = std::filesystem;

fs::path golden(const char* name) { return fs::path(__FILE__).parent_path() / "golden" / name; }

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::string part;
  std::istringstream in(line);
  while (std::getline(in, part, separator)) parts.push_back(part);
  if (!line.empty() && line.back() == separator) parts.emplace_back();
  return parts;
}

using Row = std::map<std::string, std::string>;

// Rows of values.csv; no field holds a comma or a quote.
std::vector<Row> values() {
  std::ifstream in(golden("values.csv"));
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> columns = split(line, ',');
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line, ',');
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells.at(i);
    rows.push_back(row);
  }
  return rows;
}

// MJCF of scenes.txt by name.
std::map<std::string, std::string> scenes() {
  std::ifstream in(golden("scenes.txt"));
  std::map<std::string, std::string> result;
  std::string line, name;
  while (std::getline(in, line)) {
    if (line.rfind("# ", 0) == 0) {
      name = line.substr(2);
    } else {
      result[name] += line + '\n';
    }
  }
  return result;
}

fs::path shared_models() {
  if (const char* path = std::getenv("SB_SHARED_MODELS")) return path;
#ifdef SB_SHARED_MODELS
  return SB_SHARED_MODELS;
#else
  return {};
#endif
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) text += (i ? "|" : "") + names[i];
  return text;
}

void expect_row(const Model& m, const Row& row) {
#define X(size) EXPECT_EQ(std::to_string(m.size), row.at(#size)) << #size;
  SB_MODEL_SIZES(X)
#undef X
  if (m.nv > 0) {
    const double expected = std::stod(row.at("meaninertia"));
    EXPECT_NEAR(m.meaninertia, expected, 1e-12 * expected);
  }
  for_each_field(m, [&](const char* name, const auto& array, int, int) {
    double sum = 0, magnitude = 0;
    for (std::size_t i = 0; i < array.size(); ++i) {
      sum += double(array[i]) * std::cos(double(i));
      magnitude += std::abs(double(array[i]));
    }
    EXPECT_NEAR(sum, std::stod(row.at(name)), 1e-12 * magnitude + 1e-15) << name;
  });
  EXPECT_EQ(joined(m.names.body), row.at("names_body"));
  EXPECT_EQ(joined(m.names.jnt), row.at("names_jnt"));
  EXPECT_EQ(joined(m.names.geom), row.at("names_geom"));
  EXPECT_EQ(joined(m.names.site), row.at("names_site"));
  EXPECT_EQ(joined(m.names.actuator), row.at("names_actuator"));
  EXPECT_EQ(joined(m.names.key), row.at("names_key"));
}

TEST(CompileGolden, EveryFeatureEqualsMuJoCo) {
  const std::map<std::string, std::string> texts = scenes();
  std::size_t count = 0;
  for (const Row& row : values()) {
    const std::string& name = row.at("scene");
    if (name.rfind("shared:", 0) == 0) continue;
    SCOPED_TRACE(name);
    ASSERT_NO_THROW(expect_row(*load_model_string(texts.at(name), name + ".xml"), row));
    ++count;
  }
  EXPECT_EQ(count, texts.size());
}

TEST(CompileGolden, SharedModelsEqualMuJoCo) {
  if (shared_models().empty() || !fs::exists(shared_models() / "corpus.csv")) {
    GTEST_SKIP() << "no folder of shared models (set SB_SHARED_MODELS)";
  }
  for (const Row& row : values()) {
    const std::string& name = row.at("scene");
    if (name.rfind("shared:", 0) != 0) continue;
    SCOPED_TRACE(name);
    ASSERT_NO_THROW(expect_row(*load_model(shared_models() / name.substr(7)), row));
  }
}

}  // namespace
