// JointStateMatcher: joint states as they come (any order, partial, from several publishers, with
// NaN) become one state of a chain.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/math/types.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn::inspect {

/// One joint state as received. Velocities and efforts are absent (empty) or one per name.
struct JointStateSample {
  std::span<const std::string> names;
  std::span<const double> positions, velocities, efforts;
  std::int64_t stamp = 0;  ///< when it was measured, ns on any clock
};

enum class Match {
  kComplete,   ///< every joint of the chain has a fresh position, at least one from this message
  kPartial,    ///< joints of the chain were updated, others are still missing or too old
  kForeign,    ///< no joint of the chain is in the message
  kMalformed,  ///< the sizes of its arrays contradict each other; nothing was taken
};

struct JointStateCounts {
  std::uint64_t received = 0, complete = 0, partial = 0, foreign = 0, malformed = 0;
};

/// Takes what is finite, joint by joint, and keeps it until the joint's next value or until it is
/// older than the timeout. Allocates for the first message of a layout (its list of names) only;
/// the eight latest layouts are remembered.
class DYN_CORE_EXPORT JointStateMatcher {
 public:
  /// `timeout` in s; zero or less: a position never grows too old.
  JointStateMatcher(const Chain& chain, double timeout);

  /// `now` in s, on a clock that does not jump.
  Match take(const JointStateSample& sample, double now);

  void set_timeout(double timeout) noexcept { timeout_ = timeout; }

  // Over the chain's coordinates; a joint whose velocity or effort is not known has zero there.
  [[nodiscard]] const VecXd& positions() const noexcept { return positions_; }
  [[nodiscard]] const VecXd& velocities() const noexcept { return velocities_; }
  [[nodiscard]] const VecXd& efforts() const noexcept { return efforts_; }
  /// Every joint's latest message gave a finite velocity (effort).
  [[nodiscard]] bool has_velocities() const noexcept { return unknown_velocities_ == 0; }
  [[nodiscard]] bool has_efforts() const noexcept { return unknown_efforts_ == 0; }

  [[nodiscard]] bool complete(double now) const noexcept;
  /// Seconds since the joint heard of longest ago; infinite if one was never heard of.
  [[nodiscard]] double age(double now) const noexcept;
  [[nodiscard]] const JointStateCounts& counts() const noexcept { return counts_; }
  /// What keeps the state from being complete, and what was wrong with the last message; a
  /// sentence, empty if nothing. Allocates.
  [[nodiscard]] std::string problem(double now) const;

 private:
  struct Entry {
    double time;  // of the last finite position
    bool velocity_known = false, effort_known = false;
  };
  struct Layout {
    std::vector<std::string> names;
    std::vector<Index> coordinates;  // of each name, -1 for joints of others
  };
  enum class Malformed { kNo, kPositions, kVelocities, kEfforts };

  [[nodiscard]] const Layout& layout_of(std::span<const std::string> names);
  [[nodiscard]] static Malformed check(const JointStateSample& sample) noexcept;
  void take_joint(const JointStateSample& sample, std::size_t i, Index coordinate, double now);
  [[nodiscard]] std::string last_message() const;

  std::vector<std::string> names_;
  std::vector<Entry> entries_;
  VecXd positions_, velocities_, efforts_;
  Index unknown_velocities_, unknown_efforts_;
  double timeout_;
  std::array<Layout, 8> layouts_;
  std::size_t next_layout_ = 0;
  JointStateCounts counts_;
  Match last_match_ = Match::kComplete;
  Malformed last_fault_ = Malformed::kNo;
  std::array<std::size_t, 4> last_sizes_{};  // names, positions, velocities, efforts
  std::size_t last_layout_ = 0;
};

}  // namespace dyn::inspect
