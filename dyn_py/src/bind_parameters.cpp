// What the parts of the control loop are set up with.
#include <array>

#include "bindings.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/plant.hpp"
#include "fields.hpp"

namespace dyn::python {
namespace {

constexpr std::array<Named<Friction>, 3> kFrictions = {
    {{"none", Friction::kNone}, {"damping", Friction::kDamping}, {"full", Friction::kFull}}};
constexpr std::array<Named<Scheme>, 3> kSchemes = {{{"semi_implicit", Scheme::kSemiImplicit},
                                                    {"midpoint", Scheme::kMidpoint},
                                                    {"rk4", Scheme::kRungeKutta4}}};
constexpr std::array<Named<Saturation>, 2> kSaturations = {
    {{"per_joint", Saturation::kPerJoint}, {"scaled", Saturation::kScaled}}};

/// A property that is an enumerator, by its name.
template <class Owner, class Value, std::size_t N>
void def_named(py::class_<Owner>& owner, const char* name, Value Owner::*member,
               const std::array<Named<Value>, N>& names) {
  owner.def_property(
      name,
      [member, &names](const Owner& o) {
        for (const Named<Value>& one : names) {
          if (one.value == o.*member) return one.name;
        }
        return "";
      },
      [member, &names, name](Owner& o, const std::string& wanted) {
        o.*member = chosen(name, names, wanted);
      });
}

/// The defaults with what is given by name.
template <class Parameters>
Parameters changed(Parameters defaults, const py::kwargs& values) {
  const py::object object = py::cast(std::move(defaults));
  set_attributes(object, values);
  return object.cast<Parameters>();
}
template <class Parameters>
Parameters of_chain(const SharedChain& chain, const py::kwargs& values) {
  return changed(Parameters(*chain), values);
}

void bind_stepper(py::module_& module) {
  using S = StepperOptions;
  py::class_<S> options(
      module, "StepperOptions",
      "How a simulated arm is carried through time: scheme "
      "semi_implicit, midpoint or rk4, friction none, damping or full; max_step in s.");
  options.def(py::init([](const py::kwargs& values) { return changed(S(), values); }));
  def_named(options, "scheme", &S::scheme, kSchemes);
  def_named(options, "friction", &S::friction, kFrictions);
  hold(options, "friction_scale", &S::friction_scale, "stops", &S::stops, "max_step", &S::max_step,
       "tolerance", &S::tolerance, "most_sweeps", &S::most_sweeps);
}

void bind_gains(py::module_& module) {
  py::class_<Gains> gains(module, "Gains", "One of each for every coordinate.");
  gains.def(py::init([](const SharedChain& chain) { return Gains(chain->dof()); }), "chain"_a);
  hold(gains, "kp", &Gains::kp, "ki", &Gains::ki, "kd", &Gains::kd);
  module.def(
      "gains",
      [](const SharedChain& chain, const std::string& law, double frequency, double damping_ratio,
         const std::optional<Floats>& posture) {
        const Index n = chain->dof();
        Solver solver = require(Solver::make(chain));
        return require(
            gains_from_frequency(require(control_law_named(law)), solver,
                                 posture ? posture->vector(n, "posture") : VecXd(VecXd::Zero(n)),
                                 VecXd::Constant(n, frequency), VecXd::Constant(n, damping_ratio)));
      },
      "chain"_a, "law"_a = "computed_torque", "frequency"_a = 20.0, "damping_ratio"_a = 1.0,
      "posture"_a = py::none(),
      "Gains of a law for a natural frequency in rad/s; those that act on torques fit the inertia "
      "at `posture`.");
}

void bind_law_parts(py::module_& module) {
  using L = TorqueLimits;
  py::class_<L> limits(module, "TorqueLimits",
                       "N m and N m/s, or N and N/s; infinite: none. saturation: scaled or "
                       "per_joint.");
  def_named(limits, "saturation", &L::saturation, kSaturations);
  hold(limits, "effort", &L::effort, "rate", &L::rate);
  using G = GuidingParameters;
  py::class_<G> guiding(module, "GuidingParameters", "Of the law gravity, for guiding by hand.");
  hold(guiding, "friction_share", &G::friction_share, "assist_speed", &G::assist_speed, "damping",
       &G::damping, "wall_margin", &G::wall_margin, "bias_time", &G::bias_time, "bias_share",
       &G::bias_share, "bias_speed", &G::bias_speed);
  using T = TaskParameters;
  py::class_<T> task(module, "TaskParameters",
                     "Of the laws at the tip; linear, then angular; N/m and N m/rad.");
  hold(task, "frame", &T::frame, "select", &T::select, "error_limit", &T::error_limit, "length",
       &T::length, "heaviest", &T::heaviest, "damping_ratio", &T::damping_ratio, "frequency",
       &T::frequency, "stiffness", &T::stiffness, "inertia", &T::inertia, "tank", &T::tank);
}

void bind_law_parameters(py::module_& module) {
  using P = ControlParameters;
  py::class_<P> law(module, "ControlParameters",
                    "Of a control law, one of control_laws(); see docs/control.md. Times "
                    "in s; 20 rad/s at first.");
  law.def(py::init(&of_chain<P>), "chain"_a)
      .def_property(
          "law", [](const P& p) { return std::string(entry_of(p.law).name); },
          [](P& p, const std::string& name) { p.law = require(control_law_named(name)); });
  hold(law, "gains", &P::gains, "integral_limit", &P::integral_limit, "position_error_limit",
       &P::position_error_limit, "limits", &P::limits, "hardware_compensates_gravity",
       &P::hardware_compensates_gravity, "friction", &P::friction, "ramp_in", &P::ramp_in,
       "antiwindup_time", &P::antiwindup_time, "period", &P::period, "hold_time", &P::hold_time,
       "decay_time", &P::decay_time, "brake_limit", &P::brake_limit, "approach", &P::approach,
       "drive_kp", &P::drive_kp, "drive_kd", &P::drive_kd, "guiding", &P::guiding, "task",
       &P::task);
}

void bind_loop_parameters(py::module_& module) {
  using O = ObserverParameters;
  py::class_<O> observer(module, "ObserverParameters",
                         "Of the momentum observer: gain in 1/s, threshold of a "
                         "contact in N m or N, times in s.");
  observer.def(py::init([](const SharedChain& chain, const py::kwargs& values) {
                 return changed(O(chain->dof()), values);
               }),
               "chain"_a);
  hold(observer, "gain", &O::gain, "threshold", &O::threshold, "hold", &O::hold, "release",
       &O::release, "hysteresis", &O::hysteresis, "friction", &O::friction,
       "hardware_compensates_gravity", &O::hardware_compensates_gravity);
  using S = SupervisionParameters;
  py::class_<S> supervision(module, "SupervisionParameters", "What stops the arm.");
  hold(supervision, "enabled", &S::enabled, "speed", &S::speed, "error", &S::error, "lower",
       &S::lower, "upper", &S::upper, "approach", &S::approach);
  using C = ControllerParameters;
  py::class_<C> controller(module, "ControllerParameters",
                           "Law, prediction, observer and supervision; delay: from "
                           "measurement to the torque that answers it, s.");
  controller.def(py::init(&of_chain<C>), "chain"_a);
  hold(controller, "law", &C::law, "delay", &C::delay, "predict", &C::predict, "predictor_model",
       &C::predictor_model, "observer", &C::observer, "observe", &C::observe, "reject_disturbance",
       &C::reject_disturbance, "stale_time", &C::stale_time, "supervision", &C::supervision);
}

void bind_plant_parameters(py::module_& module) {
  using P = PredictorParameters;
  py::class_<P> predictor(module, "PredictorParameters", "Times in s.");
  predictor.def(py::init([](const py::kwargs& values) { return changed(P(), values); }));
  hold(predictor, "delay", &P::delay, "period", &P::period, "longest_delay", &P::longest_delay,
       "middle_of_hold", &P::middle_of_hold, "hardware_compensates_gravity",
       &P::hardware_compensates_gravity, "model", &P::model);
  using A = PlantParameters;
  py::class_<A> plant(module, "PlantParameters",
                      "Of a simulated arm; delay: from command() to the joint; times in s; "
                      "noises are standard deviations.");
  plant.def(py::init([](const py::kwargs& values) { return changed(A(), values); }));
  hold(plant, "delay", &A::delay, "shortest_period", &A::shortest_period, "clip_effort",
       &A::clip_effort, "drive_period", &A::drive_period, "drive_compensates_gravity",
       &A::drive_compensates_gravity, "position_noise", &A::position_noise, "velocity_noise",
       &A::velocity_noise, "seed", &A::seed, "model", &A::model);
}

}  // namespace

void bind_parameters(py::module_& module) {
  bind_stepper(module);
  bind_gains(module);
  bind_law_parts(module);
  bind_law_parameters(module);
  bind_loop_parameters(module);
  bind_plant_parameters(module);
}

}  // namespace dyn::python
