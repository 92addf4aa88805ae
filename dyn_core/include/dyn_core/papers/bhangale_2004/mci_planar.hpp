// The MCI of a planar arm (Bhangale 2004, section 3.2.1): the equations of mci.hpp with vectors of
// the plane and angular quantities along its normal.
//
//   paper, mci.hpp     | here         | meaning in the plane
//   e_i, a_i-1, O_i    | e, a, O      | a slide's axis, O_i-1 to O_i, O_0 to O_i
//   m̃_i d̃_i, M̃_i p_i   | md, Mp_f     | first moment about O_i; force of M̃_i p_i
//   A_0i p_i, its rate | p_v, p_v_dot | velocity at O_0 of a unit turn about the normal through O_i,
//                      |              | or the slide's axis
//   W_i, t_i           | omega, v     | turning of link i about the normal, velocity of O_i
//   H̃_ii + M̃'_i        | HPlusM       | its relative part: λ = ∫ ẋ dm and K = ∫ ẋ · x dm
//   b_j, κ_j           | Sums         | of a turn about the normal
//   normal             |              | axis of the first revolute joint; a joint that turns the
//                      |              | other way is `reversed`
//
// With all axes parallel the rates of the axes vanish, and so do all differences between the forms
// of W M E: Ṁ - 2C is skew-symmetric as it stands. Two multiplications for every element.
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/composite_bodies.hpp"

namespace dyn {

template <class Scalar>
class PlanarMci {
 public:
  using CompositeBodies = bhangale::CompositeBodies<Scalar>;

  explicit PlanarMci(const Model& model)
      : applies_(model.chain().is_planar()), links_(static_cast<std::size_t>(model.size())) {}

  [[nodiscard]] bool applies() const { return applies_; }

  void coriolis_matrix(const CompositeBodies& bodies, VecIn<Scalar> qd, MatOut<Scalar>& C) {
    project(bodies);
    move(qd);
    HPlusM inner;
    for (Index j = size() - 1; j > 0; --j) {
      const Sums sums = form_sums(j, inner);
      C(j, j) = link(j).prismatic ? Scalar(0.0) : inner.K;  // (10), i = j
      column(j, sums, C);
      row(j, sums, C);
      carry(link(j), qd[j], inner);
    }
    C(0, 0) = link(0).prismatic ? Scalar(0.0) : inner.K;  // (10), i = j
  }

 private:
  using Vec2 = Eigen::Matrix<Scalar, 2, 1>;

  struct Link {
    bool prismatic, reversed;
    Vec2 e, a, O, md, Mp_f, p_v;
    Scalar omega;
    Vec2 v, p_v_dot;
  };
  struct HPlusM {
    Vec2 lambda = Vec2::Zero();
    Scalar K{0.0};
  };
  struct Sums {
    Scalar b_n;
    Vec2 b_f;
    Scalar kappa;
  };

