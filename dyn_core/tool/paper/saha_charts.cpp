#include "saha_charts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace dyn::tool {
namespace {

std::string unit_of(const SahaExperiment& e, Index joint, const char* turning,
                    const char* sliding) {
  return e.chain->coordinate_joint(joint).is_prismatic() ? sliding : turning;
}

// The torques of (18) given to the algorithm on the trajectory: its θ̈ must come back.
double torque_error(const SahaExperiment& e, const SahaMotion& forced) {
  Solver solver = require(Solver::make(e.chain, saha_options().algorithms));
  const Index n = solver.dof();
  VecXd q(n), qd(n), qdd(n), found(n);
  double worst = 0.0;
  for (std::size_t k = 0; k < forced.time.size(); k += 20) {
    require(e.wanted->evaluate(forced.time[k], q, qd, qdd), "trajectory");
    require(solver.forward_dynamics(q, qd, forced.tau[k], found), "accelerations");
    worst = std::max(worst, (found - qdd).cwiseAbs().maxCoeff());
  }
  return worst;
}

std::string peaks(const SahaMotion& motion) {
  std::string out;
  for (Index i = 0; i < motion.tau[0].size(); ++i) {
    double peak = 0.0;
    for (const VecXd& tau : motion.tau) peak = std::max(peak, std::abs(tau[i]));
    fmt::format_to(std::back_inserter(out), "{}{:.3g}", i == 0 ? "" : ", ", peak);
  }
  return out;
}

}  // namespace

std::vector<Chart> saha_joint_charts(const SahaExperiment& e, const std::vector<SahaNamed>& motions,
                                     std::vector<double> (SahaMotion::*value)(Index) const,
                                     const char* turning, const char* sliding) {
  std::vector<Chart> charts;
  for (Index i = 0; i < e.chain->dof(); ++i) {
    Chart chart{.title = fmt::format("({}) joint {}", static_cast<char>('a' + i), i + 1),
                .x_label = "time, s",
                .y_label = unit_of(e, i, turning, sliding),
                .curves = {}};
    for (const SahaNamed& m : motions) {
      chart.curves.push_back({m.label, m.motion->time, (m.motion->*value)(i), m.dashed});
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

SahaMotion saha_wanted(const SahaExperiment& e) {
  SahaMotion out;
  for (int k = 0; k <= 1000; ++k) {
    const double time = 0.01 * k;
    out.add(e, time, e.wanted_at(time), VecXd::Zero(e.start.size()));
  }
  return out;
}

void saha_show_around(std::vector<Chart>& charts) {
  for (Chart& chart : charts) {
    const std::vector<double>& y = chart.curves.back().y;
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    const double span = std::max(*high - *low, 1e-3);
    chart.y_range = {*low - span, *high + span};
  }
}

Chart saha_deviation_chart(const std::vector<SahaNamed>& motions, const char* title) {
  Chart chart{
      .title = title, .x_label = "time, s", .y_label = "rad or m", .curves = {}, .log_y = true};
  for (const SahaNamed& m : motions) {
    chart.curves.push_back({m.label, m.motion->time, m.motion->deviation, m.dashed});
  }
  return chart;
}

std::string saha_departures(const std::vector<SahaNamed>& motions) {
  std::string out;
  for (const SahaNamed& m : motions) {
    const double time = m.motion->departure();
    fmt::format_to(std::back_inserter(out), "{}{} {}", out.empty() ? "" : ", ", m.label,
                   std::isfinite(time) ? fmt::format("{:.2f} s", time) : "never");
  }
  return out;
}

void saha_figure_5(PaperItems& items, const char* which, const SahaExperiment& e,
                   const SahaMotion& forced) {
  const bool gives_back = torque_error(e, forced) < 1e-9;
  items.figure(fmt::format("Fig. 5({}), {}, force/torques at joints (a)-(f)", which, e.name),
               "calculated to maintain the trajectory (18)",
               fmt::format("peaks {} N m or N; forward dynamics {} the trajectory's θ̈",
                           peaks(forced), gives_back ? "gives back" : "does not give back"),
               gives_back,
               saha_joint_charts(e, {{"torque", &forced}}, &SahaMotion::torque, "N m", "N"));
}

}  // namespace dyn::tool
