// Enumerations with MuJoCo's names and values (mjmodel.h), so that arrays compare number by number.
#pragma once

namespace stepbench::model {

enum JntType : int { kJntFree = 0, kJntBall = 1, kJntSlide = 2, kJntHinge = 3 };

enum GeomType : int {
  kGeomPlane = 0,
  kGeomHfield = 1,
  kGeomSphere = 2,
  kGeomCapsule = 3,
  kGeomEllipsoid = 4,
  kGeomCylinder = 5,
  kGeomBox = 6,
  kGeomMesh = 7
};

enum Integrator : int { kEuler = 0, kRk4 = 1, kImplicit = 2, kImplicitFast = 3 };
enum Cone : int { kPyramidal = 0, kElliptic = 1 };
enum Solver : int { kPgs = 0, kCg = 1, kNewton = 2 };
enum Jacobian : int { kJacDense = 0, kJacSparse = 1, kJacAuto = 2 };

enum TrnType : int { kTrnJoint = 0, kTrnJointInParent = 1 };
enum DynType : int { kDynNone = 0, kDynIntegrator = 1, kDynFilter = 2, kDynFilterExact = 3 };
enum GainType : int { kGainFixed = 0, kGainAffine = 1 };
enum BiasType : int { kBiasNone = 0, kBiasAffine = 1 };

// Bits of disableflags and enableflags (mjtDisableBit, mjtEnableBit).
enum DisableBit : int {
  kDsblConstraint = 1 << 0,
  kDsblEquality = 1 << 1,
  kDsblFrictionloss = 1 << 2,
  kDsblLimit = 1 << 3,
  kDsblContact = 1 << 4,
  kDsblSpring = 1 << 5,
  kDsblDamper = 1 << 6,
  kDsblGravity = 1 << 7,
  kDsblClampctrl = 1 << 8,
  kDsblWarmstart = 1 << 9,
  kDsblFilterparent = 1 << 10,
  kDsblActuation = 1 << 11,
  kDsblRefsafe = 1 << 12,
  kDsblSensor = 1 << 13,
  kDsblMidphase = 1 << 14,
  kDsblEulerdamp = 1 << 15,
  kDsblAutoreset = 1 << 16,
  kDsblNativeccd = 1 << 17,
  kDsblIsland = 1 << 18,
  kDsblMulticcd = 1 << 19
};
enum EnableBit : int {
  kEnblOverride = 1 << 0,
  kEnblEnergy = 1 << 1,
  kEnblFwdinv = 1 << 2,
  kEnblInvdiscrete = 1 << 3
};

// Row types (mjtConstraint).
enum ConstraintType : int {
  kCnstrEquality = 0,
  kCnstrFrictionDof = 1,
  kCnstrFrictionTendon = 2,
  kCnstrLimitJoint = 3,
  kCnstrLimitTendon = 4,
  kCnstrContactFrictionless = 5,
  kCnstrContactPyramidal = 6,
  kCnstrContactElliptic = 7
};

}  // namespace stepbench::model
