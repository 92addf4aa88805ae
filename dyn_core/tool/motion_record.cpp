#include "motion_record.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace dyn::tool {
namespace {

// A joint this far from the trajectory has left it, rad or m.
constexpr double kDeparture = 0.01;

}  // namespace

MotionRecord::MotionRecord(ChainPtr chain, TrajectoryPtr desired, bool keep_samples)
    : chain_(std::move(chain)),
      desired_(std::move(desired)),
      keep_samples_(keep_samples),
      drives_(chain_),
      kinematics_(chain_),
      q_(VecXd::Zero(chain_->dof())),
      qd_(q_),
      qdd_(q_),
      motion_(static_cast<std::size_t>(chain_->dof())),
      wanted_(motion_.size()),
      torques_(motion_.size()) {}

void MotionRecord::take(const Sample& sample, const Vec3d& tip) {
  if (desired_) require(desired_->evaluate(sample.time, q_, qd_, qdd_), "trajectory");
  // The torques of a trajectory belong to its speeds, not to those of a motion that has left it.
  drives_.take(sample.time, sample.tau, desired_ ? qd_ : sample.qd);
  if (desired_) {
    Index joint = 0;
    const double deviation = (sample.q - q_).cwiseAbs().maxCoeff(&joint);
    largest_deviation_ = std::max(largest_deviation_, deviation);
    if (!departure_ && deviation > kDeparture) departure_ = {sample.time, joint};
    if (keep_samples_) deviation_.push_back(deviation);
  }
  if (keep_samples_) keep(sample, tip);
}

void MotionRecord::keep(const Sample& sample, const Vec3d& tip) {
  time_.push_back(sample.time);
  any_torque_ = any_torque_ || !sample.tau.isZero(0.0);
  for (std::size_t i = 0; i < motion_.size(); ++i) {
    motion_[i].push_back(sample.q[static_cast<Index>(i)]);
    torques_[i].push_back(sample.tau[static_cast<Index>(i)]);
    if (desired_) wanted_[i].push_back(q_[static_cast<Index>(i)]);
  }
  for (std::size_t k = 0; k < 3; ++k) tip_[k].push_back(tip[static_cast<Index>(k)]);
  if (!desired_) return;
  require(kinematics_.update(q_), "trajectory");
  const Vec3d wanted = kinematics_.tip_pose().p;
  for (std::size_t k = 0; k < 3; ++k) wanted_tip_[k].push_back(wanted[static_cast<Index>(k)]);
}

namespace {

// Up to one span of the trajectory beyond it: a motion that runs away must not flatten the rest.
std::pair<double, double> shown_range(const std::vector<double>& moved,
                                      const std::vector<double>& wanted) {
  const auto [low, high] = std::minmax_element(wanted.begin(), wanted.end());
  const auto [lowest, highest] = std::minmax_element(moved.begin(), moved.end());
  const double span = std::max(*high - *low, 1e-3);
  const double margin = 0.06 * span;
  return {std::max(std::min(*low, *lowest) - margin, *low - span),
          std::min(std::max(*high, *highest) + margin, *high + span)};
}

}  // namespace

Chart MotionRecord::beside_trajectory(std::string title, const char* y_label, const Values& moved,
                                      const Values& wanted) const {
  Chart chart{.title = std::move(title),
              .x_label = "time, s",
              .y_label = y_label,
              .curves = {{"simulated", time_, moved}}};
  if (wanted.empty()) return chart;
  chart.curves.push_back({"trajectory", time_, wanted, true});
  chart.y_range = shown_range(moved, wanted);
  return chart;
}

Chart MotionRecord::deviation_chart() const {
  Chart chart{.title = "largest deviation from the trajectory",
              .x_label = "time, s",
              .y_label = "rad or m",
              .curves = {{"simulated", time_, deviation_}},
              .log_y = true};
  if (departure_) {
    chart.mark = departure_->time;
    chart.mark_label = fmt::format("{} at {:.2f} s", kDeparture, departure_->time);
  }
  return chart;
}

Picture MotionRecord::picture(std::string title) const {
  Picture picture{.title = std::move(title), .charts = {}, .columns = 2};
  for (std::size_t i = 0; i < motion_.size(); ++i) {
    const Joint& joint = chain_->coordinate_joint(static_cast<Index>(i));
    const bool slides = joint.is_prismatic();
    picture.charts.push_back(beside_trajectory(joint.name, slides ? "position, m" : "position, rad",
                                               motion_[i], wanted_[i]));
    if (!any_torque_) continue;
    picture.charts.push_back({.title = joint.name + (slides ? ", force" : ", torque"),
                              .x_label = "time, s",
                              .y_label = slides ? "N" : "N m",
                              .curves = {{"from the drives", time_, torques_[i]}}});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    Chart chart = beside_trajectory(fmt::format("tip, {}", "xyz"[k]), "m", tip_[k], wanted_tip_[k]);
    if (!desired_ && !time_.empty()) chart.y_range = shown_range(tip_[k], tip_[k]);  // no noise
    picture.charts.push_back(std::move(chart));
  }
  if (desired_) picture.charts.push_back(deviation_chart());
  return picture;
}

