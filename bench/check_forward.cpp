#include <fmt/format.h>

#include <algorithm>

#include "bench/check_compare.h"
#include "bench/check_parts.h"
#include "bench/controls.h"

#ifdef SB_HAVE_MUJOCO_HEADERS

namespace stepbench::bench {
namespace {

constexpr double kTolerance = 1e-10;
// Poses and Jacobians come out of a few sums; they must agree better than forces.
constexpr double kPoseTolerance = 1e-12;
// Scale below which a quantity counts as zero: m, N, m/s^2 and the like.
constexpr double kFloor = 1e-3;

// Contacts in MuJoCo's list, as the columns of Forward::Contact. Those excluded for other reasons
// than the gap (exclude > 1) exist on neither side's rows.
void compare_contacts(Comparison& c, const batch::Forward& ours, const mjData& d,
                      const std::vector<int>& our_geom, const std::string& where) {
  c.add_equal("ncon", std::int64_t(ours.contact.size()), d.ncon, where);
  if (std::int64_t(ours.contact.size()) != d.ncon) return;
  for (std::size_t i = 0; i < ours.contact.size(); ++i) {
    const auto& a = ours.contact[i];
    const mjContact& b = d.contact[i];
    const auto at = fmt::format("{}, contact {}", where, i);
    const auto real = [&](const char* name, const double* x, const mjtNum* y, std::size_t n,
                          double floor) {
      c.add(std::string("contact.") + name, std::span(x, n), y, n, 0, floor, kTolerance, at);
    };
    // Depths are differences of positions: relative to 1 m, not to themselves.
    real("dist", &a.dist, &b.dist, 1, 1);
    real("pos", a.pos, b.pos, 3, 1);
    real("frame", a.frame, b.frame, 9, 1);
    real("includemargin", &a.includemargin, &b.includemargin, 1, kFloor);
    real("friction", a.friction, b.friction, 5, kFloor);
    c.add_equal("contact.dim", a.dim, b.dim, at);
    c.add_equal("contact.geom1", a.geom1, our_geom[std::size_t(b.geom[0])], at);
    c.add_equal("contact.geom2", a.geom2, our_geom[std::size_t(b.geom[1])], at);
    c.add_equal("contact.efc_address", a.efc_address, b.efc_address, at);
  }
}

// Contacts at which rounding decides whether they exist: exactly touching, as in poses written by
// hand.
constexpr double kTie = 1e-14;  // m

// Whether both sides have the same number of contacts but for ties.
bool differ_by_ties_only(const batch::Forward& ours, const mjData& d) {
  std::int64_t sure = 0;
  for (const auto& c : ours.contact) sure += std::abs(c.dist - c.includemargin) > kTie;
  for (int i = 0; i < d.ncon; ++i) {
    sure -= std::abs(d.contact[i].dist - d.contact[i].includemargin) > kTie;
  }
  return sure == 0 && std::int64_t(ours.contact.size()) != d.ncon;
}

std::vector<double> dense_jacobian(const mjModel& m, const mjData& d) {
  const auto nv = std::size_t(m.nv), nefc = std::size_t(d.nefc);
  std::vector<double> dense(nefc * nv, 0.0);
  if (mujoco_api()->mj_isSparse(&m) == 0) {
    std::copy_n(d.efc_J, dense.size(), dense.begin());
    return dense;
  }
  for (std::size_t r = 0; r < nefc; ++r) {
    for (int k = 0; k < d.efc_J_rownnz[r]; ++k) {
      const int at = d.efc_J_rowadr[r] + k;
      dense[r * nv + std::size_t(d.efc_J_colind[at])] = d.efc_J[at];
    }
  }
  return dense;
}

void compare_rows(Comparison& c, const batch::Forward& ours, const mjModel& m, const mjData& d,
                  const std::string& where) {
  const auto n = std::size_t(d.nefc);
  c.add_equal("nefc", std::int64_t(ours.efc_type.size()), d.nefc, where);
  if (ours.efc_type.size() != n) return;
  for (std::size_t i = 0; i < n; ++i) {
    c.add_equal("efc_type", ours.efc_type[i], d.efc_type[i], where, std::int64_t(i));
  }
  const auto jacobian = dense_jacobian(m, d);
  c.add("efc_J", ours.efc_J, jacobian.data(), jacobian.size(), 0, kFloor, kPoseTolerance, where);
  c.add("efc_pos", ours.efc_pos, d.efc_pos, n, 0, 1, kPoseTolerance, where);
  c.add("efc_D", ours.efc_D, d.efc_D, n, 1, kFloor, kTolerance, where);
  c.add("efc_aref", ours.efc_aref, d.efc_aref, n, 0, kFloor, kTolerance, where);
  c.add("efc_force", ours.efc_force, d.efc_force, n, 0, kFloor, kTolerance, where);
}

void compare_poses(Comparison& c, const batch::Forward& ours, const mjModel& m, const mjData& d,
                   const std::vector<int>& shared, const std::string& where) {
  const auto nbody = std::size_t(m.nbody);
  c.add("xpos", ours.xpos, d.xpos, 3 * nbody, 0, 1, kPoseTolerance, where);
  c.add("xquat", ours.xquat, d.xquat, 4 * nbody, 0, 1, kPoseTolerance, where);
  std::vector<double> xpos, xmat;
  for (const int g : shared) {
    xpos.insert(xpos.end(), d.geom_xpos + 3 * g, d.geom_xpos + 3 * g + 3);
    xmat.insert(xmat.end(), d.geom_xmat + 9 * g, d.geom_xmat + 9 * g + 9);
  }
  c.add("geom_xpos", ours.geom_xpos, xpos.data(), xpos.size(), 0, 1, kPoseTolerance, where);
  c.add("geom_xmat", ours.geom_xmat, xmat.data(), xmat.size(), 0, 1, kPoseTolerance, where);
}

void compare_dynamics(Comparison& c, const batch::Forward& ours, const mjModel& m, const mjData& d,
                      const std::string& where) {
  const auto nv = std::size_t(m.nv);
  if (nv <= 1000) {  // nv^2 numbers
    std::vector<mjtNum> M(nv * nv);
    mujoco_api()->mj_fullM(&m, &d, M.data());
    c.add("M", ours.M_dense, M.data(), M.size(), 0, kFloor, kPoseTolerance, where);
  }
  const auto vector = [&](const char* name, const std::vector<double>& x, const mjtNum* y) {
    c.add(name, x, y, nv, 0, kFloor, kTolerance, where);
  };
  vector("qfrc_bias", ours.qfrc_bias, d.qfrc_bias);
  vector("qfrc_passive", ours.qfrc_passive, d.qfrc_passive);
  vector("qfrc_actuator", ours.qfrc_actuator, d.qfrc_actuator);
  vector("qfrc_smooth", ours.qfrc_smooth, d.qfrc_smooth);
  vector("qacc_smooth", ours.qacc_smooth, d.qacc_smooth);
  // Sums that nearly cancel at rest are compared relative to what they are sums of: the constraint
  // force to the rows' forces, qacc to the smooth acceleration and the rows' references.
  const auto largest = [](const mjtNum* x, std::size_t n) {
    double most = kFloor;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(x[i]));
    return most;
  };
  const auto nefc = std::size_t(d.nefc);
  c.add("qfrc_constraint", ours.qfrc_constraint, d.qfrc_constraint, nv, 0,
        largest(d.efc_force, nefc), kTolerance, where);
  c.add("qacc", ours.qacc, d.qacc, nv, 0,
        std::max(largest(d.qacc_smooth, nv), largest(d.efc_aref, nefc)), kTolerance, where);
}

}  // namespace

