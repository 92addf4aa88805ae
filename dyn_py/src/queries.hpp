// What a Python Solver is: one solver for each thread, and a Batch.
//
// A query of one state goes to the first solver with the interpreter's lock held. One of K states goes to the
// Batch where it has the algorithm, or state by state to the solvers of all threads; the lock is released
// meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "arrays.hpp"
#include "dyn_core/fast/batch.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::python {

/// What one thread works with.
struct Worker {
  Worker(const ChainPtr& chain, const Algorithms& algorithms)
      : solver(require(Solver::make(chain, algorithms, Inertia::kIfThere))),
        kinematics(chain),
        jacobian(6, chain->dof()) {}

  [[nodiscard]] Eigen::Map<const VecXd> vector(const double* at) const { return {at, dof()}; }
  [[nodiscard]] Eigen::Map<VecXd> vector(double* at) const { return {at, dof()}; }
  [[nodiscard]] Eigen::Map<MatXd> square(double* at) const { return {at, dof(), dof()}; }
  [[nodiscard]] Index dof() const { return solver.dof(); }

  Solver solver;
  Kinematics<double> kinematics;
  MatXd jacobian;
  // Made when they are asked for: much memory where the chain is long.
  std::vector<MatXd> squares;  ///< one for each coordinate
  std::optional<Quasi> quasi;
  std::optional<Linearization> linearization;
};

inline constexpr std::size_t kMostArguments = 3, kMostResults = 16;
/// Where the arguments and the results of one state begin.
using In = const double* const*;
using Results = double* const*;

struct Query {
  const char* name;
  std::array<const char*, kMostArguments> arguments;  ///< their names
  /// For each result what it is of: n, m = 2n, a digit; "" is a number. With T, the steps of the rollout, the last
  /// argument has T as well.
  std::vector<const char*> shapes;
  /// Empty: only by the Batch, nan where a motion diverges.
  std::function<Status(Worker&, In, Results)> one = {};
  std::optional<BatchQuery> many = {};
  std::string Algorithms::*algorithm = nullptr;  ///< that has to be `fast` for `many`
  bool forces = false;                           ///< friction and the wrench at the tip act in it
  bool at_rest = false;                          ///< `many` wants velocities after q: zeros
  std::optional<Batch::Rollout> rollout = {};
};

struct Settings {
  std::vector<RigidBody> payloads;  ///< none, one for all states, or one for each
  bool payload_each = false;
  Vec3d gravity;
  VecXd armature;  ///< empty: the chain's
  Wrench wrench;
  bool friction = false;

  [[nodiscard]] RigidBody payload() const {
    return payloads.empty() || payload_each ? RigidBody() : payloads.front();
  }
  [[nodiscard]] bool has_forces() const {
    return friction || !wrench.force.isZero(0.0) || !wrench.torque.isZero(0.0);
  }
};

class Queries {
 public:
  Queries(const ChainPtr& chain, const Algorithms& algorithms, int threads);

  [[nodiscard]] const Chain& chain() const { return *chain_; }
  [[nodiscard]] const ChainPtr& chain_ptr() const { return chain_; }
  [[nodiscard]] Index dof() const { return chain_->dof(); }
  [[nodiscard]] const Algorithms& algorithms() const { return first().solver.algorithms(); }
  [[nodiscard]] int threads() const { return threads_; }

  /// One result is an array, more are a tuple; `out` is None or what the one is written to.
  [[nodiscard]] py::object answer(const Query& query, std::span<const Floats* const> in,
                                  const py::object& out = py::none());

  /// `change` of the settings, which act from then on.
  template <class Change>
  void set(Change change) {
    const auto hold = lock();
    change(settings_);
    apply();
  }

  /// Code for this robot in the batch, as it is set now. A Failure says why there is none.
  void specialise();

 private:
  struct Job;

  [[nodiscard]] Worker& first() const { return *workers_.front(); }
  [[nodiscard]] std::unique_lock<std::mutex> lock() const;
  void apply();
  void apply(Solver& solver) const;
  [[nodiscard]] bool by_batch(const Query& query) const;
  void take_arguments(Job& job, std::span<const Floats* const> in) const;
  [[nodiscard]] py::object make_results(Job& job, const py::object& out) const;
  void run_many(Job& job);
  [[nodiscard]] Status run_batch(const Job& job);
  void run_states(Job& job);
  [[nodiscard]] Status run_state(const Job& job, Worker& worker, Index state) const;
  [[noreturn]] void fail(const Job& job) const;

  ChainPtr chain_;
  Algorithms asked_;
  int threads_;
  mutable std::mutex mutex_;  // of all below
  std::vector<std::unique_ptr<Worker>> workers_;
  Result<Batch> batch_;
  Settings settings_;
};

/// The methods of all queries but step and rollout.
void bind_queries(py::module_& module, py::class_<Queries>& solver);

/// One for each row of mass, centre of mass and, if known, inertia about it; a Failure where there is no such
/// body.
[[nodiscard]] std::vector<RigidBody> bodies_from(const Floats& numbers);
/// (4,) or (10,).
[[nodiscard]] RigidBody payload_from(const Floats& numbers);

}  // namespace dyn::python
