#include "engine/model/density.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include "engine/model/mjcf_pose.h"

namespace stepbench::model {
namespace {

using mjcf::Pose;
using mjcf::Vec3;

// Counter-based random numbers: splitmix64 of (body, draw). Steele, Lea, Flood 2014.
class Draws {
 public:
  explicit Draws(int body) : state_((static_cast<std::uint64_t>(body) + 1) * 0xd1b54a32d192ed03u) {}

  // Uniform in [-1, 1).
  double next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-52 - 1;
  }

 private:
  std::uint64_t state_;
};

// Only square roots and products: the same bits from every library.
std::array<double, 4> random_quat(Draws& draws) {
  for (;;) {
    const std::array<double, 4> q = {draws.next(), draws.next(), draws.next(), draws.next()};
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (square > 0.01 && square < 1) return mjcf::normalized(q);
  }
}

double bounding_radius(const Geom& g) {
  switch (g.type) {
    case kGeomSphere:
      return g.size[0];
    case kGeomCapsule:
      return g.size[0] + g.size[1];
    case kGeomCylinder:
      return std::hypot(g.size[0], g.size[1]);
    case kGeomEllipsoid:
      return std::max(g.size[0], std::max(g.size[1], g.size[2]));
    default:
      return std::sqrt(g.size[0] * g.size[0] + g.size[1] * g.size[1] + g.size[2] * g.size[2]);
  }
}

struct Extent {
  Vec3 low = {0, 0, 0};
  Vec3 high = {0, 0, 0};
  bool any = false;
};

// Box around all geoms but planes, at the reference pose.
Extent extent_of(const Spec& spec) {
  Extent box;
  std::vector<Pose> world(spec.bodies.size());
  for (size_t b = 0; b < spec.bodies.size(); ++b) {
    const Body& body = spec.bodies[b];
    if (b > 0) {
      world[b] = mjcf::compose(world[static_cast<size_t>(body.parent)], {body.pos, body.quat});
    }
    for (const Geom& g : body.geoms) {
      if (g.type == kGeomPlane) continue;
      const Vec3 center = mjcf::compose(world[b], {g.pos, g.quat}).pos;
      const double r = bounding_radius(g);
      for (size_t i = 0; i < 3; ++i) {
        if (!std::isfinite(center[i] - r) || !std::isfinite(center[i] + r)) continue;
        box.low[i] = box.any ? std::min(box.low[i], center[i] - r) : center[i] - r;
        box.high[i] = box.any ? std::max(box.high[i], center[i] + r) : center[i] + r;
      }
      box.any = true;
    }
  }
  return box;
}

Geom make_geom(int index, double size) {
  Geom g;
  switch (index % 3) {
    case 0:
      g.type = kGeomSphere;
      g.size = {size, 0, 0};
      break;
    case 1:
      g.type = kGeomCapsule;
      g.size = {0.7 * size, 0.7 * size, 0};
      break;
    default:
      g.type = kGeomBox;
      g.size = {0.9 * size, 0.8 * size, 0.7 * size};
  }
  return g;
}

}  // namespace

void add_column(Spec& spec, int n) {
  const Extent box = extent_of(spec);
  const double width = std::max(box.high[0] - box.low[0], box.high[1] - box.low[1]);
  const double size = std::clamp(0.05 * width, 0.02, 0.1);
  const double pitch = 3 * size;  // more than any body's diameter

  std::unordered_set<std::string> taken;
  for (const Body& b : spec.bodies) taken.insert(b.name);
  // Layers of up to 4 x 4 bodies.
  int side = 1;
  while (side < 4 && side * side * side < n) ++side;
  std::vector<double> poses;
  for (int k = 0; k < n; ++k) {
    Draws draws(k);
    const int layer = k / (side * side), cell = k % (side * side);
    const auto spread = [&](int i) {
      return (i - 0.5 * (side - 1)) * pitch + 0.2 * size * draws.next();
    };
    Body b;
    b.parent = 0;
    b.pos = {0.5 * (box.low[0] + box.high[0]) + spread(cell % side),
             0.5 * (box.low[1] + box.high[1]) + spread(cell / side),
             box.high[2] + (layer + 1) * pitch};
    b.quat = random_quat(draws);
    b.name = "density_" + std::to_string(k);
    while (taken.count(b.name) > 0) b.name += '_';
    Joint free;
    free.type = kJntFree;
    b.joints.push_back(free);
    b.geoms.push_back(make_geom(k, size * (1 + 0.2 * draws.next())));
    poses.insert(poses.end(), b.pos.begin(), b.pos.end());
    poses.insert(poses.end(), b.quat.begin(), b.quat.end());
    spec.bodies.push_back(std::move(b));
  }
  const auto added = static_cast<size_t>(n);
  for (Key& key : spec.keys) {
    if (!key.qpos.empty()) key.qpos.insert(key.qpos.end(), poses.begin(), poses.end());
    if (!key.qvel.empty()) key.qvel.resize(key.qvel.size() + 6 * added, 0.0);
  }
}

}  // namespace stepbench::model
