// Orocos KDL, a library by others, gives the same mass matrix, bias torques and accelerations.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>

#include "peer_chains.hpp"

namespace dyn::test::peer_kdl_tests {
namespace {

KDL::Vector to_kdl(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }
KDL::Frame to_kdl(const Posed& pose) {
  const Mat3d& R = pose.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1),
                        R(2, 2)),
          to_kdl(pose.p)};
}
KDL::JntArray to_kdl(const VecXd& v) {
  KDL::JntArray array(static_cast<unsigned>(v.size()));
  array.data = v;
  return array;
}

KDL::Chain to_kdl(const Chain& chain) {
  KDL::Chain out;
  out.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), to_kdl(chain.base_pose())));
  for (std::size_t i = 0; i < chain.dh().size(); ++i) {
    const DhRow& row = chain.dh()[i];
    const RigidBody& body = chain.links()[i].body;
    const Posed offset{Eigen::AngleAxisd(row.theta, Vec3d::UnitZ()).toRotationMatrix(),
                       Vec3d(0.0, 0.0, row.d)};
    const Mat3d& I = body.inertia;
    const KDL::RotationalInertia inertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    out.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), to_kdl(twist_of(row))));
    out.addSegment(KDL::Segment(
        KDL::Joint(chain.joints()[i].is_prismatic() ? KDL::Joint::TransZ : KDL::Joint::RotZ),
        to_kdl(offset), KDL::RigidBodyInertia(body.mass, to_kdl(body.com), inertia)));
  }
  return out;
}

TEST(Kdl, AgreesOnMassMatrixBiasAndAccelerations) {
  for (const ChainPtr& chain : peer_chains()) {
    SCOPED_TRACE(chain->name());
    const KDL::Chain kdl = to_kdl(*chain);
    const KDL::Vector gravity = to_kdl(chain->gravity());
    KDL::ChainDynParam parameters(kdl, gravity);
    KDL::ChainFdSolver_RNE forward(kdl, gravity);
    auto solver = Solver::make(chain);
    ASSERT_TRUE(solver) << solver.error().sentence;
    const auto n = static_cast<unsigned>(chain->dof());
    for (const PeerState& state : peer_states(chain->dof())) {
      KDL::JntSpaceInertiaMatrix M(n);
      KDL::JntArray coriolis(n), weight(n), acceleration(n);
      parameters.JntToMass(to_kdl(state.q), M);
      parameters.JntToCoriolis(to_kdl(state.q), to_kdl(state.qd), coriolis);
      parameters.JntToGravity(to_kdl(state.q), weight);
      const KDL::Wrenches external(kdl.getNrOfSegments(), KDL::Wrench::Zero());
      ASSERT_EQ(forward.CartToJnt(to_kdl(state.q), to_kdl(state.qd), to_kdl(state.tau), external,
                                  acceleration),
                0);
      expect_same(Answers(*solver, state), M.data, coriolis.data + weight.data, acceleration.data,
                  state);
    }
  }
}

}  // namespace
}  // namespace dyn::test::peer_kdl_tests
