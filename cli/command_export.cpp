// `stepbench export`: the MJCF that is simulated, so that a peer can run the very same scene.
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/scenes.h"

namespace stepbench::cli {

ExitCode command_export(const Options& o) {
  write_to(o.out, load_scene(o.settings, o.settings.scenes.front())->mjcf);
  return kExitOk;
}

}  // namespace stepbench::cli
