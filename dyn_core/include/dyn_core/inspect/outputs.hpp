// Outputs: what is published of a joint state, and the values it carries.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/inspect/effort_observer.hpp"
#include "dyn_core/inspect/inspector.hpp"
#include "dyn_core/inspect/joint_states.hpp"
#include "dyn_core/inspect/markers.hpp"

namespace dyn::inspect {

enum class Output : std::uint8_t {
  kMassMatrix,
  kJointDynamics,
  kDiagonalized,
  kCoriolisMatrix,
  kInertiaPower,
  kGravityTorque,
  kCoriolisTorque,
  kMarkers,
  kResidual,
  kExternalWrench,
};

struct OutputEntry {
  std::string_view topic;
  std::string_view name;  ///< of its setting
  double rate;            ///< by default, Hz; zero: off
};

/// Indexed by Output.
inline constexpr std::array<OutputEntry, 10> kOutputs = {{
    {"mass_matrix", "mass_matrix", 50.0},
    {"joint_dynamics", "joint_dynamics", 100.0},
    {"diagonalized", "diagonalized", 50.0},
    {"coriolis_matrix", "coriolis_matrix", 50.0},
    {"inertia_power", "inertia_power", 0.0},
    {"torque/gravity", "gravity_torque", 100.0},
    {"torque/coriolis", "coriolis_torque", 100.0},
    {"markers", "markers", 20.0},
    {"residual", "residual", 100.0},
    {"external_wrench", "external_wrench", 100.0},
}};

using OutputSet = std::bitset<kOutputs.size()>;

[[nodiscard]] constexpr std::size_t index(Output output) {
  return static_cast<std::size_t>(output);
}

/// What the outputs carry in one state.
struct DYN_CORE_EXPORT Values {
  JointDynamics terms;
  MatXd mass_matrix, coriolis_matrix;
  Quasi quasi;
  std::vector<MatXd> power;  ///< the inertia power array; empty until it is asked for
  std::vector<Marker> markers;
  VecXd residual;          ///< measured effort minus the model's
  Wrench external_wrench;  ///< of the world on the tip, in the tip link's frame
  std::array<Status, kOutputs.size()> status{};  ///< of each output when it was last asked for

  explicit Values(Index dof);

  /// Computes what is asked for; returns what of it could be computed. Only the markers and the first
  /// inertia power array allocate.
  OutputSet compute(OutputSet wanted, Inspector& inspector, const JointStateMatcher& state,
                    EffortObserver& efforts, const MarkerPainter& painter);

 private:
  Status compute_power(Inspector& inspector, VecIn<double> q);
  void paint(Inspector& inspector, const JointStateMatcher& state, const MarkerPainter& painter);
};

}  // namespace dyn::inspect
