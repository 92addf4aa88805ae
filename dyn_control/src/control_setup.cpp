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

#include "dyn_control/control_setup.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <dyn_core/inspect/request.hpp>
#include <dyn_core/robot/urdf.hpp>
#include <dyn_core/study/effort_need.hpp>

namespace dyn_control {

using dyn::Index;
using dyn::Result;
using dyn::VecXd;
using Params = computed_torque_controller::Params;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

// One value of each joint's entry in a parameter map, in the order of the chain.
template <class Entry>
VecXd each(const dyn::Chain& chain, const std::map<std::string, Entry>& entries,
           double Entry::*member) {
  VecXd out(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) {
    out[i] = entries.at(chain.coordinate_names()[static_cast<std::size_t>(i)]).*member;
  }
  return out;
}

// Zero stands for none.
VecXd or_infinite(const VecXd& values) {
  return values.unaryExpr([](double x) { return x > 0.0 ? x : kInfinity; });
}

Result<dyn::UrdfOptions> urdf_options(const Params& params) {
  dyn::UrdfOptions options;
  options.base = params.base_link;
  options.tip = params.tip_link;
  options.gravity = dyn::Vec3d(params.gravity[0], params.gravity[1], params.gravity[2]);
  options.allow_nonphysical = params.allow_nonphysical;
  if (params.lock.joints.size() != params.lock.positions.size()) {
    return dyn::fail("lock.joints has " + std::to_string(params.lock.joints.size()) +
                     " names but lock.positions " + std::to_string(params.lock.positions.size()) +
                     " values; give one value for each joint");
  }
  for (std::size_t i = 0; i < params.lock.joints.size(); ++i) {
    options.lock[params.lock.joints[i]] = params.lock.positions[i];
  }
  for (const auto& [joint, drive] : params.drives.joints_map) {
    options.armature[joint] = drive.armature;
    if (params.friction.source == "robot_description") continue;
    const bool given = params.friction.source == "parameters";
    options.damping[joint] = given ? drive.damping : 0.0;
    options.friction[joint] = given ? drive.friction : 0.0;
  }
  return options;
}

Result<dyn::ChainPtr> make_chain(const Params& params, const std::string& description) {
  if (description.empty()) {
    return dyn::fail(
        "there is no robot description; give one to the controller manager on its topic "
        "robot_description");
  }
  const auto options = urdf_options(params);
  if (!options) return tl::unexpected(options.error());
  // The names first: what else is said of a joint makes sense only for one that is on the chain.
  dyn::UrdfOptions plain = *options;
  plain.armature = plain.damping = plain.friction = {};
  auto chain = dyn::parse_urdf(description, plain);
  if (!chain) return chain;
  std::vector<std::string> wanted = params.joints, there = (*chain)->coordinate_names();
  std::ranges::sort(wanted);
  std::ranges::sort(there);
  if (wanted != there) {
    return dyn::fail("joints are " + quoted(wanted) + ", but the chain from '" + (*chain)->base() +
                     "' to '" + (*chain)->tip() + "' has " + quoted(there) +
                     "; correct joints, base_link or tip_link");
  }
  return dyn::parse_urdf(description, *options);
}

Result<dyn::RigidBody> payload_of(const Params& params) {
  dyn::RigidBody body;
  body.mass = params.payload.mass;
  body.com = dyn::Vec3d(params.payload.com[0], params.payload.com[1], params.payload.com[2]);
  const std::vector<double>& i = params.payload.inertia;
  body.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  return dyn::inspect::checked_payload(body);
}

// In the middle of their ranges the joints stand as good as anywhere.
VecXd middle_posture(const dyn::Chain& chain) {
  VecXd q = VecXd::Zero(chain.dof());
  for (Index i = 0; i < chain.dof(); ++i) {
    const dyn::JointLimits& limits = chain.coordinate_joint(i).limits;
    const double middle = 0.5 * (limits.lower + limits.upper);
    if (std::isfinite(middle)) q[i] = middle;
  }
  return q;
}

Result<dyn::Gains> gains_of(const Params& params, dyn::Law law, const dyn::ChainPtr& chain,
                            const dyn::RigidBody& payload) {
  using Map = Params::Gains::MapJoints;
  const auto& map = params.gains.joints_map;
  dyn::Gains gains(chain->dof());
  gains.kp = each(*chain, map, &Map::kp);
  gains.kd = each(*chain, map, &Map::kd);
  if (params.gain_form == "natural_frequency") {
    auto solver = dyn::Solver::make(chain);
    if (!solver) return tl::unexpected(solver.error());
    solver->set_payload(payload);
    auto made = dyn::gains_from_frequency(law, *solver, middle_posture(*chain),
                                          each(*chain, map, &Map::natural_frequency),
                                          each(*chain, map, &Map::damping_ratio));
    if (!made) return made;
    gains = *made;
  }
  gains.ki = each(*chain, map, &Map::ki);
  if (params.gain_form != "natural_frequency") return gains;
  const VecXd share = each(*chain, map, &Map::integral);
  const VecXd frequency = each(*chain, map, &Map::natural_frequency);
  for (Index i = 0; i < chain->dof(); ++i) {
    if (gains.ki[i] == 0.0) gains.ki[i] = share[i] * frequency[i] * gains.kp[i];
  }
  return gains;
}

Result<VecXd> effort_limits(const Params& params, const dyn::Chain& chain) {
  using Map = Params::Limits::MapJoints;
  VecXd limits = or_infinite(each(chain, params.limits.joints_map, &Map::effort));
  for (Index i = 0; i < chain.dof(); ++i) {
    const dyn::Joint& joint = chain.coordinate_joint(i);
    if (joint.limits.effort > 0.0) limits[i] = std::min(limits[i], joint.limits.effort);
    if (std::isfinite(limits[i])) continue;
    return dyn::fail("joint '" + joint.name +
                     "' has no effort limit in the robot description; give one in limits." +
                     joint.name + ".effort");
  }
  return limits;
}

dyn::ObserverParameters observer_of(const Params& params, const dyn::Chain& chain) {
  using Map = Params::Observer::MapJoints;
  dyn::ObserverParameters observer(chain.dof());
  observer.gain = each(chain, params.observer.joints_map, &Map::gain);
  observer.threshold = or_infinite(each(chain, params.observer.joints_map, &Map::threshold));
  observer.hold = params.observer.hold;
  return observer;
}

void set_tip(const Params& params, dyn::ControllerParameters& out) {
  dyn::TaskParameters& task = out.law.task;
  task.frequency.setConstant(params.tip.natural_frequency);
  task.damping_ratio.setConstant(params.tip.damping_ratio);
  for (std::size_t i = 0; i < task.select.size(); ++i) {
    task.select[i] = params.tip.select[i];
    task.stiffness[static_cast<Index>(i)] = params.tip.stiffness[i];
  }
  task.error_limit = params.tip.error_limit;
  task.tank = params.tip.tank;
  out.supervision.tip_error = params.tip.tracking_error;
  out.supervision.tip_turn = params.tip.turning_error;
  out.law.guiding.friction_share = params.guiding.friction_share;
  out.law.guiding.bias_time = params.guiding.bias_time;
}

DriveInterfaces drive_interfaces(const Params& params) {
  if (params.drive_interfaces == "torque") return DriveInterfaces::kTorque;
  return params.drive_interfaces == "gains" ? DriveInterfaces::kGains : DriveInterfaces::kReference;
}

// Drives with gains of their own hold what they are told, whoever pushes.
Result<void> set_drives(const Params& params, const dyn::Chain& chain,
                        dyn::ControllerParameters& out) {
  const DriveInterfaces drives = drive_interfaces(params);
  out.law.guidable = drives != DriveInterfaces::kReference;
  if (drives == DriveInterfaces::kTorque) return {};
  using Map = Params::Drives::MapJoints;
  out.law.drive_kp = each(chain, params.drives.joints_map, &Map::kp);
  out.law.drive_kd = each(chain, params.drives.joints_map, &Map::kd);
  for (Index i = 0; i < chain.dof(); ++i) {
    if (out.law.drive_kp[i] > 0.0 && out.law.drive_kd[i] > 0.0) continue;
    const std::string& joint = chain.coordinate_names()[static_cast<std::size_t>(i)];
    return dyn::fail("drive_interfaces is " + params.drive_interfaces +
                     ", but the drive of joint '" + joint + "' has no gains; give drives." + joint +
                     ".kp and kd");
  }
  if (drives == DriveInterfaces::kReference && !dyn::entry_of(out.law.law).follows_joints()) {
    return dyn::fail("law is " + params.law +
                     ", but the drives hold the joints with gains of their own; drive_interfaces "
                     "has to be gains or torque, or the law one of the joints");
  }
  return {};
}

// Without a gain of the velocity nothing damps a joint, nor brakes it after a fault.
Result<void> check_damping(const dyn::Chain& chain, const dyn::ControlParameters& law) {
  if (dyn::entry_of(law.law).follows == dyn::Follows::kNothing) return {};
  for (Index i = 0; i < chain.dof(); ++i) {
    if (law.gains.kd[i] > 0.0 || law.drive_kd[i] > 0.0) continue;
    const std::string& joint = chain.coordinate_names()[static_cast<std::size_t>(i)];
    return dyn::fail("kd of joint '" + joint +
                     "' is 0: nothing would damp it, nor brake it after a fault; give gains." +
                     joint + ".kp and kd, or gain_form natural_frequency");
  }
  return {};
}

Result<dyn::ControllerParameters> parameters_of(const Params& params, const dyn::ChainPtr& chain,
                                                const dyn::RigidBody& payload, double period) {
  dyn::ControllerParameters out(*chain);
  const auto law = dyn::control_law_named(params.law);
  if (!law) return tl::unexpected(law.error());
  out.law.law = *law;
  const auto gains = gains_of(params, *law, chain, payload);
  if (!gains) return tl::unexpected(gains.error());
  out.law.gains = *gains;
  const auto effort = effort_limits(params, *chain);
  if (!effort) return tl::unexpected(effort.error());
  out.law.limits.effort = *effort;
  using Limits = Params::Limits::MapJoints;
  const auto& limits = params.limits.joints_map;
  out.law.limits.rate = or_infinite(each(*chain, limits, &Limits::effort_rate));
  out.law.limits.saturation =
      params.limits.saturation == "scaled" ? dyn::Saturation::kScaled : dyn::Saturation::kPerJoint;
  out.law.position_error_limit = or_infinite(each(*chain, limits, &Limits::position_error));
  out.law.integral_limit =
      each(*chain, params.gains.joints_map, &Params::Gains::MapJoints::integral_limit);
  constexpr double kErrorMadeUp =
      0.25;  // rad or m: the integral does as much as this error, and no more
  for (Index i = 0; i < chain->dof(); ++i) {
    double& limit = out.law.integral_limit[i];
    if (limit == 0.0) limit = kErrorMadeUp * gains->kp[i];
  }
  out.law.hardware_compensates_gravity = params.hardware_compensates_gravity;
  out.law.ramp_in = params.ramp_in;
  out.law.antiwindup_time = params.antiwindup_time;
  out.law.period = period;
  out.law.hold_time = params.fault.hold_time;
  out.law.decay_time = params.fault.decay_time;
  out.delay = params.prediction.delay;
  out.predict = params.prediction.enabled;
  out.predictor_model.max_step = params.prediction.step;
  out.observer = observer_of(params, *chain);
  out.observe = params.observer.enabled;
  out.reject_disturbance = params.observer.enabled && params.observer.reject_disturbance;
  out.supervision.enabled = params.supervision;
  for (Index i = 0; i < chain->dof(); ++i) {
    const Limits& limit = limits.at(chain->coordinate_names()[static_cast<std::size_t>(i)]);
    if (limit.speed > 0.0) out.supervision.speed[i] = limit.speed;
    if (limit.tracking_error > 0.0) out.supervision.error[i] = limit.tracking_error;
  }
  set_tip(params, out);
  if (const auto set = set_drives(params, *chain, out); !set) return tl::unexpected(set.error());
  const auto damped = check_damping(*chain, out.law);
  if (!damped) return tl::unexpected(damped.error());
  out.stale_time = params.fault.stale_time > 0.0 ? params.fault.stale_time : kInfinity;
  return out;
}

Result<dyn::EffortState> effort_state_of(const Params& params, const dyn::Chain& chain) {
  const auto meaning = dyn::effort_meaning_named(params.effort_state);
  if (!meaning) return tl::unexpected(meaning.error());
  using Map = Params::Drives::MapJoints;
  dyn::EffortState out{*meaning, params.hardware_compensates_gravity,
                       each(chain, params.drives.joints_map, &Map::current_gain)};
  for (Index i = 0; i < chain.dof() && *meaning == dyn::EffortMeaning::kCurrent; ++i) {
    if (out.gain[i] > 0.0) continue;
    const std::string& joint = chain.coordinate_names()[static_cast<std::size_t>(i)];
    return dyn::fail("effort_state is current, but it is not said what torque that of joint '" +
                     joint + "' makes; give drives." + joint + ".current_gain");
  }
  return out;
}

LoopOptions loop_options(const Params& params, const dyn::Chain& chain) {
  LoopOptions options;
  options.fault_timeout = params.fault.timeout;
  const std::string& reaction = params.observer.reaction;
  if (params.observer.enabled && reaction == "stop") options.reaction = Reaction::kStop;
  if (params.observer.enabled && reaction == "gravity") options.reaction = Reaction::kGravity;
  options.collision_stop_time = params.observer.stop_time;
  if (!params.gravity_topic.name.empty()) options.gravity_timeout = params.gravity_topic.timeout;
  ReferenceOptions& reference = options.reference;
  reference.timeout = params.reference.timeout;
  reference.lost = params.reference.lost == "hold" ? LostReference::kHold : LostReference::kGravity;
  reference.stop_time = params.reference.stop_time;
  reference.filter_frequency = params.reference.filter_frequency;
  const double share = params.reference.filter_velocity;
  const VecXd limits = dyn::velocity_limits(chain);
  reference.filter_velocity = (share > 0.0 ? share : kInfinity) * limits;
  options.target = {.frequency = params.tip.filter_frequency,
                    .speed = params.tip.speed,
                    .turning_speed = params.tip.turning_speed,
                    .timeout = params.tip.timeout,
                    .farthest = params.tip.farthest,
                    .fastest = params.tip.fastest,
                    .fastest_turn = params.tip.fastest_turn,
                    .strongest = params.tip.strongest,
                    .strongest_turn = params.tip.strongest_turn};
  return options;
}

// Of the drives under their load; the error is a load that they can hold in no posture.
Result<std::string> weakness_of(const Setup& setup) {
  auto solver = dyn::Solver::make(setup.chain);
  if (!solver) return tl::unexpected(solver.error());
  solver->set_payload(setup.tuning.payload);
  solver->set_gravity(setup.tuning.gravity);
  const VecXd& effort = setup.parameters.law.limits.effort;
  std::string text = dyn::weakness(*setup.chain, dyn::gravity_torque_peak(*solver), effort);
  if (dyn::held_share(*solver, effort) > 0.0) return text;
  return dyn::fail("with a payload of " + std::to_string(setup.tuning.payload.mass) +
                   " kg there is no posture in which this arm could be held: " + text);
}

// The names to command, in the order of the chain.
Result<std::vector<std::string>> command_joints(const Params& params, const dyn::Chain& chain) {
  const std::vector<std::string>& names =
      params.command_joints.empty() ? params.joints : params.command_joints;
  if (names.size() != params.joints.size()) {
    return dyn::fail("command_joints has " + std::to_string(names.size()) + " names, but joints " +
                     std::to_string(params.joints.size()) + "; give one for each, or none");
  }
  std::vector<std::string> out;
  for (const std::string& joint : chain.coordinate_names()) {
    const auto at = std::ranges::find(params.joints, joint) - params.joints.begin();
    out.push_back(names[static_cast<std::size_t>(at)]);
  }
  return out;
}

}  // namespace

