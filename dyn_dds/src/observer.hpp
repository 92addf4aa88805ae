// Observer: robot_description and joint_states in, the robot's dynamics out; dyn_ros' node without ROS.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <dyn_view/watch.hpp>

#include "notes.hpp"
#include "publishers.hpp"
#include "services.hpp"

namespace dyn_dds {

class Observer {
 public:
  Observer(Participant& participant, const Naming& naming, dyn::inspect::Settings settings,
           Notes& notes);

  [[nodiscard]] const NodeEntities& entities() const noexcept { return node_.entities(); }
  /// Takes a robot description, from the topic or from elsewhere.
  void load(const std::string& description);
  /// The page that shows what it observes, before the first message.
  void show_on(dyn::view::Watch& page) {
    page_ = &page;
    page.describe(monitor_);
  }
  /// Takes and answers all that has come; diagnoses once a second.
  void work();

  struct Summary {
    std::string model, joint_states;  ///< how they fare, in words
    std::string rate;                 ///< of the joint states, Hz
    int topics_in_use = 0;
  };
  /// Of the last diagnosis. May be asked by another thread.
  [[nodiscard]] Summary summary() const;

 private:
  void diagnose(double now);
  void warn_of_two(const char* topic, int publishers, bool& known,
                   dyn::inspect::Diagnostic& diagnostic);
  void take(const sensor_msgs::msg::JointState& message);
  [[nodiscard]] dyn::Result<void> apply(const dyn::inspect::Settings& settings);

  Notes& notes_;
  dyn::view::Watch* page_ = nullptr;
  dyn::inspect::Monitor monitor_;
  Node node_;
  Publishers publishers_;
  Subscription<std_msgs::msg::String> description_;
  Subscription<sensor_msgs::msg::JointState> joint_states_;
  Time latest_stamp_ = {};
  Services services_;
  std::vector<std::string> names_;  // of the joint state at hand
  double diagnosed_ = 0.0;
  bool two_descriptions_ = false, two_joint_states_ = false;
  mutable std::mutex mutex_;
  Summary summary_;
};

}  // namespace dyn_dds
