// Plain records of a benchmark: what was asked (Cell), what one repetition gave (Sample), what a
// cell gave (Summary), and where it ran (Environment).
//
// Every field is listed once, in the tables below; the structs, the CSV columns and `stepbench
// columns` are generated from them. A table's name is the CSV's name.
//
//   X(type, name, unit, doc)
//
// type  Text: empty = does not apply or not measured
//       Int:  -1 (kNoInt) = not measured
//       Real: NaN (kNoReal) = not measured; NaN and infinity never reach a file
//       Bool
// unit  "" = a name or a flag; "1" = a count or a ratio; otherwise the unit, which the name repeats
//       (_s, _bytes, _m, ...) wherever a reader could be in doubt
//
// Columns are only ever added at the end of a table; a change of meaning raises kSchemaVersion's
// major.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace stepbench::bench {

inline constexpr const char* kSchemaVersion = "1.0.0";

using Text = std::string;
using Int = std::int64_t;
using Real = double;
using Bool = bool;

inline constexpr Int kNoInt = -1;
inline constexpr Real kNoReal = std::numeric_limits<Real>::quiet_NaN();

inline bool measured(Int v) { return v != kNoInt; }
inline bool measured(Real v) { return std::isfinite(v); }
inline bool measured(const Text& v) { return !v.empty(); }
inline bool measured(Bool) { return true; }

template <class T>
T not_measured() {
  if constexpr (std::is_same_v<T, Int>) {
    return kNoInt;
  } else if constexpr (std::is_same_v<T, Real>) {
    return kNoReal;
  } else {
    return T{};
  }
}

// Why a row has no speed. Everything but kOk leaves the speed columns empty.
inline constexpr const char* kOk = "ok";
// The device or the peer's library is not on this machine.
inline constexpr const char* kNoDevice = "no_device";
// A world had more contacts than --max-contacts.
inline constexpr const char* kOverflow = "overflow";
// A world became non-finite and was reset.
inline constexpr const char* kNonFinite = "nonfinite";
// Finite, but the kinetic energy is beyond reason.
inline constexpr const char* kDiverged = "diverged";
// The engine cannot run this combination.
inline constexpr const char* kUnsupported = "unsupported";
inline constexpr const char* kOutOfMemory = "out_of_memory";
// Anything else; see status_detail.
inline constexpr const char* kFailed = "failed";

// What a reader should know although the speed stands; separated by ';' in the column `marks`.
// Warm-up ended before two windows agreed.
inline constexpr const char* kNotSteady = "not_steady";
inline constexpr const char* kOutlier = "outlier";
inline constexpr const char* kBimodal = "bimodal";
// The clock was lowered, or other programs took the processor.
inline constexpr const char* kThrottled = "throttled";
// Something of the scene was overridden or ignored.
inline constexpr const char* kOpen = "open";

// clang-format off
// --- who and when ------------------------------------------------------------------------------
#define SB_ID_COLUMNS(X) \
  X(Text, schema_version, "", "version of this table (semver); columns are only added at the end") \
  X(Text, plan_id, "", "hash of the ordered list of cells") \
  X(Text, cell_id, "", "hash of the cell's axis values and the scene's hash") \
  X(Int, cell, "1", "place of the cell in the plan, from 0") \
  X(Text, shard, "", "i/n: which part of the plan this process ran; 1/1 for all of it") \
  X(Text, status, "", "ok, or why there is no speed: no_device, overflow, nonfinite, diverged, " \
    "unsupported, out_of_memory, failed") \
  X(Text, status_detail, "", "one line for a person, with the remedy where there is one") \
  X(Text, marks, "", "what to know although the speed stands, ';'-separated: not_steady, " \
    "outlier, bimodal, throttled, open")

// --- the scene ---------------------------------------------------------------------------------
#define SB_SCENE_COLUMNS(X) \
  X(Text, scene, "", "file as given on the command line") \
  X(Text, scene_sha, "", "first 16 hex digits of the SHA-256 of the effective MJCF") \
  X(Int, nq, "1", "position coordinates") \
  X(Int, nv, "1", "degrees of freedom") \
  X(Int, nu, "1", "controls") \
  X(Int, nbody, "1", "bodies, world included") \
  X(Int, ngeom, "1", "geoms") \
  X(Text, integrator, "", "Euler, RK4, implicitfast") \
  X(Text, cone, "", "friction cone: pyramidal, elliptic") \
  X(Int, iterations_cap, "1", "cap on solver iterations per step") \
  X(Int, ls_cap, "1", "cap on line-search iterations per solver iteration") \
  X(Real, tolerance, "1", "solver's termination tolerance actually used") \
  X(Text, overrides, "", "what differs from the file, ';'-separated name=value")

