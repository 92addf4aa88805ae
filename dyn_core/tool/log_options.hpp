// The options by which commands read logs.
#pragma once

#include "common.hpp"
#include "dyn_core/identify/prepare.hpp"

namespace dyn::tool {

constexpr const char* kEffortHelp =
    "What the log's efforts are:\n"
    "with_gravity: all torque at the joint\n"
    "without_gravity: what the hardware adds gravity to\n"
    "current: all torque but for a factor for each joint";

struct LogFiles {
  std::vector<std::string> paths;
  std::string topic, joints;
  PrepareOptions prepare;
  double delay_ms = 0.0;

  /// LOG… and the options of reading and filtering.
  void add_to(CLI::App& command);
  [[nodiscard]] Result<Prepared> load(const std::vector<std::string>& files,
                                      const Chain& chain) const;
};

}  // namespace dyn::tool
