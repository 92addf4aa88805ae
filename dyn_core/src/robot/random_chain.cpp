#include "dyn_core/robot/random_chain.hpp"

#include <cmath>
#include <string>

#include <Eigen/Geometry>

namespace dyn {

RigidBody random_body(Random& random) {
  RigidBody body;
  body.mass = random.uniform(0.5, 5.0);
  body.com = random.vector(0.15);
  // One draw a statement: arguments of a call are evaluated in an order of the compiler's own.
  Vec3d box;
  for (const Index axis : {2, 1, 0}) box[axis] = random.uniform(0.05, 0.5);
  const Vec3d squares = box.cwiseAbs2();
  const Vec3d moments =
      body.mass / 12.0 *
      Vec3d(squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]);
  Eigen::Quaterniond turn;
  for (const Index i : {2, 1, 0, 3}) turn.coeffs()[i] = random.uniform(-1, 1);  // z, y, x, w
  const Mat3d axes = turn.normalized().toRotationMatrix();
  body.inertia = axes * moments.asDiagonal() * axes.transpose();
  return body;
}

ChainPtr random_chain(Index n, std::uint64_t seed, ChainKind kind) {
  Random random(seed);
  ChainDescription chain;
  chain.name = "random" + std::to_string(n) + "_" + std::to_string(seed);
  chain.base = "base";
  chain.tip = "tip";
  chain.gravity = Vec3d(2.1, -3.3, -8.9);
  chain.base_pose = {Eigen::AngleAxisd(0.4, random.vector(1.0).normalized()).toRotationMatrix(),
                     random.vector(0.2)};
  chain.tip_pose = {Eigen::AngleAxisd(0.3, random.vector(1.0).normalized()).toRotationMatrix(),
                    random.vector(0.2)};
  for (Index i = 0; i < n; ++i) {
    Joint joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.type = random.chance(kind.prismatic) ? JointType::kPrismatic : JointType::kRevolute;
    joint.coordinate = i;
    DhRow row;
    if (i > 0) {
      row = {random.uniform(-0.4, 0.4), random.uniform(-3.1, 3.1), 0.0, random.uniform(-0.3, 0.3),
             random.uniform(-3.1, 3.1)};
      if (random.chance(kind.hayati)) {
        row.alpha = random.uniform(-0.05, 0.05);
        row.beta = random.uniform(-0.05, 0.05);
      }
      if (kind.right_angles) {
        row.alpha = M_PI_2 * (static_cast<double>(random.next() % 3) - 1.0);
        row.d = 0.0;
      }
    }
    chain.coordinate_names.push_back(joint.name);
    chain.joints.push_back(joint);
    chain.dh.push_back(row);
    chain.links.push_back({"link" + std::to_string(i + 1), random_body(random), {}, {}});
  }
  return std::make_shared<const Chain>(std::move(chain));
}

}  // namespace dyn
