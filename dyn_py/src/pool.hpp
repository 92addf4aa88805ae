// Pool: what a Python Solver is: solvers of one chain and one setting, one for each thread.
//
// A query of one state goes to the first of them with the interpreter's lock held. One of K states is cut
// into chunks that fit the caches; each is brought from rows of numbers into packets, answered by a kernel
// of eight states at a time where the algorithm has one, and brought back. The lock is released meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "dyn_core/fast/batch.hpp"
#include "dyn_core/robot/kinematics.hpp"
#include "dyn_core/solver.hpp"

namespace dyn::python {

/// What one thread works with.
struct Worker {
  Worker(const ChainPtr& chain, const Algorithms& algorithms);

  Model model;
  Solver solver;
  Kinematics<double> kinematics;
  std::optional<Batch> batch;
  std::vector<MatXd> power;  // of queries whose results have another layout
  MatXd jacobian;
  std::optional<Quasi> quasi;
  std::uint64_t settings = 0;  ///< the revision that it has taken over
};

/// One state: where its arguments and results begin.
using One = std::function<Status(Worker&, const double* const*, double* const*)>;
/// As many as the arrays have states.
using Many = std::function<Status(Batch&, std::span<const BatchArray>, std::span<BatchArray>)>;

/// What a quantity depends on; only if all of it is as the kernels have it, they are asked.
struct Query {
  const char* name;
  One one;  ///< empty: only by kernels, which then leave nan where a motion diverges
  Many many = {};
  std::string Algorithms::*algorithm = nullptr;  ///< that has to be `fast` for `many`
  bool forces = false;                           ///< friction and the wrench at the tip act in it
};

struct Argument {
  const char* name;
  const Floats& values;
  bool in_time = false;  ///< one state's are (T, n)
};

/// Of one state's result.
struct Shape {
  std::array<Index, 3> lengths = {};
  std::size_t dimensions = 1;

  [[nodiscard]] Index size() const;
};

class Pool {
 public:
  Pool(const ChainPtr& chain, const Algorithms& algorithms, int threads);

  [[nodiscard]] const Chain& chain() const { return *chain_; }
  [[nodiscard]] const ChainPtr& chain_ptr() const { return chain_; }
  [[nodiscard]] Index dof() const { return chain_->dof(); }
  [[nodiscard]] const Algorithms& algorithms() const;
  [[nodiscard]] int threads() const { return threads_; }

  /// One result is an array, more are a tuple; `out` is None or what they are written to.
  [[nodiscard]] py::object answer(const Query& query, std::span<const Argument> in,
                                  std::span<const Shape> shapes, const py::object& out);

  /// (4,) or (10,) for all states; (K, 4) or (K, 10) for as many.
  void set_payload(const std::optional<Floats>& numbers);
  void set_gravity(const Vec3d& gravity);
  void set_armature(const VecXd& armature);
  void set_tip_wrench(const Wrench& wrench);
  void set_friction(bool enabled);

 private:
  struct Job;

  template <class Change>
  void change(Change change);
  /// The worker of that number, as the settings are.
  [[nodiscard]] Worker& worker(std::size_t number);
  [[nodiscard]] std::unique_lock<std::mutex> lock() const;
  [[nodiscard]] bool by_kernels(const Query& query) const;
  void take_arguments(Job& job, std::span<const Argument> in) const;
  [[nodiscard]] py::object make_results(Job& job, std::span<const Shape> shapes,
                                        const py::object& out) const;
  void run_one(const Job& job);
  void run_many(Job& job);
  /// Chunks until there are no more.
  void run_chunks(Job& job, Worker& worker, std::vector<BatchArray>& scratch);
  void run_chunk(Job& job, Worker& worker, Index first, std::span<BatchArray> arrays);
  [[nodiscard]] Status run_state(const Job& job, Worker& worker, Index state) const;
  [[noreturn]] void fail(const Job& job, Status status, Index state) const;

  ChainPtr chain_;
  Algorithms asked_;
  int threads_;
  mutable std::mutex mutex_;  // of all below
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t revision_ = 1;
  std::vector<RigidBody> payloads_;  // none, one for all states, or one for each
  bool payload_each_ = false;
  Vec3d gravity_;
  VecXd armature_;  // empty: the chain's
  Wrench wrench_;
  bool has_wrench_ = false, friction_ = false;
};

/// One payload from (4,) or (10,): mass, centre of mass, and ixx, iyy, izz, ixy, ixz, iyz about it.
[[nodiscard]] RigidBody payload_from(const Floats& numbers);

}  // namespace dyn::python
