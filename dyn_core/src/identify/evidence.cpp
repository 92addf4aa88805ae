#include "evidence.hpp"

#include <algorithm>
#include <cmath>

#include "friction_curve.hpp"

namespace dyn {
namespace {

// The rows (y, effort) of the samples of a log, of one coordinate each.
class Rows {
 public:
  Rows(const TorqueModel& model, const Samples& log)
      : model_(model), log_(log), at_(*model.chain), regressor_(model.chain), still_(model.chain) {
    if (!model.gravity_in_effort || model.gravity_columns) regressor_.set_gravity(Vec3d::Zero());
    const VecXd bodies = parameters_of(*model.chain);
    bodies_ = bodies.tail(10 * at_.regressor.joints);
    for (Index k = 0; k < at_.coordinates; ++k) {
      columns_.push_back(columns_of(k));
      curves_.emplace_back(log.size(), model.stribeck ? 1 + kStribeckSpeeds.size() : 1);
      curves_.back().col(0) = friction_curve(log, k).cast<float>();
      for (Index s = 1; s < curves_.back().cols(); ++s) {
        curves_.back().col(s) =
            friction_curve(log, k, kStribeckSpeeds[static_cast<std::size_t>(s - 1)]).cast<float>();
      }
    }
  }

  [[nodiscard]] const std::vector<Index>& columns(Index coordinate) const {
    return columns_[static_cast<std::size_t>(coordinate)];
  }

  /// Row `row` of blocks[k] for each coordinate k, from sample `sample`.
  void fill(Index sample, Index row, std::vector<MatXd>& blocks) {
    q_ = log_.q.row(sample), qd_ = log_.qd.row(sample), qdd_ = log_.qdd.row(sample);
    (void)regressor_.update(q_, qd_, qdd_);  // finite and of the right size, as identify() has seen
    if (model_.gravity_columns) set_gravity_columns();
    for (Index k = 0; k < at_.coordinates; ++k) {
      MatXd& block = blocks[static_cast<std::size_t>(k)];
      const std::vector<Index>& used = columns(k);
      for (std::size_t c = 0; c < used.size(); ++c) {
        block(row, static_cast<Index>(c)) = element(sample, k, used[c]);
      }
      block(row, block.cols() - 1) = log_.tau(sample, k);
    }
  }

 private:
  [[nodiscard]] std::vector<Index> columns_of(Index coordinate) const {
    std::vector<Index> used;
    bool below = false;  // joint of this coordinate or after one
    for (Index i = 0; i < at_.regressor.joints; ++i) {
      const bool own = model_.chain->joint(i).coordinate == coordinate;
      below = below || own;
      if (own) {
        for (const Index drive : {at_.regressor.armature(i), at_.regressor.viscous(i),
                                  at_.regressor.coulomb(i), at_.regressor.offset(i)}) {
          used.push_back(drive);
        }
      }
      for (Index p = 0; below && p < 10; ++p) used.push_back(at_.regressor.body(i) + p);
    }
    for (std::size_t s = 0; model_.stribeck && s < kStribeckSpeeds.size(); ++s) {
      used.push_back(at_.stribeck(coordinate) + static_cast<Index>(s));
    }
    for (Index g = 0; model_.gravity_columns && g < 3; ++g) used.push_back(at_.gravity() + g);
    return used;
  }

  // Torque is linear in gravity: that of the bodies at rest under unit gravity along each axis of the base.
  void set_gravity_columns() {
    const VecXd zero = VecXd::Zero(at_.coordinates);
    gravity_.resize(at_.coordinates, 3);
    for (Index g = 0; g < 3; ++g) {
      still_.set_gravity(Vec3d::Unit(g));
      if (still_.update(q_, zero, zero) != Status::kOk) continue;
      gravity_.col(g) = still_.Y().rightCols(bodies_.size()) * bodies_;
    }
  }

  [[nodiscard]] double element(Index sample, Index coordinate, Index column) const {
    const Eigen::MatrixXf& curves = curves_[static_cast<std::size_t>(coordinate)];
    const ParameterLayout& at = at_.regressor;
    if (column >= at.coulomb(0) && column < at.offset(0)) {
      return std::abs(model_.chain->joint(column - at.coulomb(0)).multiplier) * curves(sample, 0);
    }
    if (column < at.size()) return regressor_.Y()(coordinate, column);
    if (column >= at_.gravity()) return gravity_(coordinate, column - at_.gravity());
    return curves(sample, 1 + column - at_.stribeck(coordinate));
  }

