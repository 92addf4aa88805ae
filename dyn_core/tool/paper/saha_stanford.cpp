// Saha 2003, section 4: the Stanford arm, Figs 4(i) to 7, from runs, and what the text says of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "dyn_core/robot/robot_name.hpp"
#include "saha_charts.hpp"
#include "saha_parts.hpp"
#include "saha_runs.hpp"

namespace dyn::tool {
namespace {

// First time at which joint `i` is at or below `value`; infinite if never.
double falls_to(const SahaMotion& motion, Index i, double value) {
  for (std::size_t k = 0; k < motion.q.size(); ++k) {
    if (motion.q[k][i] <= value) return motion.time[k];
  }
  return HUGE_VAL;
}

SahaExperiment with_slide_locked() {
  SahaExperiment out = saha_experiment("stanford");
  UrdfOptions options;
  options.lock = {{"joint3", 0.0}};
  out.chain = require(load_urdf(robot_named("stanford").file, options));
  out.start = VecXd::Zero(5);
  out.start[1] = M_PI_2;
  out.wanted = require(cycloid(out.start, out.start, 10.0));
  return out;
}

void stanford_fall(PaperItems& items) {
  const SahaExperiment e = saha_experiment("stanford");
  const SahaMotion fall = saha_fall(e);
  const double zero = falls_to(fall, 1, 0.0);
  const double locked = falls_to(saha_fall(with_slide_locked()), 1, 0.0);
  items.figure(
      "Fig. 4(i), Stanford arm, free fall, positions of joints (a)-(f)",
      "joint 2 turns from 90° to zero a little after 0.5 s; joint 3 then picks up",
      fmt::format("θ_2 is {:.3f} at 0.5 s, {:.3f} at 1 s, {:.3f} at 1.6 s, zero at {:.2f} s, "
                  "{:.4f} at 10 s; b_3 is {:.3f} m at 0.5 s, {:.2f} m at 1 s",
                  fall.at(0.5)[1], fall.at(1.0)[1], fall.at(1.6)[1], zero, fall.at(10.0)[1],
                  fall.at(0.5)[2], fall.at(1.0)[2]),
      zero > 0.5 && zero < 0.8,
      saha_joint_charts(e, {{"free fall", &fall}}, &SahaMotion::joint, "rad", "m"),
      fmt::format("the shape is the paper's, and on a plot of 10 s {:.2f} rad reads as zero; "
                  "as the slide runs out the arm's inertia about joint 2 grows and its fall "
                  "slows. With the slide locked θ_2 is zero at {:.2f} s",
                  fall.at(1.0)[1], locked));
  const double before = fall.at(0.25)[2] - 0.5 * (fall.at(0.2)[2] + fall.at(0.3)[2]);
  const double after = fall.at(1.5)[2] - 0.5 * (fall.at(1.45)[2] + fall.at(1.55)[2]);
  const double early = -2.0 * before / (0.05 * 0.05), late = -2.0 * after / (0.05 * 0.05);
  items.add(
      ItemKind::kClaim, "section 4: joint 3 should increase sharply once joint 2 has turned",
      "b_3 picks up after 0.5 s",
      fmt::format("b_3'' is {:.1f} m/s² at 0.25 s and {:.1f} at 1.5 s, of g = 9.8", early, late),
      late > 9.0 && early < 0.5 * late, "the slide falls with what of g lies along it");
}

// The largest difference of a joint between any two of them, up to `time`.
double spread(const std::vector<SahaNamed>& motions, double time) {
  double most = 0.0;
  for (const SahaNamed& a : motions) {
    for (const SahaNamed& b : motions) {
      for (std::size_t k = 0; k <= SahaMotion::index(time); ++k) {
        most = std::max(most, (a.motion->q[k] - b.motion->q[k]).cwiseAbs().maxCoeff());
      }
    }
  }
  return most;
}

// The moment up to which all are within 0.01 of each other.
double alike_until(const std::vector<SahaNamed>& motions) {
  double time = 0.0;
  while (time < 10.0 && spread(motions, time + 0.05) < 0.01) time += 0.05;
  return time;
}

// Where ABM leaves the trajectory with tolerances within 1 % of 1e-6.
std::string abm_departures(const SahaExperiment& e) {
  double first = std::numeric_limits<double>::infinity(), last = 0.0;
  for (const double factor : {0.99, 0.995, 1.0, 1.0000001, 1.005, 1.01}) {
    const double left = saha_forced(e, saha_options(Integrator::kAbm, factor * 1e-6)).departure();
    first = std::min(first, left), last = std::max(last, left);
  }
  return fmt::format("{:.2f} to {:.2f} s", first, last);
}

void stanford_forced(PaperItems& items, const SahaExperiment& e, const SahaMotion& rkf) {
  const SahaMotion abm = saha_forced(e, saha_options(Integrator::kAbm));
  const SahaMotion dverk = saha_forced_by_verner(e, 1e-6), wanted = saha_wanted(e);
  const SahaMotion table = saha_forced(e, saha_options(), true);
  const std::vector<SahaNamed> runs = {{"RKF", &rkf}, {"ABM (SHAMGOR)", &abm}, {"DVERK", &dverk}};
  std::vector<SahaNamed> drawn = runs;
  drawn.push_back({"trajectory (18)", &wanted, true});
  std::vector<Chart> charts = saha_joint_charts(e, drawn, &SahaMotion::joint, "rad", "m");
  saha_show_around(charts);
  charts.push_back(saha_deviation_chart(runs, "largest deviation from (18)"));
  items.figure(
      "Fig. 6(i), Stanford arm, forced, positions of joints (a)-(f)",
      "deviates from the trajectory (18) after about 2.5 s",
      fmt::format("a joint 0.01 off (rad or m) at tolerance 1e-6: {}; by RKF with torques "
                  "from a table of ΔT {:.2f} s",
                  saha_departures(runs), table.departure()),
      std::abs(rkf.departure() - 2.5) < 0.5, std::move(charts),
      fmt::format("the torques hold the arm up like a pendulum on its head: a deviation grows "
                  "as e^({:.1f} t), ten times in {:.2f} s, from whatever error the integrator "
                  "makes. ABM takes few steps, which hang on a thread: {} with tolerances within "
                  "1 % of 1e-6",
                  saha_growth(e, 2.5), std::log(10.0) / saha_growth(e, 2.5), abm_departures(e)));
  const double alike = alike_until(runs);
  items.add(ItemKind::kClaim, "section 4: ABM and DVERK at tolerance 1e-6 give \"similar plots\"",
            "similar",
            fmt::format("within {:.0e} of each other up to 2 s, within 0.01 up to {:.2f} s, up to "
                        "{:.2g} apart after that",
                        spread(runs, 2.0), alike, spread(runs, 10.0)),
            alike >= 2.5,
            "alike up to the 2.5 s after which the paper has the arm deviate; from there on each "
            "run goes "
            "the way of its own error, and no two are alike");
}

void figure_7(PaperItems& items, const SahaExperiment& e, const SahaMotion& rkf) {
  const SahaMotion wanted = saha_wanted(e);
  std::vector<Chart> charts;
  for (Index axis = 0; axis < 3; ++axis) {
    charts.push_back({.title = fmt::format("({}) {}_1", static_cast<char>('a' + axis), "XYZ"[axis]),
                      .x_label = "time, s",
                      .y_label = "m",
                      .curves = {{"simulated", rkf.time, rkf.tip_along(axis)},
                                 {"trajectory (18)", wanted.time, wanted.tip_along(axis), true}}});
  }
  saha_show_around(charts);
  double apart = 0.0;
  for (std::size_t k = 0; k <= SahaMotion::index(2.5); ++k) {
    apart = std::max(apart, (rkf.tip[k] - wanted.tip[k]).norm());
  }
  const auto at = [&](double t) {
    const Vec3d& tip = rkf.tip[SahaMotion::index(t)];
    return fmt::format("({:.3f}, {:.3f}, {:.3f})", tip.x(), tip.y(), tip.z());
  };
  items.figure(
      "Fig. 7, Stanford arm, forced, end-effector along (a) X_1, (b) Y_1, (c) Z_1",
      "Y_1 shows a \"similar trend\" to Bae and Haug's, which DADS had verified",
      fmt::format("m: {} at 0 s, {} at 1 s, {} at 2 s, {} at 2.5 s, where it is {:.1g} m from "
                  "the trajectory's",
                  at(0.0), at(1.0), at(2.0), at(2.5), apart),
      apart < 0.02, std::move(charts),
      "Bae and Haug's figures are not in the paper; compared is the tip of the trajectory that "
      "the torques were computed for, up to the moment of departure");
}

}  // namespace

void saha_stanford(PaperItems& items, const std::function<void(double)>& progress) {
  stanford_fall(items);
  progress(0.5);
  const SahaExperiment e = saha_experiment("stanford");
  const SahaMotion rkf = saha_forced(e);
  saha_figure_5(items, "i", e, rkf);
  stanford_forced(items, e, rkf);
  figure_7(items, e, rkf);
  progress(0.7);
}

}  // namespace dyn::tool
