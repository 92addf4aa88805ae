// MCI: the matrix of convective inertia, element by element from composite bodies, O(n²).
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, eq. (9)-(13) and, for planar arms, section 3.2.1 (mci_planar.hpp).
//
//   C = Tᵀ (M Ṫ + W M E T);   for i ≤ j, (10) is c_ij = p_iᵀ A_jiᵀ b_j with
//         b_j = (M̃_j W_j + A_j+1,jᵀ H̃_j+1,j + M̃'_j) p_j
//   and for i > j, c_ij = f_iᵀ d/dt(A_ij p_j) + κ_iᵀ A_ij p_j with f_i = M̃_i p_i and κ_i the
//   transpose of H̃ + M̃', the rates that do not act on p_j, times p_i
//
//   paper                 | here             | axes of the first link's frame, about O_0
//   M̃_i                   | bodies_[i]       | composite body about O_i
//   p_i, A_ij p_j         | w, t             | unit twist of a joint: rotation, velocity at O_0
//   Ṫ                     | dw, dt           | their rates
//   ω_i, t_i              | omega, v         | turning of link i, velocity of O_i
//   M̃_i p_i               | P, L_o           | momentum at unit speed of joint i
//   b_j, κ_j              | n and f, kappa
//   H̃, M̃'                 | Relative, see carry(), column_and_row()
//   c_ij                  | C(i, j)
//
// Deviations: (a) W_i M_i E_i as printed has the lower left block -m (ω×)(d×), which makes Ṁ - 2C
// skew-symmetric for d = 0 or planar motion only. A block -m (ω×d)× and, instead of (ω×) I, the
// block (ω×) (I - tr(I)/2) give the same C q̇, since both differ from the print by what vanishes at
// the link's own ω; then C = Σ ∫ g_iᵀ ġ_j dm over points with partial velocities g, c_ij = Σ_k
// c_ijk q̇_k with the Christoffel symbols, and Ṁ - 2C is skew-symmetric. `mci` does that;
// `mci_printed` takes the paper's W M E literally. (b) H̃ and M̃' together depend on motion inside
// the composite body only through its first moment and ∫ ẋ xᵀ dm relative to link j: twelve numbers
// instead of two 6x6 matrices. (c) One set of axes for all elements instead of frame i for row i:
// 6M for an element above the diagonal, 9M below, none with joint 0. (d) Prismatic: p = [0; e],
// b = [h × ė; M ė], κ = ḣ × e.
//
// Cost: like the paper's, which adds it to that of the GIM (88M 63A for n = 2 is the sum of both),
// the count leaves out what the GIM needs as well: link frames, composite bodies, p_i and M̃_i p_i.
// In the planar case these are spatial here, more than the planar GIM needs (n = 3: 300M 262A).
//   (14n²+22n+4) M (13.5n²+55.5n-65.5) A      planar (7n²+13n+4) M (4n²+13n+2) A    the paper
//   (7.5n²+89.5n-172) M (6.5n²+111.5n-218) A  planar (2n²+6n-8) M (2n²+7n-9) A      measured, n > 2
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/mci_planar.hpp"
#include "dyn_core/papers/kang/augmented_bodies.hpp"

namespace dyn {

enum class MciForm {
  kSkew,     ///< Ṁ - 2C skew-symmetric: deviation (a)
  kPrinted,  ///< the paper's W M E
};

template <class Scalar>
class Mci : public CoriolisAlgorithm<Scalar> {
 public:
  explicit Mci(const Model& model, MciForm form = MciForm::kSkew)
      : form_(form),
        bodies_(model),
        links_(static_cast<std::size_t>(model.size())),
        planar_(model) {}

  /// Composite bodies of the last configuration.
  [[nodiscard]] const AugmentedBodies<Scalar>& bodies() const { return bodies_; }

