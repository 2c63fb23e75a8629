// Inverse weights: analytic cases, then a dense inertia matrix as an independent algorithm.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "engine/model/compile.h"
#include "engine/model/compile_math.h"

namespace {

using namespace stepbench::model;
namespace d = stepbench::model::detail;
using d::operator+;
using d::operator-;

// A scene with the world body only.
Spec world() {
  Spec spec;
  spec.bodies.emplace_back();
  spec.bodies[0].name = "world";
  return spec;
}

Body& add_body(Spec& spec, int parent, std::array<double, 3> pos = {0, 0, 0}) {
  Body b;
  b.name = "b" + std::to_string(spec.bodies.size());
  b.parent = parent;
  b.pos = pos;
  spec.bodies.push_back(b);
  return spec.bodies.back();
}

Geom box(double x, double y, double z, double mass) {
  Geom g;
  g.type = kGeomBox;
  g.size = {x, y, z};
  g.mass = mass;
  return g;
}

Joint joint(int type, std::array<double, 3> axis = {0, 0, 1}) {
  Joint j;
  j.type = type;
  j.axis = axis;
  return j;
}

TEST(InverseWeights, FreeBoxIsOneOverMassAndInertia) {
  Spec spec = world();
  Body& b = add_body(spec, 0, {1, 2, 3});
  b.joints = {joint(kJntFree)};
  b.geoms = {box(0.1, 0.2, 0.3, 2)};
  const auto m = compile(spec);
  EXPECT_NEAR(m->body_invweight0[2], 0.5, 1e-15);
  double rotation = 0;
  for (std::size_t i = 3; i < 6; ++i) rotation += 1 / m->body_inertia[i] / 3;
  EXPECT_NEAR(m->body_invweight0[3], rotation, 1e-12 * rotation);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(m->dof_invweight0[k], 0.5, 1e-15);
    EXPECT_NEAR(m->dof_invweight0[k + 3], rotation, 1e-12 * rotation);
    EXPECT_NEAR(m->dof_M0[k], 2, 1e-14);
    EXPECT_NEAR(m->dof_M0[k + 3], m->body_inertia[3 + k], 1e-14);
  }
}

TEST(InverseWeights, PendulumIsOneOverItsMoment) {
  Spec spec = world();
  Body& b = add_body(spec, 0);
  b.joints = {joint(kJntHinge, {0, 1, 0})};
  b.joints[0].armature = 0.3;
  b.geoms = {box(0.1, 0.1, 0.1, 2)};
  b.geoms[0].pos = {0, 0, -0.5};
  const auto m = compile(spec);
  const double inertia = 2 * (0.01 + 0.01) / 3 + 2 * 0.25 + 0.3;
  EXPECT_NEAR(m->dof_M0[0], inertia, 1e-14);
  EXPECT_NEAR(m->dof_invweight0[0], 1 / inertia, 1e-14);
  EXPECT_NEAR(m->meaninertia, inertia, 1e-14);
  // The centre moves along one of three directions, with lever arm 0.5; it turns about one of three
  // axes.
  EXPECT_NEAR(m->body_invweight0[2], 0.25 / inertia / 3, 1e-14);
  EXPECT_NEAR(m->body_invweight0[3], 1 / inertia / 3, 1e-14);
}

TEST(InverseWeights, SlidingBodyIgnoresArmatureAsMuJoCoDoes) {
  Spec spec = world();
  Body& b = add_body(spec, 0);
  b.joints = {joint(kJntSlide, {1, 0, 0}), joint(kJntSlide, {0, 0, 2})};
  b.joints[0].armature = b.joints[1].armature = 3;
  b.geoms = {box(0.1, 0.1, 0.1, 4)};
  const auto m = compile(spec);
  EXPECT_EQ(m->body_invweight0[2], 0.25);
  EXPECT_EQ(m->body_invweight0[3], 0);
  EXPECT_EQ(m->dof_invweight0[0], 0.25);
  EXPECT_EQ(m->dof_M0[0], 7);
}

