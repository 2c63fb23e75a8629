// Hessian of an island of free bodies in single precision: rows of 6 x 6 blocks, both triangles,
// and conjugate gradients with the inverse diagonal blocks as preconditioner.
//
// Source: large_islands.md 2.3-2.5 (inner iteration of an inexact Newton method). A block is six
// columns of eight floats. One product of a block keeps a sum per column, and a row adds them as
// ((0+2)+4) + ((1+3)+5): two columns share a register where there are 16 lanes, with the same bits.
// Sums over bodies run in eight lanes in body order.
#pragma once

#include "engine/contact/contact_packs.h"

namespace stepbench::contact::inline SB_ISA {

using Row = math::Pack<float, kBodyRow>;  // a body's values, or one column of a block

inline constexpr int kBlock = 6 * kBodyRow;

SB_INLINE Row& row(float* a) { return *reinterpret_cast<Row*>(a); }
SB_INLINE const Row& row(const float* a) { return *reinterpret_cast<const Row*>(a); }

SB_INLINE float sum(const Row& a) {
  alignas(32) float x[kBodyRow];
  row(x) = a;
  return sum_lanes(x);
}

// Eight values rounded to float.
template <class Real>
SB_INLINE Row to_float(const Real* a) {
  using From = typename math::VectorOf<Real, kBodyRow>::type;
  return Row(__builtin_convertvector(*reinterpret_cast<const From*>(a), Row::Vector));
}

// Sum of products of blocks with rows.
class BlockSum {
 public:
#if defined(__AVX512F__)
  SB_INLINE BlockSum() : a_(0.0f), b_(0.0f), c_(0.0f) {}
  SB_INLINE void add(const float* block, const float* x) {
    const __m512 v = _mm512_castps256_ps512(__m256(row(x).v));
    a_ = fma(columns(block, 0), pick(v, 0), a_);
    b_ = fma(columns(block, 1), pick(v, 2), b_);
    c_ = fma(columns(block, 2), pick(v, 4), c_);
  }
  SB_INLINE Row total() const {
    const Two::Vector s = ((a_ + b_) + c_).v;
    return Row(__builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6, 7)) +
           Row(__builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15));
  }

 private:
  using Two = math::Pack<float, 2 * kBodyRow>;
  static SB_INLINE Two columns(const float* block, int k) {
    return *reinterpret_cast<const Two*>(block + 2 * kBodyRow * k);
  }
  static SB_INLINE Two pick(__m512 v, int k) {
    const __m512i at = _mm512_setr_epi32(k, k, k, k, k, k, k, k, k + 1, k + 1, k + 1, k + 1, k + 1,
                                         k + 1, k + 1, k + 1);
    return Two(Two::Vector(_mm512_maskz_permutexvar_ps(__mmask16(-1), at, v)));
  }
  Two a_, b_, c_;
#else
  SB_INLINE BlockSum() {
    for (int k = 0; k < 6; ++k) s_[k] = Row(0.0f);
  }
  SB_INLINE void add(const float* block, const float* x) {
    SB_UNROLL
    for (int k = 0; k < 6; ++k) s_[k] = fma(row(block + kBodyRow * k), Row(x[k]), s_[k]);
  }
  SB_INLINE Row total() const { return ((s_[0] + s_[2]) + s_[4]) + ((s_[1] + s_[3]) + s_[5]); }

 private:
  Row s_[6];
#endif
};

template <class Real>
class BlockRows {
 public:
  // Pattern of an island of n bodies. False where memory lacks.
  SB_HD bool prepare(const ContactPacks<Real>& packs, int n, Workspace& w) {
    packs_ = &packs;
    n_ = n;
    const int lanes = packs.packs() * kPackLanes;
    to_upper_ = w.take<int>(std::size_t(lanes));
    to_lower_ = w.take<int>(std::size_t(lanes));
    begin_ = w.take<int>(std::size_t(n + 2));
    order_ = w.take<int>(std::size_t(n));
    int* memory[5];
    for (int*& a : memory) a = w.take<int>(std::size_t(lanes));
    column_ = w.take<int>(std::size_t(2 * lanes));
    changed_ = w.take<int>(std::size_t(n + 1));
    diagonal_ = w.take<float>(std::size_t((n + kBodyRow) * kBlock));
    inverse_ = w.take<float>(std::size_t((n + kBodyRow) * kBlock));
    x_ = w.take<float>(std::size_t((n + 1) * kBodyRow));
    r_ = w.take<float>(std::size_t((n + 1) * kBodyRow));
    d_ = w.take<float>(std::size_t((n + 1) * kBodyRow));
    q_ = w.take<float>(std::size_t((n + 1) * kBodyRow));
    w_ = w.take<float>(std::size_t((n + 1) * kBodyRow));
    weights_ = w.take<float>(std::size_t(packs.packs() * 21 * kPackLanes));
    if (!w.full()) find_blocks(memory, lanes);
    const int nblock = w.full() ? 2 * lanes : begin_[n];
    blocks_ = w.take<float>(std::size_t(nblock * kBlock));
    return !w.full();
  }

