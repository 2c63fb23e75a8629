// The broad phase finds what the list of all pairs would give: same pairs, same order, same
// contacts.
#include "engine/collide/broad_phase.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "engine/collide/pairs.h"
#include "tests/engine/collide/pair_case.h"

namespace stepbench::collide::testing {
namespace {

using Random = std::mt19937;

double uniform(Random& r, double a, double b) {
  return a +
         (b - a) * double(r()) / 4294967296.0;  // std::uniform_real_distribution differs by library
}
int below(Random& r, int n) { return int(r() % unsigned(n)); }

// A pile: `nbody` free bodies with one to three geoms each, some of them mocap or in a chain, walls
// and a floor, masks, excluded and explicit pairs.
model::Model pile(Random& r, int nbody, bool many_classes) {
  model::Model m;
  struct G {
    int body, type;
    double size[3];
  };
  std::vector<G> geoms;
  std::vector<int> parent = {0}, weld = {0}, moves = {0};
  geoms.push_back({0, model::kGeomPlane, {1, 1, 1}});
  for (int w = below(r, 5); w > 0; --w) geoms.push_back({0, model::kGeomBox, {3, .2, 3}});
  for (int b = 1; b <= nbody; ++b) {
    const bool mocap = below(r, 25) == 0, chained = b > 1 && below(r, 6) == 0;
    const bool welded = chained && below(r, 3) == 0;
    parent.push_back(chained ? b - 1 : 0);
    weld.push_back(welded ? weld.back() : b);
    moves.push_back(!mocap && !welded);
    for (int g = below(r, 5) == 0 ? 3 : 1; g > 0; --g) {
      const int types[3] = {model::kGeomSphere, model::kGeomCapsule, model::kGeomBox};
      const double scale = below(r, 80) ? 1 : 8;
      G x{b, types[below(r, 3)], {}};
      for (double& s : x.size) s = scale * uniform(r, .04, .1);
      geoms.push_back(x);
    }
  }
  m.nbody = nbody + 1;
  m.ngeom = int(geoms.size());
  m.npair = 6;
  m.nexclude = 5;
  m.allocate();
  m.body_parentid = parent;
  m.body_weldid = weld;
  m.body_dofnum = moves;
  m.body_mocapid.assign(std::size_t(m.nbody), -1);
  m.body_treeid.assign(std::size_t(m.nbody), -1);
  std::vector<int> number(std::size_t(m.nbody), 0);
  for (std::size_t g = 0; g < geoms.size(); ++g) {
    const G& x = geoms[g];
    if (number[std::size_t(x.body)]++ == 0) m.body_geomadr[std::size_t(x.body)] = int(g);
    m.geom_bodyid[g] = x.body;
    m.geom_type[g] = x.type;
    for (std::size_t k = 0; k < 3; ++k) m.geom_size[3 * g + k] = x.size[k];
    m.geom_rbound[g] =
        bounding_radius({x.type, {x.size[0], x.size[1], x.size[2]}, {}, {1, 0, 0, 0}});
    m.geom_contype[g] = below(r, 10) ? 1 : below(r, 4);
    m.geom_conaffinity[g] = below(r, 10) ? 1 : below(r, 4);
    m.geom_condim[g] = 3;
    m.geom_solmix[g] = 1;
    m.geom_friction[3 * g] = many_classes ? uniform(r, 0, 1) : below(r, 3);
    m.geom_margin[g] = below(r, 3) ? 0 : .002;
    for (std::size_t k = 0; k < 2; ++k) m.geom_solref[2 * g + k] = k ? 1 : .02;
  }
  m.body_geomnum = number;
  for (std::size_t k = 0; k < 6; ++k) {
    m.pair_geom1[k] = 1 + below(r, m.ngeom - 1);
    do m.pair_geom2[k] = 1 + below(r, m.ngeom - 1);
    while (m.geom_bodyid[std::size_t(m.pair_geom2[k])] ==
           m.geom_bodyid[std::size_t(m.pair_geom1[k])]);
    m.pair_dim[k] = 3;
    m.pair_margin[k] = .1;
  }
  for (std::size_t k = 0; k < 5; ++k) {
    const int a = 1 + below(r, nbody), b = 1 + below(r, nbody);
    m.exclude_signature[k] = (std::min(a, b) << 16) + std::max(a, b);
  }
  return m;
}

template <class Real>
void place(Random& r, const model::Model& m, double spread, model::Scratch<Real>& d) {
  for (int g = 0; g < m.ngeom; ++g) {
    std::array<double, 4> q{};
    for (double& x : q) x = uniform(r, -1, 1);
    if (m.geom_bodyid[std::size_t(g)] == 0) q = {1, 0, 0, 0};
    const auto rotation = matrix(q);
    for (std::size_t k = 0; k < 9; ++k) d.geom_xmat[9 * g + int(k)] = Real(rotation[k]);
    for (int k = 0; k < 3; ++k)
      d.geom_xpos[3 * g + k] = Real(uniform(r, -spread, spread) * (k == 2 ? .3 : 1));
    if (m.geom_type[std::size_t(g)] == model::kGeomPlane)
      d.geom_xpos[3 * g + 2] = Real(-.25 * spread);
    if (below(r, 100) == 0) d.geom_xpos[3 * g] *= 1000;                            // fell off
    if (g > 1 && below(r, 200) == 0) d.geom_xpos[3 * g + 1] = Real(std::nan(""));  // blew up
  }
}

template <class Real>
struct Broad {
  BroadPhaseModel<Real> model;
  std::vector<double> memory;
  BroadPhaseBuffers<Real> buffers{};
  int n = 0, repeats = 0;

