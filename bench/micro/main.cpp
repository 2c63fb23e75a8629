// Micro-benchmarks: one per stage of the step and lane type, on the arrays of a real scene.
//
//   stepbench_micro [--benchmark_filter=factor] [scene.xml ...]     default: scenes/humanoid.xml
//
// Names are stage/scene/lanes; items are worlds, so items_per_second compares lane types. The
// widths are those of the instruction set that the program was compiled for. Packs also tell
// operations and bytes per world, their rates, and the share of the core's measured peak.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "bench/micro/stages.h"
#include "bench/scene.h"

int main(int argc, char** argv) {
  using namespace stepbench::bench;
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.empty()) paths = {"scenes/humanoid.xml"};
  const auto loader = make_scene_loader();
  for (const auto& path : paths) {
    try {
      SceneRequest request;
      request.path = path;
      const auto scene = loader->load(request);
      const auto start = StartStates::make(scene->model, {});
      const auto name = std::filesystem::path(path).stem().string();
      micro::register_f64(name, scene->model, start);
      micro::register_f32(name, scene->model, start);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      return 3;
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
