#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dyn_core/control/computed_torque.hpp"
#include "gains.hpp"
#include "least_step.hpp"

namespace dyn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array<LawEntry, 8> kLaws = {{
    {"computed_torque", Law::kComputedTorque,
     "M(q) (qdd_d + kp e + kd e' + ki ∫e) + C(q,qd) qd + g(q)", true},
    {"feedforward_pd", Law::kFeedforwardPd,
     "M(q_d) qdd_d + C(q_d,qd_d) qd_d + g(q_d) + kp e + kd e' + ki ∫e", false},
    {"pd_gravity", Law::kPdGravity, "g(q) + kp e + kd e' + ki ∫e", false},
    {"quasi_velocity", Law::kQuasiVelocity,
     "M(q) qdd_r + C(q,qd) qd_r + g(q) + m Gamma m' (qd_r - qd), passive in nu = m' qd", true},
    {"pd", Law::kPd, "kp e + kd e' + ki ∫e", false},
    {"gravity", Law::kGravity,
     "g(q) + C(q,qd) qd without its power + a share of friction: the arm is guided by hand", true,
     Follows::kNothing},
    {"task_space", Law::kTaskSpace,
     "J' Lambda (xdd_d + kp e + kd e' - J' qd) + mu + p, the posture in the null space", true,
     Follows::kTip},
    {"impedance", Law::kImpedance,
     "J' (K e + D e') + g(q) + C(q,qd) qd without its power: a spring at the tip, passive", true,
     Follows::kTip},
}};

// The first entry of `v` that breaks a rule, as a sentence.
template <class Rule>
std::string check_each(const Chain& chain, const VecXd& v, std::string_view name,
                       std::string_view rule_text, Rule rule) {
  if (v.size() != chain.dof()) {
    return fmt::format("{} has {} entries, but the chain has {} coordinates", name, v.size(),
                       chain.dof());
  }
  for (Index i = 0; i < v.size(); ++i) {
    if (rule(v[i])) continue;
    return fmt::format("{} of joint '{}' is {}; give {}", name,
                       chain.coordinate_names()[static_cast<std::size_t>(i)], v[i], rule_text);
  }
  return {};
}

std::string check_vectors(const Chain& chain, const ControlParameters& p) {
  const auto zero_or_more = [](double x) { return x >= 0.0 && std::isfinite(x); };
  const auto limit = [](double x) { return x > 0.0; };
  const auto bound = [](double x) { return x >= 0.0; };
  constexpr std::string_view kZeroOrMore = "zero or more";
  constexpr std::string_view kLimit = "a positive limit, or infinity for none";
  std::string sentence = check_each(chain, p.gains.kp, "kp", kZeroOrMore, zero_or_more);
  const auto next = [&](const VecXd& v, std::string_view name, std::string_view text, auto rule) {
    if (sentence.empty()) sentence = check_each(chain, v, name, text, rule);
  };
  next(p.gains.kd, "kd", kZeroOrMore, zero_or_more);
  next(p.gains.ki, "ki", kZeroOrMore, zero_or_more);
  next(p.drive_kp, "the drive's kp", kZeroOrMore, zero_or_more);
  next(p.drive_kd, "the drive's kd", kZeroOrMore, zero_or_more);
  next(p.integral_limit, "the integral limit", "zero or more", bound);
  next(p.position_error_limit, "the position error limit", kLimit, limit);
  next(p.limits.effort, "the effort limit", kLimit, limit);
  next(p.limits.rate, "the torque rate limit", kLimit, limit);
  next(p.approach, "the deceleration before position limits", kLimit, limit);
  next(p.speed, "the speed that a law may ask for", kLimit, limit);
  return sentence;
}

