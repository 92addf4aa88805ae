// Prints, exactly, what the library answers, and hands memory over in both directions.
#include <cstdio>
#include <vector>

#include <dyn_core/control/controller.hpp>
#include <dyn_core/motion/simulate.hpp>
#include <dyn_core/registry.hpp>
#include <dyn_core/robot/urdf.hpp>
#include <dyn_core/solver.hpp>

#ifdef OWN_COPIES
#include <dyn_core/papers/classic/crba.hpp>
#include <dyn_core/papers/classic/rnea.hpp>
#include <dyn_core/papers/safeea_2018/gdahj.hpp>
#include <dyn_core/papers/saha_2003/forward_dynamics.hpp>
#endif

namespace {

template <class Value>
Value take(dyn::Result<Value> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().sentence.c_str());
  std::exit(1);
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

bool ok(dyn::Status status) { return status == dyn::Status::kOk; }

void print(const char* name, const dyn::MatXd& values) {
  std::printf("%s", name);
  for (dyn::Index k = 0; k < values.size(); ++k) std::printf(" %a", values.data()[k]);
  std::printf("\n");
}

// Numbers that no rounding makes different.
dyn::VecXd steps(dyn::Index n, double first, double step) {
  dyn::VecXd v(n);
  for (dyn::Index i = 0; i < n; ++i) v[i] = first + step * static_cast<double>(i);
  return v;
}

struct State {
  explicit State(dyn::Index n)
      : q(steps(n, -0.75, 0.25)), qd(steps(n, 0.5, -0.125)), tau(steps(n, 3.0, -0.5)) {}

  dyn::VecXd q, qd, tau;
};

void print_all(dyn::Solver& solver, const State& at) {
  const dyn::Index n = solver.dof();
  dyn::MatXd M(n, n), C(n, n);
  dyn::VecXd tau(n), qdd(n);
  dyn::Quasi quasi(n);
  dyn::Dynamics all(solver.chain());
  std::vector<dyn::MatXd> P(static_cast<std::size_t>(n), M);
  check(ok(solver.mass_matrix(at.q, M)) && ok(solver.coriolis_matrix(at.q, at.qd, C)) &&
            ok(solver.inverse_dynamics(at.q, at.qd, at.tau, tau)) &&
            ok(solver.forward_dynamics(at.q, at.qd, at.tau, qdd)) &&
            ok(solver.quasi(at.q, at.qd, at.tau, quasi)) && ok(solver.dynamics(at.q, at.qd, all)) &&
            ok(solver.inertia_power(at.q, P)),
        "a solver fails");
  for (const dyn::MatXd& values :
       {M, C, dyn::MatXd(tau), dyn::MatXd(qdd), quasi.U, all.U, P.back()}) {
    print("solver", values);
  }
}

// Every algorithm of the library, by name.
void print_each(const dyn::ChainPtr& chain, const State& at) {
  const auto solve = [&](const dyn::Algorithms& algorithms) {
    dyn::Solver solver = take(dyn::Solver::make(chain, algorithms));
    print_all(solver, at);
  };
  for (const auto& entry : dyn::mass_matrix_algorithms<double>()) {
    solve({.mass_matrix = std::string(entry.name)});
  }
  for (const auto& entry : dyn::inverse_dynamics_algorithms<double>()) {
    solve({.inverse_dynamics = std::string(entry.name)});
  }
  for (const auto& entry : dyn::forward_dynamics_algorithms<double>()) {
    solve({.forward_dynamics = std::string(entry.name)});
  }
  for (const auto& entry : dyn::coriolis_algorithms<double>()) {
    solve({.coriolis = std::string(entry.name)});
  }
}

// What one side allocates and the other frees.
void hand_over(const dyn::ChainPtr& chain, const State& at) {
  const dyn::ChainPtr copy = std::make_shared<dyn::Chain>(chain->description());
  const auto motion =
      take(dyn::simulate(copy, {.duration = 0.05}, dyn::constant_torque(at.tau), at.q, at.qd));
  print("simulate", motion.q);
  dyn::ControllerParameters parameters(*copy);
  parameters.law.gains = dyn::Gains(copy->dof());
  parameters.law.gains.kp.setConstant(3.0);
  dyn::Controller controller = take(dyn::Controller::make(copy, parameters));
  check(ok(controller.activate(at.tau)), "the controller fails");
  dyn::JointState state(copy->dof());
  state.q = at.q;
  state.qd = at.qd;
  print(
      "control",
      dyn::ControlOutput(controller.update(0.0, state, dyn::Reference(copy->dof()), 1e-3)).torque);
}

#ifdef OWN_COPIES
void expect_near(const dyn::MatXd& own, const dyn::MatXd& answer, const char* what) {
  check((own - answer).norm() <= 1e-10 * answer.norm(), what);
}

// The program's own copies of the algorithms, against the library's.
void compare_own(const dyn::ChainPtr& chain, const State& at) {
  const dyn::Model model(chain);
  std::vector<dyn::JointPose<double>> joints(static_cast<std::size_t>(model.size()));
  dyn::joint_poses<double>(model, at.q, joints);
  dyn::Solver solver = take(dyn::Solver::make(chain));
  const dyn::Index n = solver.dof();
  dyn::MatXd M(n, n), own_M(n, n);
  dyn::VecXd tau(n), own_tau(n), qdd(n), own_qdd(n);
  check(ok(solver.mass_matrix(at.q, M)) && ok(solver.inverse_dynamics(at.q, at.qd, at.tau, tau)) &&
            ok(solver.forward_dynamics(at.q, at.qd, at.tau, qdd)),
        "a solver fails");
  dyn::Gdahj<double>(model).mass_matrix(model, joints, own_M);
  expect_near(own_M, M, "gdahj differs");
  dyn::Crba<double>(model).mass_matrix(model, joints, own_M);
  expect_near(own_M, M, "crba differs");
  dyn::Rnea<double>(model).inverse_dynamics(model, joints, model.gravity(), at.qd, at.tau, own_tau);
  expect_near(own_tau, tau, "rnea differs");
  check(ok(dyn::UdutForwardDynamics<double>(model).forward_dynamics(model, joints, model.gravity(),
                                                                    at.qd, at.tau, own_qdd)),
        "udut fails");
  expect_near(own_qdd, qdd, "udut differs");
}
#endif

}  // namespace

int main() {
  const dyn::ChainPtr chain = take(dyn::load_urdf(ROBOTS_DIR "/arm7.urdf", {.tip = "tool0"}));
  const State state(chain->dof());
  print_each(chain, state);
  hand_over(chain, state);
#ifdef OWN_COPIES
  compare_own(chain, state);
#endif
}
