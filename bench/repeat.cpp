#include "bench/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bench/digest.h"

namespace stepbench::bench {

std::int64_t default_repeat_steps(int nv, std::int64_t worlds) {
  // 700 humanoids of 27 dofs fit in full; beyond 100 dofs a step costs more than in proportion.
  const double size = double(worlds) * nv * std::max(1.0, nv / 100.0);
  return std::clamp(std::int64_t(100 * 20'000 / std::max(size, 1.0)), std::int64_t{10},
                    std::int64_t{100});
}

std::vector<std::uint64_t> hash_worlds(Instance& instance) {
  std::vector<std::uint64_t> hashes(std::size_t(instance.worlds()));
  for (std::size_t w = 0; w < hashes.size(); ++w) hashes[w] = instance.hash(std::int64_t(w));
  return hashes;
}

std::uint64_t combine_hashes(std::span<const std::uint64_t> hashes, std::int64_t first_world) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < hashes.size(); ++w) {
    sum += world_term(first_world + std::int64_t(w), hashes[w]);
  }
  return sum;
}

Repeatability study_repeatability(Instance& instance, const MakeInstance& make,
                                  const RepeatRequest& r) {
  std::vector<std::uint64_t> reference;
  std::vector<bool> equal;
  std::set<std::uint64_t> outcomes;
  std::vector<std::string> threads;
  const auto run = [&](Instance& i, int thread_count) {
    i.set_states(*r.start, r.first_world);
    i.run(r.steps, r.controls);
    const auto hashes = hash_worlds(i);
    if (reference.empty()) {
      reference = hashes;
      equal.assign(hashes.size(), true);
    }
    for (std::size_t w = 0; w < hashes.size(); ++w) {
      equal[w] = equal[w] && hashes[w] == reference[w];
    }
    outcomes.insert(combine_hashes(hashes, r.first_world));
    threads.push_back(fmt::format("{}", thread_count));
  };
  const double begin = r.clock();
  run(instance, r.threads);
  const bool slow = r.clock() - begin > r.slow_s;
  run(instance, r.threads);
  if (r.other_threads > 0 && !slow) run(*make(r.other_threads), r.other_threads);

  Repeatability out;
  out.repeat_steps = r.steps;
  out.repeat_runs = Int(threads.size());
  out.repeat_threads = fmt::format("{}", fmt::join(threads, ";"));
  out.state_hash = hex64(combine_hashes(reference, r.first_world));
  out.repeat_equal_frac =
      double(std::count(equal.begin(), equal.end(), true)) / double(equal.size());
  out.repeat_distinct = Int(outcomes.size());
  return out;
}

}  // namespace stepbench::bench
