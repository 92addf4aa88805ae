#include "services.hpp"

#include <utility>

#include <dyn_core/inspect/answers.hpp>

namespace dyn_dds {

using dyn::Result;

Services::Services(Node& node, ServiceContext context)
    : context_(std::move(context)),
      get_dynamics_(node.service<dyn_msgs::srv::GetDynamics>("~/get_dynamics")),
      inverse_dynamics_(node.service<dyn_msgs::srv::InverseDynamics>("~/inverse_dynamics")),
      forward_dynamics_(node.service<dyn_msgs::srv::ForwardDynamics>("~/forward_dynamics")),
      predict_motion_(node.service<dyn_msgs::srv::PredictMotion>("~/predict_motion")),
      set_payload_(node.service<dyn_msgs::srv::SetPayload>("~/set_payload")),
      identify_payload_(node.service<dyn_msgs::srv::IdentifyPayload>("~/identify_payload")),
      set_gravity_(node.service<dyn_msgs::srv::SetGravity>("~/set_gravity")),
      time_trajectory_(node.service<dyn_msgs::srv::TimeTrajectory>("~/time_trajectory")) {}

template <class Answers>
void Services::serve_quantities(Answers& answers) {
  dyn_dds::serve(get_dynamics_, fields_, [&](const auto& request, auto& response) {
    return answers.get_dynamics(request, response);
  });
  dyn_dds::serve(inverse_dynamics_, fields_, [&](const auto& request, auto& response) {
    return answers.inverse_dynamics(request, response);
  });
  dyn_dds::serve(forward_dynamics_, fields_, [&](const auto& request, auto& response) {
    return answers.forward_dynamics(request, response);
  });
  dyn_dds::serve(predict_motion_, fields_, [&](const auto& request, auto& response) {
    return answers.predict_motion(request, response);
  });
  dyn_dds::serve(time_trajectory_, fields_, [&](const auto& request, auto& response) {
    return answers.time_trajectory(request, response);
  });
}

void Services::serve() {
  dyn::inspect::Answers answers(
      fields_, context_.monitor, steady_seconds(),
      [this](std_msgs::msg::Header& header, bool latest) {
        if (latest) header.stamp = context_.latest_stamp();
        fields_.text(context_.frame_prefix + context_.monitor.chain().base(), header.frame_id);
      });
  const auto carry = [this](const dyn::RigidBody& payload) {
    dyn::inspect::Settings settings = context_.monitor.settings();
    settings.urdf.payload = payload;
    return context_.apply(settings);
  };
  serve_quantities(answers);
  dyn_dds::serve(set_payload_, fields_, [&](const auto& request, auto&) -> Result<void> {
    std::string_view frame = request.frame_id;
    if (frame.starts_with(context_.frame_prefix)) frame.remove_prefix(context_.frame_prefix.size());
    const auto payload = answers.payload(std::string(frame), request.payload);
    if (!payload) return tl::unexpected(payload.error());
    return carry(*payload);
  });
  dyn_dds::serve(identify_payload_, fields_, [&](const auto& request, auto& response) {
    return answers.identify_payload(request, response, carry);
  });
  dyn_dds::serve(set_gravity_, fields_, [&](const auto& request, auto&) {
    dyn::inspect::Settings settings = context_.monitor.settings();
    settings.urdf.gravity = dyn::inspect::to_vector(request.gravity);
    return context_.apply(settings);
  });
}

}  // namespace dyn_dds
