#include "estimator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "possible_body.hpp"

namespace dyn {
namespace {

constexpr int kLooks = 4;  // at the samples: the first without weights

// The rows of `map` and `fixed`, side by side, that a coordinate depends on.
MatXd selected(const MatXd& map, const VecXd& fixed, const std::vector<Index>& columns) {
  MatXd some(static_cast<Index>(columns.size()), map.cols() + 1);
  for (Index r = 0; r < some.rows(); ++r) {
    const Index column = columns[static_cast<std::size_t>(r)];
    some.row(r) << map.row(column), fixed[column];
  }
  return some;
}

// How much of a column lies off all that `others` can make, by the normal matrix.
double share_of_its_own(const MatXd& normal, Index column, const std::vector<Index>& others) {
  constexpr double kRounding = 1e-9;
  const VecXd length = normal.diagonal().cwiseSqrt();
  const VecXd scale = (length.array() > 0.0).select(length.cwiseInverse(), 0.0)(others);
  const MatXd of_others = scale.asDiagonal() * normal(others, others) * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> along(of_others);
  const VecXd on = along.eigenvectors().transpose() *
                   scale.cwiseProduct(normal.col(column)(others) / length[column]);
  const double least = kRounding * along.eigenvalues().maxCoeff();
  double left = 1.0;
  for (Index i = 0; i < on.size(); ++i) {
    if (along.eigenvalues()[i] > least) left -= on[i] * on[i] / along.eigenvalues()[i];
  }
  return std::sqrt(std::max(left, 0.0));
}

Index place(const std::vector<Index>& columns, Index column) {
  return std::find(columns.begin(), columns.end(), column) - columns.begin();
}

}  // namespace

// Evidence over (z, 1, effort), of all logs.
struct Estimator::Reduced {
  MatXd normal, scatter;
  double weight = 0.0, leverage = 0.0;

