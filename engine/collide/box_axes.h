// Separating axes of two boxes, in lanes: step 1 of box against box (box_box.h).
#pragma once

#include "engine/collide/geometry.h"

namespace stepbench::collide::inline SB_ISA {

// Tolerances for rounding (double, float: those of MuJoCo's two precisions).
template <class Real>
struct BoxTolerance {
  static constexpr bool kDouble = sizeof(Real) == 8;
  static constexpr Real kSeparation = kDouble ? Real(1e-13) : Real(1e-6);   // x sum of half sizes
  static constexpr Real kParallel2 = kDouble ? Real(1e-16) : Real(1e-7);    // sin^2 of an edge axis
  static constexpr Real kAmbiguous = kDouble ? Real(1e-9) : Real(1e-5);     // component of an axis
  static constexpr Real kDuplicate2 = kDouble ? Real(1e-14) : Real(1e-10);  // x (half sizes)^2
  static constexpr Real kEdgeBias = Real(1e-6);    // an edge must beat a face by this, relative
  static constexpr Real kSameAsFace = Real(0.99);  // cosine from which an edge axis is a face's
  static constexpr Real kFaceBias = Real(0.05);    // and how much deeper it must then be
};

// Two boxes in each other's frame, and the winning axis.
template <class Lane>
struct BoxAxes {
  Lane rot[9];    // row-major: axes of box 2 (columns) in the frame of box 1
  Lane pos21[3];  // centre of box 2 in the frame of box 1
  Lane pos12[3];  // centre of box 1 in the frame of box 2
  Lane face;      // best face: 0..2 of box 1, 3..5 of box 2
  Lane face_sep;  // m, its separation
  Lane edge;      // better edge axis 3 i + j (edge i of box 1, j of box 2), or -1
  Lane edge_sep;  // m, its separation
};

template <class Size>
SB_HD Size box_slack(const Size* size1, const Size* size2) {
  return BoxTolerance<RealOf<Size>>::kSeparation *
         (size1[0] + size1[1] + size1[2] + size2[0] + size2[1] + size2[2]);
}

// Step 1. Returns the lanes of `near` in which no axis separates the boxes. Sizes: numbers, or
// lanes where those are pairs (box_pairs.h).
template <class Lane, class Size>
SB_HD MaskOf<Lane> box_box_axes(const Pose<Lane>& a, const Size* size1, const Pose<Lane>& b,
                                const Size* size2, Lane margin, MaskOf<Lane> near,
                                BoxAxes<Lane>& r) {
  using Real = RealOf<Lane>;
  using T = BoxTolerance<Real>;
  const Lane zero = Lane(Real(0)), one = Lane(Real(1));
  const Vec3<Lane> p21 = a.to_local(b.pos - a.pos), p12 = b.to_local(a.pos - b.pos);
  r.pos21[0] = p21.x, r.pos21[1] = p21.y, r.pos21[2] = p21.z;
  r.pos12[0] = p12.x, r.pos12[1] = p12.y, r.pos12[2] = p12.z;
  Lane absrot[9];
  SB_UNROLL
  for (int i = 0; i < 9; ++i) {
    r.rot[i] = dot(a.axis(i / 3), b.axis(i % 3));
    absrot[i] = math::abs(r.rot[i]);
  }
  const Lane tolerance = margin + Lane(box_slack(size1, size2));
  MaskOf<Lane> hit = near;

  r.face = zero;
  r.face_sep = Lane(Real(-1e10));
  const auto face = [&](int code, Lane sep) {
    hit = hit & (sep <= tolerance);
    const MaskOf<Lane> better = sep > r.face_sep;
    r.face_sep = math::select(better, sep, r.face_sep);
    r.face = math::select(better, Lane(Real(code)), r.face);
  };
  SB_UNROLL
  for (int i = 0; i < 3; ++i) {
    const Lane radius = absrot[3 * i] * Lane(size2[0]) + absrot[3 * i + 1] * Lane(size2[1]) +
                        absrot[3 * i + 2] * Lane(size2[2]);
    face(i, math::abs(r.pos21[i]) - Lane(size1[i]) - radius);
  }
  SB_UNROLL
  for (int j = 0; j < 3; ++j) {
    const Lane radius = absrot[j] * Lane(size1[0]) + absrot[3 + j] * Lane(size1[1]) +
                        absrot[6 + j] * Lane(size1[2]);
    face(3 + j, math::abs(r.pos12[j]) - Lane(size2[j]) - radius);
  }
  if (!math::any(hit)) return hit;

  r.edge = Lane(Real(-1));
  r.edge_sep = r.face_sep;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      // e_i x (axis j of box 2) in the frame of box 1: its component i is zero.
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      Lane x1 = -r.rot[3 * i2 + j], x2 = r.rot[3 * i1 + j];
      const Lane norm2 = x1 * x1 + x2 * x2;
      const MaskOf<Lane> valid = norm2 >= Lane(T::kParallel2);
      const Lane inverse = one / math::sqrt(math::select(valid, norm2, one));
      x1 = x1 * inverse;
      x2 = x2 * inverse;
      const Lane radius1 = Lane(size1[i1]) * math::abs(x1) + Lane(size1[i2]) * math::abs(x2);
      const Lane y1 = x1 * r.rot[3 * i1 + j1] + x2 * r.rot[3 * i2 + j1];
      const Lane y2 = x1 * r.rot[3 * i1 + j2] + x2 * r.rot[3 * i2 + j2];
      const Lane radius2 = Lane(size2[j1]) * math::abs(y1) + Lane(size2[j2]) * math::abs(y2);
      const Lane sep = math::abs(x1 * r.pos21[i1] + x2 * r.pos21[i2]) - radius1 - radius2;
      hit = hit & !(valid & (sep > tolerance));
      const MaskOf<Lane> better =
          valid & (sep - Lane(T::kEdgeBias) * math::abs(sep) > r.edge_sep) & (sep > r.face_sep);
      r.edge_sep = math::select(better, sep, r.edge_sep);
      r.edge = math::select(better, Lane(Real(3 * i + j)), r.edge);
    }
  }
  return hit;
}

}  // namespace stepbench::collide::inline SB_ISA
