// Every inverse dynamics algorithm against Lagrange's equations with exact derivatives, the columns
// of the mass matrix, the closed form of two links, and the cost stated in rnea's banner.
#include <limits>

#include "dyn_core/math/dual.hpp"
#include "dyn_core/registry.hpp"
#include "planar_chain.hpp"
#include "support.hpp"

namespace dyn::test::inverse_dynamics_tests {
namespace {

struct State {
  State(Index n, std::uint64_t seed) {
    Random random(seed);
    q = random.vector(n, 3.0);
    qd = random.vector(n, 2.0);
    qdd = random.vector(n, 2.0);
  }
  VecXd q, qd, qdd;
};

template <class Scalar>
VecX<Scalar> torque(const Entry<InverseDynamicsAlgorithm<Scalar>>& entry, const Model& model,
                    const VecX<Scalar>& q, const VecX<Scalar>& qd, const VecX<Scalar>& qdd,
                    const Vec3d& gravity) {
  VecX<Scalar> tau(model.size());
  entry.make(model)->inverse_dynamics(model, poses_of<Scalar>(model, q), gravity, qd, qdd, tau);
  return tau;
}

// ∂T/∂q̇ and T - V, link by link in the base link frame.
struct Lagrangian {
  Lagrangian(const ChainPtr& chain, const VecX<Dual>& q, const VecX<Dual>& qd)
      : momentum(VecX<Dual>::Zero(q.size())) {
    Kinematics<Dual> kinematics(chain);
    EXPECT_EQ(kinematics.update(q), Status::kOk);
    MatX<Dual> J(6, q.size());
    for (Index i = 0; i < chain->joint_count(); ++i) {
      const RigidBody& body = chain->links()[static_cast<std::size_t>(i)].body;
      const Pose<Dual> pose = kinematics.dh_pose(i);
      const Vec3<Dual> com = pose * Vec3<Dual>(body.com.cast<Dual>());
      EXPECT_EQ(kinematics.jacobian(i, com, J), Status::kOk);
      const Vec3<Dual> v = J.topRows(3) * qd, w = J.bottomRows(3) * qd;
      const Vec3<Dual> linear = Dual(body.mass) * v;
      const Vec3<Dual> local = body.inertia.cast<Dual>() * (pose.R.transpose() * w);
      const Vec3<Dual> angular = pose.R * local;
      momentum += J.topRows(3).transpose() * linear + J.bottomRows(3).transpose() * angular;
      value += Dual(0.5) * (v.dot(linear) + w.dot(angular));
      value += Dual(body.mass) * chain->gravity().cast<Dual>().dot(com);
    }
  }
  VecX<Dual> momentum;
  Dual value;
};

VecX<Dual> dual(const VecXd& value, const VecXd& rate) {
  VecX<Dual> x(value.size());
  for (Index i = 0; i < x.size(); ++i) x[i] = {value[i], rate[i]};
  return x;
}

// d/dt ∂L/∂q̇ - ∂L/∂q
VecXd lagrange(const ChainPtr& chain, const State& s) {
  const Index n = s.q.size();
  const VecX<Dual> momentum = Lagrangian(chain, dual(s.q, s.qd), dual(s.qd, s.qdd)).momentum;
  VecXd tau(n);
  for (Index k = 0; k < n; ++k) {
    const VecX<Dual> q = dual(s.q, VecXd::Unit(n, k));
    tau[k] = momentum[k].rate - Lagrangian(chain, q, s.qd.cast<Dual>()).value.rate;
  }
  return tau;
}

template <class Scalar>
void expect_lagrange(const ChainPtr& chain, std::uint64_t seed) {
  SCOPED_TRACE(chain->name() + ", seed " + std::to_string(seed));
  const Model model(chain);
  const State s(model.size(), seed);
  const VecXd expected = lagrange(chain, s);
  const double tolerance = 200.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) *
                           expected.cwiseAbs().maxCoeff();
  for (const auto& entry : inverse_dynamics_algorithms<Scalar>()) {
    SCOPED_TRACE(entry.name);
    const VecXd tau = torque<Scalar>(entry, model, s.q.cast<Scalar>(), s.qd.cast<Scalar>(),
                                     s.qdd.cast<Scalar>(), model.gravity())
                          .template cast<double>();
    EXPECT_LE((tau - expected).cwiseAbs().maxCoeff(), tolerance);
  }
}

TEST(InverseDynamics, AreLagrangesEquations) {
  for (const ChainPtr& chain : conformance_chains()) expect_lagrange<double>(chain, 1);
}

TEST(InverseDynamics, AreLagrangesEquationsOfSlidesOnlyAndInAPlane) {
  for (const Index n : {1, 2, 3, 7}) {
    expect_lagrange<double>(random_chain(n, 21, {.prismatic = 1.0}), 2);
    expect_lagrange<double>(planar_chain(n, 22, true), 3);
  }
}

TEST(InverseDynamics, AreLagrangesEquationsInFloat) {
  for (const Index n : {1, 2, 4, 7}) {
    expect_lagrange<float>(random_chain(n, 11), 1);
    expect_lagrange<float>(random_chain(n, 12, {.prismatic = 0.4, .hayati = 0.3}), 2);
  }
}

TEST(InverseDynamics, OfUnitAccelerationsAreColumnsOfTheMassMatrix) {
  for (const ChainPtr& chain : conformance_chains()) {
    SCOPED_TRACE(chain->name());
    const Model model(chain);
    const Index n = model.size();
    const VecXd q = State(n, 4).q, zero = VecXd::Zero(n);
    const MatXd M = brute_force_mass_matrix<double>(chain, q);
    const double tolerance =
        64.0 * std::numeric_limits<double>::epsilon() * M.cwiseAbs().maxCoeff();
    for (const auto& entry : inverse_dynamics_algorithms<double>()) {
      SCOPED_TRACE(entry.name);
      for (Index j = 0; j < n; ++j) {
        const VecXd column =
            torque<double>(entry, model, q, zero, VecXd::Unit(n, j), Vec3d::Zero());
        EXPECT_LE((column - M.col(j)).cwiseAbs().maxCoeff(), tolerance);
      }
    }
  }
}

TEST(InverseDynamics, OfTwoLinksInAPlaneHaveTheirClosedForm) {
  for (const std::uint64_t seed : {41u, 42u, 43u}) {
    const ChainPtr chain = planar_chain(2, seed);
    const Model model(chain);
    const State s(2, seed);
    const TwoLinks arm(*chain);
    const double angle2 = s.q[1] + chain->dh()[1].theta;
    const VecXd expected = arm.mass_matrix(angle2) * s.qdd + arm.coriolis(angle2, s.qd) +
                           arm.gravity(s.q[0], angle2, 9.81);
    for (const auto& entry : inverse_dynamics_algorithms<double>()) {
      SCOPED_TRACE(entry.name);
      const VecXd tau = torque<double>(entry, model, s.q, s.qd, s.qdd, model.gravity());
      EXPECT_LE((tau - expected).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Rnea, CostIsWhatTheBannerSaysAndBelowFeatherstone) {
  for (const Index n : {2, 6, 7, 12, 30}) {
    const Model model(random_chain(n, 5));
    const auto* entry = find(inverse_dynamics_algorithms<Counted>(), "rnea");
    const VecX<Counted> x = VecX<Counted>::Constant(n, Counted::variable(0.4));
    const auto poses = poses_of<Counted>(model, x);
    VecX<Counted> tau(n);
    const auto algorithm = entry->make(model);
    Counted::reset(CountingRule::kGeneral);
    algorithm->inverse_dynamics(model, poses, model.gravity(), x, x, tau);
    const PrintedCount count = Counted::count(), paper = entry->paper_count(n, false);
    EXPECT_EQ(count, (OperationCount{91 * n - 105, 79 * n - 97}));
    EXPECT_EQ(Counted::count_set_aside(), (OperationCount{4, 2}));
    EXPECT_LE(count.multiplications, paper.multiplications);
    EXPECT_LE(count.additions, paper.additions);
  }
}

}  // namespace
}  // namespace dyn::test::inverse_dynamics_tests
