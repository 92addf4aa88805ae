#include "kozlowski_case.hpp"

#include <algorithm>
#include <cmath>

#include "dyn_core/papers/saha_2003/udut.hpp"
#include "dyn_core/registry.hpp"
#include "dyn_core/robot/random_chain.hpp"

namespace dyn::tool {

MatXd kozlowski_values(const MatX<Dual>& m) {
  return m.unaryExpr([](const Dual& d) { return d.value; }).cast<double>();
}
MatXd kozlowski_rates(const MatX<Dual>& m) {
  return m.unaryExpr([](const Dual& d) { return Dual(d.rate); }).cast<double>();
}
double kozlowski_off(const MatXd& found, const MatXd& expected, double size) {
  const double scale = std::max({size, expected.cwiseAbs().maxCoeff(), 1e-300});
  return (found - expected).cwiseAbs().maxCoeff() / scale;
}

namespace {

VecX<Dual> kozlowski_dual(const VecXd& value, const VecXd& rate) {
  VecX<Dual> v(value.size());
  for (Index i = 0; i < v.size(); ++i) v[i] = Dual(value[i], rate[i]);
  return v;
}

template <class Scalar>
std::vector<JointPose<Scalar>> kozlowski_poses(const Model& model, const VecX<Scalar>& q) {
  std::vector<JointPose<Scalar>> poses(static_cast<std::size_t>(model.size()));
  joint_poses<Scalar>(model, q, poses);
  return poses;
}

// M along q̇ = `rate`, base to tip.
MatX<Dual> kozlowski_mass_matrix(const Model& model, const VecXd& q, const VecXd& rate) {
  MatX<Dual> M(model.size(), model.size());
  const auto poses = kozlowski_poses<Dual>(model, kozlowski_dual(q, rate));
  find(mass_matrix_algorithms<Dual>(), "crba")->make(model)->mass_matrix(model, poses, M);
  return M;
}

VecXd kozlowski_torque(const Model& model, Joints<double> joints, const VecXd& qd,
                       const VecXd& qdd) {
  VecXd tau(model.size());
  find(inverse_dynamics_algorithms<double>(), "rnea")
      ->make(model)
      ->inverse_dynamics(model, joints, model.gravity(), qd, qdd, tau);
  return tau.reverse();
}

}  // namespace

KozlowskiCase::KozlowskiCase(const ChainPtr& chain, std::uint64_t seed)
    : model(chain),
      q(Random(seed).vector(model.size(), 3.0)),
      qd(Random(seed + 1).vector(model.size(), 1.5)),
      qdd(Random(seed + 2).vector(model.size(), 2.0)),
      poses(kozlowski_poses<double>(model, q)),
      theta_ddot(qdd.reverse()),
      tau(kozlowski_torque(model, poses, qd, qdd)),
      o(model, poses, qd, model.gravity()),
      moving(model, kozlowski_poses<Dual>(model, kozlowski_dual(q, qd)), kozlowski_dual(qd, qdd),
             model.gravity()),
      to_base(MatX<Dual>::Zero(6 * o.N, 6 * o.N)) {
  for (Index k = 0; k < o.N; ++k) {
    to_base.block<6, 6>(6 * k, 6 * k) = kozlowski::twice_on_diagonal(moving.links(k + 1).to_base);
  }
  factorise();
  differentiate();
}

// M = U D Uᵀ = m m* with its exact derivative along the motion.
void KozlowskiCase::factorise() {
  const Index n = o.N;
  const MatX<Dual> M = kozlowski_mass_matrix(model, q, qd);
  MatX<Dual> U(n, n);
  VecX<Dual> pivots(n);
  (void)factor_udut<Dual>(M, U, pivots);
  MatX<Dual> factor = U;
  for (Index k = 0; k < n; ++k) factor.col(k) *= sqrt(pivots[k]);
  mass = kozlowski_values(M).reverse();
  m = kozlowski_values(factor).reverse();
  m_rate = kozlowski_rates(factor).reverse();
  D = kozlowski_values(pivots).reverse();
  D_rate = kozlowski_rates(pivots).reverse();
  const MatXd unit = kozlowski_values(U).reverse(), unit_rate = kozlowski_rates(U).reverse();
  const VecXd theta_dot = qd.reverse();
  nu = m.transpose() * theta_dot;
  xi = unit.transpose() * theta_dot;
  nu_rate = m_rate.transpose() * theta_dot + m.transpose() * theta_ddot;
  xi_rate = unit_rate.transpose() * theta_dot + unit.transpose() * theta_ddot;
}

void KozlowskiCase::differentiate() {
  gradient.resize(o.N);
  for (Index k = 0; k < o.N; ++k) {
    const VecXd along = VecXd::Unit(o.N, k);
    gradient[o.N - 1 - k] = qd.dot(kozlowski_rates(kozlowski_mass_matrix(model, q, along)) * qd);
  }
  const VecXd momentum_rate = m_rate * nu - 0.5 * gradient;
  C_nu = m.triangularView<Eigen::Lower>().solve(momentum_rate);  // (41)
  C_xi = D.cwiseSqrt().cwiseProduct(C_nu) + 0.5 * D_rate.cwiseProduct(xi);
}

const std::vector<KozlowskiCase>& kozlowski_cases() {
  static const std::vector<KozlowskiCase> kCases = [] {
    std::vector<KozlowskiCase> cases;
    cases.emplace_back(random_chain(6, 1995), 1);
    cases.emplace_back(random_chain(3, 7), 2);
    cases.emplace_back(random_chain(2, 11), 3);
    cases.emplace_back(random_chain(5, 12, {.prismatic = 0.4}), 4);
    cases.emplace_back(random_chain(7, 13, {.prismatic = 0.3, .hayati = 0.3}), 5);
    cases.emplace_back(random_chain(1, 14), 6);
    return cases;
  }();
  return kCases;
}

}  // namespace dyn::tool
