#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "peers.hpp"

namespace dyn::bench {
namespace {

KDL::Vector to_kdl(const Vec3d& v) { return {v.x(), v.y(), v.z()}; }

KDL::JntArray to_kdl(const VecXd& v) {
  KDL::JntArray array(static_cast<unsigned>(v.size()));
  array.data = v;
  return array;
}

// KDL turns first and moves to the segment's end then: joint i, then the pose of the next joint.
KDL::Chain to_kdl(const Chain& chain) {
  const auto frame = [&chain](std::size_t i) {
    if (i == chain.dh().size()) return KDL::Frame::Identity();
    const Posed pose = pose_at_zero(chain, i);
    const Mat3d& R = pose.R;
    return KDL::Frame(KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0),
                                    R(2, 1), R(2, 2)),
                      to_kdl(pose.p));
  };
  KDL::Chain out;
  out.addSegment(KDL::Segment("base", KDL::Joint(KDL::Joint::None), frame(0)));
  for (std::size_t i = 0; i < chain.dh().size(); ++i) {
    const RigidBody& body = chain.links()[i].body;
    const Mat3d& I = body.inertia;
    const KDL::RotationalInertia inertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    const KDL::Frame tip = frame(i + 1);
    const auto type = chain.joints()[i].is_prismatic() ? KDL::Joint::TransZ : KDL::Joint::RotZ;
    out.addSegment(
        KDL::Segment(chain.joints()[i].name, KDL::Joint(chain.joints()[i].name, type), tip,
                     tip.Inverse() * KDL::RigidBodyInertia(body.mass, to_kdl(body.com), inertia)));
  }
  return out;
}

struct Kdl {
  Kdl(const Chain& chain, const PeerStates& states)
      : kdl(to_kdl(chain)),
        gravity(to_kdl(chain.gravity())),
        parameters(kdl, gravity),
        inverse(kdl, gravity),
        forward(kdl, gravity),
        external(kdl.getNrOfSegments()),
        M(static_cast<unsigned>(chain.dof())),
        out(static_cast<unsigned>(chain.dof())) {
    for (const PeerState& state : states) {
      q.push_back(to_kdl(state.q)), qd.push_back(to_kdl(state.qd));
      qdd.push_back(to_kdl(state.qdd)), tau.push_back(to_kdl(state.tau));
    }
  }

  KDL::Chain kdl;
  KDL::Vector gravity;
  KDL::ChainDynParam parameters;
  KDL::ChainIdSolver_RNE inverse;
  KDL::ChainFdSolver_RNE forward;
  KDL::Wrenches external;
  KDL::JntSpaceInertiaMatrix M;
  KDL::JntArray out;
  std::vector<KDL::JntArray> q, qd, qdd, tau;
};

}  // namespace

void add_kdl(const Chain& chain, const std::shared_ptr<const PeerStates>& states,
             std::vector<Timing>& out) {
  const auto kdl = std::make_shared<Kdl>(chain, *states);
  add(
      "mass_matrix", "kdl", *states,
      [kdl](std::size_t k) { kdl->parameters.JntToMass(kdl->q[k], kdl->M); }, out);
  add(
      "inverse_dynamics", "kdl", *states,
      [kdl](std::size_t k) {
        kdl->inverse.CartToJnt(kdl->q[k], kdl->qd[k], kdl->qdd[k], kdl->external, kdl->out);
      },
      out);
  add(
      "forward_dynamics", "kdl", *states,
      [kdl](std::size_t k) {
        kdl->forward.CartToJnt(kdl->q[k], kdl->qd[k], kdl->tau[k], kdl->external, kdl->out);
      },
      out);
}

}  // namespace dyn::bench
