// dyn identify: bodies, drives, payload and mount from logs of the robot's own motion.
#include "dyn_core/identify/identify.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "common.hpp"
#include "dyn_core/robot/robot_name.hpp"
#include "dyn_core/robot/urdf_writer.hpp"
#include "identify_page.hpp"
#include "limits.hpp"
#include "log_options.hpp"
#include "output.hpp"

namespace dyn::tool {
namespace {

struct IdentifyCommand {
  RobotOptions robot;
  LogFiles log;
  std::vector<std::string> validate, without_payload, gains;
  std::string effort = "with_gravity", friction = "viscous_coulomb";
  std::string output, drives, report;
  IdentifyOptions options;
  bool json = false;
};

// joint=value for every coordinate.
VecXd gains_of(const std::vector<std::string>& items, const Chain& chain) {
  VecXd gain = VecXd::Zero(items.empty() ? 0 : chain.dof());
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    const std::vector<std::string>& names = chain.coordinate_names();
    const auto found = std::find(names.begin(), names.end(), item.substr(0, equals));
    if (equals == std::string::npos || found == names.end()) {
      throw Failure(
          fmt::format("--drive-gain: '{}' is not JOINT=VALUE with a joint of the chain", item));
    }
    gain[found - names.begin()] = numbers(item.substr(equals + 1), "--drive-gain").at(0);
  }
  return gain;
}

// The first part of a log and the rest, which goes piece by piece: logs are long.
std::vector<Samples> parted(Samples log, Index first) {
  std::vector<Samples> out(2);
  out[0].cutoff = out[1].cutoff = log.cutoff;
  out[0].t = log.t.head(first);
  out[1].t = log.t.tail(log.size() - first);
  for (MatXd Samples::*signal : {&Samples::q, &Samples::qd, &Samples::qdd, &Samples::tau}) {
    out[0].*signal = (log.*signal).topRows(first);
    out[1].*signal = (log.*signal).bottomRows(log.size() - first);
    log.*signal = {};
  }
  return out;
}

// Shown are the logs given for it, else the last third, by a fit that has not seen it.
IdentifyOutcome identified(const IdentifyCommand& command, const ChainPtr& chain) {
  constexpr double kSeen = 0.65;
  constexpr Index kFewest = 100;
  IdentifyOptions options = command.options;
  options.effort = require(effort_named(command.effort));
  options.friction = require(friction_model_named(command.friction));
  options.drive_gain = gains_of(command.gains, *chain);
  IdentifyOutcome out;
  out.described = chain;
  Prepared log = require(command.log.load(command.log.paths, *chain));
  out.notes = std::move(log.notes);
  Prepared other;
  if (!command.without_payload.empty()) {
    other = require(command.log.load(command.without_payload, *chain));
    options.without_payload = {&other.samples, 1};
  }
  std::vector<Samples> parts;
  const Index size = log.samples.size();
  if (command.validate.empty() && size >= kFewest) {
    parts = parted(std::move(log.samples), static_cast<Index>(kSeen * static_cast<double>(size)));
  } else {
    parts.push_back(std::move(log.samples));
  }
  const auto start = std::chrono::steady_clock::now();
  out.found = require(identify(chain, parts, options));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Identified shown_by = out.found;
  if (parts.size() > 1) shown_by = require(identify(chain, {parts.data(), 1}, options));
  out.held_out = parts.size() > 1 || !command.validate.empty();
  out.shown = std::move(parts.back());
  parts.clear();
  if (!command.validate.empty()) {
    out.shown = require(command.log.load(command.validate, *chain)).samples;
  }
  out.measured = measured_torque(out.shown, shown_by.joints);
  out.before = model_torque(chain, out.shown, options.effort);
  out.after = model_torque(shown_by.loaded, out.shown, options.effort, shown_by.joints);
  return out;
}

// ---- results -------------------------------------------------------------------------------------

Json inertia_json(const Mat3d& I) { return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}; }

Json payload_json(const IdentifiedBody& found) {
  return {{"mass", found.body.mass},
          {"com", to_json(VecXd(found.body.com))},
          {"inertia", inertia_json(found.body.inertia)},
          {"sd_mass", found.mass_deviation},
          {"sd_com", to_json(VecXd(found.com_deviation))}};
}

bool possible(const Identified& found, const Chain& chain) {
  return std::ranges::all_of(found.links, [&](const IdentifiedBody& link) {
    const std::vector<InertiaIssue> issues = check(link.body, chain.reach());
    return link.body.mass > 0.0 && std::ranges::none_of(issues, [](const InertiaIssue& issue) {
             return issue.severity == InertiaIssue::Severity::kError;
           });
  });
}

