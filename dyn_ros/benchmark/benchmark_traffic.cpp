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

// The traffic of the benchmark: joint states of a moving arm at a rate, and a listener on every
// small output of the node `dynamics`. Prints one JSON object: what was sent, received, how late.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <dyn_core/inspect/sway.hpp>
#include <dyn_core/robot/urdf.hpp>
#include <dyn_msgs/msg/coriolis_matrix.hpp>
#include <dyn_msgs/msg/diagonalized_dynamics.hpp>
#include <dyn_msgs/msg/joint_dynamics.hpp>
#include <dyn_msgs/msg/mass_matrix.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>

namespace {

using JointState = sensor_msgs::msg::JointState;

/// Counts the messages of one topic and their delay since the joint state was sent.
struct Topic {
  std::string name;
  std::vector<double> delays = {};  // s
  rclcpp::SubscriptionBase::SharedPtr subscription = nullptr;
};

class Traffic : public rclcpp::Node {
 public:
  explicit Traffic(std::size_t messages) : Node("benchmark_traffic"), messages_(messages) {
    publisher_ = create_publisher<JointState>("joint_states", rclcpp::QoS(10));
    listen<dyn_msgs::msg::JointDynamics>("joint_dynamics");
    listen<dyn_msgs::msg::MassMatrix>("mass_matrix");
    listen<dyn_msgs::msg::CoriolisMatrix>("coriolis_matrix");
    listen<dyn_msgs::msg::DiagonalizedDynamics>("diagonalized");
    listen<JointState>("torque/gravity");
    listen<JointState>("torque/coriolis");
    diagnostics_ = create_subscription<diagnostic_msgs::msg::DiagnosticArray>(
        "/diagnostics", 10,
        [this](const diagnostic_msgs::msg::DiagnosticArray& message) { read(message); });
  }

  [[nodiscard]] bool connected() const {
    const auto linked = [](const auto& topic) {
      return topic->subscription->get_publisher_count() > 0;
    };
    return publisher_->get_subscription_count() > 0 &&
           std::all_of(topics_.begin(), topics_.end(), linked);
  }

  void send(JointState& message) {
    message.header.stamp = get_clock()->now();
    publisher_->publish(message);
  }
  /// From here on messages count.
  void begin() { counting_ = true; }

  void print() {
    std::cout << "{\"sent\": " << messages_ << ", \"callback_median_us\": " << median_
              << ", \"callback_worst_us\": " << worst_ << ", \"topics\": [";
    const char* separator = "";
    for (const auto& topic : topics_) {
      std::vector<double>& delays = topic->delays;
      std::sort(delays.begin(), delays.end());
      const auto at = [&](double share) {
        if (delays.empty()) return 0.0;
        return 1e6 *
               delays[static_cast<std::size_t>(share * static_cast<double>(delays.size() - 1))];
      };
      std::cout << separator << "{\"name\": \"" << topic->name
                << "\", \"received\": " << delays.size() << ", \"delay_median_us\": " << at(0.5)
                << ", \"delay_p99_us\": " << at(0.99) << "}";
      separator = ", ";
    }
    std::cout << "]}" << std::endl;
  }

 private:
  template <class Message>
  void listen(const std::string& name) {
    auto topic = std::make_shared<Topic>(Topic{name});
    topic->delays.reserve(messages_);
    topic->subscription = create_subscription<Message>(
        "dynamics/" + name, rclcpp::QoS(1000), [this, topic](const Message& message) {
          if (!counting_) return;
          topic->delays.push_back((now() - rclcpp::Time(message.header.stamp)).seconds());
        });
    topics_.push_back(topic);
  }

  void read(const diagnostic_msgs::msg::DiagnosticArray& message) {
    for (const auto& status : message.status) {
      for (const auto& value : status.values) {
        if (value.key == "time per joint state, median (us)") median_ = std::stod(value.value);
        if (value.key == "time per joint state, worst (us)") worst_ = std::stod(value.value);
      }
    }
  }

  std::size_t messages_;
  rclcpp::Publisher<JointState>::SharedPtr publisher_;
  std::vector<std::shared_ptr<Topic>> topics_;
  rclcpp::Subscription<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr diagnostics_;
  std::atomic<bool> counting_ = false;
  double median_ = 0.0, worst_ = 0.0;
};

void run(Traffic& traffic, const dyn::ChainPtr& chain, double rate, std::size_t messages) {
  using std::chrono::steady_clock;
  const dyn::TrajectoryPtr motion = dyn::inspect::sway(*chain).value();
  dyn::VecXd q(chain->dof()), qd(q), qdd(q);
  JointState message;
  message.name = chain->coordinate_names();
  const std::chrono::duration<double> period(1.0 / rate);
  const auto play = [&](std::size_t first, std::size_t count) {
    const auto start = steady_clock::now();
    for (std::size_t k = 0; k < count; ++k) {
      if (motion->evaluate(static_cast<double>(first + k) / rate, q, qd, qdd) != dyn::Status::kOk) {
        return;
      }
      message.position.assign(q.begin(), q.end());
      message.velocity.assign(qd.begin(), qd.end());
      message.effort.assign(qdd.begin(), qdd.end());
      traffic.send(message);
      std::this_thread::sleep_until(start + std::chrono::duration_cast<steady_clock::duration>(
                                                static_cast<double>(k + 1) * period));
    }
  };
  while (rclcpp::ok() && !traffic.connected()) std::this_thread::sleep_for(period);
  const auto warm_up = static_cast<std::size_t>(rate);
  play(0, warm_up);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  traffic.begin();
  play(warm_up, messages);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

}  // namespace

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  if (argc < 5) {
    std::cerr << "usage: benchmark_traffic ROBOT.urdf TIP RATE SECONDS\n";
    return 2;
  }
  dyn::UrdfOptions options;
  options.tip = argv[2];
  const auto chain = dyn::load_urdf(argv[1], options);
  if (!chain) {
    std::cerr << chain.error().sentence << "\n";
    return 1;
  }
  const double rate = std::stod(argv[3]);
  const auto messages = static_cast<std::size_t>(rate * std::stod(argv[4]));
  const auto traffic = std::make_shared<Traffic>(messages);
  std::thread sender([&] {
    run(*traffic, *chain, rate, messages);
    rclcpp::shutdown();
  });
  rclcpp::spin(traffic);
  sender.join();
  traffic->print();
  return 0;
}
