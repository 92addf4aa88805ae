// Logs, the model against them, the bodies and drives that explain them, and motions to find these by.
#include <array>
#include <variant>

#include "bindings.hpp"
#include "dyn_core/identify/excitation.hpp"
#include "dyn_core/identify/identify.hpp"
#include "fields.hpp"

namespace dyn::python {
namespace {

PrepareOptions options_of(const std::optional<double>& cutoff, const std::optional<double>& rate,
                          double delay) {
  PrepareOptions options;
  options.cutoff = cutoff.value_or(0.0);
  options.rate = rate.value_or(0.0);
  options.delay = delay;
  return options;
}

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
  return require(prepare(std::move(logs), *chain, options_of(cutoff, rate, delay)));
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
  return require(prepare(std::move(logs), *chain, options_of(cutoff, rate, delay)));
}

void require_of(const SharedChain& chain, const Prepared& log) {
  if (log.samples.q.cols() == chain->dof()) return;
  throw Failure("the log is of " + std::to_string(log.samples.q.cols()) +
                " joints, but the chain has " + std::to_string(chain->dof()) +
                " coordinates; give the chain that it was read for");
}

CheckReport check_against(const SharedChain& chain, const Prepared& log,
                          const std::string& effort) {
  require_of(chain, log);
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
  require_of(chain, log);
  if (without_payload != nullptr) require_of(chain, *without_payload);
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
  using P = Prepared;
  py::class_<P> log(module, "Log",
                    "Samples of a motion, evenly spaced and filtered alike; rate and cutoff in "
                    "Hz; notes: what was done.");
  log.def("__len__", at(&P::samples, &Samples::size));
  show(log, "t", at(&P::samples, &Samples::t), "q", at(&P::samples, &Samples::q), "qd",
       at(&P::samples, &Samples::qd), "qdd", at(&P::samples, &Samples::qdd), "tau",
       at(&P::samples, &Samples::tau), "rate", &P::rate, "cutoff",
       at(&P::samples, &Samples::cutoff), "notes", &P::notes);
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
  py::class_<JointCheck> joint(module, "JointCheck", "lag in s, where the motion tells.");
  show(joint, "rms_measured", &JointCheck::rms_measured, "rms_error", &JointCheck::rms_error,
       "bias", &JointCheck::bias, "scale", &JointCheck::scale, "lag", &JointCheck::lag);
  py::class_<CheckReport> report(
      module, "Check",
      "The model against what was measured: what the efforts look "
      "like, their delay in s, and what fits, what does not, what to do.");
  show(
      report, "joints", &CheckReport::joints, "effort",
      [](const CheckReport& r) {
        return r.effort ? std::optional(std::string(to_string(*r.effort))) : std::nullopt;
      },
      "effort_reason", &CheckReport::effort_reason, "delay", &CheckReport::delay, "sentences",
      &CheckReport::sentences);
  module.def("check", &check_against, "chain"_a, "log"_a, "effort"_a = "with_gravity",
             "How far off the model is; `effort` is with_gravity, without_gravity or current.");
}

void bind_identified_parts(py::module_& module) {
  py::class_<Estimate> estimate(module, "Estimate");
  estimate.def("__repr__", [](const Estimate& e) {
    return std::to_string(e.value) + " ± " + std::to_string(e.deviation);
  });
  show(estimate, "value", &Estimate::value, "deviation", &Estimate::deviation);
  using J = IdentifiedJoint;
  py::class_<J> joint(module, "IdentifiedJoint", "Torques in N m or N.");
  show(joint, "rms_measured", &J::rms_measured, "rms_before", &J::rms_before, "rms_after",
       &J::rms_after, "noise", &J::noise, "gain", &J::gain, "armature", &J::armature, "viscous",
       &J::viscous, "coulomb", &J::coulomb, "offset", &J::offset, "lag", &J::lag, "stribeck",
       &J::stribeck, "stribeck_speed", &J::stribeck_speed);
  using B = IdentifiedBody;
  py::class_<B> body(module, "IdentifiedBody", "In its link's frame.");
  show(body, "body", &B::body, "mass_deviation", &B::mass_deviation, "com_deviation",
       at(&B::com_deviation), "guessed", &B::guessed);
  using C = IdentifiedCombination;
  py::class_<C> combination(module, "IdentifiedCombination", "A base parameter.");
  show(combination, "name", &C::name, "before", &C::before, "after", &C::after);
}

void bind_identified(py::module_& module) {
  using I = Identified;
  py::class_<I> identified(module, "Identified",
                           "The arm as its motion tells it; loaded: with the payload; "
                           "untold: of which the description said more.");
  show(
      identified, "chain", [](const I& i) { return shared(i.chain); }, "loaded",
      [](const I& i) { return shared(i.loaded); }, "joints", &I::joints, "links", &I::links,
      "payload", &I::payload, "base", &I::base, "untold", &I::untold, "parameters", &I::parameters,
      "covariance", &I::covariance, "rank", &I::rank, "condition", &I::condition, "iterations",
      &I::iterations);
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

SharedTrajectory trajectory_of(const FoundMotion& motion) {
  return std::const_pointer_cast<FourierMotion>(motion.found.motion);
}

void bind_excitation(py::module_& module) {
  using F = FoundMotion;
  using E = Excitation;
  py::class_<F> motion(module, "Excitation",
                       "The motion that tells most about an arm, its peaks, and what was "
                       "assumed of limits that the description lacks.");
  show(motion, "trajectory", &trajectory_of, "parameters",
       at(&F::found, &E::information, &Information::parameters), "log_det",
       at(&F::found, &E::information, &Information::log_det), "condition",
       at(&F::found, &E::information, &Information::condition), "lowest",
       at(&F::found, &E::peaks, &FourierPeaks::lowest), "highest",
       at(&F::found, &E::peaks, &FourierPeaks::highest), "velocity",
       at(&F::found, &E::peaks, &FourierPeaks::velocity), "acceleration",
       at(&F::found, &E::peaks, &FourierPeaks::acceleration), "torque", at(&F::found, &E::torque),
       "assumed", at(&F::limits, &MotionLimits::assumed));
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
  bind_identified_parts(module);
  bind_identified(module);
  bind_excitation(module);
}

}  // namespace dyn::python
