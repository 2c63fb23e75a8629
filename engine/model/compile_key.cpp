// Keyframes: lengths, defaults, unit quaternions.
#include <algorithm>

#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {
namespace {

// A vector of a keyframe, written to its row of `array`. Empty or too short: the rest is `rest`
// (MuJoCo completes keyframes that were written for a smaller model). Mocap vectors are completed
// body by body: `unit` numbers that are not all there count as missing.
void fill(const Spec& spec, const Key& key, const char* name, const std::vector<double>& given,
          const std::vector<double>& rest, std::size_t unit, std::size_t row,
          std::vector<double>& array) {
  const std::size_t expected = rest.size();
  const bool fits = given.size() <= expected &&
                    (given.size() / unit < expected / unit || given.size() == expected);
  if (!fits && !given.empty()) {
    fail(spec, key.source, "key",
         named("keyframe", key.name) + " has " + std::to_string(given.size()) + " numbers for " +
             name + ", the model has " + std::to_string(expected));
  }
  const auto begin = array.begin() + std::ptrdiff_t(row * expected);
  std::copy(rest.begin(), rest.end(), begin);
  std::copy_n(given.begin(), given.size() / unit * unit, begin);
}

void normalize_quat(double* p, bool replace_zero) {
  Quat q = {p[0], p[1], p[2], p[3]};
  if (normalize(q) == 0 && replace_zero) q = kUnitQuat;
  std::copy(q.begin(), q.end(), p);
}

}  // namespace

void compile_keys(const Spec& spec, Model& m) {
  std::vector<double> mocap_pos(3 * std::size_t(m.nmocap)), mocap_quat(4 * std::size_t(m.nmocap));
  for (std::size_t b = 0; b < std::size_t(m.nbody); ++b) {
    if (m.body_mocapid[b] < 0) continue;
    const auto id = std::ptrdiff_t(m.body_mocapid[b]);
    std::copy_n(m.body_pos.begin() + std::ptrdiff_t(3 * b), 3, mocap_pos.begin() + 3 * id);
    std::copy_n(m.body_quat.begin() + std::ptrdiff_t(4 * b), 4, mocap_quat.begin() + 4 * id);
  }
  const std::vector<double> no_vel(std::size_t(m.nv)), no_act(std::size_t(m.na)),
      no_ctrl(std::size_t(m.nu));

  for (std::size_t k = 0; k < std::size_t(m.nkey); ++k) {
    const Key key = k < spec.keys.size() ? spec.keys[k] : Key{};
    m.names.key[k] = key.name;
    m.key_time[k] = key.time;
    fill(spec, key, "qpos", key.qpos, m.qpos0, 1, k, m.key_qpos);
    fill(spec, key, "qvel", key.qvel, no_vel, 1, k, m.key_qvel);
    fill(spec, key, "act", key.act, no_act, 1, k, m.key_act);
    fill(spec, key, "ctrl", key.ctrl, no_ctrl, 1, k, m.key_ctrl);
    fill(spec, key, "mpos", key.mpos, mocap_pos, 3, k, m.key_mpos);
    fill(spec, key, "mquat", key.mquat, mocap_quat, 4, k, m.key_mquat);

    double* qpos = m.key_qpos.data() + k * std::size_t(m.nq);
    for (std::size_t j = 0; j < std::size_t(m.njnt); ++j) {
      if (m.jnt_type[j] == kJntFree) normalize_quat(qpos + m.jnt_qposadr[j] + 3, true);
      if (m.jnt_type[j] == kJntBall) normalize_quat(qpos + m.jnt_qposadr[j], true);
    }
    for (int i = 0; i < m.nmocap; ++i) {
      normalize_quat(m.key_mquat.data() + 4 * (k * std::size_t(m.nmocap) + std::size_t(i)), false);
    }
  }
}

}  // namespace stepbench::model::detail
