// Small run-time counts as constants of the compiler: what loops over them then unrolls, and its
// arrays stay in registers.
#pragma once

#include "engine/math/target.h"

namespace stepbench::math::inline SB_ISA {

template <int N>
struct Count {
  static constexpr int value = N;
};

// f(Count<n>) for n in 1 .. Max; larger n count as Max.
template <int Max, int N = 1, class F>
SB_INLINE void with_count(int n, F&& f) {
  if constexpr (N < Max) {
    if (n == N) {
      f(Count<N>());
    } else {
      with_count<Max, N + 1>(n, f);
    }
  } else {
    f(Count<Max>());
  }
}

}  // namespace stepbench::math::inline SB_ISA
