// Which bodies of an island touch: the rows of its block matrix, and each contact's two blocks.
//
// Cost: linear in contacts and bodies.
#pragma once

#include "engine/contact/contact_packs.h"

namespace stepbench::contact::inline SB_ISA {

template <class Real>
class BlockPattern {
 public:
  // Memory for n bodies; find() needs it, and values may be read after it.
  SB_HD void bind(const ContactPacks<Real>& packs, int n, Workspace& w) {
    packs_ = &packs;
    n_ = n;
    const std::size_t lanes = std::size_t(packs.packs() * kPackLanes);
    to_upper_ = w.take<int>(lanes);
    to_lower_ = w.take<int>(lanes);
    begin_ = w.take<int>(std::size_t(n + 2));
    order_ = w.take<int>(std::size_t(n));
    column_ = w.take<int>(2 * lanes);
    at_ = w.take<int>(std::size_t(n + 1));
    for (int*& a : memory_) a = w.take<int>(lanes);
  }

  // Rows of the pattern in ascending columns, and each contact's two blocks.
  SB_HD void find() {
    int *sorted = memory_[0], *other = memory_[1], *lower = memory_[2], *higher = memory_[3],
        *block_of_lower = memory_[4], *at = at_;
    const int lanes = packs_->packs() * kPackLanes;
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

  int blocks() const { return begin_[n_]; }
  // Rows q = 0 .. n - 1 hold body(q), with blocks begin(q) .. begin(q + 1) - 1.
  SB_INLINE int body(int q) const { return order_[q]; }
  SB_INLINE int begin(int q) const { return begin_[q]; }
  SB_INLINE int column(int block) const { return column_[block]; }
  // Block of a contact between bodies a and b: row a, column b.
  SB_INLINE int block(int lane, int a, int b) const {
    return a < b ? to_upper_[lane] : to_lower_[lane];
  }

 private:
  // Stable counting sort of m items by key.
  SB_HD void sort(const int* in, int* out, int m, const int* key) {
    for (int i = 0; i <= n_ + 1; ++i) begin_[i] = 0;
    for (int k = 0; k < m; ++k) ++begin_[key[in[k]] + 1];
    for (int i = 0; i < n_; ++i) begin_[i + 1] += begin_[i];
    for (int k = 0; k < m; ++k) out[begin_[key[in[k]]]++] = in[k];
  }

  const ContactPacks<Real>* packs_;
  int n_;
  int *to_upper_, *to_lower_;  // per lane: blocks of (lower, higher) and (higher, lower) body
  int *order_, *begin_, *column_;
  int *at_, *memory_[5];  // working memory
};

}  // namespace stepbench::contact::inline SB_ISA
