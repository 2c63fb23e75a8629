// What the broad phase knows of a model, prepared once on the host, and its working memory.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "engine/collide/contact_params.h"
#include "engine/collide/pair_params.h"

namespace stepbench::model {
struct Model;
}

namespace stepbench::collide {

// Plain data; pointers into BroadPhaseModel. A key of two bodies or geoms is smaller * 2^32 +
// larger.
template <class Real>
struct BroadPhaseParams {
  ContactOverride<Real> contact_override;
  int nbody, nsmall, nwide, nexplicit, nexplicit_geoms, nexcluded, nclass;
  bool midphase, filter_parent;
  float cell;         // m, edge of a grid cell: no two small geoms farther apart than this touch
  const int* small;   // nsmall geoms of similar size, ascending
  const int* wide;    // nwide planes and geoms far larger than the rest, ascending
  const Real* reach;  // ngeom, m: bounding radius + margin + gap
  const Real* loose;  // ngeom, m: bounding radius + 2 (margin + gap)
  const int* weld;    // nbody: root of the weld group
  const int* weld_parent;                  // nbody: weld group of that root's parent
  const int* moves;                        // nbody: 1 where the weld group has joints of its own
  const long long* excluded;               // nexcluded body keys, ascending
  const long long* explicit_geoms;         // nexplicit_geoms geom keys, ascending
  const PairParams<Real>* explicit_pairs;  // nexplicit, in the order of their bodies
  // Contact parameters by classes of geoms with equal parameters: class_pairs[nclass * a + b] for a
  // pair whose stored geom1 is of class a. nclass 0: too many classes, parameters are mixed for
  // each pair.
  const int* geom_class;                // ngeom
  const PairParams<Real>* class_pairs;  // nclass * nclass
};

// Candidate pair, geoms in stored order; `given`: index of the explicit pair, or -1.
struct BroadCandidate {
  int geom1, geom2, body1, body2, given;
};

// Working memory of one world. bind_broad_phase() lays it into one block.
template <class Real>
struct BroadPhaseBuffers {
  PairParams<Real>* pairs;         // maxpair: result
  BroadCandidate *found, *sorted;  // maxpair each
  int maxpair;
  int* count;            // nbody + 1
  float *x, *y, *z, *r;  // nsmall + padding, in grid order
  int* order;            // nsmall: geoms in grid order
  int* cell_of;          // nsmall
  int* cell_begin;       // max_cells + 2
  int need_pair = 0;     // pairs that maxpair should have held; 0: it sufficed
};

template <class Real>
class BroadPhaseModel {
 public:
  explicit BroadPhaseModel(const model::Model& m);
  BroadPhaseModel(const BroadPhaseModel&) = delete;
  BroadPhaseModel& operator=(const BroadPhaseModel&) = delete;
  const BroadPhaseParams<Real>& params() const { return params_; }

 private:
  BroadPhaseParams<Real> params_{};
  std::vector<std::vector<Real>> reals_;
  std::vector<std::vector<int>> ints_;
  std::vector<std::vector<long long>> keys_;
  std::vector<std::vector<PairParams<Real>>> pairs_;
};

inline namespace SB_ISA {

inline constexpr int kBroadPadding = 16;  // readable entries past the end of x, y, z, r

SB_HD constexpr int max_cells(int nsmall) { return 2 * nsmall + 64; }

// Bytes of working memory for lists of up to maxpair >= 0 pairs.
template <class Real>
SB_HD std::size_t broad_phase_bytes(const BroadPhaseParams<Real>& p, int maxpair) {
  const std::size_t n = std::size_t(p.nsmall), pairs = std::size_t(maxpair);
  const std::size_t ints = std::size_t(p.nbody) + 1 + 2 * n + std::size_t(max_cells(p.nsmall)) + 2;
  return pairs * (sizeof(PairParams<Real>) + 2 * sizeof(BroadCandidate)) +
         4 * (n + kBroadPadding) * sizeof(float) + ints * sizeof(int);
}

// Lay the buffers into `memory`, which holds broad_phase_bytes() and is aligned as for Real.
template <class Real>
SB_HD BroadPhaseBuffers<Real> bind_broad_phase(const BroadPhaseParams<Real>& p, void* memory,
                                               int maxpair) {
  BroadPhaseBuffers<Real> b{};
  char* at = static_cast<char*>(memory);
  const auto take = [&](auto*& pointer, int n) {
    using T = std::remove_reference_t<decltype(*pointer)>;
    pointer = reinterpret_cast<T*>(at);
    at += sizeof(T) * std::size_t(n);
  };
  take(b.pairs, maxpair);  // the strictest alignment first
  take(b.found, maxpair);
  take(b.sorted, maxpair);
  for (float** a : {&b.x, &b.y, &b.z, &b.r}) take(*a, p.nsmall + kBroadPadding);
  take(b.count, p.nbody + 1);
  take(b.order, p.nsmall);
  take(b.cell_of, p.nsmall);
  take(b.cell_begin, max_cells(p.nsmall) + 2);
  b.maxpair = maxpair;
  return b;
}

}  // namespace SB_ISA

}  // namespace stepbench::collide
