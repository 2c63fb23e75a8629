#include "bench/scene.h"

#include <fmt/format.h>

#include "bench/clock.h"
#include "bench/digest.h"
#include "engine/collide/pairs.h"
#include "engine/model/compile.h"
#include "engine/model/reader.h"
#include "engine/model/writer.h"

namespace stepbench::bench {
namespace {

class Loader : public SceneLoader {
 public:
  std::shared_ptr<const LoadedScene> load(const SceneRequest& request) override {
    for (const auto& s : scenes_) {
      if (s->request == request) return s;
    }
    scenes_.push_back(read(request));
    return scenes_.back();
  }

 private:
  static std::shared_ptr<const LoadedScene> read(const SceneRequest& request) {
    auto s = std::make_shared<LoadedScene>();
    s->request = request;
    model::ReadOptions options;
    options.ignore_unsupported = request.ignore_unsupported;
    options.density = request.density;
    options.overrides = request.options;
    for (const auto& [name, value] : request.options) s->overrides.push_back(name + "=" + value);
    // The timestep is an axis with a column of its own, not an override; it wins over --option.
    if (request.timestep_s) {
      options.overrides.emplace_back("timestep", fmt::format("{}", *request.timestep_s));
    }

    const double begin = steady_seconds();
    const auto spec = model::read_mjcf(request.path, options);
    const double read = steady_seconds();
    s->model = model::compile(spec);
    const double compiled = steady_seconds();
    s->times = {read - begin, compiled - read};

    const auto pairs = collide::unsupported_pairs(*s->model);
    if (!pairs.empty() && !request.ignore_unsupported) {
      throw model::ModelError(request.path, 0, "",
                              fmt::format("unsupported pairs of geoms: {}", fmt::join(pairs, "; ")),
                              "--ignore-unsupported lets them pass through each other");
    }
    s->mjcf = model::write_mjcf(spec);
    s->sha = short_digest(s->mjcf);
    s->open = spec.open() || !pairs.empty();
    s->warnings = s->model->warnings;
    s->file_is_effective =
        !s->open && !request.density && !request.timestep_s && request.options.empty();
    return s;
  }

  std::vector<std::shared_ptr<const LoadedScene>> scenes_;
};

}  // namespace

std::unique_ptr<SceneLoader> make_scene_loader() { return std::make_unique<Loader>(); }

}  // namespace stepbench::bench
