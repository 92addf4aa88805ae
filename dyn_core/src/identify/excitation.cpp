#include "dyn_core/identify/excitation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "dyn_core/identify/base_parameters.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "witness.hpp"

namespace dyn {
namespace {

constexpr double kOutside = -std::numeric_limits<double>::infinity();

/// log det of the information of a motion with barriers at the limits, and its gradient by the coefficients.
class Merit {
 public:
  Merit(Witness& witness, const MotionLimits& limits, const FourierShape& shape)
      : witness_(witness), limits_(limits) {
    constexpr double kSamples = 150.0;
    const double shown = std::min(shape.duration, shape.period + 2.0 * shape.fade());
    std::vector<double> times;
    for (const FourierShape::Part& part : shape.parts(shown / kSamples)) {
      const double length = part.times.back() - part.times.front();
      times.insert(times.end(), part.times.begin(), part.times.end());
      weights_.resize(times.size(), part.repeats * length / static_cast<double>(part.times.size()));
    }
    for (MatXd& basis : basis_) basis.resize(shape.terms(), static_cast<Index>(times.size()));
    for (Index k = 0; k < basis_[0].cols(); ++k) {
      for (Index j = 0; j < shape.terms(); ++j) {
        const auto term = shape.term(j, times[static_cast<std::size_t>(k)]);
        for (std::size_t d = 0; d < 3; ++d) basis_[d](j, k) = term[d];
      }
    }
  }

  /// The weight of the barriers against that of one base parameter.
  void set_barrier(double weight) {
    barrier_ =
        weight * static_cast<double>(witness_.parameters()) / static_cast<double>(weights_.size());
  }

  /// -∞ where a limit is not kept or not all parameters can be told. `gradient` may be null.
  double operator()(const MatXd& coefficients, MatXd* gradient) {
    for (std::size_t d = 0; d < 3; ++d) states_[d].noalias() = coefficients * basis_[d];
    const double room = room_within(gradient != nullptr);
    if (room == kOutside) return kOutside;
    const Index p = witness_.parameters();
    MatXd A = MatXd::Zero(p, p);
    double held = 0.0;
    for (Index k = 0; k < states_[0].cols(); ++k) {
      if (!at(k)) return kOutside;
      A.selfadjointView<Eigen::Lower>().rankUpdate(witness_.rows().transpose(), weight(k));
      const VecXd used = witness_.load().cwiseQuotient(limits_.effort);
      if (!(used.maxCoeff() < 1.0)) return kOutside;
      held += (1.0 - used.array().square()).log().sum();
    }
    const Eigen::LLT<MatXd> factor(A);
    if (factor.info() != Eigen::Success) return kOutside;
    if (gradient != nullptr) {
      for (Index k = 0; k < states_[0].cols(); ++k) {
        if (!differentiate(k, factor)) return kOutside;
      }
      *gradient = slopes_[0] * basis_[0].transpose() + slopes_[1] * basis_[1].transpose() +
                  slopes_[2] * basis_[2].transpose();
    }
    const double log_det = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
    return log_det + barrier_ * (room + held);
  }

 private:
  [[nodiscard]] double weight(Index k) const { return weights_[static_cast<std::size_t>(k)]; }

  // The witness at sample k, coordinate `i` of derivative `d` off by `off`.
  bool at(Index k, std::size_t d = 0, Index i = 0, double off = 0.0) {
    std::array<VecXd, 3> x = {states_[0].col(k), states_[1].col(k), states_[2].col(k)};
    x[d][i] += off;
    return witness_.at(x[0], x[1], x[2]) == Status::kOk;
  }

  // Σ log(1 - u²) of positions, velocities and accelerations in shares u of their limits; if wanted, slopes_
  // become the derivatives of its part in the merit.
  double room_within(bool slopes) {
    double sum = 0.0;
    const VecXd half = 0.5 * (limits_.upper - limits_.lower);
    for (std::size_t d = 0; d < 3; ++d) {
      const VecXd& most = d == 0 ? half : d == 1 ? limits_.velocity : limits_.acceleration;
      MatXd used = states_[d];
      if (d == 0) used.colwise() -= limits_.lower + half;
      used.array().colwise() /= most.array();
      const MatXd left = 1.0 - used.array().square();
      if (!(left.minCoeff() > 0.0)) return kOutside;
      sum += left.array().log().sum();
      if (!slopes) continue;
      slopes_[d] = -2.0 * barrier_ * used.cwiseQuotient(left);
      slopes_[d].array().colwise() /= most.array();
    }
    return sum;
  }

