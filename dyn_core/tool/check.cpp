// dyn check: the model against what was measured.
#include "dyn_core/identify/check.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "limits.hpp"
#include "log_options.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

struct CheckOptions {
  RobotOptions robot;
  LogFiles log;
  std::string effort = "with_gravity";
  bool json = false;
};

Json in_ms(const std::optional<double>& seconds) {
  return seconds ? Json(1e3 * *seconds) : Json(nullptr);
}

Json check_json(const Chain& chain, const Prepared& log, const CheckReport& report,
                const std::string& stated) {
  Json joints = Json::array();
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    const JointCheck& joint = report.joints[j];
    joints.push_back({{"name", chain.coordinate_names()[j]},
                      {"rms_measured", joint.rms_measured},
                      {"rms_error", joint.rms_error},
                      {"bias", joint.bias},
                      {"scale", joint.scale},
                      {"lag_ms", in_ms(joint.lag)}});
  }
  return {{"robot", chain.name()},
          {"effort", stated},
          {"joints", std::move(joints)},
          {"effort_guess",
           report.effort ? Json(std::string(to_string(*report.effort))) : Json(nullptr)},
          {"effort_reason", report.effort_reason},
          {"delay_ms", in_ms(report.delay)},
          {"samples", log.samples.size()},
          {"rate", log.rate},
          {"cutoff", log.samples.cutoff},
          {"notes", log.notes},
          {"words", report.sentences}};
}

void print_check(const Chain& chain, const Prepared& log, const CheckReport& report, bool scaled) {
  for (const std::string& note : log.notes) fmt::print("  {}\n", note);
  fmt::print("\n{}\n",
             bold(fmt::format("{:<24}{:>12}{:>12}{:>9}{:>12}{:>10}{}", "joint", "measured", "error",
                              "", "bias", "lag, ms", scaled ? "     scale" : "")));
  for (std::size_t j = 0; j < report.joints.size(); ++j) {
    const JointCheck& joint = report.joints[j];
    fmt::print("{:<24}{:>12.4g}{:>12.4g}{:>9}{:>12.3g}{:>10}{}\n", chain.coordinate_names()[j],
               joint.rms_measured, joint.rms_error, percent(joint.rms_error, joint.rms_measured),
               joint.bias, joint.lag ? fmt::format("{:.2f}", 1e3 * *joint.lag) : "-",
               scaled ? fmt::format("{:>10.4g}", joint.scale) : "");
  }
  fmt::print("\n");
  for (const std::string& sentence : report.sentences) fmt::print("{} ", sentence);
  fmt::print("\n");
}

void run_check(const CheckOptions& options) {
  const Effort stated = require(effort_named(options.effort));
  const ChainPtr chain = options.robot.load();
  const Prepared log = require(options.log.load(options.log.paths, *chain));
  const CheckReport report = require(check_log(chain, log, stated));
  if (options.json) {
    fmt::print("{}\n", check_json(*chain, log, report, options.effort).dump(2));
  } else {
    print_check(*chain, log, report, stated == Effort::kCurrent);
  }
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "The model against a log of the robot's motion");
  auto options = std::make_shared<CheckOptions>();
  options->robot.add_to(*command);
  options->log.add_to(*command);
  command->add_option("--effort", options->effort, kEffortHelp)
      ->check(CLI::IsMember({"with_gravity", "without_gravity", "current"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Root mean squares of the measured effort and of its difference from the model, friction of "
      "the robot "
      "description included; its bias; the lag of each joint, which is the delay to predict by "
      "where the "
      "joints agree. In words: what the efforts look like, what fits, what does not, what to do "
      "(docs/identification.md).\n"
      "Example: dyn check arm.urdf rosbag2_2026_11_19/ --effort with_gravity");
  command->callback([options] { run_check(*options); });
}

}  // namespace dyn::tool
