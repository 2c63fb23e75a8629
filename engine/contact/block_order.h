// Elimination order of an island's trees: minimum degree on bit rows, and the block pattern it
// gives.
//
// Cost: fill blocks times n / 64 words. A row, once eliminated, keeps its neighbours of that
// moment: they are the blocks of its row of the factor. Ties go to the tree of the lowest index, so
// that the order is a function of the graph. Source: large_islands.md 2.8 (fill of minimum degree
// against other orders).
#pragma once

#include <cstdint>

#include "engine/contact/context.h"

namespace stepbench::contact::inline SB_ISA {

struct BitGraph {
  int n = 0, words = 0;
  std::uint64_t* row = nullptr;  // n x words

  SB_HD void connect(int i, int j) {
    row[i * words + j / 64] |= std::uint64_t(1) << (j % 64);
    row[j * words + i / 64] |= std::uint64_t(1) << (i % 64);
  }
  SB_HD void remove(int i, int j) { row[i * words + j / 64] &= ~(std::uint64_t(1) << (j % 64)); }
};

SB_HD inline int count_bits(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}

SB_HD inline int first_bit(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return __builtin_ctzll(x);
#endif
}

// f(j) for the neighbours j of node i, ascending.
template <class F>
SB_HD void for_neighbours(const BitGraph& g, int i, F&& f) {
  for (int w = 0; w < g.words; ++w) {
    for (std::uint64_t rest = g.row[i * g.words + w]; rest != 0; rest &= rest - 1) {
      f(64 * w + first_bit(rest));
    }
  }
}

// order[q]: node eliminated q-th; position: its inverse. degree: n, working memory. Returns the
// number of blocks off the diagonal.
SB_HD inline int minimum_degree(BitGraph& g, int* order, int* position, int* degree) {
  for (int i = 0; i < g.n; ++i) {
    position[i] = -1;
    degree[i] = 0;
    for (int w = 0; w < g.words; ++w) degree[i] += count_bits(g.row[i * g.words + w]);
  }
  int blocks = 0;
  for (int q = 0; q < g.n; ++q) {
    int k = -1;
    for (int i = 0; i < g.n; ++i) {
      if (position[i] < 0 && (k < 0 || degree[i] < degree[k])) k = i;
    }
    order[q] = k;
    position[k] = q;
    blocks += degree[k];
    const std::uint64_t* from = g.row + k * g.words;
    for_neighbours(g, k, [&](int i) {
      std::uint64_t* to = g.row + i * g.words;
      int n = 0;
      for (int w = 0; w < g.words; ++w) {
        to[w] |= from[w];
        n += count_bits(to[w]);
      }
      g.remove(i, i);
      g.remove(i, k);
      degree[i] = n - 2;  // itself and k
    });
  }
  return blocks;
}

}  // namespace stepbench::contact::inline SB_ISA
