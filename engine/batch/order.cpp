#include "engine/batch/order.h"

#include <algorithm>
#include <numeric>

namespace stepbench::batch {

namespace {

// Iterations that sorting must spare each pack; moving a state costs about as much as one.
constexpr float kLeastGain = 2;
// What a row between moving bodies adds to a step, in iterations.
constexpr float kRowIterations = 0.125f;

// Iterations' worth of work that all packs wait for; at(i): work of the i-th world.
template <class At>
float waiting(std::size_t n, std::size_t lanes, At at) {
  float sum = 0;
  for (std::size_t first = 0; first < n; first += lanes) {
    Work most;
    for (std::size_t i = first; i < std::min(n, first + lanes); ++i) {
      most.iterations = std::max(most.iterations, at(i).iterations);
      most.coupled_rows = std::max(most.coupled_rows, at(i).coupled_rows);
    }
    sum += most.iterations + kRowIterations * most.coupled_rows;
  }
  return sum;
}

}  // namespace

WorldOrder::WorldOrder(std::int64_t nworld) : place_(size_t(nworld)), world_(size_t(nworld)) {
  std::iota(place_.begin(), place_.end(), 0);
  std::iota(world_.begin(), world_.end(), 0);
}

bool WorldOrder::plan(std::int64_t begin, std::span<const Work> work, int lanes,
                      std::vector<std::int32_t>& from) {
  const std::size_t n = work.size(), width = size_t(lanes);
  const float least = kLeastGain * float((n + width - 1) / width);
  const float now = waiting(n, width, [&](std::size_t i) { return work[i]; });
  if (now < least) return false;
  from.resize(n);
  std::iota(from.begin(), from.end(), std::int32_t(begin));
  const auto of = [&](std::int32_t place) -> const Work& { return work[size_t(place - begin)]; };
  std::sort(from.begin(), from.end(), [&](std::int32_t a, std::int32_t b) {
    const Work &x = of(a), &y = of(b);
    if (x.coupled_rows != y.coupled_rows) return x.coupled_rows > y.coupled_rows;
    if (x.iterations != y.iterations) return x.iterations > y.iterations;
    return a < b;
  });
  return now - waiting(n, width, [&](std::size_t i) { return of(from[i]); }) >= least;
}

void WorldOrder::permute(std::int64_t begin, std::span<const std::int32_t> from) {
  std::vector<std::int32_t> worlds(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) worlds[i] = world_[size_t(from[i])];
  for (std::size_t i = 0; i < from.size(); ++i) {
    world_[size_t(begin) + i] = worlds[i];
    place_[size_t(worlds[i])] = std::int32_t(begin) + std::int32_t(i);
  }
}

}  // namespace stepbench::batch
