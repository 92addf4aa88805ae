// Christoffel symbols and gravity torques by exact derivatives of brute-force sums.
#pragma once

#include <vector>

#include "dyn_core/math/dual.hpp"
#include "support.hpp"

namespace dyn::test {

/// `q` moving along coordinate `k`, or along `direction`.
inline VecX<Dual> moving(const VecXd& q, const VecXd& direction) {
  VecX<Dual> x(q.size());
  for (Index i = 0; i < q.size(); ++i) x[i] = Dual(q[i], direction[i]);
  return x;
}
inline VecX<Dual> moving(const VecXd& q, Index k) {
  return moving(q, VecXd(VecXd::Unit(q.size(), k)));
}

template <class Derived>
auto values(const Eigen::MatrixBase<Derived>& m) {
  return m.unaryExpr([](const Dual& x) { return x.value; }).eval();
}
template <class Derived>
auto rates(const Eigen::MatrixBase<Derived>& m) {
  return m.unaryExpr([](const Dual& x) { return x.rate; }).eval();
}

/// c[i](j, k) = (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i) / 2.
inline std::vector<MatXd> brute_force_christoffel(const ChainPtr& chain, const VecXd& q) {
  const Index n = q.size();
  std::vector<MatXd> dM, c(static_cast<std::size_t>(n), MatXd(n, n));
  for (Index k = 0; k < n; ++k) {
    dM.push_back(rates(brute_force_mass_matrix<Dual>(chain, moving(q, k))));
  }
  const auto d = [&](Index k) -> const MatXd& { return dM[static_cast<std::size_t>(k)]; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        c[static_cast<std::size_t>(i)](j, k) = 0.5 * (d(k)(i, j) + d(j)(i, k) - d(i)(j, k));
      }
    }
  }
  return c;
}

/// C_ij = Σ_k c_ijk q̇_k.
inline MatXd brute_force_coriolis(const ChainPtr& chain, const VecXd& q, const VecXd& qd) {
  const std::vector<MatXd> c = brute_force_christoffel(chain, q);
  MatXd C(q.size(), q.size());
  for (Index i = 0; i < q.size(); ++i) {
    C.row(i) = (c[static_cast<std::size_t>(i)] * qd).transpose();
  }
  return C;
}

/// Chains for tests that differentiate by brute force, n ≤ 7.
inline std::vector<ChainPtr> small_chains() {
  std::vector<ChainPtr> chains;
  for (const std::string& name : robot_names()) chains.push_back(load_robot(name));
  std::uint64_t seed = 4711;
  for (const Index n : {1, 2, 3, 5, 7}) {
    chains.push_back(random_chain(n, seed++));
    chains.push_back(random_chain(n, seed++, {.prismatic = 0.4}));
    chains.push_back(random_chain(n, seed++, {.prismatic = 0.3, .hayati = 0.4}));
    chains.push_back(random_chain(n, seed++, {.prismatic = 1.0}));
  }
  return chains;
}

}  // namespace dyn::test