CheckPart check_forward(const CheckModels& m, const CheckOptions& o,
                        const std::vector<CheckState>& states) {
  Comparison c("forward f64");
  auto options = o.batch;
  options.precision = batch::Precision::kF64;
  const auto world = batch::make_batch(m.ours, 1, options);
  const MujocoPtr<mjData> d(mujoco_api()->mj_makeData(m.theirs));
  const MujocoPtr<mjData> twin(mujoco_api()->mj_makeData(m.theirs));
  const auto shared = shared_geoms(*m.theirs);
  std::vector<int> our_geom(std::size_t(m.theirs->ngeom), -1);
  for (std::size_t i = 0; i < shared.size(); ++i) our_geom[std::size_t(shared[i])] = int(i);
  for (const auto& s : states) {
    world->set_state(0, s.state);
    put_state(*m.theirs, *d, s.state);
    mujoco_api()->mj_forward(m.theirs, d.get());
    const auto ours = world->forward(0);
    compare_poses(c, ours, *m.theirs, *d, shared, s.name);
    if (differ_by_ties_only(ours, *d)) {
      c.note(s.name +
             ": rounding decides which touching contacts exist; contacts and forces not compared");
      continue;
    }
    if (const double u = own_uncertainty(*m.theirs, *d, *twin, s.state); u > kUncertain) {
      c.note(fmt::format(
          "{}: MuJoCo's own answer moves by {:.1g} when its state moves by {}; contacts and forces "
          "not compared",
          s.name, u, kRounding64));
      continue;
    }
    compare_contacts(c, ours, *d, our_geom, s.name);
    compare_rows(c, ours, *m.theirs, *d, s.name);
    compare_dynamics(c, ours, *m.theirs, *d, s.name);
  }
  c.note(fmt::format("{} states", states.size()));
  return c.take();
}

}  // namespace stepbench::bench

#endif
