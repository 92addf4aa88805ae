// The diagonalized equations of motion in quasi-velocities, normalised (nu) and unnormalised (xi).
//
//   K. Kozłowski: Robot dynamics models in terms of generalized and quasi-coordinates: a
//   comparison, Applied Mathematics and Computer Science 5, 1995, after A. Jain, G. Rodriguez 1994.
//   Sections 2-6.
//
//   λ̇ = E_Ψ λ̇ E_Ψ* + X + X*,   X = Ω_δ P                                                      (21)
//   ν̇ + C(θ,ν) = ε          C(θ,ν) = ½ D^-½ H y                                         (40), (42)
//     y(k) = Ψ y + [2 V×M - X + X*] V + Ψ λ̇ V - λ̇(k) Ψ* V(k+1)
//   D ξ̇ + C(θ,ξ) = κ        C(θ,ξ) = H y                                                (44), (45)
//     y(k) = Ψ y + λ̇(k) H* ξ(k) + [V×M - X] V
//
//   paper         | here              | frame, unit
//   k = 1 … N     | i = n-1 … 0       | the paper counts from the tip, we from the base
//   H*(k)         | z of link frame i | a turn, or a shift if prismatic
//   M(k)          | model.link(i)     | link frame i, about its origin
//   P, G, D       | body(i).M_hat, .psi, .m_hat | udut.hpp; P before elimination
//   Φ(k+1,k) A(k) | body(i).step      | force_to_parent(); its transpose is motion_to_child()
//   Ψ(k+1,k)      | Φ τ̄, τ̄ = I - G H  | release() is τ̄
//   V(k), ξ       | V, xi_            | link frame i, about its origin
//   λ̇(k), X(k)    | lambda, turning   | link frame i
//   b(k) = V×M V  | b                 | link frame i; minus the weight where gravity is asked for
//   z(k), V⁺(k)   | udut.hpp          |
//
// Deviations:
// (a) Ω_δ of a prismatic joint is not zero but [0 h̃θ̇; 0 0], see joint_turning.hpp. H Ω_δ = 0 holds
// for it too, so (13)-(21) and (42)-(48) stand as they are, with [Ω_δ, P] read as X + X*.
// (b) Armature is part of D. It is constant, so Ḋ = H λ̇ H*, P⁺ = P - G D G*, λ̇⁺ = τ̄ λ̇ τ̄* and all of
// the above remain, ν* C(θ,ν) = 0 too. HG = 1 does not: τ̄* V⁺ is not τ̄* V, I + HΦK is not HΦG.
// (c) For C(θ,ν), ½ t(k) with t = y + λ̇ V is carried on: since Ψ* V(k+1) = V - H* ξ, the product λ̇ V
// of the printed recursion cancels in t; only its component along H remains, to take from H t.
// (d) Link 0 has V = H* θ̇ and X V = 0: only components along its axis are formed, by s̃ of udut.hpp,
// namely s̃* y(1) + H b for H y, and Ḋ_0 = s̃* λ̇(1) s̃.
//
// Misprints, found by exact differentiation: P for Ṗ in (16); Ṗ for λ̇ in (36); ξ̇ for ξ in (43); ν is
// missing in (46) and a minus sign in (48); [E_Ψ, λ̇] in (31), (42), (47) is E_Ψ λ̇ - λ̇ E_Ψ*; one Φ too
// many in the derivative of E_Φ in Table 1; m p × v for m ω × v in the nomenclature of b.
#pragma once

#include <vector>

#include "dyn_core/papers/kozlowski_1995/joint_turning.hpp"
#include "dyn_core/papers/kozlowski_1995/quasi_coordinates.hpp"

namespace dyn {

/// Equations of motion in quasi-velocities for one chain: update(), then set_rates(), then the
/// queries, which refer to that state and to the model given there. None allocates.
template <class Scalar>
class DiagonalizedDynamics : public QuasiCoordinates<Scalar> {
  using Base = QuasiCoordinates<Scalar>;

 public:
  explicit DiagonalizedDynamics(const Model& model)
      : Base(model),
        links_(static_cast<std::size_t>(model.size())),
        xi_(model.size()),
        pivot_rates_(model.size()),
        bias_(model.size()) {}

  using Base::pivots, Base::root, Base::size, Base::udut;

