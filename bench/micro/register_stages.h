// The stages as benchmarks of one lane type.
#pragma once

#include "bench/micro/counting.h"  // before any step code

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

#include "bench/micro/peak.h"
#include "bench/micro/stage_world.h"
#include "bench/micro/stages.h"
#include "engine/contact/registry.h"

namespace stepbench::bench::micro {

// Real values of one vector register of the instruction set that this file is compiled for.
template <class Real>
inline constexpr int kRegisterLanes =
#if defined(__AVX512F__)
    int(64 / sizeof(Real));
#elif defined(__AVX2__)
    int(32 / sizeof(Real));
#else
    int(16 / sizeof(Real));
#endif

// What one call of run(world) takes, in operations and bytes of all lanes.
template <class Lane, class F>
Counts count(const model::Model& m, const StartStates& start, int contact_model, const F& run) {
  Watched::ranges().clear();
  StageWorld<math::Counting<Lane>> w(m, start, contact_model);
  w.watch();
  Counts::now() = {};
  run(w);
  return Counts::now();
}

// Benchmarks of every stage. Packs also tell their rates: FLOP/s, the share of the core's peak
// (peak_frac, 1 = nothing but fused multiply-adds) and bytes/s of arrays; see counting.h.
template <class Lane>
void register_lane(const std::string& scene, const std::string& lanes,
                   const std::shared_ptr<const model::Model>& m,
                   const std::shared_ptr<const StartStates>& start) {
  using World = StageWorld<Lane>;
  using Clock = std::chrono::steady_clock;
  // Made by the first benchmark that runs, so that --benchmark_list_tests costs nothing.
  const auto add = [&](const char* stage, int contact_model, auto&& run) {
    const auto body = [m, start, contact_model, run](benchmark::State& state) {
      World w(*m, *start, contact_model);
      const auto begin = Clock::now();
      for (auto _ : state) {
        run(w);
        benchmark::ClobberMemory();
      }
      const std::chrono::duration<double> elapsed = Clock::now() - begin;
      state.SetItemsProcessed(state.iterations() * World::kLanes);
      if constexpr (World::kLanes > 1) {
        static const double peak = measure_peak<Lane>();
        const Counts c = count<Lane>(*m, *start, contact_model, run);
        const double per_s = double(state.iterations()) / elapsed.count();
        state.counters["flop"] = c.flop / World::kLanes;
        state.counters["bytes"] = c.bytes / World::kLanes;
        state.counters["flop_per_s"] = c.flop * per_s;
        state.counters["bytes_per_s"] = c.bytes * per_s;
        state.counters["peak_frac"] = c.flop * per_s / peak;
      }
    };
    benchmark::RegisterBenchmark((std::string(stage) + "/" + scene + "/" + lanes).c_str(), body);
  };

  add("kinematics", 0, [](auto& w) {
    auto d = w.d();
    dynamics::kinematics(w.p(), w.s(), d);
  });
  add("com_position", 0, [](auto& w) {
    auto d = w.d();
    dynamics::com_position(w.p(), w.s(), d);
  });
  add("composite_inertia", 0, [](auto& w) {
    auto d = w.d();
    dynamics::composite_inertia(w.p(), d);
  });
  if (m->njnt > 0 && World::has_links(*m)) {
    add("link_sweep", 0, [](auto& w) {
      auto d = w.d();
      dynamics::link_sweep(w.p(), w.s(), d);
    });
  }
  add("factor_M", 0, [](auto& w) {
    auto d = w.d();
    dynamics::factor_M(w.p(), d);
  });
  add("narrow_phase", 0, [](auto& w) {
    auto d = w.d();
    collide::narrow_phase(w.p(), w.pairs(), w.npair(), w.s(), d);
  });
  add("make_rows", 0, [](auto& w) { contact::make_rows(w.context()); });
  add("com_velocity", 0, [](auto& w) {
    auto d = w.d();
    dynamics::com_velocity(w.p(), w.s(), d);
  });
  add("bias", 0, [](auto& w) {
    auto d = w.d();
    dynamics::bias(w.p(), w.s(), d);
  });
  add("passive", 0, [](auto& w) {
    auto d = w.d();
    dynamics::passive(w.p(), w.s(), d);
  });
  add("actuation", 0, [](auto& w) {
    auto d = w.d();
    dynamics::actuation(w.p(), w.s(), d);
  });
  add("smooth_acceleration", 0, [](auto& w) {
    auto d = w.d();
    dynamics::smooth_acceleration(w.p(), w.s(), d);
  });
  // Integration moves the state: it is put back each time, which the figure includes.
  add("integrate", 0, [](auto& w) {
    auto d = w.d();
    dynamics::integrate(w.p(), w.s(), d, [] {});
    w.restore();
  });
  add("forward", 0, [](auto& w) { w.stepper().forward(); });
  add("step", 0, [](auto& w) {
    w.stepper().step();
    w.restore();
  });
  int number = 0;
#define X(Model)                                                                       \
  add((std::string("solve_") + contact::Model::kName).c_str(), number++, [](auto& w) { \
    auto c = w.context();                                                              \
    contact::solve(c);                                                                 \
  });
  SB_CONTACT_MODELS(X)
#undef X
}

}  // namespace stepbench::bench::micro
