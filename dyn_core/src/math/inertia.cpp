#include "dyn_core/math/inertia.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace dyn {
namespace {

// Inertia of a unit mass at `r`, about the origin.
Mat3d point_inertia(const Vec3d& r) {
  return r.squaredNorm() * Mat3d::Identity() - r * r.transpose();
}

using Severity = InertiaIssue::Severity;

void add(std::vector<InertiaIssue>& issues, Severity severity, std::string text) {
  issues.emplace_back().severity = severity;
  issues.back().text = std::move(text);
}

// Numbers of six digits or so make up a moment: what is below is zero. So is what a tenth of a
// millimetre does to a body of that mass, and what no body of this world has.
double rounding_of(double largest_moment, double mass) {
  constexpr double kDigits = 1e-8, kLength = 1e-4, kNothing = 1e-15;  // -, m, kg m²
  return std::max({kDigits * largest_moment, std::abs(mass) * kLength * kLength, kNothing});
}

void check_moments(const Vec3d& moments, double mass, std::vector<InertiaIssue>& issues) {
  const double largest = moments.cwiseAbs().maxCoeff();
  const double tolerance = rounding_of(largest, mass);
  if (moments[0] < -tolerance) {
    add(issues, Severity::kError,
        fmt::format("its inertia is not positive semi-definite: principal moments "
                    "{:.4g}, {:.4g}, {:.4g} kg m²",
                    moments[0], moments[1], moments[2]));
  } else if (moments[0] + moments[1] < moments[2] - tolerance) {
    add(issues, Severity::kWarning,
        fmt::format("its inertia breaks the triangle inequality: principal moments "
                    "{:.4g} + {:.4g} < {:.4g} kg m², which no mass distribution has",
                    moments[0], moments[1], moments[2]));
  }
  if (mass == 0.0 && largest > 0.0) {
    add(issues, Severity::kWarning, "it has an inertia but no mass");
  }
}

void check_size(const RigidBody& body, double largest, double reach,
                std::vector<InertiaIssue>& issues) {
  if (body.mass <= 0.0) return;
  const double gyration = std::sqrt(std::max(largest, 0.0) / body.mass);
  if (reach > 0.0 && gyration > 2.0 * reach) {
    add(issues, Severity::kWarning,
        fmt::format("its inertia is implausibly large: a radius of gyration of {:.3g} m "
                    "on a robot {:.3g} m long (a placeholder?)",
                    gyration, reach));
  } else if (gyration < 1e-4) {
    add(issues, Severity::kWarning,
        fmt::format("its inertia is implausibly small: a radius of gyration of {:.3g} m "
                    "(a placeholder?)",
                    gyration));
  }
  if (reach > 0.0 && body.com.norm() > 2.0 * reach) {
    add(issues, Severity::kWarning,
        fmt::format("its centre of mass is {:.3g} m from its frame on a robot {:.3g} m "
                    "long",
                    body.com.norm(), reach));
  }
}

}  // namespace

Mat3d RigidBody::inertia_about_origin() const { return inertia + mass * point_inertia(com); }

RigidBody RigidBody::expressed_in(const Posed& pose) const {
  return {mass, pose * com, pose.R * inertia * pose.R.transpose()};
}

RigidBody operator+(const RigidBody& a, const RigidBody& b) {
  RigidBody sum;
  sum.mass = a.mass + b.mass;
  if (sum.mass != 0.0) sum.com = (a.mass * a.com + b.mass * b.com) / sum.mass;
  sum.inertia = a.inertia + a.mass * point_inertia(a.com - sum.com) + b.inertia +
                b.mass * point_inertia(b.com - sum.com);
  return sum;
}

std::vector<InertiaIssue> check(const RigidBody& body, double reach) {
  std::vector<InertiaIssue> issues;
  if (!std::isfinite(body.mass) || !body.com.allFinite() || !body.inertia.allFinite()) {
    add(issues, Severity::kError, "its mass, centre of mass or inertia is not finite");
    return issues;
  }
  if (body.mass < 0.0) {
    add(issues, Severity::kError, fmt::format("its mass is negative: {:.6g} kg", body.mass));
  }
  const Vec3d moments =
      Eigen::SelfAdjointEigenSolver<Mat3d>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  check_moments(moments, body.mass, issues);
  check_size(body, moments.cwiseAbs().maxCoeff(), reach, issues);
  return issues;
}

}  // namespace dyn
