#include "bench/peer_mujoco.h"

#include <algorithm>
#include <array>
#include <new>

#include "bench/error.h"
#include "bench/mujoco_api.h"
#include "bench/mujoco_library.h"
#include "bench/start.h"

namespace stepbench::bench {
namespace {

#ifdef SB_HAVE_MUJOCO_HEADERS

// One component of the state rows.
struct Component {
  mjtNum* data = nullptr;
  int size = 0;

  std::span<mjtNum> row(std::int64_t world, int nstate) const {
    return {data + world * nstate, std::size_t(size)};
  }
};

class MujocoInstance : public Instance {
 public:
  MujocoInstance(MujocoPtr<mjBatch> b, std::int64_t nworld)
      : api_(*mujoco_api()),
        batch_(std::move(b)),
        nworld_(nworld),
        nstate_(api_.mjb_nstate(batch_.get())) {
    const auto component = [&](mjtState bit) {
      Component c;
      c.data = api_.mjb_stateComponent(batch_.get(), bit, &c.size);
      return c;
    };
    time_ = component(mjSTATE_TIME);
    qpos_ = component(mjSTATE_QPOS);
    qvel_ = component(mjSTATE_QVEL);
    act_ = component(mjSTATE_ACT);
    warmstart_ = component(mjSTATE_WARMSTART);
    ctrl_ = component(mjSTATE_CTRL);
    mocap_pos_ = component(mjSTATE_MOCAP_POS);
    mocap_quat_ = component(mjSTATE_MOCAP_QUAT);
  }

  void set_states(const StartStates& start, std::int64_t first_world) override {
    first_world_ = first_world;
    for (std::int64_t w = 0; w < nworld_; ++w) {
      const auto s = start.state(first_world + w);
      const auto put = [&](const Component& c, const std::vector<double>& from) {
        std::copy(from.begin(), from.end(), c.row(w, nstate_).begin());
      };
      put(qpos_, s.qpos);
      put(qvel_, s.qvel);
      put(act_, s.act);
      put(warmstart_, s.qacc_warmstart);
      put(ctrl_, s.ctrl);
      put(mocap_pos_, s.mocap_pos);
      put(mocap_quat_, s.mocap_quat);
      time_.row(w, nstate_)[0] = s.time;
    }
    steps_ = 0;
    failed_ = 0;
    before_.clear();
    std::fill_n(api_.mjb_warning(batch_.get()), nworld_ * mjNWARNING, mjWarningStat{});
  }

  void run(std::int64_t nstep, const batch::ControlSource* controls) override {
    before_.clear();
    advance(nstep, controls, false);
  }

  void survey_run(std::int64_t nstep, const batch::ControlSource* controls) override {
    advance(nstep, controls, true);
  }

  std::vector<WorldLook> look(std::span<const std::int64_t> ids, bool energy) override {
    std::vector<int> sims(ids.begin(), ids.end());
    looks_.assign(std::size_t(nworld_), WorldLook{});
    const auto warnings = save_warnings();
    const auto apply = [&](mjfBatchFunc f) {
      api_.mjb_apply(batch_.get(), sims.data(), int(sims.size()), f, this, 0);
    };
    mjtNum* rows = api_.mjb_state(batch_.get());
    // Swapping is its own inverse: the rows of the last step in, and out again.
    std::swap_ranges(before_.begin(), before_.end(), rows);
    apply(&MujocoInstance::inspect);
    std::swap_ranges(before_.begin(), before_.end(), rows);
    if (energy) apply(&MujocoInstance::weigh);
    restore_warnings(warnings);
    std::vector<WorldLook> looks;
    for (const int s : sims) looks.push_back(looks_[std::size_t(s)]);
    return looks;
  }

