// MPPI, a sampling MPC: arm7 reaches a posture by sampled torques, all rollouts in a Batch with code for this arm. The
// arm itself is a Plant, with stops and effort limits, its friction compensated by the drives. A plan for every 10 ms.
//
//   example_mppi [TRAJECTORIES [THREADS]]
//
// Says how many rollouts a second it does. Exit status 1 where the posture is not reached.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <dyn_core/control/plant.hpp>
#include <dyn_core/fast/batch.hpp>
#include <dyn_core/robot/random_chain.hpp>
#include <dyn_core/robot/robot_name.hpp>
#include <dyn_core/robot/urdf.hpp>
#include <dyn_core/solver.hpp>

namespace {

using dyn::BatchArray;
using dyn::Index;
using dyn::VecXd;

constexpr Index kSteps = 20, kHeld = 5;  // of a plan, of which so many under one acceleration
constexpr Index kBlocks = kSteps / kHeld;
constexpr double kStep = 0.01;     // s
constexpr double kSpread = 10.0;   // of the sampled accelerations, rad/s²
constexpr double kDuration = 4.0;  // s
constexpr Index kLanes = BatchArray::kPacket;

/// Plans from the present state on: accelerations, which M makes torques of that fit the arm.
class Mppi {
 public:
  Mppi(const dyn::ChainPtr& chain, VecXd goal, Index trajectories, int threads)
      : goal_(std::move(goal)),
        n_(chain->dof()),
        limits_(dyn::effort_limits(*chain)),
        solver_(dyn::Solver::make(chain).value()),
        batch_(std::move(dyn::Batch::make(dyn::Model(chain), threads).value())),
        noise_(kBlocks * n_, trajectories),
        tau_(kSteps * n_, trajectories),
        q_(n_, trajectories),
        qd_(n_, trajectories),
        costs_(1, trajectories),
        plan_(VecXd::Zero(kSteps * n_)) {
    dyn::Random random(1);
    for (Index k = 1; k < trajectories; ++k) {
      for (Index row = 0; row < noise_.rows(); ++row) noise_(row, k) = kSpread * random.normal();
    }
    const auto own = batch_.specialise();
    std::printf("code for this arm: %s\n", own ? "yes" : own.error().sentence.c_str());
  }

  /// The torque of the next step.
  VecXd plan(const VecXd& q, const VecXd& qd) {
    dyn::MatXd M(n_, n_);
    VecXd bias(n_);
    (void)solver_.mass_matrix(q, M);
    (void)solver_.bias_torque(q, qd, bias);
    sample(q, qd, M, bias);
    (void)batch_.rollout(
        kStep, tau_, q_, qd_,
        [this](Index step, const double* at, const double* rate, const double*, double* costs) {
          add_cost(step, at, rate, costs);
        },
        costs_);
    improve();
    VecXd torque = (M * plan_.head(n_) + bias).cwiseMax(-limits_).cwiseMin(limits_);
    plan_.head((kSteps - 1) * n_) = plan_.tail((kSteps - 1) * n_).eval();
    plan_.tail(n_).setZero();
    return torque;
  }

