// The seam between the batch driver and the step code built for one instruction set.
//
// The driver (ordinary code, built once) owns memory and threads; a kernel (step code, built per
// instruction set, lane width and layout) only sees the plain records below. Nothing of the
// standard library crosses the seam, so that no function compiled for a wider instruction set can
// be merged into the program's common code.
#pragma once

#include <cstdint>
#include <span>

#include "engine/batch/batch.h"
#include "engine/collide/broad_phase_params.h"
#include "engine/contact/options.h"
#include "engine/model/params.h"

namespace stepbench::batch {

// Room that a stage would have needed; 0: enough.
struct ArenaNeed {
  int con = 0, j = 0, pair = 0;
  std::size_t workspace = 0;
  SB_HD bool any() const { return con > 0 || j > 0 || pair > 0 || workspace > 0; }
};

// Working memory of one thread. A kernel that runs out of room calls `grow`, which replaces the
// growing blocks (their contents are lost) and updates the pointers and capacities here.
template <class Real>
struct Arena {
  Real* fixed = nullptr;     // scratch_count lane values
  Real* contacts = nullptr;  // contact_count lane values
  int* con_pair = nullptr;   // maxcon
  int maxcon = 0, maxj = 0;
  void* workspace = nullptr;  // bytes for the contact model's own use
  std::size_t workspace_bytes = 0;
  void* pairs = nullptr;  // broad phase: room for maxpair pairs
  int maxpair = 0;
  bool static_ready = false;  // poses of static bodies are in place
  void (*grow)(Arena& arena, const ArenaNeed& need) = nullptr;
  void* owner = nullptr;
};

// What happened in a visit, per lane: filled by the kernel, W values each.
template <class Real>
struct VisitResult {
  Real* ncon;             // contacts listed in the last step
  Real* nefc;             // rows of the last step
  Real* niter;            // solver iterations of the last step
  Real* iterations;       // solver iterations of all steps of this visit
  Real* coupled_rows;     // rows between moving bodies, summed over the steps of this visit
  Real* max_penetration;  // m, last step
  Real* capped;           // steps of this visit that stopped at the iteration cap
  Real* bad_step;         // first step of this visit with a value that is not finite, -1: none
  Real* overflow_step;    // first step of this visit with more than max_contacts contacts, -1: none
};
inline constexpr int kVisitResults = 9;

template <class Real>
struct Visit {
  const model::Params<Real>* params = nullptr;
  const collide::PairParams<Real>* pairs = nullptr;  // every pair that can collide (static list)
  int npair = 0;
  const collide::BroadPhaseParams<Real>* broad_phase =
      nullptr;  // not null: pairs are found per step
  contact::Options<Real> contact;
  bool single = false;    // single layout: one world, solved island by island
  int max_contacts = 0;   // per world; 0: no limit
  Real* state = nullptr;  // the group's state block
  Arena<Real>* arena = nullptr;
  VisitResult<Real> result{};
  std::uint64_t* phase_ticks = nullptr;  // kNumPhases; null: phases are not timed
  int nstep = 0;
};

template <class Real>
struct Kernel {
  Isa isa;
  Layout layout;
  int lanes;
  void (*visit)(const Visit<Real>&);
};

// math::uniforms, whose bits are the same from every instruction set.
struct RandomKernel {
  Isa isa;
  void (*uniforms)(std::uint64_t seed, std::uint64_t world, std::uint64_t step,
                   std::uint32_t stream, int n, double* out);
};
std::span<const RandomKernel> random_kernels();

// Kernels built into this program, in a fixed order (narrowest first).
template <class Real>
std::span<const Kernel<Real>> kernels();

}  // namespace stepbench::batch
