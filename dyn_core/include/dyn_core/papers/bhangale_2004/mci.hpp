// MCI: the matrix of convective inertia, element by element from composite bodies, O(n²).
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, eq. (9)-(13); for planar arms mci_planar.hpp. As printed: as_printed.hpp.
//
// (10) has two halves, one for the columns and one for the rows of C:
//
//   i ≤ j   c_ij = p_iᵀ A_jiᵀ b_j,   b_j = (M̃_j W_j + H̃_jj + M̃'_j) p_j,   H̃_jj = A_j+1,jᵀ H̃_j+1,j
//   i > j   c_ij = (M̃_i p_i)ᵀ d/dt(A_ij p_j) + κ_iᵀ A_ij p_j,              κ_i = (H̃_ii + M̃'_i)ᵀ p_i
//
// the second with d/dt(A_ij p_j) = A_ij W_j p_j + Ȧ_ij p_j, the first term and the half of (12) with
// M̃_i Ȧ_ij. H̃_ii + M̃'_i is made of what turns with link i and what moves relative to it:
//
//   H̃_ii + M̃'_i = [-ω_i× X_i, 0; -(ω_i × m̃_i d̃_i)×, 0] + [K_i - σ_i×, 0; -λ_i×, 0]
//
// (its lower block is -(rate of m̃_i d̃_i)×, the symmetric part of the upper one half the rate of Ĩ_i).
//
//   paper                 | here              | axes of the first link's frame
//   M̃_i, p_i, M̃_i p_i     | bodies_           | composite_bodies.hpp; about O_i
//   A_0i p_i              | bodies_.p_w, p_v  | p_i seen from O_0: rotation, velocity
//   its rate, of Ṫ        | p_w_dot, p_v_dot  | e_dot: W_i p_i, the rate of the axis
//   M̃_i p_i from O_0      | Mp_n_0, bodies_.Mp_f
//   W_i, t_i              | omega, v          | turning of link i, velocity of O_i
//   H̃_ii + M̃'_i           | X, HPlusM         | X = tr(Ĩ_i)/2 1 - Ĩ_i = ∫ x xᵀ dm, with x from O_i
//   b_j, κ_j              | Sums              | moments about O_0, force
//   c_ij                  | C(i, j)
//
// Deviations: (a) W_i M_i E_i as printed has the blocks ω× I and -m (ω×)(d×), which make Ṁ - 2C
// skew-symmetric for d = 0 or planar motion only, and depend on where O_i lies on its axis. A block
// -m (ω×d)× and, instead of ω× I, the block ω× (I - tr(I)/2) give the same C θ̇, since both differ
// from the print by what vanishes at the link's own ω; then C = Σ ∫ g_iᵀ ġ_j dm over points with
// partial velocities g, c_ij = Σ_k c_ijk θ̇_k with the Christoffel symbols, and Ṁ - 2C is
// skew-symmetric. (b) With these blocks the relative part of H̃ + M̃' is that of the first moment and
// of ∫ ẋ xᵀ dm: twelve numbers instead of two 6x6 matrices. (c) One set of axes for all elements
// instead of frame i for row i: 6M for an element above the diagonal, 9M below, none with joint 0.
// (d) Prismatic: p = [0; e], on which H̃ and M̃' do not act. (e) Links 0 … n-1; the paper's 1 … n.
//
// Cost: like the paper's, which adds it to that of the GIM (88M 63A for n = 2 is the sum of both),
// the count leaves out what the GIM needs as well: link frames, composite bodies, p_i and M̃_i p_i.
//   (14n²+22n+4) M (13.5n²+55.5n-65.5) A      planar (7n²+13n+4) M (4n²+13n+2) A    the paper
//   (7.5n²+89.5n-172) M (6.5n²+111.5n-218) A  planar (2n²+6n-8) M (2n²+7n-9) A      measured, n > 2
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/composite_bodies.hpp"
#include "dyn_core/papers/bhangale_2004/mci_planar.hpp"

namespace dyn {

template <class Scalar>
class Mci final : public CoriolisAlgorithm<Scalar> {
 public:
  using CompositeBodies = bhangale::CompositeBodies<Scalar>;

