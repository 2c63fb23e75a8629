// Solves with H = M + (contacts with the world, limits, friction loss) by articulated-body sweeps.
//
// A contact of a body with the world is a 6 x 6 "contact inertia" that is added to the inertia of
// its link; rows on single dofs add to the pivots. Neither M nor H nor rows of J are formed.
// Source: packed_contacts.md 3; Featherstone, Rigid Body Dynamics Algorithms (2008), section 7.3.
// All spatial vectors are in world axes about the centre of mass of their tree, as in
// engine/dynamics.
//
// For a link with motions s_k of its n dofs, articulated inertia Y and rest q of the right-hand
// side:  U = Y S,  D = S'U + diag = L d L',  u = L^-1 (b - S'q),  Z = U L^-T;  its parent receives
// Y - Z d^-1 Z' and q + Z d^-1 u. Then forward, from the root:  x = L^-T d^-1 (u - Z' v), where v
// is the motion of the parent. Work: some 80 operations per dof backward and 13 forward.
#pragma once

#include "engine/contact/link_memory.h"
#include "engine/math/count.h"

namespace stepbench::contact::inline SB_ISA {

template <class Lane>
class Articulated : public LinkMemory<Lane> {
 public:
  using Base = LinkMemory<Lane>;
  using Base::diag;
  using Base::dirty;
  using Base::F;
  using Base::half;
  using Base::inverse;
  using Base::kInertia;
  using Base::kMaxRows;
  using Base::kOwn;
  using Base::kPivot;
  using Base::links;
  using Base::P;
  using Base::S;
  using Base::wrench;
  using typename Base::Real;

  // Takes memory; false: the workspace is too small.
  SB_HD bool prepare(const Context<Lane>& c, Workspace& w) {
    Lane* inertias = take_memory(c, w);
    if (w.full()) return false;
    links.build(c.p, c.d, inertias);
    return true;
  }

  // The state of some lanes of a wider pack; every link is to be factored.
  template <class Wide, class Map>
  bool adopt(const Context<Lane>& c, const Articulated<Wide>& o, const Map& map, Workspace& w) {
    Lane* inertias = take_memory(c, w);
    if (w.full()) return false;
    links.adopt(o.links, map, inertias);
    map.take(o.P, 6 * links.n, P);
    for (int k = 0; k < links.n; ++k) dirty[k] = kOwn;
    for (int i = 0; i < 6 * links.n; ++i) F[i] = wrench[i] = Lane(Real(0));
    return true;
  }

  // S of the acceleration x. Returns x'M x and writes F where kForces.
  template <bool kForces>
  SB_HD Lane motion(const Lane* x) {
    Lane energy(Real(0));
    for (int i = 0; i < links.n; ++i) {
      const int k = links.order[i];
      const Link& l = links.link[k];
      Lane v[6];
      parent_motion(l, v);
      add_motion(l, x + l.dof, v);
      this->template finish_motion<kForces>(k, x, v, energy);
    }
    return energy;
  }

  // g = S'(P - wrench) + armature x - f.
  SB_HD void gradient(const Lane* x, const Lane* f, Lane* g) {
    const auto& p = c_->p;
    project(
        [&](int k, Lane* G) {
          const Lane *a = P + 6 * k, *b = wrench + 6 * k;
          SB_UNROLL
          for (int i = 0; i < 6; ++i) G[i] = a[i] - b[i];
        },
        [&](int i, Lane sum) { g[i] = fma(Lane(p.derived.dof_arm[i]), x[i], sum) - f[i]; });
  }

  // out = S'wrench + f.
  SB_HD void contact_forces(const Lane* f, Lane* out) {
    project(
        [&](int k, Lane* G) {
          const Lane* b = wrench + 6 * k;
          SB_UNROLL
          for (int i = 0; i < 6; ++i) G[i] = b[i];
        },
        [&](int i, Lane sum) { out[i] = sum + f[i]; });
  }

  // Factor H and half-solve with -g. Only links marked dirty, and those that they hang on, are
  // factored anew: the factor of all others is still that of their unchanged inertias and pivots.
  // add(link, Y): the contacts of a link; ball(dof, D): limits of a ball. Clears the marks.
  template <class Add, class Ball>
  SB_HD void factor(const Lane* g, Add&& add, Ball&& ball) {
    for (int i = links.n - 1; i >= 0; --i) {
      const int k = links.order[i];
      const Link& l = links.link[k];
      if (dirty[k] & kOwn) collect(k, add);
      const bool anew = dirty[k] != 0;
      if (anew && l.parent >= 0) dirty[l.parent] |= kPivot;
      dirty[k] = 0;
      with_dofs(l, [&](auto n) {
        constexpr int N = decltype(n)::value;
        if (!anew) {
          reuse<N>(l, g);
        } else if constexpr (N == 6) {
          eliminate_free(k, l, g);
        } else {
          eliminate<N>(k, l, g, ball);
        }
      });
    }
  }