TEST(InverseWeights, StaticAndMocapBodiesHaveNone) {
  Spec spec = world();
  add_body(spec, 0).geoms = {box(1, 1, 1, 1)};
  Body& mocap = add_body(spec, 0);
  mocap.mocap = true;
  mocap.geoms = {box(1, 1, 1, 1)};
  const auto m = compile(spec);
  EXPECT_EQ(m->body_invweight0, std::vector<double>(6, 0.0));
  EXPECT_EQ(m->body_weldid, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(m->meaninertia, 1);
}

// J (6 x nv: translation of the point, rotation) of a body at qpos0, from the geometry alone.
Eigen::MatrixXd jacobian(const Model& m, const std::vector<d::Pose>& pose, int body,
                         const d::Vec3& point) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, m.nv);
  const auto column = [&](int dof, const d::Vec3& turn, const d::Vec3& shift) {
    for (int i = 0; i < 3; ++i) {
      J(i, dof) = shift[std::size_t(i)];
      J(i + 3, dof) = turn[std::size_t(i)];
    }
  };
  for (int b = body; b > 0; b = m.body_parentid[std::size_t(b)]) {
    const d::Pose& p = pose[std::size_t(b)];
    const d::Mat3 r = d::to_matrix(p.quat);
    for (int j = 0; j < m.njnt; ++j) {
      const std::size_t k = std::size_t(j);
      if (m.jnt_bodyid[k] != b) continue;
      const d::Vec3 axis =
          d::rotate(p.quat, {m.jnt_axis[3 * k], m.jnt_axis[3 * k + 1], m.jnt_axis[3 * k + 2]});
      const d::Vec3 anchor =
          p.pos + d::rotate(p.quat, {m.jnt_pos[3 * k], m.jnt_pos[3 * k + 1], m.jnt_pos[3 * k + 2]});
      int dof = m.jnt_dofadr[k];
      if (m.jnt_type[k] == kJntSlide) column(dof, {0, 0, 0}, axis);
      if (m.jnt_type[k] == kJntHinge) column(dof, axis, d::cross(axis, point - anchor));
      if (m.jnt_type[k] == kJntFree) {
        for (int i = 0; i < 3; ++i)
          column(dof++, {0, 0, 0}, {double(i == 0), double(i == 1), double(i == 2)});
      }
      if (m.jnt_type[k] == kJntFree || m.jnt_type[k] == kJntBall) {
        for (std::size_t i = 0; i < 3; ++i) {
          const d::Vec3 e = {r[i], r[i + 3], r[i + 6]};
          column(dof++, e, d::cross(e, point - anchor));
        }
      }
    }
  }
  return J;
}

struct Dense {
  std::vector<d::Pose> pose;
  std::vector<d::Vec3> centre;
  Eigen::MatrixXd M;
};

// M = sum of J' (mass, inertia) J over the bodies, plus armature.
Dense dense(const Model& m) {
  Dense r;
  r.pose.resize(std::size_t(m.nbody));
  r.centre.resize(std::size_t(m.nbody));
  r.M = Eigen::MatrixXd::Zero(m.nv, m.nv);
  for (std::size_t b = 1; b < std::size_t(m.nbody); ++b) {
    const d::Pose local = {{m.body_pos[3 * b], m.body_pos[3 * b + 1], m.body_pos[3 * b + 2]},
                           {m.body_quat[4 * b], m.body_quat[4 * b + 1], m.body_quat[4 * b + 2],
                            m.body_quat[4 * b + 3]}};
    r.pose[b] = r.pose[std::size_t(m.body_parentid[b])] * local;
    const d::Pose inertial = {{m.body_ipos[3 * b], m.body_ipos[3 * b + 1], m.body_ipos[3 * b + 2]},
                              {m.body_iquat[4 * b], m.body_iquat[4 * b + 1],
                               m.body_iquat[4 * b + 2], m.body_iquat[4 * b + 3]}};
    const d::Pose com = r.pose[b] * inertial;
    r.centre[b] = com.pos;
    const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
        d::to_matrix(com.quat).data());
    const Eigen::Vector3d I(m.body_inertia[3 * b], m.body_inertia[3 * b + 1],
                            m.body_inertia[3 * b + 2]);
    const Eigen::MatrixXd J = jacobian(m, r.pose, int(b), com.pos);
    r.M += m.body_mass[b] * J.topRows(3).transpose() * J.topRows(3) +
           J.bottomRows(3).transpose() * R * I.asDiagonal() * R.transpose() * J.bottomRows(3);
  }
  for (int k = 0; k < m.nv; ++k) r.M(k, k) += m.dof_armature[std::size_t(k)];
  return r;
}

Spec random_tree(unsigned seed, int bodies) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto vec = [&] { return std::array<double, 3>{u(rng), u(rng), u(rng)}; };
  Spec spec = world();
  for (int i = 1; i <= bodies; ++i) {
    int parent = i - 1;  // depth first: the last body or one of those that carry it
    while (parent > 0 && rng() % 2 == 0) parent = spec.bodies[std::size_t(parent)].parent;
    Body& b = add_body(spec, parent, vec());
    b.quat = {u(rng) + 2, u(rng), u(rng), u(rng)};
    const int kind = int(rng() % 5);
    if (kind == 0 && parent == 0) b.joints.push_back(joint(kJntFree));
    if (kind == 1) b.joints.push_back(joint(kJntBall));
    if (kind == 2 || kind == 3) b.joints = {joint(kJntSlide, vec()), joint(kJntHinge, vec())};
    if (kind == 0 && parent != 0)
      b.joints = {joint(kJntHinge, vec())};  // kind 4: welded to its parent
    for (Joint& j : b.joints) {
      j.pos = vec();
      j.armature = 0.1 + 0.1 * u(rng);
      j.name = "j" + std::to_string(i) + "_" + std::to_string(&j - b.joints.data());
      Actuator a;
      a.joint = j.name;
      a.gear = {u(rng), u(rng), u(rng), u(rng), u(rng), u(rng)};
      spec.actuators.push_back(a);
    }
    b.geoms = {box(0.2 + 0.1 * u(rng), 0.2, 0.1, 2 + u(rng)), box(0.1, 0.1, 0.3, 1)};
    for (Geom& g : b.geoms) {
      g.pos = vec();
      g.quat = {u(rng) + 2, u(rng), u(rng), u(rng)};
    }
  }
  return spec;
}

