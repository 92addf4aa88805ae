// The observer's services. Whatever is wrong becomes a sentence in the response.
#pragma once

#include <functional>
#include <string>

#include "dds.hpp"
#include "fields.hpp"

namespace dyn_dds {

/// What the services need of the observer.
struct ServiceContext {
  dyn::inspect::Monitor& monitor;
  std::string frame_prefix;            ///< before the name of every frame
  std::function<Time()> latest_stamp;  ///< of the latest joint state
  /// Puts changed settings in force; the sentence says why not.
  std::function<dyn::Result<void>(const dyn::inspect::Settings&)> apply;
};

/// Answers all requests that have come: `answer` fills the response, its result is success and message.
template <class Kind, class Answer>
void serve(const Service<Kind>& service, Fields& fields, Answer answer) {
  service.serve([&](const typename Kind::Request& request, typename Kind::Response& response) {
    fields.clear();
    const dyn::Result<void> result = answer(request, response);
    response.success = result.has_value();
    fields.text(result ? "ok" : result.error().sentence, response.message);
  });
}

class Services {
 public:
  Services(Node& node, ServiceContext context);

  /// Answers all requests that have come.
  void serve();

 private:
  /// Those that change nothing.
  template <class Answers>
  void serve_quantities(Answers& answers);

  ServiceContext context_;
  Service<dyn_msgs::srv::GetDynamics> get_dynamics_;
  Service<dyn_msgs::srv::InverseDynamics> inverse_dynamics_;
  Service<dyn_msgs::srv::ForwardDynamics> forward_dynamics_;
  Service<dyn_msgs::srv::PredictMotion> predict_motion_;
  Service<dyn_msgs::srv::SetPayload> set_payload_;
  Service<dyn_msgs::srv::IdentifyPayload> identify_payload_;
  Service<dyn_msgs::srv::SetGravity> set_gravity_;
  Service<dyn_msgs::srv::TimeTrajectory> time_trajectory_;
  Fields fields_;
};

}  // namespace dyn_dds
