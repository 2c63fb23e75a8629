#include "bench/measure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <utility>

#include "bench/controls.h"
#include "bench/error.h"
#include "bench/memory.h"
#include "bench/rng.h"
#include "bench/statistics.h"
#include "bench/summary.h"

namespace stepbench::bench {
namespace {

// Share of the available memory that the cells of a block may need together, and cells at most.
constexpr double kBlockMemory = 0.5;
constexpr std::size_t kBlockCells = 256;
// A block that has taken its share of time ends with its comparison group: cells of a block that is
// interrupted are measured anew.
constexpr double kBlockSeconds = 120;

class Run {
 public:
  Run(const Plan& plan, EngineSet& engines, Observer& observer, const MeasureOptions& options)
      : plan_(plan),
        engines_(engines),
        observer_(observer),
        options_(options),
        cells_(plan.mine()),
        begin_(options.clock()) {}

  Outcome run() {
    take_done();
    std::vector<const PlannedCell*> todo;
    for (const auto* c : cells_) {
      if (!rows_.contains(c->id.cell_id)) todo.push_back(c);
    }
    todo_count_ = todo.size();
    for (const auto& block : blocks(todo)) {
      if (stopped()) break;
      run_block(block);
    }
    return finish();
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->requested(); }

  void take_done() {
    for (const auto& cell : options_.done) {
      const auto& id = cell.samples.front().id.cell_id;
      rows_[id] = cell.samples;
      complete_[id] = cell.stop_rule;
    }
  }

  // Cells of one scene and input profile that fit into memory together.
  std::vector<std::vector<const PlannedCell*>> blocks(const std::vector<const PlannedCell*>& todo) {
    std::vector<std::vector<const PlannedCell*>> out;
    const Int available = available_memory();
    const double limit = available < 0 ? HUGE_VAL : kBlockMemory * double(available);
    double bytes = 0, seconds = 0;
    for (const auto* c : todo) {
      const double need = double(c->cost.bytes);
      const bool same = !out.empty() && out.back().back()->loaded == c->loaded &&
                        out.back().back()->cell.ctrl_profile == c->cell.ctrl_profile &&
                        out.back().size() < kBlockCells && bytes + need <= limit &&
                        (seconds < kBlockSeconds || out.back().back()->group == c->group);
      if (!same) {
        out.emplace_back();
        bytes = seconds = 0;
      }
      out.back().push_back(c);
      bytes += need;
      seconds += plan_.settings.rules.max_time_s;
    }
    return out;
  }

  void run_block(const std::vector<const PlannedCell*>& block) {
    std::vector<std::unique_ptr<CellRun>> runs;
    for (const auto* c : block) {
      if (stopped()) return;
      report(*c, nullptr, "prepare");
      if (auto r = prepare(*c)) runs.push_back(std::move(r));
    }
    set_windows(runs);
    const bool interleave = plan_.settings.rules.interleave;
    for (std::int64_t order = 0; !runs.empty(); std::erase(runs, nullptr)) {
      if (interleave) shuffle(runs);
      for (auto& r : runs) {
        do {
          if (stopped()) return;
          report(r->planned(), r.get(), "measure");
          turn(r, order++);
        } while (!interleave && r != nullptr);
      }
    }
  }

  // nullptr: the cell ended with a status.
  std::unique_ptr<CellRun> prepare(const PlannedCell& c) {
    Engine& engine = *engines_.find(c.cell.engine);
    std::unique_ptr<CellRun> r;
    try {
      const bool runnable = c.runnable();
      r = std::make_unique<CellRun>(c, engine, runnable ? start_states(c) : nullptr,
                                    runnable ? controls(c) : nullptr, plan_.settings.rules,
                                    options_.clock);
      if (!runnable) throw CellError(c.id.status, c.id.status_detail);
      r->prepare();
      return r;
    } catch (const CellError& e) {
      fail(c, r.get(), e.status(), e.what());
    } catch (const std::bad_alloc&) {
      fail(c, r.get(), kOutOfMemory, "the batch could not be allocated; fewer worlds fit");
    } catch (const std::exception& e) {
      fail(c, r.get(), kFailed, e.what());
    }
    return nullptr;
  }

  // One repetition; a cell that is done leaves the block.
  void turn(std::unique_ptr<CellRun>& r, std::int64_t order) {
    const PlannedCell& c = r->planned();
    try {
      add(r->repetition(order));
    } catch (const CellError& e) {
      fail(c, r.get(), e.status(), e.what());
      r.reset();
      return;
    } catch (const std::exception& e) {
      fail(c, r.get(), kFailed, e.what());
      r.reset();
      return;
    }
    if (const auto rule = r->stop_rule(); !rule.empty()) {
      complete(c, rule);
      r.reset();
    }
  }

