// Choosing between arms by the simplicity of their dynamics.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004: operation counts of the GIM and the MCI customised to the arm, computing time of the modular
//   inverse dynamics, workspace and manipulability; what its conclusions propose, conditioning of the GIM;
//   and, ours, the torque the drives need.
//
// Offline: everything here allocates.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/chain.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn {

/// Smallest, mean and largest value over the sampled postures.
struct Spread {
  double least = 0.0, mean = 0.0, most = 0.0;
  double error = 0.0;  ///< of the mean: twice its standard deviation
};

/// What an architecture is worth when every length and stroke is the same, a: the paper's comparison.
struct EqualLengths {
  double workspace = 0.0;            ///< in a² or a³
  double manipulability = 0.0;       ///< the largest, in a or a²
  double mean_manipulability = 0.0;  ///< over the joint ranges
};

/// Area (m²) swept by the tip of a planar arm, volume (m³) by that of any other.
struct Workspace {
  double size = 0.0;
  double error = 0.0;   ///< half-width of the sampling error; 0 where a formula is exact
  std::string formula;  ///< empty where it was sampled
  bool is_area = false;
  std::optional<EqualLengths> equal_lengths;  ///< where there is a formula
};

struct ArmAssessment {
  std::string name;
  bool dynamics = true;  ///< or an arm of the comparison has no inertia: what needs it is left out
  OperationCount gim, mci;  ///< customised to this arm
  /// One modular inverse dynamics along the paper's trajectory, customised to this arm, its sines and
  /// cosines included.
  double microseconds = 0.0;
  double microseconds_error = 0.0;  ///< distance of the quartiles of repeated timings, and 2 %
  OperationCount timed;             ///< of the program that was timed
  int timed_functions = 0;          ///< its sines and cosines
  Workspace workspace;
  Spread manipulability;  ///< of the tip's position; the largest is climbed to from the best sample
  Spread condition;       ///< of the GIM
  Spread dominance;       ///< smallest |I_ii| / Σ_j≠i |I_ij| over the rows of the GIM
  VecXd peak_torque;      ///< by inertia power at the speeds asked for, and gravity; per joint
};

struct SelectionOptions {
  int samples = 20'000;  ///< postures for workspace, manipulability and conditioning
  double speed = 1.0;    ///< of every joint, rad/s or m/s, for the peak torques
  std::uint64_t seed = 1;
  std::function<void(double share)> progress = {};  ///< told how much of assess() is done
};

/// Joint range used for sampling: the limits, and one turn where there are none or more.
struct JointRange {
  double low = 0.0, high = 0.0;
};
DYN_CORE_EXPORT [[nodiscard]] std::vector<JointRange> joint_ranges(const Chain& chain);
DYN_CORE_EXPORT [[nodiscard]] VecXd random_posture(const std::vector<JointRange>& ranges,
                                                   Random& random);

/// A closed formula for the shapes of the paper's arms (R-P and P-R in the plane, P-R-R with vertical
/// axes, R-R-P spherical); without one, or if `sampled` is asked for, a grid filled by samples.
DYN_CORE_EXPORT [[nodiscard]] Workspace workspace_of(const ChainPtr& chain,
                                                     const SelectionOptions& options,
                                                     bool sampled = false);

/// Several arms are timed by turns, so that their times compare. Where one of them has no inertia, all are
/// assessed by workspace and manipulability alone.
DYN_CORE_EXPORT [[nodiscard]] std::vector<ArmAssessment> assess(
    const std::vector<ChainPtr>& chains, const SelectionOptions& options = {});
DYN_CORE_EXPORT [[nodiscard]] ArmAssessment assess(const ChainPtr& chain,
                                                   const SelectionOptions& options = {});

/// How much each criterion counts; they are normalised to sum to one.
struct SelectionWeights {
  double complexity = 1.0, time = 1.0, workspace = 1.0, manipulability = 1.0, condition = 1.0,
         torque = 1.0;
};

/// Whether workspace and manipulability can be compared at equal lengths: all arms have formulas.
DYN_CORE_EXPORT [[nodiscard]] bool have_equal_lengths(const std::vector<ArmAssessment>& arms);

struct Ranking {
  struct Place {
    std::size_t arm = 0;  ///< index into what was ranked
    double score = 0.0;   ///< 1 would be the best of all arms in every criterion
    std::string why;      ///< where it leads, ties and lags, in words
  };
  std::vector<Place> places;  ///< best first
  /// Not where some arms are planar and others are not: an area and a volume do not compare, and
  /// workspace and manipulability are left out.
  bool sizes_compared = true;
};

/// Workspace and manipulability are compared at equal lengths where that is possible, so that the
/// architectures decide; `as_built`: at the arms' own dimensions. Arms whose values differ from the best by
/// less than the errors of both tie with it. Without dynamics only workspace and manipulability count.
DYN_CORE_EXPORT [[nodiscard]] Ranking rank(const std::vector<ArmAssessment>& arms,
                                           const SelectionWeights& weights, bool as_built = false);

}  // namespace dyn
