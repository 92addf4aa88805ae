// A chain in motion and the exact derivatives of its numerically factorised mass matrix, for the
// tests of the diagonalized equations of motion.
#pragma once

#include "dyn_core/math/dual.hpp"
#include "dyn_core/papers/kozlowski_1995/diagonalized.hpp"
#include "support.hpp"

namespace dyn::test {

template <class Derived>
double largest(const Eigen::MatrixBase<Derived>& m) {
  return static_cast<double>(m.cwiseAbs().maxCoeff());
}

inline MatXd values(const MatX<Dual>& m) {
  return m.unaryExpr([](const Dual& d) { return d.value; }).cast<double>();
}
inline MatXd rates(const MatX<Dual>& m) {
  return m.unaryExpr([](const Dual& d) { return Dual(d.rate); }).cast<double>();
}
inline VecX<Dual> dual(const VecXd& value, const VecXd& rate) {
  VecX<Dual> v(value.size());
  for (Index i = 0; i < v.size(); ++i) v[i] = Dual(value[i], rate[i]);
  return v;
}

/// A chain in motion.
struct Case {
  Case(const ChainPtr& chain_in, Drives drives)
      : chain(chain_in),
        model(chain),
        n(model.size()),
        random(23),
        q(random.vector(n, 3.1)),
        qd(random.vector(n, 1.5)),
        poses(poses_of<double>(model, q)),
        dynamics(model) {
    set_drives(model, drives);
    EXPECT_EQ(dynamics.update(model, poses), Status::kOk);
    dynamics.set_rates(qd);
  }
  template <class Scalar>
  [[nodiscard]] MatX<Scalar> mass_matrix(const VecX<Scalar>& at) const {
    MatX<Scalar> M = brute_force_mass_matrix<Scalar>(chain, at);
    for (Index i = 0; i < n; ++i) M(i, i) += Scalar(model.link(i).armature);
    return M;
  }

  ChainPtr chain;
  Model model;
  Index n;
  Random random;
  VecXd q, qd;
  std::vector<JointPose<double>> poses;
  DiagonalizedDynamics<double> dynamics;
};

template <class Body>
void for_all(Index longest, Body body) {
  for (const ChainPtr& chain : conformance_chains()) {
    if (chain->dof() > longest) continue;
    for (const Drives drives : kAllDrives) {
      SCOPED_TRACE(chain->name() + ", " + name_of(drives) + ", seed 23");
      Case c(chain, drives);
      body(c);
    }
  }
}

/// The numerical factorisation and its derivative along the motion.
struct Reference {
  explicit Reference(const Case& c) : D(c.n), D_rate(c.n), quadratic(c.n) {
    const MatX<Dual> M = c.mass_matrix<Dual>(dual(c.q, c.qd));
    MatX<Dual> U_dual(c.n, c.n);
    VecX<Dual> D_dual(c.n);
    EXPECT_EQ(factor_udut<Dual>(M, U_dual, D_dual), Status::kOk);
    MatX<Dual> m_dual = U_dual;
    for (Index k = 0; k < c.n; ++k) m_dual.col(k) *= sqrt(D_dual[k]);
    U = values(U_dual);
    D = values(D_dual);
    D_rate = rates(D_dual);
    m = values(m_dual);
    m_rate = rates(m_dual);
    for (Index k = 0; k < c.n; ++k) {
      const MatXd M_k = rates(c.mass_matrix<Dual>(dual(c.q, VecXd::Unit(c.n, k))));
      quadratic[k] = c.qd.dot(M_k * c.qd);
    }
    nu = m.transpose() * c.qd;
    xi = U.transpose() * c.qd;
    const VecXd momentum_rate = m_rate * nu - 0.5 * quadratic;
    coriolis_nu = m.triangularView<Eigen::Upper>().solve(momentum_rate);  // (41)
    scale = 1.0 + largest(momentum_rate) / D.cwiseSqrt().minCoeff();
  }

  MatXd U, m, m_rate;
  VecXd D, D_rate, quadratic, nu, xi, coriolis_nu;
  double scale = 0.0;
};

/// Of exact derivatives.
inline constexpr double kTolerance = 1e-11;

}  // namespace dyn::test
