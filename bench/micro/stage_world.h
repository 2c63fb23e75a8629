// One group of worlds bound to every array, for timing single stages: lane w holds start state w of
// the scene, one step on, so that contacts, rows and warm starts are those of a run.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "bench/micro/counting.h"
#include "bench/start.h"
#include "engine/batch/arena.h"
#include "engine/batch/pairs.h"
#include "engine/batch/step.h"

namespace stepbench::bench::micro {

template <class Lane>
class StageWorld {
 public:
  using Real = math::RealOf<Lane>;
  static constexpr int kLanes = math::kWidth<Lane>;

  StageWorld(const model::Model& m, const StartStates& start, int contact_model)
      : params_(m),
        pairs_(m, batch::Layout::kPacked),
        count_(batch::state_count(params_.params())),
        state_(batch::allocate_aligned<Real>(count_ * kLanes)),
        origin_(count_ * kLanes),
        arena_(params_.params(), pairs_.broad_phase(), kLanes, pairs_.initial_contacts()) {
    batch::Visit<Real>& v = visit_;
    v.params = &params_.params();
    pairs_.put_into(v);
    v.contact.model = contact_model;
    v.single = kLanes == 1;
    v.state = state_.get();
    v.arena = &arena_.arena();
    v.result = arena_.result();
    v.nstep = 1;
    const auto s = batch::bind_state<Lane>(params_.params(), state_.get());
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto w = start.state(lane);
      put(s.qpos, w.qpos, lane);
      put(s.qvel, w.qvel, lane);
      put(s.act, w.act, lane);
      put(s.ctrl, w.ctrl, lane);
      put(s.qacc_warmstart, w.qacc_warmstart, lane);
      put(s.mocap_pos, w.mocap_pos, lane);
      put(s.mocap_quat, w.mocap_quat, lane);
      math::set(s.time[0], lane, Real(w.time));
    }
    stepper_ = std::make_unique<batch::Stepper<Lane>>(v);
    stepper_->step();
    stepper_->forward();
    std::memcpy(origin_.data(), state_.get(), origin_.size() * sizeof(Real));
  }

  const model::Params<Real>& p() const { return params_.params(); }
  const model::State<Lane>& s() const { return stepper_->s(); }
  // Arrays of the last forward pass; a copy of the pointers, which a stage may write through.
  model::Scratch<Lane> d() const { return stepper_->d(); }
  contact::Context<Lane> context() { return stepper_->context(); }
  batch::Stepper<Lane>& stepper() { return *stepper_; }

  // Counts what is read from and written to the arrays, from now on (counting.h).
  void watch() {
    const auto add = [](const void* p, std::size_t bytes) {
      const auto at = reinterpret_cast<std::uintptr_t>(p);
      Watched::ranges().push_back({at, at + bytes});
    };
    const batch::Arena<Real>& a = arena_.arena();
    const auto lanes = std::size_t(kLanes) * sizeof(Real);
    add(state_.get(), count_ * lanes);
    add(a.fixed, batch::scratch_count(p()) * lanes);
    add(a.contacts, batch::contact_count(p(), size_t(a.maxcon), size_t(a.maxj)) * lanes);
    add(a.workspace, a.workspace_bytes);
  }

  // Whether a model's trees are swept in link frames.
  static bool has_links(const model::Model& m) {
    return model::ParamsStorage<Real>(m).params().derived.nlink > 0;
  }

  // Geom pairs of every step; none where a broad phase finds them.
  const collide::PairParams<Real>* pairs() const { return visit_.pairs; }
  int npair() const { return visit_.npair; }

  // Back to the state that the arrays belong to.
  void restore() { std::memcpy(state_.get(), origin_.data(), origin_.size() * sizeof(Real)); }

 private:
  static void put(Lane* to, const std::vector<double>& from, int lane) {
    for (std::size_t i = 0; i < from.size(); ++i) math::set(to[i], lane, Real(from[i]));
  }

  model::ParamsStorage<Real> params_;
  batch::Pairs<Real> pairs_;
  std::size_t count_;
  std::unique_ptr<Real[], batch::FreeDeleter> state_;
  std::vector<Real> origin_;
  batch::ArenaStorage<Real> arena_;
  batch::Visit<Real> visit_;
  std::unique_ptr<batch::Stepper<Lane>> stepper_;
};

}  // namespace stepbench::bench::micro