// --- the axes ----------------------------------------------------------------------------------
#define SB_CELL_COLUMNS(X) \
  X(Text, engine, "", "stepbench or a peer: mujoco") \
  X(Text, device, "", "cpu or cuda") \
  X(Int, threads, "1", "threads that step worlds") \
  X(Int, worlds, "1", "worlds of the batch") \
  X(Text, precision, "", "f32 or f64") \
  X(Real, timestep_s, "s", "simulated time of one step") \
  X(Text, solver, "", "contact model that ran: newton, comfree, ...; a peer's: the file's own") \
  X(Int, density_level, "1", "level of the density axis; empty: scene as it is") \
  X(Text, ctrl_profile, "", "inputs: noise, zero, random, replay:FILE") \
  X(Int, control_period, "1", "steps for which an input is held") \
  X(Text, start, "", "start states: spread or file") \
  X(Int, settle_steps, "1", "untimed steps that every start state was aged by in addition") \
  X(Int, seed, "1", "seed of start states and inputs") \
  X(Text, layout, "", "packed (worlds in SIMD lanes) or single (one world per thread)") \
  X(Text, isa, "", "instruction set: baseline, avx2, avx512, neon") \
  X(Int, lanes, "1", "worlds per pack") \
  X(Text, sort, "", "on: worlds change places in the packs, by work; their bits stay the same") \
  X(Text, sleep, "", "sleeping bodies: always off") \
  X(Text, sync_mode, "", "when the clock stops: complete = after every world of the window is done")

// --- set-up, apart from steady state -----------------------------------------------------------
#define SB_SETUP_COLUMNS(X) \
  X(Real, load_s, "s", "read and parse the scene") \
  X(Real, compile_s, "s", "compile the scene into a model") \
  X(Real, upload_s, "s", "allocate the batch and set the start states") \
  X(Real, first_step_s, "s", "first step of the batch, cold") \
  X(Int, warmup_steps, "1", "untimed steps before the first repetition") \
  X(Real, warmup_s, "s", "time they took") \
  X(Int, state_bytes, "bytes", "states of all worlds") \
  X(Int, scratch_bytes, "bytes", "working memory of all threads")

// --- one repetition ----------------------------------------------------------------------------
// A repetition is `passes` passes; each sets its worlds to their start states (untimed) and advances
// them by `pass_steps` steps (timed). Every engine of a comparison group runs the same steps of the
// same worlds.
#define SB_TIMING_COLUMNS(X) \
  X(Int, rep, "1", "repetition, from 0") \
  X(Int, process_idx, "1", "process that ran it, from 0") \
  X(Int, order, "1", "place of this repetition in the interleaved order of its block, from 0") \
  X(Int, passes, "1", "passes over the start states") \
  X(Int, pass_steps, "1", "steps of each pass") \
  X(Int, steps, "1", "passes x pass_steps: steps of the batch in the timed window") \
  X(Real, elapsed_s, "s", "wall time of the timed window, steady clock") \
  X(Real, world_steps_per_s, "1/s", "steps x worlds / elapsed_s: the headline") \
  X(Real, steps_per_s, "1/s", "steps / elapsed_s: rate of one world") \
  X(Real, realtime_factor_aggregate, "1", "simulated seconds of all worlds per second") \
  X(Real, realtime_factor_per_world, "1", "simulated seconds of one world per second") \
  X(Real, ns_per_world_step, "ns", "elapsed_s / (steps x worlds)") \
  X(Real, cpu_s, "s", "processor time of the process in the window: threads x elapsed_s when " \
    "alone") \
  X(Real, clock_mhz, "MHz", "mean clock of the cores after the window, where the kernel tells it") \
  X(Text, window_hash, "", "64-bit hash of all worlds at the end of the window's last pass") \
  X(Text, started_utc, "", "start of the repetition, ISO 8601")

// --- the workload behind the speed -------------------------------------------------------------
// Statistics are over worlds and over the ends of passes; penetration and counters over the same.
#define SB_WORKLOAD_COLUMNS(X) \
  X(Int, surveys, "1", "world states looked at") \
  X(Real, ncon_mean, "1", "contacts per world, mean: the density axis") \
  X(Real, ncon_p95, "1", "contacts per world, 95th percentile") \
  X(Int, ncon_max, "1", "contacts per world, largest") \
  X(Real, nefc_mean, "1", "constraint rows per world, mean") \
  X(Real, nefc_p95, "1", "constraint rows per world, 95th percentile") \
  X(Int, nefc_max, "1", "constraint rows per world, largest") \
  X(Real, niter_mean, "1", "solver iterations per step, mean") \
  X(Real, niter_p95, "1", "solver iterations per step, 95th percentile") \
  X(Int, niter_max, "1", "solver iterations per step, largest") \
  X(Real, cap_hit_frac, "1", "share of steps whose solve stopped at the iteration cap") \
  X(Int, overflow_worlds, "1", "worlds that had more contacts than allowed") \
  X(Int, nonfinite_worlds, "1", "worlds that became non-finite and were reset") \
  X(Int, first_flag_step, "1", "step of the first such event") \
  X(Real, asleep_frac, "1", "share of bodies asleep: 0, sleeping is off") \
  X(Real, max_penetration_m, "m", "deepest overlap of two geoms") \
  X(Real, energy_drift_frac, "1", "change of mechanical energy over a pass / its scale, mean; " \
    "scale: kinetic + |potential| at the start") \
  X(Real, kinetic_j_per_kg, "J/kg", "kinetic energy per mass at the end, mean") \
  X(Int, host_rss_bytes, "bytes", "resident memory of the process after the window")

