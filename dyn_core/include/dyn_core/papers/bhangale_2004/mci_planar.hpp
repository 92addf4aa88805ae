// The MCI of a planar arm (Bhangale 2004, section 3.2.1): the equations of mci.hpp with vectors of
// the plane and angular quantities along its normal.
//
//   here        | meaning
//   normal      | axis of the first revolute joint; a joint that turns the other way is `reversed`
//   W, v        | turning of link i and velocity of O_i
//   t           | velocity at O_0 of a unit turn about the normal through O_i, or the slide's axis
//   K           | ∫ ẋ · x dm and ∫ ẋ dm of a composite body relative to its first link
//
// With all axes parallel the rates of the axes vanish, and so do all differences between the forms
// of W M E: Ṁ - 2C is skew-symmetric as it stands. Two multiplications for every element.
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/kang/augmented_bodies.hpp"

namespace dyn {

template <class Scalar>
class PlanarMci {
 public:
  explicit PlanarMci(const Model& model)
      : applies_(model.chain().is_planar()), links_(static_cast<std::size_t>(model.size())) {}

  [[nodiscard]] bool applies() const { return applies_; }

  void coriolis_matrix(const AugmentedBodies<Scalar>& bodies, VecIn<Scalar> qd, MatOut<Scalar>& C) {
    project(bodies);
    velocities(qd);
    Relative inner;
    for (Index j = size() - 1; j > 0; --j) {
      column_and_row(j, inner, C);
      carry(link(j), qd[j], inner);
    }
    C(0, 0) = link(0).prismatic ? Scalar(0.0) : inner.K;
  }

 private:
  using Vec2 = Eigen::Matrix<Scalar, 2, 1>;

  struct Link {
    bool prismatic, reversed;
    Vec2 s, l, O, h, P, t;
    Scalar W;
    Vec2 v, dt;
  };
  struct Relative {
    Vec2 momentum = Vec2::Zero();
    Scalar K{0.0};
  };

  [[nodiscard]] Index size() const { return static_cast<Index>(links_.size()); }
  Link& link(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& link(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  // normal × a, and the component along the normal of a × b.
  static Vec2 turned(const Vec2& a) { return {-a.y(), a.x()}; }
  static Scalar cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

  // The GIM's share, in the plane: its first axis is the first slide's, or x of the first link.
  void project(const AugmentedBodies<Scalar>& bodies) {
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    Index turning = 0;
    while (bodies[turning].prismatic) ++turning;
    const Vec3<Scalar> normal = bodies[turning].s;
    const Vec3<Scalar> x = turning == 0 ? Vec3<Scalar>::UnitX() : Vec3<Scalar>::UnitZ();
    const Vec3<Scalar> y = normal.cross(x);
    const auto in_plane = [&](const Vec3<Scalar>& a) { return Vec2(x.dot(a), y.dot(a)); };
    for (Index i = 0; i < size(); ++i) {
      const AugmentedBody<Scalar>& b = bodies[i];
      Link& k = link(i);
      k.prismatic = b.prismatic;
      k.reversed = !b.prismatic && b.s.dot(normal) < Scalar(0.0);
      k.s = in_plane(b.s), k.l = in_plane(b.l), k.O = in_plane(b.O);
      k.h = in_plane(b.h), k.P = in_plane(b.P);
      k.t = b.prismatic ? k.s : Vec2(-turned(k.O));
    }
  }

  // The velocity of a first joint that slides changes nothing and is taken as zero.
  void velocities(VecIn<Scalar> qd) {
    link(0).W = link(0).prismatic ? Scalar(0.0) : qd[0];
    link(0).v.setZero();
    for (Index i = 1; i < size(); ++i) {
      Link& k = link(i);
      const Link& parent = link(i - 1);
      k.v = parent.v + parent.W * turned(k.l);
      k.W = parent.W;
      if (k.prismatic) {
        k.v += qd[i] * k.s;
        k.dt = k.W * turned(k.s);
      } else {
        k.W += k.reversed ? Scalar(-qd[i]) : qd[i];
        k.dt = -turned(k.v);
      }
    }
  }

  void column_and_row(Index j, const Relative& inner, MatOut<Scalar>& C) const {
    const Link& k = link(j);
    Vec2 f = k.W * turned(k.P);
    Scalar n, kappa;  // about O_j
    if (k.prismatic) {
      n = k.W * k.h.dot(k.s);
      kappa = cross(inner.momentum, k.s) - n;
    } else {
      const Vec2 rate = turned(inner.momentum);
      k.reversed ? f -= rate : f += rate;
      n = k.reversed ? Scalar(-inner.K) : inner.K;
      kappa = n;
    }
    C(j, j) = k.prismatic ? Scalar(0.0) : inner.K;
    n += cross(k.O, f);
    kappa += cross(k.v, k.P);
    C(0, j) = link(0).prismatic ? f.x() : n;            // (10), i ≤ j
    C(j, 0) = link(0).prismatic ? Scalar(0.0) : kappa;  // (10), i > j
    for (Index i = 1; i < j; ++i) {
      const Link& other = link(i);
      C(i, j) = other.t.dot(f);
      C(j, i) = other.dt.dot(k.P);
      if (other.prismatic) continue;
      C(i, j) += n;      // (10), i ≤ j
      C(j, i) += kappa;  // (10), i > j
      if (other.reversed) C(i, j) = -C(i, j), C(j, i) = -C(j, i);
    }
  }

  static void carry(const Link& outer, const Scalar& qd, Relative& inner) {
    if (outer.prismatic) inner.K += qd * outer.s.dot(outer.h);
    inner.momentum += qd * outer.P;
    inner.K += inner.momentum.dot(outer.l);
  }

  bool applies_;
  std::vector<Link> links_;
};

}  // namespace dyn
