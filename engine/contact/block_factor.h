// Hessian of one island of a large world: block-sparse Cholesky factor, one block row per kinematic
// tree.
//
// Source: large_islands.md 2.8 (direct path), without supernodes. Blocks are dense: 6 x 6 for free
// bodies, n x n for articulated trees. Work: for each tree, the square of its neighbours at
// elimination. Exact in one factorisation, best up to about 30 bodies and for chains; a pile of 256
// bodies costs 7.5 Mflop a factorisation, one of 1024 some 200 (there an inexact Newton step is the
// better way; large_islands.md 0).
//
// Block (q, r), q eliminated before r, has the dofs of q as rows and those of r as columns, padded.
#pragma once

#include "engine/contact/block_kernels.h"
#include "engine/contact/block_ops.h"
#include "engine/contact/block_order.h"

namespace stepbench::contact::inline SB_ISA {

template <class Real>
class BlockHessian {
 public:
  // Orders the trees of an island and lays out its blocks; `local` (ntree) is working memory. Takes
  // memory from a copy of `w`. False: it is full, and d.need_workspace says what it takes.
  SB_HD bool prepare(const Context<Real>& c, const Range& range, Workspace w, int* local) {
    c_ = &c;
    range_ = range;
    const auto& p = c.p;
    const Blocks& b = blocks_of(c.d);
    const int n = range.nspan;
    n_ = n;
    BitGraph g;
    g.n = n;
    g.words = (n + 63) / 64;
    g.row = w.take<std::uint64_t>(std::size_t(n) * std::size_t(g.words));
    order_ = w.take<int>(std::size_t(n));
    position_ = w.take<int>(std::size_t(n));
    int* degree = w.take<int>(std::size_t(n));
    dim_ = w.take<int>(std::size_t(n));
    diag_ = w.take<std::size_t>(std::size_t(n));
    rhs_ = w.take<int>(std::size_t(n));
    adr_ = w.take<int>(std::size_t(n + 1));
    contact_ = w.take<ContactBlock>(std::size_t(range.ncon));
    if (w.full()) return fail(w);

    for (int i = 0; i < n; ++i) local[p.dof_treeid[range.dof_begin[i]]] = i;
    for (int i = 0; i < n * g.words; ++i) g.row[i] = 0;
    for (int k = 0; k < range.ncon; ++k) {
      const int slot = range.con[k];
      const int* dof = b.dof + b.con_dofadr[slot];
      const int t1 = local[p.dof_treeid[dof[0]]];
      const int t2 = local[p.dof_treeid[dof[b.con_ndof[slot] - 1]]];
      contact_[k].tree1 = t1;
      contact_[k].tree2 = t2;
      if (t1 != t2) g.connect(t1, t2);
    }
    const int nblock = minimum_degree(g, order_, position_, degree);
    neighbour_ = w.take<int>(std::size_t(nblock));
    offset_ = w.take<std::size_t>(std::size_t(nblock));
    if (w.full()) return fail(w);
    const std::size_t size = lay_out(g);
    values_ = w.take<Real>(size);
    y_ = w.take<Real>(std::size_t(nrhs_));
    inverse_ = w.take<Real>(std::size_t(nrhs_));
    columns_ = w.take<Real>(std::size_t(2 * 6 * padded(max_dim_)));
    if (w.full()) return fail(w);
    size_ = size;
    for (int k = 0; k < range.ncon; ++k) locate(contact_[k]);
    return true;
  }

  // H = M + J' W J at con_u, sc_u.
  SB_HD void assemble() {
    const auto& p = c_->p;
    const auto& d = c_->d;
    const BlockOps<Real> ops(*c_, range_);
    for (std::size_t i = 0; i < size_; ++i) values_[i] = Real(0);
    for (int t = 0; t < n_; ++t) {
      const int begin = range_.dof_begin[t], q = position_[t], ld = padded(dim_[q]);
      Real* A = values_ + diag_[q];
      for (int i = begin; i < range_.dof_end[t]; ++i) {
        for (int k = 0; k < p.M_rownnz[i]; ++k) {
          A[(p.M_colind[p.M_rowadr[i] + k] - begin) * ld + (i - begin)] = d.M[p.M_rowadr[i] + k];
        }
      }
    }
    for (int k = 0; k < range_.nsc; ++k) add_scalar(range_.sc[k]);
    int k = 0;
    ops.for_contacts(
        [&](auto kind, int slot, auto cone, const Real& D, const int* dof, int n, const Real* J) {
          using Cone = decltype(kind);
          Real W[Cone::kDim * (Cone::kDim + 1) / 2];
          Cone::hessian(cone, D, d.con_u + 6 * slot, W);
          if (W[0] > Real(0)) add_contact<Cone>(contact_[k], W, dof, n, J);
          ++k;
        });
  }

