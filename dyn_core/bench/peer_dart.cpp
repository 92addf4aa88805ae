#include <dart/dynamics/dynamics.hpp>

#include "peers.hpp"

namespace dyn::bench {
namespace {

dart::dynamics::BodyNode* add_link(const Chain& chain, std::size_t i,
                                   const dart::dynamics::SkeletonPtr& skeleton,
                                   dart::dynamics::BodyNode* parent) {
  const Posed pose = pose_at_zero(chain, i);
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = pose.R;
  T.translation() = pose.p;
  const RigidBody& body = chain.links()[i].body;
  const Mat3d& I = body.inertia;
  dart::dynamics::BodyNode::Properties properties;
  properties.mInertia.setMass(body.mass);
  properties.mInertia.setLocalCOM(body.com);
  properties.mInertia.setMoment(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  if (chain.joints()[i].is_prismatic()) {
    dart::dynamics::PrismaticJoint::Properties joint;
    joint.mAxis = Vec3d::UnitZ();
    joint.mT_ParentBodyToJoint = T;
    return skeleton
        ->createJointAndBodyNodePair<dart::dynamics::PrismaticJoint>(parent, joint, properties)
        .second;
  }
  dart::dynamics::RevoluteJoint::Properties joint;
  joint.mAxis = Vec3d::UnitZ();
  joint.mT_ParentBodyToJoint = T;
  return skeleton
      ->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent, joint, properties)
      .second;
}

}  // namespace

void add_dart(const Chain& chain, const std::shared_ptr<const PeerStates>& states,
              std::vector<Timing>& out) {
  const dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create();
  skeleton->setGravity(chain.gravity());
  dart::dynamics::BodyNode* parent = nullptr;
  for (std::size_t i = 0; i < chain.dh().size(); ++i) parent = add_link(chain, i, skeleton, parent);
  add(
      "mass_matrix", "dart", *states,
      [skeleton, states](std::size_t k) {
        skeleton->setPositions((*states)[k].q);
        (void)skeleton->getMassMatrix();
      },
      out);
  add(
      "inverse_dynamics", "dart", *states,
      [skeleton, states](std::size_t k) {
        skeleton->setPositions((*states)[k].q);
        skeleton->setVelocities((*states)[k].qd);
        skeleton->setAccelerations((*states)[k].qdd);
        skeleton->computeInverseDynamics();
      },
      out);
  add(
      "forward_dynamics", "dart", *states,
      [skeleton, states](std::size_t k) {
        skeleton->setPositions((*states)[k].q);
        skeleton->setVelocities((*states)[k].qd);
        skeleton->setForces((*states)[k].tau);
        skeleton->computeForwardDynamics();
      },
      out);
}

}  // namespace dyn::bench
