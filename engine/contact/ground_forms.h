// Geometry of a contact of a link with the world: from the link's motion to the contact's base rows
// and back. Source: packed_contacts.md 3.2.
#pragma once

#include "engine/contact/cone.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
struct GroundContact {
  using Real = RealOf<Lane>;
  static constexpr int kLanes = 25;  // arm 3, frame 9, D, u 6, v 6

  Lane* lanes;
  int next;         // while places are found: of the same class
  unsigned owners;  // lanes that have the contact
  int dim;
  bool flat;     // the normal is the world's z
  Real turn[3];  // coefficients of rows 3 ... 5 over those of rows 0 ... 2
  ConeParams<Real> cone;

  SB_INLINE Lane* arm() const { return lanes; }
  SB_INLINE Lane* frame() const { return lanes + 3; }
  SB_INLINE Lane& D() const { return lanes[12]; }
  SB_INLINE Lane* u() const { return lanes + 13; }
  SB_INLINE Lane* v() const { return lanes + 19; }
};

// What both forms share.
template <class Lane>
struct ContactForm {
  using Real = RealOf<Lane>;
  const GroundContact<Lane>& q;

  SB_INLINE const ConeParams<Real>& cone() const { return q.cone; }
  SB_INLINE Lane& D() const { return q.D(); }
  SB_INLINE Lane* u() const { return q.u(); }
  SB_INLINE Lane* v() const { return q.v(); }

 protected:
  // Velocity at the contact.
  SB_INLINE void point_motion(const Lane* S, Lane* at) const {
    const Lane* r = q.arm();
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      at[i] = fnma(S[k], r[j], fma(S[j], r[k], S[3 + i]));
    }
  }

  // w += a force at the contact.
  SB_INLINE void add_force(const Lane* force, Lane* w) const {
    const Lane* r = q.arm();
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      w[3 + i] += force[i];
      w[i] = fnma(r[k], force[j], fma(r[j], force[k], w[i]));
    }
  }

  // Y += the stiffness K of translations at the contact: K, [r] K and [r] K [r]'.
  static SB_INLINE void add_shifted(const Lane* K, const Lane* r, Lane* Y) {
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      SB_UNROLL
      for (int j = 0; j <= i; ++j) Y[tri(3 + i, 3 + j)] += K[tri(i, j)];
    }
    Lane T[3][3];  // [r] times column i of K
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      SB_UNROLL
      for (int j = 0; j < 3; ++j) {
        const int a = (j + 1) % 3, b = (j + 2) % 3;
        T[i][j] =
            fnma(r[b], K[i >= a ? tri(i, a) : tri(a, i)], r[a] * K[i >= b ? tri(i, b) : tri(b, i)]);
        Y[tri(3 + i, j)] += T[i][j];
      }
    }
    SB_UNROLL
    for (int j = 0; j < 3; ++j) {
      SB_UNROLL
      for (int m = 0; m < 3; ++m) {
        if (m > j) continue;
        const int a = (m + 1) % 3, b = (m + 2) % 3;
        Lane& y = Y[tri(j, m)];
        y = fnma(r[b], T[a][j], fma(r[a], T[b][j], y));
      }
    }
  }
};

// Any normal and tangents: `frame` holds the three directions times their coefficients, minus where
// body 1 moves.
template <class Lane>
struct FreeContact : ContactForm<Lane> {
  using Real = RealOf<Lane>;
  using ContactForm<Lane>::q;

  // Motion of the base rows.
  template <class Cone>
  SB_INLINE void motion(const Lane* S, Lane* v) const {
    Lane at[3];
    this->point_motion(S, at);
    SB_UNROLL
    for (int i = 0; i < Cone::kDim; ++i) {
      v[i] = i < 3 ? dot3(q.frame() + 3 * i, at)
                   : dot3(q.frame() + 3 * (i - 3), S) * Lane(q.turn[i < 3 ? 0 : i - 3]);
    }
  }

