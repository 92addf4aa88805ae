// Saha 2003, section 4: the cycloid (18), the planar arm against its explicit equations, DVERK's order.
#include <array>
#include <cmath>
#include <numbers>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "saha_parts.hpp"
#include "saha_runs.hpp"

namespace dyn::tool {
namespace {

// I θ̈ + C θ̇ + γ = τ of three links whose mass centres lie on their lines, written out, as in J. Angeles,
// Rational Kinematics, 1997. Absolute angles φ_i = θ_1 + … + θ_i have the rates ω_i; gravity g acts
// against φ = 90°.
class ExplicitArm {
 public:
  explicit ExplicitArm(const Chain& chain) {
    for (std::size_t i = 0; i < 3; ++i) {
      const RigidBody& body = chain.links()[i].body;
      m_[i] = body.mass;
      c_[i] = body.com.x();
      I_[i] = body.inertia(2, 2);
      if (i > 0) a_[i - 1] = chain.dh()[i].a;
    }
    g_ = -chain.gravity().z();
    k12_ = a_[0] * (m_[1] * c_[1] + m_[2] * a_[1]);
    k13_ = m_[2] * a_[0] * c_[2];
    k23_ = m_[2] * a_[1] * c_[2];
  }

  [[nodiscard]] Vec3d acceleration(const VecXd& theta, const VecXd& rate, const VecXd& tau) const {
    return inertia(theta).llt().solve(tau - convective(theta, rate) - weight(theta));
  }

 private:
  [[nodiscard]] Mat3d inertia(const VecXd& theta) const {
    const double c2 = std::cos(theta[1]), c3 = std::cos(theta[2]);
    const double c23 = std::cos(theta[1] + theta[2]);
    const double i33 = I_[2] + m_[2] * c_[2] * c_[2];
    const double i32 = i33 + k23_ * c3, i31 = i32 + k13_ * c23;
    const double i22 =
        i33 + 2.0 * k23_ * c3 + I_[1] + m_[1] * c_[1] * c_[1] + m_[2] * a_[1] * a_[1];
    const double i21 = i22 + k12_ * c2 + k13_ * c23;
    const double i11 = i22 + 2.0 * k12_ * c2 + 2.0 * k13_ * c23 + I_[0] + m_[0] * c_[0] * c_[0] +
                       (m_[1] + m_[2]) * a_[0] * a_[0];
    return Mat3d{{i11, i21, i31}, {i21, i22, i32}, {i31, i32, i33}};
  }
  [[nodiscard]] Vec3d convective(const VecXd& theta, const VecXd& rate) const {
    const double w1 = rate[0], w2 = w1 + rate[1], w3 = w2 + rate[2];
    const double s2 = k12_ * std::sin(theta[1]), s3 = k23_ * std::sin(theta[2]);
    const double s23 = k13_ * std::sin(theta[1] + theta[2]);
    const double h3 = s23 * w1 * w1 + s3 * w2 * w2;
    const double h2 = h3 + s2 * w1 * w1 - s3 * w3 * w3;
    return {h2 - s2 * w2 * w2 - s23 * w3 * w3, h2, h3};
  }
  [[nodiscard]] Vec3d weight(const VecXd& theta) const {
    const double phi1 = theta[0], phi2 = phi1 + theta[1], phi3 = phi2 + theta[2];
    const double h3 = g_ * m_[2] * c_[2] * std::cos(phi3);
    const double h2 = h3 + g_ * (m_[1] * c_[1] + m_[2] * a_[1]) * std::cos(phi2);
    const double h1 = h2 + g_ * (m_[0] * c_[0] + (m_[1] + m_[2]) * a_[0]) * std::cos(phi1);
    return {h1, h2, h3};
  }

