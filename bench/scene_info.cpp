#include "bench/scene.h"

namespace stepbench::bench {

SceneInfo scene_info(const LoadedScene& scene) {
  const auto& m = *scene.model;
  SceneInfo s;
  s.scene = scene.request.path;
  s.scene_sha = scene.sha;
  s.nq = m.nq;
  s.nv = m.nv;
  s.nu = m.nu;
  s.nbody = m.nbody;
  s.ngeom = m.ngeom;
  s.integrator = integrator_name(m.opt.integrator);
  s.cone = cone_name(m.opt.cone);
  s.iterations_cap = m.opt.iterations;
  s.ls_cap = m.opt.ls_iterations;
  s.tolerance = m.opt.tolerance;
  return s;
}

std::string integrator_name(int integrator) {
  switch (integrator) {
    case model::kEuler:
      return "Euler";
    case model::kRk4:
      return "RK4";
    case model::kImplicit:
      return "implicit";
    case model::kImplicitFast:
      return "implicitfast";
    default:
      return {};
  }
}

std::string cone_name(int cone) { return cone == model::kElliptic ? "elliptic" : "pyramidal"; }

std::string solver_name(int solver) {
  switch (solver) {
    case model::kPgs:
      return "pgs";
    case model::kCg:
      return "cg";
    default:
      return "newton";
  }
}

}  // namespace stepbench::bench