  /// Velocities V and ξ, and the derivative λ̇, at joint rates `qd`.
  void set_rates(VecIn<Scalar> qd) {
    velocities(qd);
    articulated_rates();
  }
  [[nodiscard]] const VecX<Scalar>& xi() const { return xi_; }
  /// Ḋ.
  [[nodiscard]] const VecX<Scalar>& pivot_rates() const { return pivot_rates_; }

  // ---- section 4: velocity and gravity terms
  /// C(θ,ν).
  void coriolis_nu(const Model& model, VecOut<Scalar> C) {
    bias_forces(model, Vec3d::Zero());
    normalised(C);
  }
  /// C(θ,ξ).
  void coriolis_xi(const Model& model, VecOut<Scalar> C) {
    bias_forces(model, Vec3d::Zero());
    unnormalised(C);
  }
  /// U⁻¹ g; `gravity` in frame 0.
  void gravity_xi(const Model& model, const Vec3d& gravity, VecOut<Scalar> out) {
    weights(model, gravity);
    articulated_sum(out);
  }
  /// l g.
  void gravity_nu(const Model& model, const Vec3d& gravity, VecOut<Scalar> out) {
    gravity_xi(model, gravity, out);
    out.array() /= root().array();
  }
  /// HΨ (V×M) V: what (48) leaves out of C(θ,ξ) and, with D^-½ before it, of C(θ,ν).
  void bias_xi(const Model& model, VecOut<Scalar> out) {
    bias_forces(model, Vec3d::Zero());
    articulated_sum(out);
  }
  /// ν̇ = ε - C(θ,ν) - l g, (40).
  void nu_rate(const Model& model, const Vec3d& gravity, VecIn<Scalar> tau, VecOut<Scalar> out) {
    bias_forces(model, gravity);
    normalised(bias_);
    this->torque_to_epsilon(tau, out);
    out -= bias_;
  }
  /// ξ̇ = D⁻¹ (κ - C(θ,ξ) - U⁻¹ g), (44).
  void xi_rate(const Model& model, const Vec3d& gravity, VecIn<Scalar> tau, VecOut<Scalar> out) {
    bias_forces(model, gravity);
    unnormalised(bias_);
    this->torque_to_kappa(tau, out);
    out -= bias_;
    out.array() /= pivots().array();
  }

  // ---- back to accelerations
  /// θ̈ from ξ̇ = Uᵀ θ̈ + U̇ᵀ θ̇, (36).
  void xi_rate_to_accelerations(VecIn<Scalar> xi_rate, VecOut<Scalar> qdd) const {
    qdd = xi_rate;
    Screw<Scalar> A;
    A.along(prismatic(0)) = qdd[0];
    for (Index i = 1; i < size(); ++i) {
      Screw<Scalar> from_parent = at(i).V;
      from_parent.along(prismatic(i)) -= xi_[i];
      body(i).step.motion_to_child(A);
      qdd[i] -= lambda_column(i).dot(from_parent) / pivots()[i] + body(i).psi_dot(A);
      A += at(i).turning.transposed_times(at(i).V);
      A.along(prismatic(i)) += qdd[i];
    }
  }
  /// θ̈ from ν̇ = D^½ ξ̇ + ½ D^-½ Ḋ ξ.
  void nu_rate_to_accelerations(VecIn<Scalar> nu_rate, VecOut<Scalar> qdd) const {
    for (Index i = 0; i < size(); ++i) {
      const Scalar own = Scalar(0.5) * pivot_rates_[i] * xi_[i] / root()[i];
      qdd[i] = (nu_rate[i] - own) / root()[i];
    }
    xi_rate_to_accelerations(qdd, qdd);
  }

  // ---- matrices
  /// ṁ, (29), (30): column k is carried inward together with that of m.
  void mass_factor_rate(MatOut<Scalar> m_rate) const {
    m_rate.setZero();
    for (Index k = 0; k < size(); ++k) {
      m_rate(k, k) = Scalar(0.5) * pivot_rates_[k] / root()[k];
      if (k == 0) continue;
      Screw<Scalar> m = root()[k] * body(k).psi;
      Screw<Scalar> rate = (Scalar(1.0) / root()[k]) * half_released_column(k);
      for (Index i = k - 1; i >= 0; --i) {
        body(i + 1).step.force_to_parent(m);
        body(i + 1).step.force_to_parent(rate);
        m_rate(i, k) = rate.along(prismatic(i));
        rate += at(i).turning * m;
      }
    }
  }
  /// The skew-symmetric matrix c of (48), with which C(θ,ν) = c ν + D^-½ bias_xi. Column i: unit
  /// ξ(i) goes outward by Ψ*, X* of it inward by Ψ.
  void coriolis_factor(MatOut<Scalar> c);

