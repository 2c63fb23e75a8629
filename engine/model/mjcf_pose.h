// Poses: orientation attributes, composition of frames, fromto.
#pragma once

#include <array>

#include "engine/model/mjcf_context.h"

namespace stepbench::model::mjcf {

using Vec3 = std::array<double, 3>;
using Quat = std::array<double, 4>;

struct Pose {
  Vec3 pos = {0, 0, 0};
  Quat quat = {1, 0, 0, 0};
};

Quat multiply(const Quat& a, const Quat& b);
Quat normalized(const Quat& q);
Vec3 rotate(const Quat& q, const Vec3& v);
// `inner` is given in the frame `outer`.
Pose compose(const Pose& outer, const Pose& inner);

// Rotation that turns +z into the direction of v (not zero), about an axis in the xy plane.
Quat z_to(const Vec3& v);

// Orientation from whichever of quat, axisangle, xyaxes, zaxis, euler the element has; false and
// `quat` untouched where it has none. Angles and the Euler sequence follow <compiler>. The result
// is a unit quaternion.
bool read_orientation(const Context& c, const Element& e, Quat& quat);
// Rotation by Euler angles in the file's unit and sequence.
Quat from_euler(const Context& c, const Vec3& euler);

// Attributes pos and orientation.
void read_pose(const Context& c, const Element& e, Vec3& pos, Quat& quat);

// Pose and half length of a segment; the frame's z axis points from the second point to the first,
// as in MuJoCo.
struct Segment {
  Pose pose;
  double half_length = 0;
};
Segment segment(const Context& c, const Element& e, const std::array<double, 6>& fromto);

}  // namespace stepbench::model::mjcf
