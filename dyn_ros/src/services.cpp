// Copyright 2026 The dyn developers
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#include "dyn_ros/services.hpp"

#include <memory>
#include <utility>

#include <dyn_msgs/eigen.hpp>

#include "dyn_ros/conversions.hpp"

namespace dyn_ros {

using dyn::Result;
using dyn::Status;
using dyn::inspect::StateRequest;
using dyn_msgs::from_eigen;

namespace {

Result<void> success_of(Status status) {
  if (status == Status::kOk) return {};
  return dyn::fail(std::string("it cannot be computed in this state: ") + dyn::to_string(status));
}

template <class Request>
StateRequest state_request(const Request& request) {
  return {request.joint_names, request.position, request.velocity};
}

void fill(const dyn::inspect::Snapshot& from, dyn_msgs::srv::GetDynamics::Response& to) {
  from_eigen(from.mass_matrix, to.mass_matrix);
  from_eigen(from.mass_matrix_inverse, to.mass_matrix_inverse);
  from_eigen(from.U, to.unit_upper);
  from_eigen(from.D, to.diagonal);
  from_eigen(from.coriolis_matrix, to.coriolis_matrix);
  const dyn::inspect::JointDynamics& terms = from.joint_dynamics;
  from_eigen(terms.gravity_torque, to.gravity_torque);
  from_eigen(terms.coriolis_torque, to.coriolis_torque);
  from_eigen(terms.friction_torque, to.friction_torque);
  from_eigen(terms.bias_torque, to.bias_torque);
  to.kinetic_energy = terms.kinetic_energy;
  to.potential_energy = terms.potential_energy;
  to.condition_number = from.condition_number;
  to.tip_pose = to_message(from.tip_pose);
  from_eigen(from.jacobian, to.jacobian);
  to.manipulability = from.manipulability;
}

}  // namespace

template <class Service>
void Services::offer(rclcpp::Node& node, const std::string& name) {
  const auto callback = [this](std::shared_ptr<typename Service::Request> request,
                               std::shared_ptr<typename Service::Response> response) {
    const Result<void> result = answer(*request, *response);
    response->success = result.has_value();
    response->message = result ? "ok" : result.error().sentence;
  };
  services_.push_back(node.create_service<Service>("~/" + name, callback));
}

Services::Services(rclcpp::Node& node, ServiceContext context) : context_(std::move(context)) {
  offer<GetDynamics>(node, "get_dynamics");
  offer<InverseDynamics>(node, "inverse_dynamics");
  offer<ForwardDynamics>(node, "forward_dynamics");
  offer<PredictMotion>(node, "predict_motion");
  offer<SetPayload>(node, "set_payload");
  offer<SetGravity>(node, "set_gravity");
}

Result<void> Services::need_model() const {
  if (context_.monitor.loaded()) return {};
  return dyn::fail("there is no model: " + context_.monitor.report().message);
}

Result<dyn::JointState> Services::state_of(const StateRequest& request) {
  if (auto model = need_model(); !model) return tl::unexpected(model.error());
  return dyn::inspect::requested_state(context_.monitor.chain(), request,
                                       context_.monitor.joint_states(), context_.now());
}

std_msgs::msg::Header Services::header_of(const StateRequest& request) const {
  std_msgs::msg::Header header;
  if (request.positions.empty()) header.stamp = context_.latest_stamp();
  header.frame_id = context_.frame_id();
  return header;
}

Result<void> Services::answer(const GetDynamics::Request& request,
                              GetDynamics::Response& response) {
  const auto state = state_of(state_request(request));
  if (!state) return tl::unexpected(state.error());
  dyn::inspect::Snapshot snapshot(state->q.size());
  const auto status = context_.monitor.inspector().snapshot(state->q, state->qd, snapshot);
  if (status != Status::kOk) return success_of(status);
  response.header = header_of(state_request(request));
  response.joint_names = context_.monitor.chain().coordinate_names();
  from_eigen(state->q, response.position);
  from_eigen(state->qd, response.velocity);
  fill(snapshot, response);
  return {};
}

Result<void> Services::answer(const InverseDynamics::Request& request,
                              InverseDynamics::Response& response) {
  const auto state = state_of(state_request(request));
  if (!state) return tl::unexpected(state.error());
  const dyn::Chain& chain = context_.monitor.chain();
  const auto acceleration = dyn::inspect::arranged_or_zero(chain, request.joint_names,
                                                           request.acceleration, "acceleration");
  if (!acceleration) return tl::unexpected(acceleration.error());
  dyn::VecXd torque(chain.dof());
  const auto status = context_.monitor.inspector().inverse_dynamics(
      *state, *acceleration, from_message(request.tip_wrench), request.friction, torque);
  if (status != Status::kOk) return success_of(status);
  response.header = header_of(state_request(request));
  response.joint_names = chain.coordinate_names();
  from_eigen(torque, response.torque);
  return {};
}

Result<void> Services::answer(const ForwardDynamics::Request& request,
                              ForwardDynamics::Response& response) {
  const auto state = state_of(state_request(request));
  if (!state) return tl::unexpected(state.error());
  const dyn::Chain& chain = context_.monitor.chain();
  const auto torque = dyn::inspect::requested_torque(chain, state_request(request), request.torque,
                                                     context_.monitor.joint_states());
  if (!torque) return tl::unexpected(torque.error());
  dyn::VecXd acceleration(chain.dof());
  const auto status = context_.monitor.inspector().forward_dynamics(
      *state, *torque, from_message(request.tip_wrench), request.friction, acceleration);
  if (status != Status::kOk) return success_of(status);
  response.header = header_of(state_request(request));
  response.joint_names = chain.coordinate_names();
  from_eigen(acceleration, response.acceleration);
  return {};
}

Result<void> Services::answer(const PredictMotion::Request& request,
                              PredictMotion::Response& response) {
  const auto state = state_of(state_request(request));
  if (!state) return tl::unexpected(state.error());
  const dyn::Chain& chain = context_.monitor.chain();
  const auto torque = dyn::inspect::requested_torque(chain, state_request(request), request.torque,
                                                     context_.monitor.joint_states());
  if (!torque) return tl::unexpected(torque.error());
  dyn::inspect::MotionOptions options;
  options.duration = request.duration;
  options.step = request.step == 0.0 ? request.duration / 100.0 : request.step;
  options.friction = request.friction;
  options.joint_stops = request.joint_stops;
  const auto motion = context_.monitor.inspector().predict(*state, *torque, options);
  if (!motion) return tl::unexpected(motion.error());
  response.trajectory = to_message(*motion, *torque);
  response.trajectory.header = header_of(state_request(request));
  response.trajectory.joint_names = chain.coordinate_names();
  response.energy = motion->energies;
  if (motion->status == Status::kOk) return {};
  return dyn::fail("the motion ends after " +
                   std::to_string(motion->times.empty() ? 0.0 : motion->times.back()) +
                   " s: " + dyn::to_string(motion->status));
}

Result<void> Services::answer(const SetPayload::Request& request, SetPayload::Response&) {
  if (!request.frame_id.empty()) {
    if (auto model = need_model(); !model) return model;
    const std::string& tip = context_.monitor.chain().tip();
    if (request.frame_id != tip) {
      return dyn::fail("the payload is given in '" + request.frame_id +
                       "', but it has to be in the frame of the tip link '" + tip + "'");
    }
  }
  const auto& i = request.payload;
  if (const auto body = dyn::inspect::checked_payload(from_message(i)); !body) {
    return tl::unexpected(body.error());
  }
  using rclcpp::Parameter;
  return context_.set_parameters(
      {Parameter("payload.mass", i.m),
       Parameter("payload.com", std::vector<double>{i.com.x, i.com.y, i.com.z}),
       Parameter("payload.inertia",
                 std::vector<double>{i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz})});
}

Result<void> Services::answer(const SetGravity::Request& request, SetGravity::Response&) {
  const auto& g = request.gravity;
  return context_.set_parameters(
      {rclcpp::Parameter("gravity", std::vector<double>{g.x, g.y, g.z})});
}

}  // namespace dyn_ros
