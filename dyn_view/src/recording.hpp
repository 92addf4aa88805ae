// Recording: a motion of the arm, as a CSV file and as what identification makes of it. Internal to dyn_view.
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <string>

#include <dyn_core/identify/log.hpp>
#include <nlohmann/json.hpp>

#include "dyn_view/bridge.hpp"

namespace dyn::view {

class Recording {
 public:
  static constexpr std::size_t kMost = 30'000;  ///< samples, two minutes of a simulated arm

  void start(Index dof);
  void stop() noexcept { running_ = false; }
  /// There is another robot: nothing is recorded, and what is being identified is not told.
  void forget();
  [[nodiscard]] bool running() const noexcept { return running_; }
  [[nodiscard]] std::size_t size() const noexcept { return log_.t.size(); }
  [[nodiscard]] double seconds() const noexcept { return log_.t.empty() ? 0.0 : log_.t.back(); }
  /// Nothing unless it runs and the sample is complete.
  void take(const Sample& sample);
  /// As `dyn simulate` writes it.
  [[nodiscard]] std::string csv() const;

  /// Begins to identify the chain from what was recorded, in a thread of its own.
  [[nodiscard]] Result<void> identify(const ChainPtr& chain);
  /// The result, once: {"identified": {…}} or {"identified": {"error": "sentence"}}.
  [[nodiscard]] std::optional<nlohmann::ordered_json> identified();

 private:
  bool running_ = false, stale_ = false;
  double first_ = 0.0;
  Log log_;
  std::future<nlohmann::ordered_json> work_;
};

}  // namespace dyn::view