  SB_HD void factor() {
    for (int q = 0; q < n_; ++q) {
      const int dq = dim_[q];
      const Real* R = values_ + diag_[q];
      cholesky(values_ + diag_[q], inverse_ + rhs_[q], dq);
      for (int a = adr_[q]; a < adr_[q + 1]; ++a) {
        solve_transposed(R, inverse_ + rhs_[q], dq, values_ + offset_[a],
                         padded(dim_[neighbour_[a]]));
      }
      for (int a = adr_[q]; a < adr_[q + 1]; ++a) {
        const int i = neighbour_[a], di = dim_[i], li = padded(di);
        const Real* U = values_ + offset_[a];
        subtract_product(values_ + diag_[i], U, li, U, li, di, dq);
        int t = adr_[i];
        for (int e = a + 1; e < adr_[q + 1]; ++e) {
          const int j = neighbour_[e];
          while (neighbour_[t] != j) ++t;
          subtract_product(values_ + offset_[t], U, li, values_ + offset_[e], padded(dim_[j]), di,
                           dq);
        }
      }
    }
  }

  // x = H^-1 x on the island's dofs.
  SB_HD void solve(Real* x) const {
    constexpr int W = kWidth<Chunk<Real>>;
    for (int t = 0; t < n_; ++t) {
      const int q = position_[t];
      for (int i = 0; i < padded(dim_[q]); ++i) {
        y_[rhs_[q] + i] = i < dim_[q] ? x[range_.dof_begin[t] + i] : Real(0);
      }
    }
    for (int q = 0; q < n_; ++q) {
      const int dq = dim_[q];
      Real* y = y_ + rhs_[q];
      solve_transposed_vector(q, y);
      for (int a = adr_[q]; a < adr_[q + 1]; ++a) {
        const int i = neighbour_[a], li = padded(dim_[i]);
        const Real* U = values_ + offset_[a];
        for (int j = 0; j < li; j += W) {
          Chunk<Real> z = chunk(y_ + rhs_[i] + j);
          for (int r = 0; r < dq; ++r) z = fnma(Chunk<Real>(y[r]), chunk(U + r * li + j), z);
          chunk(y_ + rhs_[i] + j) = z;
        }
      }
    }
    for (int q = n_ - 1; q >= 0; --q) {
      const int dq = dim_[q], ld = padded(dq);
      Real* y = y_ + rhs_[q];
      for (int a = adr_[q]; a < adr_[q + 1]; ++a) {
        const int i = neighbour_[a], li = padded(dim_[i]);
        const Real *U = values_ + offset_[a], *z = y_ + rhs_[i];
        for (int r = 0; r < dq; ++r) {
          for (int j = 0; j < dim_[i]; ++j) y[r] = fnma(U[r * li + j], z[j], y[r]);
        }
      }
      const Real* R = values_ + diag_[q];
      for (int r = dq - 1; r >= 0; --r) {
        for (int s = r + 1; s < dq; ++s) y[r] = fnma(R[r * ld + s], y[s], y[r]);
        y[r] = y[r] * inverse_[rhs_[q] + r];
      }
    }
    for (int t = 0; t < n_; ++t) {
      const int q = position_[t];
      for (int i = 0; i < dim_[q]; ++i) x[range_.dof_begin[t] + i] = y_[rhs_[q] + i];
    }
  }

 private:
  struct ContactBlock {
    int tree1, tree2;    // local trees of the first and of the last dof
    std::size_t offset;  // block of the two, where they differ
  };

  SB_HD bool fail(const Workspace& w) {
    c_->d.need_workspace = w.bytes();
    return false;
  }

  // Neighbour lists by position and offsets of all blocks; returns the number of values.
  SB_HD std::size_t lay_out(const BitGraph& g) {
    std::size_t size = 0;
    nrhs_ = 0;
    max_dim_ = 0;
    for (int q = 0; q < n_; ++q) {
      const int t = order_[q];
      dim_[q] = range_.dof_end[t] - range_.dof_begin[t];
      rhs_[q] = nrhs_;
      nrhs_ += padded(dim_[q]);
      max_dim_ = dim_[q] > max_dim_ ? dim_[q] : max_dim_;
    }
    int n = 0;
    for (int q = 0; q < n_; ++q) {
      adr_[q] = n;
      diag_[q] = size;
      size += std::size_t(dim_[q] * padded(dim_[q]));
      for_neighbours(g, order_[q], [&](int i) {
        // Insertion by position; lists are short.
        int k = n++;
        for (; k > adr_[q] && neighbour_[k - 1] > position_[i]; --k)
          neighbour_[k] = neighbour_[k - 1];
        neighbour_[k] = position_[i];
      });
      for (int k = adr_[q]; k < n; ++k) {
        offset_[k] = size;
        size += std::size_t(dim_[q] * padded(dim_[neighbour_[k]]));
      }
    }
    adr_[n_] = n;
    return size;
  }

  SB_HD void locate(ContactBlock& c) const {
    c.offset = 0;
    if (c.tree1 == c.tree2) return;
    const int a = position_[c.tree1], b = position_[c.tree2];
    const int q = a < b ? a : b, r = a < b ? b : a;
    int low = adr_[q], high = adr_[q + 1];
    while (neighbour_[low] != r) {
      const int middle = (low + high) / 2;
      if (neighbour_[middle] <= r)
        low = middle;
      else
        high = middle;
    }
    c.offset = offset_[low];
  }

