// Hessian of an island of free bodies in single precision: rows of 6 x 6 blocks, both triangles,
// and conjugate gradients with the inverse diagonal blocks as preconditioner.
//
// Source: large_islands.md 2.3-2.5 (inner iteration of an inexact Newton method). Sums over bodies
// run in eight lanes, in the order of bodies or of rows.
#pragma once

#include "engine/contact/block_pattern.h"
#include "engine/contact/block_sum.h"

namespace stepbench::contact::inline SB_ISA {

template <class Real>
class BlockRows {
 public:
  // Pattern of an island of n bodies. False where memory lacks.
  SB_HD bool prepare(const ContactPacks<Real>& packs, int n, Workspace& w) {
    packs_ = &packs;
    n_ = n;
    pattern_.bind(packs, n, w);
    changed_ = w.take<int>(std::size_t(n));
    diagonal_ = w.take<float>(std::size_t((n + kBodyRow) * kBlock));
    inverse_ = w.take<float>(std::size_t((n + kBodyRow) * kBlock));
    for (float** a : {&x_, &r_, &d_, &q_, &w_}) {
      *a = w.take<float>(std::size_t((n + 1) * kBodyRow));
    }
    weights_ = w.take<float>(std::size_t(packs.packs() * 21 * kPackLanes));
    if (!w.full()) pattern_.find();
    const int nblock = w.full() ? 2 * packs.packs() * kPackLanes : pattern_.blocks();
    blocks_ = w.take<float>(std::size_t(nblock * kBlock));
    return !w.full();
  }

  // H = M + J' W J. mass: kBlock values per body.
  SB_HD void assemble(const Real* mass) {
    for (int i = 0; i < pattern_.blocks() * kBlock; i += kBodyRow) row(blocks_ + i) = Row(0.0f);
    for (int i = 0; i < n_ * kBlock; i += kBodyRow) row(diagonal_ + i) = to_float(mass + i);
    for (int i = 0; i < packs_->packs() * 21 * kPackLanes; i += kBodyRow) {
      row(weights_ + i) = Row(0.0f);
    }
    for (int i = 0; i < n_; ++i) changed_[i] = 1;
    update(0.0f);
  }

  // Brings blocks up to date where a contact's W has changed by more than `threshold` of its
  // largest entry: H need not be exact, the gradient is. Returns the number of contacts taken.
  SB_HD int update(float threshold) {
    int taken = 0;
    float* weights = weights_;
    alignas(64) Real now[21][kPackLanes];
    packs_->for_parts([&](auto kind, int at, const Real* g, const Real* t) {
      using Cone = decltype(kind);
      using Packs = ContactPacks<Real>;
      using Lane = typename Packs::Lane;
      constexpr int kDim = Cone::kDim, kTri = kDim * (kDim + 1) / 2;
      const int part = at % kPackLanes;
      Lane u[kDim], W[kTri];
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) u[r] = Packs::value(t, Packs::template kU<Cone> + r);
      Cone::hessian(Packs::template params<Cone>(t), Packs::value(t, 0), u, W);
      SB_UNROLL
      for (int i = 0; i < kTri; ++i) chunk(now[i] + part) = W[i];
      if (part + Packs::kLanes < kPackLanes) return;
      taken += take<Cone>(at - part, g - part, now, weights, threshold);
      weights += 21 * kPackLanes;
    });
    return taken;
  }

  // Inverses of the diagonal blocks that update() changed, eight bodies in the lanes.
  SB_HD void invert_diagonal() {
    for (int first = 0; first < n_; first += kBodyRow) {
      bool any_changed = false;
      for (int i = first; i < first + kBodyRow && i < n_; ++i) {
        any_changed = any_changed || changed_[i] != 0;
        changed_[i] = 0;
      }
      if (any_changed) invert(first);
    }
  }

