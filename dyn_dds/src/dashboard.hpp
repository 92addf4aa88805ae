// Dashboard: what the arm and the observer do, on a terminal; one line at a time elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dyn_core/inspect/inspector.hpp>

#include "arm.hpp"
#include "notes.hpp"
#include "observer.hpp"

namespace dyn_dds {

class Dashboard {
 public:
  /// Null for what does not run; `page`: where it is, empty: nowhere.
  Dashboard(const Participant& participant, const Arm* arm, const Observer* observer,
            const Notes& notes, std::string page, bool terminal);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  /// Seconds between two pictures.
  [[nodiscard]] double period() const noexcept { return terminal_ ? 0.2 : 1.0; }
  void show();

 private:
  void add_arm(const Arm::Summary& summary, double now);
  void add_observer(const Observer::Summary& summary);
  void add(const std::string& what, const std::string& text);
  [[nodiscard]] int other_participants() const;

  const Participant& participant_;
  Entity participants_;  // a reader of them
  const Arm* arm_;
  const Observer* observer_;
  const Notes& notes_;
  std::string page_;
  bool terminal_;
  std::optional<dyn::inspect::Inspector> inspector_;  // of the arm
  double start_, last_time_;
  std::uint64_t last_steps_ = 0;
  double rate_ = 0.0;
  std::vector<std::string> lines_;
};

}  // namespace dyn_dds
