// Link frames that are at hand are used: the same answers, without the operations that frames cost.
#include "dyn_core/math/counted.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/solver.hpp"
#include "support.hpp"

namespace dyn::test::frames_given_tests {
namespace {

// What `query(joints)` costs with the frames computed inside and with frames given.
template <class Query>
OperationCount saved_by_frames(const Model& model, Query query) {
  VecX<Counted> q(model.size());
  for (Index i = 0; i < q.size(); ++i) q[i] = Counted::variable(0.3 + 0.1 * static_cast<double>(i));
  const std::vector<JointPose<Counted>> poses = poses_of<Counted>(model, q);
  std::vector<Pose<Counted>> frames(poses.size());
  link_frames<Counted>(model, poses, frames);
  const auto executed = [&](Joints<Counted> joints) {
    Counted::reset(CountingRule::kGeneral);
    query(joints);
    return Counted::count() + Counted::count_set_aside();
  };
  return executed(poses) - executed({poses, frames});
}

// Six general revolute joints: 30 multiplications and 18 additions a link but the first, as
// robot/kinematics.hpp says of link_frames().
constexpr OperationCount kFrames{5 * 30, 5 * 18};

TEST(FramesGiven, AreNotComputedAgain) {
  const Model model(random_chain(6, 3));
  const VecX<Counted> rates = VecX<Counted>::Constant(6, Counted::variable(0.5));
  MatX<Counted> M(6, 6);
  VecX<Counted> torque(6);
  const auto gdahj = find(mass_matrix_algorithms<Counted>(), "gdahj")->make(model);
  EXPECT_EQ(saved_by_frames(model, [&](auto joints) { gdahj->mass_matrix(model, joints, M); }),
            kFrames);
  const auto gda = find(inverse_dynamics_algorithms<Counted>(), "gda")->make(model);
  EXPECT_EQ(saved_by_frames(model,
                            [&](auto joints) {
                              gda->inverse_dynamics(model, joints, model.gravity(), rates, rates,
                                                    torque);
                            }),
            kFrames);
}

// Every query of `solver` at a posture, one below the other.
VecXd answers(Solver& solver, const Posture& at, const VecXd& x) {
  const Index n = solver.dof();
  MatXd M(n, n), inverse(n, n), U(n, n), C(n, n);
  VecXd D(n), coriolis(n), gravity(n), bias(n), tau(n), qdd(n);
  Dynamics all(solver.chain());
  Quasi quasi(n);
  std::vector<MatXd> P(static_cast<std::size_t>(n), M);
  double kinetic = 0.0, potential = 0.0;
  for (const Status status :
       {solver.mass_matrix(at, M), solver.mass_matrix_inverse(at, inverse), solver.factor(at, U, D),
        solver.coriolis_matrix(at, x, C), solver.coriolis_torque(at, x, coriolis),
        solver.gravity_torque(at, gravity), solver.bias_torque(at, x, bias),
        solver.inverse_dynamics(at, x, x, tau), solver.forward_dynamics(at, x, x, qdd),
        solver.dynamics(at, x, all), solver.quasi(at, x, x, quasi), solver.inertia_power(at, P),
        solver.kinetic_energy(at, x, kinetic), solver.potential_energy(at, potential)}) {
    EXPECT_EQ(status, Status::kOk) << to_string(status);
  }
  VecXd out(6 * n * n + 9 * n + 2);
  out << M.reshaped(), inverse.reshaped(), U.reshaped(), C.reshaped(), P.back().reshaped(),
      all.mass_matrix.reshaped(), D, coriolis, gravity, bias, tau, qdd, all.gravity_torque,
      quasi.coriolis_nu, quasi.kappa, kinetic, potential;
  return out;
}

TEST(FramesGiven, KinematicsStandForTheirCoordinates) {
  const std::vector<Algorithms> choices{
      {}, {"crba", "rnea", "udut", "mci"}, {"gdahj", "gda", "cholesky", "kic"}, {"kic", "kic"}};
  for (const std::string robot : {"stanford", "puma560", "arm7"}) {
    const ChainPtr chain = load_robot(robot);
    Random random(8);
    const VecXd q = random.vector(chain->dof(), 1.0), x = random.vector(chain->dof(), 1.0);
    Kinematics<double> kinematics(chain);
    ASSERT_EQ(kinematics.update(q), Status::kOk);
    for (const Algorithms& choice : choices) {
      Solver solver = Solver::make(chain, choice).value();
      solver.set_tip_wrench({{1.0, -2.0, 3.0}, {0.1, 0.2, 0.3}});
      EXPECT_EQ(answers(solver, kinematics, x), answers(solver, q, x))
          << robot << ", " << choice.mass_matrix;
    }
  }
}

TEST(FramesGiven, ThoseOfAnotherChainAreRefused) {
  const ChainPtr chain = load_robot("arm7"), other = load_robot("arm7");
  Kinematics<double> kinematics(other);
  Solver solver = Solver::make(chain, {.mass_matrix = "gdahj"}).value();
  MatXd M(chain->dof(), chain->dof());
  EXPECT_EQ(solver.mass_matrix(kinematics, M), Status::kWrongSize);
}

}  // namespace
}  // namespace dyn::test::frames_given_tests
