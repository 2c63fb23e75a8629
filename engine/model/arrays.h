// The one table of batch arrays: what a world holds (State) and what a step computes (Scratch).
//
// Allocation, hashing, memory reports and dumps are generated from these lists. Every array holds
// lane values: element i of array `a` of a group is `a[i]`, one lane per world (AoSoA:
// [group][field][lane]).
//
//   X(name, count, unit, stage)    count: lanes per group; stage: who writes it
//
// Spatial vectors are (angular, linear), in world axes, about the centre of mass of the kinematic
// tree (MuJoCo's subtree_com of the root body). Quaternions are (w, x, y, z).
#pragma once

#include <cstddef>

#include "engine/math/lane.h"
#include "engine/model/params.h"

// --- State: exactly what a checkpoint needs
// -------------------------------------------------------
#define SB_STATE_ARRAYS(X)                             \
  X(qpos, m.nq, "m, rad", integrate)                   \
  X(qvel, m.nv, "m/s, rad/s", integrate)               \
  X(act, m.na, "-", integrate)                         \
  X(ctrl, m.nu, "-", input)                            \
  X(qacc_warmstart, m.nv, "m/s^2, rad/s^2", integrate) \
  X(mocap_pos, 3 * m.nmocap, "m", input)               \
  X(mocap_quat, 4 * m.nmocap, "-", input)              \
  X(time, 1, "s", integrate)

// --- Scratch written by engine/dynamics
// ------------------------------------------------------------
#define SB_SCRATCH_DYNAMICS(X)                      \
  X(xpos, 3 * m.nbody, "m", kinematics)             \
  X(xquat, 4 * m.nbody, "-", report_poses)          \
  X(xmat, 9 * m.nbody, "-", kinematics)             \
  X(xipos, 3 * m.nbody, "m", kinematics)            \
  X(geom_xpos, 3 * m.ngeom, "m", kinematics)        \
  X(geom_xmat, 9 * m.ngeom, "-", kinematics)        \
  X(subtree_com, 3 * m.ntree, "m", com)             \
  X(cinert, 10 * m.nbody, "kg m^2, kg m, kg", com)  \
  X(cdof, 6 * m.nv, "-, m", com)                    \
  X(crb, 10 * m.nbody, "kg m^2, kg m, kg", inertia) \
  X(M, m.nM, "kg, kg m, kg m^2", inertia)           \
  X(qLD, m.nM, "", factor)                          \
  X(qLDiagInv, m.nv, "", factor)                    \
  X(link_joint, 2 * m.derived.nlink, "-; m", links) \
  X(link_force, 6 * m.derived.nlink, "", links)     \
  X(link_motion, 18 * m.derived.nlink, "", links)   \
  X(link_sum, 15 * m.derived.nlink, "", links)      \
  X(cvel, 6 * m.nbody, "rad/s, m/s", velocity)      \
  X(cacc, 6 * m.nbody, "rad/s^2, m/s^2", velocity)  \
  X(cfrc, 6 * m.nbody, "N m, N", bias)              \
  X(qfrc_bias, m.nv, "N, N m", bias)                \
  X(qfrc_passive, m.nv, "N, N m", passive)          \
  X(qfrc_gravcomp, m.nv, "N, N m", passive)         \
  X(actuator_force, m.nu, "N, N m", actuation)      \
  X(act_dot, m.na, "1/s", actuation)                \
  X(qfrc_actuator, m.nv, "N, N m", actuation)       \
  X(qfrc_smooth, m.nv, "N, N m", smooth)            \
  X(qacc_smooth, m.nv, "m/s^2, rad/s^2", smooth)    \
  X(qacc, m.nv, "m/s^2, rad/s^2", contact)          \
  X(qfrc_constraint, m.nv, "N, N m", contact)       \
  X(qtmp, 2 * m.nv, "", "kinematics, integrate")    \
  X(rk_state, m.nq + 4 * m.nv + 2 * m.na, "", integrate)

// --- Scratch written by engine/collide: contact slots, `maxcon` of them, grown on demand
// ------------ A slot belongs to one geom pair for all lanes of the group. A lane that lacks the
// contact holds con_dist = kNoContact and finite values elsewhere. A lane's contact is listed where
// dist < margin + gap and makes constraint rows where dist < margin.
#define SB_SCRATCH_COLLIDE(X)          \
  X(con_dist, maxcon, "m", collide)    \
  X(con_pos, 3 * maxcon, "m", collide) \
  X(con_frame, 9 * maxcon, "-, rows normal, tangent 1, tangent 2", collide)