void add_joints(const IdentifyOutcome& outcome, Json& out) {
  const VecXd validation = rms_of(outcome.measured - outcome.after);
  Json joints = Json::array(), friction = Json::array(), armature = Json::array();
  for (std::size_t j = 0; j < outcome.found.joints.size(); ++j) {
    const IdentifiedJoint& joint = outcome.found.joints[j];
    const std::string& name = outcome.described->coordinate_names()[j];
    joints.push_back({{"name", name},
                      {"rms_measured", joint.rms_measured},
                      {"rms_before", joint.rms_before},
                      {"rms_after", joint.rms_after},
                      {"rms_validation",
                       outcome.held_out ? Json(validation[static_cast<Index>(j)]) : Json(nullptr)},
                      {"gain", joint.gain.value},
                      {"sd_gain", joint.gain.deviation},
                      {"lag", joint.lag}});
    friction.push_back({{"joint", name},
                        {"viscous", joint.viscous.value},
                        {"coulomb", joint.coulomb.value},
                        {"offset", joint.offset.value},
                        {"sd_viscous", joint.viscous.deviation},
                        {"sd_coulomb", joint.coulomb.deviation},
                        {"sd_offset", joint.offset.deviation},
                        {"stribeck", joint.stribeck.value},
                        {"stribeck_speed", joint.stribeck_speed}});
    armature.push_back(joint.armature.value);
  }
  out["joints"] = std::move(joints);
  out["friction"] = std::move(friction);
  out["armature"] = std::move(armature);
}

Json result_json(const IdentifyOutcome& outcome, const std::string& effort) {
  const Identified& found = outcome.found;
  const Chain& chain = *outcome.described;
  Json out = {{"robot", chain.name()}, {"effort", effort}};
  add_joints(outcome, out);
  Json links = Json::array();
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const RigidBody body = in_link_frame(chain, i, found.links[at].body);
    links.push_back({{"name", chain.links()[at].name},
                     {"mass", body.mass},
                     {"com", to_json(VecXd(body.com))},
                     {"inertia", inertia_json(body.inertia)},
                     {"sd_mass", found.links[at].mass_deviation},
                     {"prior_guessed", found.links[at].guessed}});
  }
  out["links"] = std::move(links);
  if (found.payload) out["payload"] = payload_json(*found.payload);
  if (found.gravity_deviation) {
    out["gravity"] = to_json(VecXd(found.chain->gravity()));
    out["sd_gravity"] = to_json(VecXd(*found.gravity_deviation));
  }
  Json base = Json::array();
  for (const IdentifiedCombination& one : found.base) {
    base.push_back({{"name", one.name},
                    {"before", one.before.value},
                    {"after", one.after.value},
                    {"sd", one.after.deviation}});
  }
  out["base"] = std::move(base);
  out["untold"] = found.untold;
  out["rank"] = found.rank;
  out["parameters"] = found.parameters.size();
  out["condition"] = found.condition;
  out["iterations"] = found.iterations;
  out["seconds"] = outcome.seconds;
  out["consistent"] = possible(found, chain);
  out["notes"] = outcome.notes;
  return out;
}

void print_result(const IdentifyOutcome& outcome) {
  const Identified& found = outcome.found;
  const Chain& chain = *outcome.described;
  for (const std::string& note : outcome.notes) fmt::print("  {}\n", note);
  fmt::print("\n{}\n", bold(fmt::format("{:<24}{:>10}{:>10}{:>10}{:>10}{:>17}{:>17}{:>20}{:>10}",
                                        "joint", "measured", "before", "after", "held out",
                                        "viscous", "Coulomb", "offset", "drive")));
  const VecXd held_out = rms_of(outcome.measured - outcome.after);
  const VecXd of = rms_of(outcome.measured);
  const auto text = [](const Estimate& e) {
    if (e.value == 0.0 && e.deviation == 0.0) return std::string("-");
    return fmt::format("{:.3g} ± {:.1g}", e.value, e.deviation);
  };
  for (std::size_t j = 0; j < found.joints.size(); ++j) {
    const IdentifiedJoint& joint = found.joints[j];
    const auto k = static_cast<Index>(j);
    fmt::print("{:<24}{:>10.4g}{:>10}{:>10}{:>10}{:>17}{:>17}{:>20}{:>10.3g}\n",
               chain.coordinate_names()[j], joint.rms_measured,
               percent(joint.rms_before, joint.rms_measured),
               percent(joint.rms_after, joint.rms_measured),
               outcome.held_out ? percent(held_out[k], of[k]) : "-", text(joint.viscous),
               text(joint.coulomb), text(joint.offset), joint.armature.value);
  }
  fmt::print("{}\n", kBeyondTheModel);
  fmt::print("\n{}\n", bold(fmt::format("{:<24}{:>12}{:>18}", "link", "mass before", "after, kg")));
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    fmt::print("{:<24}{:>12.4g}{:>19}\n", chain.links()[at].name, chain.links()[at].body.mass,
               text({found.links[at].body.mass, found.links[at].mass_deviation}));
  }
  if (found.payload) {
    fmt::print("{:<24}{:>12}{:>19}\n", "payload", "-",
               text({found.payload->body.mass, found.payload->mass_deviation}));
  }
  fmt::print("\nThe motion tells {} combinations of {} parameters apart (condition {:.3g}).\n",
             found.rank, found.parameters.size(), found.condition);
  if (!found.untold.empty()) {
    fmt::print("Of these it tells less than the description does:\n");
    for (const std::string& name : found.untold) fmt::print("  {}\n", name);
  }
}