// Whether nothing but gravity acts, so that the energy should not change.
bool MotionRecord::conservative(const MotionSummary& summary) const {
  const SimulationOptions& options = summary.simulation;
  return summary.input == kFreeFall && !options.friction && !options.joint_stops &&
         options.tip_wrench.force.isZero(0.0) && options.tip_wrench.torque.isZero(0.0);
}

Json MotionRecord::json(const MotionSummary& summary, const SimulationReport& report) const {
  const SimulationOptions& options = summary.simulation;
  Json out = {{"robot", chain_->name()},
              {"joints", chain_->coordinate_names()},
              {"input", summary.input},
              {"integrator", summary.integrator},
              {"tolerance", options.tolerance},
              {"longest_step", options.longest_step},
              {"substeps", options.substeps},
              {"velocities", summary.velocities},
              {"forward_dynamics", options.velocities == Velocities::kJoint
                                       ? Json(report.algorithms.forward_dynamics)
                                       : Json(nullptr)},
              {"duration", options.duration},
              {"step", options.step},
              {"stopped", report.stopped},
              {"failure", summary.failure.empty() ? Json(nullptr) : Json(summary.failure)},
              {"time", report.time},
              {"q", to_json(report.q)},
              {"qd", to_json(report.qd)},
              {"samples", report.samples},
              {"steps", report.steps},
              {"rejected_steps", report.rejected_steps},
              {"evaluations", report.evaluations},
              {"seconds", summary.seconds}};
  out["energy"] = {{"first", report.first_energy},
                   {"last", report.last_energy},
                   {"largest_kinetic", report.kinetic_energy}};
  out["energy"]["drift"] = conservative(summary) ? Json(report.energy_drift) : Json(nullptr);
  out["drives"] = drives_.json();
  if (!desired_) return out;
  out["trajectory"] = {{"largest_deviation", largest_deviation_}, {"departure", nullptr}};
  if (departure_) {
    out["trajectory"]["departure"] = {{"deviation", kDeparture},
                                      {"time", departure_->time},
                                      {"joint", chain_->coordinate_joint(departure_->joint).name}};
  }
  return out;
}

std::string MotionRecord::text(const MotionSummary& summary, const SimulationReport& report) const {
  std::string out;
  const auto add = [&out]<class... Values>(fmt::format_string<Values...> format,
                                           Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
  };
  const char* ended = !summary.failure.empty() ? "broke down after "
                      : report.stopped         ? "stopped after "
                                               : "";
  add("{}, {}: {}{:.6g} s, {} samples\n", chain_->name(), summary.input, ended, report.time,
      report.samples);
  add("  {:<20}{:>14}{:>14}\n", "at the end", "position", "velocity");
  for (Index i = 0; i < chain_->dof(); ++i) {
    const Joint& joint = chain_->coordinate_joint(i);
    add("  {:<20}{:>14.6g}{:>14.6g}  {}\n", joint.name, report.q[i], report.qd[i],
        joint.is_prismatic() ? "m, m/s" : "rad, rad/s");
  }
  if (summary.input != kFreeFall) {
    add("  {}\n", desired_ ? "what the drives give along the trajectory" : "what the drives give");
    out += drives_.text();
  }
  add("  energy      {:.6g} J, at the start {:.6g} J", report.last_energy, report.first_energy);
  if (conservative(summary)) {
    add("; drift {:.2g} J", report.energy_drift);
    if (report.kinetic_energy > 0.0) {
      add(", {:.2g} of the largest kinetic energy", report.energy_drift / report.kinetic_energy);
    }
  }
  add("\n  {:<13} {} steps, {} rejected, {} evaluations, {:.3g} s of computing\n",
      summary.integrator, report.steps, report.rejected_steps, report.evaluations, summary.seconds);
  if (desired_ && departure_) {
    add("  trajectory  left at {:.6g} s: {} off by more than {}\n", departure_->time,
        chain_->coordinate_joint(departure_->joint).name, kDeparture);
  } else if (desired_) {
    add("  trajectory  followed within {:.2g}\n", largest_deviation_);
  }
  return out;
}

}  // namespace dyn::tool
