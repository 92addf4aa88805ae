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

#include "dyn_ros/settings.hpp"

#include <string>
#include <vector>

namespace dyn_ros {

using dyn::inspect::Output;
using dyn::inspect::Settings;

namespace {

// Calls visit(group, name of the values, joints, values, the map they are for).
void for_each_pair(const dynamics_node::Params& params, Settings& settings, const auto& visit) {
  visit("armature", "values", params.armature.joints, params.armature.values,
        settings.urdf.armature);
  visit("damping", "values", params.damping.joints, params.damping.values, settings.urdf.damping);
  visit("friction", "values", params.friction.joints, params.friction.values,
        settings.urdf.friction);
  visit("lock", "positions", params.lock.joints, params.lock.positions, settings.urdf.lock);
}

dyn::RigidBody to_payload(const dynamics_node::Params& params) {
  const auto& payload = params.payload;
  dyn::RigidBody body;
  body.mass = payload.mass;
  body.com = dyn::Vec3d(payload.com[0], payload.com[1], payload.com[2]);
  const std::vector<double>& i = payload.inertia;
  body.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  return body;
}

void set_rates(const dynamics_node::Params& params, Settings& settings) {
  const auto set = [&](Output output, double rate) { settings.rates[index(output)] = rate; };
  set(Output::kMassMatrix, params.rates.mass_matrix);
  set(Output::kJointDynamics, params.rates.joint_dynamics);
  set(Output::kDiagonalized, params.rates.diagonalized);
  set(Output::kCoriolisMatrix, params.rates.coriolis_matrix);
  set(Output::kInertiaPower, params.rates.inertia_power);
  set(Output::kGravityTorque, params.rates.gravity_torque);
  set(Output::kCoriolisTorque, params.rates.coriolis_torque);
  set(Output::kMarkers, params.rates.markers);
  set(Output::kResidual, params.rates.residual);
  set(Output::kExternalWrench, params.rates.external_wrench);
}

}  // namespace

std::string unpaired(const dynamics_node::Params& params) {
  std::string sentence;
  Settings settings;
  for_each_pair(params, settings,
                [&](const std::string& group, const std::string& name, const auto& joints,
                    const auto& values, const auto&) {
                  if (joints.size() == values.size() || !sentence.empty()) return;
                  sentence = group + ".joints has " + std::to_string(joints.size()) +
                             " names but " + group + "." + name + " " +
                             std::to_string(values.size()) + " values";
                });
  return sentence;
}

Settings to_settings(const dynamics_node::Params& params, const Settings& before) {
  Settings settings;
  settings.urdf = before.urdf;
  for_each_pair(params, settings,
                [](const char*, const char*, const auto& joints, const auto& values, auto& pairs) {
                  if (joints.size() != values.size()) return;
                  pairs.clear();
                  for (std::size_t i = 0; i < joints.size(); ++i) pairs[joints[i]] = values[i];
                });
  settings.urdf.base = params.base_link;
  settings.urdf.tip = params.tip_link;
  settings.urdf.gravity = dyn::Vec3d(params.gravity[0], params.gravity[1], params.gravity[2]);
  settings.urdf.payload = to_payload(params);
  settings.urdf.allow_nonphysical = params.allow_nonphysical;
  settings.estimate_inertia = params.estimate_inertia;
  settings.mesh_path = params.mesh_path;
  settings.algorithms = {params.algorithms.mass_matrix, params.algorithms.inverse_dynamics,
                         params.algorithms.forward_dynamics, params.algorithms.coriolis};
  settings.joint_state_timeout = params.joint_state_timeout;
  set_rates(params, settings);
  settings.efforts = {params.efforts.observer_gain, params.efforts.contain_gravity};
  settings.markers.show = params.markers.show;
  settings.markers.size = params.markers.size;
  settings.markers.opacity = params.markers.opacity;
  settings.markers.manipulability_scale = params.markers.manipulability_scale;
  settings.markers.dynamic_manipulability_size = params.markers.dynamic_manipulability_size;
  settings.markers.horizon = params.markers.horizon;
  return settings;
}

}  // namespace dyn_ros