  // Σ w r² at z.
  [[nodiscard]] double squares(const VecXd& z, double gain) const {
    VecXd v(z.size() + 2);
    v << -z, -1.0, 1.0 / gain;
    return std::max(v.dot(normal * v), 0.0);
  }
};

Estimator::Estimator(TorqueModel model, Unknowns unknowns, std::span<const Samples> logs,
                     std::span<const Samples> without_payload, VecXd gain, bool gain_sought)
    : model_(std::move(model)),
      unknowns_(std::move(unknowns)),
      logs_(logs),
      without_payload_(without_payload),
      gain_(std::move(gain)),
      gain_sought_(gain_sought) {
  for (Index k = 0; k < gain_.size(); ++k) unknowns_.prior.add_number(1.0);  // a factor of e
  unknowns_.drive.resize(static_cast<std::size_t>(unknowns_.prior.size()), -1);
  unknowns_.map.conservativeResize(Eigen::NoChange, unknowns_.prior.size());
  unknowns_.map.rightCols(gain_.size()).setZero();
  z_ = unknowns_.prior.start();
  inflation_ = VecXd::Ones(gain_.size());
  log_gain_ = VecXd::Zero(gain_.size());
}

Estimator::~Estimator() = default;

Belief Estimator::belief(bool with_payload) const {
  const MatXd map = unknowns_.map_of(*model_.chain, with_payload);
  Belief out{unknowns_.fixed + map * z_, gain_, noise_, {}};
  if (noise_.size() > 0) out.covariance = map * covariance_ * map.transpose();
  return out;
}

void Estimator::run() {
  for (int look = 0; look < kLooks; ++look) {
    gather_all();
    choose_stribeck();
    reduce();
    leave_out_offsets();
    if (look == 0) {
      covariance_ = MatXd::Zero(z_.size(), z_.size());
      set_noise();
    } else {
      set_inflation();
    }
    solve();
  }
  if (!gain_sought_) hold_drives();
}

// A constant that what the joint carries makes as well is that: models have a place for weights and none for offsets.
void Estimator::leave_out_offsets() {
  constexpr double kNothing = 1e-3;
  const ParameterLayout at = Columns(*model_.chain).regressor;
  const Index p = z_.size();
  const MatXd of_offsets = unknowns_.map.middleRows(at.offset(0), at.joints);
  std::vector<Index> others;
  for (Index i = 0; i < p; ++i) {
    if (of_offsets.col(i).isZero(0.0)) others.push_back(i);
  }
  const std::size_t before = untold_offsets_.size();
  for (Index i = 0; i < at.joints; ++i) {
    Index offset = 0;
    if (of_offsets.row(i).cwiseAbs().maxCoeff(&offset) == 0.0) continue;
    const Reduced& e = reduced_[static_cast<std::size_t>(model_.chain->joint(i).coordinate)];
    if (share_of_its_own(e.normal, offset, others) > kNothing) continue;
    unknowns_.map.row(at.offset(i)).setZero();
    untold_offsets_.push_back(at.offset(i));
  }
  if (untold_offsets_.size() > before) reduce();
}

// A drive inertia that is below zero by chance is zero, and what was found beside it follows; all deviations stay
// those without that.
void Estimator::hold_drives() {
  constexpr double kChance = 3.0;  // deviations
  const ParameterLayout at = Columns(*model_.chain).regressor;
  const MatXd map = unknowns_.map, covariance = covariance_;
  const VecXd deviation = belief(false).covariance.diagonal().cwiseSqrt();
  for (bool held = true; std::exchange(held, false);) {
    const VecXd found = belief(false).parameters;
    for (Index i = 0; i < at.joints; ++i) {
      const Index column = at.armature(i);
      if (!(found[column] < 0.0 && found[column] > -kChance * deviation[column])) continue;
      unknowns_.fixed[column] = 0.0;
      unknowns_.map.row(column).setZero();
      held = true;
    }
    if (!held) break;
    reduce();
    solve();
  }
  unknowns_.map = map;
  covariance_ = covariance;
}

void Estimator::gather_all() {
  evidence_.clear();
  for (const Samples& log : logs_) evidence_.push_back(gather(model_, log, belief(true)));
  for (const Samples& log : without_payload_) {
    evidence_.push_back(gather(model_, log, belief(false)));
  }
}

// For each coordinate the speed that leaves least, all but its friction being as believed.
void Estimator::choose_stribeck() {
  const Columns at(*model_.chain);
  for (std::size_t k = 0; k < unknowns_.stribeck.size(); ++k) {
    const Index coordinate = static_cast<Index>(k), z = unknowns_.stribeck[k];
    VecXd believed = belief(true).parameters;
    believed.segment(at.stribeck(coordinate), kStribeckSpeeds.size()).setZero();
    Index joint = 0;
    while (model_.chain->joint(joint).coordinate != coordinate) ++joint;
    double most = -1.0, scale = unknowns_.map.col(z).sum();
    for (std::size_t s = 0; s < kStribeckSpeeds.size(); ++s) {
      const Index column = at.stribeck(coordinate) + static_cast<Index>(s);
      double decrease = 0.0;
      for (const std::vector<Evidence>& log : evidence_) {
        const Evidence& e = log[k];
        const std::array free = {place(e.columns, at.regressor.viscous(joint)),
                                 place(e.columns, at.regressor.coulomb(joint)),
                                 place(e.columns, at.regressor.offset(joint)),
                                 place(e.columns, column)};
        VecXd left(e.normal.rows());
        for (Index c = 0; c + 1 < left.size(); ++c) {
          left[c] = -believed[e.columns[static_cast<std::size_t>(c)]];
        }
        left[left.size() - 1] = 1.0 / gain_[coordinate];
        const Eigen::Vector4d gradient = e.normal(free, Eigen::all) * left;
        const Eigen::Matrix4d H = e.normal(free, free);
        decrease += gradient.dot(H.colPivHouseholderQr().solve(gradient));
      }
      if (decrease <= most) continue;
      most = decrease;
      unknowns_.map.col(z).setZero();
      unknowns_.map(column, z) = scale;
    }
  }
}

void Estimator::reduce() {
  const Index n = gain_.size(), p = z_.size();
  reduced_.assign(static_cast<std::size_t>(n), {MatXd::Zero(p + 2, p + 2), MatXd::Zero(p, p)});
  for (std::size_t l = 0; l < evidence_.size(); ++l) {
    const MatXd map = unknowns_.map_of(*model_.chain, l < logs_.size());
    for (std::size_t k = 0; k < reduced_.size(); ++k) {
      const Evidence& e = evidence_[l][k];
      const MatXd T = selected(map, unknowns_.fixed, e.columns);
      const Index width = T.rows();
      Reduced& to = reduced_[k];
      const MatXd half = e.normal.topLeftCorner(width, width) * T;
      to.normal.topLeftCorner(p + 1, p + 1) += T.transpose() * half;
      const VecXd effort = T.transpose() * e.normal.col(width).head(width);
      to.normal.col(p + 1).head(p + 1) += effort;
      to.normal.row(p + 1).head(p + 1) += effort.transpose();
      to.normal(p + 1, p + 1) += e.normal(width, width);
      to.scatter += T.leftCols(p).transpose() * (e.scatter * T.leftCols(p));
      to.weight += e.weight;
      to.leverage += e.leverage;
    }
  }
}

// Deviation of the residuals, of which as many are not free as the coordinate has determined unknowns, each of
// them an independent sample's worth. Samples that fit exactly would tell so much more than the prior that rounding
// decided what they do not tell.
void Estimator::set_noise() {
  constexpr double kMost = 1e13;  // times what the prior tells
  const Index p = z_.size();
  const VecXd of_prior = unknowns_.prior.curvature();
  VecXd noise(gain_.size());
  for (Index k = 0; k < noise.size(); ++k) {
    const Reduced& e = reduced_[static_cast<std::size_t>(k)];
    double used = 0.0;
    if (noise_.size() > 0) {
      used = covariance_.cwiseProduct(e.normal.topLeftCorner(p, p)).sum() / (noise_[k] * noise_[k]);
    }
    const double free = std::max(e.weight - used, 0.1 * e.weight);
    const double measured = std::sqrt(e.normal(p + 1, p + 1) / e.weight) / std::abs(gain_[k]);
    const double told = e.normal.diagonal().head(p).cwiseQuotient(of_prior).maxCoeff();
    constexpr double kDigits = 1e-6, kNothing = 1e-9;  // of the torque, N m
    noise[k] = std::max({std::sqrt(e.squares(z_, gain_[k]) / free), std::sqrt(told / kMost),
                         kDigits * measured, kNothing});
  }
  noise_ = noise;
}

// How much more the sums of the residuals' scores over batches of samples scatter than they would if every
// sample were independent of all others, over the directions of z by their uncertainty. Of what would scatter, the
// fit has taken the share that is each batch's leverage.
void Estimator::set_inflation() {
  const Index p = z_.size();
  for (Index k = 0; k < inflation_.size(); ++k) {
    const Reduced& e = reduced_[static_cast<std::size_t>(k)];
    const double all = covariance_.cwiseProduct(e.normal.topLeftCorner(p, p)).sum();
    const double variance = noise_[k] * noise_[k];
    const double alone = std::max(all - e.leverage / (variance * inflation_[k]), 0.1 * all);
    const double found = covariance_.cwiseProduct(e.scatter).sum();
    inflation_[k] = alone > 0.0 ? std::max(1.0, found / (alone * variance)) : 1.0;
  }
}

// Currents do not tell all gains and all bodies times the same factor apart: the arm's mass does, which is known
// better than how it is spread.
void Estimator::add_total_mass(MatXd& H, VecXd& b) const {
  constexpr double kKnown = 0.1;
  VecXd row = VecXd::Zero(z_.size());
  double described = 0.0, fixed = 0.0;
  const ParameterLayout at = Columns(*model_.chain).regressor;
  for (Index i = 0; i < at.joints; ++i) {
    row += unknowns_.map.row(at.body(i));
    fixed += unknowns_.fixed[at.body(i)];
  }
  described = row.dot(unknowns_.prior.start());
  if (!(described > 0.0)) return;
  const double weight = 1.0 / std::pow(kKnown * (described + fixed), 2);
  H += weight * row * row.transpose();
  b += weight * described * row;
}

void Estimator::assemble(MatXd& H, VecXd& b) const {
  const Index n = gain_.size(), p = z_.size();
  H = MatXd::Zero(p, p);
  b = VecXd::Zero(p);
  VecXd believed = VecXd::Zero(p + 2);
  believed.head(p + 1) << z_, 1.0;
  for (Index i = 0; i < p; ++i) {
    if (i >= p - n || unknowns_.drive[static_cast<std::size_t>(i)] >= 0) believed[i] = 0.0;
  }
  for (Index k = 0; k < n; ++k) {
    const MatXd& normal = reduced_[static_cast<std::size_t>(k)].normal;
    const double weight = 1.0 / (noise_[k] * noise_[k] * inflation_[k]);
    H += weight * normal.topLeftCorner(p, p);
    b += weight * (normal.col(p + 1).head(p) / gain_[k] - normal.col(p).head(p));
    if (!gain_sought_) continue;
    // One more column: the bodies' torque, whose factor is the change of log(gain), for what drives do goes with
    // the effort.
    const VecXd torque = normal * believed;
    const Index gain = p - n + k;
    H.col(gain) += weight * torque.head(p);
    H.row(gain) += weight * torque.head(p).transpose();
    H(gain, gain) += weight * believed.dot(torque);
    b[gain] += weight * (torque[p + 1] / gain_[k] - torque[p]);
    b += weight * log_gain_[k] * torque.head(p);
    b[gain] += weight * log_gain_[k] * believed.dot(torque);
  }
  if (gain_sought_) add_total_mass(H, b);
}

// By what was found to be missing of log(gain), which z has afterwards as that since the start.
VecXd Estimator::change_gains() {
  const Index n = gain_.size(), first = z_.size() - n;
  VecXd change(n);
  for (Index k = 0; k < n; ++k) {
    change[k] = std::clamp(z_[first + k] - log_gain_[k], -0.5, 0.5);
    const double factor = std::exp(change[k]);
    gain_[k] *= factor;
    log_gain_[k] += change[k];
    Reduced& e = reduced_[static_cast<std::size_t>(k)];
    for (Index i = 0; i < first; ++i) {
      if (unknowns_.drive[static_cast<std::size_t>(i)] != k) continue;
      unknowns_.map.col(i) /= factor;
      e.normal.col(i) /= factor, e.normal.row(i) /= factor;
      e.scatter.col(i) /= factor, e.scatter.row(i) /= factor;
    }
  }
  z_.tail(n) = log_gain_;
  return change;
}

// Bodies, noise and gains depend on each other: in turn, until nothing changes.
void Estimator::solve() {
  const Index n = gain_.size();
  const int most = gain_sought_ ? 40 : 4;
  MatXd H;
  VecXd b;
  for (int round = 0; round < most; ++round) {
    assemble(H, b);
    z_ = minimize(H, b, unknowns_.prior, z_, steps_);
    const VecXd change = gain_sought_ ? change_gains() : VecXd::Zero(n);
    H.diagonal() += unknowns_.prior.curvature();
    covariance_ = H.llt().solve(MatXd::Identity(z_.size(), z_.size()));
    const VecXd before = noise_;
    set_noise();
    constexpr double kSame = 1e-3;
    if (change.cwiseAbs().maxCoeff() < kSame &&
        (noise_ - before).cwiseQuotient(before).cwiseAbs().maxCoeff() < kSame) {
      break;
    }
  }
}

MatXd Estimator::normal() const {
  const Index size = Columns(*model_.chain).regressor.size();
  MatXd sum = MatXd::Zero(size, size);
  for (const std::vector<Evidence>& log : evidence_) {
    for (const Evidence& e : log) {
      for (std::size_t r = 0; r < e.columns.size(); ++r) {
        for (std::size_t c = 0; c < e.columns.size(); ++c) {
          if (e.columns[r] >= size || e.columns[c] >= size) continue;
          sum(e.columns[r], e.columns[c]) += e.normal(static_cast<Index>(r), static_cast<Index>(c));
        }
      }
    }
  }
  return sum;
}

VecXd first_gain(const TorqueModel& model, const Samples& log) {
  const Columns at(*model.chain);
  VecXd described = VecXd::Zero(at.size());
  for (Index i = 0; i < at.regressor.joints; ++i) {
    described.segment<10>(at.regressor.body(i)) = parameters_of(prior_body(*model.chain, i).body);
  }
  const VecXd ones = VecXd::Ones(at.coordinates);
  const std::vector<Evidence> evidence = gather(model, log, {described, ones, {}, {}});
  VecXd gain = ones;
  for (Index k = 0; k < at.coordinates; ++k) {
    const Evidence& e = evidence[static_cast<std::size_t>(k)];
    const Index width = static_cast<Index>(e.columns.size());
    // Effort = gain · torque of the bodies + what the drive's first joint has of friction.
    MatXd basis = MatXd::Zero(width, 4);
    basis.col(0) = described(e.columns);
    Index joint = 0;
    while (model.chain->joint(joint).coordinate != k) ++joint;
    basis(place(e.columns, at.regressor.viscous(joint)), 1) = 1.0;
    basis(place(e.columns, at.regressor.coulomb(joint)), 2) = 1.0;
    basis(place(e.columns, at.regressor.offset(joint)), 3) = 1.0;
    const Eigen::Matrix4d H = basis.transpose() * e.normal.topLeftCorner(width, width) * basis;
    const Eigen::Vector4d b = basis.transpose() * e.normal.col(width).head(width);
    const double fitted = H.colPivHouseholderQr().solve(b)[0];
    const double of_sizes = std::sqrt(e.normal(width, width) / std::max(H(0, 0), 1e-12));
    constexpr double kLeast = 0.1;
    gain[k] = std::abs(fitted) > kLeast * of_sizes ? fitted : of_sizes;
    if (!(std::abs(gain[k]) > 0.0)) gain[k] = 1.0;
  }
  return gain;
}

}  // namespace dyn
