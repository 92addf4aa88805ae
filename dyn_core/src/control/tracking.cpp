#include "dyn_core/control/tracking.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace dyn {
namespace {

class ClosedLoop {
 public:
  ClosedLoop(Controller controller, Plant plant, const Trajectory& trajectory,
             const TrackingParameters& parameters, TargetFilter filter)
      : controller_(std::move(controller)),
        plant_(std::move(plant)),
        trajectory_(trajectory),
        parameters_(parameters),
        period_(parameters.controller.law.period),
        sees_gravity_(!parameters.controller.law.hardware_compensates_gravity),
        filter_(std::move(filter)),
        wanted_tip_(controller_.chain_ptr()),
        tip_(wanted_tip_),
        jacobian_(MatXd::Zero(6, plant_.dof())),
        reference_(plant_.dof()),
        ahead_(plant_.dof()),
        state_(plant_.dof()),
        measured_(plant_.dof()),
        error_(VecXd::Zero(plant_.dof())) {
    report_.rms = report_.peak = report_.torque_rms = report_.torque_peak = error_;
  }

  Status start(Solver& model) {
    Status status = refer(0.0, reference_);
    if (status == Status::kOk) status = model.gravity_torque(reference_.q, error_);
    if (!sees_gravity_) error_.setZero();
    JointState state(plant_.dof());
    state.q = reference_.q;
    state.qd = reference_.qd;
    if (follows_nothing()) state.qd.setZero();
    if (status == Status::kOk) status = wanted_tip_.update(reference_.q);
    start_ = last_ = wanted_tip_.tip_pose().p;
    filter_.reset(wanted_tip_.tip_pose());
    if (status == Status::kOk) status = controller_.activate(error_);
    return status == Status::kOk ? plant_.reset(state, controller_.output().torque) : status;
  }

  Status period() {
    const double now = plant_.time();
    Status status = refer(now, reference_);
    if (status == Status::kOk) status = refer(now + controller_.lookahead(), ahead_);
    if (status != Status::kOk) return status;
    state_.q = plant_.state().q;
    state_.qd = plant_.state().qd;
    measured_.q = plant_.measured().q;
    measured_.qd = plant_.measured().qd;
    measure_error();
    status = measure_tip(now);
    if (parameters_.targets > 0.0 && status == Status::kOk) status = take_target(now);
    if (status != Status::kOk) return status;
    const double part = now / trajectory_.duration();
    const bool pushed = part >= 0.25 && part < 0.5;
    plant_.set_tip_wrench({pushed ? parameters_.push : Vec3d(Vec3d::Zero()), Vec3d::Zero()});
    const auto begin = std::chrono::steady_clock::now();
    const ControlOutput& output = controller_.update(now, measured_, ahead_, period_);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    measure_update(output, time.count());
    status = plant_.command(output.torque, output.drive);
    return status == Status::kOk ? plant_.step(period_) : status;
  }

  [[nodiscard]] TrackingSample sample(double time) const {
    return {time, reference_, state_, measured_, controller_.output()};
  }
  [[nodiscard]] double time() const { return plant_.time(); }

  TrackingReport finish(bool stopped) {
    const double n = std::max<double>(1.0, static_cast<double>(report_.updates));
    report_.rms = (report_.rms / n).cwiseSqrt();
    report_.torque_rms = (report_.torque_rms / n).cwiseSqrt();
    report_.rms_norm = std::sqrt(report_.rms_norm / n);
    report_.tip_rms = std::sqrt(report_.tip_rms / n);
    report_.turn_rms = std::sqrt(report_.turn_rms / n);
    report_.prediction_rms = std::sqrt(report_.prediction_rms / n);
    report_.saturated /= n;
    report_.mean_update /= n;
    report_.time = plant_.time();
    report_.stopped = stopped;
    return std::move(report_);
  }

 private:
  Status refer(double time, Reference& out) const {
    return trajectory_.evaluate(time, out.q, out.qd, out.qdd);
  }

  // Sums of squares, until finish().
  void measure_error() {
    joint_difference(plant_.chain(), reference_.q, plant_.state().q, error_);
    report_.rms += error_.cwiseAbs2();
    report_.peak = report_.peak.cwiseMax(error_.cwiseAbs());
    report_.rms_norm += error_.squaredNorm();
    report_.peak_norm = std::max(report_.peak_norm, error_.norm());
    if (controller_.predictor().has_error()) {
      report_.prediction_rms += controller_.predictor().error().q.squaredNorm();
    }
  }

