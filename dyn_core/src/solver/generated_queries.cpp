// Whole queries by generated code: the functions that `dyn generate` wrote, compiled into the program.
#include <fmt/format.h>

#include "dyn_core/fast/generated.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "queries.hpp"

namespace dyn {
namespace {

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

std::string objection_to_generated(const ChainPtr& chain, const Algorithms& names) {
  const GeneratedDynamics* code = find_generated(*chain);
  if (code == nullptr) {
    return fmt::format(
        "no generated code for the chain from '{}' to '{}' is compiled into this "
        "program: run `dyn generate`, include dyn_core/fast/generated.hpp and the header it "
        "writes",
        chain->base(), chain->tip());
  }
  if (!agrees(*code, chain)) {
    return fmt::format(
        "the generated code '{}' is not for this robot, payload and gravity: run "
        "`dyn generate` again",
        code->name);
  }
  const auto lacks = [](const std::string& name, auto function) {
    return name == kGenerated && function == nullptr;
  };
  if (lacks(names.mass_matrix, code->mass_matrix) ||
      lacks(names.inverse_dynamics, code->inverse_dynamics) ||
      lacks(names.inverse_dynamics, code->bias_torque) ||
      lacks(names.forward_dynamics, code->forward_dynamics)) {
    return fmt::format(
        "the generated code '{}' leaves out a function that is asked for: choose "
        "another algorithm for it, `fast` say",
        code->name);
  }
  return {};
}

namespace {

// What the code has no function for, and everything once the model has changed, is answered by the others.
class GeneratedQueries final : public Queries {
 public:
  GeneratedQueries(Situation& situation, Queries& others)
      : situation_(situation),
        others_(others),
        code_(*find_generated(situation.chain())),
        revision_(situation.model.revision()),
        matrix_(situation.dof(), situation.dof()),
        torque_(situation.dof()) {}

  Status mass_matrix(const Posture& at, MatOut<double> M) noexcept override {
    if (!applies()) return others_.mass_matrix(at, M);
    if (!situation_.fits_square(M)) return Status::kWrongSize;
    if (const Status status = situation_.check(at); status != Status::kOk) return status;
    code_.mass_matrix(at.coordinates().data(), matrix_.data());
    M = matrix_;
    return finite(matrix_);
  }
  Status bias_torque(const Posture& at, VecIn<double> qd, VecOut<double> tau) noexcept override {
    if (!applies()) return others_.bias_torque(at, qd, tau);
    if (!situation_.fits(qd) || !situation_.fits(tau)) return Status::kWrongSize;
    if (!qd.allFinite()) return Status::kNotFinite;
    if (const Status status = situation_.check(at); status != Status::kOk) return status;
    code_.bias_torque(at.coordinates().data(), qd.data(), tau.data());
    return finite(tau);
  }
  Status inverse_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                          VecOut<double> tau) noexcept override {
    if (!applies()) return others_.inverse_dynamics(at, qd, qdd, tau);
    if (!situation_.fits(qd) || !situation_.fits(qdd) || !situation_.fits(tau)) {
      return Status::kWrongSize;
    }
    if (!qd.allFinite() || !qdd.allFinite()) return Status::kNotFinite;
    if (const Status status = situation_.check(at); status != Status::kOk) return status;
    code_.inverse_dynamics(at.coordinates().data(), qd.data(), qdd.data(), tau.data());
    situation_.add_wrench(at, -1.0, tau);
    return finite(tau);
  }
  Status forward_dynamics(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                          VecOut<double> qdd) noexcept override {
    if (!applies()) return others_.forward_dynamics(at, qd, tau, qdd);
    if (!situation_.fits(qd) || !situation_.fits(tau) || !situation_.fits(qdd)) {
      return Status::kWrongSize;
    }
    if (!qd.allFinite() || !tau.allFinite()) return Status::kNotFinite;
    if (const Status status = situation_.check(at); status != Status::kOk) return status;
    torque_ = tau;
    situation_.add_wrench(at, 1.0, torque_);
    if (!code_.forward_dynamics(at.coordinates().data(), qd.data(), torque_.data(), qdd.data())) {
      return Status::kSingular;
    }
    return finite(qdd);
  }

  Status mass_matrix_inverse(const Posture& at, MatOut<double> M_inverse) noexcept override {
    return others_.mass_matrix_inverse(at, M_inverse);
  }
  Status factor(const Posture& at, MatOut<double> U, VecOut<double> D) noexcept override {
    return others_.factor(at, U, D);
  }
  Status coriolis_matrix(const Posture& at, VecIn<double> qd, MatOut<double> C) noexcept override {
    return others_.coriolis_matrix(at, qd, C);
  }
  Status coriolis_torque(const Posture& at, VecIn<double> qd,
                         VecOut<double> tau) noexcept override {
    return others_.coriolis_torque(at, qd, tau);
  }
  Status gravity_torque(const Posture& at, VecOut<double> tau) noexcept override {
    return others_.gravity_torque(at, tau);
  }
  Status inverse_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> qdd,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dqdd) noexcept override {
    return others_.inverse_dynamics_derivatives(at, qd, qdd, dq, dqd, dqdd);
  }
  Status forward_dynamics_derivatives(const Posture& at, VecIn<double> qd, VecIn<double> tau,
                                      MatOut<double> dq, MatOut<double> dqd,
                                      MatOut<double> dtau) noexcept override {
    return others_.forward_dynamics_derivatives(at, qd, tau, dq, dqd, dtau);
  }

 private:
  [[nodiscard]] bool applies() const { return situation_.model.revision() == revision_; }

  Situation& situation_;
  Queries& others_;
  const GeneratedDynamics code_;
  const std::uint64_t revision_;
  MatXd matrix_;
  VecXd torque_;
};

}  // namespace

std::unique_ptr<Queries> make_generated_queries(Situation& situation, Queries& others) {
  return std::make_unique<GeneratedQueries>(situation, others);
}

}  // namespace dyn
