// The scalar soft-contact law: bodies that move along one axis (contact_models.md 6.1, 6.2, 6.4).
#include <gtest/gtest.h>

#include "tests/engine/contact/solver_world.h"

namespace stepbench {
namespace {

using testing::SolverWorld;

constexpr double kGravity = 9.81;

struct Law {
  double dmin, dmax, timeconst;
  bool pyramid;
};

std::string cube(const Law& law, double z, const char* extra = "") {
  char text[1024];
  std::snprintf(
      text, sizeof text,
      "<mujoco><option timestep='0.001' cone='%s' tolerance='1e-12' %s/>"
      "<default><geom solref='%.17g 1' solimp='%.17g %.17g 0.001 0.5 2' friction='0.5'/></default>"
      "<worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 %.17g'><freejoint/>"
      "<geom type='box' size='.025 .025 .025' mass='0.1'/></body></worldbody></mujoco>",
      law.pyramid ? "pyramidal" : "elliptic", extra, law.timeconst, law.dmin, law.dmax, z);
  return text;
}

double impedance(const Law& law, double z) {
  const double x = std::min(1.0, std::abs(z) / 0.001);
  const double y = x <= 0.5 ? x * x / 0.5 : 1 - (1 - x) * (1 - x) / 0.5;
  return law.dmin + y * (law.dmax - law.dmin);
}

// One mass on four contacts, semi-implicit Euler (contact_models.md 6.1).
class ScalarDrop {
 public:
  ScalarDrop(const Law& law, double height) : law_(law), z(height) {}
  void step() {
    const double h = 0.001, m = 0.1, mu = 0.5;
    double a = -kGravity;
    if (z < 0) {
      const double d = impedance(law_, z), D = d / (1 - d) * m;
      const double rows = law_.pyramid ? 16 / (2 * mu * mu * (1 + mu * mu)) : 4;
      const double dm = law_.dmax, tc = law_.timeconst;
      const double aref = -2 / (dm * tc) * v - d / (dm * dm * tc * tc) * z;
      if (a < aref) a = (m * a + rows * D * aref) / (m + rows * D);
    }
    force = 0.1 * (a + kGravity);
    v += h * a;
    z += h * v;
  }

 private:
  Law law_;

