// Separating axes of many box pairs of one world, with lanes over pairs: step 1 of box against box
// (box_box.h) for single execution.
//
// A lane goes through the same operations as one pair alone, so its findings have the same bits.
#pragma once

#include "engine/collide/box_axes.h"
#include "engine/collide/pair_params.h"
#include "engine/model/params.h"

namespace stepbench::collide::inline SB_ISA {

template <class Real>
using PairLane = math::Pack<Real, SB_VECTOR_BYTES / int(sizeof(Real))>;

// Step 1 of one pair.
template <class Real>
struct BoxFinding {
  bool hit;
  BoxAxes<Real> axes;
};

// Findings of the n box pairs pairs[index[i]].
template <class Real>
SB_HD void find_box_axes(const model::Params<Real>& m, const PairParams<Real>* pairs,
                         const int* index, int n, const Real* xpos, const Real* xmat,
                         BoxFinding<Real>* out) {
  using Lane = PairLane<Real>;
  constexpr int W = math::kWidth<Lane>;
  for (int first = 0; first < n; first += W) {
    Lane pos[2][3], mat[2][9], size[2][3], margin;
    for (int l = 0; l < W; ++l) {
      const PairParams<Real>& q = pairs[index[first + l < n ? first + l : n - 1]];
      math::set(margin, l, q.margin + q.gap);
      for (int side = 0; side < 2; ++side) {
        const int g = side == 0 ? q.geom1 : q.geom2;
        for (int k = 0; k < 3; ++k) {
          math::set(pos[side][k], l, xpos[3 * g + k]);
          math::set(size[side][k], l, m.geom_size[3 * g + k]);
        }
        for (int k = 0; k < 9; ++k) math::set(mat[side][k], l, xmat[9 * g + k]);
      }
    }
    const Pose<Lane> a{{pos[0][0], pos[0][1], pos[0][2]}, mat[0]};
    const Pose<Lane> b{{pos[1][0], pos[1][1], pos[1][2]}, mat[1]};
    BoxAxes<Lane> r;
    const MaskOf<Lane> hit = box_box_axes(a, size[0], b, size[1], margin, MaskOf<Lane>(true), r);
    const bool some = math::any(hit);
    for (int l = 0; l < W && first + l < n; ++l) {
      BoxFinding<Real>& to = out[first + l];
      to.hit = some && math::get_mask(hit, l);
      if (!to.hit) continue;
      for (int k = 0; k < 9; ++k) to.axes.rot[k] = math::get(r.rot[k], l);
      for (int k = 0; k < 3; ++k) {
        to.axes.pos21[k] = math::get(r.pos21[k], l);
        to.axes.pos12[k] = math::get(r.pos12[k], l);
      }
      to.axes.face = math::get(r.face, l);
      to.axes.face_sep = math::get(r.face_sep, l);
      to.axes.edge = math::get(r.edge, l);
      to.axes.edge_sep = math::get(r.edge_sep, l);
    }
  }
}

}  // namespace stepbench::collide::inline SB_ISA
