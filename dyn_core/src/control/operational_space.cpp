#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "dyn_core/control/task.hpp"

namespace dyn {
namespace {

// A = G Gᵀ and F = G⁻ᵀ; false where A is not positive definite. Above its diagonal
// G is left as it comes.
bool factor(const Mat6<double>& A, Mat6<double>& G, Mat6<double>& F) noexcept {
  for (Index j = 0; j < 6; ++j) {
    Vec6<double> column = A.col(j), inverse = Vec6<double>::Unit(j);
    for (Index k = 0; k < j; ++k) {
      const double x = G(j, k);
      column -= x * G.col(k);
      inverse -= x * F.col(k);
    }
    if (!(column[j] > 0.0)) return false;
    const double root = 1.0 / std::sqrt(column[j]);
    G.col(j) = root * column;
    F.col(j) = root * inverse;
  }
  return true;
}

// Σ x yᵀ, begun with the first.
void add_product(const Vec6<double>& x, const Vec6<double>& y, bool first, Mat6<double>& sum) {
  for (Index i = 0; i < 6; ++i) {
    const Vec6<double> part = y[i] * x;
    sum.col(i) = first ? part : Vec6<double>(sum.col(i) + part);
  }
}

}  // namespace

TaskParameters::TaskParameters(const Chain& chain) {
  constexpr double kStiffness = 500.0, kTurnStiffness = 20.0, kTimes = 10.0;
  stiffness << Vec3d::Constant(kStiffness), Vec3d::Constant(kTurnStiffness);
  for (const Link& link : chain.links()) heaviest += kTimes * link.body.mass;
}

Vec3d rotation_vector(const Quaternion& q) noexcept {
  const double sine = q.vec().norm();
  const double sign = q.w() < 0.0 ? -1.0 : 1.0;
  constexpr double kSmall = 1e-9;
  const double scale = sine > kSmall ? 2.0 * std::atan2(sine, std::abs(q.w())) / sine : 2.0;
  return sign * scale * q.vec();
}

Vec3d rotation_vector(const Mat3d& R) noexcept { return rotation_vector(Quaternion(R)); }

Mat3d rotation_about(const Vec3d& v) noexcept {
  const double angle = v.norm();
  if (!(angle > 0.0)) return Mat3d::Identity();
  return Eigen::AngleAxisd(angle, v / angle).toRotationMatrix();
}

Vec3d rotation_moment(const Quaternion& q, const Vec3d& stiffness, double* energy) noexcept {
  const Vec3d pull = stiffness.cwiseProduct(q.vec());
  if (energy != nullptr) *energy = 2.0 * q.vec().dot(pull);
  return 2.0 * (q.w() * pull - q.vec().cross(pull));  // (1)
}

Vec3d rotation_moment(const Mat3d& R, const Vec3d& stiffness, double* energy) noexcept {
  return rotation_moment(Quaternion(R), stiffness, energy);
}

Vec6<double> TaskParameters::selected() const noexcept {
  Vec6<double> out;
  for (Index i = 0; i < 6; ++i) out[i] = select[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  return out;
}

OperationalSpace::OperationalSpace(const TaskParameters& parameters, Index dof, bool all)
    : selected_(all ? Vec6<double>(Vec6<double>::Ones()) : parameters.selected()),
      heaviest_(parameters.heaviest),
      jacobian_(Rows::Zero(6, dof)),
      mobility_(jacobian_),
      inertia_(Square::Zero()),
      root_(inertia_),
      inverse_root_(inertia_),
      kept_(Vec6<double>::Zero()) {
  scale_ << Vec3d::Ones(), Vec3d::Constant(parameters.length);
  const Vec6<double> kept = scale_.cwiseProduct(selected_);
  linear_ = kept.head<3>().asDiagonal() * parameters.frame.transpose();
  angular_ = kept.tail<3>().asDiagonal() * parameters.frame.transpose();
}

Vec6<double> OperationalSpace::to_task(const Vec6<double>& motion) const noexcept {
  Vec6<double> out;
  out.head<3>() = linear_ * motion.head<3>();
  out.tail<3>() = angular_ * motion.tail<3>();
  return out;
}

void OperationalSpace::update(const MatXd& jacobian, const MatXd& U, const VecXd& D) noexcept {
  const Index n = D.size();
  for (Index k = 0; k < n; ++k) jacobian_.col(k) = to_task(jacobian.col(k).head<6>());
  mobility_ = jacobian_;  // J (U D Uᵀ)⁻¹, all rows at once
  Mat6<double> A;
  for (Index k = n - 1; k >= 0; --k) {
    const Vec6<double> x = mobility_.col(k), share = x * (1.0 / D[k]);
    for (Index i = 0; i < k; ++i) mobility_.col(i) -= U(i, k) * x;
    add_product(share, x, k == n - 1, A);
    mobility_.col(k) = share;
  }
  for (Index k = 1; k < n; ++k) {
    Vec6<double> x = mobility_.col(k);
    for (Index i = 0; i < k; ++i) x -= U(i, k) * mobility_.col(i);
    mobility_.col(k) = x;
  }
  // No direction is heavier than the sum of all: then (2) is the inverse.
  Mat6<double> G, F, inertia;
  if (!factor(A, G, F) || !(F.squaredNorm() <= heaviest_)) return regularise(A);
  for (Index k = 0; k < 6; ++k) add_product(F.col(k), F.col(k), k == 0, inertia);
  inertia_ = inertia;
  root_ = F;
  inverse_root_ = G.triangularView<Eigen::Lower>().transpose();
  kept_.setOnes();
}

void OperationalSpace::regularise(const Mat6<double>& A) noexcept {
  const Eigen::SelfAdjointEigenSolver<Mat6<double>> eigen(A);
  Vec6<double> h, weight, most;
  for (Index i = 0; i < 6; ++i) {
    const double square = std::max(eigen.eigenvalues()[i], 0.0), x = square * heaviest_;
    h[i] = x < 1.0 ? heaviest_ * x * (3.0 - 2.0 * x) : 1.0 / square;  // (2)
    weight[i] = h[i] * square;
    most[i] = std::sqrt(x < 1.0 ? heaviest_ : h[i]);
  }
  const Mat6<double>& V = eigen.eigenvectors();
  inertia_.noalias() = V * h.asDiagonal() * V.transpose();
  root_.noalias() = V * most.asDiagonal();
  inverse_root_.noalias() = most.cwiseInverse().asDiagonal() * V.transpose();
  kept_ = V.cwiseAbs2() * weight;
}

}  // namespace dyn