  // w += force and moment of the rows' forces.
  template <class Cone>
  SB_INLINE void add_wrench(const Lane* f, Lane* w) const {
    Lane force[3];
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      force[i] = f[0] * q.frame()[i];
      SB_UNROLL
      for (int row = 1; row < (Cone::kDim < 3 ? 1 : 3); ++row) {
        force[i] = fma(f[row], q.frame()[3 * row + i], force[i]);
      }
      SB_UNROLL
      for (int row = 3; row < Cone::kDim; ++row) {
        w[i] = fma(f[row] * Lane(q.turn[row - 3]), q.frame()[3 * (row - 3) + i], w[i]);
      }
    }
    this->add_force(force, w);
  }

  template <class Cone>
  SB_INLINE void add_inertia(const Lane* W, Lane* Y) const {
    if constexpr (Cone::kDim <= 3) {
      add_translations<Cone>(W, Y);
    } else {
      add_rows<Cone>(W, Y);
    }
  }

 private:
  static SB_INLINE Lane dot3(const Lane* a, const Lane* b) {
    return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]));
  }

  // Up to three rows, all of them translations: with K = frame'W frame, add K, [r] K and
  // [r] K [r]'.
  template <class Cone>
  SB_INLINE void add_translations(const Lane* W, Lane* Y) const {
    constexpr int kDim = Cone::kDim;
    const Lane *f = q.frame(), *r = q.arm();
    Lane K[6];
    Lane WF[3][kDim];
    SB_UNROLL
    for (int i = 0; i < 3; ++i) {
      Lane column[kDim];
      SB_UNROLL
      for (int row = 0; row < kDim; ++row) column[row] = f[3 * row + i];
      weigh<Cone>(W, column, WF[i]);
      SB_UNROLL
      for (int j = 0; j < 3; ++j) {
        if (j > i) continue;
        Lane sum = WF[i][0] * f[j];
        SB_UNROLL
        for (int row = 1; row < kDim; ++row) sum = fma(WF[i][row], f[3 * row + j], sum);
        K[tri(i, j)] = sum;
      }
    }
    this->add_shifted(K, r, Y);
  }

  template <class Cone>
  SB_INLINE void add_rows(const Lane* W, Lane* Y) const {
    constexpr int kDim = Cone::kDim;
    const Lane *f = q.frame(), *r = q.arm();
    const Lane zero(Real(0));
    Lane X[6][kDim];
    SB_UNROLL
    for (int row = 0; row < kDim; ++row) {
      const Lane* dir = f + 3 * (row % 3);
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        X[i][row] = row < 3 ? fnma(r[k], dir[j], r[j] * dir[k])
                            : dir[i] * Lane(q.turn[row < 3 ? 0 : row - 3]);
        X[3 + i][row] = row < 3 ? dir[i] : zero;
      }
    }
    SB_UNROLL
    for (int i = 0; i < 6; ++i) {
      Lane WX[kDim];
      weigh<Cone>(W, X[i], WX);
      SB_UNROLL
      for (int j = 0; j < 6; ++j) {
        if (j > i) continue;
        Lane sum = Y[tri(i, j)];
        SB_UNROLL
        for (int row = 0; row < kDim; ++row) {
          if (j >= 3 && row >= 3) continue;
          sum = fma(WX[row], X[j][row], sum);
        }
        Y[tri(i, j)] = sum;
      }
    }
  }
};

// The normal is the world's z, the tangents are (x, y, 0) and (-y, x, 0): `frame` holds x, y times
// the coefficient of both.
template <class Lane>
struct FlatContact : ContactForm<Lane> {
  using Real = RealOf<Lane>;
  using ContactForm<Lane>::q;

  template <class Cone>
  SB_INLINE void motion(const Lane* S, Lane* v) const {
    Lane at[3];
    this->point_motion(S, at);
    v[0] = at[2];
    if constexpr (Cone::kDim > 1) to_tangents(at, v + 1);
    if constexpr (Cone::kDim > 3) v[3] = S[2] * Lane(q.turn[0]);
    if constexpr (Cone::kDim > 4) {
      to_tangents(S, v + 4);
      v[4] = v[4] * Lane(q.turn[1]);
      v[5] = v[5] * Lane(q.turn[2]);
    }
  }

  template <class Cone>
  SB_INLINE void add_wrench(const Lane* f, Lane* w) const {
    const Lane zero(Real(0));
    Lane force[3] = {zero, zero, f[0]};
    if constexpr (Cone::kDim > 1) from_tangents(f[1], f[2], force[0], force[1]);
    this->add_force(force, w);
    if constexpr (Cone::kDim > 3) w[2] = fma(f[3], Lane(q.turn[0]), w[2]);
    if constexpr (Cone::kDim > 4) {
      Lane x, y;
      from_tangents(f[4] * Lane(q.turn[1]), f[5] * Lane(q.turn[2]), x, y);
      w[0] += x;
      w[1] += y;
    }
  }

