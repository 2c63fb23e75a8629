// <option>, <flag>, <compiler>, <size>.
#pragma once

#include "engine/model/mjcf_context.h"

namespace stepbench::model::mjcf {

// Options that the engine does not have. They count once all sections and overrides are read.
struct OptionExtras {
  Element density, viscosity, noslip, integrator, flag;  // where each was last set
  double density_value = 0, viscosity_value = 0;
  int noslip_value = 0;
  int integrator_value = 0;
  int flags = 0;  // enable bits that are not simulated
};

void read_option(Context& c, const Element& e, OptionExtras& extras);
void check_option(Context& c, const OptionExtras& extras);

void read_compiler(Context& c, const Element& e);
void read_size(Context& c, const Element& e);

}  // namespace stepbench::model::mjcf
