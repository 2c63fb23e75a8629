#include "engine/batch/driver.h"

#include <algorithm>

#include "engine/batch/hash.h"
#include "engine/batch/layout.h"
#include "engine/batch/probe.h"
#include "engine/contact/registry.h"

namespace stepbench::batch {

namespace {

// Groups that change worlds with each other: their states stay in the second-level cache.
constexpr std::int64_t kHerdGroups = 64;
// Steps from one sorting to the next.
constexpr std::int64_t kSortWindow = 20;

// f(array of the group, array of the world, count) for each array of a state, in table order.
template <class Real, class Value, class World, class F>
void for_each_array(const model::Params<Real>& m, Value* group, int lanes, World& w, F f) {
  Value* p = group;
  const auto visit = [&](auto& values, int count) {
    f(p, values, count);
    p += std::ptrdiff_t(count) * lanes;
  };
#define X(name, count, unit, stage) visit(w.name, count);
  SB_STATE_ARRAYS(X)
#undef X
}

// A WorldState's `time` is a plain number; treat it as an array of one.
double& at(double& x, int) { return x; }
const double& at(const double& x, int) { return x; }
double& at(std::vector<double>& x, int i) { return x[size_t(i)]; }
const double& at(const std::vector<double>& x, int i) { return x[size_t(i)]; }
void resize(double&, int) {}
void resize(std::vector<double>& x, int n) { x.assign(size_t(n), 0.0); }

}  // namespace

template <class Real>
std::int64_t group_stride(const model::Params<Real>& m, int lanes) {
  const std::size_t line = 64 / sizeof(Real);
  return std::int64_t((state_count(m) * size_t(lanes) + line - 1) / line * line);
}

template <class Real>
Driver<Real>::Driver(std::shared_ptr<const model::Model> model, std::int64_t nworld,
                     const BatchOptions& resolved)
    : model_(std::move(model)),
      options_(resolved),
      nworld_(nworld),
      kernel_(find_kernel<Real>(resolved)),
      params_(*model_),
      pairs_(*model_, resolved.layout),
      lanes_(resolved.lanes),
      ngroup_((nworld + lanes_ - 1) / lanes_),
      stride_(group_stride(params_.params(), lanes_)),
      state_(allocate_aligned<Real>(size_t(ngroup_ * stride_))),
      order_(nworld),
      stats_(size_t(nworld)),
      pool_(resolved.threads) {
  arenas_.resize(size_t(pool_.size()));
  herds_.resize(size_t(pool_.size()));
  const WorldState start = initial_state(*model_);
  // Threads touch first what they will step later, so that pages lie next to their core.
  pool_.run(ngroup_, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t g = begin; g < end; ++g) {
      std::fill_n(group_state(g), stride_, Real(0));
      for (int l = 0; l < valid_lanes(g); ++l) set_state(g * lanes_ + l, start);
    }
  });
  pool_.run(pool_.size(), [&](int t, std::int64_t, std::int64_t) {
    arenas_[size_t(t)] = std::make_unique<ArenaStorage<Real>>(
        params_.params(), pairs_.broad_phase(), lanes_, pairs_.initial_contacts());
  });
}

template <class Real>
int Driver<Real>::valid_lanes(std::int64_t group) const {
  return int(std::min<std::int64_t>(lanes_, nworld_ - group * lanes_));
}

template <class Real>
void Driver<Real>::set_state(std::int64_t world, const WorldState& s) {
  const std::int64_t place = order_.place(world);
  const int lane = int(place % lanes_);
  for_each_array(params_.params(), group_state(place / lanes_), lanes_, s,
                 [&](Real* array, const auto& values, int count) {
                   for (int i = 0; i < count; ++i) array[i * lanes_ + lane] = Real(at(values, i));
                 });
}

template <class Real>
WorldState Driver<Real>::state(std::int64_t world) const {
  WorldState s;
  const std::int64_t place = order_.place(world);
  const int lane = int(place % lanes_);
  for_each_array(params_.params(), group_state(place / lanes_), lanes_, s,
                 [&](const Real* array, auto& values, int count) {
                   resize(values, count);
                   for (int i = 0; i < count; ++i) at(values, i) = double(array[i * lanes_ + lane]);
                 });
  return s;
}

