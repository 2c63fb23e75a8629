// A fixed team of threads that runs one function at a time, each on its own contiguous share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace stepbench::batch {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // >= 1; the caller is thread 0
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return int(workers_.size()) + 1; }

  // Run f(thread, begin, end) on every thread over its share of [0, n); returns when all are done.
  // An exception in any share is rethrown here (the first thread's, in thread order).
  void run(std::int64_t n, const std::function<void(int, std::int64_t, std::int64_t)>& f);

  // Share of thread t: ranges differ by at most one element and depend on n and the team size
  // alone.
  static std::int64_t share_begin(std::int64_t n, int size, int t) { return n * t / size; }

 private:
  void work(int thread);
  void run_share(int thread);

  std::vector<std::thread> workers_;
  std::vector<std::exception_ptr> errors_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int, std::int64_t, std::int64_t)>* task_ = nullptr;
  std::int64_t n_ = 0;
  std::uint64_t round_ = 0;
  int pending_ = 0;
  bool stop_ = false;
};

}  // namespace stepbench::batch
