#include "engine/batch/thread_pool.h"

#include <exception>
#include <utility>

namespace stepbench::batch {

ThreadPool::ThreadPool(int threads) : errors_(size_t(threads)) {
  for (int t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& w : workers_) w.join();
}

void ThreadPool::run_share(int t) {
  const int size = this->size();
  try {
    const std::int64_t begin = share_begin(n_, size, t), end = share_begin(n_, size, t + 1);
    if (begin < end) (*task_)(t, begin, end);
  } catch (...) {
    errors_[size_t(t)] = std::current_exception();
  }
}

void ThreadPool::run(std::int64_t n,
                     const std::function<void(int, std::int64_t, std::int64_t)>& f) {
  {
    std::lock_guard lock(mutex_);
    task_ = &f;
    n_ = n;
    pending_ = int(workers_.size());
    ++round_;
  }
  start_.notify_all();
  run_share(0);
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return pending_ == 0; });
    task_ = nullptr;
  }
  std::exception_ptr first;
  for (std::exception_ptr& e : errors_) {
    const std::exception_ptr caught = std::exchange(e, nullptr);
    if (!first) first = caught;
  }
  if (first) std::rethrow_exception(first);
}

void ThreadPool::work(int thread) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    run_share(thread);
    {
      std::lock_guard lock(mutex_);
      --pending_;
    }
    done_.notify_one();
  }
}

}  // namespace stepbench::batch
