// The CPU driver: state of all worlds in groups of W, stepped by a team of threads.
//
// Each thread owns a contiguous range of groups and one arena. It visits a group once per call of
// step() and takes all its steps there, so that a group's state stays in the cache; controls are
// refreshed inside the visit. Where worlds are sorted, a thread takes one herd of groups after the
// other, visits each of its groups for a window of steps, and then lets its worlds change places.
#pragma once

#include <atomic>

#include "engine/batch/arena.h"
#include "engine/batch/choose.h"
#include "engine/batch/order.h"
#include "engine/batch/pairs.h"
#include "engine/batch/thread_pool.h"
#include "engine/model/model.h"

namespace stepbench::batch {

template <class Real>
class Driver final : public Batch {
 public:
  Driver(std::shared_ptr<const model::Model> model, std::int64_t nworld,
         const BatchOptions& resolved);

  std::int64_t nworld() const override { return nworld_; }
  const model::Model& model() const override { return *model_; }
  const BatchOptions& options() const override { return options_; }
  void set_state(std::int64_t world, const WorldState& s) override;
  WorldState state(std::int64_t world) const override;
  void set_first_world(std::int64_t first) override { first_world_ = first; }
  void step(std::int64_t nstep, const ControlSource* controls) override;
  std::int64_t steps_done() const override { return steps_done_; }
  void set_steps_done(std::int64_t n) override { steps_done_ = n; }
  WorldStats stats(std::int64_t world) const override { return stats_[size_t(world)]; }
  void clear_counters() override;
  void time_phases(bool on) override;
  std::array<double, kNumPhases> phase_shares() const override;
  std::uint64_t hash(std::int64_t world) const override;
  Energy energy(std::int64_t world) override;
  Forward forward(std::int64_t world) override;
  std::size_t state_bytes() const override;
  std::size_t scratch_bytes() const override;

 private:
  // What one thread keeps of the herd that it steps, and of the phases of all its steps.
  struct Herd {
    std::int64_t first_place = 0;
    std::vector<Work> work;          // per place, since the last sorting
    std::vector<std::int32_t> from;  // where the worlds of the new order stand
    std::vector<Real> states;        // of the old order
    std::array<std::uint64_t, kNumPhases> phase_ticks{};
  };

  Real* group_state(std::int64_t group) { return state_.get() + group * stride_; }
  const Real* group_state(std::int64_t group) const { return state_.get() + group * stride_; }
  int valid_lanes(std::int64_t group) const;
  void fill_padding(std::int64_t group);
  void visit_group(int thread, std::int64_t group, std::int64_t first_step, std::int64_t nstep,
                   const ControlSource* controls);
  void step_herd(int thread, std::int64_t begin, std::int64_t end, std::int64_t nstep,
                 const ControlSource* controls);
  void sort_worlds(Herd& herd);
  void refresh_controls(std::int64_t group, std::int64_t step, const ControlSource& controls,
                        std::vector<double>& ctrl);
  void record(Herd& herd, std::int64_t group, std::int64_t first_step, const VisitResult<Real>& r);

  std::shared_ptr<const model::Model> model_;
  BatchOptions options_;
  std::int64_t nworld_;
  const Kernel<Real>& kernel_;
  model::ParamsStorage<Real> params_;
  Pairs<Real> pairs_;
  int lanes_;
  std::int64_t ngroup_;
  std::int64_t stride_;  // values from one group's state to the next
  std::unique_ptr<Real[], FreeDeleter> state_;
  WorldOrder order_;
  std::vector<WorldStats> stats_;  // per world
  ThreadPool pool_;
  std::vector<std::unique_ptr<ArenaStorage<Real>>> arenas_;  // one per thread
  std::vector<Herd> herds_;                                  // one per thread
  std::int64_t first_world_ = 0;
  std::int64_t steps_done_ = 0;
  bool time_phases_ = false;
};

// Values from one group's state to the next: whole cache lines.
template <class Real>
std::int64_t group_stride(const model::Params<Real>& m, int lanes);

}  // namespace stepbench::batch
