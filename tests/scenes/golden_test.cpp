// Golden hashes: the bits of each scene x contact model x precision, equal on every machine and
// compiler.
//
// A change of these numbers is a change of results: make it on purpose, say why in CHANGELOG.md,
// and write the file anew with SB_UPDATE_GOLDEN=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/batch/batch.h"
#include "engine/contact/registry.h"
#include "engine/model/load.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

const fs::path kFile = fs::path(SB_SCENES_DIR).parent_path() / "tests/scenes/golden_hashes.csv";

// Inputs that differ by world and step, without a random generator.
class Sweep final : public batch::ControlSource {
 public:
  void fill(std::int64_t world, std::int64_t step, std::span<double> ctrl) const override {
    for (size_t i = 0; i < ctrl.size(); ++i) {
      ctrl[i] = double((world * 5 + step / 10 * 3 + std::int64_t(i) * 7) % 17 - 8) / 16.0;
    }
  }
  int period() const override { return 10; }
};

std::string hash_of(const std::shared_ptr<const model::Model>& model, const std::string& contact,
                    batch::Precision precision, std::int64_t steps) {
  batch::BatchOptions o;
  o.contact = contact;
  o.precision = precision;
  const auto batch = batch::make_batch(model, 3, o);
  const Sweep controls;
  batch->step(steps, &controls);
  std::ostringstream text;
  for (std::int64_t w = 0; w < 3; ++w) text << (w ? " " : "") << std::hex << batch->hash(w);
  return text.str();
}

// "scene,contact,precision,steps" -> hashes of three worlds.
std::map<std::string, std::string> golden() {
  std::map<std::string, std::string> table;
  std::ifstream in(kFile);
  for (std::string line; std::getline(in, line);) {
    const size_t comma = line.rfind(',');
    if (comma != std::string::npos) table[line.substr(0, comma)] = line.substr(comma + 1);
  }
  return table;
}

TEST(Golden, EachSceneContactModelAndPrecisionGivesTheSameBits) {
  const auto expected = golden();
  std::map<std::string, std::string> got;
  for (const auto& entry : fs::directory_iterator(SB_SCENES_DIR)) {
    if (entry.path().extension() != ".xml") continue;
    const std::string scene = entry.path().stem();
    const auto model = model::load_model(entry.path());
    const std::int64_t steps = model->nv > 100 ? 100 : 300;  // piles are slow and chaotic
    for (const std::string& contact : batch::contact_model_names()) {
      if (!contact::unsupported_reason(*model, contact).empty()) continue;
      for (const auto precision : {batch::Precision::kF32, batch::Precision::kF64}) {
        const std::string key = scene + "," + contact + "," +
                                std::string(batch::to_string(precision)) + "," +
                                std::to_string(steps);
        got[key] = hash_of(model, contact, precision, steps);
      }
    }
  }
  if (std::getenv("SB_UPDATE_GOLDEN") != nullptr) {
    std::ofstream out(kFile);
    out << "scene,contact,precision,steps,hashes of worlds 0 1 2\n";
    for (const auto& [key, hashes] : got) out << key << "," << hashes << "\n";
    GTEST_SKIP() << "wrote " << kFile;
  }
  for (const auto& [key, hashes] : got) {
    const auto it = expected.find(key);
    ASSERT_NE(it, expected.end()) << key << " has no golden hash; see the head of this file";
    EXPECT_EQ(hashes, it->second) << key;
  }
}

}  // namespace
}  // namespace stepbench
