// The MCI of a planar arm (Bhangale 2004, section 3.2.1): the equations of mci.hpp with vectors of
// the plane and angular quantities along its normal.
//
//   paper, mci.hpp     | here         | meaning in the plane
//   e_i, a_i-1, O_i    | e, a, O      | a slide's axis, O_i-1 to O_i, O_0 to O_i
//   m̃_i, m̃_i d̃_i       | m, md        | composite body: mass, first moment about O_i
//   M̃_i p_i            | Mp_f         | its force
//   A_0i p_i, its rate | p_v, p_v_dot | velocity at O_0 of a unit turn about the normal through O_i,
//                      |              | or the slide's axis
//   W_i, t_i           | omega, v     | turning of link i about the normal, velocity of O_i
//   H̃_ii + M̃'_i        | HPlusM       | its relative part: λ = ∫ ẋ dm and K = ∫ ẋ · x dm
//   b_j, κ_j           | Sums         | of a turn about the normal
//
// Axes are those of the first link; the normal, and which joints are `reversed`, are planar_arm.hpp's.
//
// With all axes parallel the rates of the axes vanish, and so do all differences between the forms
// of W M E: Ṁ - 2C is skew-symmetric as it stands. Two multiplications for every element. Moments of
// inertia are not needed.
//
// Cost, revolute, of place(), which the paper's count of the MCI leaves to the GIM: (12n-18) M (11n-15) A
// from n = 2 on.
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/planar_arm.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
class PlanarMci {
 public:
  explicit PlanarMci(const Model& model)
      : arm_(model), links_(static_cast<std::size_t>(model.size())) {}

  [[nodiscard]] bool applies() const { return arm_.applies(); }

  /// Where everything is, and the composite bodies.
  void place(const Model& model, Joints<Scalar> joints) {
    arm_.follow(model);
    Turn<Scalar> so_far;  // from the axes of link i to the first's
    bool has_turned = false;
    for (Index i = 0; i < size(); ++i) {
      const bhangale::PlanarLink& k = arm_.link(i);
      const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(i)];
      place_axis(k, joint, so_far, has_turned, i);
      if (!k.prismatic && i > 0) {
        const Turn<Scalar> own = bhangale::turn_of(k, joint);
        Turn<Scalar> both = own;
        if (has_turned) turn(so_far, both.c, both.s);
        so_far = both;
        has_turned = true;
      }
      link(i).md = k.md.cast<Scalar>();
      if (has_turned) turn(so_far, link(i).md.x(), link(i).md.y());
    }
    form_composites();
  }

  /// γ, gravity, in the axes of the first link; given in frame 0.
  [[nodiscard]] Eigen::Matrix<Scalar, 2, 1> gravity_in_plane(const JointPose<Scalar>& first,
                                                             const Vec3d& gravity) const {
    Vec2 gamma = arm_.in_plane(gravity).template cast<Scalar>();
    if (!arm_.link(0).prismatic) turn_back(first.theta, gamma.x(), gamma.y());
    return gamma;
  }
  /// The force in M̃_i p_i.
  [[nodiscard]] const Eigen::Matrix<Scalar, 2, 1>& Mp_f(Index i) const { return link(i).Mp_f; }

  void coriolis_matrix(VecIn<Scalar> qd, MatOut<Scalar>& C) {
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
    bool prismatic = false, reversed = false;
    Vec2 e, a, O, md, Mp_f, p_v;
    Scalar m;
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

  // O_i and e_i, with the axes of link i-1 turned `so_far`.
  void place_axis(const bhangale::PlanarLink& k, const JointPose<Scalar>& joint,
                  const Turn<Scalar>& so_far, bool has_turned, Index i) {
    Link& own = link(i);
    own.prismatic = k.prismatic, own.reversed = k.reversed;
    own.e = k.e.cast<Scalar>();
    if (has_turned && k.prismatic) turn(so_far, own.e.x(), own.e.y());
    if (i == 0) {
      own.a.setZero(), own.O.setZero();
    } else {
      own.a = bhangale::offset_of(k, joint);
      if (has_turned && k.along_x) {
        const Scalar length = own.a.x();
        own.a << length * so_far.c, length * so_far.s;
      } else if (has_turned) {
        turn(so_far, own.a.x(), own.a.y());
      }
      own.O = own.a;
      if (i > 1) own.O += link(i - 1).O;
    }
    own.p_v = k.prismatic ? own.e : Vec2(-turned(own.O));
  }

  // (13), and the force of M̃_i p_i.
  void form_composites() {
    for (Index i = size() - 1; i >= 0; --i) {
      Link& own = link(i);
      own.m = Scalar(arm_.link(i).m);
      if (i + 1 < size()) {
        const Link& next = link(i + 1);
        own.m += next.m;
        own.md += next.md + next.m * next.a;
      }
      own.Mp_f = own.prismatic ? Vec2(own.m * own.e) : turned(own.md);
      if (own.reversed) own.Mp_f = -own.Mp_f;
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

  bhangale::PlanarArm arm_;
  std::vector<Link> links_;
};

}  // namespace dyn