  // Adds to slopes_ what log det and the torques' barrier gain where a coordinate of sample k moves.
  bool differentiate(Index k, const Eigen::LLT<MatXd>& factor) {
    constexpr double kStep = 1e-6;
    if (!at(k)) return false;
    const MatXd rows = witness_.rows();
    const MatXd slope = 2.0 * weight(k) * factor.solve(rows.transpose()).transpose() *
                        witness_.smooth().asDiagonal();
    const VecXd load = witness_.load(), used = load.cwiseQuotient(limits_.effort);
    const VecXd gain =
        -2.0 * barrier_ * used.array() / (1.0 - used.array().square()) / limits_.effort.array();
    for (std::size_t d = 0; d < 3; ++d) {
      for (Index i = 0; i < witness_.dof(); ++i) {
        if (!at(k, d, i, kStep)) return false;
        slopes_[d](i, k) += ((witness_.rows() - rows).cwiseProduct(slope).sum() +
                             gain.dot(witness_.load() - load)) /
                            kStep;
      }
    }
    return true;
  }

  Witness& witness_;
  const MotionLimits& limits_;
  double barrier_ = 0.0;
  std::vector<double> weights_;                   // of the samples, s
  std::array<MatXd, 3> basis_, states_, slopes_;  // of q, q̇, q̈; a column for each sample
};

// Ascent by BFGS (Nocedal, Wright: Numerical Optimization, algorithm 6.1) in variables of size one, backtracking
// where a limit would not be kept or nothing is gained.
void ascend(Merit& merit, const MatXd& scale, int steps, const std::function<bool()>& proceed,
            MatXd& coefficients) {
  MatXd slope;
  double value = merit(coefficients, &slope);
  if (value == kOutside) return;
  VecXd g = slope.cwiseProduct(scale).reshaped();
  const MatXd first = MatXd::Identity(g.size(), g.size()) * (0.1 / g.norm());
  MatXd H = first;
  for (int step = 0; step < steps && proceed(); ++step) {
    const VecXd way = H * g;
    const MatXd move = scale.cwiseProduct(way.reshaped(scale.rows(), scale.cols()));
    double share = 1.0, found = kOutside;
    for (; share > 1e-6; share *= 0.4) {
      found = merit(coefficients + share * move, nullptr);
      if (found > value + 1e-4 * share * g.dot(way)) break;
    }
    if (!(found > value)) {
      if (H == first) return;
      H = first;
      continue;
    }
    coefficients += share * move;
    value = merit(coefficients, &slope);
    const VecXd now = slope.cwiseProduct(scale).reshaped(), y = g - now, s = share * way;
    g = now;
    const double curved = s.dot(y);
    if (curved <= 1e-12 * s.norm() * y.norm()) continue;
    if (H == first) H = MatXd::Identity(g.size(), g.size()) * (curved / y.squaredNorm());
    const VecXd Hy = H * y;
    H += (curved + y.dot(Hy)) / (curved * curved) * s * s.transpose() -
         (Hy * s.transpose() + s * Hy.transpose()) / curved;
  }
}

// The largest share that the swings about the centres take of what the limits leave, joint by joint.
VecXd used_by(const FourierMotion& motion, const MotionLimits& limits) {
  const FourierPeaks peaks = peaks_of(motion);
  const VecXd centre = motion.coefficients().col(0);
  return (peaks.highest - centre)
      .cwiseQuotient(limits.upper - centre)
      .cwiseMax((centre - peaks.lowest).cwiseQuotient(centre - limits.lower))
      .cwiseMax(peaks.velocity.cwiseQuotient(limits.velocity))
      .cwiseMax(peaks.acceleration.cwiseQuotient(limits.acceleration));
}

/// Looks for motions within the limits.
class Search {
 public:
  Search(const ChainPtr& chain, const MotionLimits& limits, const ExcitationOptions& options)
      : chain_(chain),
        limits_(limits),
        options_(options),
        witness_(chain, base_parameters(chain).columns),
        merit_(witness_, limits, options.shape),
        scale_(chain->dof(), options.shape.terms()) {
    const VecXd half = 0.5 * (limits.upper - limits.lower);
    for (Index j = 0; j < scale_.cols(); ++j) {
      const double rate = options.shape.rate((j + 1) / 2);
      scale_.col(j) =
          0.3 * half.cwiseMin(limits.velocity / rate).cwiseMin(limits.acceleration / (rate * rate));
    }
  }

  /// The best that was found, none if there is not even a first one.
  std::shared_ptr<const FourierMotion> run() {
    const std::vector<MotionPtr> drawn = draw();
    const double joints = std::max(1.0, static_cast<double>(scale_.rows()) / 7.0);
    const int steps = std::max(10, static_cast<int>(options_.steps / std::pow(joints, 3)));
    const std::size_t starts = std::min(drawn.size(), static_cast<std::size_t>(options_.starts));
    double done = 0.0;
    bool going = true;
    const auto proceed = [&] {
      const double share = done++ / static_cast<double>(starts * kBarriers.size() * steps);
      return going = going && (!options_.proceed || options_.proceed(share));
    };
    for (std::size_t start = 0; start < starts && going; ++start) {
      MatXd coefficients = drawn[start]->coefficients();
      coefficients.rightCols(coefficients.cols() - 1) *= 0.9;  // off the limits
      for (std::size_t i = 0; i < kBarriers.size(); ++i) {
        done = static_cast<double>((start * kBarriers.size() + i) * steps);
        merit_.set_barrier(kBarriers[i]);
        ascend(merit_, scale_, steps, proceed, coefficients);
      }
      for (const bool fill : {false, true}) (void)judge(fitted(coefficients, fill));
    }
    return best_;
  }

