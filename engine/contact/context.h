// What a contact model is handed, and the lists of constraint blocks that it works on.
#pragma once

#include <cstddef>

#include "engine/collide/pair_params.h"
#include "engine/contact/options.h"
#include "engine/math/lane.h"
#include "engine/model/arrays.h"
#include "engine/model/params.h"

namespace stepbench::contact::inline SB_ISA {

using math::any;
using math::fma;
using math::fnma;
using math::kWidth;
using math::MaskOf;
using math::RealOf;
using math::select;

// Worlds of more dofs than this run in the single layout only: a dof's ancestors fit two 64-bit
// words.
inline constexpr int kMaxPackedDofs = 128;

// Contacts whose rows a contact model wants formed before it runs: all, those between two moving
// bodies, or none.
enum class RowForm { kAll, kCoupled, kNone };

template <class Lane>
struct Context {
  using Real = RealOf<Lane>;
  const model::Params<Real>& p;
  const collide::PairParams<Real>* pairs;
  const model::State<Lane>& s;
  model::Scratch<Lane>& d;
  Options<Real> options;
  bool single = false;  // single layout: solve island by island (Lane is a scalar)
};

// Constraint blocks of one group of worlds, in MuJoCo's row order. Lies at the head of the
// workspace.
struct Blocks {
  int nsc = 0;      // scalar blocks that some lane has
  int ncon = 0;     // contact slots that some lane has
  int* sc;          // nsc: block ids (see SB_SCRATCH_CONTACT)
  int* con;         // ncon: slots
  int* con_dofadr;  // maxcon: where a slot's dofs start in `dof`
  int* con_ndof;    // maxcon
  int* con_last;    // maxcon: last dof that moves a contact with the world; -1: two bodies move
  int* con_jadr;    // maxcon: where a slot's Jacobian starts in con_J
  int* dof;         // maxj: dofs of each slot, ascending
  int* sign;        // nv: room for one slot's
  int* geom_dof;    // ngeom: last dof that moves a geom; -1: none (only with RowForm::kNone)
  RowForm form = RowForm::kAll;  // which contacts have dofs, Jacobians, D and aref
  std::size_t bytes = 0;         // of the workspace used so far
};

// Carves arrays out of the workspace; counts on when it is full, so that `bytes` is then the need.
class Workspace {
 public:
  SB_HD Workspace(void* base, std::size_t capacity, std::size_t used)
      : base_(static_cast<unsigned char*>(base)), capacity_(capacity), bytes_(used) {}
  template <class T>
  SB_HD T* take(std::size_t n) {
    const std::size_t at = bytes_;
    bytes_ += (n * sizeof(T) + 63) / 64 * 64;
    return bytes_ <= capacity_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }
  SB_HD bool full() const { return bytes_ > capacity_; }
  SB_HD std::size_t bytes() const { return bytes_; }

 private:
  unsigned char* base_;
  std::size_t capacity_, bytes_;
};

template <class Lane>
SB_HD Blocks& blocks_of(model::Scratch<Lane>& d) {
  return *static_cast<Blocks*>(d.workspace);
}

// The blocks and dofs of one island, or of the whole model: what a solve runs over.
struct Range {
  const int* sc;
  int nsc;
  const int* con;
  int ncon;
  const int* dof_begin;  // nspan spans of consecutive dofs
  const int* dof_end;
  int nspan;
};

// Last dof of the chain that moves a body (-1: none): its ancestors follow by dof_parentid.
template <class Real>
SB_HD int last_dof(const model::Params<Real>& p, int body) {
  const int b = p.body_weldid[body];
  return p.body_dofnum[b] > 0 ? p.body_dofadr[b] + p.body_dofnum[b] - 1 : -1;
}

// Call f(dof, sign) for the dofs that move body 2 against body 1, descending: the two chains up to
// where they meet. sign: +1 on body 2's chain, -1 on body 1's.
template <class Real, class F>
SB_HD void for_contact_dofs(const model::Params<Real>& p, int body1, int body2, F&& f) {
  int d1 = last_dof(p, body1), d2 = last_dof(p, body2);
  while (d1 != d2) {
    if (d1 > d2) {
      f(d1, -1);
      d1 = p.dof_parentid[d1];
    } else {
      f(d2, 1);
      d2 = p.dof_parentid[d2];
    }
  }
}

}  // namespace stepbench::contact::inline SB_ISA
