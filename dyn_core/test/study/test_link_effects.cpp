// What each joint does to each link, against Jacobians and their rates.
#include <functional>

#include "dyn_core/solver.hpp"
#include "dyn_core/study/link_effects.hpp"
#include "support.hpp"

namespace dyn::test::link_effects_tests {
namespace {

struct StateOfLinks {
  StateOfLinks(const ChainPtr& chain, std::uint64_t seed)
      : model(chain), at(chain), J(6, chain->dof()) {
    Random random(seed);
    const VecXd q = random.vector(chain->dof(), 2.0);
    qd = random.vector(chain->dof(), 1.5);
    qdd = random.vector(chain->dof(), 1.5);
    EXPECT_EQ(at.update(q), Status::kOk);
  }

  // Of link i's mass centre: its Jacobian, with velocity and acceleration; linear, angular.
  void look_at(Index i, const Vec3d& point) {
    EXPECT_EQ(at.jacobian(i, point, J), Status::kOk);
    velocity = J * qd;
    EXPECT_EQ(at.jacobian_rate_times_velocity(qd, i, point, acceleration), Status::kOk);
    acceleration += J * qdd;
  }
  [[nodiscard]] Vec3d mass_centre(Index i) const { return at.dh_pose(i) * model.link(i).com; }
  [[nodiscard]] Mat3d inertia(Index i) const {
    const Mat3d R = at.dh_pose(i).R;
    return R * model.link(i).inertia_com.matrix() * R.transpose();
  }

