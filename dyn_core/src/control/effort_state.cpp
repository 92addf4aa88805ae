#include "dyn_core/control/effort_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyn {
namespace {

constexpr std::array<std::string_view, 5> kMeanings = {"none", "same_as_command", "with_gravity",
                                                       "without_gravity", "current"};

// Whether what is reported has gravity in it.
bool holds_gravity(const EffortState& state) {
  switch (state.meaning) {
    case EffortMeaning::kWithGravity:
    case EffortMeaning::kCurrent:
      return true;
    case EffortMeaning::kSameAsCommand:
      return !state.hardware_compensates_gravity;
    case EffortMeaning::kNone:
    case EffortMeaning::kWithoutGravity:
      break;
  }
  return false;
}

double gain_of(const EffortState& state, Index i) {
  return state.meaning == EffortMeaning::kCurrent ? state.gain[i] : 1.0;
}

}  // namespace

std::string_view name_of(EffortMeaning meaning) noexcept {
  return kMeanings[static_cast<std::size_t>(meaning)];
}

Result<EffortMeaning> effort_meaning_named(std::string_view name) {
  const auto* const at = std::find(kMeanings.begin(), kMeanings.end(), name);
  if (at != kMeanings.end()) return static_cast<EffortMeaning>(at - kMeanings.begin());
  return fail(fmt::format("'{}' is no meaning of an effort; choose among: {}", name,
                          fmt::join(kMeanings, ", ")));
}

void EffortState::to_command(VecIn<double> gravity, VecOut<double> effort) const noexcept {
  const double add =
      (hardware_compensates_gravity ? 0.0 : 1.0) - (holds_gravity(*this) ? 1.0 : 0.0);
  for (Index i = 0; i < effort.size(); ++i) {
    effort[i] = gain_of(*this, i) * effort[i] + add * gravity[i];
  }
}

void EffortState::to_report(VecIn<double> gravity, VecOut<double> torque) const noexcept {
  const double taken = holds_gravity(*this) ? 0.0 : 1.0;
  for (Index i = 0; i < torque.size(); ++i) {
    torque[i] = (torque[i] - taken * gravity[i]) / gain_of(*this, i);
  }
}

EffortCheck check_at_rest(const Chain& chain, const EffortState& state, VecIn<double> effort,
                          VecIn<double> gravity, VecIn<double> limit) noexcept {
  constexpr double kUnknown = 0.02;
  EffortCheck out;
  out.expected = holds_gravity(state) ? 1.0 : 0.0;
  double squares = 0.0, sum = 0.0, most = -1.0;
  for (Index i = 0; i < effort.size(); ++i) {
    const double b = chain.coordinate_joint(i).friction + kUnknown * limit[i];
    const double x = gravity[i] / b, reported = gain_of(state, i) * effort[i];
    if (!(b > 0.0) || !std::isfinite(b)) continue;
    out.share += x * reported / b;
    squares += x * x;
    sum += std::abs(x);
    if (std::abs(x) <= most) continue;
    most = std::abs(x);
    out.joint = i;
    out.reported = reported;
    out.gravity = gravity[i];
  }
  out.share = squares > 0.0 ? out.share / squares : 0.0;
  out.uncertain = squares > 0.0 ? sum / squares : std::numeric_limits<double>::infinity();
  return out;
}

std::string to_sentence(const EffortCheck& check, const EffortState& state, const Chain& chain) {
  const double other = 1.0 - check.expected;
  std::string_view looks =
      "what is reported is no torque in N m, has another sign, or the model is wrong";
  if (std::abs(check.share - other) < 0.5) {
    looks = other > 0.0 ? "with_gravity is what it looks like"
                        : "without_gravity is what it looks like";
  }
  return fmt::format(
      "effort_state is '{}', but at rest the efforts hold {:.2f} times the gravity torque of the "
      "model "
      "instead of {:.0f} times (joint '{}': {:.3g} N m reported, {:.3g} N m by the model); {}",
      name_of(state.meaning), check.share, check.expected, chain.coordinate_joint(check.joint).name,
      check.reported, check.gravity, looks);
}

}  // namespace dyn
