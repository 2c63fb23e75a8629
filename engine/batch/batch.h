// Batches of worlds of one model: the interface that bench and cli use.
//
// A Batch owns the state of `nworld` worlds and steps them on `threads` threads. A world's bits
// depend on the model, the layout, the precision, the contact model's options, its own initial
// state and its inputs; never on batch size, world index, lane width, instruction set or thread
// count.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::model {
struct Model;
}

namespace stepbench::batch {

enum class Precision { kF32, kF64 };
enum class Layout { kAuto, kPacked, kSingle };
enum class Isa { kAuto, kBaseline, kAvx2, kAvx512, kNeon };

// Names as they stand on the command line and in reports: "f32", "packed", "avx512", ...
std::string_view to_string(Precision p);
std::string_view to_string(Layout l);
std::string_view to_string(Isa i);

// Contact models that exist, in the order of `--help`.
std::vector<std::string> contact_model_names();

struct BatchOptions {
  Precision precision = Precision::kF64;
  Layout layout = Layout::kAuto;  // kAuto: by model size alone
  Isa isa = Isa::kAuto;           // kAuto: the widest this machine runs
  int lanes = 0;                  // worlds per pack; 0: the instruction set's own width
  int threads = 1;                // >= 1
  bool sort = true;  // worlds change places in the packs, by work; the bits are the same
  std::string contact = "newton";
  double comfree_stiffness = 0.2;  // 1/s, `comfree` only
  double comfree_damping = 0.001;  // dimensionless, `comfree` only
  int max_contacts = 0;            // contacts per world before it is flagged; 0: grow without limit
};

// State of one world in double precision: what a checkpoint holds (MuJoCo's mjSTATE_INTEGRATION).
struct WorldState {
  std::vector<double> qpos, qvel, act, ctrl, qacc_warmstart, mocap_pos, mocap_quat;
  double time = 0;  // s
};

enum WorldFlag : unsigned {
  kFlagOverflow = 1,   // more contacts than max_contacts
  kFlagNonFinite = 2,  // a value was not finite or above 1e10; the world was reset to qpos0
};

// What the last step of one world did, and what happened since the counters were cleared.
struct WorldStats {
  int ncon = 0;   // contacts listed in the last step
  int nefc = 0;   // constraint rows
  int niter = 0;  // solver iterations
  double max_penetration_m = 0;
  unsigned flags = 0;             // WorldFlag bits since clear_counters()
  std::int64_t flag_step = -1;    // step of the first flag, counted from the batch's start
  std::int64_t capped_steps = 0;  // steps that stopped at the iteration cap
};

struct Energy {
  double potential_j = 0;  // gravity and springs
  double kinetic_j = 0;
};

// Results of one forward evaluation at a world's current state, before integration: for `check`,
// `trace` and tests. Row arrays are in MuJoCo's row order (pyramids expanded to edges).
struct Forward {
  std::vector<double> qacc, qacc_smooth, qfrc_bias, qfrc_passive, qfrc_actuator, qfrc_smooth;
  std::vector<double> qfrc_constraint, M_dense;  // nv x nv, row-major
  std::vector<double> xpos, xquat, geom_xpos, geom_xmat;
  struct Contact {
    double dist = 0, includemargin = 0;
    double pos[3] = {}, frame[9] = {}, friction[5] = {};
    int geom1 = -1, geom2 = -1, dim = 0;
    int efc_address = -1;  // first row; -1: in the gap, no rows
  };
  std::vector<Contact> contact;
  std::vector<int> efc_type;
  std::vector<double> efc_D, efc_aref, efc_pos, efc_force, efc_J;  // efc_J: nefc x nv, row-major
  int niter = 0;
};

// Parts of a step whose times can be told apart, in their order (engine/batch/step.h).
enum class Phase {
  kPositions,   // poses of bodies and geoms, motions of dofs
  kInertia,     // M; in models of hinges and slides with the bias, in one sweep
  kFactor,      // of M
  kVelocities,  // of bodies
  kCollide,     // contact slots
  kRows,        // constraint blocks
  kForces,      // bias, passive, actuation, smooth acceleration
  kContact,     // the contact model
  kIntegrate,   // next state
};
inline constexpr int kNumPhases = 9;

// Inputs of a batch. Called from several threads at once; must depend on its arguments alone.
class ControlSource {
 public:
  virtual ~ControlSource() = default;
  // New controls of a world. `step`: steps done since the batch's start. `ctrl`: nu values, in:
  // those of the period before; out: those to hold for the next `period()` steps.
  virtual void fill(std::int64_t world, std::int64_t step, std::span<double> ctrl) const = 0;
  virtual int period() const = 0;  // steps for which controls are held, >= 1
};

class Batch {
 public:
  virtual ~Batch() = default;

  virtual std::int64_t nworld() const = 0;
  virtual const model::Model& model() const = 0;
  virtual const BatchOptions& options() const = 0;  // resolved: no kAuto, lanes >= 1

  virtual void set_state(std::int64_t world, const WorldState& s) = 0;
  virtual WorldState state(std::int64_t world) const = 0;

  // Worlds are numbered from here on for ControlSource (default 0): a shard keeps its own numbers.
  virtual void set_first_world(std::int64_t first) = 0;

  // Advance every world by `nstep` >= 0 steps; `controls` may be null (ctrl stays as it is).
  virtual void step(std::int64_t nstep, const ControlSource* controls) = 0;
  virtual std::int64_t steps_done() const = 0;
  virtual void set_steps_done(std::int64_t n) = 0;

  virtual WorldStats stats(std::int64_t world) const = 0;
  virtual void clear_counters() = 0;

  // Time the phases of the steps from now on, which slows them a little; forgets earlier times.
  virtual void time_phases(bool on) = 0;
  // Share of each phase in the time of the steps timed so far, over all threads; zeros: none were.
  virtual std::array<double, kNumPhases> phase_shares() const = 0;

  // 64-bit hash of a world's state (all State arrays except ctrl and mocap), in the precision of
  // the run.
  virtual std::uint64_t hash(std::int64_t world) const = 0;

  virtual Energy energy(std::int64_t world) = 0;
  virtual Forward forward(std::int64_t world) = 0;

  virtual std::size_t state_bytes() const = 0;    // all worlds
  virtual std::size_t scratch_bytes() const = 0;  // all threads
};

// Make a batch; worlds start at qpos0 (or key 0's mocap poses where there are any) with zero
// velocity. Throws std::invalid_argument with a message for a person: unknown contact model, layout
// that does not fit the model, instruction set that this machine lacks.
std::unique_ptr<Batch> make_batch(std::shared_ptr<const model::Model> model, std::int64_t nworld,
                                  const BatchOptions& options);

// Bytes that make_batch would need, without making it.
struct MemoryEstimate {
  std::size_t state_bytes = 0, scratch_bytes = 0;
};
MemoryEstimate estimate_memory(const model::Model& m, std::int64_t nworld, const BatchOptions& o);

// Start state of a world: qpos0 (or key frame `key` >= 0), zero velocity, zero controls.
WorldState initial_state(const model::Model& m, int key = -1);

// Hash of a state in double precision, as Batch::hash would give it for f64; for peer engines.
std::uint64_t hash_state(const WorldState& s);

// out[i] = math::uniform(seed, world, step, stream + i), with the widest instruction set.
void random_uniforms(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                     std::uint32_t stream, std::span<double> out);

// Instruction sets that this machine runs, narrowest first, and the widths built for each.
std::vector<Isa> available_isas();
std::vector<int> available_lanes(Isa isa, Precision p);

}  // namespace stepbench::batch