Result<Setup> make_setup(const Params& params, const std::string& description, double period) {
  auto chain = make_chain(params, description);
  if (!chain) return tl::unexpected(chain.error());
  auto payload = payload_of(params);
  if (!payload) return tl::unexpected(payload.error());
  const auto effort_state = effort_state_of(params, **chain);
  if (!effort_state) return tl::unexpected(effort_state.error());
  const auto gravity = dyn::inspect::checked_gravity((*chain)->gravity());
  if (!gravity) return tl::unexpected(gravity.error());
  auto parameters = parameters_of(params, *chain, *payload, period);
  if (!parameters) return tl::unexpected(parameters.error());
  auto commands = command_joints(params, **chain);
  if (!commands) return tl::unexpected(commands.error());
  Setup setup{*chain,
              *parameters,
              dyn::Algorithms{params.algorithms.mass_matrix, params.algorithms.inverse_dynamics,
                              params.algorithms.forward_dynamics, params.algorithms.coriolis},
              loop_options(params, **chain),
              Tuning((*chain)->dof()),
              *commands,
              drive_interfaces(params)};
  setup.loop.effort_state = *effort_state;
  setup.tuning.gains = parameters->law.gains;
  setup.tuning.payload = *payload;
  setup.tuning.gravity = *gravity;
  if (setup.parameters.supervision.enabled) {
    setup.loop.reference.longest_jump = setup.parameters.supervision.error;
  }
  auto weakness = weakness_of(setup);
  if (!weakness) return tl::unexpected(weakness.error());
  setup.weakness = *weakness;
  // Rules that only the making knows: of gains, algorithms, limits.
  const auto loop =
      ControlLoop::make(setup.chain, setup.parameters, setup.algorithms, setup.loop, setup.tuning);
  if (!loop) return tl::unexpected(loop.error());
  return setup;
}

}  // namespace dyn_control
