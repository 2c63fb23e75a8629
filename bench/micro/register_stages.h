// The stages as benchmarks of one lane type.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

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

template <class Lane>
void register_lane(const std::string& scene, const std::string& lanes,
                   const std::shared_ptr<const model::Model>& m,
                   const std::shared_ptr<const StartStates>& start) {
  using World = StageWorld<Lane>;
  // Made by the first benchmark that runs, so that --benchmark_list_tests costs nothing.
  const auto add = [&](const char* stage, int contact_model, auto&& run) {
    const auto body = [m, start, contact_model, run](benchmark::State& state) {
      World w(*m, *start, contact_model);
      for (auto _ : state) {
        run(w);
        benchmark::ClobberMemory();
      }
      state.SetItemsProcessed(state.iterations() * World::kLanes);
    };
    benchmark::RegisterBenchmark((std::string(stage) + "/" + scene + "/" + lanes).c_str(), body);
  };

  add("kinematics", 0, [](World& w) {
    auto d = w.d();
    dynamics::kinematics(w.p(), w.s(), d);
  });
  add("com_position", 0, [](World& w) {
    auto d = w.d();
    dynamics::com_position(w.p(), w.s(), d);
  });
  add("composite_inertia", 0, [](World& w) {
    auto d = w.d();
    dynamics::composite_inertia(w.p(), d);
  });
  add("factor_M", 0, [](World& w) {
    auto d = w.d();
    dynamics::factor_M(w.p(), d);
  });
  add("narrow_phase", 0, [](World& w) {
    auto d = w.d();
    collide::narrow_phase(w.p(), w.pairs(), w.npair(), w.s(), d);
  });
  add("make_rows", 0, [](World& w) { contact::make_rows(w.context()); });
  add("com_velocity", 0, [](World& w) {
    auto d = w.d();
    dynamics::com_velocity(w.p(), w.s(), d);
  });
  add("bias", 0, [](World& w) {
    auto d = w.d();
    dynamics::bias(w.p(), w.s(), d);
  });
  add("passive", 0, [](World& w) {
    auto d = w.d();
    dynamics::passive(w.p(), w.s(), d);
  });
  add("actuation", 0, [](World& w) {
    auto d = w.d();
    dynamics::actuation(w.p(), w.s(), d);
  });
  add("smooth_acceleration", 0, [](World& w) {
    auto d = w.d();
    dynamics::smooth_acceleration(w.p(), w.s(), d);
  });
  // Integration moves the state: it is put back each time, which the figure includes.
  add("integrate", 0, [](World& w) {
    auto d = w.d();
    dynamics::integrate(w.p(), w.s(), d, [] {});
    w.restore();
  });
  add("forward", 0, [](World& w) { w.stepper().forward(); });
  add("step", 0, [](World& w) {
    w.stepper().step();
    w.restore();
  });
  int number = 0;
#define X(Model)                                                                        \
  add((std::string("solve_") + contact::Model::kName).c_str(), number++, [](World& w) { \
    auto c = w.context();                                                               \
    contact::solve(c);                                                                  \
  });
  SB_CONTACT_MODELS(X)
#undef X
}

}  // namespace stepbench::bench::micro