std::string check_guiding(const Chain& chain, const GuidingParameters& p) {
  const auto zero_or_more = [](double x) { return x >= 0.0 && std::isfinite(x); };
  const auto share = [](double x) { return x >= 0.0 && x <= 1.0; };
  for (const auto& [value, name] : {std::pair{p.friction_share, "friction"},
                                    std::pair{p.bias_share, "gravity that the bias may have"}}) {
    if (!share(value)) {
      return fmt::format("the share of {} while guiding is {}; give 0 … 1", name, value);
    }
  }
  if (!(p.assist_speed > 0.0)) {
    return fmt::format("the speed of the friction assist is {}; give a positive one",
                       p.assist_speed);
  }
  if (!zero_or_more(p.bias_time)) {
    return fmt::format("the time of the slow bias is {} s; give zero for none, or more",
                       p.bias_time);
  }
  std::string sentence =
      check_each(chain, p.damping, "the damping while guiding", "zero or more", zero_or_more);
  if (sentence.empty()) {
    sentence = check_each(chain, p.wall_margin, "the width of the soft wall",
                          "zero for none, or more", zero_or_more);
  }
  return sentence;
}

std::string check_task(const ControlParameters& p) {
  const TaskParameters& task = p.task;
  const double turned = (task.frame.transpose() * task.frame - Mat3d::Identity()).norm();
  if (!(turned < 1e-6) || !(task.frame.determinant() > 0.0)) {
    return "the axes of the task frame are not those of a rotation; give three that are at right "
           "angles";
  }
  for (const auto& [value, name] :
       {std::pair{task.error_limit, "error limit"}, std::pair{task.length, "length of an angle"},
        std::pair{task.heaviest, "heaviest mass"}}) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      return fmt::format("the {} of the task is {}; give a positive one", name, value);
    }
  }
  struct Each {
    const Vec6<double>& values;
    const char* name;
  };
  for (const Each& each :
       {Each{task.frequency, "frequency"}, Each{task.damping_ratio, "damping ratio"},
        Each{task.stiffness, "stiffness"}, Each{task.inertia, "inertia"}}) {
    if ((each.values.array() >= 0.0).all() && each.values.allFinite()) continue;
    return fmt::format("the {} of a direction at the tip is negative; give zero or more",
                       each.name);
  }
  const Vec6<double> fast = 2.0 * task.damping_ratio.cwiseProduct(task.frequency);
  if (p.law == Law::kTaskSpace && fast.maxCoeff() * p.period > 1.0) {
    return fmt::format(
        "the frequencies at the tip are too high for a period of {} s; keep twice "
        "their product with the damping ratio below 1/period",
        p.period);
  }
  if (!(task.tank >= 0.0) || !std::isfinite(task.tank)) {
    return fmt::format("the energy tank of the task is {} J; give zero or more", task.tank);
  }
  const bool shaped = (task.inertia.array() > 0.0).any();
  if (shaped && !(task.inertia.array() > 0.0).all()) {
    return "the inertia of the tip is given in some directions only; give all six, or none";
  }
  return {};
}

std::string check_times(const ControlParameters& p) {
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  if (!(p.period >= kLeastStep) || !std::isfinite(p.period)) {
    return fmt::format("the period is {} s; give a positive one, {} s or more", p.period,
                       kLeastStep);
  }
  if (!(p.ramp_in >= 0.0) || !std::isfinite(p.ramp_in)) {
    return fmt::format("the ramp-in is {} s; give zero or more", p.ramp_in);
  }
  if (!(p.hold_time >= 0.0) || !std::isfinite(p.hold_time)) {
    return fmt::format("the hold time is {} s; give zero or more", p.hold_time);
  }
  if (!positive(p.decay_time)) {
    return fmt::format("the decay time is {} s; give a positive one", p.decay_time);
  }
  if (!positive(p.antiwindup_time) || p.antiwindup_time < p.period) {
    return fmt::format("the anti-windup time is {} s; give at least the period of {} s",
                       p.antiwindup_time, p.period);
  }
  return {};
}

