#include "unknowns.hpp"

#include <algorithm>
#include <cmath>

namespace dyn {
namespace {

// Of the weight of a body's prior: what a guess, and what a drive's friction or inertia has.
constexpr double kOfGuess = 0.25, kOfDrive = 0.1;

class Builder {
 public:
  Builder(const Chain& chain, const IdentifyOptions& options) : chain_(chain), options_(options) {
    const Columns at(chain);
    out_.guessed.resize(chain.links().size());
    out_.fixed = VecXd::Zero(at.size());
    out_.fixed.head(at.regressor.size()) = parameters_of(chain);
  }

  void seek_bodies() {
    const ParameterLayout at = Columns(chain_).regressor;
    for (Index i = 0; i < at.joints; ++i) {
      const PriorBody expected = prior_body(chain_, i);
      const double weight = options_.prior * (expected.guessed ? kOfGuess : 1.0);
      out_.guessed[static_cast<std::size_t>(i)] = expected.guessed;
      out_.fixed.segment<10>(at.body(i)).setZero();
      add(at.body(i), out_.prior.add_body(weight), map_around(expected.body));
    }
  }
  void seek_payload() {
    out_.payload = out_.prior.add_body(options_.prior * kOfGuess);
    out_.payload_map = map_around(prior_payload(chain_).expressed_in(chain_.tip_pose()));
  }
  void seek_positive(Index column, Index coordinate, double described, double typical) {
    own(coordinate);
    out_.fixed[column] = 0.0;
    add(column, out_.prior.add_positive(options_.prior * kOfDrive),
        Scale(std::max(described, typical)));
  }
  void seek_number(Index column, Index coordinate, double described, double deviation) {
    own(coordinate);
    out_.fixed[column] = described;
    add(column, out_.prior.add_number(1.0), Scale(deviation));
  }

  [[nodiscard]] Unknowns finish() {
    out_.drive.resize(static_cast<std::size_t>(out_.prior.size()), -1);
    out_.map = MatXd::Zero(out_.fixed.size(), out_.prior.size());
    for (const auto& [row, column, block] : parts_) {
      out_.map.block(row, column, block.rows(), block.cols()) = block;
    }
    return std::move(out_);
  }
  Unknowns& out() { return out_; }

 private:
  using Scale = Eigen::Matrix<double, 1, 1>;
  struct Part {
    Index row, column;
    MatXd block;
  };
  // The next of z belongs to this coordinate's drive.
  void own(Index coordinate) {
    out_.drive.resize(static_cast<std::size_t>(out_.prior.size()), -1);
    out_.drive.push_back(coordinate);
  }
  void add(Index row, Index column, const MatXd& block) { parts_.push_back({row, column, block}); }

  const Chain& chain_;
  const IdentifyOptions& options_;
  Unknowns out_;
  std::vector<Part> parts_;
};

void seek_friction(const Chain& chain, const Scales& scales, FrictionModel friction,
                   Builder& builder) {
  const Columns at(chain);
  for (Index i = 0; i < at.regressor.joints; ++i) {
    const Joint& joint = chain.joint(i);
    const double torque = scales.torque[joint.coordinate];
    const double rate = scales.rate[joint.coordinate];
    builder.seek_positive(at.regressor.viscous(i), joint.coordinate, joint.damping,
                          0.1 * torque / rate);
    builder.seek_positive(at.regressor.coulomb(i), joint.coordinate, joint.friction, 0.1 * torque);
    builder.seek_number(at.regressor.offset(i), joint.coordinate, 0.0, torque);
  }
  if (friction != FrictionModel::kStribeck) return;
  for (Index k = 0; k < at.coordinates; ++k) {
    builder.out().stribeck.push_back(builder.out().prior.size());
    builder.seek_positive(at.stribeck(k), k, 0.0, 0.05 * scales.torque[k]);
  }
}

}  // namespace

MatXd Unknowns::map_of(const Chain& chain, bool with_payload) const {
  MatXd out = map;
  if (!payload || !with_payload) return out;
  const Index last = ParameterLayout{chain.joint_count()}.body(chain.joint_count() - 1);
  out.block<10, 10>(last, *payload) = payload_map;
  return out;
}

Scales scales_of(std::span<const Samples> logs, const VecXd& gain) {
  const Index n = gain.size();
  Scales out{VecXd::Zero(n), VecXd::Zero(n), VecXd::Zero(n)};
  double samples = 0.0;
  for (const Samples& log : logs) {
    samples += static_cast<double>(log.size());
    out.torque += log.tau.colwise().squaredNorm().transpose();
    out.rate += log.qd.colwise().squaredNorm().transpose();
    out.change += log.qdd.colwise().squaredNorm().transpose();
  }
  constexpr double kSlow = 0.1, kSteady = 0.5;  // a joint that stands has noise only
  out.torque = (out.torque / samples).cwiseSqrt().cwiseQuotient(gain.cwiseAbs());
  out.torque = out.torque.cwiseMax(std::max(1e-3 * out.torque.maxCoeff(), 1e-6));
  out.rate = (out.rate / samples).cwiseSqrt().cwiseMax(kSlow);
  out.change = (out.change / samples).cwiseSqrt().cwiseMax(kSteady);
  return out;
}

Unknowns unknowns_of(const Chain& chain, const Scales& scales, const IdentifyOptions& options,
                     Sought sought) {
  Builder builder(chain, options);
  const Columns at(chain);
  if (sought == Sought::kArm || sought == Sought::kArmAndPayload) {
    builder.seek_bodies();
    for (Index i = 0; i < at.regressor.joints; ++i) {
      const Joint& joint = chain.joint(i);
      const double typical = scales.torque[joint.coordinate] / scales.change[joint.coordinate];
      builder.seek_number(at.regressor.armature(i), joint.coordinate, joint.armature,
                          0.3 * typical);
    }
  }
  if (sought == Sought::kPayload || sought == Sought::kArmAndPayload) builder.seek_payload();
  for (Index g = 0; sought == Sought::kMount && g < 3; ++g) {
    builder.seek_number(at.gravity() + g, -1, 0.0, 1e2);  // m/s²: as good as unknown
  }
  if (options.friction != FrictionModel::kNone) {
    seek_friction(chain, scales, options.friction, builder);
  }
  return builder.finish();
}

}  // namespace dyn