  // p = -H^-1 g to |H p + g| <= target with at most `limit` products. Returns whether that
  // sufficed.
  SB_HD bool solve(const Real* g, Real* p, Real target, int limit) {
    constexpr int W = kWidth<Chunk<Real>>;
    Chunk<Real> size(math::kMinVal<Real>);
    for (int i = 0; i < n_ * kBodyRow; i += W) size = math::max(size, math::abs(chunk(g + i)));
    Real largest = math::kMinVal<Real>;
    for (int l = 0; l < W; ++l) largest = math::max(largest, math::get(size, l));
    // Unit size, and nothing small enough to become subnormal, which would be slow.
    const Real scale = Real(-1) / largest;
    const Row tiny(1e-20f), zero(0.0f);
    Row rz8 = zero;
    for (int i = 0; i < n_; ++i) {
      alignas(64) Real scaled[kBodyRow];
      for (int k = 0; k < kBodyRow; ++k) scaled[k] = g[kBodyRow * i + k] * scale;
      const Row b = to_float(scaled);
      row(r_ + kBodyRow * i) = select(math::abs(b) < tiny, zero, b);
      row(x_ + kBodyRow * i) = zero;
      row(w_ + kBodyRow * i) = row(r_ + kBodyRow * i);
      const Row z = precondition(i);
      row(d_ + kBodyRow * i) = z;
      rz8 = fma(row(r_ + kBodyRow * i), z, rz8);
    }
    float rz = sum(rz8);
    const float relative = float(target / largest), stop = relative * relative;
    bool reached = false;
    for (int k = 0; k < limit && !reached; ++k) {
      const float curvature = multiply();
      if (!(curvature > 0.0f)) break;
      const Row alpha(rz / curvature);
      Row rr8 = zero;
      rz8 = zero;
      for (int i = 0; i < n_; ++i) {
        const int at = kBodyRow * i;
        row(x_ + at) = fma(alpha, row(d_ + at), row(x_ + at));
        row(r_ + at) = fnma(alpha, row(q_ + at), row(r_ + at));
        const Row r = row(r_ + at), z = precondition(i);
        row(q_ + at) = z;
        rz8 = fma(r, z, rz8);
        rr8 = fma(r, r, rr8);
      }
      const float before = rz;
      rz = sum(rz8);
      reached = sum(rr8) <= stop;
      const Row beta(rz / before);
      for (int i = 0; i < n_ * kBodyRow; i += kBodyRow) {
        row(d_ + i) = fma(beta, row(d_ + i), row(q_ + i));
        row(w_ + i) = fma(beta, row(w_ + i), row(r_ + i));
      }
    }
    for (int i = 0; i < n_ * kBodyRow; ++i) p[i] = Real(x_[i]) * largest;
    return reached;
  }

