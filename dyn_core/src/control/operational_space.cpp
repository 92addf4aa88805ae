#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "dyn_core/control/task.hpp"

namespace dyn {

TaskParameters::TaskParameters(const Chain& chain) {
  constexpr double kStiffness = 500.0, kTurnStiffness = 20.0, kTimes = 10.0;
  stiffness << Vec3d::Constant(kStiffness), Vec3d::Constant(kTurnStiffness);
  for (const Link& link : chain.links()) heaviest += kTimes * link.body.mass;
}

Vec3d rotation_vector(const Mat3d& R) noexcept {
  const Eigen::Quaterniond q(R);
  const double sine = q.vec().norm();
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  constexpr double kSmall = 1e-9;
  const double scale = sine > kSmall ? 2.0 * std::atan2(sine, std::abs(q.w())) / sine : 2.0;
  return sign * scale * q.vec();
}

Mat3d rotation_about(const Vec3d& v) noexcept {
  const double angle = v.norm();
  if (!(angle > 0.0)) return Mat3d::Identity();
  return Eigen::AngleAxisd(angle, v / angle).toRotationMatrix();
}

Vec3d rotation_moment(const Mat3d& R, const Vec3d& stiffness, double* energy) noexcept {
  const Eigen::Quaterniond q(R);
  const Vec3d pull = stiffness.cwiseProduct(q.vec());
  if (energy != nullptr) *energy = 2.0 * q.vec().dot(pull);
  return 2.0 * (q.w() * pull - q.vec().cross(pull));  // (1)
}

Vec6<double> TaskParameters::selected() const noexcept {
  Vec6<double> out;
  for (Index i = 0; i < 6; ++i) out[i] = select[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  return out;
}

OperationalSpace::OperationalSpace(const TaskParameters& parameters, Index dof, bool all)
    : frame_(parameters.frame),
      selected_(all ? Vec6<double>(Vec6<double>::Ones()) : parameters.selected()),
      heaviest_(parameters.heaviest),
      jacobian_(Rows::Zero(6, dof)),
      mobility_(jacobian_),
      inertia_(Square::Zero()),
      bounded_(inertia_),
      kept_(Vec6<double>::Zero()) {
  scale_ << Vec3d::Ones(), Vec3d::Constant(parameters.length);
}

Vec6<double> OperationalSpace::to_task(const Vec6<double>& motion) const noexcept {
  Vec6<double> out;
  out << frame_.transpose() * motion.head<3>(), frame_.transpose() * motion.tail<3>();
  return as_motion(out);
}

void OperationalSpace::update(const MatXd& jacobian, const MatXd& U, const VecXd& D) noexcept {
  const Index n = D.size();
  for (Index k = 0; k < n; ++k) jacobian_.col(k) = to_task(jacobian.col(k));
  mobility_ = jacobian_;  // J (U D Uᵀ)⁻¹, all rows at once
  for (Index k = n - 1; k > 0; --k) {
    for (Index i = 0; i < k; ++i) mobility_.col(i) -= U(i, k) * mobility_.col(k);
  }
  for (Index k = 0; k < n; ++k) {
    mobility_.col(k) /= D[k];
    for (Index i = 0; i < k; ++i) mobility_.col(k) -= U(i, k) * mobility_.col(i);
  }
  Mat6<double> A = Mat6<double>::Zero();
  for (Index k = 0; k < n; ++k) A.noalias() += mobility_.col(k) * jacobian_.col(k).transpose();
  // No direction is heavier than the sum of all: then (2) is the inverse.
  const Eigen::LLT<Mat6<double>> factor(A);
  if (factor.info() == Eigen::Success) {
    inertia_ = factor.solve(Mat6<double>::Identity());
    if (inertia_.trace() <= heaviest_) {
      bounded_ = inertia_;
      kept_.setOnes();
      return;
    }
  }
  regularise(A);
}

void OperationalSpace::regularise(const Mat6<double>& A) noexcept {
  const Eigen::SelfAdjointEigenSolver<Mat6<double>> eigen(A);
  Vec6<double> h, weight, most;
  for (Index i = 0; i < 6; ++i) {
    const double square = std::max(eigen.eigenvalues()[i], 0.0), x = square * heaviest_;
    h[i] = x < 1.0 ? heaviest_ * x * (3.0 - 2.0 * x) : 1.0 / square;  // (2)
    weight[i] = h[i] * square;
    most[i] = x < 1.0 ? heaviest_ : h[i];
  }
  const Mat6<double>& V = eigen.eigenvectors();
  inertia_.noalias() = V * h.asDiagonal() * V.transpose();
  bounded_.noalias() = V * most.asDiagonal() * V.transpose();
  kept_ = V.cwiseAbs2() * weight;
}

}  // namespace dyn
