// Joint transmissions: MuJoCo's mj_transmission for the types joint and jointinparent.
//
// Length and moment arm of an actuator: gear times the coordinate of a hinge or slide; the gear
// vector along the rotation vector of a ball, in the frame of the body or of its parent; six gears
// and length 0 on a free joint.
#pragma once

#include "engine/dynamics/stage.h"

namespace stepbench::dynamics::inline SB_ISA {

// Whether an actuator drives a hinge or slide.
template <class Real>
SB_HD bool is_scalar(const model::Params<Real>& m, int actuator) {
  const int type = m.jnt_type[m.actuator_trnid[2 * actuator]];
  return type == model::kJntHinge || type == model::kJntSlide;
}

template <class Lane>
struct Transmission {
  int dof;         // first dof
  int n;           // 1, 3 or 6
  Lane moment[6];  // d length / d velocity coordinate
  Lane length;
};

template <class Lane>
SB_INLINE Transmission<Lane> transmission(const model::Params<RealOf<Lane>>& m,
                                          const model::State<Lane>& s, int actuator) {
  using Real = RealOf<Lane>;
  const int j = m.actuator_trnid[2 * actuator], type = m.jnt_type[j];
  const Real* gear = m.actuator_gear + 6 * actuator;
  const Lane* q = s.qpos + m.jnt_qposadr[j];
  Transmission<Lane> t;
  t.dof = m.jnt_dofadr[j];
  if (type == model::kJntHinge || type == model::kJntSlide) {
    t.n = 1;
    t.moment[0] = Lane(gear[0]);
    t.length = Lane(gear[0]) * q[0];
    return t;
  }
  const bool ball = type == model::kJntBall;
  const bool in_parent = m.actuator_trntype[actuator] == model::kTrnJointInParent;
  t.n = ball ? 3 : 6;
  const Quat<Lane> turned = normalize(load4(ball ? q : q + 3));
  Vec3<Lane> axis = math::broadcast3<Lane>(ball ? gear : gear + 3);
  if (in_parent) axis = rotate(conjugate(turned), axis);
  if (ball) {
    t.length = dot(log_rotation(turned), axis);
    store3(t.moment, axis);
  } else {
    t.length = Lane(Real(0));
    store3(t.moment, math::broadcast3<Lane>(gear));
    store3(t.moment + 3, axis);
  }
  return t;
}

template <class Lane>
SB_INLINE Lane transmission_velocity(const Transmission<Lane>& t, const Lane* qvel) {
  Lane v = t.moment[0] * qvel[t.dof];
  for (int k = 1; k < t.n; ++k) v = fma(t.moment[k], qvel[t.dof + k], v);
  return v;
}

}  // namespace stepbench::dynamics::inline SB_ISA
