// Logs, the model against them, the bodies and drives that explain them, and motions to find these by.
#include <array>
#include <variant>

#include "bindings.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "dyn_core/identify/identify.hpp"

namespace dyn::python {
namespace {

struct Preparation {
  std::optional<double> cutoff, rate;
  double delay = 0.0;

  [[nodiscard]] PrepareOptions options() const {
    PrepareOptions out;
    out.cutoff = cutoff.value_or(0.0);
    out.rate = rate.value_or(0.0);
    out.delay = delay;
    return out;
  }
};

Prepared read(const SharedChain& chain,
              const std::variant<std::string, std::vector<std::string>>& paths,
              const std::string& topic, const std::vector<std::string>& joints,
              const std::optional<double>& cutoff, const std::optional<double>& rate,
              double delay) {
  const auto* one = std::get_if<std::string>(&paths);
  const std::vector<std::string> files =
      one != nullptr ? std::vector<std::string>{*one} : std::get<std::vector<std::string>>(paths);
  const py::gil_scoped_release release;
  std::vector<Log> logs;
  for (const std::string& file : files) {
    logs.push_back(require(read_log(file, *chain, {topic, joints})));
  }
  return require(prepare(std::move(logs), *chain, Preparation{cutoff, rate, delay}.options()));
}

std::vector<Log::Column> columns(const Floats& rows, Index length, Index n, const char* name) {
  if (rows.dimensions != 2 || rows.shape[0] != length || rows.shape[1] != n) {
    throw Failure(std::string(name) + " has the shape " + rows.shape_text() + "; give (" +
                  std::to_string(length) + ", " + std::to_string(n) + ")");
  }
  std::vector<Log::Column> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < length * n; ++i) {
    out[static_cast<std::size_t>(i % n)].push_back(rows.data[i]);
  }
  return out;
}

Prepared from_arrays(const SharedChain& chain, const Floats& t, const Floats& q, const Floats& tau,
                     const std::optional<Floats>& qd, const std::optional<double>& cutoff,
                     const std::optional<double>& rate, double delay) {
  const Index n = chain->dof(), length = t.size();
  const VecXd times = t.vector(length, "t");
  for (Index k = 1; k < length; ++k) {
    if (!(times[k] > times[k - 1])) throw Failure("t has to increase strictly");
  }
  Log log;
  log.t.assign(times.begin(), times.end());
  log.q = columns(q, length, n, "q");
  log.tau = columns(tau, length, n, "tau");
  if (qd) log.qd = columns(*qd, length, n, "qd");
  for (const auto* signal : {&log.q, &log.qd, &log.tau}) {
    for (const Log::Column& column : *signal) {
      if (!Eigen::Map<const VecXd>(column.data(), length).allFinite()) {
        throw Failure("a log has to be of finite numbers");
      }
    }
  }
  std::vector<Log> logs;
  logs.push_back(std::move(log));
  const py::gil_scoped_release release;
  return require(prepare(std::move(logs), *chain, Preparation{cutoff, rate, delay}.options()));
}

CheckReport check_against(const SharedChain& chain, const Prepared& log,
                          const std::string& effort) {
  const Effort meaning = require(effort_named(effort));
  const py::gil_scoped_release release;
  return require(check_log(chain, log, meaning));
}

Identified identify_from(const SharedChain& chain, const Prepared& log, const std::string& effort,
                         const std::string& friction, double prior, bool payload,
                         const Prepared* without_payload, bool mount,
                         const std::optional<Floats>& drive_gain) {
  IdentifyOptions options;
  options.effort = require(effort_named(effort));
  options.friction = require(friction_model_named(friction));
  options.prior = prior;
  options.payload = payload;
  options.mount = mount;
  if (drive_gain) options.drive_gain = drive_gain->vector(chain->dof(), "drive_gain");
  if (without_payload != nullptr) options.without_payload = {&without_payload->samples, 1};
  const py::gil_scoped_release release;
  return require(identify(chain, {&log.samples, 1}, options));
}

struct FoundMotion {
  Excitation found;
  MotionLimits limits;
};

FoundMotion excite_arm(const SharedChain& chain, double duration, double period, Index harmonics,
                       double range, double speed, double effort, std::uint64_t seed, int draws,
                       int starts, int steps) {
  ExcitationOptions options;
  options.shape = {duration, period, harmonics};
  options.seed = seed;
  options.draws = draws;
  options.starts = starts;
  options.steps = steps;
  options.proceed = [](double) { return no_interrupt(); };
  MotionLimits limits = motion_limits(*chain, {range, speed, effort});
  Result<Excitation> found = [&] {
    const py::gil_scoped_release release;
    return excite(chain, limits, options);
  }();
  raise_interrupt();
  return {require(std::move(found)), std::move(limits)};
}

void bind_log(py::module_& module) {
  py::class_<Prepared>(module, "Log", "Samples of a motion, evenly spaced and filtered alike.")
      .def_property_readonly("t", [](const Prepared& p) { return p.samples.t; })
      .def_property_readonly("q", [](const Prepared& p) { return p.samples.q; })
      .def_property_readonly("qd", [](const Prepared& p) { return p.samples.qd; })
      .def_property_readonly("qdd", [](const Prepared& p) { return p.samples.qdd; })
      .def_property_readonly("tau", [](const Prepared& p) { return p.samples.tau; })
      .def_readonly("rate", &Prepared::rate, "Hz")
      .def_readonly("cutoff", &Prepared::cutoff, "Hz")
      .def_readonly("notes", &Prepared::notes, "What was done, a sentence each.")
      .def("__len__", [](const Prepared& p) { return p.samples.size(); });
  module.def("read_log", &read, "chain"_a, "paths"_a, "topic"_a = "",
             "joints"_a = std::vector<std::string>(), "cutoff"_a = py::none(),
             "rate"_a = py::none(), "delay"_a = 0.0,
             R"(Logs from CSV files (t, q_…, qd_…, tau_…), rosbag2 .db3 and .mcap files and folders.

cutoff  of the low-pass on all signals, Hz; default: as the motion needs it
delay   efforts act so much later than they are logged, s)");
  module.def("log", &from_arrays, "chain"_a, "t"_a, "q"_a, "tau"_a, "qd"_a = py::none(),
             "cutoff"_a = py::none(), "rate"_a = py::none(), "delay"_a = 0.0,
             "The same from arrays: t of (T,), the others of (T, n).");
}

void bind_check(py::module_& module) {
  py::class_<JointCheck>(module, "JointCheck")
      .def_readonly("rms_measured", &JointCheck::rms_measured)
      .def_readonly("rms_error", &JointCheck::rms_error)
      .def_readonly("bias", &JointCheck::bias)
      .def_readonly("scale", &JointCheck::scale)
      .def_readonly("lag", &JointCheck::lag, "s")
      .def("__repr__", &attributes_text);
  py::class_<CheckReport>(module, "Check", "The model against what was measured.")
      .def_readonly("joints", &CheckReport::joints)
      .def_property_readonly(
          "effort",
          [](const CheckReport& r) {
            return r.effort ? std::optional(std::string(to_string(*r.effort))) : std::nullopt;
          },
          "What the efforts look like.")
      .def_readonly("effort_reason", &CheckReport::effort_reason)
      .def_readonly("delay", &CheckReport::delay, "s")
      .def_readonly("sentences", &CheckReport::sentences, "What fits, what does not, what to do.")
      .def("__repr__", &attributes_text);
  module.def("check", &check_against, "chain"_a, "log"_a, "effort"_a = "with_gravity",
             "How far off the model is; `effort` is with_gravity, without_gravity or current.");
}

void bind_identified(py::module_& module) {
  py::class_<Estimate>(module, "Estimate")
      .def_readonly("value", &Estimate::value)
      .def_readonly("deviation", &Estimate::deviation)
      .def("__repr__", [](const Estimate& e) {
        return std::to_string(e.value) + " ± " + std::to_string(e.deviation);
      });
  py::class_<IdentifiedJoint>(module, "IdentifiedJoint")
      .def_readonly("rms_measured", &IdentifiedJoint::rms_measured)
      .def_readonly("rms_before", &IdentifiedJoint::rms_before)
      .def_readonly("rms_after", &IdentifiedJoint::rms_after)
      .def_readonly("noise", &IdentifiedJoint::noise)
      .def_readonly("gain", &IdentifiedJoint::gain)
      .def_readonly("armature", &IdentifiedJoint::armature)
      .def_readonly("viscous", &IdentifiedJoint::viscous)
      .def_readonly("coulomb", &IdentifiedJoint::coulomb)
      .def_readonly("offset", &IdentifiedJoint::offset)
      .def_readonly("lag", &IdentifiedJoint::lag)
      .def_readonly("stribeck", &IdentifiedJoint::stribeck)
      .def_readonly("stribeck_speed", &IdentifiedJoint::stribeck_speed)
      .def("__repr__", &attributes_text);
  py::class_<IdentifiedBody>(module, "IdentifiedBody")
      .def_readonly("body", &IdentifiedBody::body)
      .def_readonly("mass_deviation", &IdentifiedBody::mass_deviation)
      .def_property_readonly("com_deviation",
                             [](const IdentifiedBody& b) { return b.com_deviation; })
      .def_readonly("guessed", &IdentifiedBody::guessed)
      .def("__repr__", &attributes_text);
  py::class_<IdentifiedCombination>(module, "IdentifiedCombination")
      .def_readonly("name", &IdentifiedCombination::name)
      .def_readonly("before", &IdentifiedCombination::before)
      .def_readonly("after", &IdentifiedCombination::after)
      .def("__repr__", &attributes_text);
  py::class_<Identified>(module, "Identified", "The arm as its motion tells it.")
      .def_property_readonly("chain", [](const Identified& i) { return shared(i.chain); })
      .def_property_readonly(
          "loaded", [](const Identified& i) { return shared(i.loaded); }, "With the payload.")
      .def_readonly("joints", &Identified::joints)
      .def_readonly("links", &Identified::links)
      .def_readonly("payload", &Identified::payload)
      .def_readonly("base", &Identified::base, "The chain's base parameters.")
      .def_readonly("untold", &Identified::untold)
      .def_readonly("parameters", &Identified::parameters)
      .def_readonly("covariance", &Identified::covariance)
      .def_readonly("rank", &Identified::rank)
      .def_readonly("condition", &Identified::condition)
      .def_readonly("iterations", &Identified::iterations);
  module.def("identify", &identify_from, "chain"_a, "log"_a, "effort"_a = "with_gravity",
             "friction"_a = "viscous_coulomb", "prior"_a = 1.0, "payload"_a = false,
             "without_payload"_a = py::none(), "mount"_a = false, "drive_gain"_a = py::none(),
             R"(Bodies, drives, payload and mount from a log; docs/identification.md.

effort           with_gravity, without_gravity or current
friction         none, viscous_coulomb or stribeck
prior            weight of the robot description
payload          only what is carried at the tip, against the arm as described or a log without it
mount            the direction of gravity first)");
}

void bind_excitation(py::module_& module) {
  py::class_<FoundMotion>(module, "Excitation", "The motion that tells most about an arm.")
      .def_property_readonly(
          "trajectory",
          [](const FoundMotion& f) {
            return SharedTrajectory(std::const_pointer_cast<FourierMotion>(f.found.motion));
          })
      .def_property_readonly("parameters",
                             [](const FoundMotion& f) { return f.found.information.parameters; })
      .def_property_readonly("log_det",
                             [](const FoundMotion& f) { return f.found.information.log_det; })
      .def_property_readonly("condition",
                             [](const FoundMotion& f) { return f.found.information.condition; })
      .def_property_readonly("lowest", [](const FoundMotion& f) { return f.found.peaks.lowest; })
      .def_property_readonly("highest", [](const FoundMotion& f) { return f.found.peaks.highest; })
      .def_property_readonly("velocity",
                             [](const FoundMotion& f) { return f.found.peaks.velocity; })
      .def_property_readonly("acceleration",
                             [](const FoundMotion& f) { return f.found.peaks.acceleration; })
      .def_property_readonly("torque", [](const FoundMotion& f) { return f.found.torque; })
      .def_property_readonly(
          "assumed", [](const FoundMotion& f) { return f.limits.assumed; },
          "A sentence for each kind of limit that the description lacks.");
  module.def("excite", &excite_arm, "chain"_a, "duration"_a = 30.0, "period"_a = 10.0,
             "harmonics"_a = 5, "range"_a = 0.9, "speed"_a = 0.7, "effort"_a = 0.8, "seed"_a = 1,
             "draws"_a = 50, "starts"_a = 3, "steps"_a = 80,
             R"(The motion that identifies an arm best within its limits, a Fourier series.

range, speed, effort  shares of the limits that may be used
draws, starts, steps  random motions, the best of which are improved, in so many steps)");
}

}  // namespace

void bind_identify(py::module_& module) {
  bind_log(module);
  bind_check(module);
  bind_identified(module);
  bind_excitation(module);
}

}  // namespace dyn::python
