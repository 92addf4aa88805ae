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
// As printed, in the letters and the order of the paper: as_printed.hpp, as_printed_recursive.hpp;
// the misprints are listed there. This is the form that runs.
//
//   paper         | here              | frame, unit
//   k = 1 … N     | i = n-1 … 0       | the paper counts from the tip, we from the base
//   H*(k)         | z of link frame i | a turn, or a shift if prismatic; H x is x.along()
//   M(k)          | model.link(i)     | link frame i, about its origin
//   P, G, D       | P(i), G(i), pivots()         | M̂, ψ, m̂ of udut.hpp; P before elimination
//   Φ(k+1,k) A(k) | body(i).step      | force_to_parent(); its transpose is motion_to_child()
//   τ̄, Ψ(k+1,k)   | apply_tau_bar(), then force_to_parent(): Ψ = Φ τ̄, τ̄ = I - G H
//   V(k)          | at(i).V           | link frame i, about its origin
//   Ω_δ(k)        | at(i).Omega_delta | X V, X* V are x_times(), x_transposed_times()
//   λ̇(k), λ̇ H*    | at(i).lambda, lambda_column(i) | link frame i
//   ξ(k), Ḋ(k)    | xi_, pivot_rates_ |
//   b(k) = V×M V  | at(i).b           | link frame i; minus the weight where gravity is asked for
//   z(k), V⁺(k)   | udut.hpp          |
//   y(k)          | y                 | link frame i
//   u(k)          | u                 | ½ (y + λ̇ V) of (42), deviation (c)
//   w(k)          | w                 | ½ (I + τ̄) λ̇ H* of (30), deviation (e)
//
// Deviations:
// (a) Ω_δ of a prismatic joint is not zero but [0 h̃θ̇; 0 0], see joint_turning.hpp. H Ω_δ = 0 holds
// for it too, so (13)-(21) and (42)-(48) stand as they are, with [Ω_δ, P] read as X + X*.
// (b) Armature is part of D. It is constant, so Ḋ = H λ̇ H*, P⁺ = P - G D G*, λ̇⁺ = τ̄ λ̇ τ̄* and all of
// the above remain, ν* C(θ,ν) = 0 too. HG = 1 does not: τ̄* V⁺ is not τ̄* V, I + HΦK is not HΦG.
// (c) For (42), u = ½ (y + λ̇ V) is carried in place of y. As Ψ* V(k+1) = V - H* ξ, both products λ̇ V
// of the printed y fall out of it: u(k) = Ψ u(k-1) + b + ½ (λ̇ H* ξ - X V + X* V). ½ H y is then
// H u - ½ (λ̇ H*)* V: of λ̇ V only the component along H is formed.
// (d) Link 0 has V = H* θ̇ and X V = 0: only components along its axis are formed, by s̃ of udut.hpp,
// namely s̃* y(1) + H b for H y, and Ḋ_0 = s̃* λ̇(1) s̃.
// (e) τ̄ λ̇ τ̄* of (21) is λ̇ - G w* - w G*, one symmetric product of rank two.
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
  /// θ̈ from ξ̇ of (36), outward with α(k) = A⁻¹ Φ* α(k+1) + a + H* θ̈, a = Ω_δ* V.
  void xi_rate_to_accelerations(VecIn<Scalar> xi_rate, VecOut<Scalar> qdd) const {
    qdd = xi_rate;
    Screw<Scalar> alpha;
    alpha.along(prismatic(0)) = qdd[0];
    for (Index i = 1; i < size(); ++i) {
      Screw<Scalar> released_V = at(i).V;  // τ̄* A⁻¹ V⁺ = V - H* ξ
      released_V.along(prismatic(i)) -= xi_[i];
      body(i).step.motion_to_child(alpha);
      // D⁻¹ H λ̇ τ̄* V and G* Φ̃* (Ω_δ* V + H* θ̈) of (36)
      qdd[i] -= lambda_column(i).dot(released_V) / pivots()[i] + G_transposed_times(i, alpha);
      alpha += at(i).Omega_delta.transposed_times(at(i).V);
      alpha.along(prismatic(i)) += qdd[i];
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
  /// ṁ by (30), column k: Φ P H* D^-½ and the rest of the bracket go inward side by side.
  void mass_factor_rate(MatOut<Scalar> m_rate) const {
    m_rate.setZero();
    for (Index k = 0; k < size(); ++k) {
      m_rate(k, k) = Scalar(0.5) * pivot_rates_[k] / root()[k];  // ½ H (I + τ̄) λ̇ H* = ½ Ḋ
      if (k == 0) continue;
      Screw<Scalar> column = root()[k] * G(k);                // P H* D^-½ = G D^½
      Screw<Scalar> rate = (Scalar(1.0) / root()[k]) * w(k);  // ½ (I + τ̄) λ̇ H* D^-½
      for (Index i = k - 1; i >= 0; --i) {
        body(i + 1).step.force_to_parent(column);
        body(i + 1).step.force_to_parent(rate);
        m_rate(i, k) = rate.along(prismatic(i));
        rate += at(i).Omega_delta * column;  // Ω_δ Φ̃ P H* D^-½
      }
    }
  }
  /// The skew-symmetric matrix c of (48), with which C(θ,ν) = c ν + D^-½ bias_xi.
  void coriolis_factor(MatOut<Scalar> c);

 protected:  // the recursions one by one, as Tab. 2 lists them
  struct Link {
    JointTurning<Scalar> Omega_delta;
    Screw<Scalar> V, b;
    SpatialSym<Scalar> lambda;  // not for link 0
  };

  using Base::body, Base::prismatic, Base::G, Base::G_transposed_times, Base::P;
  Link& at(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& at(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  // The first recursion of section 6, ξ for ν.
  void velocities(VecIn<Scalar> qd) {
    for (Index i = 0; i < size(); ++i) at(i).Omega_delta = {prismatic(i), qd[i]};
    first_velocities(qd);
    for (Index i = 2; i < size(); ++i) {
      Screw<Scalar>& V = at(i).V;
      V = at(i - 1).V;
      body(i).step.motion_to_child(V);            // A⁻¹ V⁺
      xi_[i] = qd[i] + G_transposed_times(i, V);  // θ̇ + G* A⁻¹ V⁺, (34)
      V.along(prismatic(i)) += qd[i];             // A⁻¹ V⁺ + H* θ̇
    }
  }
  // Of links 0 and 1 by s̃ = Ψ* H*, deviation (d): V(k) = Ψ* V(k+1) + H* ξ(k), (49).
  void first_velocities(VecIn<Scalar> qd) {
    at(0).V = {};
    xi_[0] = qd[0];
    at(0).V.along(prismatic(0)) += xi_[0];
    if (size() == 1) return;
    at(1).V = qd[0] * udut().first_axis();
    xi_[1] = qd[1] + udut().alpha_01() * qd[0];
    at(1).V.along(prismatic(1)) += xi_[1];
  }

  // λ̇ and Ḋ = H λ̇ H*.
  void articulated_rates() {
    const Index tip = size() - 1;
    pivot_rates_[0] = Scalar(0.0);
    for (Index i = tip; i > 0; --i) {
      SpatialSym<Scalar>& lambda = at(i).lambda;
      lambda = {};
      if (i < tip) {
        lambda = lambda_behind_joint(i + 1);
        body(i + 1).step.to_parent(lambda, body(i + 1).step.hinge);  // Ψ λ̇ Ψ*
      }
      at(i).Omega_delta.add_commutator(P(i), lambda);  // + X + X*, (21)
      pivot_rates_[i] = lambda_column(i).along(prismatic(i));
    }
    if (tip > 0) pivot_rates_[0] = at(1).lambda.quadratic(udut().first_axis());
  }

  // λ̇(k) H*(k).
  [[nodiscard]] Screw<Scalar> lambda_column(Index i) const {
    return at(i).lambda.axis_column(prismatic(i));
  }
  // ½ (I + τ̄) λ̇ H* = λ̇ H* - ½ Ḋ G.
  [[nodiscard]] Screw<Scalar> w(Index i) const {
    Screw<Scalar> column = lambda_column(i);
    column -= (Scalar(0.5) * pivot_rates_[i]) * G(i);
    return column;
  }
  // λ̇⁺ = τ̄ λ̇ τ̄*, deviation (e); H λ̇⁺ = 0 without armature.
  [[nodiscard]] SpatialSym<Scalar> lambda_behind_joint(Index i) const {
    const LinkStep<Scalar>& step = body(i).step;
    SpatialSym<Scalar> lambda = at(i).lambda;
    lambda.subtract_both(G(i), w(i), step.hinge);
    if (step.armature == 0.0) lambda.set_axis_column(step.prismatic, {});
    return lambda;
  }
  // y <- τ̄ y; H τ̄ = 0 without armature.
  void apply_tau_bar(Index i, Screw<Scalar>& y) const {
    const Scalar along = y.along(prismatic(i));
    y -= along * G(i);
    if (body(i).step.armature == 0.0) y.along(prismatic(i)) = Scalar(0.0);
  }
  // b of every link, minus its weight; of link 0 only the component along its axis.
  void bias_forces(const Model& model, const Vec3d& gravity);
  void weights(const Model& model, const Vec3d& gravity);

  // The sum of HΨ: y comes to link k as Ψ y(k-1), `add` adds what is the link's own and returns
  // out(k). Of link 0 that is H b alone, deviation (d).
  template <class Add>
  void inward(VecOut<Scalar> out, Add add) const {
    Screw<Scalar> y;
    for (Index i = size() - 1; i > 0; --i) {
      out[i] = add(i, y);
      if (i == 1) break;
      apply_tau_bar(i, y);
      body(i).step.force_to_parent(y);
    }
    out[0] = at(0).b.along(prismatic(0));
    if (size() > 1) out[0] += udut().first_axis().dot(y);
  }
  // HΨ b.
  void articulated_sum(VecOut<Scalar> out) const {
    inward(out, [&](Index i, Screw<Scalar>& y) {
      y += at(i).b;
      return y.along(prismatic(i));
    });
  }
  // C(θ,ξ), (45): y(k) = Ψ y(k-1) + b - X V + λ̇ H* ξ.
  void unnormalised(VecOut<Scalar> C) const {
    inward(C, [&](Index i, Screw<Scalar>& y) {
      const Link& link = at(i);
      y += link.b;
      y -= link.Omega_delta.x_times(P(i), link.V);
      y += xi_[i] * lambda_column(i);
      return y.along(prismatic(i));  // H y
    });
    C[0] += pivot_rates_[0] * xi_[0];  // H λ̇ H* ξ of link 0
  }
  // C(θ,ν), (42): u(k) = Ψ u(k-1) + b + ½ (λ̇ H* ξ - X V + X* V), deviation (c). On link 0,
  // H u - ½ (λ̇ H*)* V leaves H (Ψ u + b).
  void normalised(VecOut<Scalar> C) const {
    inward(C, [&](Index i, Screw<Scalar>& u) {
      const Link& link = at(i);
      const Screw<Scalar> lambda_H = lambda_column(i);
      Screw<Scalar> bracket = xi_[i] * lambda_H;
      bracket -= link.Omega_delta.x_times(P(i), link.V);
      bracket += link.Omega_delta.x_transposed_times(P(i), link.V);
      u += link.b;
      u += Scalar(0.5) * bracket;
      return u.along(prismatic(i)) - Scalar(0.5) * lambda_H.dot(link.V);  // ½ H y
    });
    C.array() /= root().array();  // ½ D^-½ H y
  }

 private:
  std::vector<Link> links_;
  VecX<Scalar> xi_, pivot_rates_, bias_;
};

// b(k) = [ω × I ω + p × m (ω × v); m ω × v + ω × (ω × m p)], less the weight.
template <class Scalar>
void DiagonalizedDynamics<Scalar>::bias_forces(const Model& model, const Vec3d& gravity) {
  weights(model, gravity);
  for (Index i = 1; i < size(); ++i) {
    const LinkModel& link = model.link(i);
    const Vec3<Scalar>&omega = at(i).V.ang, &v = at(i).V.lin;
    const Vec3<Scalar> m_p = link.moment.cast<Scalar>(), omega_v = omega.cross(v);
    const Vec3<Scalar> I_omega = SpatialSym<Scalar>::rigid(link).I * omega;
    at(i).b.ang += omega.cross(I_omega) + m_p.cross(omega_v);
    at(i).b.lin += Scalar(link.mass) * omega_v + omega.cross(omega.cross(m_p));
  }
}

// -[p × F(ke); F(ke)] with F(ke) = m g.
template <class Scalar>
void DiagonalizedDynamics<Scalar>::weights(const Model& model, const Vec3d& gravity) {
  Vec3<Scalar> g = gravity.cast<Scalar>();
  for (Index i = 0; i < size(); ++i) {
    const LinkModel& link = model.link(i);
    body(i).step.turn_to_child(g);
    at(i).b = {g.cross(link.moment.cast<Scalar>()), -(Scalar(link.mass) * g)};
  }
}

// Column i of (48): H*(i) goes outward by Ψ* and X*(m) of it inward by Ψ; b holds X*(m) Ψ*(i,m) H*(i)
// meanwhile. Column 0 has nothing above the diagonal, that of the tip an empty sum.
template <class Scalar>
void DiagonalizedDynamics<Scalar>::coriolis_factor(MatOut<Scalar> c) {
  c.setZero();
  for (Index i = 1; i + 1 < size(); ++i) {
    Screw<Scalar> unit_V;  // Ψ*(i,m) H*(i)
    unit_V.along(prismatic(i)) = Scalar(1.0);
    for (Index m = i + 1; m < size(); ++m) {
      body(m).step.motion_to_child(unit_V);
      at(m).b = at(m).Omega_delta.x_transposed_times(P(m), unit_V);
      unit_V.along(prismatic(m)) -= G_transposed_times(m, unit_V);
    }
    Screw<Scalar> y;  // Σ Ψ(k,m) X*(m) Ψ*(i,m) H*(i)
    for (Index k = size() - 1; k > 0; --k) {
      if (k > i) y += at(k).b;
      if (k < i) c(k, i) = y.along(prismatic(k)) / (root()[k] * root()[i]);  // (48)
      apply_tau_bar(k, y);
      body(k).step.force_to_parent(y);
    }
    c(0, i) = y.along(prismatic(0)) / (root()[0] * root()[i]);  // (48)
  }
  for (Index i = 0; i < size(); ++i) {
    for (Index k = 0; k < i; ++k) c(i, k) = -c(k, i);
  }
}

}  // namespace dyn
