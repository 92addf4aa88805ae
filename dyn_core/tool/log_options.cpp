#include "log_options.hpp"

#include "limits.hpp"

namespace dyn::tool {

void LogFiles::add_to(CLI::App& command) {
  command
      .add_option(
          "LOG", paths,
          "CSV (columns t, q_…, qd_…, tau_… by the joints' numbers or names), rosbag2 .db3 or\n"
          ".mcap, a rosbag2 folder; several are taken together")
      ->required();
  command.add_option("--topic", topic, "Of a bag: which sensor_msgs/JointState")->type_name("NAME");
  command
      .add_option("--joints", joints, "The chain's joints as the log names them, in the order of q")
      ->type_name("A,B,...");
  command
      .add_option("--cutoff", prepare.cutoff,
                  "Of the low-pass on all signals, Hz (default: as the motion needs it)")
      ->check(number_between(1e-3, 1e5));
  command
      .add_option("--rate", prepare.rate,
                  "Of the even grid that is filtered, Hz (default: the log's)")
      ->check(number_between(1e-3, 1e6));
  command
      .add_option("--gap", prepare.longest_gap,
                  "Bridged by interpolation up to this, s (default: three lost samples)")
      ->check(number_between(1e-6, 1e3));
  command.add_option("--delay-ms", delay_ms, "Efforts act so much later than they are logged, ms")
      ->check(number_between(-1e3, 1e3));
}

Result<Prepared> LogFiles::load(const std::vector<std::string>& files, const Chain& chain) const {
  LogOptions options{.topic = topic, .joints = {}};
  for (std::size_t begin = 0, end = 0; !joints.empty() && end != std::string::npos;
       begin = end + 1) {
    end = joints.find(',', begin);
    options.joints.push_back(joints.substr(begin, end - begin));
  }
  PrepareOptions preparation = prepare;
  preparation.delay = 1e-3 * delay_ms;
  std::vector<Log> logs;
  for (const std::string& file : files) {
    Result<Log> log = read_log(file, chain, options);
    if (!log) return tl::unexpected(log.error());
    logs.push_back(std::move(*log));
  }
  return dyn::prepare(std::move(logs), chain, preparation);
}

}  // namespace dyn::tool