  explicit Mci(const Model& model)
      : bodies_(model), links_(static_cast<std::size_t>(model.size())), planar_(model) {
    for (const LinkModel& k : model.links()) turns_ = turns_ || !k.prismatic;
  }

  void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                       MatOut<Scalar> C) override {
    {
      [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
      update_bodies(model, joints);
    }
    from_bodies(qd, C);
  }

  /// The first half, which the GIM needs as well.
  void update_bodies(const Model& model, Joints<Scalar> joints) {
    if (planar_.applies()) {
      planar_.place(model, joints);
      return;
    }
    bodies_.update(model, joints);  // (13)
    for (Index i = 0; i < bodies_.size(); ++i) {
      const Vec& O = bodies_.O(i);
      link(i).p_v = bodies_.e(i);
      if (!bodies_.prismatic(i)) link(i).p_v = O.cross(bodies_.e(i));  // A_0i p_i
      link(i).Mp_n_0 = bodies_.Mp_n(i) + O.cross(bodies_.Mp_f(i));     // A_i0ᵀ M̃_i p_i
      const Sym3<Scalar>& I = bodies_.I(i);
      const Scalar half = Scalar(0.5) * (I.xx + I.yy + I.zz);
      link(i).X = {half - I.xx, -I.xy, -I.xz, half - I.yy, -I.yz, half - I.zz};
    }
  }

  /// -g of (9), T_dᵀ w̃ᴳ: p_iᵀ w̃ᴳ_i = γᵀ f with f the force in M̃_i p_i; gravity γ in frame 0.
  void gravity_forces(const JointPose<Scalar>& first, const Vec3d& gravity, VecOut<Scalar> forces) {
    if (planar_.applies()) {
      const auto gamma = planar_.gravity_in_plane(first, gravity);
      for (Index i = 0; i < bodies_.size(); ++i) forces[i] = gamma.dot(planar_.Mp_f(i));
      return;
    }
    const Vec gamma = CompositeBodies::in_first_link(first, gravity);
    for (Index i = 0; i < bodies_.size(); ++i) forces[i] = gamma.dot(bodies_.Mp_f(i));
  }

  /// The second half.
  void from_bodies(VecIn<Scalar> qd, MatOut<Scalar> C) {
    if (planar_.applies()) {
      planar_.coriolis_matrix(qd, C);
      return;
    }
    if (!turns_) {  // slides only
      C.setZero();
      return;
    }
    move(qd);
    HPlusM inner;
    for (Index j = bodies_.size() - 1; j > 0; --j) {
      const Sums sums = form_sums(j, inner);
      C(j, j) = sums.c_jj;  // (10), i = j
      column(j, sums, C);
      row(j, sums, C);
      if (j > 1) carry(j, inner);
    }
    const bool turns_something = bodies_.size() > 1 && !bodies_.prismatic(0);
    C(0, 0) = turns_something ? carry_to_first(inner) : Scalar(0.0);  // (10), i = j
  }

 private:
  using Vec = Vec3<Scalar>;

  struct Link {
    Vec p_v, Mp_n_0;
    Sym3<Scalar> X;
    Vec omega, v;
    Scalar half_qd;
    Vec half_rate;  // θ̇_i/2 e_i
    Vec e_dot, p_w_dot, p_v_dot;
  };

  // The part of H̃_jj + M̃'_j for motion of composite body j relative to link j, ẋ: λ/2 = (∫ ẋ dm)/2,
  // K the symmetric part of tr(S) 1 - S with S = ∫ ẋ xᵀ dm, and σ = (∫ x × ẋ dm)/2.
  struct HPlusM {
    Vec half_lambda = Vec::Zero();
    Sym3<Scalar> K;
    Vec sigma = Vec::Zero();
  };

  // b_j = [b_n; b_f] and κ_j, which acts on rotations only.
  struct Sums {
    Vec b_n, b_f, kappa;
    Scalar c_jj{0.0};
  };

  Link& link(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& link(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  // rate z × x.
  static Vec turned_about_z(const Scalar& rate, const Vec& x) {
    return {-rate * x.y(), rate * x.x(), Scalar(0.0)};
  }

  // (7): W_i and t_i of every link, and with them Ṫ. The velocity of a first joint that slides
  // changes nothing and is taken as zero.
  void move(VecIn<Scalar> qd) {
    const Scalar zero(0.0);
    const Scalar first_rate = bodies_.prismatic(0) ? zero : qd[0];
    link(0).omega << zero, zero, first_rate;
    link(0).v.setZero();
    for (Index i = 1; i < bodies_.size(); ++i) {
      const bool prismatic = bodies_.prismatic(i);
      Link& k = link(i);
      const Link& parent = link(i - 1);
      k.half_qd = Scalar(0.5) * qd[i];
      k.half_rate = k.half_qd * bodies_.e(i);
      if (i == 1) {
        k.v = turned_about_z(first_rate, bodies_.a(0));
        k.e_dot = turned_about_z(first_rate, bodies_.e(1));
        k.p_v_dot = turned_about_z(first_rate, k.p_v);
      } else {
        k.v = parent.v + parent.omega.cross(bodies_.a(i - 1));  // A_i,i-1 t_i-1
        k.e_dot = parent.omega.cross(bodies_.e(i));             // W_i p_i
      }
      k.omega = parent.omega;
      k.p_w_dot = k.e_dot;
      (prismatic ? k.v : k.omega) += k.half_rate + k.half_rate;  // p_i θ̇_i
      if (prismatic) k.p_w_dot.setZero();
      if (i > 1 && i + 1 < bodies_.size()) set_rate_of_p_v(i, k);
    }
  }

  // Ȧ_0i p_i + A_0i W_i p_i: velocity part.
  void set_rate_of_p_v(Index i, Link& k) const {
    k.p_v_dot = k.e_dot;
    if (!bodies_.prismatic(i)) k.p_v_dot = bodies_.O(i).cross(k.e_dot) + k.v.cross(bodies_.e(i));
  }

  [[nodiscard]] Sums form_sums(Index j, const HPlusM& inner) const {
    const Link& k = link(j);
    Sums sums;
    Vec& n = sums.b_n;
    // First (M̃_j W_j + H̃_jj + M̃'_j) p_j and (H̃_jj + M̃'_j)ᵀ p_j of what turns with link j.
    sums.b_f = k.omega.cross(bodies_.Mp_f(j));
    if (bodies_.prismatic(j)) {
      const Vec lambda = inner.half_lambda + inner.half_lambda;
      const Vec md_dot = k.omega.cross(bodies_.md(j)) + lambda;
      n = bodies_.md(j).cross(k.e_dot);         // moment of M̃_j W_j p_j
      sums.kappa = md_dot.cross(bodies_.e(j));  // Fᵀ e, F the lower block
    } else {
      sums.kappa = k.X * k.e_dot;                       // (-ω× X)ᵀ e
      n = k.omega.cross(bodies_.Mp_n(j)) - sums.kappa;  // Ĩ (ω × e) - ω× X e
      if (j + 1 < bodies_.size()) add_relative(bodies_.e(j), inner, sums);
    }
    n += bodies_.O(j).cross(sums.b_f);         // A_j0ᵀ b_j
    sums.kappa += k.v.cross(bodies_.Mp_f(j));  // O_j moves
    return sums;
  }

  // H̃_jj + M̃'_j of what moves relative to link j, and its transpose, times p_j = [e; 0].
  static void add_relative(const Vec& e, const HPlusM& inner, Sums& sums) {
    const Vec half_f = e.cross(inner.half_lambda);
    sums.b_f += half_f + half_f;  // -λ × e
    const Vec K_e = inner.K * e;
    const Vec sigma_e = inner.sigma.cross(e);
    sums.b_n += K_e - sigma_e;    // (K - σ×) e
    sums.kappa += K_e + sigma_e;  // (K - σ×)ᵀ e
    sums.c_jj = e.dot(K_e);
  }

  // c_ij for i < j.
  void column(Index j, const Sums& b, MatOut<Scalar>& C) const {
    C(0, j) = bodies_.prismatic(0) ? b.b_f.z() : b.b_n.z();  // (10), i ≤ j
    for (Index i = 1; i < j; ++i) {
      C(i, j) = bodies_.p_w(i).dot(b.b_n) + link(i).p_v.dot(b.b_f);  // (10), i ≤ j
    }
  }

  // c_ij for i > j.
  void row(Index i, const Sums& sums, MatOut<Scalar>& C) const {
    const Vec &n = link(i).Mp_n_0, &f = bodies_.Mp_f(i), &kappa = sums.kappa;
    C(i, 0) = bodies_.prismatic(0) ? Scalar(0.0) : kappa.z();  // (10), i > j
    for (Index j = 1; j < i; ++j) {
      const Link& k = link(j);
      C(i, j) = k.p_w_dot.dot(n) + k.p_v_dot.dot(f) + bodies_.p_w(j).dot(kappa);  // (10), i > j
    }
  }

  // (12), (13): from the part of H̃_jj + M̃'_j relative to link j to that of j-1 relative to link j-1.
  void carry(Index j, HPlusM& inner) const {
    const Scalar& half_qd = link(j).half_qd;
    if (bodies_.prismatic(j)) {  // M̃_j with half the rate of joint j
      add_outer(link(j).half_rate, bodies_.md(j), inner.K);
    } else {
      add_turning(link(j).half_rate, bodies_.I(j), inner.K);
    }
    inner.sigma += half_qd * bodies_.Mp_n(j);
    inner.half_lambda += half_qd * bodies_.Mp_f(j);
    inner.sigma += add_outer(inner.half_lambda, bodies_.a(j - 1), inner.K);  // A_j,j-1ᵀ [ ] A_j,j-1
  }

  // Of the last step, only the element K_zz that makes c_00.
  [[nodiscard]] Scalar carry_to_first(const HPlusM& inner) const {
    const Vec& half = link(1).half_rate;
    const Scalar& half_qd = link(1).half_qd;
    const Vec &f = bodies_.Mp_f(1), &md = bodies_.md(1), &a = bodies_.a(0);
    const Sym3<Scalar>& I = bodies_.I(1);
    const Scalar x = inner.half_lambda.x() + half_qd * f.x();
    const Scalar y = inner.half_lambda.y() + half_qd * f.y();
    const Scalar own = bodies_.prismatic(1) ? half.x() * md.x() + half.y() * md.y()
                                            : half.x() * I.yz - half.y() * I.xz;
    const Scalar sum = own + x * a.x() + y * a.y();
    return inner.K.zz + sum + sum;
  }

  // K of a body with points moving by u × x, given u/2.
  static void add_turning(const Vec& u, const Sym3<Scalar>& I, Sym3<Scalar>& K) {
    const Scalar x = u.x() * I.yz, y = u.y() * I.xz, z = u.z() * I.xy;
    const Scalar yz = y - z, zx = z - x, xy = x - y;
    K.xx += yz + yz, K.yy += zx + zx, K.zz += xy + xy;
    K.xy += u.z() * (I.xx - I.yy) + u.y() * I.yz - u.x() * I.xz;
    K.xz += u.y() * (I.zz - I.xx) + u.x() * I.xy - u.z() * I.yz;
    K.yz += u.x() * (I.yy - I.zz) + u.z() * I.xz - u.y() * I.xy;
  }

  // K of ∫ ẋ rᵀ dm, given u = (∫ ẋ dm)/2; returns r × u.
  static Vec add_outer(const Vec& u, const Vec& r, Sym3<Scalar>& K) {
    const Scalar xx = u.x() * r.x(), yy = u.y() * r.y(), zz = u.z() * r.z();
    const Scalar xy = u.x() * r.y(), yx = u.y() * r.x(), xz = u.x() * r.z(), zx = u.z() * r.x();
    const Scalar yz = u.y() * r.z(), zy = u.z() * r.y();
    const Scalar y_z = yy + zz, z_x = zz + xx, x_y = xx + yy;
    K.xx += y_z + y_z, K.yy += z_x + z_x, K.zz += x_y + x_y;
    K.xy -= xy + yx, K.xz -= xz + zx, K.yz -= yz + zy;
    return {zy - yz, xz - zx, yx - xy};
  }

  CompositeBodies bodies_;
  std::vector<Link> links_;
  PlanarMci<Scalar> planar_;
  bool turns_ = false;
};

}  // namespace dyn