  // H = M + J' W J. mass: kBlock values per body.
  SB_HD void assemble(const Real* mass) {
    for (int i = 0; i < begin_[n_] * kBlock; i += kBodyRow) row(blocks_ + i) = Row(0.0f);
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
  // Rows of the pattern in ascending columns, and each contact's two blocks.
  SB_HD void find_blocks(int* const* memory, int lanes) {
    int *sorted = memory[0], *other = memory[1], *lower = memory[2], *higher = memory[3],
        *block_of_lower = memory[4];
    int m = 0;
    bool in_order = true;
    for (int i = 0; i < lanes; ++i) {
      const int a = packs_->body1[i], b = packs_->body2[i];
      lower[i] = a < b ? a : b;
      higher[i] = a < b ? b : a;
      to_upper_[i] = to_lower_[i] = -1;
      if (higher[i] == n_) continue;
      const int last = m > 0 ? other[m - 1] : i;
      in_order = in_order &&
                 (lower[last] < lower[i] || (lower[last] == lower[i] && higher[last] <= higher[i]));
      other[m++] = i;
    }
    // Contacts of one dimension are listed by bodies; else stable counting sorts bring the pairs
    // into the order (lower, higher).
    if (!in_order) {
      sort(other, sorted, m, higher);
      sort(sorted, other, m, lower);
    }
    int pairs = 0;
    for (int k = 0; k < m; ++k) {
      const int i = other[k];
      const bool first =
          k == 0 || lower[i] != lower[other[k - 1]] || higher[i] != higher[other[k - 1]];
      if (first) sorted[pairs++] = i;
      to_upper_[i] = pairs - 1;  // for now: the pair
    }
    // Rows lie by their number of blocks, the longest first: loops over rows of one length are
    // predicted well. Columns of a row: lower neighbours come first and in order, since pairs are
    // sorted by them.
    int* at = changed_;
    for (int i = 0; i < n_; ++i) at[i] = 0;
    for (int k = 0; k < pairs; ++k) {
      ++at[lower[sorted[k]]];
      ++at[higher[sorted[k]]];
    }
    for (int i = 0; i <= n_ + 1; ++i) begin_[i] = 0;
    for (int i = 0; i < n_; ++i) ++begin_[n_ - at[i]];
    for (int i = 0; i <= n_; ++i) begin_[i + 1] += begin_[i];
    for (int i = 0; i < n_; ++i) order_[begin_[n_ - 1 - at[i]]++] = i;
    begin_[0] = 0;
    for (int q = 0; q < n_; ++q) {
      const int i = order_[q];
      begin_[q + 1] = begin_[q] + at[i];
      at[i] = begin_[q];
    }
    for (int k = 0; k < pairs; ++k) {
      const int i = sorted[k];
      column_[at[higher[i]]] = lower[i];
      block_of_lower[k] = at[higher[i]]++;
    }
    for (int k = 0; k < pairs; ++k) {
      const int i = sorted[k];
      column_[at[lower[i]]] = higher[i];
      sorted[k] = at[lower[i]]++;
    }
    for (int k = 0; k < m; ++k) {
      const int i = other[k], pair = to_upper_[i];
      to_upper_[i] = sorted[pair];
      to_lower_[i] = block_of_lower[pair];
    }
  }

  SB_HD void sort(const int* in, int* out, int m, const int* key) {
    for (int i = 0; i <= n_ + 1; ++i) begin_[i] = 0;
    for (int k = 0; k < m; ++k) ++begin_[key[in[k]] + 1];
    for (int i = 0; i < n_; ++i) begin_[i + 1] += begin_[i];
    for (int k = 0; k < m; ++k) out[begin_[key[in[k]]]++] = in[k];
  }

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
        const int ab = a < b ? to_upper_[at + l] : to_lower_[at + l];
        const int ba = a < b ? to_lower_[at + l] : to_upper_[at + l];
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
      const int i = order_[p];
      BlockSum s;
      for (int k = begin_[p]; k < begin_[p + 1]; ++k) {
        s.add(blocks_ + k * kBlock, d_ + kBodyRow * column_[k]);
      }
      const Row q = s.total() + row(w_ + kBodyRow * i);
      row(q_ + kBodyRow * i) = q;
      total = fma(q, row(d_ + kBodyRow * i), total);
    }
    return sum(total);
  }

  const ContactPacks<Real>* packs_;
  int n_;
  int *to_upper_, *to_lower_;  // per lane: blocks of (lower, higher) and (higher, lower) body
  int *order_, *begin_;        // bodies in the order of their rows, and where those start
  int* column_;
  int* changed_;  // per body: diagonal block since the last inversion
  float *blocks_, *diagonal_, *inverse_;
  float* weights_;  // per pack: W as assembled, room for six base rows
  float *x_, *r_, *d_, *q_, *w_;
};

}  // namespace stepbench::contact::inline SB_ISA
