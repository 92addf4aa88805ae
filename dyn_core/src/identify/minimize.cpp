#include "minimize.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "possible_body.hpp"

namespace dyn {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

double body_divergence(const BodyParameters& elements) {
  const Eigen::Matrix4d S = symmetric(elements);
  const Eigen::LLT<Eigen::Matrix4d> llt(S);
  if (llt.info() != Eigen::Success) return kImpossible;
  const double log_det = 2.0 * llt.matrixLLT().diagonal().array().log().sum();
  return S.trace() - log_det - 4.0;
}

void add_body_derivatives(double weight, Index first, const VecXd& z, VecXd& gradient,
                          MatXd& hessian) {
  const Eigen::Matrix4d inverse = symmetric(z.segment<10>(first)).inverse();
  Eigen::Matrix4d change[10];  // of the inverse, but for the sign
  for (Index i = 0; i < 10; ++i) {
    const Eigen::Matrix4d unit = symmetric(BodyParameters::Unit(i));
    change[i] = inverse * unit * inverse;
    gradient[first + i] += weight * (unit.trace() - inverse.cwiseProduct(unit).sum());
    for (Index j = 0; j <= i; ++j) {
      const double element = weight * change[j].cwiseProduct(unit).sum();
      hessian(first + i, first + j) += element;
      if (i != j) hessian(first + j, first + i) += element;
    }
  }
}

}  // namespace

VecXd Prior::start() const {
  VecXd z = VecXd::Zero(size_);
  for (const Block& block : blocks_) {
    if (block.kind == Kind::kBody) z.segment<4>(block.first).setOnes();
    if (block.kind == Kind::kPositive) z[block.first] = 1.0;
  }
  return z;
}

double Prior::value(const VecXd& z) const {
  double sum = 0.0;
  for (const auto& [kind, weight, first] : blocks_) {
    switch (kind) {
      case Kind::kBody:
        sum += weight * body_divergence(z.segment<10>(first));
        break;
      case Kind::kPositive:
        sum += z[first] > 0.0 ? weight * (z[first] - std::log(z[first]) - 1.0) : kImpossible;
        break;
      case Kind::kNumber:
        sum += 0.5 * weight * z[first] * z[first];
        break;
    }
  }
  return sum;
}

void Prior::add_derivatives(const VecXd& z, VecXd& gradient, MatXd& hessian) const {
  for (const auto& [kind, weight, first] : blocks_) {
    switch (kind) {
      case Kind::kBody:
        add_body_derivatives(weight, first, z, gradient, hessian);
        break;
      case Kind::kPositive:
        gradient[first] += weight * (1.0 - 1.0 / z[first]);
        hessian(first, first) += weight / (z[first] * z[first]);
        break;
      case Kind::kNumber:
        gradient[first] += weight * z[first];
        hessian(first, first) += weight;
        break;
    }
  }
}

VecXd Prior::curvature() const {
  VecXd gradient = VecXd::Zero(size_);
  MatXd hessian = MatXd::Zero(size_, size_);
  add_derivatives(start(), gradient, hessian);
  return hessian.diagonal();
}

VecXd minimize(const MatXd& H, const VecXd& b, const Prior& prior, VecXd z, int& steps) {
  constexpr int kMost = 200;
  constexpr double kNothing = 1e-8;  // of the cost, which is of the order of one for each unknown
  const auto cost = [&](const VecXd& at) {
    const double divergence = prior.value(at);
    return std::isfinite(divergence) ? at.dot(0.5 * (H * at) - b) + divergence : kImpossible;
  };
  double now = cost(z);
  for (int step = 0; step < kMost; ++step) {
    VecXd gradient = H * z - b;
    MatXd hessian = H;
    prior.add_derivatives(z, gradient, hessian);
    const VecXd direction = hessian.llt().solve(-gradient);
    const double decrease = -gradient.dot(direction);
    if (!(decrease > kNothing)) break;
    ++steps;
    double share = 1.0, next = cost(z + direction);
    while (share > 1e-12 && !(next <= now - 0.1 * share * decrease + 1e-14 * std::abs(now))) {
      share *= 0.5;
      next = cost(z + share * direction);
    }
    if (share <= 1e-12) break;
    z += share * direction;
    now = next;
  }
  return z;
}

}  // namespace dyn
