// Answers: what the services of dyn_msgs respond, for every front end; see messages.hpp for `Fields`.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "dyn_core/inspect/messages.hpp"
#include "dyn_core/inspect/request.hpp"

namespace dyn::inspect {

/// Answers requests from a monitor. Each fills the response but for success and message, which follow
/// from the result. `write_header(header, latest)` fills a response's header; `latest`: the latest joint
/// state was used, not one given.
template <class Fields, class WriteHeader>
class Answers {
 public:
  Answers(Fields& fields, Monitor& monitor, double now, WriteHeader write_header)
      : fields_(fields), monitor_(monitor), now_(now), write_header_(write_header) {}

  [[nodiscard]] Result<void> get_dynamics(const auto& request, auto& response) {
    const Given given(fields_, request);
    const auto state = state_of(given.request);
    if (!state) return tl::unexpected(state.error());
    Snapshot snapshot(state->q.size());
    const Status status = monitor_.inspector().snapshot(state->q, state->qd, snapshot);
    if (status != Status::kOk) return success_of(status);
    begin(given.request, response);
    fill_array(fields_, state->q, response.position);
    fill_array(fields_, state->qd, response.velocity);
    fill_array(fields_, snapshot.mass_matrix, response.mass_matrix);
    fill_array(fields_, snapshot.mass_matrix_inverse, response.mass_matrix_inverse);
    fill_array(fields_, snapshot.U, response.unit_upper);
    fill_array(fields_, snapshot.D, response.diagonal);
    fill_array(fields_, snapshot.coriolis_matrix, response.coriolis_matrix);
    fill_terms(fields_, snapshot.joint_dynamics, response);
    response.condition_number = snapshot.condition_number;
    fill_pose(snapshot.tip_pose, response.tip_pose);
    fill_array(fields_, snapshot.jacobian, response.jacobian);
    response.manipulability = snapshot.manipulability;
    return {};
  }

  [[nodiscard]] Result<void> inverse_dynamics(const auto& request, auto& response) {
    const Given given(fields_, request);
    const auto state = state_of(given.request);
    if (!state) return tl::unexpected(state.error());
    const auto acceleration =
        arranged_or_zero(monitor_.chain(), given.request.names,
                         fields_.numbers(request.acceleration), "acceleration");
    if (!acceleration) return tl::unexpected(acceleration.error());
    VecXd torque(monitor_.chain().dof());
    const Status status = monitor_.inspector().inverse_dynamics(
        *state, *acceleration, to_wrench(request.tip_wrench), request.friction, torque);
    if (status != Status::kOk) return success_of(status);
    begin(given.request, response);
    fill_array(fields_, torque, response.torque);
    return {};
  }

  [[nodiscard]] Result<void> forward_dynamics(const auto& request, auto& response) {
    const Given given(fields_, request);
    const auto state = state_of(given.request);
    if (!state) return tl::unexpected(state.error());
    const auto torque = torque_of(given.request, request);
    if (!torque) return tl::unexpected(torque.error());
    VecXd acceleration(monitor_.chain().dof());
    const Status status = monitor_.inspector().forward_dynamics(
        *state, *torque, to_wrench(request.tip_wrench), request.friction, acceleration);
    if (status != Status::kOk) return success_of(status);
    begin(given.request, response);
    fill_array(fields_, acceleration, response.acceleration);
    return {};
  }

  /// Where the motion ends early, it is given until then.
  [[nodiscard]] Result<void> predict_motion(const auto& request, auto& response) {
    const Given given(fields_, request);
    const auto state = state_of(given.request);
    if (!state) return tl::unexpected(state.error());
    const auto torque = torque_of(given.request, request);
    if (!torque) return tl::unexpected(torque.error());
    MotionOptions options;
    options.duration = request.duration;
    options.step = request.step == 0.0 ? request.duration / 100.0 : request.step;
    options.friction = request.friction;
    options.joint_stops = request.joint_stops;
    const auto motion = monitor_.inspector().predict(*state, *torque, options);
    if (!motion) return tl::unexpected(motion.error());
    fill_motion(fields_, *motion, *torque, response.trajectory);
    begin(given.request, response.trajectory);
    fill_array(fields_,
               Eigen::Map<const VecXd>(motion->energies.data(),
                                       static_cast<Index>(motion->energies.size())),
               response.energy);
    if (motion->status == Status::kOk) return {};
    return fail("the motion ends after " +
                std::to_string(motion->times.empty() ? 0.0 : motion->times.back()) +
                " s: " + to_string(motion->status));
  }

