// Settings of contact models that a file does not carry.
#pragma once

namespace stepbench::contact {

template <class Real>
struct Options {
  int model = 0;  // index into the list of contact models (engine/contact/registry.h)
  // Gains of `comfree` (engine/contact/comfree.h).
  Real comfree_stiffness = Real(0.2);  // 1/s, >= 0
  Real comfree_damping = Real(0.001);  // dimensionless, >= 0
};

}  // namespace stepbench::contact