// Unused lanes of the last group repeat its first world: they never need an iteration more than it
// does.
template <class Real>
void Driver<Real>::fill_padding(std::int64_t group) {
  const int valid = valid_lanes(group);
  Real* p = group_state(group);
  for (std::int64_t i = 0; i < stride_ / lanes_; ++i) {
    for (int l = valid; l < lanes_; ++l) p[i * lanes_ + l] = p[i * lanes_];
  }
}

template <class Real>
void Driver<Real>::refresh_controls(std::int64_t group, std::int64_t step,
                                    const ControlSource& controls, std::vector<double>& ctrl) {
  const int nu = params_.params().nu;
  const model::State<Real> s = bind_state<Real>(params_.params(), group_state(group));
  // bind_state is told one lane per element, so the offset is scaled by hand.
  Real* array = s.qpos + (s.ctrl - s.qpos) * lanes_;
  for (int l = 0; l < valid_lanes(group); ++l) {
    for (int i = 0; i < nu; ++i) ctrl[size_t(i)] = double(array[i * lanes_ + l]);
    controls.fill(first_world_ + order_.world(group * lanes_ + l), step, ctrl);
    for (int i = 0; i < nu; ++i) array[i * lanes_ + l] = Real(ctrl[size_t(i)]);
  }
}

template <class Real>
void Driver<Real>::record(Herd& herd, std::int64_t group, std::int64_t first_step,
                          const VisitResult<Real>& r) {
  for (int l = 0; l < valid_lanes(group); ++l) {
    const std::int64_t place = group * lanes_ + l;
    if (options_.sort) {
      Work& w = herd.work[size_t(place - herd.first_place)];
      w.iterations += float(r.iterations[l]);
      w.coupled_rows += float(r.coupled_rows[l]);
    }
    WorldStats& s = stats_[size_t(order_.world(place))];
    s.ncon = int(r.ncon[l]);
    s.nefc = int(r.nefc[l]);
    s.niter = int(r.niter[l]);
    s.max_penetration_m = double(r.max_penetration[l]);
    s.capped_steps += std::int64_t(r.capped[l]);
    const auto flag = [&](Real step, unsigned bit) {
      if (step < 0) return;
      s.flags |= bit;
      const std::int64_t at_step = first_step + std::int64_t(step);
      if (s.flag_step < 0 || at_step < s.flag_step) s.flag_step = at_step;
    };
    flag(r.bad_step[l], kFlagNonFinite);
    flag(r.overflow_step[l], kFlagOverflow);
  }
}

template <class Real>
void Driver<Real>::visit_group(int thread, std::int64_t group, std::int64_t first_step,
                               std::int64_t nstep, const ControlSource* controls) {
  ArenaStorage<Real>& arena = *arenas_[size_t(thread)];
  Visit<Real> v;
  v.params = &params_.params();
  pairs_.put_into(v);
  v.contact = {contact::find_model(options_.contact), Real(options_.comfree_stiffness),
               Real(options_.comfree_damping)};
  v.single = options_.layout == Layout::kSingle;
  v.max_contacts = options_.max_contacts;
  v.state = group_state(group);
  v.arena = &arena.arena();
  v.result = arena.result();
  if (time_phases_) v.phase_ticks = herds_[size_t(thread)].phase_ticks.data();

  const bool has_controls = controls != nullptr && model_->nu > 0;
  const bool padded = valid_lanes(group) < lanes_;
  std::vector<double> ctrl(has_controls ? size_t(model_->nu) : 0);
  // The longest visit between two refreshes; counters in lane values stay exact (below 2^24).
  const std::int64_t longest = has_controls ? controls->period() : 1 << 16;
  for (std::int64_t done = 0; done < nstep;) {
    const std::int64_t step = first_step + done;
    const std::int64_t n = std::min(longest - (has_controls ? step % longest : 0), nstep - done);
    if (has_controls && step % longest == 0) refresh_controls(group, step, *controls, ctrl);
    if (padded) fill_padding(group);
    v.nstep = int(n);
    kernel_.visit(v);
    record(herds_[size_t(thread)], group, step, arena.result());
    done += n;
  }
}

template <class Real>
void Driver<Real>::step(std::int64_t nstep, const ControlSource* controls) {
  pool_.run(ngroup_, [&](int thread, std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin, herds = (n + kHerdGroups - 1) / kHerdGroups;
    for (std::int64_t h = 0; h < herds; ++h) {
      step_herd(thread, begin + n * h / herds, begin + n * (h + 1) / herds, nstep, controls);
    }
  });
  steps_done_ += nstep;
}