  Faults faults() override {
    Faults f;
    const mjWarningStat* stats = api_.mjb_warning(batch_.get());
    for (std::int64_t w = 0; w < nworld_; ++w) {
      const mjWarningStat* s = stats + w * mjNWARNING;
      f.overflow_worlds += s[mjWARN_CONTACTFULL].number > 0 || s[mjWARN_CNSTRFULL].number > 0;
      f.nonfinite_worlds += s[mjWARN_BADQPOS].number > 0 || s[mjWARN_BADQVEL].number > 0 ||
                            s[mjWARN_BADQACC].number > 0 || s[mjWARN_BADCTRL].number > 0;
    }
    if (failed_ > 0 && f.nonfinite_worlds == 0) {
      for (std::int64_t w = 0; w < nworld_; ++w) {
        if (api_.mjb_status(batch_.get())[w] == 0) continue;
        throw CellError(kFailed, std::string("MuJoCo: ") + api_.mjb_error(batch_.get(), int(w)));
      }
    }
    return f;
  }

  batch::WorldState state(std::int64_t w) override {
    batch::WorldState s;
    const auto get = [&](const Component& c) {
      const auto row = c.row(w, nstate_);
      return std::vector<double>(row.begin(), row.end());
    };
    s.qpos = get(qpos_);
    s.qvel = get(qvel_);
    s.act = get(act_);
    s.ctrl = get(ctrl_);
    s.qacc_warmstart = get(warmstart_);
    s.mocap_pos = get(mocap_pos_);
    s.mocap_quat = get(mocap_quat_);
    s.time = time_.row(w, nstate_)[0];
    return s;
  }

  std::uint64_t hash(std::int64_t world) override { return batch::hash_state(state(world)); }
  std::int64_t worlds() const override { return nworld_; }
  std::size_t state_bytes() const override {
    return std::size_t(nworld_) * std::size_t(nstate_) * sizeof(mjtNum);
  }
  std::size_t scratch_bytes() const override {
    return 0;
  }  // arenas are virtual: see host_rss_bytes

 private:
  // keep: copy the rows that the last step starts from.
  void advance(std::int64_t nstep, const batch::ControlSource* controls, bool keep) {
    while (nstep > 0) {
      std::int64_t n = keep && nstep > 1 ? nstep - 1 : nstep;
      if (controls != nullptr) {
        const std::int64_t period = controls->period(), within = steps_ % period;
        if (within == 0) {
          for (std::int64_t w = 0; w < nworld_; ++w) {
            controls->fill(first_world_ + w, steps_, ctrl_.row(w, nstate_));
          }
        }
        n = std::min(n, period - within);
      }
      if (keep && nstep == 1) {
        const mjtNum* rows = api_.mjb_state(batch_.get());
        before_.assign(rows, rows + nworld_ * nstate_);
      }
      // nstep = 0 would end the process; n >= 1 here.
      failed_ += api_.mjb_step(batch_.get(), nullptr, int(nworld_), int(n), mjSTAGE_NONE);
      steps_ += n;
      nstep -= n;
    }
  }

  static void inspect(const mjModel* m, mjData* d, int sim, void* arg) {
    auto& self = *static_cast<MujocoInstance*>(arg);
    const auto& api = self.api_;
    auto& look = self.looks_[std::size_t(sim)];
    api.mj_forward(m, d);
    look.ncon = d->ncon;
    look.nefc = d->nefc;
    const int islands = std::min(std::max(d->nisland, 1), int(mjNISLAND));
    if (d->nefc > 0) {
      look.niter = *std::max_element(d->solver_niter, d->solver_niter + islands);
      look.capped = look.niter >= m->opt.iterations;
    }
    for (int i = 0; i < d->ncon; ++i) {
      look.max_penetration_m = std::max(look.max_penetration_m, -d->contact[i].dist);
    }
  }

  static void weigh(const mjModel* m, mjData* d, int sim, void* arg) {
    auto& self = *static_cast<MujocoInstance*>(arg);
    auto& look = self.looks_[std::size_t(sim)];
    self.api_.mj_forward(m, d);
    self.api_.mj_energyPos(m, d);
    self.api_.mj_energyVel(m, d);
    look.potential_j = d->energy[0];
    look.kinetic_j = d->energy[1];
  }

  // A forward pass over a bad state counts warnings of its own.
  std::vector<mjWarningStat> save_warnings() {
    const mjWarningStat* w = api_.mjb_warning(batch_.get());
    return {w, w + nworld_ * mjNWARNING};
  }
  void restore_warnings(const std::vector<mjWarningStat>& saved) {
    std::copy(saved.begin(), saved.end(), api_.mjb_warning(batch_.get()));
  }