  explicit Broad(const model::Model& m) : model(m) {}
  void run(const model::Params<Real>& p, const model::Scratch<Real>& d, int capacity) {
    for (repeats = 0;; ++repeats) {
      memory.assign(broad_phase_bytes(model.params(), capacity) / sizeof(double) + 1, 0);
      buffers = bind_broad_phase(model.params(), static_cast<void*>(memory.data()), capacity);
      n = broad_phase<Real>(p, model.params(), d, buffers);
      if (buffers.need_pair == 0) return;
      EXPECT_EQ(n, 0);
      capacity = buffers.need_pair;
    }
  }
};

template <class Real>
void expect_same(Random& r, int nbody, double density) {
  const model::Model m = pile(r, nbody, nbody % 2 == 0);
  stepbench::testing::World<Real> world(m, 0);
  place<Real>(r, m, density * std::cbrt(double(nbody)), world.d);
  const std::vector<PairParams<Real>> all = cast<Real>(all_pairs(m));
  Broad<Real> broad(m);
  broad.run(world.p(), world.d, 3);

  // In order, with the same parameters.
  int next = 0;
  std::size_t missing = 0;
  for (const PairParams<Real>& q : all) {
    const PairParams<Real>* found = next < broad.n ? &broad.buffers.pairs[next] : nullptr;
    if (found && found->geom1 == q.geom1 && found->geom2 == q.geom2) {
      EXPECT_EQ(found->kind, q.kind);
      EXPECT_EQ(found->dim, q.dim);
      EXPECT_NEAR(double(found->bound), double(q.bound), 1e-6);
      EXPECT_NEAR(double(found->friction[0]), double(q.friction[0]), 1e-6);
      EXPECT_NEAR(double(found->margin), double(q.margin), 1e-7);
      ++next;
    } else if (bounds_touch<Real>(q, world.d.geom_xpos, world.d.geom_xmat)) {
      // Only wide boxes have a closer test than the bounding spheres.
      EXPECT_TRUE(m.geom_type[std::size_t(q.geom1)] == model::kGeomBox ||
                  m.geom_type[std::size_t(q.geom2)] == model::kGeomBox);
      ++missing;
    }
  }
  EXPECT_EQ(next, broad.n) << "a pair that is not in all_pairs, or in another place";

  // The same contacts, bit for bit.
  const auto contacts = [&](const PairParams<Real>* pairs, int n) {
    stepbench::testing::World<Real> w(m, 0);
    std::memcpy(w.d.geom_xpos, world.d.geom_xpos, sizeof(Real) * 3 * std::size_t(m.ngeom));
    std::memcpy(w.d.geom_xmat, world.d.geom_xmat, sizeof(Real) * 9 * std::size_t(m.ngeom));
    narrow_phase<Real>(w.p(), pairs, n, w.s, w.d);
    if (w.d.need_con) {
      w.grow_contacts(w.d.need_con);
      narrow_phase<Real>(w.p(), pairs, n, w.s, w.d);
    }
    std::vector<Real> out;
    for (int k = 0; k < w.d.ncon; ++k) {
      out.push_back(Real(pairs[w.d.con_pair[k]].geom1));
      out.push_back(Real(pairs[w.d.con_pair[k]].geom2));
      out.push_back(w.d.con_dist[k]);
      out.insert(out.end(), w.d.con_pos + 3 * k, w.d.con_pos + 3 * k + 3);
      out.insert(out.end(), w.d.con_frame + 9 * k, w.d.con_frame + 9 * k + 9);
    }
    return out;
  };
  const auto want = contacts(all.data(), int(all.size()));
  EXPECT_EQ(contacts(broad.buffers.pairs, broad.n), want);
  EXPECT_GT(want.size(), 0u);
}

TEST(BroadPhase, SmallPilesMatchAllPairs) {
  Random r(1);
  for (int n = 0; n < 20; ++n) {
    SCOPED_TRACE(n);
    expect_same<double>(r, 5 + 7 * n, uniform(r, .08, .3));
    expect_same<float>(r, 5 + 7 * n, uniform(r, .08, .3));
  }
}

TEST(BroadPhase, PilesInTheGridMatchAllPairs) {
  Random r(2);
  expect_same<double>(r, 400, .1);
  expect_same<double>(r, 501, .25);
  expect_same<float>(r, 450, .15);
}

TEST(BroadPhase, SaysHowManyPairsItNeeds) {
  Random r(3);
  const model::Model m = pile(r, 60, false);
  stepbench::testing::World<double> world(m, 0);
  place<double>(r, m, .4, world.d);
  Broad<double> broad(m);
  broad.run(world.p(), world.d, 0);
  ASSERT_GT(broad.n, 1);
  EXPECT_EQ(broad.repeats, 1);
  const int exact = broad.n;
  broad.run(world.p(), world.d, exact);
  EXPECT_EQ(broad.repeats, 0);
  broad.run(world.p(), world.d, exact - 1);
  EXPECT_EQ(broad.repeats, 1);
  EXPECT_EQ(broad.n, exact);
}

TEST(BroadPhase, DisabledContactsFindNothing) {
  Random r(4);
  model::Model m = pile(r, 10, false);
  m.opt.disableflags = model::kDsblContact;
  stepbench::testing::World<double> world(m, 0);
  place<double>(r, m, .2, world.d);
  Broad<double> broad(m);
  broad.run(world.p(), world.d, 10);
  EXPECT_EQ(broad.n, 0);
}

// All bodies at one point, then far apart: the extremes of the grid.
TEST(BroadPhase, ExtremesOfTheGrid) {
  for (double spread : {0., 1e5}) {
    Random r(5);
    const model::Model m = pile(r, 350, false);
    stepbench::testing::World<double> world(m, 0);
    place<double>(r, m, spread, world.d);
    const auto all = all_pairs(m);
    int touching = 0;
    for (const auto& q : all)
      touching += bounds_touch<double>(q, world.d.geom_xpos, world.d.geom_xmat);
    Broad<double> broad(m);
    broad.run(world.p(), world.d, 1000);
    if (spread == 0.) {
      EXPECT_GE(broad.n, touching * 99 / 100);
    } else {
      EXPECT_LE(broad.n, 2000);
    }
  }
}

}  // namespace
}  // namespace stepbench::collide::testing
