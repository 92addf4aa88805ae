// Per joint, measured torque against  a g(q) + b (M q̈ + C q̇) + viscous and Coulomb friction + offset: a and b
// say what the effort means, and the shift in time that leaves the least is the delay. Friction and offset are
// always fitted: a model that does not know them would shift torques that go with the speed into the delay. Where
// a joint nearly stands, it may stick, which no formula of the speed tells: there nothing is compared in time.
#include "dyn_core/identify/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "dyn_core/solver.hpp"
#include "friction_curve.hpp"
#include "shifted.hpp"

namespace dyn {
namespace {

constexpr double kSticks = 0.3;  // of the RMS speed
constexpr std::array<std::string_view, 3> kEffortNames = {"with_gravity", "without_gravity",
                                                          "current"};

double rms(const VecXd& x) {
  return std::sqrt(x.squaredNorm() / static_cast<double>(std::max<Index>(1, x.size())));
}

// Orthonormal columns with the span of X's, as far as these differ.
MatXd orthonormal(MatXd X) {
  constexpr double kDistinct = 1e-6;
  for (Index c = 0; c < X.cols(); ++c) X.col(c) /= std::max(X.col(c).norm(), 1e-12);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(X.transpose() * X);
  MatXd Q(X.rows(), X.cols());
  Index rank = 0;
  for (Index c = 0; c < X.cols(); ++c) {
    const double value = eigen.eigenvalues()[c];
    if (value > kDistinct) Q.col(rank++) = X * eigen.eigenvectors().col(c) / std::sqrt(value);
  }
  return Q.leftCols(rank);
}

/// What the model says at each sample.
struct ModelTorques {
  MatXd gravity, inertial, friction, direction;  // direction: the sign of the speed, filtered
};

Result<ModelTorques> model_torques(const ChainPtr& chain, const Prepared& log) {
  Result<Solver> solver = Solver::make(chain);
  if (!solver) return tl::unexpected(solver.error());
  const Samples& s = log.samples;
  const Index n = chain->dof();
  ModelTorques out;
  for (MatXd* signal : {&out.gravity, &out.inertial, &out.friction, &out.direction})
    signal->resize(s.size(), n);
  VecXd q(n), qd(n), qdd(n), tau(n), gravity(n);
  Status status = Status::kOk;
  for (Index k = 0; k < s.size() && status == Status::kOk; ++k) {
    q = s.q.row(k).transpose();
    qd = s.qd.row(k).transpose();
    qdd = s.qdd.row(k).transpose();
    status = solver->gravity_torque(q, gravity);
    if (status == Status::kOk) status = solver->inverse_dynamics(q, qd, qdd, tau);
    out.gravity.row(k) = gravity.transpose();
    out.inertial.row(k) = (tau - gravity).transpose();
    if (status == Status::kOk) status = solver->friction_torque(qd, tau);
    out.friction.row(k) = tau.transpose();
  }
  if (status != Status::kOk)
    return fail(fmt::format(
        "the model has no torque for the log's motion: {}; see the joints' positions in it",
        to_string(status)));
  for (Index j = 0; j < n; ++j) out.direction.col(j) = friction_curve(s, j);
  return out;
}

/// One joint over the rows that a Shifted keeps.
struct JointData : Explanation {
  VecXd gravity, inertial, friction, speed, direction;

