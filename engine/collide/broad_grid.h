// Broad phase, spatial part: the small geoms in grid order, and scans over them.
//
// Positions and reaches are rounded to float with room for the rounding, so a scan finds every pair
// whose bounding spheres touch and a few more; the bounding test of the narrow phase then decides
// exactly. The vectors used for it therefore never show in a result.
#pragma once

#include "engine/collide/broad_phase_params.h"
#include "engine/collide/geometry.h"
#include "engine/math/lane.h"
#include "engine/model/params.h"

namespace stepbench::collide::inline SB_ISA {

#if defined(__CUDACC__)
using BroadLane = float;
#else
using BroadLane = math::Pack<float, SB_VECTOR_BYTES / int(sizeof(float))>;
#endif

// Up to this many small geoms all pairs are scanned, without a grid: 16 us for 256 geoms on one
// core with 16 lanes, about what sorting them into cells costs.
inline constexpr int kMaxBruteForce = 320;

// A row of grid cells along x: [nx], then y, then z.
struct BroadGrid {
  int nx, ny, nz;
};

SB_INLINE BroadLane load(const float* a) {
  BroadLane r;
  __builtin_memcpy(&r, a, sizeof(r));
  return r;
}

// Position as float, kept finite: clamping does not move two geoms apart, and NaN goes to the
// border.
template <class Real>
SB_INLINE float broad_coordinate(Real x) {
  return float(math::clamp(x, Real(-1e6), Real(1e6)));
}

template <class Real>
SB_INLINE float broad_reach(Real reach, float x, float y, float z) {
  // 2^-24 relative for each rounded coordinate, and the same again for the arithmetic of the test.
  return float(reach) * 1.00001f + 4e-7f * (math::abs(x) + math::abs(y) + math::abs(z));
}

// Cell of every small geom in a box of cells that holds all but outliers, which go to the border:
// clamping moves no two cells apart, so neighbours stay neighbours.
template <class Real>
SB_HD BroadGrid assign_cells(const BroadPhaseParams<Real>& p, const Real* xpos, int* cell_of) {
  BroadGrid grid{1, 1, 1};
  if (p.nsmall <= kMaxBruteForce) {
    for (int i = 0; i < p.nsmall; ++i) cell_of[i] = 0;
    return grid;
  }
  // Mean and spread by axis, twice again without what lies beyond three spreads.
  float mean[3] = {}, spread[3] = {};
  for (int round = 0; round < 3; ++round) {
    float sum[3] = {}, square[3] = {}, n = 0;
    for (int i = 0; i < p.nsmall; ++i) {
      float d[3];
      bool keep = true;
      for (int k = 0; k < 3; ++k) {
        d[k] = broad_coordinate(xpos[3 * p.small[i] + k]) - mean[k];
        keep = keep && (round == 0 || math::abs(d[k]) <= 3 * spread[k]);
      }
      if (!keep) continue;
      n += 1;
      for (int k = 0; k < 3; ++k) sum[k] += d[k], square[k] += d[k] * d[k];
    }
    if (n == 0) break;
    for (int k = 0; k < 3; ++k) {
      const float shift = sum[k] / n;
      const float variance = square[k] / n - shift * shift;
      mean[k] += shift;
      spread[k] = math::sqrt(variance > 0 ? variance : 0);
    }
  }
  // Cells as small as pairs allow, larger where there would be more cells than memory for them.
  float cell = p.cell;
  int n[3];
  for (;;) {
    float total = 1;
    for (int k = 0; k < 3; ++k) {
      const float count = math::min(6 * spread[k] / cell + 1, 1e6f);
      n[k] = int(count);
      total *= float(n[k]);
    }
    if (total <= float(max_cells(p.nsmall))) break;
    cell *= 1.25f;
  }
  grid = {n[0], n[1], n[2]};
  for (int i = 0; i < p.nsmall; ++i) {
    int c[3];
    for (int k = 0; k < 3; ++k) {
      const float x = broad_coordinate(xpos[3 * p.small[i] + k]) - mean[k] + 3 * spread[k];
      c[k] = int(math::clamp(x / cell, 0.0f, float(n[k] - 1)));
    }
    cell_of[i] = (c[2] * n[1] + c[1]) * n[0] + c[0];
  }
  return grid;
}

// Fill x, y, z, r, order and cell_begin, stably by cell.
template <class Real>
SB_HD BroadGrid sort_into_cells(const BroadPhaseParams<Real>& p, const Real* xpos,
                                BroadPhaseBuffers<Real>& b) {
  const BroadGrid grid = assign_cells(p, xpos, b.cell_of);
  const int ncell = grid.nx * grid.ny * grid.nz;
  for (int c = 0; c <= ncell + 1; ++c) b.cell_begin[c] = 0;
  for (int i = 0; i < p.nsmall; ++i) ++b.cell_begin[b.cell_of[i] + 2];
  for (int c = 2; c <= ncell + 1; ++c) b.cell_begin[c] += b.cell_begin[c - 1];
  for (int i = 0; i < p.nsmall; ++i) {
    const int g = p.small[i], k = b.cell_begin[b.cell_of[i] + 1]++;
    b.order[k] = g;
    b.x[k] = broad_coordinate(xpos[3 * g]);
    b.y[k] = broad_coordinate(xpos[3 * g + 1]);
    b.z[k] = broad_coordinate(xpos[3 * g + 2]);
    b.r[k] = broad_reach(p.reach[g], b.x[k], b.y[k], b.z[k]);
  }
  for (int k = p.nsmall; k < p.nsmall + kBroadPadding; ++k) b.x[k] = b.y[k] = b.z[k] = b.r[k] = 0;
  return grid;
}

// Calls f(k) for each entry k of [begin, end) for which test(k ...) holds; test maps the first
// entry of a vector to a mask.
template <class Test, class F>
SB_INLINE void scan(int begin, int end, Test&& test, F&& f) {
  for (int k = begin; k < end; k += math::kWidth<BroadLane>) {
    unsigned hit = math::bits_of(test(k));
    if (end - k < math::kWidth<BroadLane>) hit &= (1u << (end - k)) - 1;
    for (; hit != 0; hit &= hit - 1) f(k + __builtin_ctz(hit));
  }
}

// Entries of [begin, end) whose spheres touch the sphere (x, y, z, r).
template <class Real, class F>
SB_INLINE void scan_sphere(const BroadPhaseBuffers<Real>& b, float x, float y, float z, float r,
                           int begin, int end, F&& f) {
  const BroadLane X(x), Y(y), Z(z), R(r);
  scan(
      begin, end,
      [&](int k) {
        const BroadLane dx = load(b.x + k) - X, dy = load(b.y + k) - Y, dz = load(b.z + k) - Z;
        const BroadLane s = load(b.r + k) + R;
        return dx * dx + dy * dy + dz * dz <= s * s;
      },
      f);
}

// Calls f(k1, k2) for each two entries whose spheres touch: all later entries of the own cell, and
// half of the 26 neighbours, so that each pair is seen once. Cells along x lie next to each other.
template <class Real, class F>
SB_HD void for_each_touching(const BroadGrid& grid, const BroadPhaseBuffers<Real>& b, F&& f) {
  const auto begin = [&](int x, int y, int z) {
    return b.cell_begin[(z * grid.ny + y) * grid.nx + x];
  };
  for (int z = 0; z < grid.nz; ++z) {
    for (int y = 0; y < grid.ny; ++y) {
      for (int x = 0; x < grid.nx; ++x) {
        const int first = begin(x, y, z), last = begin(x + 1, y, z);
        if (first == last) continue;
        const int low = x > 0 ? x - 1 : 0, high = x + 1 < grid.nx ? x + 2 : grid.nx;
        int from[5], to[5], ranges = 0;
        const auto add = [&](int yy, int zz) {
          if (yy < 0 || yy >= grid.ny || zz >= grid.nz) return;
          from[ranges] = begin(low, yy, zz);
          to[ranges] = begin(high, yy, zz);
          if (from[ranges] < to[ranges]) ++ranges;
        };
        add(y + 1, z);
        for (int yy = y - 1; yy <= y + 1; ++yy) add(yy, z + 1);
        const int row_end = begin(high, y, z);
        for (int k = first; k < last; ++k) {
          const auto hit = [&](int k2) { f(k, k2); };
          scan_sphere(b, b.x[k], b.y[k], b.z[k], b.r[k], k + 1, row_end, hit);
          for (int q = 0; q < ranges; ++q)
            scan_sphere(b, b.x[k], b.y[k], b.z[k], b.r[k], from[q], to[q], hit);
        }
      }
    }
  }
}

}  // namespace stepbench::collide::inline SB_ISA
