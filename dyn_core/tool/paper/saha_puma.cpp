// Saha 2003, section 4: the PUMA robot, Figs 4(ii), 5(ii), 6(ii), from runs, and what the text says of them.
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "saha_charts.hpp"
#include "saha_parts.hpp"

namespace dyn::tool {
namespace {

// θ̈ at rest at θ = 0 without torques.
VecXd first_acceleration(const ChainPtr& chain) {
  Solver solver = require(Solver::make(chain, saha_options().algorithms));
  const VecXd zero = VecXd::Zero(chain->dof());
  VecXd qdd = zero;
  require(solver.forward_dynamics(zero, zero, zero, qdd), "accelerations");
  return qdd;
}

// What gravity asks of joint 2 at θ = 0.
double weight_at_joint_2(const ChainPtr& chain) {
  Solver solver = require(Solver::make(chain, saha_options().algorithms));
  VecXd tau(chain->dof());
  require(solver.gravity_torque(VecXd(VecXd::Zero(chain->dof())), tau), "weight");
  return tau[1];
}

// a_3 = 0, the mass centre of link 3 where it was from joint 4.
ChainPtr without_a_3(const ChainPtr& chain) {
  ChainDescription arm = chain->description();
  const double a_3 = arm.dh[3].a;
  arm.dh[3].a = 0.0;
  arm.links[2].body.com.x() -= a_3;
  return std::make_shared<const Chain>(std::move(arm));
}

void puma_fall(PaperItems& items, const SahaExperiment& e) {
  const SahaMotion fall = saha_fall(e);
  double turned = 0.0;
  for (double t = 0.05; fall.at(t)[1] > fall.at(t - 0.05)[1]; t += 0.05) turned = t;
  items.figure(
      "Fig. 4(ii), PUMA, free fall, positions of joints (a)-(f)",
      "joint 2 rotates in the positive direction",
      fmt::format("θ_2 grows for the first {:.2f} s, up to {:.3f} rad; θ̈_2(0) = {:.3f} rad/s²",
                  turned, fall.at(turned)[1], first_acceleration(e.chain)[1]),
      turned > 0.2, saha_joint_charts(e, {{"free fall", &fall}}, &SahaMotion::joint, "rad", "m"));
  const ChainPtr straight = without_a_3(e.chain);
  const double with = -weight_at_joint_2(e.chain), without = -weight_at_joint_2(straight);
  const double share = (with - without) / with, left = first_acceleration(straight)[1];
  items.add(
      ItemKind::kClaim, "section 4: joint 2 turns positive \"due to the length, a_3 = 0.02\"",
      "by a_3",
      fmt::format(
          "with a_3 = 0 the weight's moment about joint 2 is {:.1f} N m in place of {:.1f}, "
          "θ̈_2(0) = {:.3f} rad/s²",
          without, with, left),
      share > 0.5 || left <= 0.0,
      fmt::format("{:.0f} % of the moment are due to a_3: the level upper arm and what it carries "
                  "fall that way in any case",
                  100.0 * share));
}

// The moment from which on a deviation grows by more than `rate`, 1/s.
double grows_from(const SahaExperiment& e, double rate) {
  double time = 10.0;
  while (time > 3.5 && saha_growth(e, time - 0.05) > rate) time -= 0.05;
  return time;
}

void puma_forced(PaperItems& items, const SahaExperiment& e) {
  const SahaMotion rkf = saha_forced(e), wanted = saha_wanted(e);
  saha_figure_5(items, "ii", e, rkf);
  const SahaMotion dopri = saha_forced(e, saha_options(Integrator::kDopri5));
  const SahaMotion coarse = saha_forced(e, saha_options(Integrator::kSemiImplicit));
  std::vector<Chart> charts = saha_joint_charts(
      e, {{"RKF", &rkf}, {"trajectory (18)", &wanted, true}}, &SahaMotion::joint, "rad", "m");
  saha_show_around(charts);
  const std::vector<SahaNamed> runs = {
      {"RKF", &rkf}, {"Dormand-Prince", &dopri}, {"first order, ΔT", &coarse}};
  charts.push_back(saha_deviation_chart(runs, "largest deviation from (18)"));
  std::string stages;
  for (const double t : {1.0, 2.0, 3.5, 4.0, 5.0, 6.0, 6.5, 7.0, 7.5, 8.0, 9.0}) {
    fmt::format_to(std::back_inserter(stages), "{}{:.1e} at {} s", stages.empty() ? "" : ", ",
                   rkf.deviation[SahaMotion::index(t)], t);
  }
  items.figure(
      "Fig. 6(ii), PUMA, forced, positions of joints (a)-(f)",
      "deviates from the trajectory (18) after about 6 s",
      fmt::format("a joint 0.01 off: {}; the deviation by RKF: {}", saha_departures(runs), stages),
      std::abs(rkf.departure() - 6.0) < 0.5, std::move(charts),
      fmt::format(
          "deviations grow as e^({:.1f} t) at first, as e^({:.1f} t) at 5 s and again by "
          "more than e^t from {:.1f} s on, e^({:.1f} t) at 8 s: what begins at about 6 s is the "
          "second unstable stretch. How large the deviation is by then is the "
          "integrator's error: 0.01 after {:.1f} s with a method of first order at ΔT, "
          "after {:.1f} s with RKF at 1e-6",
          saha_growth(e, 1.0), saha_growth(e, 5.0), grows_from(e, 1.0), saha_growth(e, 8.0),
          coarse.departure(), rkf.departure()));
  items.add(ItemKind::kClaim,
            "section 4: the in-house RKF is \"very close to the other established\" ones",
            "RKF, ABM, DVERK close",
            fmt::format("PUMA, RKF and Dormand-Prince at 1e-6: {:.1e} apart at 4 s, {:.1e} at 6 s, "
                        "{:.1e} at 8 s",
                        (rkf.at(4.0) - dopri.at(4.0)).cwiseAbs().maxCoeff(),
                        (rkf.at(6.0) - dopri.at(6.0)).cwiseAbs().maxCoeff(),
                        (rkf.at(8.0) - dopri.at(8.0)).cwiseAbs().maxCoeff()),
            (rkf.at(6.0) - dopri.at(6.0)).cwiseAbs().maxCoeff() < 0.01,
            "as long as both follow the trajectory");
}

}  // namespace

void saha_puma(PaperItems& items, const std::function<void(double)>& progress) {
  const SahaExperiment e = saha_experiment("puma560");
  puma_fall(items, e);
  puma_forced(items, e);
  progress(0.95);
}

}  // namespace dyn::tool