template <class Real>
void Driver<Real>::step_herd(int thread, std::int64_t begin, std::int64_t end, std::int64_t nstep,
                             const ControlSource* controls) {
  Herd& herd = herds_[size_t(thread)];
  if (options_.sort) {
    herd.first_place = begin * lanes_;
    herd.work.assign(size_t(std::min(nworld_, end * lanes_) - herd.first_place), {});
  }
  const std::int64_t window = options_.sort ? kSortWindow : nstep;
  for (std::int64_t done = 0; done < nstep;) {
    const std::int64_t step = steps_done_ + done;
    const std::int64_t n = std::min(nstep - done, window - step % window);
    for (std::int64_t g = begin; g < end; ++g) visit_group(thread, g, step, n, controls);
    done += n;
    if (options_.sort && (step + n) % window == 0) sort_worlds(herd);
  }
}

template <class Real>
void Driver<Real>::sort_worlds(Herd& herd) {
  const std::int64_t begin = herd.first_place, n = std::int64_t(herd.work.size());
  if (WorldOrder::plan(begin, herd.work, lanes_, herd.from)) {
    const std::int64_t first = begin / lanes_, groups = (n + lanes_ - 1) / lanes_;
    const std::int64_t elements = stride_ / lanes_;
    herd.states.assign(group_state(first), group_state(first + groups));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t from = herd.from[size_t(i)] - begin;
      const Real* old = herd.states.data() + from / lanes_ * stride_ + from % lanes_;
      Real* now = group_state(first + i / lanes_) + i % lanes_;
      for (std::int64_t e = 0; e < elements; ++e) now[e * lanes_] = old[e * lanes_];
    }
    order_.permute(begin, herd.from);
  }
  std::fill(herd.work.begin(), herd.work.end(), Work{});
}

template <class Real>
void Driver<Real>::clear_counters() {
  for (WorldStats& s : stats_) {
    s.flags = 0;
    s.flag_step = -1;
    s.capped_steps = 0;
  }
}

template <class Real>
void Driver<Real>::time_phases(bool on) {
  time_phases_ = on;
  for (Herd& h : herds_) h.phase_ticks.fill(0);
}

template <class Real>
std::array<double, kNumPhases> Driver<Real>::phase_shares() const {
  std::array<double, kNumPhases> shares{};
  double sum = 0;
  for (const Herd& h : herds_) {
    for (size_t i = 0; i < shares.size(); ++i) {
      shares[i] += double(h.phase_ticks[i]);
      sum += double(h.phase_ticks[i]);
    }
  }
  for (double& x : shares) x = sum > 0 ? x / sum : 0;
  return shares;
}

template <class Real>
std::uint64_t Driver<Real>::hash(std::int64_t world) const {
  const std::int64_t place = order_.place(world);
  const model::State<Real> s =
      bind_state<Real>(params_.params(), const_cast<Real*>(group_state(place / lanes_)));
  StateHash h;
  // bind_state is told one lane per element, so offsets are scaled by hand.
  const auto add = [&](const Real* array, int count) {
    const Real* p = s.qpos + (array - s.qpos) * lanes_ + place % lanes_;
    for (int i = 0; i < count; ++i) h.add(p[std::ptrdiff_t(i) * lanes_]);
  };
  add(s.qpos, model_->nq);
  add(s.qvel, model_->nv);
  add(s.act, model_->na);
  add(s.qacc_warmstart, model_->nv);
  add(s.time, 1);
  return h.value();
}

template <class Real>
Energy Driver<Real>::energy(std::int64_t world) {
  return probe_energy(params_.params(), state(world));
}

template <class Real>
Forward Driver<Real>::forward(std::int64_t world) {
  return probe_forward<Real>(*model_, params_.params(), options_, state(world));
}

template <class Real>
std::size_t Driver<Real>::state_bytes() const {
  return size_t(ngroup_ * stride_) * sizeof(Real) +
         stats_.size() * (sizeof(WorldStats) + WorldOrder::kBytesPerWorld);
}

template <class Real>
std::size_t Driver<Real>::scratch_bytes() const {
  std::size_t n = 0;
  for (const auto& a : arenas_) n += a->bytes();
  return n;
}

template std::int64_t group_stride<float>(const model::Params<float>&, int);
template std::int64_t group_stride<double>(const model::Params<double>&, int);
template class Driver<float>;
template class Driver<double>;

}  // namespace stepbench::batch
