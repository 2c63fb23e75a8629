#include <fmt/format.h>

#include <set>
#include <string_view>

#include "bench/check_compare.h"
#include "bench/check_parts.h"

#ifdef SB_HAVE_MUJOCO_HEADERS

namespace stepbench::bench {
namespace {

constexpr double kTolerance = 1e-12;
// Numbers below mjMINVAL = 1e-15 are zero to MuJoCo: floor x tolerance.
constexpr double kFloor = 1e-3;

std::vector<double> values(const std::vector<double>& v) { return v; }
std::vector<double> values(const std::vector<int>& v) { return {v.begin(), v.end()}; }

// Rows of geoms: ours[i] belongs to theirs[shared[i]]. Values that are geom numbers are translated.
class ModelComparison {
 public:
  ModelComparison(const model::Model& ours, const mjModel& theirs)
      : ours_(ours), theirs_(theirs), shared_(shared_geoms(theirs)) {
    ours_number_.assign(std::size_t(theirs.ngeom), -1);
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      ours_number_[std::size_t(shared_[i])] = int(i);
    }
  }

  CheckPart run() {
    sizes();
    options();
    if (ours_.ngeom == int(shared_.size())) {
      const auto& m = ours_;
      const int nq = m.nq, nv = m.nv, nu = m.nu, na = m.na, nbody = m.nbody, njnt = m.njnt;
      const int ngeom = m.ngeom, nsite = m.nsite, npair = m.npair, nexclude = m.nexclude;
      const int nkey = m.nkey, nmocap = m.nmocap;
      (void)na;
#define X(type, name, rows, columns) \
  field(#name, values(ours_.name), theirs_.name, std::size_t(rows), std::size_t(columns));
      SB_MODEL_BODY(X)
      SB_MODEL_JNT(X)
      SB_MODEL_DOF(X)
      SB_MODEL_GEOM(X)
      SB_MODEL_SITE(X)
      SB_MODEL_PAIR(X)
      SB_MODEL_ACTUATOR(X)
      SB_MODEL_POSE(X)
      SB_MODEL_KEY(X)
#undef X
    }
    if (int(shared_.size()) != int(theirs_.ngeom)) {
      c_.note(fmt::format("{} visual meshes of the file are not part of the model compared",
                          int(theirs_.ngeom) - int(shared_.size())));
    }
    c_.note("M_rownnz, M_rowadr, M_colind have another form here and are compared as dense M");
    return c_.take();
  }

 private:
  void sizes() {
    const auto size = [&](const char* name, std::int64_t ours, std::int64_t theirs) {
      c_.add_equal(name, ours, theirs, "size");
    };
    // clang-format off
#define X(name) size(#name, ours_.name, std::int64_t(theirs_.name));
    X(nq) X(nv) X(nu) X(na) X(nbody) X(njnt) X(nsite) X(npair) X(nexclude) X(nkey) X(nmocap) X(ntree)
#undef X
    size("ngeom", ours_.ngeom, std::int64_t(shared_.size()));
    // clang-format on
  }

  void options() {
    const auto& a = ours_.opt;
    const auto& b = theirs_.opt;
    const auto real = [&](const char* name, const double* ours, const mjtNum* theirs,
                          std::size_t n) {
      c_.add(std::string("opt.") + name, std::span(ours, n), theirs, n, 0, 1e-15 / kTolerance,
             kTolerance, "option");
    };
    real("timestep", &a.timestep, &b.timestep, 1);
    real("impratio", &a.impratio, &b.impratio, 1);
    real("gravity", a.gravity, b.gravity, 3);
    real("o_solref", a.o_solref, b.o_solref, 2);
    real("o_solimp", a.o_solimp, b.o_solimp, 5);
    real("o_friction", a.o_friction, b.o_friction, 5);
    real("o_margin", &a.o_margin, &b.o_margin, 1);
    const auto integer = [&](const char* name, int ours, int theirs) {
      c_.add_equal(std::string("opt.") + name, ours, theirs, "option");
    };
    integer("integrator", a.integrator, b.integrator);
    integer("cone", a.cone, b.cone);
    integer("iterations", a.iterations, b.iterations);
    integer("ls_iterations", a.ls_iterations, b.ls_iterations);
    integer("disableflags", a.disableflags, b.disableflags);
    integer("enableflags", a.enableflags, b.enableflags);
    integer("disableactuator", a.disableactuator, b.disableactuator);
  }

  template <class T>
  void field(std::string_view name, const std::vector<double>& ours, const T* theirs,
             std::size_t rows, std::size_t columns) {
    // Addresses and counts of geoms shift with every visual mesh that is left out.
    const bool meshes = shared_.size() != std::size_t(theirs_.ngeom);
    if (meshes && (name == "body_geomnum" || name == "body_geomadr")) return;
    const bool per_geom = name.starts_with("geom_");
    const bool number = name == "pair_geom1" || name == "pair_geom2";
    std::vector<double> other;
    other.reserve(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t from = per_geom ? std::size_t(shared_[r]) : r;
      for (std::size_t k = 0; k < columns; ++k) {
        const double v = double(theirs[from * columns + k]);
        other.push_back(number && v >= 0 ? double(ours_number_[std::size_t(v)]) : v);
      }
    }
    c_.add(std::string(name), ours, other.data(), other.size(), std::max<std::size_t>(columns, 1),
           kFloor, kTolerance, "compile");
  }

  const model::Model& ours_;
  const mjModel& theirs_;
  std::vector<int> shared_;       // ours -> theirs
  std::vector<int> ours_number_;  // theirs -> ours, -1: not here
  Comparison c_{"model"};
};

}  // namespace

std::vector<int> shared_geoms(const mjModel& m) {
  std::vector<int> shared;
  for (int g = 0; g < int(m.ngeom); ++g) {
    const bool visual = m.geom_contype[g] == 0 && m.geom_conaffinity[g] == 0;
    if (!visual || (m.geom_type[g] != mjGEOM_MESH && m.geom_type[g] != mjGEOM_SDF))
      shared.push_back(g);
  }
  return shared;
}

CheckPart check_model(const model::Model& ours, const mjModel& theirs) {
  return ModelComparison(ours, theirs).run();
}

}  // namespace stepbench::bench

#endif