// The whole of what moves with a joint is written to the joint's link; what rides along keeps no mass of its own.
std::vector<LinkInertia> inertias(const Chain& chain, const std::string& urdf) {
  std::vector<LinkInertia> out;
  for (Index i = 0; i < chain.joint_count(); ++i) {
    const Link& link = chain.links()[static_cast<std::size_t>(i)];
    out.push_back({link.name, in_link_frame(chain, i, link.body)});
    for (const std::string& carried : link.carried) {
      const std::size_t begin = urdf.find("<link name=\"" + carried + "\"");
      const std::size_t end = urdf.find("</link>", begin);
      if (begin == std::string::npos || urdf[urdf.find('>', begin) - 1] == '/') continue;
      if (urdf.find("<inertial", begin) < end) out.push_back({carried, {}});
    }
  }
  return out;
}

void write_urdf(const IdentifyCommand& command, const Identified& found) {
  const std::string file = robot_named(command.robot.robot).file;
  std::ifstream in(file, std::ios::binary);
  const std::string urdf{std::istreambuf_iterator<char>(in), {}};
  if (urdf.empty()) throw Failure("-o: the robot description has to be a file to be written anew");
  std::vector<JointFriction> joints;
  for (const Joint& joint : found.chain->joints()) {
    joints.push_back({joint.name, joint.damping, joint.friction});
  }
  OutputFile out("--output", command.output);
  out.write(require(rewrite_urdf(urdf, inertias(*found.chain, urdf), joints, "identified by dyn")));
  out.finish();
}

void write_drives(const std::string& path, const Identified& found) {
  OutputFile out("--drives", path);
  out.write(
      "# Drives as dyn identify found them, for dyn_control/ComputedTorqueController.\n"
      "/**/computed_torque_controller:\n  ros__parameters:\n    friction:\n"
      "      source: parameters\n    drives:\n");
  for (const Joint& joint : found.chain->joints()) {
    out.write(
        fmt::format("      {}:\n        armature: {:#.6g}\n        damping: {:#.6g}\n"
                    "        friction: {:#.6g}\n",
                    joint.name, joint.armature, joint.damping, joint.friction));
  }
  out.write("# Constant offsets, for which the controller has no parameter:\n");
  for (std::size_t k = 0; k < found.joints.size(); ++k) {
    out.write(fmt::format("#   {}: {:.6g}\n", found.chain->coordinate_names()[k],
                          found.joints[k].offset.value));
  }
  out.finish();
}

void run_identify(const IdentifyCommand& command) {
  const ChainPtr chain = command.robot.load();
  const IdentifyOutcome outcome = identified(command, chain);
  if (!command.output.empty()) write_urdf(command, outcome.found);
  if (!command.drives.empty()) write_drives(command.drives, outcome.found);
  if (!command.report.empty()) {
    OutputFile page("--report", command.report);
    page.write(identify_page(outcome));
    page.finish();
  }
  if (command.json) {
    fmt::print("{}\n", result_json(outcome, command.effort).dump(2));
  } else {
    print_result(outcome);
  }
}

void add_what(CLI::App& app, IdentifyCommand& command) {
  app.add_option("--effort", command.effort, kEffortHelp)
      ->check(CLI::IsMember({"with_gravity", "without_gravity", "current"}))
      ->capture_default_str();
  app.add_option("--drive-gain", command.gains,
                 "Effort per N m, with current, for every joint (default: identified)")
      ->type_name("JOINT=VALUE");
  app.add_option("--friction", command.friction, "What friction is made of")
      ->check(CLI::IsMember({"none", "viscous_coulomb", "stribeck"}))
      ->capture_default_str();
  app.add_option("--prior", command.options.prior,
                 "Weight of the robot description: bodies deviate from it by 1/(2√W) or so")
      ->check(number_between(1e-6, 1e6))
      ->capture_default_str();
  app.add_flag("--payload", command.options.payload,
               "Only what is carried at the tip, against the arm as described");
  app.add_option("--without-payload", command.without_payload,
                 "With --payload: logs without it, by which the arm is identified as well")
      ->type_name("LOG");
  app.add_flag("--mount", command.options.mount, "Identify first which way is down");
}

}  // namespace

void add_identify(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "identify", "Inertias, friction, payload and mount from logs of the robot's motion");
  auto options = std::make_shared<IdentifyCommand>();
  options->robot.add_to(*command);
  // Here the payload is what is sought.
  command->remove_option(command->get_option("--payload"));
  options->log.add_to(*command);
  add_what(*command, *options);
  command
      ->add_option("--validate", options->validate,
                   "Logs for the held-out error (default: the last third, by a second fit)")
      ->type_name("LOG");
  command->add_option("-o,--output", options->output,
                      "The robot description with the inertias and frictions found");
  command->add_option("--drives", options->drives, "YAML of the drives for the controller");
  command->add_option("--report", options->report, "An HTML page about it");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->footer(
      "Every body stays one that exists; deviations are standard deviations "
      "(docs/identification.md).\n"
      "Example: dyn identify arm.urdf log.csv -o identified.urdf --report page.html");
  command->callback([options] { run_identify(*options); });
}

}  // namespace dyn::tool
