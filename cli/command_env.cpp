// `stepbench env`: this machine, this build, the peers that were found.
#include "bench/environment.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "reports/environment.h"

namespace stepbench::cli {

ExitCode command_env(const Options& o, const std::vector<std::string>& args) {
  const bench::Environment e = bench::capture_environment(args);
  write_out(o.json ? reports::environment_json(e) : reports::environment_text(e));
  return kExitOk;
}

}  // namespace stepbench::cli
