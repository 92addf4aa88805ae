// Messages of sensor_msgs/JointState, as a bag holds them.
#pragma once

#include <cstdint>

#include "identify/log_rows.hpp"

namespace dyn {

class JointStates {
 public:
  explicit JointStates(LogRows& rows) : rows_(rows) {}

  /// A topic of the bag: whether its messages are wanted. An error where it is the wanted one and of
  /// another kind, or one too many.
  Result<bool> offer(std::string_view topic, std::string_view type, std::string_view encoding);
  /// A message of the topic in CDR; `received` in ns.
  Result<void> message(std::string_view cdr, std::uint64_t received);
  /// An error where no topic was wanted.
  [[nodiscard]] Result<void> finish() const;

 private:
  LogRows& rows_;
  std::vector<std::string_view> names_;
  std::vector<std::string> known_;  // as the last message had them
  bool matched_ = false;
  std::string others_;  // topics of other kinds
};

/// No message or other record that is read is longer; longer ones are none of joint states.
constexpr std::size_t kLongestRecord = std::size_t{1} << 20U;

}  // namespace dyn
