// Logs: what a robot wrote down of a motion, read from CSV files and from rosbag2 bags (.db3, .mcap).
#pragma once

#include <string>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

struct LogOptions {
  std::string topic = {};  ///< of a bag; empty: its only one of joint states
  std::vector<std::string> joints =
      {};  ///< their names in the log, in the order of q; empty: the chain's
};

/// Samples as they were logged, over the chain's coordinates; one column for each, all of one length.
struct Log {
  using Column = std::vector<double>;

  Column t;                        ///< s since the first sample, strictly increasing
  std::vector<Column> q, qd, tau;  ///< qd is empty where not every sample has velocities
  std::vector<std::string> notes;  ///< what was found, dropped and assumed, a sentence each

  [[nodiscard]] Index size() const { return static_cast<Index>(t.size()); }
};

/// `path` is a CSV file (columns t, then q_, qd_ and tau_ with the number or the name of a joint, qd_ may be
/// missing), a rosbag2 file with a topic of sensor_msgs/JointState, or a rosbag2 folder. Joints may come in any
/// order and among others. Files are streamed: memory is that of the result, 8 bytes for each of its numbers.
DYN_CORE_EXPORT [[nodiscard]] Result<Log> read_log(const std::string& path, const Chain& chain,
                                                   const LogOptions& options = {});

}  // namespace dyn
