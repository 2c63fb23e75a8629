// Link frames: a tree of hinges and slides as engine/dynamics/link_sweep.h walks it.
//
// One link for each dof, its z axis along the joint axis and its origin on it; bodies without
// joints are part of the link that carries them. The frames are those of Denavit and Hartenberg as
// modified by Craig (Introduction to Robotics, 3rd edition, section 3.4), extended to trees: from
// its parent's frame a link's is reached by a shift r, a heading about the parent's z, a tilt about
// the new x, and the joint. Where a link carries one other link its own x is chosen so that the
// heading vanishes, and most robots' tilts are quarter turns, which cost nothing.
#pragma once

#include <vector>

namespace stepbench::model {

struct Model;

enum LinkFlag : int {
  kLinkSlide = 1,     // else a hinge
  kLinkReversed = 2,  // z points against the joint axis
  kLinkQuarter = 4,   // tilt of +90 degrees
  kLinkTilted = 8,    // another tilt
  kLinkHeading = 16,  // has a heading
  kLinkShiftX = 32,   // r is not 0 along the parent's x, y, z
  kLinkShiftY = 1 << 12,
  kLinkShiftZ = 1 << 13,
  kLinkCarriesNext = 64,  // the next link is a child
  kLinkBranches = 128,    // more than one child
  kLinkLastChild = 256,   // highest-numbered child of its parent
  kLinkMassless = 512,    // no mass of its own
  kLinkCentred = 1024,    // its own centre of mass is at its origin
  kLinkDiagonal = 2048    // its own second moments are diagonal
};

template <class Real>
struct Link {
  int parent;  // link that carries this one; -1: the world or a static body
  int flags;   // LinkFlag bits
  int turns;   // constant turn of a hinge: 0 .. 3 quarter turns; -1: by turn_cos, turn_sin
  Real turn_cos, turn_sin;
  Real q0;  // joint coordinate at which the joint's own displacement is 0
  Real heading_cos, heading_sin, tilt_cos, tilt_sin;
  Real r[3];        // m, in the parent's frame
  Real half_mr[3];  // half the mass of the link and all it carries, times r
  Real start[3];    // where parent is -1: minus gravity, in the frame before the joint
  // Of the link itself, about its origin: mass (kg), first moments (kg m), second moments
  // integral of rho rho' dm (kg m^2): xx yy zz xy xz yz.
  Real mass, first[3], second[6];
  Real carried_mass;  // kg, of the link and all it carries
};

// Links of a model, one for each dof, in double precision; empty where some joint is no hinge or
// slide, or where what links leave out is needed in each step (gravity compensation).
std::vector<Link<double>> make_links(const Model& m);

}  // namespace stepbench::model
