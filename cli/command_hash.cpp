// `stepbench hash`: the 64-bit hash of every world's state after --steps.
#include <fmt/format.h>

#include "bench/digest.h"
#include "bench/hash_run.h"
#include "cli/commands.h"
#include "cli/expect_hash.h"
#include "cli/output.h"
#include "cli/scenes.h"

namespace stepbench::cli {
namespace {

// Differences to what was expected, one line each; empty: all as expected.
std::vector<std::string> differences(const ExpectedHashes& expected, const bench::HashResult& r) {
  std::vector<std::string> all;
  if (expected.one) {
    // A single world may be named by its own hash, as the list shows it.
    const std::string batch = bench::hex64(r.combined);
    const bool own = r.worlds.size() == 1 && bench::hex64(r.worlds[0]) == *expected.one;
    if (batch != *expected.one && !own) {
      all.push_back(fmt::format("hash is {}, expected {}", batch, *expected.one));
    }
    return all;
  }
  for (const auto& [world, want] : expected.by_key) {
    std::size_t w = r.worlds.size();
    try {
      w = std::stoull(world);
    } catch (const std::exception&) {
      all.push_back(fmt::format("'{}' is no world", world));
      continue;
    }
    if (w >= r.worlds.size()) {
      all.push_back(fmt::format("world {} is expected, {} were run", w, r.worlds.size()));
    } else if (bench::hex64(r.worlds[w]) != want) {
      all.push_back(
          fmt::format("world {}: hash is {}, expected {}", w, bench::hex64(r.worlds[w]), want));
    }
  }
  return all;
}

}  // namespace

ExitCode command_hash(const Options& o) {
  std::optional<ExpectedHashes> expected;
  if (!o.expect_hash.empty()) expected = expect_hashes(o.expect_hash, "world", "hash");

  const auto scene = load_scene(o.settings, o.settings.scenes.front());
  bench::EngineSet engines = bench::all_engines();
  const bench::HashResult r =
      bench::hash_after(*engines.find("stepbench"), scene, o.settings, o.steps);

  std::string text = "world,hash\n";
  for (std::size_t w = 0; w < r.worlds.size(); ++w) {
    text += fmt::format("{},{}\n", w, bench::hex64(r.worlds[w]));
  }
  write_out(text);
  note(fmt::format("state_hash of the batch: {}", bench::hex64(r.combined)));

  if (!expected) return kExitOk;
  const auto different = differences(*expected, r);
  if (different.empty()) return kExitOk;
  complain(
      fmt::format("--expect-hash: {}{}", different.front(),
                  different.size() > 1 ? fmt::format(" ({} more)", different.size() - 1) : ""));
  return kExitRepeat;
}

}  // namespace stepbench::cli