  [[nodiscard]] MatXd columns(std::initializer_list<const VecXd*> which) const {
    MatXd out(speed.size(), static_cast<Index>(which.size()));
    Index c = 0;
    for (const VecXd* column : which) out.col(c++) = *column;
    return out;
  }
};

/// How the efforts go with the model of a joint, each hypothesis' squared rest.
struct Hypotheses {
  double load = 0.0;                         // rms of gravity
  double weight = 0.0;                       // squared measured torque
  double gravity = 0.0, plain = 0.0;         // scaled model with gravity, and without
  double with_one = 0.0, without_one = 0.0;  // as they are
  double scale = 0.0, plain_scale = 0.0;
};

Hypotheses hypotheses_of(const JointData& joint, const VecXd& tau) {
  constexpr double kModelError = 0.02;  // of the torque: no model is better
  const MatXd Q = orthonormal(joint.columns({&joint.speed, &joint.direction}));
  const VecXd y = without(Q, tau), i = without(Q, joint.inertial), g = without(Q, joint.gravity),
              m = i + g;
  const double floor = kModelError * kModelError * tau.squaredNorm() + 1e-300;
  const auto fit = [&](const VecXd& x) {
    return std::max(0.0, y.dot(x) / std::max(x.squaredNorm(), 1e-300));
  };
  Hypotheses out{
      .load = rms(g), .weight = tau.squaredNorm(), .scale = fit(m), .plain_scale = fit(i)};
  const auto rest = [&](double scale, const VecXd& x) {
    return (y - scale * x).squaredNorm() + floor;
  };
  out.gravity = rest(out.scale, m);
  out.plain = rest(out.plain_scale, i);
  out.with_one = rest(1.0, m);
  out.without_one = rest(1.0, i);
  return out;
}

// Half of the joints by torque have less.
double typical_scale(const std::vector<Hypotheses>& joints, double Hypotheses::*scale) {
  std::vector<std::pair<double, double>> sorted;
  double all = 0.0;
  for (const Hypotheses& joint : joints) {
    const double weight = std::sqrt(joint.weight);
    sorted.emplace_back(joint.*scale, weight);
    all += weight;
  }
  std::ranges::sort(sorted);
  double below = 0.0;
  for (const auto& [value, weight] : sorted) {
    below += weight;
    if (below >= 0.5 * all) return value;
  }
  return 1.0;
}

void guess_effort(const std::vector<Hypotheses>& joints, CheckReport& report) {
  constexpr double kSome = 0.05, kClear = 0.4, kHint = 0.15;
  double most = 0.0;
  for (const Hypotheses& joint : joints) most = std::max(most, joint.load);
  double scaled = 0.0, as_is = 0.0, loaded = 0.0;
  for (const Hypotheses& joint : joints) {
    if (joint.load <= kSome * most) continue;
    loaded += 1.0;
    scaled += 0.5 * std::log(joint.plain / joint.gravity);
    as_is += 0.5 * std::log(joint.without_one / joint.with_one);
  }
  scaled /= std::max(1.0, loaded);
  as_is /= std::max(1.0, loaded);
  const double scale = typical_scale(joints, &Hypotheses::scale);
  const auto times = [](double nats) { return std::exp(std::abs(nats)); };
  if (scaled > kClear) {
    report.effort = scale < 0.5 || scale > 2.0 ? Effort::kCurrent : Effort::kWithGravity;
    report.effort_reason = fmt::format(
        "gravity is in it, as without gravity the model leaves {:.3g} times as much unexplained; "
        "the efforts are about {:.3g} times the model's torques, {}",
        times(scaled), scale,
        *report.effort == Effort::kCurrent ? "too far from 1 for torques" : "as torques are");
  } else if (scaled < -kClear || (scaled < kHint && as_is < -kClear)) {
    report.effort = Effort::kWithoutGravity;
    report.effort_reason = fmt::format(
        "gravity is not in it, as with gravity the model leaves {:.3g} times as much unexplained",
        times(scaled < -kClear ? scaled : as_is));
  } else if (scaled < kHint && as_is > kClear) {
    report.effort = Effort::kWithGravity;
    report.effort_reason = fmt::format(
        "gravity is in it, as without gravity the model leaves {:.3g} times as much unexplained",
        times(as_is));
  } else {
    report.effort_reason =
        most > 0.0
            ? "gravity makes too little difference in this motion to tell; move joints that lift "
              "more"
            : "gravity loads no joint of this arm in this motion, so the efforts do not tell";
  }
}

}  // namespace

std::string_view to_string(Effort effort) noexcept {
  return kEffortNames[static_cast<std::size_t>(effort)];
}

Result<Effort> effort_named(std::string_view name) {
  const auto found = std::ranges::find(kEffortNames, name);
  if (found != kEffortNames.end()) return static_cast<Effort>(found - kEffortNames.begin());
  return fail(fmt::format("there is no meaning of efforts '{}'; choose {}, {} or {}", name,
                          kEffortNames[0], kEffortNames[1], kEffortNames[2]));
}

namespace {

std::string names_where(const Chain& chain, const std::vector<bool>& chosen) {
  std::string list;
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    if (chosen[j]) list += (list.empty() ? "" : ", ") + chain.coordinate_names()[j];
  }
  return list;
}

// What share of the error friction and an offset could explain.
double friction_share(const JointData& joint, const VecXd& error) {
  const VecXd one = VecXd::Ones(error.size());
  const VecXd rest =
      without(orthonormal(joint.columns({&joint.speed, &joint.direction, &one})), error);
  return 1.0 - rest.squaredNorm() / std::max(error.squaredNorm(), 1e-300);
}

void write_meaning(Effort stated, CheckReport& report) {
  std::string text = !report.effort ? fmt::format("Effort taken as {} as stated", to_string(stated))
                     : *report.effort == stated
                         ? fmt::format("Effort is {}, as stated", to_string(stated))
                         : fmt::format("Effort is stated as {} but looks like {}",
                                       to_string(stated), to_string(*report.effort));
  text += ": " + report.effort_reason;
  if (report.effort && *report.effort != stated)
    text += fmt::format("; try --effort {}", to_string(*report.effort));
  report.sentences.push_back(text + ".");
}

void write_delay(CheckReport& report) {
  if (!report.delay) {
    report.sentences.emplace_back(
        "The motion does not tell the delay; move faster, with reversals.");
  } else if (*report.delay < 0.0) {
    report.sentences.push_back(fmt::format(
        "Efforts were logged {:.3g} ms after the motion that they belong to, as where they "
        "are measured and filtered: there is no delay to predict by.",
        -1e3 * *report.delay));
  } else {
    report.sentences.push_back(fmt::format(
        "A logged effort acts {:.3g} ms later: the delay to predict by.", 1e3 * *report.delay));
  }
}

void write_fit(const Chain& chain, const Samples& samples, const std::vector<double>& shares,
               CheckReport& report) {
  constexpr double kGood = 0.15, kMuch = 0.5;
  const std::size_t n = report.joints.size();
  std::vector<bool> good(n), friction(n), off(n), outside(n);
  for (std::size_t j = 0; j < n; ++j) {
    const JointCheck& joint = report.joints[j];
    good[j] = joint.rms_error <= kGood * joint.rms_measured;
    friction[j] = !good[j] && shares[j] > kMuch;
    off[j] = !good[j] && !friction[j];
    const auto q = samples.q.col(static_cast<Index>(j));
    const JointLimits& limits = chain.coordinate_joint(static_cast<Index>(j)).limits;
    outside[j] = q.minCoeff() < limits.lower - 0.1 || q.maxCoeff() > limits.upper + 0.1;
  }
  const auto say = [&](const std::vector<bool>& which, const char* what) {
    const std::string names = names_where(chain, which);
    if (!names.empty()) report.sentences.push_back(fmt::format(fmt::runtime(what), names));
  };
  say(outside,
      "Beyond the limits of the robot description: {}; see whether the log's joints and units are "
      "the chain's.");
  say(good, "The model fits within 15 % of the torque: {}.");
  say(friction,
      "Most of the error goes with the speed or is constant, friction or an offset that the model "
      "does not know: {}.");
  say(off, "The error is of masses, of loads or of the efforts' meaning: {}.");
  if (std::ranges::find(good, false) != good.end())
    report.sentences.emplace_back(
        "dyn identify finds inertias and friction from a motion such as that of dyn excite.");
}

JointData joint_data(const Shifted& shifted, const Samples& samples, const ModelTorques& model,
                     Index j) {
  const auto rows = [&](const MatXd& from) { return shifted.rows_of(from.col(j)); };
  JointData joint{{},
                  rows(model.gravity),
                  rows(model.inertial),
                  rows(model.friction),
                  rows(samples.qd),
                  rows(model.direction)};
  const VecXd one = VecXd::Ones(shifted.size());
  joint.moving = (joint.speed.array().abs() > kSticks * rms(joint.speed)).cast<double>();
  joint.all = orthonormal(
      joint.moving.asDiagonal() *
      joint.columns({&joint.gravity, &joint.inertial, &joint.speed, &joint.direction, &one}));
  return joint;
}

/// What the sentences are made of, beside the report.
struct Findings {
  std::vector<Hypotheses> hypotheses;
  std::vector<double> friction_shares;
};

JointCheck check_joint(const JointData& data, const VecXd& tau, Effort stated, Findings& findings) {
  findings.hypotheses.push_back(hypotheses_of(data, tau));
  VecXd predicted = data.inertial + data.friction;
  if (stated != Effort::kWithoutGravity) predicted += data.gravity;
  JointCheck joint;
  if (stated == Effort::kCurrent) joint.scale = findings.hypotheses.back().scale;
  const VecXd error = tau - joint.scale * predicted;
  joint.rms_measured = rms(tau);
  joint.rms_error = rms(error);
  joint.bias = error.mean();
  findings.friction_shares.push_back(friction_share(data, error));
  return joint;
}

}  // namespace

