// A chain in motion, its operators as printed, and how near two results have to be.
#pragma once

#include <algorithm>
#include <limits>

#include <Eigen/Eigenvalues>

#include "dyn_core/papers/kozlowski_1995/diagonalized_derivatives.hpp"
#include "motion/motion_case.hpp"

namespace dyn::test {

/// What one test compares: matrices over joints are in the paper's order, from tip to base.
struct PrintedCase {
  explicit PrintedCase(Case& c_in, const Vec3d& gravity = Vec3d::Zero())
      : c(c_in),
        o(c.model, c.poses, c.qd, gravity),
        reference(c),
        armature(c.model.has_armature()) {
    const MatXd M = c.mass_matrix<double>(c.q);
    const VecXd values = M.selfadjointView<Eigen::Lower>().eigenvalues();
    condition = values[c.n - 1] / values[0];
  }
  /// Equal but for rounding, of numbers as large as `size`.
  void expect(const MatXd& found, const MatXd& expected, const char* what,
              double size = 0.0) const {
    const double tolerance = 20.0 * std::numeric_limits<double>::epsilon() * condition;
    EXPECT_LE(largest(found - expected), tolerance * (1.0 + std::max(size, largest(expected))))
        << what;
  }
  /// The operators as they change along the motion, joint accelerations as given.
  [[nodiscard]] kozlowski::SpatialOperators<Dual> moving(const VecXd& qdd) const {
    return {c.model, poses_of<Dual>(c.model, dual(c.q, c.qd)), dual(c.qd, qdd)};
  }

  Case& c;
  kozlowski::SpatialOperators<double> o;
  Reference reference;
  bool armature;
  double condition = 1.0;
};

inline MatXd reversed(const MatXd& m) { return kozlowski::paper_order<double>(m); }
inline VecXd reversed(const VecXd& v) { return kozlowski::paper_order<double>(v); }

template <class Body>
void for_all_printed(Body body) {
  for_all(7, [&](Case& c) {
    const PrintedCase p(c);
    body(p);
  });
}
/// HG = 1 holds for these only.
template <class Body>
void for_all_printed_without_armature(Body body) {
  for_all_printed([&](const PrintedCase& p) {
    if (!p.armature) body(p);
  });
}

}  // namespace dyn::test
