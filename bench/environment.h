// Environment record: the machine, the build and the call behind a run; the content of env.json.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/records.h"

namespace stepbench::bench {

//   X(type, name, unit, doc), types as in records.h
// clang-format off
#define SB_ENVIRONMENT_FIELDS(X) \
  X(Text, env_id, "", "hash of the fields that can change a speed: machine, build, governor") \
  X(Text, captured_utc, "", "when, ISO 8601") \
  X(Text, host, "", "host name") \
  X(Text, os, "", "distribution") \
  X(Text, kernel, "", "kernel release") \
  X(Text, cpu_model, "", "processor") \
  X(Int, cpu_cores, "1", "physical cores") \
  X(Int, cpu_threads, "1", "hardware threads usable by this process (affinity mask)") \
  X(Bool, smt, "", "several hardware threads share a core") \
  X(Int, numa_nodes, "1", "memory nodes") \
  X(Text, isas, "", "instruction sets of this build that the machine runs, ';'-separated") \
  X(Text, governor, "", "frequency governor of core 0; empty: the kernel does not tell") \
  X(Text, boost, "", "on or off; empty: the kernel does not tell") \
  X(Int, clock_max_mhz, "MHz", "highest clock the kernel names") \
  X(Int, l1d_bytes, "bytes", "level-1 data cache of a core") \
  X(Int, l2_bytes, "bytes", "level-2 cache of a core") \
  X(Int, l3_bytes, "bytes", "level-3 cache") \
  X(Int, memory_bytes, "bytes", "main memory") \
  X(Int, memory_available_bytes, "bytes", "memory available at the start") \
  X(Real, load_average, "1", "runnable processes over the last minute, at the start") \
  X(Text, virtualization, "", "hypervisor or container, where it shows") \
  X(Text, gpu_model, "", "graphics processor, where one is used") \
  X(Text, driver, "", "its driver") \
  X(Text, compiler, "", "compiler and version of the build") \
  X(Text, compiler_flags, "", "its flags") \
  X(Text, build_type, "", "build configuration") \
  X(Text, version, "", "version of stepbench") \
  X(Text, git_sha, "", "commit of the build") \
  X(Bool, dirty, "", "the working tree had changes at build time") \
  X(Text, mujoco_version, "", "version of the peer library; empty: not found") \
  X(Text, mujoco_path, "", "where it was loaded from") \
  X(Text, argv, "", "command line") \
  X(Text, working_directory, "", "where it was called") \
  X(Text, job_id, "", "batch job (SLURM_JOB_ID, PBS_JOBID), where there is one")
// clang-format on

struct Environment {
  SB_ENVIRONMENT_FIELDS(SB_DECLARE_FIELD)
};

// Look at the machine. `args`: the command line, program name first. Never fails: what cannot be
// read stays unmeasured.
Environment capture_environment(const std::vector<std::string>& args);

// The part of it that stands in every row.
RowEnvironment row_environment(const Environment& e);

// Call f(name, unit, doc, value) for each field.
template <class Env, class F>
void for_each_environment_field(Env& e, F&& f) {
  auto& part = e;
  SB_ENVIRONMENT_FIELDS(SB_VISIT_FIELD)
}

}  // namespace stepbench::bench
