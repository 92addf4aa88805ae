#include "dyn_core/inspect/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "dyn_core/inspect/monitor.hpp"

namespace dyn::inspect {
namespace {

std::string yes_no(bool value) { return value ? "yes" : "no"; }

void add_values(const JointStateMatcher& matcher, double now, Diagnostic& diagnostic) {
  const JointStateCounts& counts = matcher.counts();
  const double age = matcher.age(now);
  auto& values = diagnostic.values;
  values.emplace_back("age (s)",
                      std::isfinite(age) ? fmt::format("{:.3f}", age) : "never complete");
  values.emplace_back("velocities for all joints", yes_no(matcher.has_velocities()));
  values.emplace_back("efforts for all joints", yes_no(matcher.has_efforts()));
  values.emplace_back("messages received", std::to_string(counts.received));
  values.emplace_back("messages that left joints missing", std::to_string(counts.partial));
  values.emplace_back("messages with other joints only", std::to_string(counts.foreign));
  values.emplace_back("messages ignored for wrong sizes", std::to_string(counts.malformed));
}

// Sorts the times, in s.
void add_busy_times(std::span<double> times, Diagnostic& diagnostic) {
  if (times.empty()) return;
  std::ranges::sort(times);
  diagnostic.values.emplace_back("time per joint state, median (us)",
                                 fmt::format("{:.1f}", 1e6 * times[times.size() / 2]));
  diagnostic.values.emplace_back("time per joint state, worst (us)",
                                 fmt::format("{:.1f}", 1e6 * times.back()));
}

}  // namespace

std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

std::vector<LinkReport> report_links(const Chain& chain) {
  std::vector<LinkReport> reports;
  for (std::size_t i = 0; i < chain.links().size(); ++i) {
    const Link& link = chain.links()[i];
    LinkReport report;
    report.link = link.name;
    report.joint = chain.joints()[i].name;
    report.carried = link.carried;
    report.body = link.body.expressed_in(link.urdf_frame.inverse());
    for (const InertiaIssue& issue : check(report.body, chain.reach())) {
      const bool error = issue.severity == InertiaIssue::Severity::kError;
      report.level = std::max(report.level, error ? Level::kError : Level::kWarning);
      report.text += (report.text.empty() ? "" : "; ") + issue.text;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

Report Monitor::report() const {
  Report report;
  report.message = !refusal_.empty() ? refusal_
                   : model_          ? "ok"
                                     : "no robot description was received yet";
  if (!model_) return report;
  report.description_hash = model_->hash;
  report.chain = model_->inspector.chain_ptr();
  report.algorithms = model_->inspector.algorithms();
  report.gravity = model_->inspector.gravity();
  report.payload = model_->inspector.payload();
  report.links = report_links(*report.chain);
  return report;
}

void Monitor::add_model_values(double now, Diagnostic& diagnostic) {
  const Chain& chain = model_->inspector.chain();
  const Algorithms& names = model_->inspector.algorithms();
  auto& values = diagnostic.values;
  values.emplace_back("robot", chain.name());
  values.emplace_back("chain", fmt::format("{} to {}", chain.base(), chain.tip()));
  values.emplace_back("joints", std::to_string(chain.dof()));
  values.emplace_back("dynamics", chain.has_dynamics() ? "yes" : "no");
  values.emplace_back("total mass (kg)", fmt::format("{:.3f}", chain.total_mass()));
  values.emplace_back("payload (kg)", fmt::format("{:.3f}", model_->inspector.payload().mass));
  values.emplace_back("mass matrix", names.mass_matrix);
  values.emplace_back("inverse dynamics", names.inverse_dynamics);
  values.emplace_back("forward dynamics", names.forward_dynamics);
  values.emplace_back("coriolis", names.coriolis);
  values.emplace_back("description hash", model_->hash);
  double condition = 0.0;
  if (model_->matcher.complete(now) &&
      model_->inspector.condition_number(model_->matcher.positions(), condition) == Status::kOk) {
    values.emplace_back("condition number of the mass matrix", fmt::format("{:.4g}", condition));
  }
  for (std::size_t k = 0; k < chain.warnings().size(); ++k) {
    values.emplace_back(fmt::format("warning {}", k + 1), chain.warnings()[k]);
  }
}

Diagnostic Monitor::diagnose_model(double now) {
  Diagnostic diagnostic;
  if (!model_) {
    diagnostic.level = Level::kError;
    diagnostic.message = refusal_.empty() ? "no robot description was received yet"
                                          : "the robot description was refused: " + refusal_;
    return diagnostic;
  }
  add_model_values(now, diagnostic);
  const std::size_t warnings = model_->inspector.chain().warnings().size();
  if (!refusal_.empty()) {
    diagnostic.level = Level::kError;
    diagnostic.message =
        "the last robot description was refused, the one before is in use: " + refusal_;
  } else if (!model_->inspector.chain().has_dynamics()) {
    diagnostic.level = Level::kError;
    diagnostic.message =
        "model loaded, kinematics only: " + model_->inspector.chain().objection_to_dynamics();
  } else if (warnings > 0) {
    diagnostic.level = Level::kWarning;
    diagnostic.message =
        fmt::format("model loaded, with {} warning{}; the first: {}", warnings,
                    warnings == 1 ? "" : "s", model_->inspector.chain().warnings()[0]);
  } else {
    diagnostic.message = "model loaded";
  }
  return diagnostic;
}

Diagnostic Monitor::diagnose_joint_states(double now) {
  Diagnostic diagnostic;
  diagnostic.values.emplace_back("rate (Hz)", fmt::format("{:.1f}", received_.read(now)));
  add_busy_times({busy_.data(), std::min(busy_count_, busy_.size())}, diagnostic);
  busy_count_ = 0;
  if (!model_) {
    diagnostic.level = Level::kWarning;
    diagnostic.message = "waiting for a robot description";
    return diagnostic;
  }
  add_values(model_->matcher, now, diagnostic);
  diagnostic.message = model_->matcher.problem(now);
  if (!model_->matcher.complete(now)) {
    diagnostic.level = model_->matcher.counts().received == 0 ? Level::kWarning : Level::kError;
  } else if (!diagnostic.message.empty()) {
    diagnostic.level = Level::kWarning;
  } else {
    diagnostic.message = "joint states arrive";
  }
  return diagnostic;
}

}  // namespace dyn::inspect
