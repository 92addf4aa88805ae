// Monitor: all that stands between a robot description with joint states and the published
// dynamics. A front end (the ROS 2 node, the wire server) passes in what it receives and the time,
// asks what is due, and converts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dyn_core/base/export.hpp"
#include "dyn_core/inspect/effort_observer.hpp"
#include "dyn_core/inspect/inspector.hpp"
#include "dyn_core/inspect/joint_states.hpp"
#include "dyn_core/inspect/markers.hpp"
#include "dyn_core/inspect/outputs.hpp"
#include "dyn_core/inspect/payload_trial.hpp"
#include "dyn_core/inspect/rate.hpp"
#include "dyn_core/inspect/report.hpp"
#include "dyn_core/robot/urdf.hpp"

namespace dyn::inspect {

/// The most that a chain may have: descriptions come from anybody, and what is computed grows with the cube.
inline constexpr Index kMostCoordinates = 100;

struct DYN_CORE_EXPORT Settings {
  UrdfOptions urdf;  ///< payload and gravity included
  /// Bodies for links without mass, see complete_urdf(); empty: none are made.
  std::string estimate_inertia;
  std::vector<std::string> mesh_path;  ///< where meshes of these may be, besides packages
  Algorithms algorithms;
  double joint_state_timeout = 1.0;           ///< s; zero: a joint state never grows too old
  std::array<double, kOutputs.size()> rates;  ///< Hz; zero: off
  MarkerOptions markers;
  EffortOptions efforts;

  Settings();
};

/// One thread at a time. Times are in seconds on a clock that does not jump.
class DYN_CORE_EXPORT Monitor {
 public:
  explicit Monitor(Settings settings = {});

  /// Whether the settings make sense and suit `description`, or the one in use if that is empty;
  /// the error says why not.
  [[nodiscard]] Result<void> check(const Settings& settings,
                                   std::string_view description = {}) const;
  /// All or nothing. True: the model was made anew.
  [[nodiscard]] Result<bool> apply(const Settings& settings);
  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

  /// Takes a robot description (URDF). On an error the model before stays in use. True: there is a
  /// new model; false: the description is the one in use.
  [[nodiscard]] Result<bool> load(std::string_view description);

  [[nodiscard]] bool loaded() const noexcept { return model_.has_value(); }
  // The following need a model.
  [[nodiscard]] Inspector& inspector() noexcept { return model_->inspector; }
  [[nodiscard]] const Chain& chain() const { return model_->inspector.chain(); }
  [[nodiscard]] const std::string& description() const noexcept { return model_->description; }
  [[nodiscard]] const MarkerPainter& painter() const noexcept { return model_->painter; }
  [[nodiscard]] const JointStateMatcher& joint_states() const noexcept { return model_->matcher; }

  /// Whether there is a complete state now. Allocates only for a new layout of names.
  [[nodiscard]] bool take(const JointStateSample& sample, double now);
  /// The outputs whose time it is, to be asked with every complete state: what is due is sent, or has no
  /// listener. Outputs of equal rate are due with the same states.
  [[nodiscard]] OutputSet due(double now) noexcept { return rates_.pass(now); }
  /// Computes what is asked for from the latest state, into values(); what of it could be computed.
  [[nodiscard]] OutputSet compute(OutputSet wanted);
  [[nodiscard]] const Values& values() const noexcept { return model_->values; }
  /// A trial that finds the payload from the joint states to come; a new model forgets it.
  void start_payload_trial() { model_->trial.start(); }
  [[nodiscard]] Result<PayloadFound> stop_payload_trial();
  /// Notes how long one joint state kept the front end busy, s.
  void note_busy(double seconds) noexcept;

  // In words. These allocate.

  [[nodiscard]] Report report() const;
  [[nodiscard]] Diagnostic diagnose_model(double now);
  [[nodiscard]] Diagnostic diagnose_joint_states(double now);

 private:
  struct Model {
    Inspector inspector;
    PayloadTrial trial;
    JointStateMatcher matcher;
    EffortObserver efforts;
    MarkerPainter painter;
    Values values;
    std::string description, hash;
  };

  /// Without the payload, which the solver carries.
  [[nodiscard]] static Result<ChainPtr> make_chain(std::string_view description,
                                                   const Settings& settings);
  [[nodiscard]] static Result<Model> make_model(std::string_view description,
                                                const Settings& settings);
  [[nodiscard]] static bool same_model(const Settings& a, const Settings& b);
  void add_model_values(double now, Diagnostic& diagnostic);

  Settings settings_;
  std::optional<Model> model_;
  std::string refusal_;  // of the last description, empty if it is in use
  double now_ = 0.0, observed_until_ = 0.0;
  std::int64_t stamp_ = 0;  // of the latest complete state
  RateGrid<kOutputs.size()> rates_;
  RateMeter received_;
  std::array<double, 1024> busy_;  // a ring
  std::size_t busy_count_ = 0;
};

}  // namespace dyn::inspect