  [[nodiscard]] Result<void> time_trajectory(const auto& request, auto& response) {
    if (auto model = need_model(); !model) return model;
    const Chain& chain = monitor_.chain();
    const auto& names = fields_.names(request.path.joint_names);
    const auto take = [&](const auto& values, const char* quantity) {
      return arranged(chain, names, fields_.numbers(values), quantity);
    };
    TimingRequest wanted;
    wanted.velocity = request.velocity;
    wanted.effort = request.effort;
    wanted.step = request.step;
    for (const auto& point : elements(request.path.points)) {
      const auto q = take(point.positions, "position");
      if (!q) return tl::unexpected(q.error());
      wanted.path.push_back(*q);
    }
    if (!fields_.numbers(request.acceleration).empty()) {
      const auto acceleration = take(request.acceleration, "acceleration");
      if (!acceleration) return tl::unexpected(acceleration.error());
      wanted.acceleration = *acceleration;
    }
    const auto motion = monitor_.inspector().time_path(wanted);
    if (!motion) return tl::unexpected(motion.error());
    response.duration = motion->duration;
    write_header_(response.trajectory.header, false);
    fill_names(fields_, chain.coordinate_names(), response.trajectory.joint_names);
    const auto points = fields_.resize(response.trajectory.points, motion->times.size());
    for (std::size_t k = 0; k < motion->times.size(); ++k) {
      fill_time(motion->times[k], points[k].time_from_start);
      fill_array(fields_, motion->q[k], points[k].positions);
      fill_array(fields_, motion->qd[k], points[k].velocities);
      fill_array(fields_, motion->qdd[k], points[k].accelerations);
      fill_array(fields_, motion->torque[k], points[k].effort);
    }
    return {};
  }

  /// `apply` puts a payload in force.
  [[nodiscard]] Result<void> identify_payload(const auto& request, auto& response,
                                              const auto& apply) {
    constexpr int kStart = 0, kStop = 1;
    if (auto model = need_model(); !model) return model;
    if (request.action == kStart) {
      monitor_.start_payload_trial();
      return {};
    }
    if (request.action != kStop) {
      return fail("the action " + std::to_string(request.action) + " is neither START nor STOP");
    }
    const auto found = monitor_.stop_payload_trial();
    if (!found) return tl::unexpected(found.error());
    fill_inertia(found->payload.body, response.payload);
    response.mass_deviation = found->payload.mass_deviation;
    fill_vector(found->payload.com_deviation, response.com_deviation);
    fill_names(fields_, monitor_.chain().coordinate_names(), response.joint_names);
    fill_array(fields_, found->rms_before, response.residual_before);
    fill_array(fields_, found->rms_after, response.residual_after);
    response.samples = found->joint_states;
    if (!request.apply) return {};
    return apply(found->payload.body);
  }

  /// The payload that is to be carried from now on; `frame` is the request's.
  [[nodiscard]] Result<RigidBody> payload(const std::string& frame, const auto& inertia) {
    if (frame.empty()) return checked_payload(to_body(inertia));
    if (auto model = need_model(); !model) return tl::unexpected(model.error());
    return requested_payload(monitor_.chain().tip(), frame, to_body(inertia));
  }

 private:
  // A request's names, held, with its arrays.
  struct Given {
    Given(Fields& fields, const auto& message)
        : names(fields.names(message.joint_names)),
          request{names, fields.numbers(message.position), fields.numbers(message.velocity)} {}
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;

    std::vector<std::string> names;
    StateRequest request;
  };

  [[nodiscard]] static Result<void> success_of(Status status) {
    if (status == Status::kOk) return {};
    return fail(std::string("it cannot be computed in this state: ") + to_string(status));
  }
  [[nodiscard]] Result<void> need_model() const {
    if (monitor_.loaded()) return {};
    return fail("there is no model: " + monitor_.report().message);
  }
  [[nodiscard]] Result<JointState> state_of(const StateRequest& request) const {
    if (auto model = need_model(); !model) return tl::unexpected(model.error());
    return requested_state(monitor_.chain(), request, monitor_.joint_states(), now_);
  }
  [[nodiscard]] Result<VecXd> torque_of(const StateRequest& request, const auto& message) const {
    return requested_torque(monitor_.chain(), request, fields_.numbers(message.torque),
                            monitor_.joint_states());
  }
  void begin(const StateRequest& request, auto& message) {
    write_header_(message.header, request.positions.empty());
    fill_names(fields_, monitor_.chain().coordinate_names(), message.joint_names);
  }

  Fields& fields_;
  Monitor& monitor_;
  double now_;
  WriteHeader write_header_;
};

}  // namespace dyn::inspect