 private:
  using MotionPtr = std::shared_ptr<const FourierMotion>;
  static constexpr std::array<double, 3> kBarriers = {0.05, 0.005, 0.0005};

  // Random motions, as large as the limits let them be; those that tell all parameters, the best first.
  std::vector<MotionPtr> draw() {
    constexpr int kTries = 10;  // for each that is wanted: weak drives hold few postures
    Random random(options_.seed);
    std::multimap<double, MotionPtr, std::greater<>> found;
    int missing = options_.draws;
    for (int i = 0; i < kTries * options_.draws && missing > 0; ++i) {
      MatXd coefficients = scale_;
      for (double& x : coefficients.reshaped()) x *= random.uniform(-1.0, 1.0);
      coefficients.col(0) += 0.5 * (limits_.lower + limits_.upper);
      const MotionPtr motion = fitted(std::move(coefficients), true);
      if (!motion) continue;
      --missing;
      if (const double merit = judge(motion); merit > kOutside) found.emplace(merit, motion);
    }
    std::vector<MotionPtr> out;
    for (const auto& [merit, motion] : found) out.push_back(motion);
    return out;
  }

  // log det of a motion, which becomes the best if it is.
  double judge(const MotionPtr& motion) {
    if (!motion) return kOutside;
    merit_.set_barrier(0.0);
    const double merit = merit_(motion->coefficients(), nullptr);
    if (!best_ || merit > best_merit_) best_ = motion, best_merit_ = merit;
    return merit;
  }

  // The motion with its swings as small as the limits want; as large as they let them be, if `fill`. None where
  // not even its centre can be held.
  [[nodiscard]] MotionPtr fitted(MatXd coefficients, bool fill) const {
    const auto made = [&](double share) {
      MatXd scaled = coefficients;
      scaled.rightCols(scaled.cols() - 1) *= share;
      return std::make_shared<const FourierMotion>(options_.shape, std::move(scaled));
    };
    const VecXd used = used_by(*made(1.0), limits_) / 0.9999;  // against rounding
    for (Index i = 0; i < used.size(); ++i) {
      if (fill || used[i] > 1.0) coefficients.row(i).tail(coefficients.cols() - 1) /= used[i];
    }
    const auto holds = [&](double share) {
      return (torque_peaks(chain_, *made(share)).array() <= limits_.effort.array()).all();
    };
    if (holds(1.0)) return made(1.0);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 8; ++i) {
      const double middle = 0.5 * (low + high);
      (holds(middle) ? low : high) = middle;
    }
    return low > 0.0 ? made(low) : nullptr;
  }

  ChainPtr chain_;
  const MotionLimits& limits_;
  const ExcitationOptions& options_;
  Witness witness_;
  Merit merit_;
  MatXd scale_;  // about the size of each coefficient
  MotionPtr best_;
  double best_merit_ = kOutside;
};

std::string objection_to(const FourierShape& shape) {
  constexpr double kMostPeriods = 1e4;
  constexpr Index kMostHarmonics = 50;
  if (!(shape.period > 0.0 && shape.duration > 0.0 && std::isfinite(shape.period) &&
        shape.duration <= kMostPeriods * shape.period)) {
    return fmt::format(
        "a motion of {:g} s with a period of {:g} s: both must be above 0, and there can be {:g} "
        "periods",
        shape.duration, shape.period, kMostPeriods);
  }
  if (shape.harmonics < 1 || shape.harmonics > kMostHarmonics)
    return fmt::format("{} harmonics: give 1 to {}", shape.harmonics, kMostHarmonics);
  return {};
}

}  // namespace

Result<Excitation> excite(const ChainPtr& chain, const MotionLimits& limits,
                          const ExcitationOptions& options) {
  if (std::string text = objection_to(options.shape); !text.empty()) return fail(std::move(text));
  for (Index k = 0; k < chain->dof(); ++k) {
    if (limits.lower[k] < limits.upper[k]) continue;
    const std::string& name = chain->coordinate_names()[static_cast<std::size_t>(k)];
    return fail(
        fmt::format("'{0}' has no room between its position limits {1:.4g} and {2:.4g}: hold it "
                    "still with --lock {0}={1:.4g}, or correct its limits",
                    name, limits.lower[k], limits.upper[k]));
  }
  const auto motion = Search(chain, limits, options).run();
  if (!motion) {
    return fail(fmt::format(
        "no motion from '{}' to '{}' was found whose torques, by the model, are within the limits: "
        "in every posture that was tried a drive would be too weak for the weight alone; correct "
        "the effort limits of the robot description or allow more of them",
        chain->base(), chain->tip()));
  }
  const Result<Information> information = information_of(chain, *motion);
  if (!information) return tl::unexpected(information.error());
  return Excitation{motion, peaks_of(*motion), torque_peaks(chain, *motion), *information};
}

}  // namespace dyn
