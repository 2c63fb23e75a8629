// The articulated-body algorithm (Featherstone 2008, section 7.3) on random trees: an algorithm
// that shares nothing with the stages but the model, in six-dimensional dense algebra about the
// world's origin.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "tests/engine/dynamics/smooth_world.h"

namespace stepbench::dynamics {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

Eigen::Matrix3d hat(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

// v x for motions; its negative transpose acts on forces.
Mat6 cross6(const Vec6& v) {
  Mat6 m = Mat6::Zero();
  m.topLeftCorner<3, 3>() = m.bottomRightCorner<3, 3>() = hat(v.head<3>());
  m.bottomLeftCorner<3, 3>() = hat(v.tail<3>());
  return m;
}

Eigen::Quaterniond quat(const double* q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

// Joint accelerations of one world by ABA: one link for each joint, links between joints of one
// body massless.
std::vector<double> articulated_body(const model::Model& m, const std::vector<double>& qpos,
                                     const std::vector<double>& qvel,
                                     const std::vector<double>& tau) {
  struct Link {
    int parent, dof, n;
    Eigen::Matrix<double, 6, Eigen::Dynamic> S;
    Mat6 I = Mat6::Zero();
    Vec6 v, c, p = Vec6::Zero(), a;
    Eigen::MatrixXd U, Dinv;
    Eigen::VectorXd u;
  };
  std::vector<Link> links;
  std::vector<int> link_of(std::size_t(m.nbody), -1);
  std::vector<Eigen::Matrix3d> R(std::size_t(m.nbody), Eigen::Matrix3d::Identity());
  std::vector<Eigen::Vector3d> x(std::size_t(m.nbody), Eigen::Vector3d::Zero());
  Vec6 gravity = Vec6::Zero();
  gravity.tail<3>() = -Eigen::Vector3d(m.opt.gravity);
  for (std::size_t b = 1; b < std::size_t(m.nbody); ++b) {
    const auto parent = std::size_t(m.body_parentid[b]);
    R[b] = R[parent] * quat(&m.body_quat[4 * b]).toRotationMatrix();
    x[b] = x[parent] + R[parent] * Eigen::Vector3d(&m.body_pos[3 * b]);
    int link = link_of[parent];
    for (int k = 0; k < m.body_jntnum[b]; ++k) {
      const auto j = std::size_t(m.body_jntadr[b] + k);
      const double* q = &qpos[std::size_t(m.jnt_qposadr[j])];
      const int type = m.jnt_type[j];
      Link l;
      l.parent = link;
      l.dof = m.jnt_dofadr[j];
      l.n = type == model::kJntFree ? 6 : type == model::kJntBall ? 3 : 1;
      l.S.setZero(6, l.n);
      const Eigen::Vector3d at(&m.jnt_pos[3 * j]), axis(&m.jnt_axis[3 * j]);
      const auto rotate = [&](int column, const Eigen::Vector3d& a, const Eigen::Vector3d& point) {
        l.S.col(column).head<3>() = a;
        l.S.col(column).tail<3>() = point.cross(a);
      };
      if (type == model::kJntFree) {
        x[b] = Eigen::Vector3d(q);
        R[b] = quat(q + 3).toRotationMatrix();
        for (int i = 0; i < 3; ++i) l.S(3 + i, i) = 1, rotate(3 + i, R[b].col(i), x[b]);
      } else if (type == model::kJntSlide) {
        l.S.col(0).tail<3>() = R[b] * axis;
        x[b] += R[b] * axis * (q[0] - m.qpos0[std::size_t(m.jnt_qposadr[j])]);
      } else {
        const Eigen::Vector3d anchor = x[b] + R[b] * at;
        if (type == model::kJntHinge) {
          rotate(0, R[b] * axis, anchor);
          R[b] = R[b] * Eigen::AngleAxisd(q[0] - m.qpos0[std::size_t(m.jnt_qposadr[j])], axis)
                            .toRotationMatrix();
        } else {
          R[b] = R[b] * quat(q).toRotationMatrix();
          for (int i = 0; i < 3; ++i) rotate(i, R[b].col(i), anchor);
        }
        x[b] = anchor - R[b] * at;
      }
      const Eigen::VectorXd rate =
          Eigen::Map<const Eigen::VectorXd>(&qvel[std::size_t(l.dof)], l.n);
      const Vec6 before = link >= 0 ? links[std::size_t(link)].v : Vec6(Vec6::Zero());
      const Vec6 own = l.S * rate;
      l.v = before + own;
      l.c = cross6(before) * own;
      // The axes of a ball and a free joint turn with the body; a free joint's translations do not,
      // and its origin moves while the world's origin, about which all is taken, does not.
      if (type == model::kJntFree)
        l.c.tail<3>() += rate.head<3>().cross(Eigen::Vector3d(own.head<3>()));
      link = int(links.size());
      links.push_back(l);
    }
    link_of[b] = link;
    if (link < 0) continue;
    const Eigen::Matrix3d Ri = R[b] * quat(&m.body_iquat[4 * b]).toRotationMatrix();
    const Eigen::Vector3d com = x[b] + R[b] * Eigen::Vector3d(&m.body_ipos[3 * b]);
    const Eigen::Matrix3d I =
        Ri * Eigen::Vector3d(&m.body_inertia[3 * b]).asDiagonal() * Ri.transpose();
    const double mass = m.body_mass[b];
    Mat6 spatial;
    spatial << I + mass * hat(com) * hat(com).transpose(), mass * hat(com),
        mass * hat(com).transpose(), mass * Eigen::Matrix3d::Identity();
    Link& l = links[std::size_t(link)];
    l.I += spatial;
    l.p += -cross6(l.v).transpose() * (spatial * l.v);
  }
  for (std::size_t i = links.size(); i-- > 0;) {
    Link& l = links[i];
    l.U = l.I * l.S;
    Eigen::MatrixXd D = l.S.transpose() * l.U;
    for (int k = 0; k < l.n; ++k) D(k, k) += m.dof_armature[std::size_t(l.dof + k)];
    l.Dinv = D.inverse();
    l.u = Eigen::Map<const Eigen::VectorXd>(&tau[std::size_t(l.dof)], l.n) - l.S.transpose() * l.p;
    if (l.parent < 0) continue;
    Link& up = links[std::size_t(l.parent)];
    const Mat6 Ia = l.I - l.U * l.Dinv * l.U.transpose();
    up.I += Ia;
    up.p += l.p + Ia * l.c + l.U * l.Dinv * l.u;
  }
  std::vector<double> qacc(std::size_t(m.nv));
  for (Link& l : links) {
    const Vec6 a = (l.parent < 0 ? gravity : links[std::size_t(l.parent)].a) + l.c;
    const Eigen::VectorXd r = l.Dinv * (l.u - l.U.transpose() * a);
    l.a = a + l.S * r;
    for (int k = 0; k < l.n; ++k) qacc[std::size_t(l.dof + k)] = r[k];
  }
  return qacc;
}

// A random tree of bodies with up to two joints each, every type, general frames.
std::string random_tree(unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto number = [&](double scale) { return std::to_string(scale * unit(rng)); };
  const auto vector = [&](double scale) {
    return number(scale) + " " + number(scale) + " " + number(scale);
  };
  std::string xml = "<mujoco><option gravity='" + vector(9) + "'/><worldbody>";
  int open = 0;
  for (int b = 0; b < 12; ++b) {
    while (open > 0 && rng() % 3 == 0) xml += "</body>", --open;
    xml += "<body pos='" + vector(0.5) + "' quat='1 " + vector(1) + "'>";
    if (open == 0 && rng() % 2 == 0) {
      xml += "<freejoint/>";
    } else {
      const bool ball = rng() % 4 == 0;
      if (rng() % 2 == 0) xml += "<joint type='slide' armature='0.1' axis='" + vector(1) + "'/>";
      if (ball) xml += "<joint type='ball' pos='" + vector(0.2) + "'/>";
      if (!ball)
        xml += "<joint axis='" + vector(1) + "' pos='" + vector(0.2) + "' armature='0.02'/>";
      if (!ball && rng() % 3 == 0)
        xml += "<joint axis='" + vector(1) + "' pos='" + vector(0.2) + "'/>";
    }
    xml +=
        "<geom type='box' size='.1 .2 .15' pos='" + vector(0.2) + "' quat='1 " + vector(1) + "'/>";
    ++open;
  }
  while (open-- > 0) xml += "</body>";
  return xml + "</worldbody></mujoco>";
}

TEST(ArticulatedBody, GivesTheAccelerationsOfTheStages) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    testing::SmoothWorld<double> w(random_tree(seed));
    const auto& m = w.p();
    std::vector<double> dq, v;
    for (int i = 0; i < m.nv; ++i)
      dq.push_back(std::sin(1.3 * i + seed)), v.push_back(std::cos(2.1 * i + seed));
    advance_positions(m, w.s().qpos, dq.data(), 1.0, w.s().qpos);
    testing::fill(w.s().qvel, v);
    w.forward();
    const std::vector<double> tau(std::size_t(m.nv), 0.0);
    const std::vector<double> want =
        articulated_body(w.model(), testing::values(w.s().qpos, m.nq), v, tau);
    double scale = 1;
    for (double a : want) scale = std::max(scale, std::fabs(a));
    for (int i = 0; i < m.nv; ++i) {
      EXPECT_NEAR(w.d().qacc[i], want[std::size_t(i)], 1e-11 * scale)
          << "seed " << seed << " dof " << i;
    }
  }
}

}  // namespace
}  // namespace stepbench::dynamics
