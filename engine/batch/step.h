// The step: a list of named stages, in MuJoCo's order (reference: MuJoCo manual, "Computation").
//
//   positions    kinematics, com_position        qpos            -> poses, cinert, cdof
//   inertia      composite_inertia               cinert, cdof    -> M
//   factor       factor_M                        M               -> qLD
//   velocities   com_velocity                    qvel            -> cvel
//   collide      narrow_phase                    poses           -> contact slots
//   rows         make_rows                       slots, qpos     -> constraint blocks
//   bias         bias                            cvel            -> qfrc_bias
//   passive      passive                         qpos, qvel      -> qfrc_passive
//   actuation    actuation                       ctrl, act       -> qfrc_actuator
//   smooth       smooth_acceleration             forces, qLD     -> qacc_smooth
//   contact      the contact model               blocks, M       -> qacc
//   integrate    Euler, implicitfast or RK4      qacc            -> next state
//
// Models whose joints are all hinges and slides take link_sweep for inertia and bias: half the
// work. They pose bodies only where geoms can touch, and form cinert and cdof only where a contact
// exists.
#pragma once

#include "engine/batch/kernel.h"
#include "engine/batch/layout.h"
#include "engine/batch/phase_clock.h"
#include "engine/collide/broad_phase.h"
#include "engine/collide/narrow_phase.h"
#include "engine/contact/model.h"
#include "engine/contact/rows.h"
#include "engine/dynamics/actuation.h"
#include "engine/dynamics/bias.h"
#include "engine/dynamics/com.h"
#include "engine/dynamics/factor.h"
#include "engine/dynamics/inertia.h"
#include "engine/dynamics/integrate.h"
#include "engine/dynamics/kinematics.h"
#include "engine/dynamics/link_sweep.h"
#include "engine/dynamics/passive.h"
#include "engine/dynamics/smooth.h"
#include "engine/dynamics/velocity.h"

namespace stepbench::batch::inline SB_ISA {

// One group of worlds bound to the memory of its thread.
template <class Lane>
class Stepper {
 public:
  using Real = math::RealOf<Lane>;

  explicit Stepper(const Visit<Real>& v)
      : v_(v), m_(*v.params), arena_(*v.arena), clock_(v.phase_ticks) {
    s_ = bind_state<Lane>(m_, v.state);
    bind_scratch<Lane>(m_, arena_.fixed, d_);
    bind_growing();
    if (!arena_.static_ready) dynamics::init_static(m_, s_, d_);
    arena_.static_ready = true;
  }

  // Poses and velocities of all bodies at the state in s().
  void velocities() {
    dynamics::kinematics(m_, s_, d_);
    dynamics::com_position(m_, s_, d_);
    dynamics::com_velocity(m_, s_, d_);
  }

  // Everything up to qacc at the state in s().
  void forward() {
    const bool links = m_.derived.nlink > 0;
    centred_ = !links;
    dynamics::hinge_angles(m_, s_, d_);
    if (links) {
      if (m_.derived.poses_needed) dynamics::poses<false>(m_, s_, d_);
      clock_.end(Phase::kPositions);
      dynamics::link_sweep(m_, s_, d_);
    } else {
      dynamics::poses<true>(m_, s_, d_);
      dynamics::com_position(m_, s_, d_);
      clock_.end(Phase::kPositions);
      dynamics::composite_inertia(m_, d_);
    }
    clock_.end(Phase::kInertia);
    dynamics::factor_M(m_, d_);
    clock_.end(Phase::kFactor);
    if (!links) dynamics::com_velocity(m_, s_, d_);
    clock_.end(Phase::kVelocities);
    collide_and_make_rows();
    if (!links) dynamics::bias(m_, s_, d_);
    dynamics::passive(m_, s_, d_);
    dynamics::actuation(m_, s_, d_);
    dynamics::smooth_acceleration(m_, s_, d_);
    clock_.end(Phase::kForces);
    solve();
    clock_.end(Phase::kContact);
  }

  void step() {
    clock_.start();
    forward();
    dynamics::integrate(m_, s_, d_, [this] { forward(); });
    clock_.end(Phase::kIntegrate);
  }

  // Poses that only reports read, and the motions that reports of rows read; after forward().
  void report_poses() {
    centre();
    dynamics::report_poses(m_, s_, d_);
  }

  // What contact models and reports of rows work on; valid after forward().
  contact::Context<Lane> context() { return {m_, pairs_, s_, d_, v_.contact, v_.single}; }

  const model::State<Lane>& s() const { return s_; }
  const model::Scratch<Lane>& d() const { return d_; }

 private:
  void bind_growing() {
    bind_contacts<Lane>(m_, arena_.contacts, arena_.maxcon, arena_.maxj, d_);
    d_.con_pair = arena_.con_pair;
    d_.workspace = arena_.workspace;
    d_.workspace_bytes = arena_.workspace_bytes;
    d_.need_con = d_.need_j = 0;
    d_.need_workspace = 0;
  }

  // Whether a stage ran out of room; if so there is room now, and what lay in the blocks is lost.
  bool grew(int need_pair = 0) {
    const ArenaNeed need{d_.need_con, d_.need_j, need_pair, d_.need_workspace};
    if (!need.any()) return false;
    arena_.grow(arena_, need);
    bind_growing();
    return true;
  }

  void collide_and_make_rows() {
    find_pairs();
    do {
      collide::narrow_phase(m_, pairs_, npair_, s_, d_);
      clock_.end(Phase::kCollide);
      if (d_.need_con > 0) continue;
      if (d_.ncon > 0) centre();
      clock_.end(Phase::kVelocities);
      contact::make_rows(context());
      clock_.end(Phase::kRows);
    } while (grew());
  }

  // Motions, velocities and inertias about the trees' centres, which contacts read; once a step.
  void centre() {
    if (!centred_) velocities();
    centred_ = true;
  }

  void solve() {
    for (;;) {
      contact::Context<Lane> c = context();
      contact::solve(c);
      if (!grew()) return;
      collide_and_make_rows();
    }
  }

  // Candidate pairs of this step: the static list, or what the broad phase finds.
  void find_pairs() {
    if constexpr (math::kWidth<Lane> == 1) {
      if (v_.broad_phase != nullptr) {
        collide::BroadPhaseBuffers<Real> buffers;
        do {
          buffers = collide::bind_broad_phase(*v_.broad_phase, arena_.pairs, arena_.maxpair);
          npair_ = collide::broad_phase(m_, *v_.broad_phase, d_, buffers);
        } while (grew(buffers.need_pair));
        pairs_ = buffers.pairs;
        return;
      }
    }
    pairs_ = v_.pairs;
    npair_ = v_.npair;
  }

  Visit<Real> v_;
  const model::Params<Real>& m_;
  Arena<Real>& arena_;
  PhaseClock clock_;
  model::State<Lane> s_;
  model::Scratch<Lane> d_;
  const collide::PairParams<Real>* pairs_ = nullptr;
  int npair_ = 0;
  bool centred_ = false;  // cinert, cdof, cvel and subtree_com belong to this step's state
};

}  // namespace stepbench::batch::inline SB_ISA