 private:
  // Adds J' (now - weights) J for the contacts of one pack that changed enough.
  template <class Cone>
  SB_HD int take(int at, const Real* g, const Real (*W)[kPackLanes], float* weights,
                 float threshold) {
    constexpr int kDim = Cone::kDim, kTri = kDim * (kDim + 1) / 2;
    const Row zero(0.0f);
    Row largest = zero, size = zero, now[kTri];
    SB_UNROLL
    for (int i = 0; i < kTri; ++i) {
      now[i] = to_float(W[i]);
      const Row a = now[i], b = row(weights + i * kPackLanes);
      largest = math::max(largest, math::abs(a - b));
      size = math::max(size, math::max(math::abs(a), math::abs(b)));
    }
    const auto changed = largest > size * Row(threshold);
    if (!any(changed)) return 0;
    alignas(32) float delta[kTri][kPackLanes];
    SB_UNROLL
    for (int i = 0; i < kTri; ++i) {
      Row& old = row(weights + i * kPackLanes);
      row(delta[i]) = now[i] - old;
      old = select(changed, now[i], old);
    }
    // J of either side, one row of eight per base row and contact.
    alignas(32) float J1[kDim][kPackLanes][kBodyRow], J2[kDim][kPackLanes][kBodyRow];
    spread<kDim>(g, 3 * kDim, J1);
    spread<kDim>(g, 3 * kDim + 3, J2);
    int taken = 0;
    for (int l = 0; l < kPackLanes; ++l) {
      if (!math::get_mask(changed, l)) continue;
      ++taken;
      Row A[kDim], B[kDim], WA[kDim], WB[kDim];
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) A[r] = row(J1[r][l]), B[r] = row(J2[r][l]);
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) {
        const Row w0(delta[tri(r, 0)][l]);
        WA[r] = w0 * A[0];
        WB[r] = w0 * B[0];
        SB_UNROLL
        for (int s = 1; s < kDim; ++s) {
          if (Cone::kArrow && r != 0 && s != r) continue;
          const Row w(delta[r >= s ? tri(r, s) : tri(s, r)][l]);
          WA[r] = fma(w, A[s], WA[r]);
          WB[r] = fma(w, B[s], WB[r]);
        }
      }
      const int a = packs_->body1[at + l], b = packs_->body2[at + l];
      if (a < n_) {
        changed_[a] = 1;
        add_outer<kDim>(diagonal_ + a * kBlock, WA, J1, l, false);
      }
      if (b < n_) {
        changed_[b] = 1;
        add_outer<kDim>(diagonal_ + b * kBlock, WB, J2, l, false);
      }
      if (a < n_ && b < n_) {
        const int ab = pattern_.block(at + l, a, b), ba = pattern_.block(at + l, b, a);
        add_outer<kDim>(blocks_ + ab * kBlock, WA, J2, l, true);
        add_outer<kDim>(blocks_ + ba * kBlock, WB, J1, l, true);
      }
    }
    return taken;
  }

  // Rows (F_r, r x F_r), or (0, F_r) for rotations, of the eight contacts of a pack.
  template <int kDim>
  static SB_HD void spread(const Real* g, int arm, float (*J)[kPackLanes][kBodyRow]) {
    const Row zero(0.0f);
    const auto value = [&](int k) { return to_float(g + k * kPackLanes); };
    const Row r[3] = {value(arm), value(arm + 1), value(arm + 2)};
    SB_UNROLL
    for (int k = 0; k < kDim; ++k) {
      const Row f[3] = {value(3 * k), value(3 * k + 1), value(3 * k + 2)};
      Row x[8];
      SB_UNROLL
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        x[i] = k < 3 ? f[i] : zero;
        x[3 + i] = k < 3 ? fnma(r[m], f[j], r[j] * f[m]) : f[i];
      }
      x[6] = x[7] = zero;
      detail::transpose(x);
      SB_UNROLL
      for (int l = 0; l < kPackLanes; ++l) row(J[k][l]) = x[l];
    }
  }

  // block += sum over r of column WJ[r] times row J[r], or minus that.
  template <int kDim>
  static SB_INLINE void add_outer(float* block, const Row* WJ,
                                  const float (*J)[kPackLanes][kBodyRow], int l, bool minus) {
    SB_UNROLL
    for (int c = 0; c < 6; ++c) {
      Row h = row(block + c * kBodyRow);
      SB_UNROLL
      for (int r = 0; r < kDim; ++r) {
        const Row x(J[r][l][c]);
        h = minus ? fnma(WJ[r], x, h) : fma(WJ[r], x, h);
      }
      row(block + c * kBodyRow) = h;
    }
  }

  // By a Cholesky factor L, whose inverse is formed: H^-1 = L^-T L^-1. Lanes past the end repeat
  // the last body.
  SB_HD void invert(int first) {
    Row A[6][6], L[6][6], Y[6][6], inv[6];
    for (int c = 0; c < 6; ++c) {
      Row x[8];
      for (int l = 0; l < kBodyRow; ++l) {
        const int i = first + l < n_ ? first + l : n_ - 1;
        x[l] = row(diagonal_ + i * kBlock + c * kBodyRow);
      }
      detail::transpose(x);
      for (int r = 0; r < 6; ++r) A[c][r] = x[r];
    }
    SB_UNROLL
    for (int j = 0; j < 6; ++j) {
      Row s = A[j][j];
      SB_UNROLL
      for (int k = 0; k < j; ++k) s = fnma(L[j][k], L[j][k], s);
      inv[j] = Row(1.0f) / math::sqrt(math::max(s, Row(1e-20f)));
      SB_UNROLL
      for (int i = j + 1; i < 6; ++i) {
        Row t = A[j][i];
        SB_UNROLL
        for (int k = 0; k < j; ++k) t = fnma(L[i][k], L[j][k], t);
        L[i][j] = t * inv[j];
      }
    }
    SB_UNROLL
    for (int c = 0; c < 6; ++c) {
      Y[c][c] = inv[c];
      SB_UNROLL
      for (int i = c + 1; i < 6; ++i) {
        Row s(0.0f);
        SB_UNROLL
        for (int k = c; k < i; ++k) s = fnma(L[i][k], Y[k][c], s);
        Y[i][c] = s * inv[i];
      }
    }
    SB_UNROLL
    for (int c = 0; c < 6; ++c) {
      SB_UNROLL
      for (int i = 0; i <= c; ++i) {
        Row s = Y[c][i] * Y[c][c];
        SB_UNROLL
        for (int k = c + 1; k < 6; ++k) s = fma(Y[k][i], Y[k][c], s);
        A[c][i] = A[i][c] = s;
      }
    }
    for (int c = 0; c < 6; ++c) {
      Row x[8];
      for (int r = 0; r < 6; ++r) x[r] = A[c][r];
      x[6] = x[7] = Row(0.0f);
      detail::transpose(x);
      // Room for a group of eight exists past the last body.
      for (int l = 0; l < kBodyRow; ++l) row(inverse_ + (first + l) * kBlock + c * kBodyRow) = x[l];
    }
  }

  SB_INLINE Row precondition(int i) const {
    BlockSum s;
    s.add(inverse_ + i * kBlock, r_ + kBodyRow * i);
    return s.total();
  }

  // q = H d; returns q.d. w holds the diagonal blocks' part: d is made of preconditioned residuals,
  // for which it is the residuals themselves.
  SB_HD float multiply() {
    Row total(0.0f);
    for (int p = 0; p < n_; ++p) {
      const int i = pattern_.body(p);
      BlockSum s;
      for (int k = pattern_.begin(p); k < pattern_.begin(p + 1); ++k) {
        s.add(blocks_ + k * kBlock, d_ + kBodyRow * pattern_.column(k));
      }
      const Row q = s.total() + row(w_ + kBodyRow * i);
      row(q_ + kBodyRow * i) = q;
      total = fma(q, row(d_ + kBodyRow * i), total);
    }
    return sum(total);
  }

  const ContactPacks<Real>* packs_;
  int n_;
  BlockPattern<Real> pattern_;
  int* changed_;  // per body: diagonal block since the last inversion
  float *blocks_, *diagonal_, *inverse_;
  float* weights_;  // per pack: W as assembled, room for six base rows
  float *x_, *r_, *d_, *q_, *w_;
};

}  // namespace stepbench::contact::inline SB_ISA
