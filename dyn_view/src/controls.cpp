#include "controls.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <dyn_core/base/printable.hpp>
#include <dyn_core/inspect/request.hpp>
#include <dyn_core/inspect/sway.hpp>
#include <fmt/format.h>

namespace dyn::view {
namespace {

Result<double> number(const Json& value, double least, double most, std::string_view unit) {
  if (value.is_number()) {
    const double x = value.get<double>();
    if (x >= least && x <= most) return x;
  }
  return fail(fmt::format("the value is not a number from {:g} to {:g} {}", least, most, unit));
}

Result<bool> flag(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return fail("the value is neither true nor false");
}

Result<std::string> text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return fail("the value is not a text");
}

Result<VecXd> numbers(const Json& value, Index count) {
  const auto wrong = fail(fmt::format("the value is not a list of {} numbers", count));
  if (!value.is_array() || static_cast<Index>(value.size()) != count) return wrong;
  VecXd out(count);
  for (Index i = 0; i < count; ++i) {
    const Json& x = value[static_cast<std::size_t>(i)];
    if (!x.is_number() || !(std::abs(x.get<double>()) < 1e6)) return wrong;
    out[i] = x.get<double>();
  }
  return out;
}

}  // namespace

const Controls::Entry Controls::kEntries[] = {
    {"law", &Controls::set_law},
    {"frequency", &Controls::set_frequency},
    {"delay", &Controls::set_delay},
    {"predict", &Controls::set_predict},
    {"observer", &Controls::set_observer},
    {"payload-mass", &Controls::set_payload},
    {"payload-known", &Controls::set_known},
    {"gravity", &Controls::set_gravity},
    {"fault", &Controls::set_fault},
    {"motion", &Controls::set_motion},
    {"joints", &Controls::set_joints},
    {"drag", &Controls::drag},
};

bool Controls::has(std::string_view name) {
  return std::ranges::find(kEntries, name, &Entry::name) != std::end(kEntries);
}

Result<void> Controls::set(std::string_view name, const Json& value, Portrait& portrait,
                           const VecXd& q) {
  return (this->*std::ranges::find(kEntries, name, &Entry::name)->set)(value, portrait, q);
}

Json Controls::json() const {
  const char* const observer = settings_.reject ? "cancel" : settings_.observe ? "estimate" : "off";
  return {{"law", entry_of(settings_.law).name},
          {"frequency", settings_.frequency},
          {"delay", settings_.delay},
          {"predict", settings_.predict},
          {"observer", observer},
          {"payload-mass", payload_.mass},
          {"payload-known", knows_},
          {"gravity", {gravity_.x(), gravity_.y(), gravity_.z()}},
          {"fault", fault()},
          {"motion", sways_ ? "sway" : "hold"}};
}

std::string_view Controls::fault() const {
  return breakage_names()[static_cast<std::size_t>(fault_)];
}

void Controls::forget(const Chain& chain) {
  payload_ = RigidBody();
  knows_ = true;
  gravity_ = chain.gravity();
  fault_ = Breakage::kNone;
  sways_ = true;
  pulling_ = false;
}

// What was told here counts until the arm has it.
void Controls::see(const Sample& sample, Portrait& portrait) {
  if (sample.orders != bridge_.ordered()) return;
  const RigidBody &there = sample.payload, &known = sample.known_payload;
  const bool same =
      there.mass == known.mass && there.com == known.com && there.inertia == known.inertia;
  knows_ = same && (knows_ || there.mass > 0.0);  // no payload is known either way
  payload_ = there;
  portrait.set_payload(payload_);
  fault_ = sample.breakage;
  sways_ = sample.following;
}

void Controls::advance(double now) {
  constexpr double kLongest = 1.0;  // s
  now_ = now;
  if (!pulling_ || now_ - pulled_ < kLongest) return;
  pulling_ = !order([](SimulatedArm& arm) { arm.pull({}); });
}

Result<void> Controls::order(Bridge::Order order, bool moves) {
  if (bridge_.order(std::move(order), moves)) return {};
  return fail("too many commands wait for the arm; send fewer");
}

Result<void> Controls::apply(const ArmSettings& settings, Portrait& portrait, const VecXd& q) {
  auto arm = SimulatedArm::make(portrait.robot().chain, settings, payload_, q);
  if (!arm) return tl::unexpected(arm.error());
  auto next = std::make_shared<SimulatedArm>(std::move(*arm));
  auto ordered = order([next](SimulatedArm& old) {
    if (next->take_over(old) == Status::kOk) std::swap(old, *next);
  });
  if (ordered) settings_ = settings;
  return ordered;
}

template <class Value>
Result<void> Controls::change(const Result<Value>& value, Value ArmSettings::*member,
                              Portrait& portrait, const VecXd& q) {
  if (!value) return tl::unexpected(value.error());
  ArmSettings settings = settings_;
  settings.*member = *value;
  return apply(settings, portrait, q);
}

Result<void> Controls::set_law(const Json& value, Portrait& portrait, const VecXd& q) {
  const auto name = text(value);
  if (!name) return tl::unexpected(name.error());
  return change(control_law_named(printable(*name, 60)), &ArmSettings::law, portrait, q);
}