  // Second half of the solve: x, with S and F as in motion(). Returns x'M x.
  SB_HD Lane solve(Lane* x) {
    Lane energy(Real(0));
    for (int i = 0; i < links.n; ++i) {
      const int k = links.order[i];
      const Link& l = links.link[k];
      Lane v[6];
      parent_motion(l, v);
      with_dofs(l, [&](auto n) { substitute<decltype(n)::value>(l, x + l.dof, v); });
      add_motion(l, x + l.dof, v);
      this->template finish_motion<true>(k, x, v, energy);
    }
    return energy;
  }

  // Half-solve R vectors over dofs at once: out[e] = u of row[e]. Only links of `on` are visited,
  // which holds with a link all that it hangs on; rows are zero at the dofs of all others.
  template <int R>
  SB_HD void half_solve(const DofSet& on, const Lane* const* row, Lane* const* out) {
    static_assert(R <= kMaxRows);
    DofSet has;
    for (int i = links.n - 1; i >= 0; --i) {
      const int k = links.order[i];
      if (!on.has(k)) continue;
      const Link& l = links.link[k];
      const bool below = has.has(k), joins = l.parent >= 0 && has.has(l.parent);
      with_dofs(l,
                [&](auto n) { half_solve_link<R, decltype(n)::value>(l, below, joins, row, out); });
      if (l.parent >= 0) has.add(l.parent);
    }
  }

 private:
  using Base::add_motion;
  using Base::c_;
  using Base::cdof;
  using Base::collect;
  using Base::dot6;
  using Base::finish_motion;
  using Base::L_;
  using Base::load_inertia;
  using Base::load_rest;
  using Base::parent_motion;
  using Base::pass_rest;
  using Base::project;
  using Base::rest_;
  using Base::take_memory;
  using Base::up_;
  using Base::Z_;

  // f(Count<n>) for the n dofs of a link.
  template <class F>
  static SB_INLINE void with_dofs(const Link& l, F&& f) {
    if (l.free) {
      f(math::Count<6>());
    } else {
      math::with_count<3>(l.n, f);
    }
  }

  // D = L d L' in place (L below the diagonal), u = L^-1 u; keeps L, 1/d and u of the link.
  template <int N>
  SB_INLINE void reduce(const Link& l, Lane (&D)[N][N], Lane (&u)[N], Lane (&inv)[N]) {
    Lane* store = L_ + 3 * l.dof;
    SB_UNROLL
    for (int k = 0; k < N; ++k) {
      inv[k] = Lane(Real(1)) / D[k][k];
      SB_UNROLL
      for (int i = 0; i < N; ++i) {
        if (i <= k) continue;
        const Lane f = D[i][k] * inv[k];
        SB_UNROLL
        for (int j = 0; j < N; ++j) {
          if (j > k && j <= i) D[i][j] = fnma(f, D[j][k], D[i][j]);
        }
        store[tri(i - 1, k)] = f;
        u[i] = fnma(f, u[k], u[i]);
      }
      // Column k of D is still needed below it, L replaces it here.
      SB_UNROLL
      for (int i = 0; i < N; ++i) {
        if (i > k) D[i][k] = D[i][k] * inv[k];
      }
      inverse[l.dof + k] = inv[k];
      half[l.dof + k] = u[k];
    }
  }