  SB_HD void add_scalar(int id) {
    const auto& d = c_->d;
    const ScalarRow<Real> row = scalar_row(c_->p, d, id);
    const int t = local_tree(row.dof), q = position_[t], ld = padded(dim_[q]);
    const int i = row.dof - range_.dof_begin[t];
    Real* A = values_ + diag_[q];
    const Real w = scalar_hessian(row.eta, d.sc_D[id], d.sc_u[id]);
    if (row.axis == nullptr) {
      A[i * ld + i] += w;
      return;
    }
    for (int r = 0; r < 3; ++r) {
      for (int s = r; s < 3; ++s) A[(i + r) * ld + i + s] += w * row.axis[r] * row.axis[s];
    }
  }

  // Local tree of a dof: spans are ascending.
  SB_HD int local_tree(int dof) const {
    int low = 0, high = n_;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (range_.dof_begin[middle] <= dof)
        low = middle;
      else
        high = middle;
    }
    return low;
  }

  template <class Cone>
  SB_HD void add_contact(const ContactBlock& c, const Real* W, const int* dof, int n,
                         const Real* J) {
    constexpr int kDim = Cone::kDim;
    int split = 0;  // dofs of the first tree
    while (split < n && dof[split] < range_.dof_end[c.tree1]) ++split;
    Real* columns1 = spread<kDim>(columns_, c.tree1, dof, split, J);
    add_product<Cone>(values_ + diag_[position_[c.tree1]], c.tree1, W, dof, split, J, columns1,
                      c.tree1);
    if (split == n) return;
    Real* columns2 = spread<kDim>(columns_ + 6 * padded(max_dim_), c.tree2, dof + split, n - split,
                                  J + split * kDim);
    add_product<Cone>(values_ + diag_[position_[c.tree2]], c.tree2, W, dof + split, n - split,
                      J + split * kDim, columns2, c.tree2);
    if (position_[c.tree1] < position_[c.tree2]) {
      add_product<Cone>(values_ + c.offset, c.tree1, W, dof, split, J, columns2, c.tree2);
    } else {
      add_product<Cone>(values_ + c.offset, c.tree2, W, dof + split, n - split, J + split * kDim,
                        columns1, c.tree1);
    }
  }

  // J by base rows over all dofs of a tree, padded with zeros.
  template <int kDim>
  SB_HD Real* spread(Real* out, int tree, const int* dof, int n, const Real* J) const {
    const int begin = range_.dof_begin[tree], ld = padded(range_.dof_end[tree] - begin);
    for (int i = 0; i < kDim * ld; ++i) out[i] = Real(0);
    for (int k = 0; k < n; ++k) {
      for (int r = 0; r < kDim; ++r) out[r * ld + dof[k] - begin] = J[k * kDim + r];
    }
    return out;
  }

  // block += (W J)' columns: rows are the dofs of `tree`, columns those of `tree2`.
  template <class Cone>
  SB_HD void add_product(Real* block, int tree, const Real* W, const int* dof, int n, const Real* J,
                         const Real* columns, int tree2) const {
    constexpr int kDim = Cone::kDim, width = kWidth<Chunk<Real>>;
    const int begin = range_.dof_begin[tree];
    const int ld = padded(range_.dof_end[tree2] - range_.dof_begin[tree2]);
    for (int k = 0; k < n; ++k) {
      Real WJ[kDim];
      weigh<Cone>(W, J + k * kDim, WJ);
      Real* row = block + (dof[k] - begin) * ld;
      for (int j = 0; j < ld; j += width) {
        Chunk<Real> h = chunk(row + j);
        SB_UNROLL
        for (int r = 0; r < kDim; ++r) h = fma(Chunk<Real>(WJ[r]), chunk(columns + r * ld + j), h);
        chunk(row + j) = h;
      }
    }
  }

  // y = R^-T y for the diagonal block of position q.
  SB_HD void solve_transposed_vector(int q, Real* y) const {
    const int n = dim_[q], ld = padded(n);
    const Real* R = values_ + diag_[q];
    for (int r = 0; r < n; ++r) {
      y[r] = y[r] * inverse_[rhs_[q] + r];
      for (int s = r + 1; s < n; ++s) y[s] = fnma(R[r * ld + s], y[r], y[s]);
    }
  }

  const Context<Real>* c_;
  Range range_;
  int n_, nrhs_, max_dim_;
  std::size_t size_;
  int *order_, *position_;  // by position: local tree; by local tree: position
  int* dim_;                // by position: dofs
  std::size_t* diag_;       // by position: diagonal block in values_
  int* rhs_;                // by position: its part of y_ and inverse_
  int *adr_, *neighbour_;   // by position: later positions it has blocks with, ascending
  std::size_t* offset_;     // by entry of neighbour_: the block in values_
  ContactBlock* contact_;   // by contact of the range
  Real *values_, *y_, *inverse_, *columns_;
};

}  // namespace stepbench::contact::inline SB_ISA
