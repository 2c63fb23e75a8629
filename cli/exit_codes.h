// Exit codes of the program: the contract with scripts and CI.
#pragma once

namespace stepbench::cli {

enum ExitCode : int {
  kExitOk = 0,            // all cells valid, all gates passed
  kExitUsage = 2,         // usage or config error
  kExitScene = 3,         // a scene cannot be loaded
  kExitInvalid = 4,       // at least one cell failed or is invalid
  kExitRepeat = 5,        // repeatability gate failed (--expect-hash)
  kExitRegression = 6,    // regression against the baseline
  kExitInconclusive = 7,  // inconclusive (with --strict)
  kExitStopped = 8,       // stopped early, resumable
};

}  // namespace stepbench::cli
