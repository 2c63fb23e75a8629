// Box against box: separating axes, then a face or an edge contact (mujoco_warp.md 6.5; MuJoCo
// >= 3.12).
//
// 1. Of 15 axes (three face normals of each box, nine products of edges) the one of greatest
// separation
//    wins; no contact where any separates by more than the margin. In lanes, straight-line code.
// 2. Face: the face of the other box that looks most against the winner is clipped to the winning
// face
//    (Sutherland and Hodgman 1974); each remaining vertex within the margin is a contact.
//    Edge: one contact between the nearest points of the two supporting edges.
//    Scalar code with branches, for each lane that passed 1: clipping is all branches, every width
//    then executes the same operations and so gives the same bits.
//
// Rounding decides between equal axes (flush or equal boxes), so the order of operations is
// MuJoCo's.
#pragma once

#include "engine/collide/box_axes.h"
#include "engine/collide/box_manifold.h"
#include "engine/collide/geometry.h"

namespace stepbench::collide::inline SB_ISA {

// Step 2 for the lanes of `hit`, with step 1's findings. Returns the number of slots in use, at
// most 8.
template <class Lane>
SB_HD int box_box_slots(const Pose<Lane>& a, const RealOf<Lane>* size1, const Pose<Lane>& b,
                        const RealOf<Lane>* size2, Lane margin, MaskOf<Lane> hit,
                        const BoxAxes<Lane>& r, Contact<Lane>* out) {
  using Real = RealOf<Lane>;
  int slots = 0;
  for (int l = 0; l < math::kWidth<Lane>; ++l) {
    if (!math::get_mask(hit, l)) continue;
    BoxPair<Real> p;
    for (int i = 0; i < 9; ++i) {
      p.rot[i] = math::get(r.rot[i], l);
      p.mat1[i] = math::get(a.mat[i], l);
      p.mat2[i] = math::get(b.mat[i], l);
    }
    for (int i = 0; i < 3; ++i) {
      p.pos21[i] = math::get(r.pos21[i], l);
      p.pos12[i] = math::get(r.pos12[i], l);
    }
    p.pos1[0] = math::get(a.pos.x, l), p.pos1[1] = math::get(a.pos.y, l);
    p.pos1[2] = math::get(a.pos.z, l), p.pos2[0] = math::get(b.pos.x, l);
    p.pos2[1] = math::get(b.pos.y, l), p.pos2[2] = math::get(b.pos.z, l);
    p.size1 = size1;
    p.size2 = size2;
    p.margin = math::get(margin, l);
    BoxContacts<Real> c;
    box_box_contacts(p, int(math::get(r.face, l)), math::get(r.face_sep, l),
                     int(math::get(r.edge, l)), math::get(r.edge_sep, l), c);
    for (; slots < c.n; ++slots) out[slots] = {no_contact<Lane>(), a.pos, a.axis(0)};
    for (int k = 0; k < c.n; ++k) {
      math::set(out[k].dist, l, c.dist[k]);
      math::set(out[k].pos.x, l, c.pos[k][0]);
      math::set(out[k].pos.y, l, c.pos[k][1]);
      math::set(out[k].pos.z, l, c.pos[k][2]);
      math::set(out[k].normal.x, l, c.normal[0]);
      math::set(out[k].normal.y, l, c.normal[1]);
      math::set(out[k].normal.z, l, c.normal[2]);
    }
  }
  return slots;
}

// `near`: lanes that passed the bounding test. Returns the number of slots in use, at most 8.
template <class Lane>
SB_HD int box_box(const Pose<Lane>& a, const RealOf<Lane>* size1, const Pose<Lane>& b,
                  const RealOf<Lane>* size2, Lane margin, MaskOf<Lane> near, Contact<Lane>* out) {
  BoxAxes<Lane> r;
  const MaskOf<Lane> hit = box_box_axes(a, size1, b, size2, margin, near, r);
  if (!math::any(hit)) return 0;
  return box_box_slots(a, size1, b, size2, margin, hit, r, out);
}

}  // namespace stepbench::collide::inline SB_ISA