  Model model;
  Kinematics<double> at;
  VecXd qd, qdd;
  MatXd J;
  Vec6<double> velocity, acceleration;
};

// Also a chain on which one joint mimics another.
void for_all_states(const std::function<void(StateOfLinks&)>& body) {
  std::vector<ChainPtr> chains;
  for (const std::string& name : robot_names()) chains.push_back(load_robot(name));
  for (const Index n : {1, 2, 5, 9}) {
    chains.push_back(random_chain(n, 31, {.prismatic = 0.3, .hayati = 0.2}));
  }
  ChainDescription mimic = random_chain(4, 32)->description();
  mimic.joints[2].coordinate = 0, mimic.joints[2].multiplier = -0.7, mimic.joints[2].offset = 0.2;
  mimic.joints[3].coordinate = 2;
  mimic.coordinate_names = {"joint1", "joint2", "joint4"};
  chains.push_back(std::make_shared<const Chain>(std::move(mimic)));
  for (const ChainPtr& chain : chains) {
    SCOPED_TRACE(chain->name() + ", seed 17");
    StateOfLinks state(chain, 17);
    body(state);
  }
}

TEST(LinkEffects, TogetherAreTheMotionOfEachLink) {
  for_all_states([](StateOfLinks& s) {
    const std::vector<LinkEffects> links = link_effects(s.model, s.at, s.qd, s.qdd);
    VecXd torque = VecXd::Zero(s.qd.size()), expected(s.qd.size());
    for (Index i = 0; i < s.model.size(); ++i) {
      const LinkEffects& link = links[static_cast<std::size_t>(i)];
      s.look_at(i, s.mass_centre(i));
      const Vec3d omega = s.velocity.tail<3>(), omega_rate = s.acceleration.tail<3>();
      const Vec3d a = link.acceleration.by_joint().rowwise().sum(),
                  moment = link.moment.by_joint().rowwise().sum();
      EXPECT_LE((link.mass_centre - s.mass_centre(i)).norm(), 1e-12);
      EXPECT_LE((a - s.acceleration.head<3>()).norm(), 1e-11 * (1.0 + a.norm())) << "link " << i;
      const Vec3d turning = s.inertia(i) * omega_rate + omega.cross(Vec3d(s.inertia(i) * omega));
      EXPECT_LE((moment - turning).norm(), 1e-11 * (1.0 + turning.norm())) << "link " << i;
      torque += s.J.topRows(3).transpose() * (s.model.link(i).mass * a) +
                s.J.bottomRows(3).transpose() * moment;
      for (Index j = i + 1; j < s.model.size(); ++j) {
        EXPECT_EQ(link.acceleration.by_joint().col(j), Vec3d(Vec3d::Zero()));
      }
    }
    Solver solver = Solver::make(s.model.chain_ptr()).value();
    solver.set_gravity(Vec3d::Zero());
    for (Index j = 0; j < s.model.size(); ++j) solver.set_armature(j, 0.0);
    ASSERT_EQ(solver.inverse_dynamics(s.at, s.qd, s.qdd, expected), Status::kOk);
    EXPECT_LE((torque - expected).norm(), 1e-11 * (1.0 + expected.norm()));
  });
}

TEST(LinkEffects, MomentaAreThoseOfTheLinks) {
  for_all_states([](StateOfLinks& s) {
    Vec3d linear = Vec3d::Zero(), angular = linear;
    for (Index i = 0; i < s.model.size(); ++i) {
      s.look_at(i, s.mass_centre(i));
      const Vec3d momentum = s.model.link(i).mass * s.velocity.head<3>();
      linear += momentum;
      angular += s.inertia(i) * s.velocity.tail<3>() + s.mass_centre(i).cross(momentum);
    }
    const JointMomenta momenta = joint_momenta(s.model, s.at, s.qd);
    EXPECT_LE((momenta.linear.rowwise().sum() - linear).norm(), 1e-12 * (1.0 + linear.norm()));
    EXPECT_LE((momenta.angular.rowwise().sum() - angular).norm(), 1e-12 * (1.0 + angular.norm()));
  });
}

TEST(LinkEffects, InfluenceGivesVelocityAndAcceleration) {
  for_all_states([](StateOfLinks& s) {
    const Index tip = s.model.size() - 1;
    const Vec3d point = s.at.tip_pose().p;
    s.look_at(tip, point);
    const LinkInfluence influence = link_influence(s.model, s.at, tip, point);
    const auto expect = [&](const Influence& i, Index first, const char* what) {
      EXPECT_LE((i.G - s.J.middleRows(first, 3)).norm(), 1e-12) << what;
      Vec3d acceleration = i.G * s.qdd;
      for (Index x = 0; x < 3; ++x) {
        acceleration[x] += s.qd.dot(i.H[static_cast<std::size_t>(x)] * s.qd);
      }
      EXPECT_LE((acceleration - s.acceleration.segment<3>(first)).norm(),
                1e-11 * (1.0 + acceleration.norm()))
          << what;
    };
    expect(influence.translation, 0, "translation");
    expect(influence.rotation, 3, "rotation");
  });
}

// H_jk of the translation, and of the rotation, is what coordinate j does to column k of the Jacobian.
TEST(LinkEffects, SecondOrderIsTheDerivativeOfTheFirst) {
  for_all_states([](StateOfLinks& s) {
    const Index tip = s.model.size() - 1;
    const LinkInfluence influence = link_influence(s.model, s.at, tip, s.at.tip_pose().p);
    constexpr double kStep = 1e-6;
    for (Index j = 0; j < s.qd.size(); ++j) {
      const VecXd q = s.at.coordinates(), step = kStep * VecXd::Unit(q.size(), j);
      Kinematics<double> ahead(s.model.chain_ptr()), behind(s.model.chain_ptr());
      ASSERT_EQ(ahead.update(VecXd(q + step)), Status::kOk);
      ASSERT_EQ(behind.update(VecXd(q - step)), Status::kOk);
      MatXd J_ahead(6, q.size()), J_behind(6, q.size());
      ASSERT_EQ(ahead.jacobian(J_ahead), Status::kOk);
      ASSERT_EQ(behind.jacobian(J_behind), Status::kOk);
      const MatXd rate = (J_ahead - J_behind) / (2.0 * kStep);
      for (std::size_t x = 0; x < 3; ++x) {
        const VecXd of_translation = influence.translation.H[x].row(j).transpose(),
                    of_rotation = influence.rotation.H[x].row(j).transpose();
        EXPECT_LE((of_translation - rate.row(static_cast<Index>(x)).transpose()).norm(), 1e-7);
        EXPECT_LE((of_rotation - rate.row(static_cast<Index>(x) + 3).transpose()).norm(), 1e-7);
      }
    }
  });
}

TEST(LinkEffects, QuasiCouplingIsTheCoriolisForceAndDoesNoWork) {
  for_all_states([](StateOfLinks& s) {
    if (s.model.chain().has_mimic()) return;
    Solver solver = Solver::make(s.model.chain_ptr()).value();
    Quasi quasi(s.qd.size());
    ASSERT_EQ(solver.quasi(s.at, s.qd, s.qdd, quasi), Status::kOk);
    QuasiCoupling coupling;
    ASSERT_EQ(quasi_coupling(s.model, s.at, s.qd, coupling), Status::kOk);
    EXPECT_EQ(coupling.c, MatXd(-coupling.c.transpose()));
    const VecXd force = coupling.c * quasi.nu + coupling.bias;
    EXPECT_LE((force - quasi.coriolis_nu).norm(), 1e-9 * (1.0 + force.norm()));
  });
}

}  // namespace
}  // namespace dyn::test::link_effects_tests