 private:
  struct Link {
    JointTurning<Scalar> turning;  // Ω_δ
    Screw<Scalar> V, b;
    SpatialSym<Scalar> lambda;  // not for link 0
  };

  using Base::body, Base::prismatic;
  Link& at(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& at(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  void velocities(VecIn<Scalar> qd) {
    xi_[0] = qd[0];
    for (Index i = 0; i < size(); ++i) {
      Link& k = at(i);
      k.turning = {prismatic(i), qd[i]};
      if (i < 2) {
        k.V = i == 0 ? Screw<Scalar>{} : qd[0] * udut().first_axis();
        if (i == 1) xi_[1] = qd[1] + udut().alpha_01() * qd[0];
        k.V.along(prismatic(i)) += xi_[i];
      } else {
        k.V = at(i - 1).V;
        body(i).step.motion_to_child(k.V);
        xi_[i] = qd[i] + body(i).psi_dot(k.V);
        k.V.along(prismatic(i)) += qd[i];
      }
    }
  }

  void articulated_rates() {
    const Index tip = size() - 1;
    pivot_rates_[0] = Scalar(0.0);
    for (Index i = tip; i > 0; --i) {
      SpatialSym<Scalar>& lambda = at(i).lambda;
      lambda = {};
      if (i < tip) {
        lambda = released_lambda(i + 1);
        body(i + 1).step.to_parent(lambda, body(i + 1).step.hinge);
      }
      at(i).turning.add_commutator(body(i).M_hat, lambda);  // (21)
      pivot_rates_[i] = lambda_column(i).along(prismatic(i));
    }
    if (tip > 0) pivot_rates_[0] = at(1).lambda.quadratic(udut().first_axis());
  }

  [[nodiscard]] Screw<Scalar> lambda_column(Index i) const {
    return at(i).lambda.axis_column(prismatic(i));
  }
  // ½ (I + τ̄) λ̇ H*.
  [[nodiscard]] Screw<Scalar> half_released_column(Index i) const {
    Screw<Scalar> w = lambda_column(i);
    w -= (Scalar(0.5) * pivot_rates_[i]) * body(i).psi;
    return w;
  }
  // τ̄ y.
  void release(Index i, Screw<Scalar>& y) const {
    const Scalar along = y.along(prismatic(i));
    y -= along * body(i).psi;
    if (body(i).step.armature == 0.0) y.along(prismatic(i)) = Scalar(0.0);
  }
  // τ̄ λ̇ τ̄*.
  [[nodiscard]] SpatialSym<Scalar> released_lambda(Index i) const;
  // b of every link, minus its weight; of link 0 only the component along its axis.
  void bias_forces(const Model& model, const Vec3d& gravity);
  void weights(const Model& model, const Vec3d& gravity);

  // out(k) = add(k, y(k)), where y(k) comes as Ψ y(k-1) and `add` completes it.
  template <class Add>
  void inward(VecOut<Scalar> out, Add add) const {
    Screw<Scalar> y;
    for (Index i = size() - 1; i > 0; --i) {
      out[i] = add(i, y);
      if (i == 1) break;
      release(i, y);
      body(i).step.force_to_parent(y);
    }
    out[0] = at(0).b.along(prismatic(0));
    if (size() > 1) out[0] += udut().first_axis().dot(y);
  }
  void articulated_sum(VecOut<Scalar> out) const {
    inward(out, [&](Index i, Screw<Scalar>& y) {
      y += at(i).b;
      return y.along(prismatic(i));
    });
  }
  void unnormalised(VecOut<Scalar> C) const {
    inward(C, [&](Index i, Screw<Scalar>& y) {
      y += at(i).b;
      y -= at(i).turning.x_times(body(i).M_hat, at(i).V);
      y += xi_[i] * lambda_column(i);
      return y.along(prismatic(i));  // (45)
    });
    C[0] += pivot_rates_[0] * xi_[0];
  }
  void normalised(VecOut<Scalar> C) const {
    inward(C, [&](Index i, Screw<Scalar>& t) {
      const Screw<Scalar> column = lambda_column(i);
      Screw<Scalar> half = xi_[i] * column;
      half -= at(i).turning.x_times(body(i).M_hat, at(i).V);
      half += at(i).turning.x_transposed_times(body(i).M_hat, at(i).V);
      t += at(i).b;
      t += Scalar(0.5) * half;
      return t.along(prismatic(i)) - Scalar(0.5) * column.dot(at(i).V);  // (42)
    });
    C.array() /= root().array();
  }

  std::vector<Link> links_;
  VecX<Scalar> xi_, pivot_rates_, bias_;
};

template <class Scalar>
SpatialSym<Scalar> DiagonalizedDynamics<Scalar>::released_lambda(Index i) const {
  const LinkStep<Scalar>& step = body(i).step;
  const Screw<Scalar>& G = body(i).psi;
  const Screw<Scalar> w = half_released_column(i);
  const auto other = [](Scalar a, Scalar b, Scalar c, Scalar d) { return Scalar(a * b + c * d); };
  const auto twice = [](Scalar a, Scalar b) {
    const Scalar product = a * b;
    return Scalar(product + product);
  };
  const Vec3<Scalar>&g = G.ang, &f = G.lin, &u = w.ang, &v = w.lin;
  SpatialSym<Scalar> r = at(i).lambda;  // - G w* - w G*
  r.I.xx -= twice(g.x(), u.x());
  r.I.xy -= other(g.x(), u.y(), u.x(), g.y());
  r.I.yy -= twice(g.y(), u.y());
  for (Index row = 0; row < (step.hinge ? 2 : 3); ++row) {
    for (Index j = 0; j < 3; ++j) r.H(row, j) -= other(g[row], v[j], u[row], f[j]);
  }
  r.M.xx -= twice(f.x(), v.x());
  r.M.yy -= twice(f.y(), v.y());
  r.M.zz -= twice(f.z(), v.z());
  r.M.xy -= other(f.x(), v.y(), v.x(), f.y());
  r.M.xz -= other(f.x(), v.z(), v.x(), f.z());
  r.M.yz -= other(f.y(), v.z(), v.y(), f.z());
  if (!step.hinge) {
    r.I.xz -= other(g.x(), u.z(), u.x(), g.z());
    r.I.yz -= other(g.y(), u.z(), u.y(), g.z());
    r.I.zz -= twice(g.z(), u.z());
  }
  if (step.armature == 0.0) r.set_axis_column(step.prismatic, {});
  return r;
}

template <class Scalar>
void DiagonalizedDynamics<Scalar>::bias_forces(const Model& model, const Vec3d& gravity) {
  weights(model, gravity);
  for (Index i = 1; i < size(); ++i) {
    const LinkModel& k = model.link(i);
    const Vec3<Scalar>&w = at(i).V.ang, &v = at(i).V.lin;
    const Vec3<Scalar> s = k.moment.cast<Scalar>(), a = w.cross(v);
    const Vec3<Scalar> Iw = SpatialSym<Scalar>::rigid(k).I * w;
    at(i).b.ang += w.cross(Iw) + s.cross(a);
    at(i).b.lin += Scalar(k.mass) * a + w.cross(w.cross(s));
  }
}

template <class Scalar>
void DiagonalizedDynamics<Scalar>::weights(const Model& model, const Vec3d& gravity) {
  Vec3<Scalar> g = gravity.cast<Scalar>();
  for (Index i = 0; i < size(); ++i) {
    const LinkModel& k = model.link(i);
    body(i).step.turn_to_child(g);
    at(i).b = {g.cross(k.moment.cast<Scalar>()), -(Scalar(k.mass) * g)};
  }
}

template <class Scalar>
void DiagonalizedDynamics<Scalar>::coriolis_factor(MatOut<Scalar> c) {
  c.setZero();
  for (Index i = 1; i + 1 < size(); ++i) {
    Screw<Scalar> v, y;
    v.along(prismatic(i)) = Scalar(1.0);
    for (Index m = i + 1; m < size(); ++m) {
      body(m).step.motion_to_child(v);
      at(m).b = at(m).turning.x_transposed_times(body(m).M_hat, v);
      v.along(prismatic(m)) -= body(m).psi_dot(v);
    }
    for (Index k = size() - 1; k > 0; --k) {
      if (k > i) y += at(k).b;
      if (k < i) c(k, i) = y.along(prismatic(k)) / (root()[k] * root()[i]);
      release(k, y);
      body(k).step.force_to_parent(y);
    }
    c(0, i) = y.along(prismatic(0)) / (root()[0] * root()[i]);
  }
  for (Index i = 0; i < size(); ++i) {
    for (Index k = 0; k < i; ++k) c(i, k) = -c(k, i);
  }
}

}  // namespace dyn
