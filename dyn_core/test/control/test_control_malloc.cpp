// Nothing in the control loop allocates: law, predictor, observer, controller and plant, in good and in
// bad cases.
#include "control_support.hpp"
#include "dyn_core/control/effort_state.hpp"
#include "dyn_core/control/recording.hpp"
#include "dyn_core/control/simulated_arm.hpp"
#include "dyn_core/control/target.hpp"
#include "malloc_gate.hpp"

namespace dyn::test::control_malloc_tests {
namespace {

constexpr std::uint64_t kSeed = 20261205;

// A 7-joint arm, one with a prismatic joint, one long enough for Eigen's blocked code.
std::vector<ChainPtr> chains() {
  return {load_robot("arm7"), load_robot("stanford"), random_chain(30, kSeed)};
}

template <class Action>
std::size_t allocations(Action action) {
  const MallocGate gate;
  action();
  return gate.calls();
}

TEST(ControlMalloc, TheGateCounts) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  std::vector<double> v;
  EXPECT_GT(allocations([&] { v.resize(100); }), 0u);
  VecXd x = VecXd::Zero(20);
  EXPECT_GT(allocations([&] { x.resize(40); }), 0u);
}

TEST(ControlMalloc, LawsAllocateNothing) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (const ChainPtr& chain : chains()) {
    for (const LawEntry& entry : control_laws()) {
      SCOPED_TRACE(std::string(entry.name) + " on " + chain->name());
      const Index n = chain->dof();
      Random random(kSeed);
      ControlParameters parameters(*chain);
      parameters.law = entry.law;
      parameters.gains.ki.setConstant(10.0);
      parameters.drive_kp.setConstant(20.0);
      parameters.drive_kd.setConstant(1.0);
      ControlLaw law = take(ControlLaw::make(chain, parameters));
      const JointState state = random_state(random, n);
      const Reference reference = random_reference(random, n);
      JointState broken = state;
      broken.q[0] = kNaN;
      Reference lost = reference;
      lost.qd[0] = kInfinity;
      Reference at_tip = reference;
      at_tip.tip.given = true;
      TargetFilter filter = take(TargetFilter::make({}));
      const VecXd torque = random.vector(n, 1.0);
      Gains gains = parameters.gains;
      gains.kd.setConstant(50.0);
      const std::size_t calls = allocations([&] {
        (void)law.activate(torque);
        for (int i = 0; i < 30; ++i) (void)law.update(state, reference, 1e-3);
        filter.reset({});
        for (int i = 0; i < 30; ++i) {
          (void)filter.set(at_tip.tip);
          at_tip.tip = filter.update(1e-3);
          extrapolate(at_tip, 1e-3, at_tip);
          (void)law.update(state, at_tip, 1e-3);
        }
        (void)law.stored(state);
        (void)law.set_gains(gains);
        (void)law.set_expected_wrench({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}});
        (void)law.set_disturbance(torque);
        (void)law.set_payload({1.0, {0.0, 0.0, 0.1}, Mat3d::Identity()});
        (void)law.set_gravity({0.0, 0.0, -9.8});
        for (int i = 0; i < 30; ++i) (void)law.update(state, lost, 1e-3);
        for (int i = 0; i < 30; ++i) (void)law.update(broken, reference, kNaN);
        for (int i = 0; i < 30; ++i) (void)law.update(state, reference, 1e-3);
      });
      EXPECT_EQ(calls, 0u);
    }
  }
}

TEST(ControlMalloc, ControllerAndPlantAllocateNothing) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (const ChainPtr& chain : chains()) {
    SCOPED_TRACE(chain->name());
    for (const Law law : {Law::kComputedTorque, Law::kGravity, Law::kTaskSpace, Law::kImpedance}) {
      const Index n = chain->dof();
      Random random(kSeed + 1);
      ControllerParameters parameters(*chain);
      parameters.law.law = law;
      parameters.law.guidable = true;
      parameters.law.guiding.bias_time = 0.2;
      parameters.law.drive_kp.setConstant(20.0);
      parameters.delay = 0.0037;
      parameters.predict = parameters.observe = parameters.reject_disturbance = true;
      Controller controller = take(Controller::make(chain, parameters));
      PlantParameters plant_parameters;
      plant_parameters.delay = 0.0037;
      plant_parameters.position_noise = 1e-6;
      plant_parameters.drive_compensates_gravity = true;
      Plant plant = take(Plant::make(chain, plant_parameters));
      const JointState state = random_state(random, n, 0.1);
      Reference reference(n);
      reference.q = state.q;
      const VecXd torque = VecXd::Zero(n);
      Wrench wrench;
      MomentumObserver observer = take(MomentumObserver::make(chain, ObserverParameters(n)));
      Recorder recorder(n, 1.0);
      const EffortState efforts{EffortMeaning::kWithGravity, false, {}};
      VecXd effort = torque;
      const std::size_t calls = allocations([&] {
        recorder.start();
        (void)plant.reset(state, torque);
        (void)controller.activate(torque);
        for (int i = 0; i < 100; ++i) {
          if (i == 30) plant.set_fault(Fault::kStateNotFinite);
          if (i == 50) plant.set_fault(Fault::kNone);
          if (i == 20 || i == 60) (void)controller.guide(i == 20);
          effort = plant.torque();
          efforts.to_command(torque, effort);
          (void)check_at_rest(*chain, efforts, effort, torque, parameters.law.limits.effort);
          (void)controller.set_acting_torque(effort);
          recorder.add(plant.measured(), effort, 1e-3);
          if (i == 70) (void)controller.set_payload({0.5, {0.0, 0.0, 0.1}, Mat3d::Zero()});
          const ControlOutput& out =
              controller.update(plant.time(), plant.measured(), reference, 1e-3);
          (void)plant.command(out.torque, out.drive);
          (void)plant.step(1e-3);
          (void)observer.update(plant.measured(), plant.torque(), 1e-3);
          (void)observer.tip_wrench(plant.state().q, wrench);
        }
        extrapolate(reference, 0.004, reference);
      });
      EXPECT_EQ(calls, 0u) << entry_of(law).name;
    }
  }
}

TEST(ControlMalloc, TheSimulatedArmAllocatesNothing) {
  if (!MallocGate::available()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (const ChainPtr& chain : chains()) {
    SCOPED_TRACE(chain->name());
    const VecXd posture = VecXd::Constant(chain->dof(), 0.1);
    ArmSettings settings = {.delay = 0.004, .predict = true, .reject = true, .compare = true};
    SimulatedArm arm = take(SimulatedArm::make(chain, settings, {}, posture));
    settings.law = Law::kQuasiVelocity;
    SimulatedArm next = take(SimulatedArm::make(chain, settings, {}, posture));
    const std::size_t calls = allocations([&] {
      arm.pull(Pull{0, Vec3d::Zero(), Vec3d::Ones()});
      for (int i = 0; i < 50; ++i) (void)arm.step();
      arm.inject(Breakage::kEffortClipped, 0.02);
      arm.go_to(posture);
      for (int i = 0; i < 50; ++i) (void)arm.step();
      (void)next.take_over(arm);
      for (int i = 0; i < 50; ++i) (void)next.step();
    });
    EXPECT_EQ(calls, 0u);
  }
}

}  // namespace
}  // namespace dyn::test::control_malloc_tests
