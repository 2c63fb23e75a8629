// A model with its state and working memory for one group of worlds, for tests of single stages.
//
// Every array of the tables in engine/model/arrays.h is allocated for any lane type. Scratch is
// filled with NaN, so that a stage that reads what no stage wrote is found.
#pragma once

#include <limits>
#include <vector>

#include "engine/math/lane.h"
#include "engine/model/arrays.h"
#include "engine/model/model.h"
#include "engine/model/params.h"

namespace stepbench::testing {

// Set every lane of a[0 .. n) from values in double precision.
template <class Lane, class Values>
void fill(Lane* a, const Values& values) {
  std::size_t i = 0;
  for (double x : values) a[i++] = Lane(math::RealOf<Lane>(x));
}

// Values of one lane of a[0 .. n) in double precision.
template <class Lane>
std::vector<double> values(const Lane* a, int n, int lane = 0) {
  std::vector<double> r;
  for (int i = 0; i < n; ++i) r.push_back(double(math::get(a[i], lane)));
  return r;
}

// Set one lane of a[0 .. n).
template <class Lane, class Values>
void set_values(Lane* a, const Values& values, int lane) {
  std::size_t i = 0;
  for (double x : values) math::set(a[i++], lane, math::RealOf<Lane>(x));
}

template <class Lane>
class World {
 public:
  using Real = math::RealOf<Lane>;

  // Starts at qpos0 and zero velocity; mocap bodies at their body's pose.
  explicit World(const model::Model& model, int maxcon = 64, int maxj = 0)
      : model_(model), storage_(model) {
    const model::Params<Real>& m = p();
#define X(name, count, unit, stage) s.name = allocate(std::size_t(count), Real(0));
    SB_STATE_ARRAYS(X)
#undef X
    reset();
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
#define X(name, count, unit, stage) d.name = allocate(std::size_t(count), nan);
    SB_SCRATCH_DYNAMICS(X)
#undef X
    grow_contacts(maxcon);
    grow_rows(maxj);
#define X(name, count, unit, stage) d.name = allocate(std::size_t(count), Real(0));
    SB_SCRATCH_RESULT(X)
#undef X
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const model::Params<Real>& p() const { return storage_.params(); }
  const model::Model& model() const { return model_; }

  // qpos0, zero velocity, controls and activations; mocap bodies at their body's pose.
  void reset() {
    const model::Params<Real>& m = p();
#define X(name, count, unit, stage) \
  for (int i = 0; i < int(count); ++i) s.name[i] = Lane(Real(0));
    SB_STATE_ARRAYS(X)
#undef X
    fill(s.qpos, model_.qpos0);
    for (int b = 0; b < m.nbody; ++b) {
      const int k = m.body_mocapid[b];
      if (k < 0) continue;
      for (int i = 0; i < 3; ++i) s.mocap_pos[3 * k + i] = Lane(m.body_pos[3 * b + i]);
      for (int i = 0; i < 4; ++i) s.mocap_quat[4 * k + i] = Lane(m.body_quat[4 * b + i]);
    }
  }

  // New, larger slots; what stood in them is lost. The stage that asked is then repeated.
  void grow_contacts(int maxcon) {
    const model::Params<Real>& m [[maybe_unused]] = p();
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
#define X(name, count, unit, stage) d.name = allocate(std::size_t(count), nan);
    SB_SCRATCH_COLLIDE(X)
#undef X
    ints_.emplace_back(std::size_t(maxcon) + 1, -1);
    d.con_pair = ints_.back().data();
    d.maxcon = maxcon;
    d.need_con = 0;
  }
  void grow_rows(int maxj) {
    const int maxcon [[maybe_unused]] = d.maxcon;
    const model::Params<Real>& m [[maybe_unused]] = p();
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
#define X(name, count, unit, stage) d.name = allocate(std::size_t(count), nan);
    SB_SCRATCH_CONTACT(X)
#undef X
    d.maxj = maxj;
    d.need_j = 0;
  }

  model::State<Lane> s{};
  model::Scratch<Lane> d{};

 private:
  Lane* allocate(std::size_t n, Real value) {
    lanes_.emplace_back(n + 1, Lane(value));
    return lanes_.back().data();
  }

  const model::Model& model_;
  model::ParamsStorage<Real> storage_;
  std::vector<std::vector<Lane>> lanes_;
  std::vector<std::vector<int>> ints_;
};

}  // namespace stepbench::testing