  std::array<double, 3> m_{}, c_{}, I_{}, a_{};
  double g_ = 0.0, k12_ = 0.0, k13_ = 0.0, k23_ = 0.0;
};

SahaRate explicit_state_space(const SahaExperiment& arm, bool forced) {
  const TorqueInput torques =
      forced ? require(feedforward(arm.chain, arm.wanted, saha_options())) : TorqueInput();
  return [equations = ExplicitArm(*arm.chain), torques](double time, const VecXd& x) {
    VecXd tau = VecXd::Zero(3), out(6);
    if (torques) require(torques(time, x.head(3), x.tail(3), tau), "torques");
    out << x.tail(3), equations.acceleration(x.head(3), x.tail(3), tau);
    return out;
  };
}

struct ExplicitComparison {
  double accelerations = 0.0;  // relative, along the motion
  double parted = 10.0;        // s, when the motions are 1e-6 rad apart
  double at_1 = 0.0, last = 0.0;
  Chart chart;
};

// The same integrator and tolerance for both right-hand sides.
ExplicitComparison compare_with_explicit(const SahaExperiment& arm, bool forced, double tolerance) {
  const SahaRate ours = saha_state_space(arm, forced), theirs = explicit_state_space(arm, forced);
  VecXd x = VecXd::Zero(6);
  x.head(3) = arm.start;
  const std::vector<VecXd> a = saha_verner(ours, x, 10.0, tolerance);
  const std::vector<VecXd> b = saha_verner(theirs, x, 10.0, tolerance);
  ExplicitComparison out;
  Curve apart{.label = "largest difference", .x = {}, .y = {}};
  bool together = true;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double time = 0.01 * static_cast<double>(k);
    const VecXd mine = ours(time, a[k]).tail(3), printed = theirs(time, a[k]).tail(3);
    out.accelerations = std::max(out.accelerations, (mine - printed).cwiseAbs().maxCoeff() /
                                                        (1.0 + printed.cwiseAbs().maxCoeff()));
    const double difference = (a[k] - b[k]).head(3).cwiseAbs().maxCoeff();
    if (together && difference > 1e-6) out.parted = time, together = false;
    if (k == 100) out.at_1 = difference;
    out.last = difference;
    apart.x.push_back(time);
    apart.y.push_back(difference);
  }
  out.chart = {.title = forced ? "forced" : "free fall",
               .x_label = "time, s",
               .y_label = "rad",
               .curves = {apart},
               .log_y = true};
  return out;
}

// Rounding has other figures elsewhere.
std::string apart(double difference) {
  return difference < 1e-11 ? "less than 1e-11" : fmt::format("{:.0e}", difference);
}

void explicit_equations(PaperItems& items) {
  const SahaExperiment arm = saha_experiment("planar3r");
  SahaExperiment level = arm;
  ChainDescription weightless = arm.chain->description();
  weightless.gravity.setZero();
  level.chain = std::make_shared<const Chain>(std::move(weightless));
  for (const bool forced : {false, true}) {
    const ExplicitComparison c = compare_with_explicit(arm, forced, 1e-6);
    const char* what = forced ? "forced" : "free fall";
    items.identity(ItemKind::kExample, fmt::format("planar arm, {}: accelerations", what),
                   "those of the explicit equations, along the motion", c.accelerations, 1e-11);
    items.figure(
        fmt::format("planar arm, {}: motion", what),
        "\"the results … exactly match\" those of the explicit equations over T = 10 s (not drawn)",
        c.parted >= 10.0
            ? fmt::format("apart by {} rad after 1 s and less than 1e-6 after 10 s", apart(c.at_1))
            : fmt::format(
                  "apart by {} rad after 1 s, by 1e-6 after about {:.0f} s, by more than {} "
                  "after 10 s",
                  apart(c.at_1), c.parted, c.last > 1.0 ? "a radian" : "1e-6"),
        c.parted >= 10.0, {c.chart},
        forced ? fmt::format(
                     "rounding alone sets the two apart, and a deviation grows by up to "
                     "e^({:.0f} t): no two programs match to the end, to the eye these do until "
                     "then. In a level plane, without weight, they are apart by {} rad after 10 s",
                     saha_growth(arm, 3.0), apart(compare_with_explicit(level, true, 1e-6).last))
               : "the same integrator for both; the arm's data, which the paper does not print, "
                 "are ours. "
                 "Rounding alone sets the two apart, and the fall is chaotic");
  }
}

void cycloid_18(PaperItems& items) {
  const double pi = std::numbers::pi, T = 10.0;
  const SahaExperiment puma = saha_experiment("puma560"), stanford = saha_experiment("stanford");
  double worst = 0.0;
  for (const double t : {0.0, 1.0, 2.5, 5.0, 8.0, 10.0}) {
    const double printed = 0.5 * (2.0 * pi * t / T - std::sin(2.0 * pi * t / T));
    worst = std::max(worst, (puma.wanted_at(t).array() - printed).abs().maxCoeff());
  }
  items.identity(ItemKind::kEquation, "(18)",
                 "θ_i = ½ [2πt/T - sin(2πt/T)]: the trajectory from 0 to π", worst / pi);
  const VecXd last = stanford.wanted_at(T);
  items.add(
      ItemKind::kErratum, "(18) for the Stanford arm", "½ [2πt/T - sin(2πt/T)]",
      "θ_i(0) + (θ_i(T) - θ_i(0)) / (2π) [2πt/T - sin(2πt/T)]", false,
      fmt::format("as printed it ends at π, and the text has 60° and 0.1 m: by the right form "
                  "θ_2(T) = {:.4f} rad, b_3(T) = {:.3f} m",
                  last[1], last[2]));
}

// DVERK's pair on θ̈ = -θ.
void order_of_dverk(PaperItems& items) {
  const SahaRate swing = [](double, const VecXd& x) { return VecXd{{x[1], -x[0]}}; };
  const auto error = [&](double tolerance) {
    const VecXd x = saha_verner(swing, VecXd{{1.0, 0.0}}, 10.0, tolerance).back();
    return std::hypot(x[0] - std::cos(10.0), x[1] + std::sin(10.0));
  };
  const double coarse = error(1e-6), fine = error(1e-9);
  items.add(ItemKind::kErratum, "section 4: \"DVERK … based on the RKF formula\"",
            "Runge-Kutta-Fehlberg", "Verner's Runge-Kutta pair 6(5)", false,
            fmt::format(
                "T. E. Hull, W. H. Enright, K. R. Jackson, User's guide for DVERK, 1976: that pair "
                "is what runs here; θ̈ = -θ over 10 s is {:.0e} off at tolerance 1e-6, {:.0e} at "
                "1e-9",
                coarse, fine));
}

}  // namespace

void saha_planar_arm(PaperItems& items) {
  cycloid_18(items);
  explicit_equations(items);
  order_of_dverk(items);
}

}  // namespace dyn::tool