  const TorqueModel& model_;
  const Samples& log_;
  Columns at_;
  Regressor<> regressor_, still_;
  VecXd bodies_, q_, qd_, qdd_;
  MatXd gravity_;
  std::vector<std::vector<Index>> columns_;
  std::vector<Eigen::MatrixXf> curves_;  // of each coordinate: Coulomb friction's, then Stribeck's
};

VecXd select(const VecXd& all, const std::vector<Index>& columns) {
  VecXd some(static_cast<Index>(columns.size()));
  for (Index c = 0; c < some.size(); ++c) some[c] = all[columns[static_cast<std::size_t>(c)]];
  return some;
}

// (y, effort) times this is what the belief leaves of the torque.
VecXd residual_row(const Belief& belief, Index coordinate, const std::vector<Index>& columns) {
  VecXd row(static_cast<Index>(columns.size()) + 1);
  row << -select(belief.parameters, columns), 1.0 / belief.gain[coordinate];
  return row;
}

// Speeds below which the joints may stick: what cannot be told from standstill.
VecXd slow_speeds(const Samples& log) {
  const VecXd squares = log.qd.colwise().squaredNorm() / static_cast<double>(log.size());
  return (0.02 * squares.cwiseSqrt()).cwiseMax(5.0 * kFrictionVelocity);
}

// Largest friction at rest that is believed in.
double sticking(const Belief& belief, const Chain& chain, Index coordinate) {
  const Columns at(chain);
  double most = 0.0;
  for (Index i = 0; i < chain.joint_count(); ++i) {
    if (chain.joint(i).coordinate == coordinate) {
      most += std::abs(chain.joint(i).multiplier) * belief.parameters[at.regressor.coulomb(i)];
    }
  }
  for (std::size_t s = 0; s < kStribeckSpeeds.size(); ++s) {
    most += belief.parameters[at.stribeck(coordinate) + static_cast<Index>(s)];
  }
  return most;
}

// Weights of samples by their speed and residual.
VecXd weights(double noise, double stick, double slow, const VecXd& rate, const VecXd& residual) {
  constexpr double kUsual = 2.5;
  VecXd w(rate.size());
  for (Index k = 0; k < w.size(); ++k) {
    const double share = rate[k] / slow;
    const double stuck = stick * std::exp(-share * share);
    const double variance = noise * noise + stuck * stuck;
    const double size = std::abs(residual[k]) / std::sqrt(variance);
    w[k] = noise * noise / variance * std::min(1.0, kUsual / size);
  }
  return w;
}

// Returns the batch's own normal matrix.
MatXd add_batch(const MatXd& block, const VecXd& w, const VecXd& residual, Evidence& evidence) {
  const MatXd weighted = w.cwiseSqrt().asDiagonal() * block;
  const MatXd normal = weighted.transpose() * weighted;
  evidence.normal += normal;
  const VecXd score = block.leftCols(block.cols() - 1).transpose() * w.cwiseProduct(residual);
  evidence.scatter.selfadjointView<Eigen::Lower>().rankUpdate(score);
  evidence.weight += w.sum();
  return normal;
}

// tr (G C G C)
double leverage(const MatXd& normal, const MatXd& covariance) {
  const Index size = covariance.cols();
  const MatXd product = normal.topLeftCorner(size, size) * covariance;
  return product.cwiseProduct(product.transpose()).sum();
}

}  // namespace

std::vector<Evidence> gather(const TorqueModel& model, const Samples& log, const Belief& belief) {
  Rows rows(model, log);
  const VecXd slow = slow_speeds(log), sure = settled(log);
  const auto batch = std::max<Index>(8, std::lround(std::sqrt(static_cast<double>(log.size()))));
  constexpr Index kEnough = 32;  // batches tell the leverage of all
  const Index every = 1 + log.size() / batch / kEnough;
  std::vector<Evidence> out;
  for (Index k = 0; k < model.chain->dof(); ++k) {
    const auto width = static_cast<Index>(rows.columns(k).size());
    out.push_back({rows.columns(k), MatXd::Zero(width + 1, width + 1), MatXd::Zero(width, width)});
  }
  std::vector<MatXd> blocks(out.size());
  for (Index first = 0; first < log.size(); first += batch) {
    const Index count = std::min(batch, log.size() - first);
    for (std::size_t k = 0; k < out.size(); ++k) blocks[k].resize(count, out[k].normal.cols());
    for (Index s = 0; s < count; ++s) rows.fill(first + s, s, blocks);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto at = static_cast<Index>(k);
      const VecXd left = blocks[k] * residual_row(belief, at, out[k].columns);
      VecXd w = sure.segment(first, count);
      if (belief.noise.size() > 0) {
        w = w.cwiseProduct(weights(belief.noise[at], sticking(belief, *model.chain, at), slow[at],
                                   log.qd.col(at).segment(first, count), left));
      }
      const MatXd normal = add_batch(blocks[k], w, left, out[k]);
      if (belief.noise.size() > 0 && first / batch % every == 0) {
        out[k].leverage += static_cast<double>(every) *
                           leverage(normal, belief.covariance(out[k].columns, out[k].columns));
      }
    }
  }
  for (Evidence& evidence : out) {
    evidence.scatter.triangularView<Eigen::StrictlyUpper>() = evidence.scatter.transpose();
  }
  return out;
}

}  // namespace dyn