// --- Scratch written by engine/contact: constraint blocks; sizes `maxcon`, `maxj`, grown on demand
// -- A contact is a block of `dim` base rows (normal, tangents, spin, rolls); rows other than the
// normal are stored times their friction coefficient. Scalar blocks are friction loss (block i: dof
// i) and limits (block nv + 2 j + side: joint j). A lane without a block has weight D = 0 and
// finite values elsewhere.
#define SB_SCRATCH_CONTACT(X)                                               \
  X(con_J, maxj, "-, m: [slot][dof][base row]", rows)                       \
  X(con_D, maxcon, "kg: 1/R of the pyramid's edges or of the normal", rows) \
  X(con_aref, 6 * maxcon, "m/s^2, per base row", rows)                      \
  X(con_u, 6 * maxcon, "m/s^2, J qacc - aref", contact)                     \
  X(con_v, 6 * maxcon, "m/s^2, J times the search direction", contact)      \
  X(sc_D, m.nv + 2 * m.njnt, "kg, kg m^2", rows)                            \
  X(sc_aref, m.nv + 2 * m.njnt, "m/s^2, rad/s^2", rows)                     \
  X(sc_u, m.nv + 2 * m.njnt, "m/s^2, rad/s^2", contact)                     \
  X(sc_v, m.nv + 2 * m.njnt, "m/s^2, rad/s^2", contact)                     \
  X(sc_pos, 2 * m.njnt, "m, rad: distance to the limit", rows)              \
  X(sc_axis, 3 * m.njnt, "-: minus the axis of a ball's limit", rows)       \
  X(sol_Ma, m.nv, "N, N m: M qacc", contact)                                \
  X(sol_grad, m.nv, "N, N m", contact)                                      \
  X(sol_step, m.nv, "m/s^2, rad/s^2: search direction", contact)            \
  X(sol_Mstep, m.nv, "N, N m: M times the search direction", contact)

// Results of a step for each world, read by reports. Counts are stored as lane values.
#define SB_SCRATCH_RESULT(X)                                               \
  X(out_ncon, 1, "contacts listed", collide)                               \
  X(out_nefc, 1, "constraint rows", rows)                                  \
  X(out_ncoupled, 1, "rows of contacts between two moving bodies", rows)   \
  X(out_niter, 1, "solver iterations", contact)                            \
  X(out_capped, 1, "1: the solver stopped at its iteration cap", contact)  \
  X(out_bad, 1, "1: not finite or above 1e10, world was reset", integrate) \
  X(out_maxpen, 1, "m, deepest penetration", collide)

namespace stepbench::model::inline SB_ISA {

// Pointers to the arrays of one group of worlds.
template <class Lane>
struct State {
#define X(name, count, unit, stage) Lane* name;
  SB_STATE_ARRAYS(X)
#undef X
};

// Distance that marks a lane without a contact in a slot (m); beyond every margin.
inline constexpr float kNoContact = 1e10f;

// Working memory of one step of one group; one per thread, never observable.
template <class Lane>
struct Scratch {
#define X(name, count, unit, stage) Lane* name;
  SB_SCRATCH_DYNAMICS(X)
  SB_SCRATCH_COLLIDE(X)
  SB_SCRATCH_CONTACT(X)
  SB_SCRATCH_RESULT(X)
#undef X
  int* con_pair;  // maxcon: index into the list of geom pairs of this step

  int ncon = 0;    // slots in use, for the whole group
  int nj = 0;      // entries of con_J in use
  int maxcon = 0;  // capacity in slots
  int maxj = 0;    // capacity of con_J
  // Working memory of the contact stages (lists, factors): any bytes, aligned to 64. Holds results
  // of `rows` that `contact` reads.
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  // Set by a stage that ran out of capacity: slots, entries or bytes it would have needed. The
  // driver then grows the arena and repeats from the collision stage (CPU), or flags the world
  // (GPU).
  int need_con = 0;
  int need_j = 0;
  std::size_t need_workspace = 0;
};

}  // namespace stepbench::model::inline SB_ISA