 private:
  // The noise is the same in every plan; the first trajectory is the plan itself.
  void sample(const VecXd& q, const VecXd& qd, const dyn::MatXd& M, const VecXd& bias) {
    dyn::MatXd planned = M * plan_.reshaped(n_, kSteps);
    planned.colwise() += bias;
    dyn::MatXd noise(n_, kBlocks), torque(n_, kSteps);
    for (Index k = 0; k < q_.states(); ++k) {
      noise_.get(k, noise.reshaped());
      const dyn::MatXd pushed = M * noise;
      for (Index s = 0; s < kSteps; ++s) {
        torque.col(s) =
            (planned.col(s) + pushed.col(s / kHeld)).cwiseMax(-limits_).cwiseMin(limits_);
      }
      tau_.set(k, torque.reshaped());
      q_.set(k, q);
      qd_.set(k, qd);
    }
  }
  void add_cost(Index step, const double* q, const double* qd, double* costs) const {
    const double weight = step + 1 == kSteps ? 10.0 : 1.0;
    for (Index i = 0; i < n_; ++i) {
      for (Index l = 0; l < kLanes; ++l) {
        const double off = q[i * kLanes + l] - goal_[i], rate = qd[i * kLanes + l];
        costs[l] += weight * (off * off + 0.03 * rate * rate);
      }
    }
  }
  // The mean of the noise, by how little each trajectory costs. What has run wild, not a number, counts nothing.
  void improve() {
    double least = costs_(0, 0), sum = 0.0;
    for (Index k = 0; k < costs_.states(); ++k) least = std::fmin(least, costs_(0, k));
    VecXd mean = VecXd::Zero(kBlocks * n_), noise(kBlocks * n_);
    for (Index k = 0; k < costs_.states(); ++k) {
      if (!(costs_(0, k) < 4.0 * least + 1e-9)) continue;
      const double weight = std::exp((least - costs_(0, k)) / (0.2 * least + 1e-9));
      noise_.get(k, noise);
      mean += weight * noise;
      sum += weight;
    }
    if (!(sum > 0.0)) return;
    for (Index s = 0; s < kSteps; ++s) {
      plan_.segment(s * n_, n_) += mean.segment(s / kHeld * n_, n_) / sum;
    }
  }

  VecXd goal_;
  Index n_;
  VecXd limits_;
  dyn::Solver solver_;
  dyn::Batch batch_;
  BatchArray noise_, tau_, q_, qd_, costs_;
  VecXd plan_;
};

}  // namespace

int main(int count, char** words) {
  const Index trajectories = count > 1 ? std::max(8, std::atoi(words[1])) : 2048;
  const int threads = count > 2 ? std::atoi(words[2]) : 1;
  const auto chain = dyn::load_urdf(dyn::robot_named("arm7").file, {.tip = "tool0"});
  if (!chain) return std::fprintf(stderr, "%s\n", chain.error().sentence.c_str()), 1;
  dyn::PlantParameters drives;
  drives.model.friction = dyn::Friction::kNone;
  auto plant = dyn::Plant::make(*chain, drives).value();
  const VecXd goal = (VecXd(7) << 0.8, 0.6, -0.5, 1.2, 0.3, 0.5, 0.0).finished();
  dyn::JointState start(7);
  start.q << 0.0, 0.2, 0.0, 0.6, 0.0, 0.3, 0.0;
  if (plant.reset(start, VecXd::Zero(7)) != dyn::Status::kOk) return 1;
  Mppi mppi(*chain, goal, trajectories, threads);
  double planning = 0.0, longest = 0.0;
  const int plans = static_cast<int>(kDuration / kStep);
  for (int p = 0; p < plans; ++p) {
    const auto began = std::chrono::steady_clock::now();
    const VecXd torque = mppi.plan(plant.state().q, plant.state().qd);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    planning += took.count();
    longest = std::fmax(longest, took.count());
    for (int i = 0; i < 20; ++i) {
      if (plant.command(torque) != dyn::Status::kOk) return 1;
      if (plant.step(kStep / 20) != dyn::Status::kOk) return 1;
    }
  }
  const double first = (start.q - goal).norm(), last = (plant.state().q - goal).norm();
  std::printf("%.3f rad from the posture at first, %.3f after %g s\n", first, last, kDuration);
  std::printf(
      "%.0f rollouts of %td steps a second; a plan takes %.2f ms, %.2f at most, of the %.0f there "
      "are\n",
      static_cast<double>(trajectories * plans) / planning, kSteps, 1e3 * planning / plans,
      1e3 * longest, 1e3 * kStep);
  return last < 0.25 * first ? 0 : 1;
}