  // Y += X'W X: W in world axes first, M over (force x y z, moment x y z), then shifted by the arm.
  template <class Cone>
  SB_INLINE void add_inertia(const Lane* W, Lane* Y) const {
    constexpr int kDim = Cone::kDim;
    const Lane zero(Real(0)), *r = q.arm();
    if constexpr (kDim == 1) {
      const Lane K[6] = {zero, zero, zero, zero, zero, W[0]};
      this->add_shifted(K, r, Y);
    } else {
      constexpr int row_of[6] = {1, 2, 0, 4, 5, 3};  // base row of each axis
      Lane M[6][6];
      SB_UNROLL
      for (int i = 0; i < 6; ++i) {
        SB_UNROLL
        for (int j = 0; j < 6; ++j) {
          if (j > i) continue;
          const int a = row_of[i], b = row_of[j];
          const bool there = a < kDim && b < kDim && !(Cone::kArrow && a != b && a != 0 && b != 0);
          Lane m = there ? W[a >= b ? tri(a, b) : tri(b, a)] : zero;
          if (there && a >= 3) m = m * Lane(q.turn[a >= 3 ? a - 3 : 0]);
          if (there && b >= 3) m = m * Lane(q.turn[b >= 3 ? b - 3 : 0]);
          M[i][j] = m;
        }
      }
      rotate<0, Cone>(M);
      if constexpr (kDim > 4) rotate<3, Cone>(M);
      Lane K[6];
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        SB_UNROLL
        for (int j = 0; j <= i; ++j) K[tri(i, j)] = M[i][j];
      }
      this->add_shifted(K, r, Y);
      if constexpr (kDim > 3) {
        // Moments: B = M's (moment, force) part adds B to (angular, linear) and [r] B' + B [r]'.
        SB_UNROLL
        for (int i = 0; i < 3; ++i) {
          SB_UNROLL
          for (int j = 0; j < 3; ++j) {
            Y[tri(3 + i, j)] += M[3 + j][i];
            if (j > i) continue;
            const int a = (i + 1) % 3, b = (i + 2) % 3, e = (j + 1) % 3, h = (j + 2) % 3;
            Lane y = Y[tri(i, j)] + M[3 + i][3 + j];
            y = fnma(r[b], M[3 + j][a], fma(r[a], M[3 + j][b], y));
            Y[tri(i, j)] = fnma(r[h], M[3 + i][e], fma(r[e], M[3 + i][h], y));
          }
        }
      }
    }
  }

 private:
  SB_INLINE void to_tangents(const Lane* a, Lane* v) const {
    const Lane *t = q.frame(), &x = t[0], &y = t[1];
    v[0] = fma(y, a[1], x * a[0]);
    v[1] = fnma(y, a[0], x * a[1]);
  }
  SB_INLINE void from_tangents(Lane a, Lane b, Lane& to_x, Lane& to_y) const {
    const Lane *t = q.frame(), &x = t[0], &y = t[1];
    to_x = fnma(y, b, x * a);
    to_y = fma(x, b, y * a);
  }

  // Rows and columns P, P + 1 from the tangents to x and y.
  template <int P, class Cone>
  SB_INLINE void rotate(Lane (&M)[6][6]) const {
    const Lane *t = q.frame(), x = t[0], y = t[1];
    const Lane a = M[P][P], b = M[P + 1][P], c = M[P + 1][P + 1];
    const Lane xx = x * x, yy = y * y, xy = x * y;
    M[P][P] = fma(xx, a, yy * c);
    M[P + 1][P + 1] = fma(yy, a, xx * c);
    M[P + 1][P] = xy * (a - c);
    if constexpr (!Cone::kArrow) {
      const Lane twice = xy * (b + b);
      M[P][P] = M[P][P] - twice;
      M[P + 1][P + 1] = M[P + 1][P + 1] + twice;
      M[P + 1][P] = fma(xx - yy, b, M[P + 1][P]);
    }
    SB_UNROLL
    for (int k = 0; k < 6; ++k) {
      if (k == P || k == P + 1) continue;
      if (k >= 3 && Cone::kDim < (k == 5 ? 4 : 6)) continue;  // no such row
      Lane& m0 = k > P ? M[k][P] : M[P][k];
      Lane& m1 = k > P ? M[k][P + 1] : M[P + 1][k];
      const Lane u = m0, v = m1;
      m0 = fnma(y, v, x * u);
      m1 = fma(x, v, y * u);
    }
  }
};

}  // namespace stepbench::contact::inline SB_ISA
