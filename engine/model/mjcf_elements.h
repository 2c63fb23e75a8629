// Readers of single elements. `read_*` lay the attributes of an element over what its default class
// gave; they serve default classes and real elements alike. `finish_*` turn a raw element into its
// final form.
#pragma once

#include "engine/model/mjcf_defaults.h"
#include "engine/model/mjcf_pose.h"

namespace stepbench::model::mjcf {

void read_joint(Context& c, const Element& e, RawJoint& raw);
void read_geom(Context& c, const Element& e, RawGeom& raw);
void read_site(Context& c, const Element& e, RawSite& raw);
void read_pair(Context& c, const Element& e, RawPair& raw);
Inertial read_inertial(Context& c, const Element& e);
// From the frame's coordinates to the body's.
void place_inertial(const Pose& frame, Inertial& inertial);

// Angles to radians, pose into the body's frame; notes what is not simulated.
Joint finish_joint(Context& c, const Element& e, RawJoint raw, const Pose& frame);
// fromto to pose and size, pose into the body's frame. Height fields and meshes pass unchanged.
Geom finish_geom(Context& c, const Element& e, RawGeom raw, const Pose& frame);
Site finish_site(Context& c, const Element& e, RawSite raw, const Pose& frame);
Pair finish_pair(Context& c, const Element& e, RawPair raw);

// <freejoint>: defaults do not apply to it.
Joint read_freejoint(Context& c, const Element& e);
Exclude read_exclude(Context& c, const Element& e);
Key read_key(Context& c, const Element& e);

}  // namespace stepbench::model::mjcf