 public:
  double z, v = 0, force = 0;
};

struct Case {
  Law law;
  // MuJoCo 3.14 and 4.0.0, contact_models.md 6.1; rebound (m/s) 0: not listed there.
  double overlap_mm, peak_n, rebound, rest_um;
};
const Case kCases[] = {
    {{.99, .999, .01, false}, 7.649372474536834, 51.139, .286657, -2.497265},
    {{.9, .95, .01, false}, 7.379941798011891, 52.4505, .277513, -27.3008},
    {{.99, .999, .01, true}, 7.644271516083972, 51.2403, 0, -.390202},
    {{.9, .95, .01, true}, 7.269972942662339, 53.6213, .274526, -4.26954},
};

template <class Lane>
void drop(const Case& c, double tolerance) {
  SolverWorld<Lane> w(cube(c.law, 0.345));
  ScalarDrop scalar(c.law, 0.32);
  double overlap = 0, rebound = 0, peak = 0, far = 0;
  for (int k = 0; k < 3000; ++k) {
    w.step();
    scalar.step();
    const double z = double(math::get(w.s().qpos[2], 0)) - 0.025;
    const double v = double(math::get(w.s().qvel[2], 0));
    overlap = std::min(overlap, z);
    rebound = std::max(rebound, v);
    peak = std::max(peak, double(math::get(w.d().qfrc_constraint[2], 0)));
    far = std::max(far, std::abs(z - scalar.z));
  }
  EXPECT_NEAR(-overlap * 1e3, c.overlap_mm, tolerance * c.overlap_mm);
  EXPECT_NEAR(peak, c.peak_n, std::max(1e-5, tolerance) * c.peak_n);
  if (tolerance < 1e-5) {
    EXPECT_LT(far, 1e-12);  // the whole path is the scalar law's
    if (c.rebound > 0) {
      EXPECT_NEAR(rebound, c.rebound, 1e-6);
    }
    EXPECT_NEAR((double(math::get(w.s().qpos[2], 0)) - 0.025) * 1e6, c.rest_um, 1e-4);
  }
}

TEST(Drop, FollowsTheScalarLaw) {
  for (const Case& c : kCases) drop<double>(c, 1e-12);
}
TEST(Drop, FollowsTheScalarLawInF32) {
  for (const Case& c : kCases) drop<float>(c, 1e-3);
}
TEST(Drop, FollowsTheScalarLawInASingleWorld) {
  SolverWorld<double> w(cube(kCases[0].law, 0.345));
  w.single = true;
  double overlap = 0;
  for (int k = 0; k < 600; ++k) {
    w.step();
    overlap = std::min(overlap, w.s().qpos[2] - 0.025);
  }
  EXPECT_NEAR(-overlap * 1e3, kCases[0].overlap_mm, 1e-12);
}

// Overlap at rest |r| = g_n (1 - d) / (n d^2 K): contact_models.md 6.2.
TEST(Statics, RestingOverlap) {
  const struct {
    double timeconst, dmin, dmax;
    int n;
    double overlap;
  } cases[] = {{.01, .99, .999, 4, 2.4972650e-6}, {.01, .9, .95, 4, 2.7300806e-5},
               {.02, .9, .95, 4, 1.0775542e-4},   {.01, .99, .999, 1, 9.9873447e-6},
               {.01, .9, .95, 1, 1.0775542e-4},   {.02, .9, .95, 1, 3.6718184e-4}};
  for (const auto& c : cases) {
    std::string text = cube({c.dmin, c.dmax, c.timeconst, false}, 0.025);
    if (c.n == 1)
      text.replace(text.find("type='box' size='.025 .025 .025'"), 32, "type='sphere' size='.025'");
    SolverWorld<double> w(text);
    w.steps(3000);
    EXPECT_NEAR(0.025 - w.s().qpos[2], c.overlap, 1e-7 * c.overlap);
    EXPECT_NEAR(w.d().qfrc_constraint[2], 0.1 * kGravity, 1e-12);
  }
}

TEST(Statics, StackCarriesItsWeight) {
  std::string text =
      "<mujoco><option timestep='0.001' cone='elliptic' tolerance='1e-13'/><default>"
      "<geom solref='.01 1' solimp='.99 .999 .001 .5 2'/></default><worldbody>"
      "<geom type='plane' size='5 5 1'/>";
  for (int i = 0; i < 3; ++i) {
    text += "<body pos='0 0 " + std::to_string(0.1 + 0.2 * i) +
            "'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>";
  }
  text += "</worldbody></mujoco>";
  for (const bool single : {false, true}) {
    SolverWorld<double> w(text);
    w.single = single;
    w.steps(2000);
    const double expected[] = {7.4911e-6, 9.9873e-6, 4.9944e-6};
    double below = 0;
    for (int i = 0; i < 3; ++i) {
      const double z = w.s().qpos[7 * i + 2] - (0.1 + 0.2 * i);
      EXPECT_NEAR(below - z, expected[i], 1e-9);
      below = z;
    }
    const auto rows = contact::expand_rows(w.context());
    double floor = 0;
    for (int slot = 0; slot < w.d().ncon; ++slot) {
      if (w.pairs()[size_t(w.d().con_pair[slot])].geom1 != 0) continue;
      floor += rows.force[size_t(rows.con_address[size_t(slot)])];
    }
    EXPECT_NEAR(floor, 3 * kGravity, 1e-9);
  }
}

// Creep of a sticking box on an incline: v = g sin th (1 - d) / (n d impratio B),
// contact_models.md 6.4.
TEST(Incline, CreepsAsTheFormulaSays) {
  const struct {
    Law law;
    double impratio, creep;
  } cases[] = {{{.99, .999, .01, false}, 1, 3.202587e-5},
               {{.99, .999, .01, false}, 10, 3.202587e-6},
               {{.99, .999, .01, false}, 100, 3.202587e-7},
               {{.9, .95, .02, false}, 1, 6.619474e-4}};
  const double angle = 15 * M_PI / 180;
  for (const auto& c : cases) {
    char extra[200];
    std::snprintf(extra, sizeof extra, "impratio='%g' gravity='%.17g 0 %.17g'", c.impratio,
                  kGravity * std::sin(angle), -kGravity * std::cos(angle));
    std::string text = cube(c.law, 0.025, extra);
    text.replace(text.find("<freejoint/>"), 12,
                 "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>");
    SolverWorld<double> w(text);
    w.steps(2000);
    EXPECT_NEAR(w.s().qvel[0], c.creep, 2e-7 * c.creep + 1e-13);
  }
}

}  // namespace
}  // namespace stepbench