Result<void> Controls::set_frequency(const Json& value, Portrait& portrait, const VecXd& q) {
  return change(number(value, 1.0, 80.0, "rad/s"), &ArmSettings::frequency, portrait, q);
}

Result<void> Controls::set_delay(const Json& value, Portrait& portrait, const VecXd& q) {
  return change(number(value, 0.0, 0.02, "s"), &ArmSettings::delay, portrait, q);
}

Result<void> Controls::set_predict(const Json& value, Portrait& portrait, const VecXd& q) {
  return change(flag(value), &ArmSettings::predict, portrait, q);
}

Result<void> Controls::set_observer(const Json& value, Portrait& portrait, const VecXd& q) {
  const auto name = text(value);
  if (!name || (*name != "off" && *name != "estimate" && *name != "cancel")) {
    return fail("the observer is none of: off, estimate, cancel");
  }
  ArmSettings settings = settings_;
  settings.observe = *name != "off";
  settings.reject = *name == "cancel";
  return apply(settings, portrait, q);
}

// A ball of steel at the tip.
Result<void> Controls::set_payload(const Json& value, Portrait& portrait, const VecXd&) {
  const auto mass = number(value, 0.0, 1000.0, "kg");
  if (!mass) return tl::unexpected(mass.error());
  constexpr double kDensity = 7850.0, kVolume = 4.18879;  // kg/m³, of a ball of radius 1
  const double radius = std::cbrt(*mass / kDensity / kVolume);
  payload_ = RigidBody();
  payload_.mass = *mass;
  payload_.inertia = 0.4 * *mass * radius * radius * Mat3d::Identity();
  portrait.set_payload(payload_);
  return order([payload = payload_, knows = knows_](SimulatedArm& arm) {
    arm.set_payload(payload);
    if (knows) (void)arm.set_known_payload(payload);
  });
}

Result<void> Controls::set_known(const Json& value, Portrait&, const VecXd&) {
  const auto on = flag(value);
  if (!on) return tl::unexpected(on.error());
  knows_ = *on;
  return order([knows = knows_](SimulatedArm& arm) {
    (void)arm.set_known_payload(knows ? arm.payload() : RigidBody());
  });
}

Result<void> Controls::set_gravity(const Json& value, Portrait& portrait, const VecXd&) {
  const auto g = numbers(value, 3);
  if (!g) return tl::unexpected(g.error());
  const auto checked = inspect::checked_gravity(*g);
  if (!checked) return tl::unexpected(checked.error());
  gravity_ = *checked;
  portrait.set_gravity(gravity_);
  return order([g = gravity_](SimulatedArm& arm) { (void)arm.set_gravity(g); });
}

Result<void> Controls::set_fault(const Json& value, Portrait&, const VecXd&) {
  const auto name = text(value);
  if (!name) return tl::unexpected(name.error());
  const auto breakage = breakage_named(*name);
  if (!breakage) return tl::unexpected(breakage.error());
  fault_ = *breakage;
  return order([b = fault_](SimulatedArm& arm) { arm.inject(b, 0.0); });
}

Result<void> Controls::set_motion(const Json& value, Portrait& portrait, const VecXd&) {
  if (value != "sway" && value != "hold") return fail("the motion is neither sway nor hold");
  sways_ = value == "sway";
  if (!sways_) return order([](SimulatedArm& arm) { arm.stop(); }, true);
  auto sway = inspect::sway(*portrait.robot().chain);
  if (!sway) return tl::unexpected(sway.error());
  return order([motion = *sway](SimulatedArm& arm) { arm.follow(motion); }, true);
}

Result<void> Controls::set_joints(const Json& value, Portrait& portrait, const VecXd&) {
  const Chain& chain = *portrait.robot().chain;
  const auto q = numbers(value, chain.dof());
  if (!q) return tl::unexpected(q.error());
  for (Index i = 0; i < chain.dof(); ++i) {
    const Joint& joint = chain.coordinate_joint(i);
    if ((*q)[i] >= joint.limits.lower && (*q)[i] <= joint.limits.upper) continue;
    return fail(fmt::format("joint '{}' is to go to {}, but its limits are {} and {}", joint.name,
                            (*q)[i], joint.limits.lower, joint.limits.upper));
  }
  sways_ = false;
  return order([posture = *q](SimulatedArm& arm) { arm.go_to(posture); }, true);
}

Result<void> Controls::drag(const Json& value, Portrait& portrait, const VecXd&) {
  pulling_ = false;
  if (value.is_null()) return order([](SimulatedArm& arm) { arm.pull({}); });
  const Json& link = member(value, "link");
  if (!link.is_string()) {
    return fail("the value is neither null nor {link, point, target}");
  }
  const auto point = numbers(member(value, "point"), 3);
  const auto target = numbers(member(value, "target"), 3);
  if (!point) return tl::unexpected(point.error());
  if (!target) return tl::unexpected(target.error());
  const auto grip = portrait.grip(link.get<std::string>(), *point);
  if (!grip) return tl::unexpected(grip.error());
  pulling_ = true;
  pulled_ = now_;
  return order(
      [pull = Pull{grip->first, grip->second, *target}](SimulatedArm& arm) { arm.pull(pull); });
}

}  // namespace dyn::view
