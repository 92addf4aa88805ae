#include "dyn_core/inspect/outputs.hpp"

namespace dyn::inspect {
namespace {

template <class... Outputs>
OutputSet set_of(Outputs... outputs) {
  OutputSet set;
  (set.set(index(outputs)), ...);
  return set;
}

}  // namespace

Values::Values(Index dof)
    : terms(dof),
      mass_matrix(MatXd::Zero(dof, dof)),
      coriolis_matrix(mass_matrix),
      quasi(dof),
      residual(VecXd::Zero(dof)) {}

Status Values::compute_power(Inspector& inspector, VecIn<double> q) {
  power.resize(static_cast<std::size_t>(q.size()), mass_matrix);
  return inspector.solver().inertia_power(q, power);
}

void Values::paint(Inspector& inspector, const JointStateMatcher& state,
                   const MarkerPainter& painter) {
  JointState moving(state.positions().size());
  moving.q = state.positions();
  moving.qd = state.velocities();
  markers = painter.paint(inspector, moving, state.has_efforts() ? &state.efforts() : nullptr);
}

OutputSet Values::compute(OutputSet wanted, Inspector& inspector, const JointStateMatcher& state,
                          EffortObserver& efforts, const MarkerPainter& painter) {
  const VecXd &q = state.positions(), &qd = state.velocities();
  Solver& solver = inspector.solver();
  OutputSet computed;
  const auto run = [&](OutputSet outputs, const auto& function) {
    outputs &= wanted;
    if (outputs.none()) return;
    const Status result = function();
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs.test(k)) status[k] = result;
    }
    if (result == Status::kOk) computed |= outputs;
  };
  run(set_of(Output::kJointDynamics, Output::kGravityTorque, Output::kCoriolisTorque),
      [&] { return inspector.joint_dynamics(q, qd, terms); });
  run(set_of(Output::kMassMatrix), [&] { return solver.mass_matrix(q, mass_matrix); });
  run(set_of(Output::kCoriolisMatrix),
      [&] { return solver.coriolis_matrix(q, qd, coriolis_matrix); });
  run(set_of(Output::kDiagonalized), [&] { return solver.quasi(q, qd, state.efforts(), quasi); });
  run(set_of(Output::kInertiaPower), [&] { return compute_power(inspector, q); });
  run(set_of(Output::kMarkers), [&] {
    paint(inspector, state, painter);
    return Status::kOk;
  });
  run(set_of(Output::kResidual), [&] {
    efforts.residual(residual);
    return efforts.status();
  });
  run(set_of(Output::kExternalWrench), [&] {
    return efforts.status() == Status::kOk
               ? efforts.tip_wrench(inspector.kinematics(), external_wrench)
               : efforts.status();
  });
  return computed;
}

}  // namespace dyn::inspect