std::string check_stability(const Chain& chain, const ControlParameters& p) {
  for (Index i = 0; i < chain.dof(); ++i) {
    const GainRule rule = check_gains(p.law, p.gains, i, p.period);
    if (rule == GainRule::kKept) continue;
    const std::string where = fmt::format("joint '{}' (kp {}, ki {}, kd {})",
                                          chain.coordinate_names()[static_cast<std::size_t>(i)],
                                          p.gains.kp[i], p.gains.ki[i], p.gains.kd[i]);
    switch (rule) {
      case GainRule::kIntegralTooStrong:
        return fmt::format("the integral of {} makes the loop unstable; keep ki below kp kd",
                           where);
      case GainRule::kTooFast:
        return fmt::format(
            "the gains of {} are too high for a period of {} s; keep kd below 1/period "
            "and kp below its square",
            where, p.period);
      default:
        return fmt::format(
            "the quasi-velocity law needs real poles, which {} does not give; without "
            "integral keep kd at 2 sqrt(kp) or above, a damping ratio of 1 or more",
            where);
    }
  }
  return {};
}

}  // namespace

std::span<const LawEntry> control_laws() noexcept { return kLaws; }

const LawEntry& entry_of(Law law) noexcept {
  return *std::find_if(kLaws.begin(), kLaws.end(),
                       [&](const LawEntry& entry) { return entry.law == law; });
}

Result<Law> control_law_named(std::string_view name) {
  std::string names;
  for (const LawEntry& entry : kLaws) {
    if (entry.name == name) return entry.law;
    names += fmt::format(" {}", entry.name);
  }
  return fail(fmt::format("there is no control law '{}'; choose one of:{}", name, names));
}

ControlParameters::ControlParameters(const Chain& chain)
    : gains(chain.dof()),
      integral_limit(VecXd::Constant(chain.dof(), kInfinity)),
      position_error_limit(integral_limit),
      limits{integral_limit, integral_limit},
      approach(integral_limit),
      speed(integral_limit),
      drive_kp(VecXd::Zero(chain.dof())),
      drive_kd(drive_kp),
      guiding(chain),
      task(chain) {
  constexpr double kFrequency = 20.0;
  gains.kp.setConstant(kFrequency * kFrequency);
  gains.kd.setConstant(2.0 * kFrequency);
  for (Index i = 0; i < chain.dof(); ++i) {
    const double effort = chain.coordinate_joint(i).limits.effort;
    if (effort > 0.0) limits.effort[i] = effort;
  }
}

Result<Gains> gains_from_frequency(Law law, Solver& solver, const VecXd& posture,
                                   const VecXd& frequency, const VecXd& damping_ratio) {
  const Chain& chain = solver.chain();
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  std::string sentence =
      check_each(chain, frequency, "the natural frequency", "a positive one", positive);
  if (sentence.empty()) {
    sentence = check_each(chain, damping_ratio, "the damping ratio", "a positive one", positive);
  }
  if (!sentence.empty()) return fail(std::move(sentence));
  Gains gains(chain.dof());
  gains.kp = frequency.cwiseAbs2();
  gains.kd = 2.0 * damping_ratio.cwiseProduct(frequency);
  if (entry_of(law).acceleration_gains) return gains;
  MatXd M_inverse(chain.dof(), chain.dof());
  if (const Status s = solver.mass_matrix_inverse(posture, M_inverse); s != Status::kOk) {
    return fail(fmt::format("the mass matrix at the posture for the gains: {}", to_string(s)));
  }
  gains.kp.array() /= M_inverse.diagonal().array();
  gains.kd.array() /= M_inverse.diagonal().array();
  return gains;
}

std::string objection(const Chain& chain, const ControlParameters& p) {
  std::string sentence = check_vectors(chain, p);
  if (sentence.empty()) sentence = check_times(p);
  if (sentence.empty()) sentence = check_stability(chain, p);
  if (sentence.empty()) sentence = check_guiding(chain, p.guiding);
  if (sentence.empty()) sentence = check_task(p);
  return sentence;
}

}  // namespace dyn
