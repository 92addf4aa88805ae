// The control loop, part by part.
#include <array>
#include <map>

#include "bindings.hpp"
#include "dyn_core/control/controller.hpp"
#include "dyn_core/control/plant.hpp"
#include "fields.hpp"
#include "queries.hpp"

namespace dyn::python {
namespace {

constexpr std::array<Named<Fault>, 4> kFaults = {{{"none", Fault::kNone},
                                                  {"state_not_finite", Fault::kStateNotFinite},
                                                  {"state_frozen", Fault::kStateFrozen},
                                                  {"command_lost", Fault::kCommandLost}}};
constexpr std::array<const char*, 4> kModes = {"tracking", "holding", "stopping", "blind"};

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
bool saturated(const ControlOutput& o) { return o.limit.effort || o.limit.rate; }
const char* mode_of(const ControlOutput& o) { return kModes[static_cast<std::size_t>(o.mode)]; }
const char* status_of(const ControlOutput& o) { return to_string(o.status); }

void bind_output(py::module_& module) {
  using T = TorqueTerms;
  py::class_<T> terms(module, "TorqueTerms", "What a torque is made of; their sum is the command.");
  show(terms, "inertia", &T::inertia, "feedback", &T::feedback, "coriolis", &T::coriolis, "gravity",
       &T::gravity, "friction", &T::friction, "external", &T::external, "handover", &T::handover,
       "limited", &T::limited);
  using O = ControlOutput;
  py::class_<O> output(module, "ControlOutput",
                       R"(What a law commands, and why.

torque   always finite and within the effort limits
storage  J, of quasi_velocity
mode     tracking, holding, stopping or blind; status says why)");
  show(output, "torque", &O::torque, "terms", &O::terms, "position_error", &O::position_error,
       "velocity_error", &O::velocity_error, "integral", &O::integral, "acceleration",
       &O::acceleration, "drive_torque", &O::drive_torque, "storage", &O::storage, "saturated",
       &saturated, "tip_error", at(&O::tip, &TipOutput::error), "tip_force",
       at(&O::tip, &TipOutput::force), "mode", &mode_of, "status", &status_of);
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
            return require(ControlLaw::make(chain, p.value_or(ControlParameters(*chain))));
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
             return require(Controller::make(chain, p.value_or(ControllerParameters(*chain))));
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
                                        chain, p.value_or(ObserverParameters(chain->dof()))))};
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

}  // namespace

void bind_control(py::module_& module) {
  bind_output(module);
  bind_law(module);
  bind_predictor(module);
  bind_observer(module);
  bind_plant(module);
}

}  // namespace dyn::python