  // Every engine of a comparison group runs the same steps of the same worlds: as many as the
  // slowest can do in its time. Faster ones go over them several times to fill their window.
  void set_windows(const std::vector<std::unique_ptr<CellRun>>& runs) {
    struct Group {
      std::int64_t pass_steps = kPassSteps, distinct = kCoverWorlds;
    };
    std::map<std::string, Group> groups;
    const double window_s = plan_.settings.rules.window_s;
    const auto passes = [&](const CellRun& r, std::int64_t pass_steps) {
      const double pass_s = std::max(r.step_seconds() * double(pass_steps), 1e-9);
      return std::clamp<std::int64_t>(std::int64_t(std::ceil(window_s / pass_s)), 1, 100'000);
    };
    for (const auto& r : runs) {
      auto& g = groups[r->planned().group];
      g.pass_steps = std::min(g.pass_steps, r->most_pass_steps());
    }
    for (const auto& r : runs) {
      auto& g = groups[r->planned().group];
      const auto cover = (kCoverWorlds + r->planned().cell.worlds - 1) / r->planned().cell.worlds;
      g.distinct = std::min({g.distinct, cover, passes(*r, g.pass_steps)});
    }
    for (const auto& r : runs) {
      const auto& g = groups[r->planned().group];
      const auto n = passes(*r, g.pass_steps);
      const auto rounds =
          (n + g.distinct - 1) / g.distinct;  // whole rounds over the distinct starts
      r->set_window({g.pass_steps, rounds * g.distinct, g.distinct});
    }
  }

  void shuffle(std::vector<std::unique_ptr<CellRun>>& runs) {
    ++round_;
    for (std::size_t i = runs.size(); i > 1; --i) {
      const auto j =
          random_below(i, plan_.settings.seed, Stream::kOrder, round_, std::int64_t(i), 0);
      std::swap(runs[i - 1], runs[j]);
    }
  }

  std::shared_ptr<const StartStates> start_states(const PlannedCell& c) {
    if (start_scene_ != c.loaded) {
      StartOptions o;
      const auto& s = plan_.settings;
      o.kind = s.start;
      o.settle = s.settle;
      o.keyframe = s.keyframe;
      o.seed = s.seed;
      o.control_period = s.control_period;
      o.threads = usable_threads();
      start_ = StartStates::make(c.loaded->model, o);
      start_scene_ = c.loaded;
    }
    return start_;
  }

  std::shared_ptr<const batch::ControlSource> controls(const PlannedCell& c) {
    if (c.loaded->model->nu == 0) return nullptr;
    const auto& s = plan_.settings;
    return make_controls(*c.loaded->model,
                         {c.cell.ctrl_profile, s.control_period, s.seed, s.keyframe});
  }

  void add(Sample s) {
    s.env = options_.env;
    s.env.peer_version.clear();
    if (s.cell.engine != "stepbench") s.env.peer_version = engines_.find(s.cell.engine)->version();
    rows_[s.id.cell_id].push_back(s);
    observer_.sample(s);
  }

  void fail(const PlannedCell& c, const CellRun* r, const std::string& status,
            const std::string& detail) {
    Sample s;
    if (r != nullptr) {
      s = r->failure(status, detail);
    } else {
      s.id = c.id;
      s.scene = c.scene;
      s.cell = c.cell;
      s.id.status = status;
      s.id.status_detail = detail;
      s.timing.process_idx = plan_.settings.rules.process_idx;
    }
    add(std::move(s));
    complete(c, "");
  }

  void complete(const PlannedCell& c, const std::string& rule) {
    complete_[c.id.cell_id] = rule;
    ++finished_;
    observer_.cell_done(summarise(rows_[c.id.cell_id], rule));
  }

  void report(const PlannedCell& c, const CellRun* r, const char* phase) {
    Progress p;
    p.cells_done = Int(complete_.size());
    p.cells = Int(cells_.size());
    p.cell = &c;
    p.phase = phase;
    if (r != nullptr && !r->rates().empty()) {
      p.median = median(r->rates());
      const auto i = median_interval(r->rates());
      p.noise_frac = 0.5 * (i.high - i.low) / p.median;
    }
    // Work of this process: a repetition counts for its share of the cell's time.
    if (r != nullptr) partial_[&c] = std::min(0.95, r->spent_s() / plan_.settings.rules.max_time_s);
    double done = double(finished_);
    for (const auto& [cell, share] : partial_) {
      if (!complete_.contains(cell->id.cell_id)) done += share;
    }
    if (todo_count_ > 0) p.fraction = done / double(todo_count_);
    const double spent = options_.clock() - begin_;
    if (p.fraction > 0.02) p.left_s = spent * (1 - p.fraction) / p.fraction;
    observer_.progress(p);
  }

  Outcome finish() {
    Outcome out;
    for (const auto* c : cells_) {
      const auto found = rows_.find(c->id.cell_id);
      if (found == rows_.end()) continue;
      out.samples.insert(out.samples.end(), found->second.begin(), found->second.end());
      const auto rule = complete_.find(c->id.cell_id);
      if (rule != complete_.end()) {
        out.summaries.push_back(summarise(found->second, rule->second));
      }
    }
    compare_cells(out.summaries);
    out.stopped = out.summaries.size() < cells_.size();
    return out;
  }

  const Plan& plan_;
  EngineSet& engines_;
  Observer& observer_;
  const MeasureOptions& options_;
  std::vector<const PlannedCell*> cells_;
  double begin_;
  std::size_t todo_count_ = 0, finished_ = 0;
  std::int64_t round_ = 0;
  std::map<std::string, std::vector<Sample>> rows_;  // by cell_id
  std::map<std::string, std::string> complete_;      // cell_id -> stop rule
  std::map<const PlannedCell*, double> partial_;
  std::shared_ptr<const LoadedScene> start_scene_;
  std::shared_ptr<const StartStates> start_;
};

}  // namespace

Outcome measure(const Plan& plan, EngineSet& engines, Observer& observer,
                const MeasureOptions& options) {
  return Run(plan, engines, observer, options).run();
}

}  // namespace stepbench::bench
