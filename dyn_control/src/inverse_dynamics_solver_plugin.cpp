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

// dyn_core as a plugin of inverse_dynamics_solver, for those who have chosen that interface. Built
// only where that package is found.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <dyn_core/robot/urdf.hpp>
#include <dyn_core/solver.hpp>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_list_macros.hpp>

namespace dyn_control {

/// Parameters, below the namespace given: root and tip (links; empty or unset: chosen as dyn_core
/// does) and gravity (in the root link's frame). One object for each thread: the queries use its
/// memory.
class InverseDynamicsSolverPlugin : public inverse_dynamics_solver::InverseDynamicsSolver {
 public:
  using Parameters = rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr;

  void initialize(Parameters parameters = nullptr, const std::string& name_space = "",
                  const std::string& robot_description = "") override {
    const std::string prefix = name_space.empty() ? "" : name_space + ".";
    dyn::UrdfOptions options;
    std::string description = robot_description;
    if (description.empty()) take(parameters, "robot_description", description);
    take(parameters, prefix + "root", options.base);
    take(parameters, prefix + "tip", options.tip);
    std::vector<double> gravity;
    take(parameters, prefix + "gravity", gravity);
    if (gravity.size() == 3) options.gravity = dyn::Vec3d(gravity[0], gravity[1], gravity[2]);
    auto chain = dyn::parse_urdf(description, options);
    if (!chain) throw std::invalid_argument(chain.error().sentence);
    auto solver = dyn::Solver::make(*chain);
    if (!solver) throw std::invalid_argument(solver.error().sentence);
    solver_ = std::move(*solver);
  }

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd& q) const override {
    Eigen::MatrixXd out(q.size(), q.size());
    check(solver().mass_matrix(q, out));
    return out;
  }

  Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& qd) const override {
    Eigen::VectorXd out(q.size());
    check(solver().coriolis_torque(q, qd, out));
    return out;
  }

  Eigen::VectorXd getGravityVector(const Eigen::VectorXd& q) const override {
    Eigen::VectorXd out(q.size());
    check(solver().gravity_torque(q, out));
    return out;
  }

  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd& qd) const override {
    Eigen::VectorXd out(qd.size());
    check(solver().friction_torque(qd, out));
    return out;
  }

  Eigen::VectorXd getTorques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                             const Eigen::VectorXd& qdd) const override {
    Eigen::VectorXd out(q.size());
    check(solver().inverse_dynamics(q, qd, qdd, out));
    return out;
  }

 private:
  template <class Value>
  static void take(const Parameters& parameters, const std::string& name, Value& out) {
    rclcpp::Parameter parameter;
    if (parameters && parameters->get_parameter(name, parameter))
      out = parameter.get_value<Value>();
  }

  static void check(dyn::Status status) {
    if (status != dyn::Status::kOk) throw std::runtime_error(dyn::to_string(status));
  }

  dyn::Solver& solver() const {
    if (!solver_) throw std::logic_error("initialize() has to be called first");
    return *solver_;
  }

  mutable std::optional<dyn::Solver> solver_;
};

}  // namespace dyn_control

PLUGINLIB_EXPORT_CLASS(dyn_control::InverseDynamicsSolverPlugin,
                       inverse_dynamics_solver::InverseDynamicsSolver)