  const MujocoApi& api_;
  MujocoPtr<mjBatch> batch_;
  std::int64_t nworld_;
  int nstate_;
  Component time_, qpos_, qvel_, act_, warmstart_, ctrl_, mocap_pos_, mocap_quat_;
  std::int64_t first_world_ = 0, steps_ = 0, failed_ = 0;
  std::vector<WorldLook> looks_;
  std::vector<mjtNum> before_;  // rows that the last step started from; empty: not kept
};

class MujocoEngine : public Engine {
 public:
  std::string name() const override { return "mujoco"; }
  std::string version() const override { return mujoco_status().version; }
  std::string missing() const override { return mujoco_status().why; }

  batch::MemoryEstimate estimate(const InstanceRequest& r) const override {
    const auto& m = *r.scene->model;
    // Rows of mjSTATE_INTEGRATION: time, qpos, qvel, act, warm start, ctrl, applied forces (nv, 6
    // nbody), mocap poses; a data object is 180-375 kB resident for a robot (peers.md), more for
    // large scenes.
    const auto row = 1 + m.nq + 3 * m.nv + m.na + m.nu + 6 * m.nbody + 7 * m.nmocap;
    const std::size_t data = 400'000 + std::size_t(m.nv) * 4'000 + std::size_t(m.ngeom) * 2'000;
    return {std::size_t(r.worlds) * std::size_t(row) * sizeof(mjtNum),
            data * std::size_t(r.options.threads)};
  }

  LoadTimes load(const InstanceRequest& r) override {
    if (const auto why = missing(); !why.empty()) throw CellError(kNoDevice, why);
    mujoco_model(*r.scene);
    return load_times_;
  }

  std::unique_ptr<Instance> prepare(const InstanceRequest& r) override {
    if (const auto why = missing(); !why.empty()) throw CellError(kNoDevice, why);
    const auto& api = *mujoco_api();
    const auto& model = mujoco_model(*r.scene);
    mjBatchConfig config;
    api.mjb_defaultConfig(&config);
    config.nthread = r.options.threads;
    config.persistent = 0;
    std::array<char, 1000> error{};
    MujocoPtr<mjBatch> b(
        api.mjb_makeBatch(&model, int(r.worlds), &config, error.data(), int(error.size())));
    if (b == nullptr) throw CellError(kFailed, std::string("MuJoCo: ") + error.data());
    return std::make_unique<MujocoInstance>(std::move(b), r.worlds);
  }

 private:
  // The scene compiled by MuJoCo; the last one is kept, as cells of a scene follow each other.
  const mjModel& mujoco_model(const LoadedScene& scene) {
    if (model_ == nullptr || model_sha_ != scene.sha) {
      try {
        model_ = mujoco_load(scene.request.path,
                             scene.file_is_effective ? std::string{} : scene.mjcf, &load_times_);
      } catch (const std::runtime_error& e) {
        throw CellError(kFailed, e.what());
      }
      model_sha_ = scene.sha;
    }
    const auto& ours = *scene.model;
    if (model_->nq != ours.nq || model_->nv != ours.nv || model_->nu != ours.nu ||
        model_->na != ours.na || model_->nmocap != ours.nmocap) {
      throw CellError(kFailed, "MuJoCo compiles the scene to other sizes; run `stepbench check`");
    }
    return *model_;
  }

  MujocoPtr<mjModel> model_;
  std::string model_sha_;
  LoadTimes load_times_;
};

#else

class MujocoEngine : public Engine {
 public:
  std::string name() const override { return "mujoco"; }
  std::string version() const override { return {}; }
  std::string missing() const override { return mujoco_status().why; }
  batch::MemoryEstimate estimate(const InstanceRequest&) const override { return {}; }
  std::unique_ptr<Instance> prepare(const InstanceRequest&) override {
    throw CellError(kNoDevice, missing());
  }
};

#endif

}  // namespace

std::shared_ptr<Engine> make_mujoco_engine() { return std::make_shared<MujocoEngine>(); }

}  // namespace stepbench::bench