  void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                       MatOut<Scalar> C) override {
    {
      [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
      update_bodies(model, joints);
    }
    from_bodies(model, qd, C);
  }

  /// The first half, which the GIM needs as well.
  void update_bodies(const Model& model, Joints<Scalar> joints) {
    bodies_.update(model, joints);  // (13)
    for (Index i = 0; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      link(i).t = b.s;
      if (!b.prismatic) link(i).t = b.O.cross(b.s);
      link(i).L_o = b.L + b.O.cross(b.P);
      const Scalar half = Scalar(0.5) * (b.J.xx + b.J.yy + b.J.zz);
      link(i).E = {half - b.J.xx, -b.J.xy, -b.J.xz, half - b.J.yy, -b.J.yz, half - b.J.zz};
    }
  }

  /// The second half.
  void from_bodies(const Model& model, VecIn<Scalar> qd, MatOut<Scalar> C) {
    if (planar_.applies()) {
      planar_.coriolis_matrix(bodies_, qd, C);
      return;
    }
    velocities(qd);
    spatial(C);
    if (form_ == MciForm::kPrinted) add_printed_blocks(model, C);
  }

 private:
  using Vec = Vec3<Scalar>;
  using Body = AugmentedBody<Scalar>;

  struct Link {
    Vec t, L_o;
    Sym3<Scalar> E;  // ∫ x xᵀ dm of the composite body about O_i
    Vec omega, v;
    Scalar half_qd;
    Vec half_rate;   // q̇_i/2 along the joint axis
    Vec ds, dw, dt;  // rates of s, w and t
  };

  // Motion of composite body j relative to link j, with x from O_j: (∫ ẋ dm)/2, the symmetric part
  // of tr(S) 1 - S with S = ∫ ẋ xᵀ dm, and (∫ x × ẋ dm)/2.
  struct Relative {
    Vec half_momentum = Vec::Zero();
    Sym3<Scalar> K;
    Vec half_spin = Vec::Zero();
  };

  Link& link(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& link(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  // rate z × x.
  static Vec turned_about_z(const Scalar& rate, const Vec& x) {
    return {-rate * x.y(), rate * x.x(), Scalar(0.0)};
  }

  // The velocity of a first joint that slides changes nothing and is taken as zero.
  void velocities(VecIn<Scalar> qd) {
    const Scalar zero(0.0);
    const Scalar first_rate = bodies_[0].prismatic ? zero : qd[0];
    link(0).omega << zero, zero, first_rate;
    link(0).v.setZero();
    for (Index i = 1; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      Link& k = link(i);
      const Link& parent = link(i - 1);
      k.half_qd = Scalar(0.5) * qd[i];
      k.half_rate = k.half_qd * b.s;
      if (i == 1) {
        k.v = turned_about_z(first_rate, b.l);
        k.ds = turned_about_z(first_rate, b.s);
        k.dt = turned_about_z(first_rate, k.t);
      } else {
        k.v = parent.v + parent.omega.cross(b.l);
        k.ds = parent.omega.cross(b.s);
      }
      k.omega = parent.omega;
      k.dw = k.ds;
      (b.prismatic ? k.v : k.omega) += k.half_rate + k.half_rate;
      if (b.prismatic) k.dw.setZero();
      if (i > 1 && i + 1 < bodies_.size()) set_rate_of_twist(b, k);
    }
  }

  static void set_rate_of_twist(const Body& b, Link& k) {
    k.dt = k.ds;
    if (!b.prismatic) k.dt = b.O.cross(k.ds) + k.v.cross(b.s);
  }

  void spatial(MatOut<Scalar>& C) const {
    Relative inner;
    for (Index j = bodies_.size() - 1; j > 0; --j) {
      column_and_row(j, inner, C);
      if (j > 1) carry(j, inner);
    }
    const bool turns_something = bodies_.size() > 1 && !bodies_[0].prismatic;
    C(0, 0) = turns_something ? carry_to_first(inner) : Scalar(0.0);
  }

  // b_j and κ_j, and with them c_ij and c_ji for i ≤ j.
  void column_and_row(Index j, const Relative& inner, MatOut<Scalar>& C) const {
    const Body& body = bodies_[j];
    const Link& k = link(j);
    Vec n, f, kappa;  // about O_j
    f = k.omega.cross(body.P);
    C(j, j) = Scalar(0.0);
    if (body.prismatic) {
      const Vec momentum = k.omega.cross(body.h) + inner.half_momentum + inner.half_momentum;
      n = body.h.cross(k.ds);
      kappa = momentum.cross(body.s);
    } else {
      kappa = k.E * k.ds;
      n = k.omega.cross(body.L) - kappa;
      if (j + 1 < bodies_.size()) add_relative(body, inner, f, n, kappa, C(j, j));
    }
    n += body.O.cross(f);
    kappa += k.v.cross(body.P);
    const bool first_slides = bodies_[0].prismatic;
    C(0, j) = first_slides ? f.z() : n.z();            // (10), i ≤ j
    C(j, 0) = first_slides ? Scalar(0.0) : kappa.z();  // (10), i > j
    for (Index i = 1; i < j; ++i) {
      const Link& other = link(i);
      const Vec& w = bodies_[i].w;
      C(i, j) = w.dot(n) + other.t.dot(f);                                  // (10), i ≤ j
      C(j, i) = other.dw.dot(k.L_o) + other.dt.dot(body.P) + w.dot(kappa);  // (10), i > j
    }
  }

  static void add_relative(const Body& body, const Relative& inner, Vec& f, Vec& n, Vec& kappa,
                           Scalar& c_jj) {
    const Vec half = body.s.cross(inner.half_momentum);
    f += half + half;
    const Vec K_s = inner.K * body.s;
    const Vec twist = inner.half_spin.cross(body.s);
    n += K_s - twist;
    kappa += K_s + twist;
    c_jj = body.s.dot(K_s);  // (10), i = j
  }

  // (12): the motion of body j as link j - 1 sees it, with half the speed of joint j.
  void carry(Index j, Relative& inner) const {
    const Body& outer = bodies_[j];
    const Scalar& half_qd = link(j).half_qd;
    if (outer.prismatic) {
      add_outer(link(j).half_rate, outer.h, inner.K);
    } else {
      add_turning(link(j).half_rate, outer.J, inner.K);
    }
    inner.half_spin += half_qd * outer.L;
    inner.half_momentum += half_qd * outer.P;
    inner.half_spin += add_outer(inner.half_momentum, outer.l, inner.K);
  }

  // Of the last step, only the element K_zz that makes c_00.
  Scalar carry_to_first(const Relative& inner) const {
    const Body& outer = bodies_[1];
    const Vec& half = link(1).half_rate;
    const Scalar& half_qd = link(1).half_qd;
    const Scalar x = inner.half_momentum.x() + half_qd * outer.P.x();
    const Scalar y = inner.half_momentum.y() + half_qd * outer.P.y();
    const Scalar own = outer.prismatic ? half.x() * outer.h.x() + half.y() * outer.h.y()
                                       : half.x() * outer.J.yz - half.y() * outer.J.xz;
    const Scalar sum = own + x * outer.l.x() + y * outer.l.y();
    return inner.K.zz + sum + sum;
  }

  // K of a body with points moving by u × x, given u/2.
  static void add_turning(const Vec& u, const Sym3<Scalar>& J, Sym3<Scalar>& K) {
    const Scalar x = u.x() * J.yz, y = u.y() * J.xz, z = u.z() * J.xy;
    const Scalar yz = y - z, zx = z - x, xy = x - y;
    K.xx += yz + yz, K.yy += zx + zx, K.zz += xy + xy;
    K.xy += u.z() * (J.xx - J.yy) + u.y() * J.yz - u.x() * J.xz;
    K.xz += u.y() * (J.zz - J.xx) + u.x() * J.xy - u.z() * J.yz;
    K.yz += u.x() * (J.yy - J.zz) + u.z() * J.xz - u.y() * J.xy;
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

  // The printed W M E minus the blocks of deviation (a), for link l: [tr(I)/2 ω×, 0; D, 0] with
  // D = -m (d×)(ω×); summed up inward about O_0. It acts on and yields rotations only, and vanishes
  // on the velocities themselves.
  void add_printed_blocks(const Model& model, MatOut<Scalar>& C) const {
    Mat3<Scalar> upper = Mat3<Scalar>::Zero(), lower = upper;
    for (Index l = bodies_.size() - 1; l >= 0; --l) {
      const Body& own = bodies_[l];
      const Sym3<double>& I = model.link(l).inertia_origin;
      const Mat3<Scalar> turning = skew(link(l).omega);
      const Mat3<Scalar> D = -(skew(own.m_c) * turning);
      lower += D;
      upper += Scalar(0.5 * (I.xx + I.yy + I.zz)) * turning + skew(own.O) * D;
      const Vec n = upper * own.w, f = lower * own.w;
      const Vec kappa = upper.transpose() * own.w + lower.transpose() * link(l).t;
      C(l, l) += own.w.dot(n) + link(l).t.dot(f);
      for (Index i = 0; i < l; ++i) {
        C(i, l) += bodies_[i].w.dot(n) + link(i).t.dot(f);
        C(l, i) += kappa.dot(bodies_[i].w);
      }
    }
  }

  MciForm form_;
  AugmentedBodies<Scalar> bodies_;
  std::vector<Link> links_;
  PlanarMci<Scalar> planar_;
};

/// The MCI matrix of the paper's own W M E; its Ṁ - 2C is not skew-symmetric in general.
template <class Scalar>
class MciPrinted final : public Mci<Scalar> {
 public:
  explicit MciPrinted(const Model& model) : Mci<Scalar>(model, MciForm::kPrinted) {}
};

}  // namespace dyn
