// Solver where `generated` was chosen: the functions that `dyn generate` wrote, compiled into the program.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "dyn_core/fast/generated.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "solver_impl.hpp"

namespace dyn {
namespace {

std::deque<GeneratedDynamics>& registered() {
  static std::deque<GeneratedDynamics> code;
  return code;
}

bool is_for(const GeneratedDynamics& code, const Chain& chain) {
  const std::vector<std::string>& names = chain.coordinate_names();
  return code.joints == chain.dof() &&
         std::equal(names.begin(), names.end(), code.joint_names,
                    [](const std::string& a, const char* b) { return a == b; });
}

// Rounding apart.
template <class Derived, class Other>
bool same(const Eigen::MatrixBase<Derived>& a, const Eigen::MatrixBase<Other>& b) {
  return (a - b).cwiseAbs().maxCoeff() <= 1e-9 * (1.0 + b.cwiseAbs().maxCoeff());
}

// Whether the code computes what the papers' algorithms do for this chain.
bool agrees(const GeneratedDynamics& code, const ChainPtr& chain) {
  Result<Solver> reference = Solver::make(chain);
  if (!reference) return false;
  const Index n = chain->dof();
  Random random(5);
  const VecXd q = random.vector(n, 1.0), qd = random.vector(n, 1.0), x = random.vector(n, 1.0);
  VecXd expected(n), got(n);
  MatXd M(n, n), matrix(n, n);
  if (reference->mass_matrix(q, M) != Status::kOk) return false;
  if (reference->inverse_dynamics(q, qd, x, expected) != Status::kOk) return false;
  if (code.mass_matrix != nullptr) {
    code.mass_matrix(q.data(), matrix.data());
    if (!same(matrix, M)) return false;
  }
  if (code.inverse_dynamics != nullptr) {
    code.inverse_dynamics(q.data(), qd.data(), x.data(), got.data());
    if (!same(got, expected)) return false;
  }
  if (code.forward_dynamics != nullptr) {
    if (!code.forward_dynamics(q.data(), qd.data(), expected.data(), got.data())) return false;
    if (!same(M * got, M * x)) return false;
  }
  return true;
}

}  // namespace

bool register_generated(const GeneratedDynamics& code) {
  registered().push_front(code);
  return true;
}

const GeneratedDynamics* find_generated(const Chain& chain) {
  for (const GeneratedDynamics& code : registered()) {
    if (is_for(code, chain)) return &code;
  }
  return nullptr;
}

std::string Solver::Impl::use_generated() {
  const auto wants = [](const std::string& name) { return name == "generated"; };
  const Algorithms& names = algorithms;
  if (!wants(names.mass_matrix) && !wants(names.inverse_dynamics) &&
      !wants(names.forward_dynamics)) {
    return {};
  }
  const GeneratedDynamics* code = find_generated(*chain);
  if (code == nullptr) {
    return fmt::format(
        "no generated code for the chain from '{}' to '{}' is compiled into this "
        "program: run `dyn generate`, include dyn_core/generated.hpp and the header it "
        "writes",
        chain->base(), chain->tip());
  }
  if (!agrees(*code, chain)) {
    return fmt::format(
        "the generated code '{}' is not for this robot, payload and gravity: run "
        "`dyn generate` again",
        code->name);
  }
  const auto use = [&](const std::string& name, auto function, auto& out) {
    if (wants(name)) out = function;
    return !wants(name) || function != nullptr;
  };
  if (!use(names.mass_matrix, code->mass_matrix, generated.mass_matrix) ||
      !use(names.inverse_dynamics, code->inverse_dynamics, generated.inverse_dynamics) ||
      !use(names.inverse_dynamics, code->bias_torque, generated.bias_torque) ||
      !use(names.forward_dynamics, code->forward_dynamics, generated.forward_dynamics)) {
    return fmt::format(
        "the generated code '{}' leaves out a function that is asked for: choose "
        "another algorithm for it, `fast` say",
        code->name);
  }
  generated_revision = model.revision();
  return {};
}

Status Solver::Impl::generated_matrix(VecIn<double> q, MatOut<double> out) {
  if (const Status status = check(q); status != Status::kOk) return status;
  generated.mass_matrix(q.data(), generated_M.data());
  out = generated_M;
  return finite(generated_M);
}

Status Solver::Impl::generated_bias(VecIn<double> q, VecIn<double> qd, VecOut<double> tau) {
  if (const Status status = check(q); status != Status::kOk) return status;
  generated.bias_torque(q.data(), qd.data(), tau.data());
  return finite(tau);
}

Status Solver::Impl::generated_acceleration(VecIn<double> q, VecIn<double> qd, VecOut<double> qdd) {
  if (!generated.forward_dynamics(q.data(), qd.data(), torque.data(), qdd.data())) {
    return Status::kSingular;
  }
  return finite(qdd);
}

}  // namespace dyn
