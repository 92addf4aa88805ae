// Motions to compare with, by means that share nothing with the simulation: accelerations from Lagrange's
// equations with the brute-force mass matrix and its exact derivatives, integrated by Gauss' implicit
// Runge-Kutta method of order 8.
#pragma once

#include <array>
#include <cmath>
#include <functional>

#include <Eigen/Dense>

#include "dyn_core/math/dual.hpp"
#include "support.hpp"

namespace dyn::test {

/// M q̈ = tau - Ṁ q̇ + ∂(½ q̇ᵀ M q̇ - V)/∂q.
class LagrangeEquations {
 public:
  explicit LagrangeEquations(ChainPtr chain) : chain_(std::move(chain)) {}

  [[nodiscard]] VecXd acceleration(const VecXd& q, const VecXd& qd, const VecXd& tau) const {
    const Index n = q.size();
    VecX<Dual> moving(n);
    for (Index i = 0; i < n; ++i) moving[i] = {q[i], qd[i]};
    const MatX<Dual> M = brute_force_mass_matrix<Dual>(chain_, moving);
    VecXd force = tau;
    MatXd inertia(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        inertia(i, j) = M(i, j).value;
        force[i] -= M(i, j).rate * qd[j];
      }
      force[i] += lagrangian_derivative(q, qd, i);
    }
    return inertia.llt().solve(force);
  }

 private:
  [[nodiscard]] double lagrangian_derivative(const VecXd& q, const VecXd& qd,
                                             Index direction) const {
    VecX<Dual> moved = q.cast<Dual>();
    moved[direction].rate = 1.0;
    const MatX<Dual> M = brute_force_mass_matrix<Dual>(chain_, moved);
    const VecX<Dual> rates = qd.cast<Dual>();
    Dual lagrangian = Dual(0.5) * rates.dot(VecX<Dual>(M * rates));
    Kinematics<Dual> kinematics(chain_);
    EXPECT_EQ(kinematics.update(moved), Status::kOk);
    for (Index i = 0; i < chain_->joint_count(); ++i) {
      const RigidBody& body = chain_->links()[static_cast<std::size_t>(i)].body;
      const Vec3<Dual> com = kinematics.dh_pose(i) * Vec3<Dual>(body.com.cast<Dual>());
      lagrangian += Dual(body.mass) * com.dot(Vec3<Dual>(chain_->gravity().cast<Dual>()));
    }
    return lagrangian.rate;
  }

  ChainPtr chain_;
};

/// Gauss' method of order 8 for x' = f(x), `steps` equal steps over `duration`.
template <class Real>
class Gauss8 {
 public:
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Rate = std::function<Vector(const Vector&)>;

  Gauss8() {
    // The roots of Legendre's polynomial, moved to [0, 1]; the method is exact for x' = t^k, k < 4.
    const Real inner = std::sqrt((3 - 2 * std::sqrt(Real(1.2L))) / 7) / 2;
    const Real outer = std::sqrt((3 + 2 * std::sqrt(Real(1.2L))) / 7) / 2;
    const std::array<Real, 4> c = {Real(0.5) - outer, Real(0.5) - inner, Real(0.5) + inner,
                                   Real(0.5) + outer};
    Matrix powers, stage_integrals;
    Eigen::Matrix<Real, 1, 4> integrals;
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < 4; ++i) {
        const Real node = c[static_cast<std::size_t>(i)];
        powers(i, k) = std::pow(node, k);
        stage_integrals(i, k) = std::pow(node, k + 1) / (k + 1);
      }
      integrals[k] = Real(1) / (k + 1);
    }
    const Matrix inverse = powers.inverse();
    a_ = stage_integrals * inverse;
    b_ = integrals * inverse;
  }

  [[nodiscard]] Vector integrate(const Rate& rate, Vector x, double duration, int steps) const {
    const Real h = Real(duration) / steps;
    std::array<Vector, 4> k;
    k.fill(rate(x));
    for (int step = 0; step < steps; ++step) {
      Real change = 1;
      for (int iteration = 0; iteration < 60 && change > 0; ++iteration) {
        change = 0;
        for (int i = 0; i < 4; ++i) {
          Vector stage = x;
          for (int j = 0; j < 4; ++j) stage += h * a_(i, j) * k[static_cast<std::size_t>(j)];
          Vector next = rate(stage);
          Vector& slope = k[static_cast<std::size_t>(i)];
          const Real difference = (next - slope).cwiseAbs().maxCoeff();
          const Real negligible =
              8 * std::numeric_limits<Real>::epsilon() * (1 + next.cwiseAbs().maxCoeff());
          if (difference > negligible) change = std::max(change, difference);
          slope = std::move(next);
        }
      }
      for (int i = 0; i < 4; ++i) x += h * b_[i] * k[static_cast<std::size_t>(i)];
    }
    return x;
  }

 private:
  using Matrix = Eigen::Matrix<Real, 4, 4>;
  Matrix a_;
  Eigen::Matrix<Real, 1, 4> b_;
};

/// Positions, then velocities, after a free fall of `duration`.
inline VecXd reference_fall(const ChainPtr& chain, const VecXd& q0, double duration, int steps) {
  const LagrangeEquations equations(chain);
  const Index n = q0.size();
  VecXd x = VecXd::Zero(2 * n);
  x.head(n) = q0;
  const auto rate = [&](const VecXd& state) {
    VecXd out(2 * n);
    out << state.tail(n), equations.acceleration(state.head(n), state.tail(n), VecXd::Zero(n));
    return out;
  };
  return Gauss8<double>().integrate(rate, x, duration, steps);
}

}  // namespace dyn::test
