// <compiler discardvisual> and <compiler fusestatic>: the scene without visual geoms, and without
// static bodies that could as well be part of their parent.
//
// Both keep the dynamics. Where the inertia that a body infers from its geoms would change, it is
// made an explicit <inertial> first (or, with inertiafromgeom="true", the body is left alone or
// refused). The rules are MuJoCo's (XMLreference.rst, compiler/discardvisual and
// compiler/fusestatic), found out case by case where the manual is silent; elements of fused bodies
// follow the parent's own, in depth-first order.
#include <cmath>
#include <unordered_set>

#include "engine/model/compile_internal.h"

namespace stepbench::model::detail {
namespace {

Inertial make_explicit(const Source& source, const RigidInertia& r) {
  Inertial in;
  in.source = source;
  in.mass = r.mass;
  in.pos = r.pose.pos;
  in.quat = r.pose.quat;
  in.diaginertia = r.moments;
  return in;
}

using NameSet = std::unordered_set<std::string>;

void discard_visual(Spec& spec) {
  NameSet used(spec.referenced_geoms.begin(), spec.referenced_geoms.end());
  for (const Pair& p : spec.pairs) used.insert({p.geom1, p.geom2});

  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    Body& body = spec.bodies[b];
    const auto visual = [&](const Geom& g) {
      return g.contype == 0 && g.conaffinity == 0 && (g.name.empty() || used.count(g.name) == 0);
    };
    const bool infers = b > 0 && infers_inertia(spec.compiler, body);
    for (const Geom& g : body.geoms) {
      if (!infers || !visual(g) || !contributes(spec.compiler, g)) continue;
      if (spec.compiler.inertiafromgeom == kTrue) {
        fail(spec, g.source, "geom",
             "discardvisual would change the inertia of " + named("body", body.name),
             "use inertiafromgeom=\"auto\", or give visual geoms no mass");
      }
      body.inertial = make_explicit(body.source, body_inertia(spec, b));
      break;
    }
    std::erase_if(body.geoms, visual);
  }
}

class Fuser {
 public:
  explicit Fuser(const Spec& spec)
      : in_(spec), keep_(spec.referenced_bodies.begin(), spec.referenced_bodies.end()) {
    for (const Exclude& e : spec.excludes) keep_.insert({e.body1, e.body2});
  }

  Spec run() {
    out_ = in_;
    out_.bodies.clear();
    for (std::size_t b = 0; b < in_.bodies.size(); ++b) {
      bool adjusted = false;
      const RigidInertia inertia = body_inertia(in_, b, &adjusted);
      if (b > 0 && fuses(b, inertia, adjusted)) {
        fuse(b, inertia, adjusted);
      } else {
        keep(b, inertia, adjusted);
      }
    }
    return std::move(out_);
  }

 private:
  // Where a body of the input went: the body of the output that holds it, and its pose in there.
  struct Place {
    std::size_t body = 0;
    Pose pose;
    bool moved = false;  // the pose is not the identity
  };
  // Inertia of a body of the output, with all that has been fused into it, in its own frame.
  struct Sum {
    RigidInertia inertia;
    bool adjusted = false;
  };

  const Place& parent_place(const Body& body) const { return place_[std::size_t(body.parent)]; }

  bool fuses(std::size_t b, const RigidInertia& inertia, bool adjusted) const {
    const Body& body = in_.bodies[b];
    if (!body.joints.empty() || body.mocap || !body.fuse || keep_.count(body.name) > 0)
      return false;
    const std::size_t target = parent_place(body).body;
    if (target == 0) return true;
    if (inertia.mass > 0 && body.gravcomp != out_.bodies[target].gravcomp) return false;
    return in_.compiler.inertiafromgeom != kTrue || !(adjusted || sum_[target].adjusted);
  }

  void keep(std::size_t b, const RigidInertia& inertia, bool adjusted) {
    Body body = in_.bodies[b];
    if (b > 0) {
      const Place& parent = parent_place(body);
      body.parent = int(parent.body);
      if (parent.moved) {
        const auto& [p, q] = std::pair(body.pos, body.quat);
        if (!body.written_pose) body.written_pose = {p[0], p[1], p[2], q[0], q[1], q[2], q[3]};
        place(parent.pose, body.pos, body.quat);
      }
    }
    place_.push_back({out_.bodies.size(), {}, false});
    sum_.push_back({inertia, adjusted});
    out_.bodies.push_back(std::move(body));
  }

  void fuse(std::size_t b, RigidInertia inertia, bool adjusted) {
    const Body& body = in_.bodies[b];
    Pose pose = {body.pos, body.quat};
    const Place& parent = parent_place(body);
    if (parent.moved) pose = parent.pose * pose;
    const std::size_t target = parent.body;
    place_.push_back({target, pose, true});

    Body& into = out_.bodies[target];
    if (target > 0 && in_.compiler.inertiafromgeom != kTrue) {
      inertia.pose = pose * inertia.pose;
      add_inertia(b, inertia, adjusted, target);
    }
    for (Geom g : body.geoms) {
      place(pose, g.pos, g.quat);
      into.geoms.push_back(std::move(g));
    }
    for (Site s : body.sites) {
      place(pose, s.pos, s.quat);
      into.sites.push_back(std::move(s));
    }
  }

  void add_inertia(std::size_t b, const RigidInertia& inertia, bool adjusted, std::size_t target) {
    const Body& body = in_.bodies[b];
    Body& into = out_.bodies[target];
    Sum& sum = sum_[target];
    const bool inferred = infers_inertia(in_.compiler, into);
    // Geoms of both in one body give the sum by themselves, unless something else had a say.
    bool same = infers_inertia(in_.compiler, body) && !adjusted && !sum.adjusted;
    if (!infers_inertia(in_.compiler, body) && inertia.mass == 0) {
      same = !sum.adjusted;
      for (const Geom& g : body.geoms) same = same && !contributes(in_.compiler, g);
    }
    if (inertia.mass > 0) {
      const RigidInertia parts[] = {sum.inertia, inertia};
      if (!combine(parts, 2, kMinVal, &sum.inertia)) sum.inertia = {};
      sum.adjusted = sum.adjusted || adjusted;
    }
    if ((inferred && !same) || (!inferred && inertia.mass > 0)) {
      into.inertial = make_explicit(into.source, sum.inertia);
    }
  }

  static void place(const Pose& frame, std::array<double, 3>& pos, std::array<double, 4>& quat) {
    const Pose pose = frame * Pose{pos, quat};
    pos = pose.pos;
    quat = pose.quat;
  }

  const Spec& in_;
  NameSet keep_;
  Spec out_;
  std::vector<Place> place_;  // per body of the input
  std::vector<Sum> sum_;      // per body of the output
};

}  // namespace

Spec restructure(const Spec& spec) {
  Spec result = spec;
  if (spec.compiler.discardvisual) discard_visual(result);
  if (spec.compiler.fusestatic) result = Fuser(result).run();
  return result;
}

}  // namespace stepbench::model::detail