  [[nodiscard]] Index size() const { return static_cast<Index>(links_.size()); }
  Link& link(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& link(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  // normal × x (the paper's R x), and the component along the normal of x × y.
  static Vec2 turned(const Vec2& x) { return {-x.y(), x.x()}; }
  static Scalar cross(const Vec2& x, const Vec2& y) { return x.x() * y.y() - x.y() * y.x(); }

  // The GIM's share, in the plane: its first axis is the first slide's, or x of the first link.
  void project(const CompositeBodies& bodies) {
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    Index turning = 0;
    while (bodies.prismatic(turning)) ++turning;
    const Vec3<Scalar> normal = bodies.e(turning);
    const Vec3<Scalar> x = turning == 0 ? Vec3<Scalar>::UnitX() : Vec3<Scalar>::UnitZ();
    const Vec3<Scalar> y = normal.cross(x);
    const auto in_plane = [&](const Vec3<Scalar>& r) { return Vec2(x.dot(r), y.dot(r)); };
    for (Index i = 0; i < size(); ++i) {
      Link& k = link(i);
      k.prismatic = bodies.prismatic(i);
      k.reversed = !k.prismatic && bodies.e(i).dot(normal) < Scalar(0.0);
      k.e = in_plane(bodies.e(i)), k.O = in_plane(bodies.O(i));
      if (i > 0) k.a = in_plane(bodies.a(i - 1));
      k.md = in_plane(bodies.md(i)), k.Mp_f = in_plane(bodies.Mp_f(i));
      k.p_v = k.prismatic ? k.e : Vec2(-turned(k.O));
    }
  }

  // (7): W_i and t_i of every link, and with them Ṫ. The velocity of a first joint that slides
  // changes nothing and is taken as zero.
  void move(VecIn<Scalar> qd) {
    link(0).omega = link(0).prismatic ? Scalar(0.0) : qd[0];
    link(0).v.setZero();
    for (Index i = 1; i < size(); ++i) {
      Link& k = link(i);
      const Link& parent = link(i - 1);
      k.v = parent.v + parent.omega * turned(k.a);  // A_i,i-1 t_i-1
      k.omega = parent.omega;
      if (k.prismatic) {
        k.v += qd[i] * k.e;                 // p_i θ̇_i
        k.p_v_dot = k.omega * turned(k.e);  // W_i p_i
      } else {
        k.omega += k.reversed ? Scalar(-qd[i]) : qd[i];  // p_i θ̇_i
        k.p_v_dot = -turned(k.v);                        // Ȧ_0i p_i
      }
    }
  }

  [[nodiscard]] Sums form_sums(Index j, const HPlusM& inner) const {
    const Link& k = link(j);
    Sums sums;
    sums.b_f = k.omega * turned(k.Mp_f);  // (M̃_j W_j + M̃'_j) p_j of what turns with link j
    if (k.prismatic) {
      sums.b_n = k.omega * k.md.dot(k.e);                // M̃_j W_j p_j
      sums.kappa = cross(inner.lambda, k.e) - sums.b_n;  // (H̃_jj + M̃'_j)ᵀ p_j
    } else {
      const Vec2 rate = turned(inner.lambda);  // H̃_jj + M̃'_j of what moves relative to link j
      k.reversed ? sums.b_f -= rate : sums.b_f += rate;
      sums.b_n = k.reversed ? Scalar(-inner.K) : inner.K;
      sums.kappa = sums.b_n;
    }
    sums.b_n += cross(k.O, sums.b_f);  // A_j0ᵀ b_j
    sums.kappa += cross(k.v, k.Mp_f);  // O_j moves
    return sums;
  }

  // c_ij for i < j.
  void column(Index j, const Sums& b, MatOut<Scalar>& C) const {
    C(0, j) = link(0).prismatic ? b.b_f.x() : b.b_n;  // (10), i ≤ j
    for (Index i = 1; i < j; ++i) {
      const Link& k = link(i);
      C(i, j) = k.p_v.dot(b.b_f);          // (10), i ≤ j
      if (!k.prismatic) C(i, j) += b.b_n;  // (10), i ≤ j
      if (k.reversed) C(i, j) = -C(i, j);
    }
  }

  // c_ij for i > j.
  void row(Index i, const Sums& sums, MatOut<Scalar>& C) const {
    const Vec2& f = link(i).Mp_f;
    C(i, 0) = link(0).prismatic ? Scalar(0.0) : sums.kappa;  // (10), i > j
    for (Index j = 1; j < i; ++j) {
      const Link& k = link(j);
      C(i, j) = k.p_v_dot.dot(f);               // (10), i > j
      if (!k.prismatic) C(i, j) += sums.kappa;  // (10), i > j
      if (k.reversed) C(i, j) = -C(i, j);
    }
  }

  // (12), (13): from the part of H̃_jj + M̃'_j relative to link j to that of j-1 relative to link j-1.
  static void carry(const Link& outer, const Scalar& qd, HPlusM& inner) {
    if (outer.prismatic) inner.K += qd * outer.e.dot(outer.md);  // M̃_j with the rate of joint j
    inner.lambda += qd * outer.Mp_f;
    inner.K += inner.lambda.dot(outer.a);  // A_j,j-1ᵀ [ ] A_j,j-1
  }

  bool applies_;
  std::vector<Link> links_;
};

}  // namespace dyn
