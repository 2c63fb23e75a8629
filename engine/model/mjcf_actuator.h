// Actuators: shortcuts are written out as general actuators.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/mjcf_defaults.h"

namespace stepbench::model::mjcf {

// kNone where the tag is no actuator.
Shortcut shortcut_of(std::string_view tag);

// An actuator element inside a default class. `base` is the class's actuator before the element.
void read_actuator_default(Context& c, const Element& e, Shortcut shortcut,
                           const Defaults& defaults, DefaultClass& self, const RawActuator& base);

// A child of <actuator>; nothing where it is unsupported (which is noted).
std::optional<Actuator> read_actuator(Context& c, const Element& e, const Defaults& defaults);

}  // namespace stepbench::model::mjcf
