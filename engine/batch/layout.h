// Where the arrays of a group lie in memory: generated from the table in engine/model/arrays.h.
//
// A group's state is one block of memory, its arrays one after another, each element W values wide
// (AoSoA: [group][field][lane]). Blocks start on cache lines, so two threads never share one.
#pragma once

#include <cstddef>

#include "engine/model/arrays.h"

namespace stepbench::batch::inline SB_ISA {

// Elements (lane values) of a group's state.
template <class Real>
SB_HD std::size_t state_count(const model::Params<Real>& m) {
  std::size_t n = 0;
#define X(name, count, unit, stage) n += std::size_t(count);
  SB_STATE_ARRAYS(X)
#undef X
  return n;
}

// Elements of the scratch arrays whose size the model fixes.
template <class Real>
SB_HD std::size_t scratch_count(const model::Params<Real>& m) {
  std::size_t n = 0;
#define X(name, count, unit, stage) n += std::size_t(count);
  SB_SCRATCH_DYNAMICS(X)
  SB_SCRATCH_RESULT(X)
#undef X
  return n;
}

// Elements of the scratch arrays that grow with contacts.
template <class Real>
SB_HD std::size_t contact_count(const model::Params<Real>& m, std::size_t maxcon,
                                std::size_t maxj) {
  std::size_t n = 0;
  (void)m;
#define X(name, count, unit, stage) n += std::size_t(count);
  SB_SCRATCH_COLLIDE(X)
  SB_SCRATCH_CONTACT(X)
#undef X
  return n;
}

template <class Lane>
SB_HD model::State<Lane> bind_state(const model::Params<math::RealOf<Lane>>& m,
                                    math::RealOf<Lane>* memory) {
  model::State<Lane> s;
  Lane* p = reinterpret_cast<Lane*>(memory);
#define X(name, count, unit, stage) \
  s.name = p;                       \
  p += std::size_t(count);
  SB_STATE_ARRAYS(X)
#undef X
  return s;
}

template <class Lane>
SB_HD void bind_scratch(const model::Params<math::RealOf<Lane>>& m, math::RealOf<Lane>* memory,
                        model::Scratch<Lane>& d) {
  Lane* p = reinterpret_cast<Lane*>(memory);
#define X(name, count, unit, stage) \
  d.name = p;                       \
  p += std::size_t(count);
  SB_SCRATCH_DYNAMICS(X)
  SB_SCRATCH_RESULT(X)
#undef X
}

template <class Lane>
SB_HD void bind_contacts(const model::Params<math::RealOf<Lane>>& m, math::RealOf<Lane>* memory,
                         int maxcon, int maxj, model::Scratch<Lane>& d) {
  Lane* p = reinterpret_cast<Lane*>(memory);
  (void)m;
#define X(name, count, unit, stage) \
  d.name = p;                       \
  p += std::size_t(count);
  SB_SCRATCH_COLLIDE(X)
  SB_SCRATCH_CONTACT(X)
#undef X
  d.maxcon = maxcon;
  d.maxj = maxj;
}

}  // namespace stepbench::batch::inline SB_ISA
