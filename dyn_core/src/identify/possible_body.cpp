#include "possible_body.hpp"

#include <algorithm>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace dyn {
namespace {

// ∫ x xᵀ dm about the centre of mass from the inertia there, and back.
Mat3d second_moments(const Mat3d& inertia) {
  return 0.5 * inertia.trace() * Mat3d::Identity() - inertia;
}
Mat3d inertia_from(const Mat3d& moments) { return moments.trace() * Mat3d::Identity() - moments; }

double arm_length(const Chain& chain) { return std::max(chain.reach(), 0.1); }

bool has_mass(const RigidBody& body) {
  return body.mass > 0.0 && std::isfinite(body.mass) && body.com.allFinite() &&
         body.inertia.allFinite();
}

RigidBody ball(double mass, const Vec3d& centre, double gyration) {
  return {mass, centre, mass * gyration * gyration * Mat3d::Identity()};
}

// A body for a link without one.
RigidBody guessed_body(const Chain& chain, Index link) {
  double mass = 0.0, count = 0.0;
  for (const Link& other : chain.links()) {
    if (has_mass(other.body)) mass += other.body.mass, count += 1.0;
  }
  constexpr double kPerMetre = 4.0;
  mass = count > 0.0 ? mass / count : kPerMetre * arm_length(chain);
  Vec3d end = chain.tip_pose().p;
  if (link + 1 < chain.joint_count())
    end = Model(std::make_shared<const Chain>(chain)).link(link + 1).origin;
  return ball(mass, 0.5 * end, std::max(0.3 * end.norm(), 0.05 * arm_length(chain)));
}

}  // namespace

PseudoInertia pseudo_inertia(const BodyParameters& p) {
  PseudoInertia P;
  const double half = 0.5 * (p[4] + p[5] + p[6]);
  P << half - p[4], -p[7], -p[8], p[1],  //
      -p[7], half - p[5], -p[9], p[2],   //
      -p[8], -p[9], half - p[6], p[3],   //
      p[1], p[2], p[3], p[0];
  return P;
}

BodyParameters parameters_of(const PseudoInertia& P) {
  BodyParameters p;
  p << P(3, 3), P(0, 3), P(1, 3), P(2, 3), P(1, 1) + P(2, 2), P(0, 0) + P(2, 2), P(0, 0) + P(1, 1),
      -P(0, 1), -P(0, 2), -P(1, 2);
  return p;
}

Eigen::Matrix4d symmetric(const BodyParameters& s) {
  Eigen::Matrix4d S;
  S << s[0], s[4], s[5], s[6], s[4], s[1], s[7], s[8], s[5], s[7], s[2], s[9], s[6], s[8], s[9],
      s[3];
  return S;
}

BodyMap map_around(const RigidBody& body) {
  const PseudoInertia L = pseudo_inertia(parameters_of(body)).llt().matrixL();
  BodyMap map;
  for (Index c = 0; c < 10; ++c) {
    map.col(c) =
        parameters_of(PseudoInertia(L * symmetric(BodyParameters::Unit(c)) * L.transpose()));
  }
  return map;
}

PriorBody prior_body(const Chain& chain, Index link) {
  const RigidBody& own = chain.links()[static_cast<std::size_t>(link)].body;
  if (!has_mass(own)) return {guessed_body(chain, link), true};
  const double square = own.mass * arm_length(chain) * arm_length(chain);
  const Eigen::SelfAdjointEigenSolver<Mat3d> principal(second_moments(own.inertia));
  const Vec3d& found = principal.eigenvalues();
  if (found[0] >= 1e-6 * square) return {own, false};
  const Vec3d extents = found.cwiseMax(std::max(0.1 * found[2], 4e-4 * square));
  const Mat3d& R = principal.eigenvectors();
  return {{own.mass, own.com, inertia_from(R * extents.asDiagonal() * R.transpose())}, true};
}

RigidBody prior_payload(const Chain& chain) {
  const RigidBody last = prior_body(chain, chain.joint_count() - 1).body;
  return ball(last.mass, Vec3d::Zero(), 0.05 * arm_length(chain));
}

}  // namespace dyn
