// Contacts of two boxes along a given axis, for one world: step 2 of box against box (box_box.h).
#pragma once

#include "engine/collide/box_axes.h"
#include "engine/collide/geometry.h"
#include "engine/collide/pair_params.h"

namespace stepbench::collide::inline SB_ISA {

// One lane of step 1, with what step 2 needs besides.
template <class Real>
struct BoxPair {
  Real rot[9], pos21[3], pos12[3];
  Real pos1[3], mat1[9], pos2[3], mat2[9];
  const Real* size1;
  const Real* size2;
  Real margin;
};

// Contacts of one pair in one world.
template <class Real>
struct BoxContacts {
  int n = 0;
  Real normal[3];
  Real dist[kMaxContactsOfPair], pos[kMaxContactsOfPair][3];
};

namespace box_box_detail {

// Position in world frame of a point in the frame of a box.
template <class Real>
SB_INLINE void to_world(const Real* pos, const Real* mat, const Real* v, Real* out) {
  for (int i = 0; i < 3; ++i)
    out[i] = mat[3 * i] * v[0] + mat[3 * i + 1] * v[1] + mat[3 * i + 2] * v[2] + pos[i];
}

// Unit axis of edges (i, j) in the frame of box 1.
template <class Real>
SB_INLINE void edge_axis(const BoxPair<Real>& p, int i, int j, Real* axis) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  axis[i] = Real(0);
  axis[i1] = -p.rot[3 * i2 + j];
  axis[i2] = p.rot[3 * i1 + j];
  const Real norm = math::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const Real inverse = Real(1) / norm;
  axis[i1] *= inverse;
  axis[i2] *= inverse;
}

// A winning edge axis along the best face's normal gives way to the face, unless it is clearly
// deeper: the face covers the same contact with several points, and stacks must not flip between
// the two.
template <class Real>
SB_INLINE bool edge_repeats_face(const BoxPair<Real>& p, const Real* axis, int face, Real face_sep,
                                 Real edge_sep) {
  using T = BoxTolerance<Real>;
  const int f = face - 3;
  const Real cosine =
      face < 3 ? math::abs(axis[face])
               : math::abs(axis[0] * p.rot[f] + axis[1] * p.rot[3 + f] + axis[2] * p.rot[6 + f]);
  return cosine > T::kSameAsFace &&
         edge_sep < face_sep + T::kFaceBias * math::abs(face_sep) + kMinVal<Real>;
}

// Nearest points of the supporting edges. A component of the axis near zero leaves open which of
// two parallel edges supports it: both are tried and the closest pair kept.
template <class Real>
SB_HD void edge_contact(const BoxPair<Real>& p, int i, int j, Real* axis, BoxContacts<Real>& out) {
  using T = BoxTolerance<Real>;
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  const Real* rot = p.rot;
  if (axis[0] * p.pos21[0] + axis[1] * p.pos21[1] + axis[2] * p.pos21[2] < Real(0))
    for (int k = 0; k < 3; ++k) axis[k] = -axis[k];
  Real a2[3];
  for (int k = 0; k < 3; ++k)
    a2[k] = axis[0] * rot[k] + axis[1] * rot[3 + k] + axis[2] * rot[6 + k];
  const auto open = [](Real x) { return math::abs(x) < T::kAmbiguous; };
  const int open1 = open(axis[i1]) ? i1 : open(axis[i2]) ? i2 : -1;
  const int open2 = open(a2[j1]) ? j1 : open(a2[j2]) ? j2 : -1;

  const Real d2[3] = {rot[j], rot[3 + j], rot[6 + j]};
  const Real b = d2[i], denom = Real(1) - b * b;
  const auto clip = [](Real x, Real limit) { return x < -limit ? -limit : x > limit ? limit : x; };
  Real best = Real(1e10), w1[3] = {}, w2[3] = {};
  for (int v1 = 0; v1 < (open1 >= 0 ? 2 : 1); ++v1) {
    for (int v2 = 0; v2 < (open2 >= 0 ? 2 : 1); ++v2) {
      Real c1[3], cc[3], c2[3], e[3];
      c1[i] = Real(0);
      c1[i1] = axis[i1] >= Real(0) ? p.size1[i1] : -p.size1[i1];
      c1[i2] = axis[i2] >= Real(0) ? p.size1[i2] : -p.size1[i2];
      if (v1) c1[open1] = -c1[open1];
      cc[j] = Real(0);
      cc[j1] = a2[j1] >= Real(0) ? -p.size2[j1] : p.size2[j1];
      cc[j2] = a2[j2] >= Real(0) ? -p.size2[j2] : p.size2[j2];
      if (v2) cc[open2] = -cc[open2];
      to_world(p.pos21, rot, cc, c2);
      for (int k = 0; k < 3; ++k) e[k] = c2[k] - c1[k];

      const Real d1e = e[i], d2e = d2[0] * e[0] + d2[1] * e[1] + d2[2] * e[2];
      Real s = denom < kMinVal<Real> ? Real(0) : (d1e - b * d2e) / denom;
      s = clip(s, p.size1[i]);
      const Real t = clip(b * s - d2e, p.size2[j]);
      s = clip(d1e + b * t, p.size1[i]);

      c1[i] += s;
      for (int k = 0; k < 3; ++k) c2[k] += d2[k] * t;
      for (int k = 0; k < 3; ++k) e[k] = c2[k] - c1[k];
      const Real gap2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
      if (gap2 < best) {
        best = gap2;
        for (int k = 0; k < 3; ++k) w1[k] = c1[k], w2[k] = c2[k];
      }
    }
  }
  const Real dist =
      (w2[0] - w1[0]) * axis[0] + (w2[1] - w1[1]) * axis[1] + (w2[2] - w1[2]) * axis[2];
  if (dist > p.margin + box_slack(p.size1, p.size2)) return;
  const Real half = Real(0.5), origin[3] = {};
  const Real mid[3] = {half * (w1[0] + w2[0]), half * (w1[1] + w2[1]), half * (w1[2] + w2[2])};
  out.n = 1;
  out.dist[0] = dist;
  to_world(p.pos1, p.mat1, mid, out.pos[0]);
  to_world(origin, p.mat1, axis, out.normal);
}

inline constexpr int kMaxVertices = 12;

// Keep the part of a polygon with sign * v[axis] <= limit; returns its number of vertices. z is
// carried along. `in` and `out` swap roles where something is cut.
template <class Real>
SB_HD int clip_polygon(Real (**in)[3], Real (**out)[3], int n, int axis, Real sign, Real limit) {
  Real d[kMaxVertices];
  bool inside = true;
  for (int k = 0; k < n; ++k) {
    d[k] = sign * (*in)[k][axis] - limit;
    inside = inside && d[k] <= Real(0);
  }
  if (inside) return n;
  int m = 0;
  for (int k = 0; k < n; ++k) {
    const int next = k + 1 == n ? 0 : k + 1;
    const Real* p = (*in)[k];
    const Real* q = (*in)[next];
    if (d[k] <= Real(0) && m < kMaxVertices) {
      for (int c = 0; c < 3; ++c) (*out)[m][c] = p[c];
      ++m;
    }
    const bool crosses =
        (d[k] < Real(0) && d[next] > Real(0)) || (d[k] > Real(0) && d[next] < Real(0));
    if (crosses && m < kMaxVertices) {
      const Real t = d[k] / (d[k] - d[next]);
      for (int c = 0; c < 3; ++c) (*out)[m][c] = p[c] + t * (q[c] - p[c]);
      ++m;
    }
  }
  Real(*other)[3] = *in;
  *in = *out;
  *out = other;
  return m;
}

// Contacts on face `code` (0..2 of box 1, 3..5 of box 2). Works in the frame of that box: (x, y) in
// the face, z the height over it.
template <class Real>
SB_HD void face_contacts(const BoxPair<Real>& p, int code, BoxContacts<Real>& out) {
  const bool first = code < 3;
  const int a = first ? code : code - 3, ax = (a + 1) % 3, ay = (a + 2) % 3;
  const Real* size = first ? p.size1 : p.size2;
  const Real* other = first ? p.size2 : p.size1;
  const Real* centre = first ? p.pos21 : p.pos12;
  // Component r of axis c of the other box.
  const auto axis = [&](int r, int c) { return first ? p.rot[3 * r + c] : p.rot[3 * c + r]; };
  const Real sign = centre[a] >= Real(0) ? Real(1) : Real(-1);

  // The other box's face that looks most against this one, and its corners in cyclic order.
  int k = 0;
  for (int c = 1; c < 3; ++c)
    if (math::abs(axis(a, c)) > math::abs(axis(a, k))) k = c;
  const Real turn = sign * axis(a, k) > Real(0) ? Real(-1) : Real(1);
  const int ku = (k + 1) % 3, kv = (k + 2) % 3;
  Real middle[3], u[3], v[3];
  const int rows[3] = {ax, ay, a};
  for (int r = 0; r < 3; ++r) {
    middle[r] = centre[rows[r]] + turn * other[k] * axis(rows[r], k);
    u[r] = other[ku] * axis(rows[r], ku);
    v[r] = other[kv] * axis(rows[r], kv);
  }
  middle[2] = sign * middle[2] - size[a];
  u[2] *= sign;
  v[2] *= sign;
  Real polygons[2][kMaxVertices][3];
  Real(*in)[3] = polygons[0];
  Real(*spare)[3] = polygons[1];
  for (int r = 0; r < 3; ++r) {
    in[0][r] = middle[r] + u[r] + v[r];
    in[1][r] = middle[r] - u[r] + v[r];
    in[2][r] = middle[r] - u[r] - v[r];
    in[3][r] = middle[r] + u[r] - v[r];
  }
  int n = 4;
  n = clip_polygon(&in, &spare, n, 0, Real(1), size[ax]);
  n = clip_polygon(&in, &spare, n, 0, Real(-1), size[ax]);
  n = clip_polygon(&in, &spare, n, 1, Real(1), size[ay]);
  n = clip_polygon(&in, &spare, n, 1, Real(-1), size[ay]);

  // Clipping at a corner can leave the same vertex twice.
  const Real same2 = BoxTolerance<Real>::kDuplicate2 * (size[ax] * size[ax] + size[ay] * size[ay]);
  Real kept[kMaxContactsOfPair][2];
  const Real* pos = first ? p.pos1 : p.pos2;
  const Real* mat = first ? p.mat1 : p.mat2;
  for (int i = 0; i < n && out.n < kMaxContactsOfPair; ++i) {
    if (in[i][2] > p.margin) continue;
    bool repeated = false;
    for (int q = 0; q < out.n; ++q) {
      const Real dx = kept[q][0] - in[i][0], dy = kept[q][1] - in[i][1];
      repeated = repeated || dx * dx + dy * dy < same2;
    }
    if (repeated) continue;
    kept[out.n][0] = in[i][0];
    kept[out.n][1] = in[i][1];
    Real local[3];
    local[ax] = in[i][0];
    local[ay] = in[i][1];
    local[a] = sign * (size[a] + Real(0.5) * in[i][2]);
    out.dist[out.n] = in[i][2];
    to_world(pos, mat, local, out.pos[out.n]);
    ++out.n;
  }
  const Real outward = first ? sign : -sign;
  for (int r = 0; r < 3; ++r) out.normal[r] = outward * mat[3 * r + a];
}

}  // namespace box_box_detail

// Step 2.
template <class Real>
SB_HD void box_box_contacts(const BoxPair<Real>& p, int face, Real face_sep, int edge,
                            Real edge_sep, BoxContacts<Real>& out) {
  namespace d = box_box_detail;
  out.n = 0;
  if (edge >= 0) {
    Real axis[3];
    d::edge_axis(p, edge / 3, edge % 3, axis);
    if (!d::edge_repeats_face(p, axis, face, face_sep, edge_sep)) {
      d::edge_contact(p, edge / 3, edge % 3, axis, out);
      return;
    }
  }
  d::face_contacts(p, face, out);
}

}  // namespace stepbench::collide::inline SB_ISA
