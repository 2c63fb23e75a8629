// One geom pair in lanes: poses in, MuJoCo-ordered contacts of one lane out, through the narrow
// phase.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/collide/contact_params.h"
#include "engine/collide/narrow_phase.h"
#include "engine/math/lane.h"
#include "engine/model/model.h"
#include "engine/model/params.h"
#include "tests/engine/testing/world.h"

namespace stepbench::collide::testing {

struct Geom {
  int type = model::kGeomSphere;
  std::array<double, 3> size = {.1, .1, .1};
  std::array<double, 3> pos = {0, 0, 0};
  std::array<double, 4> quat = {1, 0, 0, 0};  // normalised here
};

struct Found {
  double dist;
  std::array<double, 3> pos;
  std::array<double, 9> frame;
  int geom1 = 0, geom2 = 0;
};

inline std::array<double, 9> matrix(const std::array<double, 4>& q) {
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
  return {
      w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
      2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
      2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
}

inline std::array<double, 4> about(std::array<double, 3> axis, double angle_rad) {
  const double s = std::sin(angle_rad / 2);
  return {std::cos(angle_rad / 2), axis[0] * s, axis[1] * s, axis[2] * s};
}

inline double bounding_radius(const Geom& g) {
  const auto& s = g.size;
  switch (g.type) {
    case model::kGeomPlane:
      return 0;
    case model::kGeomSphere:
      return s[0];
    case model::kGeomCapsule:
      return s[0] + s[1];
    case model::kGeomEllipsoid:
      return std::max({s[0], s[1], s[2]});
    case model::kGeomCylinder:
      return std::hypot(s[0], s[1]);
    default:
      return std::hypot(s[0], s[1], s[2]);
  }
}

// Two bodies with a geom each; the second can move.
inline model::Model pair_model(const Geom& a, const Geom& b, double margin, double gap = 0) {
  model::Model m;
  m.nbody = m.ngeom = 2;
  m.nv = m.ntree = 1;
  m.allocate();
  m.body_weldid = {0, 1};
  m.body_mocapid = {-1, -1};
  m.body_dofnum = {0, 1};
  m.body_treeid = {-1, 0};
  m.body_geomnum = {1, 1};
  m.body_geomadr = {0, 1};
  m.geom_bodyid = {0, 1};
  m.geom_type = {a.type, b.type};
  m.geom_contype = m.geom_conaffinity = {1, 1};
  m.geom_condim = {3, 3};
  m.geom_solmix = {1, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    m.geom_size[k] = a.size[k];
    m.geom_size[3 + k] = b.size[k];
  }
  m.geom_rbound = {bounding_radius(a), bounding_radius(b)};
  m.geom_margin = {margin, 0};
  m.geom_gap = {gap, 0};
  return m;
}

// Contacts of a pair whose poses differ by lane; sizes are those of the first lane's geoms.
template <class Lane>
class PairWorld {
 public:
  using Real = math::RealOf<Lane>;

  PairWorld(const Geom& a, const Geom& b, double margin, double gap = 0)
      : model_(pair_model(a, b, margin, gap)),
        world_(model_, 16),
        pair_(automatic_pair<Real>(world_.p(), {}, 0, 1)) {
    for (int l = 0; l < math::kWidth<Lane>; ++l) place(l, a, b);
  }

  void place(int lane, const Geom& a, const Geom& b) {
    const Geom* geoms[2] = {&a, &b};
    for (std::size_t g = 0; g < 2; ++g) {
      const std::array<double, 9> m = matrix(geoms[g]->quat);
      stepbench::testing::set_values(world_.d.geom_xpos + 3 * g, geoms[g]->pos, lane);
      stepbench::testing::set_values(world_.d.geom_xmat + 9 * g, m, lane);
    }
  }

  void collide() { narrow_phase<Lane>(world_.p(), &pair_, 1, world_.s, world_.d); }

  std::vector<Found> contacts(int lane = 0) const {
    std::vector<Found> r;
    const auto& d = world_.d;
    const auto at = [&](const Lane& x) { return double(math::get(x, lane)); };
    for (int k = 0; k < d.ncon; ++k) {
      if (at(d.con_dist[k]) >= double(model::kNoContact)) continue;
      Found f{at(d.con_dist[k]), {}, {}, pair_.geom1, pair_.geom2};
      for (int i = 0; i < 3; ++i) f.pos[std::size_t(i)] = at(d.con_pos[3 * k + i]);
      for (int i = 0; i < 9; ++i) f.frame[std::size_t(i)] = at(d.con_frame[9 * k + i]);
      r.push_back(f);
    }
    return r;
  }

  stepbench::testing::World<Lane>& world() { return world_; }
  const PairParams<Real>& pair() const { return pair_; }

 private:
  model::Model model_;
  stepbench::testing::World<Lane> world_;
  PairParams<Real> pair_;
};

// Contacts of one pair in one world, double precision.
inline std::vector<Found> collide(const Geom& a, const Geom& b, double margin = 0, double gap = 0) {
  PairWorld<double> w(a, b, margin, gap);
  w.collide();
  return w.contacts();
}

}  // namespace stepbench::collide::testing
