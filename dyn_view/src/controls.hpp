// Controls: the commands of the page, checked and carried to the loop. Internal to dyn_view.
#pragma once

#include <string>
#include <string_view>

#include "portrait.hpp"

namespace dyn::view {

class Controls {
 public:
  Controls(Bridge& bridge, const ArmSettings& settings, const Robot& robot)
      : bridge_(bridge),
        settings_(settings),
        payload_(robot.payload),
        gravity_(robot.chain ? robot.chain->gravity() : Vec3d(0.0, 0.0, 0.0)) {}

  /// Whether there is a command of this name.
  [[nodiscard]] static bool has(std::string_view name);
  /// Carries one out on the robot of `portrait`; `q`: where its arm stands.
  [[nodiscard]] Result<void> set(std::string_view name, const Json& value, Portrait& portrait,
                                 const VecXd& q);
  [[nodiscard]] Json json() const;
  [[nodiscard]] const ArmSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::string_view fault() const;
  /// What others may have told the arm of `portrait`.
  void see(const Sample& sample, Portrait& portrait);
  /// For a robot that takes the place of the other.
  void forget(const Chain& chain);
  /// A pull that nobody renews ends.
  void advance(double now);

 private:
  using Setter = Result<void> (Controls::*)(const Json&, Portrait&, const VecXd&);
  struct Entry {
    std::string_view name;
    Setter set;
  };
  static const Entry kEntries[];

  [[nodiscard]] Result<void> order(Bridge::Order order, bool moves = false);
  [[nodiscard]] Result<void> apply(const ArmSettings& settings, Portrait& portrait, const VecXd& q);
  template <class Value>
  [[nodiscard]] Result<void> change(const Result<Value>& value, Value ArmSettings::*member,
                                    Portrait& portrait, const VecXd& q);
  Result<void> set_law(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_frequency(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_delay(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_predict(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_observer(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_payload(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_known(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_gravity(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_fault(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_motion(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> set_joints(const Json& value, Portrait& portrait, const VecXd& q);
  Result<void> drag(const Json& value, Portrait& portrait, const VecXd& q);

  Bridge& bridge_;
  ArmSettings settings_;
  RigidBody payload_;
  bool knows_ = true;
  Vec3d gravity_;
  Breakage fault_ = Breakage::kNone;
  bool sways_ = true, pulling_ = false;
  double now_ = 0.0, pulled_ = 0.0;  // s
};

}  // namespace dyn::view
