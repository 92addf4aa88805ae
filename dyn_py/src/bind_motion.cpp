// Trajectories, motions simulated under given torques, and tracking in closed loop on a simulated arm.
#include <variant>

#include "bindings.hpp"
#include "dyn_core/control/tracking.hpp"
#include "dyn_core/motion/simulate.hpp"
#include "dyn_core/motion/timing.hpp"
#include "fields.hpp"
#include "queries.hpp"
#include "rows.hpp"

namespace dyn::python {
namespace {

SharedTrajectory shared(const TrajectoryPtr& trajectory) {
  return std::const_pointer_cast<Trajectory>(trajectory);
}
SharedTrajectory made(Result<TrajectoryPtr> trajectory) {
  return shared(require(std::move(trajectory)));
}
VecXd vector_of(const Floats& values, const char* name) {
  return values.vector(values.size(), name);
}

// ---- trajectories ------------------------------------------------------------------------------------
std::tuple<Array, Array, Array> evaluate(const Trajectory& trajectory, const Floats& time) {
  const Index n = trajectory.dof();
  const std::array<Index, 2> shape = {time.size(), n};
  if (time.dimensions > 1) throw Failure("a trajectory takes one time, or times of (T,)");
  const std::span lengths = std::span(shape).subspan(time.dimensions == 0 ? 1 : 0);
  std::array<Array, 3> out;
  for (Array& array : out) array = Array(new_array(lengths));
  for (Index k = 0; k < time.size(); ++k) {
    const auto row = [&](const Array& array) {
      return Eigen::Map<VecXd>(data_of(array) + k * n, n);
    };
    require(trajectory.evaluate(time.data[k], row(out[0]), row(out[1]), row(out[2])), "trajectory");
  }
  return {out[0], out[1], out[2]};
}

SharedTrajectory through(const Floats& times, const Floats& positions,
                         const std::string& interpolation) {
  if (positions.dimensions != 2) {
    throw Failure("positions has the shape " + positions.shape_text() + "; give (T, n)");
  }
  const std::array<Choice<Interpolation>, 3> choices = {{{"cubic", Interpolation::kCubic, ""},
                                                         {"quintic", Interpolation::kQuintic, ""},
                                                         {"natural", Interpolation::kNatural, ""}}};
  const Index n = positions.shape[1];
  std::vector<VecXd> points;
  for (Index k = 0; k < positions.shape[0]; ++k) {
    points.emplace_back(Eigen::Map<const VecXd>(positions.data + k * n, n));
  }
  const VecXd t = vector_of(times, "times");
  return made(
      waypoints({t.begin(), t.end()}, points, chosen("interpolation", choices, interpolation)));
}

SharedTrajectory fastest_along(const SharedChain& chain, const SharedTrajectory& path,
                               const std::optional<Floats>& velocity,
                               const std::optional<Floats>& acceleration,
                               const std::optional<Floats>& effort) {
  const Index n = chain->dof();
  TimingLimits limits(*chain);
  if (velocity) limits.velocity = velocity->vector(n, "velocity");
  if (acceleration) limits.acceleration = acceleration->vector(n, "acceleration");
  if (effort) limits.effort = effort->vector(n, "effort");
  const py::gil_scoped_release release;
  return made(fastest(chain, path, limits));
}

// ---- simulation --------------------------------------------------------------------------------------
struct Simulation {
  Array t, q, qd, tau, energy;
  SimulationReport report;
};

using Torque = std::variant<std::monostate, SharedTrajectory, py::function, Floats>;

// A Python function, whose exception ends the run and is thrown after it.
TorqueInput called(const py::function& torque, Index n, std::exception_ptr& thrown) {
  return [&torque, &thrown, n](double time, VecIn<double> q, VecIn<double> qd, VecOut<double> tau) {
    const py::gil_scoped_acquire acquire;
    try {
      tau = torque(time, VecXd(q), VecXd(qd)).cast<Floats>().vector(n, "torque: its result");
      return Status::kOk;
    } catch (...) {
      thrown = std::current_exception();
      return Status::kUnsupported;
    }
  };
}

TorqueInput input_of(const SharedChain& chain, const Torque& torque,
                     const SimulationOptions& options, std::exception_ptr& thrown) {
  if (const auto* constant = std::get_if<Floats>(&torque)) {
    return constant_torque(constant->vector(chain->dof(), "torque"));
  }
  if (const auto* motion = std::get_if<SharedTrajectory>(&torque)) {
    return require(feedforward(chain, *motion, options));
  }
  if (const auto* function = std::get_if<py::function>(&torque)) {
    return called(*function, chain->dof(), thrown);
  }
  return free_fall();
}

Simulation run(const SharedChain& chain, const SimulationOptions& options, const Torque& torque,
               const VecXd& q0, const VecXd& qd0) {
  const Index n = chain->dof();
  std::exception_ptr thrown;
  const TorqueInput torques = input_of(chain, torque, options, thrown);
  Rows t(0), q(n), qd(n), tau(n), energy(0);
  SimulationCallbacks callbacks;
  callbacks.sample = [&](const Sample& sample) {
    t.add(sample.time), q.add(sample.q), qd.add(sample.qd), tau.add(sample.tau);
    energy.add(sample.energy);
  };
  callbacks.proceed = [asked = Seldom(256)](double) mutable { return !asked() || no_interrupt(); };
  Result<SimulationReport> report = [&] {
    const py::gil_scoped_release release;
    return simulate(chain, options, torques, q0, qd0, callbacks);
  }();
  if (thrown) std::rethrow_exception(thrown);
  raise_interrupt();
  return {t.array(),   q.array(),      qd.array(),
          tau.array(), energy.array(), require(std::move(report))};
}

Simulation simulate_from(const SharedChain& chain, const Floats& q0,
                         const std::optional<Floats>& qd0, double duration, double time_step,
                         const Torque& torque, const std::string& integrator, double tolerance,
                         int substeps, const std::string& velocity, bool friction, bool joint_stops,
                         const std::string& forward_dynamics) {
  SimulationOptions options;
  options.duration = duration;
  options.step = time_step;
  options.integrator = chosen("integrator", integrators(), integrator);
  options.tolerance = tolerance;
  options.substeps = substeps;
  options.velocities = chosen("velocities", velocities(), velocity);
  options.friction = friction;
  options.joint_stops = joint_stops;
  options.algorithms.forward_dynamics = forward_dynamics;
  const Index n = chain->dof();
  return run(chain, options, torque, q0.vector(n, "q0"),
             qd0 ? qd0->vector(n, "qd0") : VecXd(VecXd::Zero(n)));
}

// ---- tracking ------------------------------------------------------------------------------------------
struct Tracking {
  Array t, q, qd, q_d, torque;
  TrackingReport report;
};

Tracking run_tracking(const SharedChain& chain, const SharedTrajectory& trajectory,
                      const std::optional<ControllerParameters>& controller,
                      const std::optional<PlantParameters>& plant,
                      const std::optional<SharedChain>& truth, const std::optional<Floats>& push) {
  const Index n = chain->dof();
  TrackingParameters parameters(*chain);
  if (controller) parameters.controller = *controller;
  if (plant) parameters.plant = *plant;
  if (push) parameters.push = push->vector(3, "push");
  Rows t(0), q(n), qd(n), q_d(n), torque(n);
  TrackingCallbacks callbacks;
  callbacks.sample = [&](const TrackingSample& sample) {
    t.add(sample.time), q.add(sample.state.q), qd.add(sample.state.qd);
    q_d.add(sample.reference.q), torque.add(sample.output.torque);
  };
  callbacks.proceed = [asked = Seldom(256)](double) mutable { return !asked() || no_interrupt(); };
  Result<TrackingReport> report = [&] {
    const py::gil_scoped_release release;
    return track(chain, truth ? *truth : chain, *trajectory, parameters, callbacks);
  }();
  raise_interrupt();
  return {t.array(),   q.array(),      qd.array(),
          q_d.array(), torque.array(), require(std::move(report))};
}

void bind_tracking(py::module_& module) {
  using T = Tracking;
  using R = TrackingReport;
  py::class_<T> tracking(module, "Tracking",
                         R"(A run in closed loop: samples, and how well it followed.

q, qd        of the arm, without noise; q_d: the reference; torque: the commands
rms, peak    of q_d - q of every coordinate; rms_norm, peak_norm of its length; tip_rms, tip_peak in m
saturated    share of the updates in which a limit was met
failures     updates in which the law was not in force; mean_update: computing time of one, s)");
  show(tracking, "t", &T::t, "q", &T::q, "qd", &T::qd, "q_d", &T::q_d, "torque", &T::torque, "rms",
       at(&T::report, &R::rms), "peak", at(&T::report, &R::peak), "rms_norm",
       at(&T::report, &R::rms_norm), "peak_norm", at(&T::report, &R::peak_norm), "torque_rms",
       at(&T::report, &R::torque_rms), "torque_peak", at(&T::report, &R::torque_peak), "tip_rms",
       at(&T::report, &R::tip_rms), "tip_peak", at(&T::report, &R::tip_peak), "saturated",
       at(&T::report, &R::saturated), "prediction_rms", at(&T::report, &R::prediction_rms),
       "mean_update", at(&T::report, &R::mean_update), "updates", at(&T::report, &R::updates),
       "failures", at(&T::report, &R::failures));
  module.def(
      "track", &run_tracking, "chain"_a, "trajectory"_a, "controller"_a = py::none(),
      "plant"_a = py::none(), "truth"_a = py::none(), "push"_a = py::none(),
      R"(Follows `trajectory` with a controller that knows `chain` on a plant that is `truth`.

controller  ControllerParameters; default: computed torque, without prediction, nothing blended in
truth       another Chain, such as scale_inertia() makes; default: the same
push        force on the tip in the second quarter of the run, N)");
}

}  // namespace

void bind_motion(py::module_& module) {
  py::class_<Trajectory, SharedTrajectory>(
      module, "Trajectory", "Positions, velocities and accelerations over time; immutable.")
      .def_property_readonly("dof", &Trajectory::dof)
      .def_property_readonly("duration", &Trajectory::duration, "s")
      .def("__call__", &evaluate, "time"_a,
           "(q, qd, qdd) at one time, each (n,), or at times of (T,), each (T, n).");
  module.def(
      "cycloid",
      [](const Floats& q0, const Floats& q1, double duration) {
        return made(cycloid(vector_of(q0, "q0"), vector_of(q1, "q1"), duration));
      },
      "q0"_a, "q1"_a, "duration"_a, "The papers' cycloid from q0 to q1.");
  module.def(
      "quintic",
      [](const Floats& q0, const Floats& q1, double duration) {
        return made(quintic(vector_of(q0, "q0"), vector_of(q1, "q1"), duration));
      },
      "q0"_a, "q1"_a, "duration"_a,
      "Polynomial of fifth order, at rest and without acceleration at both ends.");
  module.def(
      "trapezoid",
      [](const Floats& q0, const Floats& q1, const Floats& velocity, const Floats& acceleration) {
        return made(trapezoid(vector_of(q0, "q0"), vector_of(q1, "q1"),
                              vector_of(velocity, "velocity"),
                              vector_of(acceleration, "acceleration")));
      },
      "q0"_a, "q1"_a, "velocity"_a, "acceleration"_a,
      "Trapezoidal velocities in the shortest time that these limits allow.");
  module.def("waypoints", &through, "times"_a, "positions"_a, "interpolation"_a = "cubic",
             "Through positions of (T, n) at times of (T,); cubic or quintic, or natural as a path "
             "for fastest().");
  module.def("fastest", &fastest_along, "chain"_a, "path"_a, "velocity"_a = py::none(),
             "acceleration"_a = py::none(), "effort"_a = py::none(),
             "Along `path` from rest to rest as fast as these limits allow; default: the robot "
             "description's velocities and efforts.");
  using S = Simulation;
  using R = SimulationReport;
  py::class_<S> simulation(module, "Simulation",
                           "A motion: samples, and what became of it; energies in J.");
  show(simulation, "t", &S::t, "q", &S::q, "qd", &S::qd, "tau", &S::tau, "energy", &S::energy,
       "steps", at(&S::report, &R::steps), "rejected_steps", at(&S::report, &R::rejected_steps),
       "evaluations", at(&S::report, &R::evaluations), "energy_drift",
       at(&S::report, &R::energy_drift), "kinetic_energy", at(&S::report, &R::kinetic_energy));
  module.def("simulate", &simulate_from, "chain"_a, "q0"_a, "qd0"_a = py::none(),
             "duration"_a = 10.0, "step"_a = 0.01, "torque"_a = py::none(),
             "integrator"_a = "rkf45", "tolerance"_a = 1e-6, "substeps"_a = 1,
             "velocities"_a = "joint", "friction"_a = false, "joint_stops"_a = false,
             "forward_dynamics"_a = "",
             R"(The motion from q0, qd0, sampled every `step` seconds.

torque      None: free fall; (n,): constant; a Trajectory: the torque that follows it; or a function of
            time, q and qd that returns (n,)
integrator  rkf45, dopri5 and abm with `tolerance`; rk4 and semi_implicit with `substeps` a sample
velocities  joint, or what is integrated instead: normalized or unnormalized quasi-velocities)");
  bind_tracking(module);
}

}  // namespace dyn::python
