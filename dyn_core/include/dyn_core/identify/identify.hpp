// Identification: the bodies, drives, payload and mount of an arm from its own motion, by one estimator.
//
//   minimize ½ Σ_j |W_j (tau_j - Y_j π)|² / (f_j σ_j²)  +  w Σ_b D(P_b, P_b⁰)                          (1)
//
// j runs over the coordinates; σ_j is their residuals' deviation, W_j weighs down what sticks and what lies far
// off, f_j says how many samples tell as much as one that is independent of all others. P_b is the 4 x 4
// pseudo-inertia of body b, which is positive definite for every body of this world and no other, P_b⁰ that of the robot
// description, and D = log det P⁰ - log det P + tr(P P⁰⁻¹) - 4 the divergence between them: prior and barrier
// at once, strictly convex (Lee, Wensing, Park, IEEE T-RO 36(2), 2020). Friction coefficients, which are
// positive numbers, have the same with 1 x 1 matrices, all else a Gaussian. docs/identification.md has the rest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/identify/base_parameters.hpp"
#include "dyn_core/identify/check.hpp"
#include "dyn_core/identify/samples.hpp"

namespace dyn {

enum class FrictionModel { kNone, kViscousCoulomb, kStribeck };

/// none, viscous_coulomb, stribeck.
DYN_CORE_EXPORT [[nodiscard]] Result<FrictionModel> friction_model_named(std::string_view name);

struct IdentifyOptions {
  Effort effort = Effort::kWithGravity;
  VecXd drive_gain = {};  ///< effort per N m or N, with `current`; empty: identified
  FrictionModel friction = FrictionModel::kViscousCoulomb;
  /// Of the robot description: a body's mass deviates from it by 1/(2 √prior) of itself or so.
  double prior = 1.0;
  /// Only what is carried at the tip is sought, against the arm as described or as `without_payload` tells.
  bool payload = false;
  std::span<const Samples> without_payload = {};
  bool mount = false;  ///< the direction of gravity is identified first
};

struct Estimate {
  double value = 0.0, deviation = 0.0;
};

struct IdentifiedJoint {
  double rms_measured = 0.0;  ///< N m or N, as the next two
  double rms_before = 0.0;    ///< of measured minus the robot description, with its friction
  double rms_after = 0.0;     ///< of measured minus identified
  double noise = 0.0;         ///< σ_j
  double samples_per_independent_one = 1.0;  ///< f_j
  Estimate gain = {1.0, 0.0};                ///< effort per N m or N
  Estimate armature, viscous, coulomb, offset;
  double lag = 0.0;             ///< of q̈, kg m² or kg, below 0: as if the drive answered late
  Estimate stribeck;            ///< what friction has more near standstill, and …
  double stribeck_speed = 0.0;  ///< … up to about which speed
};

struct IdentifiedBody {
  RigidBody body;  ///< in the link's frame, the payload in the tip link's
  double mass_deviation = 0.0;
  Vec3d com_deviation = Vec3d::Zero();
  bool guessed = false;  ///< the description's was impossible: its prior is a guess
};

/// One base parameter of the chain, by its name in words.
struct IdentifiedCombination {
  std::string name;
  Estimate before, after;  ///< as the description has it, with the deviation of the prior
};

struct Identified {
  ChainPtr chain;   ///< the arm as identified, with gravity as it was mounted, without the payload
  ChainPtr loaded;  ///< the same with the payload welded to its last link
  std::vector<IdentifiedJoint> joints;  ///< over the coordinates
  std::vector<IdentifiedBody> links;    ///< over the moving joints
  std::optional<IdentifiedBody> payload;
  std::optional<Vec3d> gravity_deviation;   ///< with `mount`, of each component
  std::vector<IdentifiedCombination> base;  ///< the chain's base parameters
  std::vector<std::string>
      untold;  ///< those of which the description said more than the motion did; offsets that are left out
  VecXd parameters;        ///< π of `chain`, with offsets, and armature less lag
  MatXd covariance;        ///< of them
  Index rank = 0;          ///< combinations of them that the motion tells apart
  double condition = 0.0;  ///< of the normal matrix over these, columns of length one
  int iterations = 0;      ///< Newton steps, all in all
};

/// Not for the real-time path. The error says what is wrong with the samples.
DYN_CORE_EXPORT [[nodiscard]] Result<Identified> identify(const ChainPtr& chain,
                                                          std::span<const Samples> logs,
                                                          const IdentifyOptions& options = {});

/// N m or N for each sample: by the chain's bodies and drives, and what `joints` have beyond them (offset, lag,
/// Stribeck's curve), where given.
DYN_CORE_EXPORT [[nodiscard]] MatXd model_torque(const ChainPtr& chain, const Samples& log,
                                                 Effort effort,
                                                 std::span<const IdentifiedJoint> joints = {});
/// Efforts in N m or N.
DYN_CORE_EXPORT [[nodiscard]] MatXd measured_torque(const Samples& log,
                                                    std::span<const IdentifiedJoint> joints);

}  // namespace dyn
