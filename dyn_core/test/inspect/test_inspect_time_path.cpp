// A path timed for a service: within the limits under the payload of the moment, and refused with a sentence.
#include "dyn_core/inspect/inspector.hpp"
#include "dyn_core/study/effort_need.hpp"
#include "support.hpp"

namespace dyn::test::inspect_time_path_tests {
namespace {

using inspect::Inspector;
using inspect::TimedMotion;
using inspect::TimingRequest;

TimingRequest swing() {
  TimingRequest out;
  VecXd q(7);
  q << -0.6, -0.3, -0.5, 0.9, -0.8, -0.4, -0.8;
  for (int k = 0; k < 4; ++k) out.path.emplace_back(q.array() + 0.4 * k);
  return out;
}

void expect_within(const Inspector& inspector, const TimedMotion& motion) {
  Solver solver = Solver::make(inspector.chain_ptr()).value();
  solver.set_payload(inspector.payload());
  solver.set_friction(true);
  const VecXd effort = effort_limits(inspector.chain());
  VecXd torque(7);
  double most = 0.0;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    ASSERT_EQ(solver.inverse_dynamics(motion.q[k], motion.qd[k], motion.qdd[k], torque),
              Status::kOk);
    EXPECT_LT((torque - motion.torque[k]).norm(), 1e-9);
    most = std::max(most, torque.cwiseQuotient(effort).cwiseAbs().maxCoeff());
    for (Index i = 0; i < 7; ++i) {
      const double limit = inspector.chain().coordinate_joint(i).limits.velocity;
      most = std::max(most, std::abs(motion.qd[k][i]) / limit);
    }
  }
  EXPECT_LT(most, 1.002) << "between the steps of the path";
  EXPECT_GT(most, 0.95) << "not as fast as it may be";
}

TEST(TimePath, KeepsTheLimitsUnderThePayload) {
  Inspector inspector = Inspector::make(load_robot("arm7")).value();
  const TimedMotion light = inspector.time_path(swing()).value();
  expect_within(inspector, light);
  EXPECT_EQ(light.times.back(), light.duration);
  EXPECT_NEAR(light.times[1], 0.01, 1e-12);
  RigidBody payload;
  payload.mass = 2.0;
  inspector.set_payload(payload);
  const TimedMotion heavy = inspector.time_path(swing()).value();
  expect_within(inspector, heavy);
  EXPECT_GE(heavy.duration, light.duration);
  TimingRequest slow = swing();
  slow.velocity = 0.2;
  EXPECT_GT(inspector.time_path(slow).value().duration, 1.5 * heavy.duration);
}

TEST(TimePath, SaysWhatIsWrong) {
  const Inspector inspector = Inspector::make(load_robot("arm7")).value();
  const auto refused = [&](const auto& change) {
    TimingRequest request = swing();
    change(request);
    const auto result = inspector.time_path(request);
    return result ? std::string() : result.error().sentence;
  };
  EXPECT_NE(refused([](auto& r) { r.path.resize(1); }).find("two points"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.path[1].resize(3); }).find("all joints"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.path[3][0] = 9.0; }).find("6.1 beyond its limit 2.9"),
            std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.velocity = -1.0; }).find("velocity is -1"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.effort = 2.0; }).find("effort is 2"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.step = 1e-9; }).find("a step of"), std::string::npos);
  EXPECT_NE(refused([](auto& r) { r.path.resize(5000, r.path[0]); }).find("in parts"),
            std::string::npos);
}

}  // namespace
}  // namespace dyn::test::inspect_time_path_tests
