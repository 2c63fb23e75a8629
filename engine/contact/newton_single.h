// Newton for one large world: island by island, each with its own scale, stopping rule and block
// factor.
//
// Source: mujoco_warp.md 6.9 (islands), large_islands.md. Trees without blocks keep qacc_smooth.
#pragma once

#include "engine/contact/block_factor.h"
#include "engine/contact/island.h"
#include "engine/contact/minimise.h"
#include "engine/contact/rows.h"
#if !defined(__CUDACC__)  // vector code of the CPU; on a GPU every island takes the direct factor
#include "engine/contact/free_island.h"
#endif

namespace stepbench::contact::inline SB_ISA {

// qacc and qfrc_constraint hold the unconstrained solution on entry.
template <class Real>
SB_HD void solve_islands(Context<Real>& c) {
  Workspace w(c.d.workspace, c.d.workspace_bytes, blocks_of(c.d).bytes);
  Islands islands;
  int* local = w.take<int>(std::size_t(c.p.ntree));
  if (!find_islands(c.p, blocks_of(c.d), w, islands)) {
    c.d.need_workspace = w.bytes();
    return;
  }
  for (int k = 0; k < islands.n; ++k) {
    const Range range = islands.range(k);
#if !defined(__CUDACC__)  // its lanes over contacts are vector code of the CPU
    if (FreeIsland<Real>::suits(c, range)) {
      FreeIsland<Real> island;
      const auto outcome = island.solve(c, range, w, local);
      if (outcome == FreeIsland<Real>::kMemory) return;
      if (outcome == FreeIsland<Real>::kDone) continue;
    }
#endif
    if (blocks_of(c.d).form == RowForm::kNone) {
      fill_contacts(c, range.con, range.ncon);
    }
    BlockHessian<Real> hessian;
    if (!hessian.prepare(c, range, w, local)) return;
    minimise(c, range, hessian, true);
  }
}

}  // namespace stepbench::contact::inline SB_ISA
