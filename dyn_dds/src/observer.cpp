#include "observer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rivals.hpp"

namespace dyn_dds {

Observer::Observer(Participant& participant, const Naming& naming, dyn::inspect::Settings settings,
                   Notes& notes)
    : notes_(notes),
      monitor_(std::move(settings)),
      node_(participant, naming.name_space, "dynamics"),
      publishers_(node_, naming.frame_prefix),
      description_(node_.subscription<std_msgs::msg::String>("robot_description",
                                                             Qos{.depth = 1, .latched = true})),
      joint_states_(node_.subscription<sensor_msgs::msg::JointState>(
          "joint_states", Qos{.depth = 100, .reliable = false})),
      services_(node_, {monitor_, naming.frame_prefix, [this] { return latest_stamp_; },
                        [this](const dyn::inspect::Settings& wanted) { return apply(wanted); }}) {
  publishers_.report(monitor_);
}

void Observer::work() {
  description_.take(
      [this](const std_msgs::msg::String& message, dds_instance_handle_t) { load(message.data); });
  joint_states_.take([this](const sensor_msgs::msg::JointState& message, dds_instance_handle_t) {
    take(message);
  });
  services_.serve();
  const double now = steady_seconds();
  if (now - diagnosed_ < 1.0) return;
  diagnosed_ = now;
  diagnose(now);
}

// Two publishers of what should have one: their messages are mixed.
void Observer::warn_of_two(const char* topic, int publishers, bool& known,
                           dyn::inspect::Diagnostic& diagnostic) {
  const bool mixed = publishers > 1;
  const std::string text =
      fmt::format("{} publishers of {} are mixed: {}", publishers, topic, kTellApart);
  if (mixed) {
    diagnostic.level = std::max(diagnostic.level, dyn::inspect::Level::kWarning);
    diagnostic.message += "; " + text;
  }
  if (mixed && !known) notes_.add(text);
  known = mixed;
}

void Observer::diagnose(double now) {
  auto model = monitor_.diagnose_model(now);
  auto joint_states = monitor_.diagnose_joint_states(now);
  warn_of_two("robot_description", description_.talkers(), two_descriptions_, model);
  warn_of_two("joint_states", joint_states_.talkers(), two_joint_states_, joint_states);
  publishers_.diagnose(monitor_.loaded() ? monitor_.chain().name() : "none", model, joint_states);
  const std::string rate = joint_states.values.empty() ? "0" : joint_states.values.front().second;
  const std::scoped_lock lock(mutex_);
  summary_ = {model.message, joint_states.message, rate,
              static_cast<int>(publishers_.in_use().count())};
}

void Observer::load(const std::string& description) {
  const auto loaded = monitor_.load(description);
  if (!loaded) {
    notes_.add(fmt::format("the robot description was refused{}: {}",
                           monitor_.loaded() ? ", the one before stays in use" : "",
                           loaded.error().sentence));
  } else if (*loaded) {
    publishers_.announce(monitor_);
    if (page_ != nullptr) page_->describe(monitor_);
  }
  publishers_.report(monitor_);
}

void Observer::take(const sensor_msgs::msg::JointState& message) {
  const double start = steady_seconds();
  const auto names = Fields::numbers(message.name);
  names_.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) names_[i] = names[i];
  const std::int64_t stamp =
      1'000'000'000 * std::int64_t{message.header.stamp.sec} + message.header.stamp.nanosec;
  if (!monitor_.take({names_, Fields::numbers(message.position), Fields::numbers(message.velocity),
                      Fields::numbers(message.effort), stamp},
                     start)) {
    return;
  }
  latest_stamp_ = message.header.stamp;
  publishers_.publish(monitor_, latest_stamp_, start);
  if (page_ != nullptr) page_->show(monitor_, start);
  monitor_.note_busy(steady_seconds() - start);
}

dyn::Result<void> Observer::apply(const dyn::inspect::Settings& settings) {
  const auto anew = monitor_.apply(settings);
  if (!anew) return tl::unexpected(anew.error());
  if (*anew) publishers_.announce(monitor_);
  if (page_ != nullptr) page_->describe(monitor_);
  publishers_.report(monitor_);
  return {};
}

Observer::Summary Observer::summary() const {
  const std::scoped_lock lock(mutex_);
  return summary_;
}

}  // namespace dyn_dds
