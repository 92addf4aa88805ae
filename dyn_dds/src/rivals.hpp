// Rivals: others that publish what this process publishes.
#pragma once

#include <string>
#include <vector>

#include "dds.hpp"

namespace dyn_dds {

class Rivals {
 public:
  /// `topics` with their full names, such as /joint_states.
  Rivals(const Participant& participant, std::vector<std::string> topics);

  /// The topics that somebody else publishes, in a list for a sentence; empty: none, as far as is known.
  [[nodiscard]] std::string topics() const;
  /// Throws Failure if there are any; waits a second, as the others are discovered by and by.
  void refuse() const;

 private:
  const Participant& participant_;
  std::vector<std::string> topics_;
  Entity publications_;  // a reader of them
};

/// What to do about two publishers of one topic.
inline constexpr const char* kTellApart =
    "give one of them another --namespace or another ROS_DOMAIN_ID";

}  // namespace dyn_dds
