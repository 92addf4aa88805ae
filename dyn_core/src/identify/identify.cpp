#include "dyn_core/identify/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "estimator.hpp"
#include "friction_curve.hpp"
#include "possible_body.hpp"

namespace dyn {
namespace {

Result<void> check_samples(const Chain& chain, std::span<const Samples> logs) {
  constexpr Index kFewestSamples = 10;
  if (logs.empty()) return fail("there is no log: give at least one");
  for (std::size_t l = 0; l < logs.size(); ++l) {
    const Samples& log = logs[l];
    const Index n = chain.dof(), rows = log.size();
    for (const MatXd* signal : {&log.q, &log.qd, &log.qdd, &log.tau}) {
      if (signal->rows() != rows || signal->cols() != n) {
        return fail(fmt::format(
            "log {}: a signal is {} x {} where {} samples of {} coordinates were expected", l + 1,
            signal->rows(), signal->cols(), rows, n));
      }
      if (!signal->allFinite()) {
        return fail(fmt::format("log {}: a sample is not a number: drop it", l + 1));
      }
    }
    if (rows < kFewestSamples) {
      return fail(
          fmt::format("log {}: {} samples are too few: record at least a second", l + 1, rows));
    }
  }
  if (std::ranges::all_of(logs, [](const Samples& log) { return log.tau.isZero(0.0); })) {
    return fail("all efforts are zero: there is nothing to identify from");
  }
  return {};
}

Result<void> check_options(const Chain& chain, const IdentifyOptions& options) {
  const bool current = options.effort == Effort::kCurrent;
  if (options.drive_gain.size() > 0 && !current) {
    return fail("a drive gain belongs to efforts that are currents: say so, or leave it out");
  }
  if (options.drive_gain.size() > 0 &&
      (options.drive_gain.size() != chain.dof() || !options.drive_gain.allFinite() ||
       (options.drive_gain.array() == 0.0).any())) {
    return fail(fmt::format(
        "drive gains: give {} numbers that are not zero, one for each coordinate", chain.dof()));
  }
  if (!(options.prior >= 1e-6 && options.prior <= 1e6)) {
    return fail(
        fmt::format("the prior's weight is {:g}: choose one from 1e-6 to 1e6", options.prior));
  }
  if (options.mount && options.effort == Effort::kWithoutGravity) {
    return fail("efforts without gravity do not tell how the arm is mounted: give its gravity");
  }
  return {};
}

ChainPtr with_gravity(const Chain& chain, const Vec3d& gravity) {
  ChainDescription description = chain.description();
  description.gravity = gravity;
  return std::make_shared<const Chain>(std::move(description));
}

Estimate estimate(const VecXd& value, const MatXd& covariance, Index i) {
  return {value[i], std::sqrt(std::max(covariance(i, i), 0.0))};
}

IdentifiedBody body_from(const BodyParameters& p, const MatXd& covariance, const Posed& frame) {
  IdentifiedBody out;
  out.body = body_of(p).expressed_in(frame);
  out.mass_deviation = std::sqrt(covariance(0, 0));
  Eigen::Matrix<double, 3, 4> J;  // of the centre, first moments by mass
  J << -p.segment<3>(1) / (p[0] * p[0]), Mat3d::Identity() / p[0];
  J = frame.R * J;
  out.com_deviation = (J * covariance.topLeftCorner<4, 4>() * J.transpose()).diagonal().cwiseSqrt();
  return out;
}

// A chain's drives have inertia, if anything.
ChainPtr possible(const Chain& chain, VecXd parameters) {
  VecXd::SegmentReturnType armature = parameters.head(chain.joint_count());
  armature = armature.cwiseMax(0.0).eval();
  return with_parameters(chain, parameters);
}

// Over the coordinates; of several joints on one the first counts.
std::vector<IdentifiedJoint> joints_of(const Chain& chain, const Estimator& estimator,
                                       const MatXd& covariance) {
  const Columns columns(chain);
  const Belief belief = estimator.belief(false);
  const MatXd of_gain =
      estimator.covariance().bottomRightCorner(belief.gain.size(), belief.gain.size());
  std::vector<IdentifiedJoint> out(static_cast<std::size_t>(chain.dof()));
  for (Index i = chain.joint_count(); i-- > 0;) {
    const Index k = chain.joint(i).coordinate;
    IdentifiedJoint& joint = out[static_cast<std::size_t>(k)];
    const auto of = [&](Index column) { return estimate(belief.parameters, covariance, column); };
    joint.armature = of(columns.regressor.armature(i));
    joint.lag = std::min(joint.armature.value, 0.0);
    joint.armature.value -= joint.lag;
    joint.viscous = of(columns.regressor.viscous(i));
    joint.coulomb = of(columns.regressor.coulomb(i));
    joint.offset = of(columns.regressor.offset(i));
    joint.noise = belief.noise[k];
    joint.samples_per_independent_one = estimator.inflation()[k];
    joint.gain = estimate(belief.gain, of_gain, k);
    joint.gain.deviation *= estimator.gain_sought() ? std::abs(joint.gain.value) : 0.0;
    for (std::size_t s = 0; s < kStribeckSpeeds.size(); ++s) {
      const Index column = columns.stribeck(k) + static_cast<Index>(s);
      if (covariance(column, column) == 0.0) continue;
      joint.stribeck = of(column);
      joint.stribeck_speed = kStribeckSpeeds[s];
    }
  }
  return out;
}

// Sum of squares of effort / gain minus the torque by these parameters.
double squares(const Evidence& evidence, const VecXd& parameters, double gain) {
  VecXd left(evidence.normal.rows());
  left << -parameters(evidence.columns), 1.0 / gain;
  return std::max(left.dot(evidence.normal * left), 0.0);
}

// Of the logs as they are, every sample counting alike; `described` and `gain` are what was believed before.
void set_rms(const TorqueModel& described, const VecXd& gain, const Estimator& estimator,
             std::span<const Samples> logs, Identified& out) {
  const Columns columns(*described.chain);
  VecXd before = VecXd::Zero(columns.size());
  before.head(columns.regressor.size()) = parameters_of(*described.chain);
  const Belief after = estimator.belief(true);
  const bool turned = described.chain->gravity() != out.chain->gravity();
  VecXd weight = VecXd::Zero(gain.size());
  for (const Samples& log : logs) {
    const std::vector<Evidence> seen =
        gather(estimator.model(), log, {after.parameters, gain, {}, {}});
    const std::vector<Evidence> straight =
        turned ? gather(described, log, {before, gain, {}, {}}) : seen;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      IdentifiedJoint& joint = out.joints[k];
      const auto at = static_cast<Index>(k);
      joint.rms_measured += squares(seen[k], VecXd::Zero(columns.size()), after.gain[at]);
      joint.rms_before += squares(straight[k], before, gain[at]);
      joint.rms_after += squares(seen[k], after.parameters, after.gain[at]);
      weight[at] += seen[k].weight;
    }
  }
  for (std::size_t k = 0; k < out.joints.size(); ++k) {
    IdentifiedJoint& joint = out.joints[k];
    for (double* rms : {&joint.rms_measured, &joint.rms_before, &joint.rms_after}) {
      *rms = std::sqrt(*rms / weight[static_cast<Index>(k)]);
    }
  }
}

// By the chain's base parameters; the motion tells one where it halves the description's deviation.
void set_base(const ChainPtr& described, const Unknowns& unknowns, Identified& out) {
  const BaseParameters base = base_parameters(described);
  const MatXd map = base.combination * unknowns.map.topRows(base.combination.cols());
  const VecXd of_prior = unknowns.prior.curvature().cwiseInverse();
  const VecXd expected = unknowns.fixed + unknowns.map * unknowns.prior.start();
  const VecXd before = base.combination * expected.head(base.combination.cols());
  const VecXd after = base.combination * out.parameters;
  const MatXd prior = map * of_prior.asDiagonal() * map.transpose();
  const MatXd found = base.combination * out.covariance * base.combination.transpose();
  for (Index r = 0; r < base.rank(); ++r) {
    const std::string& name = base.names[static_cast<std::size_t>(r)];
    out.base.push_back({name, estimate(before, prior, r), estimate(after, found, r)});
    const IdentifiedCombination& one = out.base.back();
    if (one.after.deviation > 0.5 * one.before.deviation) out.untold.push_back(name);
  }
}

void set_rank(const Chain& chain, const MatXd& normal, Identified& out) {
  const BaseParameters told = base_parameters(normal, parameter_names(chain), 1e-9);
  out.rank = told.rank();
  const VecXd scale = normal.diagonal()(told.columns).cwiseSqrt().cwiseInverse();
  const MatXd kept = scale.asDiagonal() * normal(told.columns, told.columns) * scale.asDiagonal();
  const VecXd values = kept.selfadjointView<Eigen::Lower>().eigenvalues();
  out.condition = std::sqrt(values.tail(1)[0] / values[0]);
}

Identified answer(const Chain& chain, const Estimator& estimator) {
  const Unknowns& unknowns = estimator.unknowns();
  const Columns columns(chain);
  const MatXd covariance = unknowns.map * estimator.covariance() * unknowns.map.transpose();
  const Index size = columns.regressor.size(), last = chain.joint_count() - 1;
  Identified out;
  out.parameters = estimator.belief(false).parameters.head(size);
  out.covariance = covariance.topLeftCorner(size, size);
  out.chain = out.loaded = possible(chain, out.parameters);
  out.iterations = estimator.steps();
  out.joints = joints_of(chain, estimator, covariance);
  for (Index i = 0; i <= last; ++i) {
    const Index first = columns.regressor.body(i);
    out.links.push_back(body_from(out.parameters.segment<10>(first),
                                  out.covariance.block(first, first, 10, 10), {}));
    out.links.back().guessed = unknowns.guessed[static_cast<std::size_t>(i)];
  }
  if (unknowns.payload) {
    const BodyMap& map = unknowns.payload_map;
    const BodyParameters carried = map * estimator.z().segment<10>(*unknowns.payload);
    const MatXd of_z = estimator.covariance().block(*unknowns.payload, *unknowns.payload, 10, 10);
    out.payload = body_from(carried, map * of_z * map.transpose(), chain.tip_pose().inverse());
    VecXd loaded = out.parameters;
    loaded.segment<10>(columns.regressor.body(last)) += carried;
    out.loaded = possible(chain, loaded);
  }
  set_rank(chain, estimator.normal(), out);
  return out;
}

// The chain as it is mounted, and the deviation of that gravity.
std::pair<ChainPtr, Vec3d> mounted(const ChainPtr& chain, std::span<const Samples> logs,
                                   const VecXd& gain, const IdentifyOptions& options) {
  TorqueModel model{chain};
  model.stribeck = options.friction == FrictionModel::kStribeck;
  model.gravity_columns = true;
  const Scales scales = scales_of(logs, gain);
  Estimator estimator(model, unknowns_of(*chain, scales, options, Sought::kMount), logs, {}, gain,
                      false);
  estimator.run();
  const Index at = Columns(*chain).gravity();
  const Vec3d gravity = estimator.belief(false).parameters.segment<3>(at);
  const MatXd rows = estimator.unknowns().map.middleRows(at, 3);
  const Mat3d covariance = rows * estimator.covariance() * rows.transpose();
  const double size = chain->gravity().norm() / gravity.norm();
  return {with_gravity(*chain, size * gravity), size * covariance.diagonal().cwiseSqrt()};
}

}  // namespace

