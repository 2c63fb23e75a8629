// Islands of one world: kinematic trees that blocks connect.
//
// Trees are joined by union-find through contacts; an island's number is that of its first tree in
// order, so numbering depends on the blocks alone. Trees without blocks belong to no island. Cost:
// linear.
#pragma once

#include "engine/contact/context.h"

namespace stepbench::contact::inline SB_ISA {

struct Islands {
  int n = 0;
  // Per island k: entries [adr[k], adr[k + 1]) of the lists below.
  int *tree_adr, *sc_adr, *con_adr;
  int *tree, *sc, *con;
  int *dof_begin, *dof_end;  // spans of the trees in `tree`

  SB_HD Range range(int k) const {
    return {sc + sc_adr[k],
            sc_adr[k + 1] - sc_adr[k],
            con + con_adr[k],
            con_adr[k + 1] - con_adr[k],
            dof_begin + tree_adr[k],
            dof_end + tree_adr[k],
            tree_adr[k + 1] - tree_adr[k]};
  }
};

namespace detail {

// Root of a set, with path halving.
SB_HD inline int find_root(int* parent, int t) {
  while (parent[t] != t) {
    parent[t] = parent[parent[t]];
    t = parent[t];
  }
  return t;
}

// Stable counting sort of `n` items by island: list[adr[k] ...] = items of island k. island_of(i):
// island of items[i].
template <class IslandOf>
SB_HD void sort_by_island(int nisland, int n, const int* items, int* adr, int* list,
                          IslandOf&& island_of) {
  for (int k = 0; k <= nisland; ++k) adr[k] = 0;
  for (int i = 0; i < n; ++i) ++adr[island_of(i) + 1];
  for (int k = 0; k < nisland; ++k) adr[k + 1] += adr[k];
  for (int i = 0; i < n; ++i) list[adr[island_of(i)]++] = items[i];
  for (int k = nisland; k > 0; --k) adr[k] = adr[k - 1];
  adr[0] = 0;
}

}  // namespace detail

// Tree of a scalar block.
template <class Real>
SB_HD int scalar_tree(const model::Params<Real>& p, int id) {
  return p.dof_treeid[id < p.nv ? id : p.jnt_dofadr[(id - p.nv) / 2]];
}

// Find the islands; takes memory from `w`. False: it is full.
template <class Real>
SB_HD bool find_islands(const model::Params<Real>& p, const Blocks& b, Workspace& w, Islands& out) {
  const std::size_t nt = std::size_t(p.ntree);
  int* parent = w.take<int>(nt);
  int* island = w.take<int>(nt);
  int* touched = w.take<int>(nt);
  out.tree_adr = w.take<int>(nt + 1);
  out.sc_adr = w.take<int>(nt + 1);
  out.con_adr = w.take<int>(nt + 1);
  out.tree = w.take<int>(nt);
  out.sc = w.take<int>(std::size_t(b.nsc));
  out.con = w.take<int>(std::size_t(b.ncon));
  int* con_tree = w.take<int>(std::size_t(b.ncon));
  out.dof_begin = w.take<int>(nt);
  out.dof_end = w.take<int>(nt);
  if (w.full()) return false;

  for (int t = 0; t < p.ntree; ++t) {
    parent[t] = t;
    island[t] = -1;
    touched[t] = 0;
  }
  const auto contact_tree = [&](int slot, int k) {
    return p.dof_treeid[b.dof[b.con_dofadr[slot] + k]];
  };
  for (int k = 0; k < b.nsc; ++k) touched[scalar_tree(p, b.sc[k])] = 1;
  for (int k = 0; k < b.ncon; ++k) {
    const int slot = b.con[k];
    const int t1 = contact_tree(slot, 0), t2 = contact_tree(slot, b.con_ndof[slot] - 1);
    con_tree[k] = t1;
    touched[t1] = touched[t2] = 1;
    if (t1 == t2) continue;
    const int r1 = detail::find_root(parent, t1), r2 = detail::find_root(parent, t2);
    if (r1 < r2) parent[r2] = r1;
    if (r2 < r1) parent[r1] = r2;
  }
  out.n = 0;
  int ntouched = 0;
  for (int t = 0; t < p.ntree; ++t) {
    if (!touched[t]) continue;
    touched[ntouched++] = t;  // t >= ntouched: not read again as a flag
    const int r = detail::find_root(parent, t);
    if (island[r] < 0) island[r] = out.n++;
    island[t] = island[r];
  }
  detail::sort_by_island(out.n, ntouched, touched, out.tree_adr, out.tree,
                         [&](int i) { return island[touched[i]]; });
  detail::sort_by_island(out.n, b.nsc, b.sc, out.sc_adr, out.sc,
                         [&](int i) { return island[scalar_tree(p, b.sc[i])]; });
  detail::sort_by_island(out.n, b.ncon, b.con, out.con_adr, out.con,
                         [&](int i) { return island[con_tree[i]]; });
  for (int k = 0; k < ntouched; ++k) {
    const int t = out.tree[k];
    out.dof_begin[k] = p.tree_dofadr[t];
    out.dof_end[k] = p.tree_dofadr[t] + p.tree_dofnum[t];
  }
  return true;
}

}  // namespace stepbench::contact::inline SB_ISA