TEST(InverseWeights, EqualTheDenseDefinition) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const auto m = compile(random_tree(seed, 12));
    const Dense ref = dense(*m);
    const Eigen::MatrixXd inv = ref.M.inverse();
    EXPECT_NEAR(m->meaninertia, ref.M.trace() / m->nv, 1e-12 * m->meaninertia);
    for (int k = 0; k < m->nv; ++k)
      EXPECT_NEAR(m->dof_M0[std::size_t(k)], ref.M(k, k), 1e-12 * ref.M(k, k));

    for (int b = 1; b < m->nbody; ++b) {
      const Eigen::MatrixXd J = jacobian(*m, ref.pose, b, ref.centre[std::size_t(b)]);
      const Eigen::VectorXd A = (J * inv * J.transpose()).diagonal();
      const double tran = A.head(3).mean(), rot = A.tail(3).mean();
      EXPECT_NEAR(m->body_invweight0[2 * std::size_t(b)], tran, 1e-12 * tran);
      EXPECT_NEAR(m->body_invweight0[2 * std::size_t(b) + 1], rot, 1e-12 * rot);
    }
    for (std::size_t j = 0; j < std::size_t(m->njnt); ++j) {
      const int type = m->jnt_type[j], first = m->jnt_dofadr[j];
      const int block = type == kJntFree || type == kJntBall ? 3 : 1;
      for (int k = first; k < first + (type == kJntFree ? 6 : block); k += block) {
        const double mean = inv.diagonal().segment(k, block).mean();
        for (int i = k; i < k + block; ++i)
          EXPECT_NEAR(m->dof_invweight0[std::size_t(i)], mean, 1e-12 * mean);
      }
    }
    for (std::size_t i = 0; i < std::size_t(m->nu); ++i) {
      const std::size_t j = std::size_t(m->actuator_trnid[2 * i]);
      Eigen::VectorXd r = Eigen::VectorXd::Zero(m->nv);
      const int n = m->jnt_type[j] == kJntFree ? 6 : m->jnt_type[j] == kJntBall ? 3 : 1;
      for (int k = 0; k < n; ++k)
        r(m->jnt_dofadr[j] + k) = m->actuator_gear[6 * i + std::size_t(k)];
      const double acc = (inv * r).norm();
      EXPECT_NEAR(m->actuator_acc0[i], acc, 1e-12 * acc);
    }
  }
}

// kv = 2 ratio sqrt(kp / (r' M^-1 r)), with armature of the actuator seen through its gear.
TEST(DampingRatio, OfASlideIsThatOfAMassOnASpring) {
  Spec spec = world();
  Body& b = add_body(spec, 0);
  b.joints = {joint(kJntSlide)};
  b.joints[0].name = "s";
  b.geoms = {box(0.1, 0.1, 0.1, 4)};
  Actuator a;
  a.joint = "s";
  a.biastype = kBiasAffine;
  a.gainprm[0] = 50;
  a.biasprm[1] = -50;
  a.biasprm[2] = 0.7;
  a.gear[0] = 3;
  a.armature = 2;
  spec.actuators = {a};
  const auto m = compile(spec);
  const double inertia = (4 + 2 * 9) / 9.0;
  EXPECT_NEAR(m->actuator_biasprm[2], -2 * 0.7 * std::sqrt(50 * inertia), 1e-13);
  EXPECT_NEAR(m->actuator_acc0[0], 3 / 22.0, 1e-15);
}

TEST(SpringDamper, HasTheTimeConstant) {
  Spec spec = world();
  Body& b = add_body(spec, 0);
  b.joints = {joint(kJntHinge)};
  b.joints[0].springdamper = {0.1, 0.5};
  b.geoms = {box(0.1, 0.1, 0.1, 3)};
  const auto m = compile(spec);
  const double inertia = 0.02;
  EXPECT_NEAR(m->jnt_stiffness[0], inertia / (0.01 * 0.25), 1e-14);
  EXPECT_NEAR(m->dof_damping[0], 2 * inertia / 0.1, 1e-14);
}

TEST(Constants, TenThousandBodiesCompile) {
  Spec spec = world();
  for (int i = 0; i < 10000; ++i) {
    Body& b = add_body(spec, 0, {double(i), 0, 1});
    b.joints = {joint(kJntFree)};
    b.geoms = {box(0.1, 0.1, 0.1, 1)};
  }
  const auto m = compile(spec);
  EXPECT_EQ(m->nbody, 10001);
  EXPECT_EQ(m->ntree, 10000);
  EXPECT_EQ(m->nM, 210000);
  EXPECT_DOUBLE_EQ(m->body_subtreemass[0], 10000);
}

}  // namespace
