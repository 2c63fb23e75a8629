// `stepbench inspect`: sizes, options, features used, and what is unsupported.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "engine/collide/pairs.h"
#include "engine/model/load.h"
#include "reports/inspect.h"

namespace stepbench::cli {

ExitCode command_inspect(const Options& o) {
  const bench::Settings& s = o.settings;
  model::ReadOptions read;
  // Unsupported parts are this command's business: they are listed, not refused at the first.
  read.ignore_unsupported = true;
  read.density = s.densities.front();
  read.overrides = s.options;
  if (s.timesteps_s.front())
    read.overrides.emplace_back("timestep", fmt::format("{}", *s.timesteps_s.front()));

  const model::Scene scene = [&] {
    try {
      return model::load_scene(s.scenes.front(), read);
    } catch (const model::ModelError&) {
      // What is left may have no meaning (a body without its mesh has no mass): name the cause.
      read.ignore_unsupported = false;
      return model::load_scene(s.scenes.front(), read);
    }
  }();
  std::vector<std::string> unsupported;
  for (const model::Unsupported& u : scene.spec.unsupported) {
    unsupported.push_back(fmt::format("{}:{}: {}",
                                      scene.spec.files[static_cast<std::size_t>(u.source.file)],
                                      u.source.line, u.what));
  }
  for (const std::string& pair : collide::unsupported_pairs(*scene.model))
    unsupported.push_back(pair);

  const reports::Inspection inspection{s.scenes.front(), *scene.model, unsupported};
  write_out(o.json ? reports::inspect_json(inspection) : reports::inspect_text(inspection));
  if (unsupported.empty() || s.ignore_unsupported) return kExitOk;
  complain(fmt::format("unsupported: {}", fmt::join(unsupported, "; ")));
  return kExitScene;
}

}  // namespace stepbench::cli