Result<FrictionModel> friction_model_named(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "viscous_coulomb", "stribeck"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<FrictionModel>(i);
  }
  return fail(fmt::format(
      "there is no friction model '{}': choose none, viscous_coulomb or stribeck", name));
}

Result<Identified> identify(const ChainPtr& chain, std::span<const Samples> logs,
                            const IdentifyOptions& options) {
  for (const Result<void>& checked :
       {check_options(*chain, options), check_samples(*chain, logs),
        options.without_payload.empty() ? Result<void>()
                                        : check_samples(*chain, options.without_payload)}) {
    if (!checked) return tl::unexpected(checked.error());
  }
  TorqueModel model{chain, options.effort != Effort::kWithoutGravity};
  model.stribeck = options.friction == FrictionModel::kStribeck;
  const bool gain_sought = options.effort == Effort::kCurrent && options.drive_gain.size() == 0;
  VecXd gain = VecXd::Ones(chain->dof());
  if (options.drive_gain.size() > 0) gain = options.drive_gain;
  if (gain_sought) gain = first_gain(model, logs.front());
  Vec3d gravity_deviation = Vec3d::Zero();
  if (options.mount) std::tie(model.chain, gravity_deviation) = mounted(chain, logs, gain, options);
  const Sought sought = !options.payload                  ? Sought::kArm
                        : options.without_payload.empty() ? Sought::kPayload
                                                          : Sought::kArmAndPayload;
  const Scales scales = scales_of(logs, gain);
  Estimator estimator(model, unknowns_of(*model.chain, scales, options, sought), logs,
                      options.without_payload, gain, gain_sought);
  estimator.run();
  Identified out = answer(*model.chain, estimator);
  if (options.mount) out.gravity_deviation = gravity_deviation;
  set_base(model.chain, estimator.unknowns(), out);
  const std::vector<std::string> names = parameter_names(*chain);
  for (const Index offset : estimator.untold_offsets()) {
    out.untold.push_back(names[static_cast<std::size_t>(offset)]);
  }
  model.chain = chain;
  set_rms(model, gain, estimator, logs, out);
  return out;
}