// --- where a step's time goes: of the untimed window that the workload is taken from -------------
// In the order of batch::Phase.
#define SB_PHASE_COLUMNS(X) \
  X(Real, phase_positions_frac, "1", "share of a step's time, with --phases: poses, motions") \
  X(Real, phase_inertia_frac, "1", "the same: M; with the bias in models of hinges and slides") \
  X(Real, phase_factor_frac, "1", "the same: factor of M") \
  X(Real, phase_velocities_frac, "1", "the same: velocities of bodies") \
  X(Real, phase_collide_frac, "1", "the same: collision") \
  X(Real, phase_rows_frac, "1", "the same: constraint rows") \
  X(Real, phase_forces_frac, "1", "the same: bias, passive, actuator forces, smooth acceleration") \
  X(Real, phase_contact_frac, "1", "the same: the contact model") \
  X(Real, phase_integrate_frac, "1", "the same: integration")

// --- repeatability: fixed steps from the same seed, outside the timed window -------------------
#define SB_REPEAT_COLUMNS(X) \
  X(Int, repeat_steps, "1", "steps from the start states after which states are hashed") \
  X(Int, repeat_runs, "1", "runs compared, the reference included") \
  X(Text, repeat_threads, "", "thread counts of the runs, ';'-separated") \
  X(Text, state_hash, "", "64-bit hash of all worlds' states after repeat_steps: " \
    "order-independent combination over worlds, hexadecimal") \
  X(Real, repeat_equal_frac, "1", "share of world trajectories bit-equal to the reference run") \
  X(Int, repeat_distinct, "1", "distinct outcomes of the whole batch over the runs; 1 = repeatable")

// --- a cell, over its repetitions --------------------------------------------------------------
#define SB_SUMMARY_COLUMNS(X) \
  X(Int, reps, "1", "repetitions with a speed") \
  X(Text, stop_rule, "", "rule that ended the cell: min_reps (steady enough at once), max_noise, " \
    "max_time, max_reps") \
  X(Int, pass_steps, "1", "steps of each pass over the start states") \
  X(Int, steps, "1", "steps of one repetition") \
  X(Real, elapsed_s, "s", "timed seconds of all repetitions") \
  X(Real, world_steps_per_s, "1/s", "median over repetitions: the headline") \
  X(Real, world_steps_per_s_ci_low, "1/s", "lower end of the median's confidence interval") \
  X(Real, world_steps_per_s_ci_high, "1/s", "upper end of it") \
  X(Real, ci_coverage_frac, "1", "coverage of that interval, from order statistics") \
  X(Real, world_steps_per_s_mad, "1/s", "median absolute deviation from the median") \
  X(Real, world_steps_per_s_min, "1/s", "slowest repetition") \
  X(Real, world_steps_per_s_max, "1/s", "fastest repetition") \
  X(Real, noise_frac, "1", "half width of the confidence interval / median") \
  X(Int, outliers, "1", "repetitions marked as outliers: kept, never dropped") \
  X(Real, steps_per_s, "1/s", "rate of one world, median") \
  X(Real, realtime_factor_aggregate, "1", "simulated seconds of all worlds per second, median") \
  X(Real, realtime_factor_per_world, "1", "simulated seconds of one world per second, median") \
  X(Real, ns_per_world_step, "ns", "time per step of one world, median") \
  X(Real, worlds_per_thread, "1", "worlds / threads") \
  X(Text, scaling_base, "", "cell_id of the cell with the smallest world count and fewest " \
    "threads that differs in nothing else") \
  X(Real, speedup, "1", "world_steps_per_s / that of scaling_base") \
  X(Real, efficiency_frac, "1", "speedup / ratio of usable threads, min(threads, worlds)") \
  X(Real, speedup_threads, "1", "against one thread (fewest in the sweep) at the same world " \
    "count") \
  X(Real, efficiency_threads_frac, "1", "speedup_threads / ratio of threads") \
  X(Real, ratio_mujoco, "1", "world_steps_per_s / that of mujoco in the same scene, timestep, " \
    "density, inputs, threads and worlds of this run") \
  X(Int, window_distinct, "1", "distinct window_hash over repetitions; 1 = repeatable")

