// Batch: the dynamics of one chain in many states, eight side by side in the lanes of the processor.
//
// For sampling controllers, learning and Monte Carlo: the same quantities as a Solver, and a step of a
// rollout, for thousands or millions of states. Values are kept as a structure of arrays, in packets of
// eight states. Each state may carry a payload of its own. Joints, not coordinates: a chain with mimic
// joints is refused.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn {

/// Some numbers for each of many states. Row r of packet p is eight consecutive numbers, one for each of
/// the states 8 p … 8 p + 7; those beyond the last state mean nothing.
class DYN_CORE_EXPORT BatchArray {
 public:
  BatchArray(Index rows, Index states);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index states() const { return states_; }
  [[nodiscard]] Index packets() const { return (states_ + kPacket - 1) / kPacket; }

  [[nodiscard]] double& operator()(Index row, Index state) {
    return packet(state / kPacket)[offset(row, state)];
  }
  [[nodiscard]] double operator()(Index row, Index state) const {
    return packet(state / kPacket)[offset(row, state)];
  }
  [[nodiscard]] double* packet(Index p) { return numbers_.get() + p * rows_ * kPacket; }
  [[nodiscard]] const double* packet(Index p) const { return numbers_.get() + p * rows_ * kPacket; }

  void set(Index state, VecIn<double> values);
  void get(Index state, VecOut<double> values) const;
  void fill(double value);

  static constexpr Index kPacket = 8;

 private:
  static Index offset(Index row, Index state) { return row * kPacket + state % kPacket; }

  struct Free {
    void operator()(double* p) const;
  };
  Index rows_, states_;
  std::unique_ptr<double[], Free> numbers_;
};

/// Numbers of many states as a table has them: those of state k begin at data + k step. With a step of zero
/// all states have the same.
struct BatchRows {
  const double* data = nullptr;
  Index step = 0;
};

/// With the inputs and results of the query of that name.
enum class BatchQuery {
  kMassMatrix,
  kMassMatrixInverse,
  kFactor,
  kCoriolisMatrix,
  kBiasTorque,
  kInverseDynamics,
  kForwardDynamics,
  kInverseDynamicsDerivatives,
  kForwardDynamicsDerivatives,
};

enum class BatchIntegrator {
  kSemiImplicitEuler,  ///< one forward dynamics; q̇ first, then q with the new q̇
  kRungeKutta4,        ///< four
};

class DYN_CORE_EXPORT Batch {
 public:
  /// Called between pieces of work with the packets done and all packets; false ends the work there. Must
  /// not throw.
  using Progress = std::function<bool(Index done, Index all)>;

  /// Adds to eight costs what one step of eight trajectories costs: the states it led to and the torques that acted,
  /// as rows of eight numbers, one row for each joint. Called on every thread; must not throw.
  using StepCost = std::function<void(Index step, const double* q, const double* qd,
                                      const double* tau, double* costs)>;

  /// The error says what about the chain cannot be done.
  [[nodiscard]] static Result<Batch> make(const Model& model, int threads = 1);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  [[nodiscard]] Index joints() const;
  /// The instruction set in use.
  [[nodiscard]] std::string_view target() const;

  /// After a change of payload, gravity or armature.
  void set_model(const Model& model);
  /// State k carries payloads[k] at the tip link, in its frame, in place of the model's payload; an empty
  /// span ends that. As many states as there are payloads may then be asked for.
  void set_payloads(std::span<const RigidBody> payloads);
  /// From now on M, bias torque, inverse and forward dynamics, steps and rollouts come from straight-line code for
  /// this model, as long as neither set_model() nor set_payloads() changes it. It is compiled once, in about a second,
  /// and kept in the user's cache folder; where `dyn generate --lanes` has been compiled into the program, a Batch
  /// takes that by itself. The error: why there is no such code; the batch then goes on as before.
  [[nodiscard]] Result<void> specialise();
  /// Whether there is code for this model.
  [[nodiscard]] bool is_specialised() const;
  /// Allowed to be empty. Called on the calling thread.
  void set_progress(Progress progress);

  // Rows: one for each joint; a matrix has row i n + j for its element i, j. Outputs have the states of q.
  // With one thread nothing is allocated. The worst status of all states is returned; the others' results
  // are valid. Where the progress callback ends the work, the rest of the outputs is as before.
  Status mass_matrix(const BatchArray& q, BatchArray& M) noexcept;
  Status mass_matrix_inverse(const BatchArray& q, BatchArray& M_inverse) noexcept;
  Status factor(const BatchArray& q, BatchArray& U, BatchArray& D) noexcept;
  Status coriolis_matrix(const BatchArray& q, const BatchArray& qd, BatchArray& C) noexcept;
  Status bias_torque(const BatchArray& q, const BatchArray& qd, BatchArray& tau) noexcept;
  Status inverse_dynamics(const BatchArray& q, const BatchArray& qd, const BatchArray& qdd,
                          BatchArray& tau) noexcept;
  Status forward_dynamics(const BatchArray& q, const BatchArray& qd, const BatchArray& tau,
                          BatchArray& qdd) noexcept;
  /// Element i, j of a matrix: the derivative of element i by element j.
  Status inverse_dynamics_derivatives(const BatchArray& q, const BatchArray& qd,
                                      const BatchArray& qdd, BatchArray& dq, BatchArray& dqd,
                                      BatchArray& dqdd) noexcept;
  Status forward_dynamics_derivatives(const BatchArray& q, const BatchArray& qd,
                                      const BatchArray& tau, BatchArray& dq, BatchArray& dqd,
                                      BatchArray& dtau) noexcept;
  /// Moves every state on by `dt` seconds under constant torques.
  Status step(double dt, const BatchArray& tau, BatchArray& q, BatchArray& qd,
              BatchIntegrator integrator = BatchIntegrator::kSemiImplicitEuler) noexcept;
  /// A trajectory from every state, as many steps as `tau` has rows for (row step n + joint), and what it costs: `costs`
  /// has one row. q and qd become the last states.
  Status rollout(double dt, const BatchArray& tau, BatchArray& q, BatchArray& qd,
                 const StepCost& cost, BatchArray& costs,
                 BatchIntegrator integrator = BatchIntegrator::kSemiImplicitEuler) noexcept;

  // The same for tables: a state is a row of joints() numbers, a result a row of as many as it has, the
  // elements of a matrix row by row; rows of results follow each other without a gap and overlap no input.

  Status answer(BatchQuery query, Index states, std::span<const BatchRows> in,
                std::span<double* const> out);
  struct Rollout {
    double dt = 1e-3;  ///< of a step, s
    int substeps = 1;  ///< of dt / substeps each
    BatchIntegrator integrator = BatchIntegrator::kSemiImplicitEuler;
    Index steps = 1;
  };
  /// A state's row of `tau`, and of both results, has `steps` times joints() numbers: the torque in each
  /// step, and what it led to.
  Status rollout(const Rollout& how, Index states, const BatchRows& q, const BatchRows& qd,
                 const BatchRows& tau, double* q_out, double* qd_out);

 private:
  struct Impl;
  explicit Batch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dyn
