// make_batch and the helpers of batch.h that need no batch.
#include "engine/batch/batch.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "engine/batch/driver.h"
#include "engine/batch/hash.h"
#include "engine/batch/layout.h"
#include "engine/contact/registry.h"

namespace stepbench::batch {

// Places of worlds are 32-bit numbers.
constexpr std::int64_t kMostWorlds = std::numeric_limits<std::int32_t>::max();

std::vector<std::string> contact_model_names() {
  std::vector<std::string> names;
  for (const contact::ModelInfo& info : contact::registry()) names.emplace_back(info.name);
  return names;
}

WorldState initial_state(const model::Model& m, int key) {
  if (key >= m.nkey) {
    throw std::invalid_argument(
        fmt::format("key frame {} does not exist; the model has {}", key, m.nkey));
  }
  const auto row = [key](const std::vector<double>& table, int width) {
    const auto begin = table.begin() + std::ptrdiff_t(key) * width;
    return std::vector<double>(begin, begin + width);
  };
  WorldState s;
  s.qacc_warmstart.assign(size_t(m.nv), 0);
  if (key >= 0) {
    s.qpos = row(m.key_qpos, m.nq);
    s.qvel = row(m.key_qvel, m.nv);
    s.act = row(m.key_act, m.na);
    s.ctrl = row(m.key_ctrl, m.nu);
    s.mocap_pos = row(m.key_mpos, 3 * m.nmocap);
    s.mocap_quat = row(m.key_mquat, 4 * m.nmocap);
    s.time = m.key_time[size_t(key)];
    return s;
  }
  s.qpos = m.qpos0;
  s.qvel.assign(size_t(m.nv), 0);
  s.act.assign(size_t(m.na), 0);
  s.ctrl.assign(size_t(m.nu), 0);
  s.mocap_pos.resize(size_t(3 * m.nmocap));
  s.mocap_quat.resize(size_t(4 * m.nmocap));
  for (int b = 0; b < m.nbody; ++b) {
    const int id = m.body_mocapid[size_t(b)];
    for (int k = 0; id >= 0 && k < 3; ++k)
      s.mocap_pos[size_t(3 * id + k)] = m.body_pos[size_t(3 * b + k)];
    for (int k = 0; id >= 0 && k < 4; ++k) {
      s.mocap_quat[size_t(4 * id + k)] = m.body_quat[size_t(4 * b + k)];
    }
  }
  return s;
}

std::uint64_t hash_state(const WorldState& s) {
  StateHash h;
  for (const auto* array : {&s.qpos, &s.qvel, &s.act, &s.qacc_warmstart}) {
    for (double x : *array) h.add(x);
  }
  h.add(s.time);
  return h.value();
}

std::unique_ptr<Batch> make_batch(std::shared_ptr<const model::Model> model, std::int64_t nworld,
                                  const BatchOptions& options) {
  if (nworld < 1) throw std::invalid_argument("a batch needs at least one world");
  if (nworld > kMostWorlds) {
    throw std::invalid_argument(fmt::format("a batch holds at most {} worlds", kMostWorlds));
  }
  const BatchOptions o = resolve(*model, options);
  if (o.precision == Precision::kF32) {
    return std::make_unique<Driver<float>>(std::move(model), nworld, o);
  }
  return std::make_unique<Driver<double>>(std::move(model), nworld, o);
}

namespace {

template <class Real>
MemoryEstimate estimate(const model::Model& m, std::int64_t nworld, const BatchOptions& o) {
  const model::ParamsStorage<Real> storage(m);
  const model::Params<Real>& p = storage.params();
  const std::int64_t groups = (nworld + o.lanes - 1) / o.lanes;
  MemoryEstimate e;
  e.state_bytes = size_t(groups) * size_t(group_stride(p, o.lanes)) * sizeof(Real) +
                  size_t(nworld) * (sizeof(WorldStats) + WorldOrder::kBytesPerWorld);
  const size_t contacts = size_t(Pairs<Real>::initial_contacts(collide::count_pairs_bound(m)));
  const size_t per_thread = scratch_count(p) + contact_count(p, contacts, contacts * 36);
  e.scratch_bytes = size_t(o.threads) * per_thread * size_t(o.lanes) * sizeof(Real);
  return e;
}

}  // namespace

MemoryEstimate estimate_memory(const model::Model& m, std::int64_t nworld, const BatchOptions& o) {
  const BatchOptions r = resolve(m, o);
  return r.precision == Precision::kF32 ? estimate<float>(m, nworld, r)
                                        : estimate<double>(m, nworld, r);
}

}  // namespace stepbench::batch
