#include "engine/batch/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace stepbench::batch {
namespace {

TEST(ThreadPool, CoversEveryElementOnceForAnyTeamSize) {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (std::int64_t n : {0, 1, 2, 6, 100}) {
      std::vector<int> seen(size_t(n), 0);
      pool.run(n, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++seen[size_t(i)];
      });
      EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), n);
      for (int x : seen) EXPECT_EQ(x, 1);
    }
  }
}

TEST(ThreadPool, SharesDifferByAtMostOne) {
  for (int size : {1, 2, 3, 5}) {
    for (std::int64_t n = 0; n < 20; ++n) {
      for (int t = 0; t < size; ++t) {
        const std::int64_t share =
            ThreadPool::share_begin(n, size, t + 1) - ThreadPool::share_begin(n, size, t);
        EXPECT_GE(share, n / size);
        EXPECT_LE(share, n / size + 1);
      }
    }
  }
}

TEST(ThreadPool, RethrowsAndStaysUsable) {
  ThreadPool pool(3);
  const auto fail = [](int, std::int64_t, std::int64_t) { throw std::runtime_error("share"); };
  EXPECT_THROW(pool.run(3, fail), std::runtime_error);
  int done = 0;
  pool.run(1, [&](int, std::int64_t, std::int64_t) { ++done; });
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace stepbench::batch
