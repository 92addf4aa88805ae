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

#include "dyn_control/arm_settings.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include <dyn_core/base/number.hpp>
#include <dyn_core/inspect/request.hpp>

namespace dyn_control {

using dyn::Result;

namespace {

constexpr std::array<std::pair<const char*, ArmFault>, 5> kFaults = {{
    {"none", ArmFault::kNone},
    {"state_not_finite", ArmFault::kStateNotFinite},
    {"state_frozen", ArmFault::kStateFrozen},
    {"command_lost", ArmFault::kCommandLost},
    {"effort_clipped", ArmFault::kEffortClipped},
}};

constexpr std::array<std::pair<const char*, dyn::EffortMeaning>, 4> kEfforts = {{
    {"same_as_command", dyn::EffortMeaning::kSameAsCommand},
    {"with_gravity", dyn::EffortMeaning::kWithGravity},
    {"without_gravity", dyn::EffortMeaning::kWithoutGravity},
    {"current", dyn::EffortMeaning::kCurrent},
}};

constexpr std::array<std::pair<const char*, ArmClock>, 3> kClocks = {{
    {"measured", ArmClock::kMeasured},
    {"nominal", ArmClock::kNominal},
    {"own", ArmClock::kOwn},
}};

template <class Entries>
auto named(const Entries& entries, const std::string& name) -> Result<decltype(entries[0].second)> {
  std::string names;
  for (const auto& [key, value] : entries) {
    if (name == key) return value;
    names += std::string(names.empty() ? "" : ", ") + key;
  }
  return dyn::fail("'" + name + "' is not one of " + names);
}

// Numbers separated by blanks, as URDF writes them; read alike in every locale.
Result<std::vector<double>> numbers(const std::string& text, std::size_t count) {
  std::vector<double> out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::optional<double> value = dyn::parse_number(word);
    if (!value || !std::isfinite(*value)) {
      return dyn::fail("'" + word + "' is no finite number");
    }
    out.push_back(*value);
  }
  if (out.size() == count) return out;
  return dyn::fail("'" + text + "' has " + std::to_string(out.size()) + " numbers instead of " +
                   std::to_string(count));
}

using Setter = std::function<Result<void>(const std::string&)>;

Setter to_text(std::string& target) {
  return [&target](const std::string& text) -> Result<void> {
    target = text;
    return {};
  };
}

Setter to_number(double& target) {
  return [&target](const std::string& text) -> Result<void> {
    const auto values = numbers(text, 1);
    if (!values) return tl::unexpected(values.error());
    if (values->front() < 0.0) return dyn::fail(text + " is negative");
    target = values->front();
    return {};
  };
}

Setter to_vector(dyn::Vec3d& target) {
  return [&target](const std::string& text) -> Result<void> {
    const auto values = numbers(text, 3);
    if (!values) return tl::unexpected(values.error());
    target = dyn::Vec3d((*values)[0], (*values)[1], (*values)[2]);
    return {};
  };
}

Setter to_inertia(dyn::Mat3d& target) {
  return [&target](const std::string& text) -> Result<void> {
    const auto values = numbers(text, 6);
    if (!values) return tl::unexpected(values.error());
    const std::vector<double>& i = *values;
    target << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
    return {};
  };
}

Setter to_flag(bool& target) {
  return [&target](const std::string& text) -> Result<void> {
    const bool yes = text == "true" || text == "True" || text == "1";
    if (!yes && text != "false" && text != "False" && text != "0") {
      return dyn::fail("'" + text + "' is neither true nor false");
    }
    target = yes;
    return {};
  };
}

template <class Entries, class Value>
Setter to_named(const Entries& entries, Value& target) {
  return [&entries, &target](const std::string& text) -> Result<void> {
    const auto value = named(entries, text);
    if (!value) return tl::unexpected(value.error());
    target = *value;
    return {};
  };
}

Setter to_seed(std::uint64_t& target) {
  return [&target](const std::string& text) -> Result<void> {
    double value = 0.0;
    const auto read = to_number(value)(text);
    if (read) target = static_cast<std::uint64_t>(value);
    return read;
  };
}

std::map<std::string, Setter> setters(ArmSettings& s) {
  dyn::PlantParameters& plant = s.options.plant;
  return {
      {"base_link", to_text(s.urdf.base)},
      {"tip_link", to_text(s.urdf.tip)},
      {"gravity", to_vector(s.urdf.gravity)},
      {"allow_nonphysical", to_flag(s.urdf.allow_nonphysical)},
      {"payload_mass", to_number(s.payload.mass)},
      {"payload_com", to_vector(s.payload.com)},
      {"payload_inertia", to_inertia(s.payload.inertia)},
      {"inertia_scale", to_number(s.inertia_scale)},
      {"last_link_scale", to_number(s.last_link_scale)},
      {"friction_scale", to_number(plant.model.friction_scale)},
      {"joint_stops", to_flag(plant.model.stops)},
      {"max_step", to_number(plant.model.max_step)},
      {"delay", to_number(plant.delay)},
      {"clip_effort", to_flag(plant.clip_effort)},
      {"compensates_gravity", to_flag(plant.drive_compensates_gravity)},
      {"torque_rate", to_number(plant.torque_rate)},
      {"effort_state", to_named(kEfforts, s.options.effort)},
      {"current_gain", to_number(s.options.current_gain)},
      {"position_noise", to_number(plant.position_noise)},
      {"velocity_noise", to_number(plant.velocity_noise)},
      {"velocity_lag", to_number(plant.velocity_lag)},
      {"seed", to_seed(plant.seed)},
      {"hold_when_idle", to_flag(s.options.hold_when_idle)},
      {"drive_frequency", to_number(s.options.drive_frequency)},
      {"clock", to_named(kClocks, s.clock)},
      {"real_time_factor", to_number(s.real_time_factor)},
      {"fault", to_named(kFaults, s.fault)},
      {"fault_start", to_number(s.fault_start)},
      {"fault_duration", to_number(s.fault_duration)},
  };
}

}  // namespace

Result<ArmSettings> arm_settings(const std::map<std::string, std::string>& parameters) {
  ArmSettings settings;
  const std::map<std::string, Setter> known = setters(settings);
  for (const auto& [name, text] : parameters) {
    const auto setter = known.find(name);
    if (setter == known.end()) {
      std::string names;
      for (const auto& entry : known) names += (names.empty() ? "" : ", ") + entry.first;
      return dyn::fail("there is no parameter '" + name + "'; there are " + names);
    }
    const auto set = setter->second(text);
    if (!set) return dyn::fail("the parameter '" + name + "': " + set.error().sentence);
  }
  if (!(settings.options.current_gain > 0.0)) {
    return dyn::fail("the parameter 'current_gain': give a positive number");
  }
  const auto payload = dyn::inspect::checked_payload(settings.payload);
  if (!payload) return tl::unexpected(payload.error());
  return settings;
}

Result<double> number(const std::string& text) {
  const auto values = numbers(text, 1);
  if (!values) return tl::unexpected(values.error());
  return values->front();
}

Result<ArmFault> fault_named(const std::string& name) { return named(kFaults, name); }

Result<dyn::ChainPtr> true_chain(const ArmSettings& settings, const std::string& description) {
  auto chain = dyn::parse_urdf(description, settings.urdf);
  if (!chain || (settings.inertia_scale == 1.0 && settings.last_link_scale == 1.0)) return chain;
  return dyn::scale_inertia(**chain, settings.inertia_scale, settings.last_link_scale);
}

}  // namespace dyn_control