  template <int N, class Ball>
  SB_HD void eliminate(int k, const Link& l, const Lane* g, Ball&& ball) {
    Lane Y[kInertia], q[6], U[N][6], D[N][N], u[N], inv[N];
    load_inertia(k, Y);
    load_rest(l, q);
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      const Lane* s = cdof(l.dof + a);
      math::mul_packed(Y, s, U[a]);
      u[a] = -g[l.dof + a] - dot6(s, q);
    }
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      SB_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b <= a) D[a][b] = dot6(U[b], cdof(l.dof + a));
      }
      D[a][a] += diag[l.dof + a];
    }
    if constexpr (N == 3) {
      if (l.ball) ball(l.dof, D);
    }
    reduce<N>(l, D, u, inv);
    if (l.parent < 0) return;
    Lane* Z = Z_ + 6 * l.dof;
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      SB_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b >= a) continue;
        SB_UNROLL
        for (int i = 0; i < 6; ++i) U[a][i] = fnma(D[a][b], U[b][i], U[a][i]);
      }
      SB_UNROLL
      for (int i = 0; i < 6; ++i) Z[6 * a + i] = U[a][i];
    }
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      SB_UNROLL
      for (int i = 0; i < 6; ++i) {
        const Lane r = U[a][i] * inv[a];
        q[i] = fma(r, u[a], q[i]);
        SB_UNROLL
        for (int j = 0; j < 6; ++j) {
          if (j <= i) Y[tri(i, j)] = fnma(r, U[a][j], Y[tri(i, j)]);
        }
      }
    }
    pass_rest(l, q);
    Lane* up = up_ + kInertia * k;
    SB_UNROLL
    for (int i = 0; i < kInertia; ++i) up[i] = Y[i];
  }

  // The right-hand side alone, with the factor that is there.
  template <int N>
  SB_HD void reuse(const Link& l, const Lane* g) {
    const Lane* store = L_ + 3 * l.dof;
    Lane q[6], u[N];
    load_rest(l, q);
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      u[a] = -g[l.dof + a] - dot6(cdof(l.dof + a), q);
      SB_UNROLL
      for (int b = 0; b < N; ++b) {
        if (b < a) u[a] = fnma(store[tri(a - 1, b)], u[b], u[a]);
      }
      half[l.dof + a] = u[a];
    }
    if (l.parent < 0) return;
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      const Lane* Z = Z_ + 6 * (l.dof + a);
      SB_UNROLL
      for (int i = 0; i < 6; ++i) q[i] = fma(Z[i] * inverse[l.dof + a], u[a], q[i]);
    }
    pass_rest(l, q);
  }

  // The root of a tree with a free joint: its translations are the world's axes.
  SB_HD void eliminate_free(int k, const Link& l, const Lane* g) {
    Lane Y[kInertia], q[6], D[6][6], u[6], inv[6];
    load_inertia(k, Y);
    load_rest(l, q);
    SB_UNROLL
    for (int a = 0; a < 3; ++a) {
      u[a] = -g[l.dof + a] - q[3 + a];
      SB_UNROLL
      for (int b = 0; b <= a; ++b) D[a][b] = Y[tri(3 + a, 3 + b)];
    }
    SB_UNROLL
    for (int a = 3; a < 6; ++a) {
      const Lane* s = cdof(l.dof + a);
      Lane U[6];
      math::mul_packed(Y, s, U);
      u[a] = -g[l.dof + a] - dot6(s, q);
      SB_UNROLL
      for (int b = 0; b < 3; ++b) D[a][b] = U[3 + b];
      SB_UNROLL
      for (int b = 3; b < 6; ++b) {
        if (b >= a) D[b][a] = dot6(U, cdof(l.dof + b));
      }
    }
    SB_UNROLL
    for (int a = 0; a < 6; ++a) D[a][a] += diag[l.dof + a];
    reduce<6>(l, D, u, inv);
  }

  template <int N>
  SB_INLINE void substitute(const Link& l, Lane* x, const Lane* v) const {
    Lane y[N];
    SB_UNROLL
    for (int a = 0; a < N; ++a) {
      y[a] = half[l.dof + a];
      if (l.parent >= 0) y[a] = y[a] - dot6(Z_ + 6 * (l.dof + a), v);
      y[a] = y[a] * inverse[l.dof + a];
    }
    const Lane* store = L_ + 3 * l.dof;
    SB_UNROLL
    for (int a = N - 1; a >= 0; --a) {
      SB_UNROLL
      for (int b = N - 1; b >= 0; --b) {
        if (b > a) y[a] = fnma(store[tri(b - 1, a)], y[b], y[a]);
      }
      x[a] = y[a];
    }
  }

  // below: something hangs on the link; joins: something else hangs on its parent.
  template <int R, int N>
  SB_HD void half_solve_link(const Link& l, bool below, bool joins, const Lane* const* row,
                             Lane* const* out) {
    const Lane* store = L_ + 3 * l.dof;
    Lane* up = l.parent >= 0 ? rest_ + 6 * kMaxRows * links.link[l.parent].slot : nullptr;
    SB_UNROLL
    for (int e = 0; e < R; ++e) {
      Lane q[6], u[N];
      SB_UNROLL
      for (int a = 0; a < N; ++a) u[a] = row[e][l.dof + a];
      if (below) {
        const Lane* rest = rest_ + 6 * (kMaxRows * l.slot + e);
        SB_UNROLL
        for (int i = 0; i < 6; ++i) q[i] = rest[i];
        SB_UNROLL
        for (int a = 0; a < N; ++a) u[a] = u[a] - dot6(cdof(l.dof + a), q);
      } else {
        SB_UNROLL
        for (int i = 0; i < 6; ++i) q[i] = Lane(Real(0));
      }
      SB_UNROLL
      for (int a = 0; a < N; ++a) {
        SB_UNROLL
        for (int b = 0; b < N; ++b) {
          if (b < a) u[a] = fnma(store[tri(a - 1, b)], u[b], u[a]);
        }
        out[e][l.dof + a] = u[a];
      }
      if (up == nullptr) continue;
      SB_UNROLL
      for (int a = 0; a < N; ++a) {
        const Lane scaled = u[a] * inverse[l.dof + a];
        const Lane* Z = Z_ + 6 * (l.dof + a);
        SB_UNROLL
        for (int i = 0; i < 6; ++i) q[i] = fma(Z[i], scaled, q[i]);
      }
      Lane* to = up + 6 * e;
      if (joins) {
        SB_UNROLL
        for (int i = 0; i < 6; ++i) q[i] += to[i];
      }
      SB_UNROLL
      for (int i = 0; i < 6; ++i) to[i] = q[i];
    }
  }
};

}  // namespace stepbench::contact::inline SB_ISA
