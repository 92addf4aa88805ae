// The control loop, part by part, and tracking: the whole of it on a simulated arm.
#include <array>
#include <map>

#include "bindings.hpp"
#include "dyn_core/control/tracking.hpp"
#include "pool.hpp"
#include "rows.hpp"

namespace dyn::python {
namespace {

// ---- parameters --------------------------------------------------------------------------------------
template <class Value>
struct Named {
  const char* name;
  Value value;
};
constexpr std::array<Named<Friction>, 3> kFrictions = {
    {{"none", Friction::kNone}, {"damping", Friction::kDamping}, {"full", Friction::kFull}}};
constexpr std::array<Named<Scheme>, 3> kSchemes = {{{"semi_implicit", Scheme::kSemiImplicit},
                                                    {"midpoint", Scheme::kMidpoint},
                                                    {"rk4", Scheme::kRungeKutta4}}};
constexpr std::array<Named<Fault>, 4> kFaults = {{{"none", Fault::kNone},
                                                  {"state_not_finite", Fault::kStateNotFinite},
                                                  {"state_frozen", Fault::kStateFrozen},
                                                  {"command_lost", Fault::kCommandLost}}};
constexpr std::array<Named<Saturation>, 2> kSaturations = {
    {{"per_joint", Saturation::kPerJoint}, {"scaled", Saturation::kScaled}}};
constexpr std::array<const char*, 4> kModes = {"tracking", "holding", "stopping", "blind"};

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

// A vector of parameters is read as a copy that says so when written to, and set as a whole: by as many
// numbers as there are, or one for all.
template <class Owner>
auto read(VecXd Owner::*member) {
  return [member](const Owner& owner) {
    const VecXd& values = owner.*member;
    const Index size = values.size();
    Array copy(new_array({&size, 1}));
    Eigen::Map<VecXd>(data_of(copy), size) = values;
    copy.attr("setflags")("write"_a = false);
    return copy;
  };
}
template <class Owner>
auto write(const char* name, VecXd Owner::*member) {
  return [name, member](Owner& owner, const Floats& values) {
    VecXd& own = owner.*member;
    if (values.dimensions == 0) {
      own.setConstant(*values.data);
    } else {
      own = values.vector(own.size(), name);
    }
  };
}

void bind_stepper(py::module_& module) {
  py::class_<StepperOptions> options(module, "StepperOptions",
                                     "How a simulated arm is carried through time.");
  options.def(py::init([](const py::kwargs& values) { return changed(StepperOptions(), values); }))
      .def_readwrite("friction_scale", &StepperOptions::friction_scale)
      .def_readwrite("stops", &StepperOptions::stops, "Joint limits stop the joints.")
      .def_readwrite("max_step", &StepperOptions::max_step, "s")
      .def_readwrite("tolerance", &StepperOptions::tolerance)
      .def_readwrite("most_sweeps", &StepperOptions::most_sweeps)
      .def("__repr__", &attributes_text);
  def_named(options, "scheme", &StepperOptions::scheme, kSchemes);
  def_named(options, "friction", &StepperOptions::friction, kFrictions);
}

void bind_gains(py::module_& module) {
  py::class_<Gains>(module, "Gains", "One of each for every coordinate.")
      .def(py::init<Index>(), "dof"_a)
      .def_property("kp", read(&Gains::kp), write("kp", &Gains::kp))
      .def_property("ki", read(&Gains::ki), write("ki", &Gains::ki))
      .def_property("kd", read(&Gains::kd), write("kd", &Gains::kd))
      .def("__repr__", &attributes_text);
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
  py::class_<TorqueLimits> limits(module, "TorqueLimits");
  limits
      .def_property("effort", read(&TorqueLimits::effort), write("effort", &TorqueLimits::effort),
                    "N m or N; infinite: none.")
      .def_property("rate", read(&TorqueLimits::rate), write("rate", &TorqueLimits::rate),
                    "N m/s or N/s.")
      .def("__repr__", &attributes_text);
  def_named(limits, "saturation", &TorqueLimits::saturation, kSaturations);
  py::class_<GuidingParameters>(module, "GuidingParameters")
      .def_readwrite("friction_share", &GuidingParameters::friction_share)
      .def_readwrite("assist_speed", &GuidingParameters::assist_speed)
      .def_property("damping", read(&GuidingParameters::damping),
                    write("damping", &GuidingParameters::damping))
      .def_property("wall_margin", read(&GuidingParameters::wall_margin),
                    write("wall_margin", &GuidingParameters::wall_margin))
      .def_readwrite("bias_time", &GuidingParameters::bias_time)
      .def_readwrite("bias_share", &GuidingParameters::bias_share)
      .def_readwrite("bias_speed", &GuidingParameters::bias_speed)
      .def("__repr__", &attributes_text);
  py::class_<TaskParameters>(module, "TaskParameters", "The task frame; linear, then angular.")
      .def_readwrite("frame", &TaskParameters::frame)
      .def_readwrite("select", &TaskParameters::select)
      .def_readwrite("error_limit", &TaskParameters::error_limit, "m")
      .def_readwrite("length", &TaskParameters::length, "m")
      .def_readwrite("heaviest", &TaskParameters::heaviest, "kg")
      .def_readwrite("damping_ratio", &TaskParameters::damping_ratio)
      .def_readwrite("frequency", &TaskParameters::frequency, "rad/s, of task_space.")
      .def_readwrite("stiffness", &TaskParameters::stiffness, "N/m and N m/rad, of impedance.")
      .def_readwrite("inertia", &TaskParameters::inertia)
      .def_readwrite("tank", &TaskParameters::tank, "J")
      .def("__repr__", &attributes_text);
}

void bind_law_parameters(py::module_& module) {
  using P = ControlParameters;
  py::class_<P>(module, "ControlParameters",
                "Of a control law; see docs/control.md. ωn = 20 rad/s at first.")
      .def(py::init(&of_chain<P>), "chain"_a)
      .def_property(
          "law", [](const P& p) { return std::string(entry_of(p.law).name); },
          [](P& p, const std::string& name) { p.law = require(control_law_named(name)); },
          "Its name, one of control_laws().")
      .def_readwrite("gains", &P::gains)
      .def_property("integral_limit", read(&P::integral_limit),
                    write("integral_limit", &P::integral_limit))
      .def_property("position_error_limit", read(&P::position_error_limit),
                    write("position_error_limit", &P::position_error_limit))
      .def_readwrite("limits", &P::limits)
      .def_readwrite("hardware_compensates_gravity", &P::hardware_compensates_gravity)
      .def_readwrite("friction", &P::friction)
      .def_readwrite("ramp_in", &P::ramp_in, "s")
      .def_readwrite("antiwindup_time", &P::antiwindup_time, "s")
      .def_readwrite("period", &P::period, "s")
      .def_readwrite("hold_time", &P::hold_time, "s")
      .def_readwrite("decay_time", &P::decay_time, "s")
      .def_readwrite("brake_limit", &P::brake_limit)
      .def_property("approach", read(&P::approach), write("approach", &P::approach))
      .def_property("drive_kp", read(&P::drive_kp), write("drive_kp", &P::drive_kp))
      .def_property("drive_kd", read(&P::drive_kd), write("drive_kd", &P::drive_kd))
      .def_readwrite("guiding", &P::guiding)
      .def_readwrite("task", &P::task)
      .def("__repr__", &attributes_text);
}

void bind_loop_parameters(py::module_& module) {
  using C = ControllerParameters;
  py::class_<ObserverParameters>(module, "ObserverParameters", "Of the momentum observer.")
      .def(py::init([](const SharedChain& chain, const py::kwargs& values) {
             return changed(ObserverParameters(chain->dof()), values);
           }),
           "chain"_a)
      .def_property("gain", read(&ObserverParameters::gain),
                    write("gain", &ObserverParameters::gain), "1/s")
      .def_property("threshold", read(&ObserverParameters::threshold),
                    write("threshold", &ObserverParameters::threshold), "Of a contact, N m or N.")
      .def_readwrite("hold", &ObserverParameters::hold, "s")
      .def_readwrite("release", &ObserverParameters::release, "s")
      .def_readwrite("hysteresis", &ObserverParameters::hysteresis)
      .def_readwrite("friction", &ObserverParameters::friction)
      .def_readwrite("hardware_compensates_gravity",
                     &ObserverParameters::hardware_compensates_gravity)
      .def("__repr__", &attributes_text);
  py::class_<SupervisionParameters>(module, "SupervisionParameters")
      .def_readwrite("enabled", &SupervisionParameters::enabled)
      .def_property("speed", read(&SupervisionParameters::speed),
                    write("speed", &SupervisionParameters::speed))
      .def_property("error", read(&SupervisionParameters::error),
                    write("error", &SupervisionParameters::error))
      .def_property("lower", read(&SupervisionParameters::lower),
                    write("lower", &SupervisionParameters::lower))
      .def_property("upper", read(&SupervisionParameters::upper),
                    write("upper", &SupervisionParameters::upper))
      .def_property("approach", read(&SupervisionParameters::approach),
                    write("approach", &SupervisionParameters::approach))
      .def("__repr__", &attributes_text);
  py::class_<C>(module, "ControllerParameters", "Law, prediction, observer and supervision.")
      .def(py::init(&of_chain<C>), "chain"_a)
      .def_readwrite("law", &C::law)
      .def_readwrite("delay", &C::delay, "From measurement to the torque that answers it, s.")
      .def_readwrite("predict", &C::predict)
      .def_readwrite("predictor_model", &C::predictor_model)
      .def_readwrite("observer", &C::observer)
      .def_readwrite("observe", &C::observe)
      .def_readwrite("reject_disturbance", &C::reject_disturbance)
      .def_readwrite("stale_time", &C::stale_time, "s")
      .def_readwrite("supervision", &C::supervision)
      .def("__repr__", &attributes_text);
  py::class_<PredictorParameters>(module, "PredictorParameters")
      .def(
          py::init([](const py::kwargs& values) { return changed(PredictorParameters(), values); }))
      .def_readwrite("delay", &PredictorParameters::delay, "s")
      .def_readwrite("period", &PredictorParameters::period, "s")
      .def_readwrite("longest_delay", &PredictorParameters::longest_delay, "s")
      .def_readwrite("middle_of_hold", &PredictorParameters::middle_of_hold)
      .def_readwrite("hardware_compensates_gravity",
                     &PredictorParameters::hardware_compensates_gravity)
      .def_readwrite("model", &PredictorParameters::model)
      .def("__repr__", &attributes_text);
  py::class_<PlantParameters>(module, "PlantParameters", "Of a simulated arm.")
      .def(py::init([](const py::kwargs& values) { return changed(PlantParameters(), values); }))
      .def_readwrite("delay", &PlantParameters::delay, "From command() to the joint, s.")
      .def_readwrite("shortest_period", &PlantParameters::shortest_period, "Of commands, s.")
      .def_readwrite("clip_effort", &PlantParameters::clip_effort)
      .def_readwrite("drive_period", &PlantParameters::drive_period, "s")
      .def_readwrite("drive_compensates_gravity", &PlantParameters::drive_compensates_gravity)
      .def_readwrite("position_noise", &PlantParameters::position_noise, "Standard deviation.")
      .def_readwrite("velocity_noise", &PlantParameters::velocity_noise)
      .def_readwrite("seed", &PlantParameters::seed)
      .def_readwrite("model", &PlantParameters::model)
      .def("__repr__", &attributes_text);
}

// ---- states and references ---------------------------------------------------------------------------
JointState state_of(Index n, const Floats& q, const Floats& qd) {
  JointState state(n);
  state.q = q.vector(n, "q");
  state.qd = qd.vector(n, "qd");
  return state;
}
Posed pose_of(const Floats& matrix) {
  if (matrix.dimensions != 2 || matrix.shape[0] != 4 || matrix.shape[1] != 4) {
    throw Failure("tip_pose has the shape " + matrix.shape_text() + "; give (4, 4)");
  }
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> m(matrix.data);
  return {m.topLeftCorner<3, 3>(), m.topRightCorner<3, 1>()};
}
Reference reference_of(Index n, const Floats& q, const std::optional<Floats>& qd,
                       const std::optional<Floats>& qdd, const std::optional<Floats>& tip_pose,
                       const std::optional<Floats>& tip_twist) {
  Reference reference(n);
  reference.q = q.vector(n, "q_d");
  if (qd) reference.qd = qd->vector(n, "qd_d");
  if (qdd) reference.qdd = qdd->vector(n, "qdd_d");
  if (tip_pose) {
    reference.tip.given = true;
    reference.tip.pose = pose_of(*tip_pose);
    if (tip_twist) reference.tip.twist = tip_twist->vector(6, "tip_twist");
  }
  return reference;
}
VecXd zeros_or(const std::optional<Floats>& values, Index n, const char* name) {
  return values ? values->vector(n, name) : VecXd(VecXd::Zero(n));
}

// ---- law and controller ------------------------------------------------------------------------------
void bind_output(py::module_& module) {
  using O = ControlOutput;
  py::class_<TorqueTerms>(module, "TorqueTerms",
                          "What a torque is made of; their sum is the command.")
      .def_readonly("inertia", &TorqueTerms::inertia)
      .def_readonly("feedback", &TorqueTerms::feedback)
      .def_readonly("coriolis", &TorqueTerms::coriolis)
      .def_readonly("gravity", &TorqueTerms::gravity)
      .def_readonly("friction", &TorqueTerms::friction)
      .def_readonly("external", &TorqueTerms::external)
      .def_readonly("handover", &TorqueTerms::handover)
      .def_readonly("limited", &TorqueTerms::limited)
      .def("__repr__", &attributes_text);
  py::class_<O>(module, "ControlOutput", "What a law commands, and why.")
      .def_readonly("torque", &O::torque, "Always finite and within the effort limits.")
      .def_readonly("terms", &O::terms)
      .def_readonly("position_error", &O::position_error)
      .def_readonly("velocity_error", &O::velocity_error)
      .def_readonly("integral", &O::integral)
      .def_readonly("acceleration", &O::acceleration)
      .def_readonly("drive_torque", &O::drive_torque)
      .def_readonly("storage", &O::storage, "J, of quasi_velocity.")
      .def_property_readonly("saturated", [](const O& o) { return o.limit.effort || o.limit.rate; })
      .def_property_readonly("tip_error", [](const O& o) { return VecXd(o.tip.error); })
      .def_property_readonly("tip_force", [](const O& o) { return VecXd(o.tip.force); })
      .def_property_readonly(
          "mode", [](const O& o) { return kModes[static_cast<std::size_t>(o.mode)]; },
          "tracking, holding, stopping or blind.")
      .def_property_readonly("status", [](const O& o) { return to_string(o.status); })
      .def("__repr__", &attributes_text);
}

RigidBody body_or_none(const std::optional<Floats>& payload) {
  return payload ? payload_from(*payload) : RigidBody();
}

/// What a law and a controller have alike.
template <class Loop>
void bind_loop(py::class_<Loop>& loop) {
  loop.def(
          "activate",
          [](Loop& l, const std::optional<Floats>& torque) {
            require(l.activate(zeros_or(torque, l.chain().dof(), "torque_now")), "activate");
          },
          "torque_now"_a = py::none(), "Starts anew from the torque that acts now.")
      .def(
          "set_gains",
          [](Loop& l, const Gains& gains) { require(l.set_gains(gains), "set_gains"); }, "gains"_a)
      .def(
          "set_payload",
          [](Loop& l, const std::optional<Floats>& payload) {
            require(l.set_payload(body_or_none(payload)), "set_payload");
          },
          "payload"_a, "(4,) or (10,) as in load_urdf(), or None.")
      .def(
          "set_gravity",
          [](Loop& l, const Floats& g) {
            require(l.set_gravity(Vec3d(g.vector(3, "gravity"))), "set_gravity");
          },
          "gravity"_a)
      .def("continue_from_last", &Loop::continue_from_last, "For a reference that jumps.")
      .def_property_readonly(
          "output", [](const Loop& l) { return ControlOutput(l.output()); }, "Of the last update.")
      .def_property_readonly("chain", [](const Loop& l) { return shared(l.chain_ptr()); });
}

void bind_law(py::module_& module) {
  module.def(
      "control_laws",
      [] {
        std::map<std::string, std::string> laws;
        for (const LawEntry& entry : control_laws()) {
          laws[std::string(entry.name)] = std::string(entry.text);
        }
        return laws;
      },
      "Names and equations of all control laws.");
  py::class_<ControlLaw> law(module, "ControlLaw", "Torques that follow a reference.");
  law.def(py::init([](const SharedChain& chain, const std::optional<ControlParameters>& p) {
            return require(ControlLaw::make(chain, p ? *p : ControlParameters(*chain)));
          }),
          "chain"_a, "parameters"_a = py::none())
      .def(
          "update",
          [](ControlLaw& l, const Floats& q, const Floats& qd, const Floats& q_d,
             const std::optional<Floats>& qd_d, const std::optional<Floats>& qdd_d, double dt,
             const std::optional<Floats>& tip_pose, const std::optional<Floats>& tip_twist) {
            const Index n = l.chain().dof();
            return ControlOutput(l.update(
                state_of(n, q, qd), reference_of(n, q_d, qd_d, qdd_d, tip_pose, tip_twist), dt));
          },
          "q"_a, "qd"_a, "q_d"_a, "qd_d"_a = py::none(), "qdd_d"_a = py::none(), "dt"_a = 1e-3,
          "tip_pose"_a = py::none(), "tip_twist"_a = py::none(),
          "The command for a state and a reference, dt after the last one.");
  bind_loop(law);
  py::class_<Controller> controller(
      module, "Controller", "Law, predictor, observer and supervisor: one update per period.");
  controller
      .def(py::init([](const SharedChain& chain, const std::optional<ControllerParameters>& p) {
             return require(Controller::make(chain, p ? *p : ControllerParameters(*chain)));
           }),
           "chain"_a, "parameters"_a = py::none())
      .def(
          "update",
          [](Controller& c, double time, const Floats& q, const Floats& qd, const Floats& q_d,
             const std::optional<Floats>& qd_d, const std::optional<Floats>& qdd_d, double dt,
             const std::optional<Floats>& tip_pose, const std::optional<Floats>& tip_twist) {
            const Index n = c.chain().dof();
            return ControlOutput(c.update(time, state_of(n, q, qd),
                                          reference_of(n, q_d, qd_d, qdd_d, tip_pose, tip_twist),
                                          dt));
          },
          "time"_a, "q"_a, "qd"_a, "q_d"_a, "qd_d"_a = py::none(), "qdd_d"_a = py::none(),
          "dt"_a = 1e-3, "tip_pose"_a = py::none(), "tip_twist"_a = py::none(),
          "The command that answers the state measured at `time`, dt after the last one; the\n"
          "reference is the one `lookahead` later.")
      .def_property_readonly("lookahead", &Controller::lookahead, "s")
      .def_property_readonly("stale", &Controller::stale)
      .def_property_readonly(
          "state", [](const Controller& c) { return std::pair(c.state().q, c.state().qd); },
          "(q, qd) that the law acted on.")
      .def_property_readonly("external_torque",
                             [](const Controller& c) { return c.observer().external_torque(); })
      .def_property_readonly("fault",
                             [](const Controller& c) { return to_string(c.supervisor().fault()); })
      .def(
          "set_delay",
          [](Controller& c, double delay) { require(c.set_delay(delay), "set_delay"); }, "delay"_a);
  bind_loop(controller);
}

// ---- predictor, observer, plant ------------------------------------------------------------------------
using Pair = std::pair<VecXd, VecXd>;
Pair pair_of(const JointState& state) { return {state.q, state.qd}; }

void bind_predictor(py::module_& module) {
  py::class_<Predictor>(module, "Predictor", "The state in which a torque decided now will act.")
      .def(py::init([](const SharedChain& chain, const std::optional<PredictorParameters>& p) {
             return require(Predictor::make(chain, p.value_or(PredictorParameters())));
           }),
           "chain"_a, "parameters"_a = py::none())
      .def(
          "reset",
          [](Predictor& p, const std::optional<Floats>& torque) {
            require(p.reset(zeros_or(torque, p.dof(), "torque")), "reset");
          },
          "torque"_a = py::none())
      .def(
          "sent",
          [](Predictor& p, double time, const Floats& torque) {
            require(p.sent(time, torque.vector(p.dof(), "torque")), "sent");
          },
          "time"_a, "torque"_a)
      .def(
          "predict",
          [](Predictor& p, double time, const Floats& q, const Floats& qd) {
            require(p.predict(time, state_of(p.dof(), q, qd)), "predict");
            return pair_of(p.state());
          },
          "time"_a, "q"_a, "qd"_a, "(q, qd) one horizon after the state measured at `time`.")
      .def(
          "set_disturbance",
          [](Predictor& p, const Floats& torque) {
            require(p.set_disturbance(torque.vector(p.dof(), "torque")), "set_disturbance");
          },
          "torque"_a)
      .def_property_readonly("horizon", &Predictor::horizon, "s")
      .def_property_readonly("weight", &Predictor::weight, "1: believed; 0: given up.")
      .def_property_readonly(
          "error",
          [](const Predictor& p) {
            return p.has_error() ? std::optional(pair_of(p.error())) : std::nullopt;
          },
          "Measured minus predicted (q, qd), where known.");
}

/// With its chain, for the number of coordinates.
struct Observer {
  SharedChain chain;
  MomentumObserver observer;
};

void bind_observer(py::module_& module) {
  py::class_<Observer>(module, "Observer", "The external torque, from the momentum M qd.")
      .def(py::init([](const SharedChain& chain, const std::optional<ObserverParameters>& p) {
             return Observer{chain, require(MomentumObserver::make(
                                        chain, p ? *p : ObserverParameters(chain->dof())))};
           }),
           "chain"_a, "parameters"_a = py::none())
      .def("reset", [](Observer& o) { o.observer.reset(); })
      .def(
          "update",
          [](Observer& o, const Floats& q, const Floats& qd, const Floats& torque, double dt) {
            const Index n = o.chain->dof();
            require(o.observer.update(state_of(n, q, qd), torque.vector(n, "torque"), dt),
                    "update");
            return o.observer.external_torque();
          },
          "q"_a, "qd"_a, "torque"_a, "dt"_a,
          "The external torque; `torque` acted for dt until this state.")
      .def_property_readonly("external_torque",
                             [](const Observer& o) { return o.observer.external_torque(); })
      .def_property_readonly("contacts",
                             [](const Observer& o) {
                               std::vector<bool> on;
                               for (Index i = 0; i < o.chain->dof(); ++i) {
                                 on.push_back(o.observer.contact(i));
                               }
                               return on;
                             })
      .def(
          "tip_wrench",
          [](Observer& o, const Floats& q, double tolerance) {
            Wrench wrench;
            require(o.observer.tip_wrench(q.vector(o.chain->dof(), "q"), wrench, tolerance),
                    "tip_wrench");
            VecXd out(6);
            out << wrench.force, wrench.torque;
            return out;
          },
          "q"_a, "tolerance"_a = 1e-3, "Force and torque at the tip that explain it best: (6,).")
      .def(
          "set_payload",
          [](Observer& o, const std::optional<Floats>& payload) {
            o.observer.set_payload(body_or_none(payload));
          },
          "payload"_a);
}

void bind_plant(py::module_& module) {
  module.def(
      "scale_inertia",
      [](const SharedChain& chain, double all, double last) {
        return shared(scale_inertia(*chain, all, last));
      },
      "chain"_a, "all"_a = 1.0, "last"_a = 1.0,
      "The same chain with all masses and inertias times `all`, those of the last link times "
      "`last`, "
      "too.");
  py::class_<Plant>(module, "Plant", "A simulated arm with delay, friction, noise and faults.")
      .def(py::init([](const SharedChain& chain, const std::optional<PlantParameters>& p) {
             return require(Plant::make(chain, p.value_or(PlantParameters())));
           }),
           "chain"_a, "parameters"_a = py::none())
      .def(
          "reset",
          [](Plant& p, const Floats& q, const std::optional<Floats>& qd,
             const std::optional<Floats>& torque) {
            JointState state(p.dof());
            state.q = q.vector(p.dof(), "q");
            state.qd = zeros_or(qd, p.dof(), "qd");
            require(p.reset(state, zeros_or(torque, p.dof(), "torque")), "reset");
          },
          "q"_a, "qd"_a = py::none(), "torque"_a = py::none())
      .def(
          "command",
          [](Plant& p, const Floats& torque) {
            require(p.command(torque.vector(p.dof(), "torque")), "command");
          },
          "torque"_a, "A command sent now.")
      .def(
          "step",
          [](Plant& p, double dt) {
            require(p.step(dt), "step");
            return pair_of(p.measured());
          },
          "dt"_a, "Moves on by dt: (q, qd) as measured.")
      .def_property_readonly("time", &Plant::time)
      .def_property_readonly("state", [](const Plant& p) { return pair_of(p.state()); })
      .def_property_readonly("measured", [](const Plant& p) { return pair_of(p.measured()); })
      .def_property_readonly(
          "torque", [](const Plant& p) { return VecXd(p.torque()); }, "Mean over the last step.")
      .def(
          "set_fault",
          [](Plant& p, const std::string& name) { p.set_fault(chosen("fault", kFaults, name)); },
          "fault"_a, "none, state_not_finite, state_frozen or command_lost.")
      .def(
          "set_tip_wrench",
          [](Plant& p, const Floats& wrench) {
            const VecXd w = wrench.vector(6, "wrench");
            p.set_tip_wrench({w.head<3>(), w.tail<3>()});
          },
          "wrench"_a)
      .def(
          "set_payload",
          [](Plant& p, const std::optional<Floats>& payload) {
            p.set_payload(body_or_none(payload));
          },
          "payload"_a);
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
  py::class_<Tracking> tracking(module, "Tracking",
                                "A run in closed loop: samples, and how well it followed.");
  tracking.def_readonly("t", &Tracking::t)
      .def_readonly("q", &Tracking::q, "Of the arm, without noise.")
      .def_readonly("qd", &Tracking::qd)
      .def_readonly("q_d", &Tracking::q_d, "The reference.")
      .def_readonly("torque", &Tracking::torque, "The commands.");
  const auto add = [&](const char* name, auto member, const char* doc = "") {
    tracking.def_property_readonly(
        name, [member](const Tracking& run) { return run.report.*member; }, doc);
  };
  add("rms", &TrackingReport::rms, "Of q_d - q of every coordinate.");
  add("peak", &TrackingReport::peak);
  add("rms_norm", &TrackingReport::rms_norm, "Root mean square of |q_d - q|.");
  add("peak_norm", &TrackingReport::peak_norm);
  add("torque_rms", &TrackingReport::torque_rms);
  add("torque_peak", &TrackingReport::torque_peak);
  add("tip_rms", &TrackingReport::tip_rms, "m");
  add("tip_peak", &TrackingReport::tip_peak, "m");
  add("saturated", &TrackingReport::saturated, "Share of the updates in which a limit was met.");
  add("prediction_rms", &TrackingReport::prediction_rms);
  add("mean_update", &TrackingReport::mean_update, "Computing time of one update, s.");
  add("updates", &TrackingReport::updates);
  add("failures", &TrackingReport::failures, "Updates in which the law was not in force.");
  module.def(
      "track", &run_tracking, "chain"_a, "trajectory"_a, "controller"_a = py::none(),
      "plant"_a = py::none(), "truth"_a = py::none(), "push"_a = py::none(),
      R"(Follows `trajectory` with a controller that knows `chain` on a plant that is `truth`.

controller  ControllerParameters; default: computed torque, without prediction, nothing blended in
truth       another Chain, such as scale_inertia() makes; default: the same
push        force on the tip in the second quarter of the run, N)");
}

}  // namespace

void bind_control(py::module_& module) {
  bind_stepper(module);
  bind_gains(module);
  bind_law_parts(module);
  bind_law_parameters(module);
  bind_loop_parameters(module);
  bind_output(module);
  bind_law(module);
  bind_predictor(module);
  bind_observer(module);
  bind_plant(module);
  bind_tracking(module);
}

}  // namespace dyn::python
