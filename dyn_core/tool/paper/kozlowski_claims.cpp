// Kozłowski 1995: what is said of kinetic energy, work, decoupling and quasi-coordinates.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "dyn_core/motion/simulate.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/robot/random_chain.hpp"
#include "kozlowski_case.hpp"

namespace dyn::tool {
namespace kozlowski_paper {

constexpr Index kLinks = 6;

// The recursions that run, at one posture of one arm.
struct Running {
  explicit Running(const ChainPtr& chain) : model(chain), dynamics(model), poses(model.size()) {}

  void stand(const VecXd& q, const VecXd& qd) {
    joint_poses<double>(model, q, poses);
    (void)dynamics.update(model, poses);
    dynamics.set_rates(qd);
  }
  [[nodiscard]] VecXd nu(const VecXd& qd) const {
    VecXd out(model.size());
    dynamics.rates_to_nu(qd, out);
    return out;
  }
  [[nodiscard]] VecXd nu_rate(const VecXd& tau) {
    VecXd out(model.size());
    dynamics.nu_rate(model, model.gravity(), tau, out);
    return out;
  }

  Model model;
  DiagonalizedDynamics<double> dynamics;
  std::vector<JointPose<double>> poses;
};

void work(PaperItems& items) {
  Running arm(random_chain(kLinks, 3));
  Random random(8);
  double worst = 0.0;
  for (int sample = 0; sample < 1000; ++sample) {
    const VecXd qd = random.vector(kLinks, 2.0);
    arm.stand(random.vector(kLinks, 3.0), qd);
    const VecXd nu = arm.nu(qd);
    VecXd C(kLinks);
    arm.dynamics.coriolis_nu(arm.model, C);
    worst = std::max(worst, std::abs(nu.dot(C)) / (nu.norm() * C.norm()));
  }
  items.identity(ItemKind::kClaim, "section 5: C(θ,ν) does no work", "ν* C(θ,ν) = 0", worst, 1e-12,
                 "the recursion that runs, 1000 states of a general arm of six links");
}

// Energy of a free fall of two seconds in each of the three velocities, and how far they end apart.
void energy(PaperItems& items) {
  const ChainPtr chain = random_chain(3, 3);
  SimulationOptions options;
  options.duration = 2.0;
  options.tolerance = 1e-10;
  const VecXd q0 = VecXd::Constant(3, 0.4), qd0 = VecXd::Constant(3, 0.5);
  double drift = 0.0, apart = 0.0, kinetic = 0.0;
  VecXd first;
  for (const Velocities velocities :
       {Velocities::kJoint, Velocities::kNormalized, Velocities::kUnnormalized}) {
    options.velocities = velocities;
    const auto report = simulate(chain, options, free_fall(), q0, qd0);
    if (!report) {
      items.add(ItemKind::kClaim, "section 4: energy along a motion", "", report.error().sentence,
                false, "the simulation ended early");
      return;
    }
    if (velocities == Velocities::kJoint) first = report->q;
    drift = std::max(drift, report->energy_drift);
    apart = std::max(apart, (report->q - first).cwiseAbs().maxCoeff());
    kinetic = report->kinetic_energy;
  }
  items.add(ItemKind::kClaim, "section 4: (40), (44) and the standard equations are one motion",
            "the same motion; energy kept without torques",
            fmt::format(
                "θ after 2 s within {:.0e} rad of one another, energy kept to {:.0e} J of {:.0f} J",
                apart, drift, kinetic),
            apart < 1e-6 && drift < 1e-6 * kinetic,
            "free fall of a general arm of three links under gravity, θ̇, ν and ξ as velocities, "
            "tolerance 1e-10 a step");
}

void decoupling(PaperItems& items) {
  Running arm(random_chain(kLinks, 3));
  Random random(4);
  arm.stand(random.vector(kLinks, 3.0), random.vector(kLinks, 2.0));
  const VecXd tau = random.vector(kLinks, 5.0), rest = arm.nu_rate(tau);
  MatXd response(kLinks, kLinks);
  for (Index k = 0; k < kLinks; ++k) {
    VecXd more(kLinks);
    const VecXd unit = VecXd::Unit(kLinks, k);
    arm.dynamics.epsilon_to_torque(unit, more);
    response.col(k) = arm.nu_rate(tau + more) - rest;
  }
  items.identity(ItemKind::kClaim, "section 1, 4: the mass matrix of ν is the identity",
                 "ε(k) accelerates ν(k) alone, by ε(k)",
                 kozlowski_off(response, MatXd::Identity(kLinks, kLinks)), 1e-9,
                 "one ε(k) raised by 1 at a time; the velocity terms C(θ,ν) stay coupled");
}

// ∮ ν dt once around the square of θ(1), θ(2) with sides 0.2 rad, the others at rest.
double loop_integral(Running& arm) {
  constexpr int kSteps = 200;
  constexpr double kSide = 0.2;
  VecXd sum = VecXd::Zero(arm.model.size());
  for (int side = 0; side < 4; ++side) {
    for (int step = 0; step < kSteps; ++step) {
      const double s = kSide * (step + 0.5) / kSteps;
      VecXd q = VecXd::Constant(arm.model.size(), 0.3), qd = VecXd::Zero(arm.model.size());
      const Index moving = arm.model.size() - 1 - side % 2, other = arm.model.size() - 2 + side % 2;
      q[moving] += side < 2 ? s : kSide - s;
      q[other] += side == 1 || side == 2 ? kSide : 0.0;
      qd[moving] = side < 2 ? 1.0 : -1.0;
      arm.stand(q, qd);
      sum += kSide / kSteps * arm.nu(qd);
    }
  }
  return sum.norm();
}

void quasi_coordinates(PaperItems& items) {
  Running arm(random_chain(3, 3));
  const double loop = loop_integral(arm);
  items.add(ItemKind::kClaim, "section 4: integrating (28) gives no positions",
            "ν are rates of quasi-coordinates",
            fmt::format("around a closed path ∮ ν dt = {:.2e}, not 0", loop), loop > 1e-4,
            "θ(1) and θ(2) of three links once around a square of 0.2 rad");
}

// Gaussian curvature of the metric M(θ) of two links: E, F, G are functions of the outer angle alone.
double curvature(double eccentric) {
  ChainDescription arm = random_chain(2, 1)->description();
  arm.dh[1] = {.a = 1.0};
  arm.links[1].body.com = Vec3d(eccentric, 0.0, 0.0);
  const Model model(std::make_shared<const Chain>(arm));
  const auto metric = [&](double v) {
    std::vector<JointPose<double>> poses(2);
    MatXd M(2, 2);
    joint_poses<double>(model, Eigen::Vector2d(0.0, v), poses);
    find(mass_matrix_algorithms<double>(), "crba")->make(model)->mass_matrix(model, poses, M);
    return M;
  };
  constexpr double kAngle = 1.0, kStep = 1e-4;
  const MatXd here = metric(kAngle), ahead = metric(kAngle + kStep), back = metric(kAngle - kStep);
  const MatXd slope = (ahead - back) / (2.0 * kStep),
              bend = (ahead - 2.0 * here + back) / (kStep * kStep);
  const double E = here(0, 0), F = here(0, 1), G = here(1, 1), g = E * G - F * F;
  const double E_v = slope(0, 0), F_v = slope(0, 1), E_vv = bend(0, 0);
  return (-0.5 * E_vv * g - 0.5 * E_v * F_v * F + 0.25 * E_v * E_v * G) / (g * g);
}

void flatness(PaperItems& items) {
  const double bent = curvature(0.5), flat = curvature(0.0);
  items.add(
      ItemKind::kClaim, "section 1: M(θ) locally flat is rarely satisfied",
      "needed for ν to be the rates of coordinates",
      fmt::format(
          "curvature of two parallel links at θ(1) = 1 rad: {:.2e}; with the outer mass centre on "
          "its axis {:.0e}",
          bent, flat),
      std::abs(bent) > 1e-3 && std::abs(flat) < 1e-4,
      "Gaussian curvature of the metric M(θ), by Brioschi's formula and central differences");
}

}  // namespace kozlowski_paper

void kozlowski_claims(PaperItems& items) {
  using namespace kozlowski_paper;
  work(items);
  energy(items);
  decoupling(items);
  quasi_coordinates(items);
  flatness(items);
}

}  // namespace dyn::tool