  // And the ways that an arm goes which follows nothing.
  Status measure_tip(double now) {
    Status status = wanted_tip_.update(reference_.q);
    if (status == Status::kOk) status = tip_.update(state_.q);
    if (status != Status::kOk) return status;
    const Posed is = tip_.tip_pose(), wanted = wanted_tip_.tip_pose();
    const double away = (wanted.p - is.p).norm();
    const double turned = rotation_vector(wanted.R * is.R.transpose()).norm();
    report_.tip_rms += away * away;
    report_.tip_peak = std::max(report_.tip_peak, away);
    report_.turn_rms += turned * turned;
    report_.turn_peak = std::max(report_.turn_peak, turned);
    report_.kept = report_.kept.cwiseMin(controller_.output().tip.kept);
    const double part = now / trajectory_.duration();
    if (part < 0.5) report_.pushed = (is.p - start_).norm();
    if (part >= 0.75) report_.drift += (is.p - last_).norm();
    last_ = is.p;
    return Status::kOk;
  }

  // The tip's reference now and then, as a policy sends it, and what the filter makes of it.
  Status take_target(double now) {
    if (now >= next_target_) {
      next_target_ += 1.0 / parameters_.targets;
      TipReference target;
      target.pose = wanted_tip_.tip_pose();
      const Status status = wanted_tip_.jacobian(jacobian_);
      if (status != Status::kOk) return status;
      target.twist.noalias() = jacobian_ * reference_.qd;
      (void)filter_.set(target);
    }
    extrapolate(filter_.update(period_), controller_.lookahead(), ahead_.tip);
    return Status::kOk;
  }

  [[nodiscard]] bool follows_nothing() const {
    return entry_of(parameters_.controller.law.law).follows == Follows::kNothing;
  }

  void measure_update(const ControlOutput& output, double time) {
    ++report_.updates;
    if (output.mode != ControlMode::kTracking) ++report_.failures;
    if (output.limit.effort || output.limit.rate) report_.saturated += 1.0;
    report_.torque_rms += output.torque.cwiseAbs2();
    report_.torque_peak = report_.torque_peak.cwiseMax(output.torque.cwiseAbs());
    report_.mean_update += time;
    report_.worst_update = std::max(report_.worst_update, time);
  }

  Controller controller_;
  Plant plant_;
  const Trajectory& trajectory_;
  const TrackingParameters& parameters_;
  double period_;
  bool sees_gravity_;
  TargetFilter filter_;
  double next_target_ = 0.0;
  Kinematics<double> wanted_tip_, tip_;
  MatXd jacobian_;
  Vec3d start_ = Vec3d::Zero(), last_ = start_;
  Reference reference_, ahead_;
  JointState state_, measured_;  // at the beginning of the period
  VecXd error_;
  TrackingReport report_;
};

}  // namespace

Result<TrackingReport> track(const ChainPtr& chain, const ChainPtr& truth,
                             const Trajectory& trajectory, const TrackingParameters& parameters,
                             const TrackingCallbacks& callbacks) {
  if (trajectory.dof() != chain->dof() || truth->dof() != chain->dof()) {
    return fail(fmt::format("the trajectory has {} coordinates and the plant {}, but the chain {}",
                            trajectory.dof(), truth->dof(), chain->dof()));
  }
  const double period = parameters.controller.law.period;
  Result<Controller> controller = Controller::make(chain, parameters.controller);
  if (!controller) return tl::unexpected(controller.error());
  PlantParameters plant_parameters = parameters.plant;
  plant_parameters.shortest_period = period;
  Result<Plant> plant = Plant::make(truth, plant_parameters);
  if (!plant) return tl::unexpected(plant.error());
  Result<Solver> model = Solver::make(chain);
  if (!model) return tl::unexpected(model.error());

  Result<TargetFilter> filter = TargetFilter::make(parameters.target);
  if (!filter) return tl::unexpected(filter.error());

  ClosedLoop run(std::move(*controller), std::move(*plant), trajectory, parameters,
                 std::move(*filter));
  Status status = run.start(*model);
  const double end = trajectory.duration() - 0.5 * period;
  bool stopped = false;
  while (status == Status::kOk && !stopped && run.time() < end) {
    const double now = run.time();
    status = run.period();
    if (status == Status::kOk && callbacks.sample) callbacks.sample(run.sample(now));
    stopped = callbacks.proceed && !callbacks.proceed(run.time());
  }
  if (status != Status::kOk) {
    return fail(
        fmt::format("the simulated arm failed at {:.4g} s: {}; shorten the plant's step or "
                    "lower the gains",
                    run.time(), to_string(status)));
  }
  return run.finish(stopped);
}

}  // namespace dyn