Result<CheckReport> check_log(const ChainPtr& chain, const Prepared& log, Effort stated) {
  const Samples& samples = log.samples;
  const Index n = chain->dof();
  if (samples.tau.cols() != n)
    return fail(
        fmt::format("the samples have {} joints and the chain {}; prepare them for this chain",
                    samples.tau.cols(), n));
  const Result<ModelTorques> model = model_torques(chain, log);
  if (!model) return tl::unexpected(model.error());
  const Shifted shifted(samples);
  constexpr Index kFewestShifted = 12;
  if (shifted.size() < kFewestShifted)
    return fail(
        "the log's pieces without gaps are too short to compare; record a motion of some seconds");
  std::vector<JointData> joints;
  for (Index j = 0; j < n; ++j) joints.push_back(joint_data(shifted, samples, *model, j));
  // So many of the samples differ by more than the filter lets through.
  const double independent = std::min(1.0, 2.0 * samples.cutoff / log.rate);
  CheckReport report;
  std::vector<const Explanation*> all;
  all.reserve(joints.size());
  for (const JointData& joint : joints) all.push_back(&joint);
  report.delay = ShiftSearch(shifted, all, 0, n).best(independent);
  Findings findings;
  VecXd tau;
  for (Index j = 0; j < n; ++j) {
    shifted.torque(j, report.delay.value_or(0.0), tau);
    report.joints.push_back(
        check_joint(joints[static_cast<std::size_t>(j)], tau, stated, findings));
    report.joints.back().lag = ShiftSearch(shifted, all, j, j + 1).best(independent);
  }
  guess_effort(findings.hypotheses, report);
  write_meaning(stated, report);
  write_delay(report);
  write_fit(*chain, samples, findings.friction_shares, report);
  return report;
}

}  // namespace dyn