// --- the machine and the build; repeated in every row so that a row stands alone ---------------
#define SB_ENV_COLUMNS(X) \
  X(Text, env_id, "", "hash of the environment record in env.json") \
  X(Text, cpu_model, "", "processor") \
  X(Int, cpu_cores, "1", "physical cores that the system shows") \
  X(Int, cpu_threads, "1", "hardware threads usable by the process") \
  X(Text, gpu_model, "", "graphics processor, where one is used") \
  X(Text, driver, "", "its driver") \
  X(Text, governor, "", "frequency governor of core 0") \
  X(Text, compiler, "", "compiler and version") \
  X(Text, git_sha, "", "commit of the build") \
  X(Bool, dirty, "", "the working tree had changes at build time") \
  X(Text, peer_version, "", "version of the peer engine's library, in its rows") \
  X(Text, host, "", "host name")

// clang-format on

#define SB_DECLARE_FIELD(type, name, unit, doc) type name = not_measured<type>();

struct Identity {
  SB_ID_COLUMNS(SB_DECLARE_FIELD)
};
struct SceneInfo {
  SB_SCENE_COLUMNS(SB_DECLARE_FIELD)
};
// One combination of axis values.
struct Cell {
  SB_CELL_COLUMNS(SB_DECLARE_FIELD)
};
struct Setup {
  SB_SETUP_COLUMNS(SB_DECLARE_FIELD)
};
struct Timing {
  SB_TIMING_COLUMNS(SB_DECLARE_FIELD)
};
struct Workload {
  SB_WORKLOAD_COLUMNS(SB_DECLARE_FIELD)
  SB_PHASE_COLUMNS(SB_DECLARE_FIELD)
};
struct Repeatability {
  SB_REPEAT_COLUMNS(SB_DECLARE_FIELD)
};
struct SummaryStats {
  SB_SUMMARY_COLUMNS(SB_DECLARE_FIELD)
};
struct RowEnvironment {
  SB_ENV_COLUMNS(SB_DECLARE_FIELD)
};

// A row of samples.csv. A cell that cannot run gives one row with its status and no timing.
struct Sample {
  Identity id;
  SceneInfo scene;
  Cell cell;
  Setup setup;
  Timing timing;
  Workload workload;
  Repeatability repeat;
  RowEnvironment env;
};

// A row of summary.csv.
struct Summary {
  Identity id;
  SceneInfo scene;
  Cell cell;
  Setup setup;
  SummaryStats stats;
  Workload workload;
  Repeatability repeat;
  RowEnvironment env;
};

namespace detail {
#define SB_VISIT_FIELD(type, name, unit, doc) f(#name, unit, doc, part.name);
#define SB_VISIT_PART(member, TABLE) \
  {                                  \
    auto& part = row.member;         \
    TABLE(SB_VISIT_FIELD)            \
  }
}  // namespace detail

// Call f(name, unit, doc, value) for each column of a row, in the order of the file. `Row` may be
// const; value is then const. Names are unique within a table.
template <class Row, class F>
void for_each_sample_column(Row& row, F&& f) {
  SB_VISIT_PART(id, SB_ID_COLUMNS)
  SB_VISIT_PART(scene, SB_SCENE_COLUMNS)
  SB_VISIT_PART(cell, SB_CELL_COLUMNS)
  SB_VISIT_PART(setup, SB_SETUP_COLUMNS)
  SB_VISIT_PART(timing, SB_TIMING_COLUMNS)
  SB_VISIT_PART(workload, SB_WORKLOAD_COLUMNS)
  SB_VISIT_PART(workload, SB_PHASE_COLUMNS)
  SB_VISIT_PART(repeat, SB_REPEAT_COLUMNS)
  SB_VISIT_PART(env, SB_ENV_COLUMNS)
}

template <class Row, class F>
void for_each_summary_column(Row& row, F&& f) {
  SB_VISIT_PART(id, SB_ID_COLUMNS)
  SB_VISIT_PART(scene, SB_SCENE_COLUMNS)
  SB_VISIT_PART(cell, SB_CELL_COLUMNS)
  SB_VISIT_PART(setup, SB_SETUP_COLUMNS)
  SB_VISIT_PART(stats, SB_SUMMARY_COLUMNS)
  SB_VISIT_PART(workload, SB_WORKLOAD_COLUMNS)
  SB_VISIT_PART(workload, SB_PHASE_COLUMNS)
  SB_VISIT_PART(repeat, SB_REPEAT_COLUMNS)
  SB_VISIT_PART(env, SB_ENV_COLUMNS)
}

}  // namespace stepbench::bench
