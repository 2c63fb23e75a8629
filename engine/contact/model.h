// The list of contact models: the interface that a new one fills.
//
// A contact model is one header with one struct:
//
//   struct Mine {
//     static constexpr const char* kName = "mine";               // on the command line
//     static constexpr const char* kSummary = "one short line";  // in --help
//     static SB_HD constexpr RowForm row_form(bool single);  // rows that solve() wants (context.h)
//     template <class Lane>
//     static SB_HD void solve(Context<Lane>& c);
//
//     For reports, after solve(): rows and u of every block, then forces of single rows.
//     template <class Lane>
//     static SB_HD void prepare_report(const Context<Lane>& c);
//     template <class Lane>
//     static SB_HD Lane scalar_row_force(const Context<Lane>& c, int id, const ScalarRow<Lane>&
//     row); template <class Lane> static SB_HD void contact_row_forces(const Context<Lane>& c, int
//     slot, Lane* f);
//   };
//
// solve() reads the constraint blocks that make_rows left (rows.h, block_ops.h) and the smooth
// stages' results, and writes qacc, qfrc_constraint, out_niter and out_capped for every lane. Where
// the workspace is too small it sets c.d.need_workspace and returns; the driver then repeats from
// the collision stage. What a model cannot simulate it says in unsupported_reason (registry.cpp).
//
// To add one, write that header, include it here and append it to SB_CONTACT_MODELS.
#pragma once

#include "engine/contact/comfree.h"
#include "engine/contact/newton.h"
#include "engine/contact/rows.h"

#define SB_CONTACT_MODELS(X) \
  X(Newton)                  \
  X(Comfree)

namespace stepbench::contact::inline SB_ISA {

// Rows for the contact model that will run.
template <class Lane>
SB_HD void make_rows(const Context<Lane>& c) {
  int k = 0;
#define X(Model) \
  if (c.options.model == k++) return make_rows(c.p, c.pairs, c.s, c.d, Model::row_form(c.single));
  SB_CONTACT_MODELS(X)
#undef X
}

// Run contact model number `model` of the list.
template <class Lane>
SB_HD void solve(int model, Context<Lane>& c) {
  int k = 0;
#define X(Model) \
  if (model == k++) return Model::solve(c);
  SB_CONTACT_MODELS(X)
#undef X
}

template <class Lane>
SB_HD void solve(Context<Lane>& c) {
  solve(c.options.model, c);
}

}  // namespace stepbench::contact::inline SB_ISA
