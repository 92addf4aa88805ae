// What logs say, reduced to one normal matrix for each coordinate: the cost of what follows does not depend on
// the number of samples.
#pragma once

#include <array>
#include <vector>

#include "dyn_core/identify/identify.hpp"

namespace dyn {

/// Speeds at which the exponentials of Stribeck's curve may have fallen off, rad/s or m/s; one is chosen.
inline constexpr std::array kStribeckSpeeds = {0.02, 0.05, 0.1, 0.2, 0.5};

/// All that torque is linear in: the parameters of the regressor, then for each coordinate the exponentials of Stribeck's
/// curve, then gravity in the base link frame.
struct Columns {
  ParameterLayout regressor;
  Index coordinates = 0;

  explicit Columns(const Chain& chain) : regressor{chain.joint_count()}, coordinates(chain.dof()) {}
  [[nodiscard]] Index stribeck(Index coordinate) const {
    return regressor.size() + coordinate * static_cast<Index>(kStribeckSpeeds.size());
  }
  [[nodiscard]] Index gravity() const { return stribeck(coordinates); }
  [[nodiscard]] Index size() const { return gravity() + 3; }
};

/// How torque is made of a state.
struct TorqueModel {
  ChainPtr chain;
  bool gravity_in_effort = true;
  bool stribeck = false;
  bool gravity_columns =
      false;  ///< then gravity is among what is sought, with the bodies of the chain
};

/// What is believed of the torques before a log is looked at (again).
struct Belief {
  VecXd parameters;  ///< of Columns
  VecXd gain;        ///< effort per N m
  VecXd noise;       ///< σ_j, N m; empty: every sample counts as much as any other
  MatXd covariance;  ///< of parameters, before the log is looked at again; as noise
};

/// Of one coordinate.
struct Evidence {
  std::vector<Index> columns;  ///< that it depends on
  MatXd normal = {};           ///< Σ w (y, effort)(y, effort)ᵀ over them and, last, the effort
  MatXd scatter = {};  ///< Σ s sᵀ over batches of samples with s = Σ w y r, r the believed residual
  double weight = 0.0;  ///< Σ w
  /// Σ tr (G C G C) over batches, G a batch's normal matrix, C the covariance believed in.
  double leverage = 0.0;
};

/// Weights are those of the belief: a joint that stands may stick anywhere within its Coulomb friction, and
/// residuals beyond 2.5 σ count as such of 2.5 σ (Huber).
[[nodiscard]] std::vector<Evidence> gather(const TorqueModel& model, const Samples& log,
                                           const Belief& belief);

}  // namespace dyn