MatXd model_torque(const ChainPtr& chain, const Samples& log, Effort effort,
                   std::span<const IdentifiedJoint> joints) {
  Solver solver = Solver::make(chain).value();
  if (effort == Effort::kWithoutGravity) solver.set_gravity(Vec3d::Zero());
  MatXd torque(log.size(), chain->dof());
  VecXd tau(chain->dof());
  for (Index k = 0; k < log.size(); ++k) {
    const VecXd q = log.q.row(k), qd = log.qd.row(k), qdd = log.qdd.row(k);
    (void)solver.inverse_dynamics(q, qd, qdd, tau);
    torque.row(k) = tau;
  }
  for (const Joint& joint : chain->joints()) {
    const Index c = joint.coordinate;
    torque.col(c) += joint.multiplier * joint.multiplier * joint.damping * log.qd.col(c);
    if (joint.friction == 0.0) continue;
    torque.col(c) += std::abs(joint.multiplier) * joint.friction * friction_curve(log, c);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const IdentifiedJoint& joint = joints[j];
    const auto c = static_cast<Index>(j);
    torque.col(c) += (joint.offset.value + joint.lag * log.qdd.col(c).array()).matrix();
    if (joint.stribeck_speed == 0.0) continue;
    torque.col(c) += joint.stribeck.value * friction_curve(log, c, joint.stribeck_speed);
  }
  return torque;
}

MatXd measured_torque(const Samples& log, std::span<const IdentifiedJoint> joints) {
  MatXd torque = log.tau;
  for (Index k = 0; k < torque.cols(); ++k)
    torque.col(k) /= joints[static_cast<std::size_t>(k)].gain.value;
  return torque;
}

}  // namespace dyn
