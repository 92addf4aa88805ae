// Augmented bodies: link k and everything outboard of it welded together, one for every joint.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (11)-(18), (28), (29), section 4.2 STEP 1 and 2. The composite bodies M̃_k of P. P. Bhangale, S.
//   K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion, 2004, eq. (13),
//   are the same thing.
//
//   Kang                 | Bhangale    | here | axes of the first link's frame
//   S^k                  | e_k         | s    | joint axis
//   Q^k, Q_k^k+1         | a_k         | O, l | O_0 to O_k, O_k-1 to O_k, m
//   M_k                  |             | mass
//   M_k r_k^c*           | m̃_k d̃_k     | h    | first moment about O_k, kg m
//   [III^k]              | Ĩ_k         | J    | inertia about O_k, kg m²
//   P^k = M_k g_k^c*     | M̃_k p_k     | P    | momentum at unit speed of joint k alone (14)
//   L^k = [III^k] g_k    |             | L    | its moment of momentum about O_k (17)
//
// Deviations: (a) The reference point of body k is O_k, not its mass centre c*_k: nothing is
// divided by M_k, so that massless links at the tip do no harm. (18) takes r_j from c*_k; here from
// O_k. (b) A prismatic joint k gives P^k = M_k S^k and L^k = h_k × S^k. (c) m_k in (18) is meant to
// be m_j. (d) What link frame 0 and the step to frame 1 have of zeros and ones is not multiplied.
#pragma once

#include <vector>

#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
struct AugmentedBody {
  bool prismatic = false;
  Vec3<Scalar> s, w;  ///< the joint axis, and what the joint turns about: s, or 0 if it slides
  Vec3<Scalar> O, l;
  Scalar mass;
  Vec3<Scalar> m_c;  ///< first moment of link k alone about O_k
  Vec3<Scalar> h;
  Sym3<Scalar> J;
  Vec3<Scalar> P, L;
};

template <class Scalar>
class AugmentedBodies {
 public:
  explicit AugmentedBodies(const Model& model) : bodies_(static_cast<std::size_t>(model.size())) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(bodies_.size()); }
  [[nodiscard]] const AugmentedBody<Scalar>& operator[](Index k) const {
    return bodies_[static_cast<std::size_t>(k)];
  }

  /// Revolute, without the sines and cosines: (100n-144) M (91n-122) A from n = 2 on.
  void update(const Model& model, Joints<Scalar> joints) {
    place(model, joints);
    for (Index k = size() - 1; k > 0; --k) {
      momenta(body(k));
      absorb(body(k), body(k - 1));
    }
    first_momenta(body(0));
  }

  /// Velocity of the point O_k of body k at unit speed of joint i ≤ k: the first order KIC of O_k.
  [[nodiscard]] Vec3<Scalar> velocity_of_origin(Index i, Index k) const {
    const AugmentedBody<Scalar>& inner = (*this)[i];
    const Vec3<Scalar>& O = (*this)[k].O;
    if (inner.prismatic) return inner.s;
    if (i == 0) return {-O.y(), O.x(), Scalar(0.0)};
    return inner.s.cross(Vec(O - inner.O));
  }

  /// Gravity, given in frame 0, in the axes of the first link's frame.
  [[nodiscard]] static Vec3<Scalar> turned_gravity(const JointPose<Scalar>& first,
                                                   const Vec3d& gravity) {
    Vec g = gravity.cast<Scalar>();
    turn_back(first.theta, g.x(), g.y());
    return g;
  }

 private:
  using Vec = Vec3<Scalar>;
  using Mat = Mat3<Scalar>;
  using Body = AugmentedBody<Scalar>;

  Body& body(Index k) { return bodies_[static_cast<std::size_t>(k)]; }

  // STEP 1, and the mass properties of each link alone.
  void place(const Model& model, Joints<Scalar> joints) {
    Mat R = Mat::Identity();
    for (Index k = 0; k < size(); ++k) {
      const LinkModel& link = model.link(k);
      const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(k)];
      if (k == 0) {
        place_first(link, body(0));
      } else if (k == 1) {
        place_second(link, joint, R, body(1));
      } else {
        place_next(link, joint, R, body(k));
        body(k).O = body(k - 1).O + body(k).l;
      }
      set_axis(link, R, body(k));
    }
  }

  static void set_axis(const LinkModel& link, const Mat& R, Body& b) {
    b.prismatic = link.prismatic;
    b.mass = Scalar(link.mass);
    b.s = R.col(2);
    b.w = b.s;
    if (b.prismatic) b.w.setZero();
    b.m_c = b.h;
  }

  static Sym3<Scalar> cast(const Sym3<double>& m) {
    return {Scalar(m.xx), Scalar(m.xy), Scalar(m.xz), Scalar(m.yy), Scalar(m.yz), Scalar(m.zz)};
  }

  static void place_first(const LinkModel& link, Body& b) {
    b.O.setZero();
    b.l.setZero();
    b.h = link.moment.template cast<Scalar>();
    b.J = cast(link.inertia_origin);
  }

  static void place_second(const LinkModel& link, const JointPose<Scalar>& joint, Mat& R, Body& b) {
    if (link.has_beta) {
      turn_frame(link, joint, R);
    } else {
      const Scalar c = joint.theta.c, s = joint.theta.s;
      const auto ca = Scalar(link.alpha.c), sa = Scalar(link.alpha.s);
      R << c, -s, Scalar(0.0), ca * s, ca * c, -sa, sa * s, sa * c, ca;
    }
    b.l = origin_in_parent(link, joint);
    b.O = b.l;
    b.h = link.moment.template cast<Scalar>();
    b.J = cast(link.inertia_origin);
    turn_to_parent(link, joint, b.h);
    turn_to_parent(link, joint, b.J);
  }

  static void place_next(const LinkModel& link, const JointPose<Scalar>& joint, Mat& R, Body& b) {
    b.l = Scalar(link.a) * R.col(0);
    turn_frame(link, joint, R);
    b.l += joint.d * R.col(2);
    b.h.noalias() = R * link.moment.template cast<Scalar>();
    b.J = rotated(R, link.inertia_origin);
  }

  // From the rotation of frame k-1 to that of frame k.
  static void turn_frame(const LinkModel& link, const JointPose<Scalar>& joint, Mat& R) {
    for (Index r = 0; r < 3; ++r) {
      turn_back(link.alpha, R(r, 1), R(r, 2));
      if (link.has_beta) turn_back(link.beta, R(r, 2), R(r, 0));
      turn_back(joint.theta, R(r, 0), R(r, 1));
    }
  }

  // STEP 2: body k, which has only its own link, takes in body k+1, displaced by l.
  static void absorb(const Body& outer, Body& b) {
    const Vec& l = outer.l;
    const Vec half = (Scalar(0.5) * outer.mass) * l;
    const Vec u = outer.h + half;
    const Scalar x = l.x() * u.x(), y = l.y() * u.y(), z = l.z() * u.z();
    const Scalar yz = y + z, xz = x + z, xy = x + y;
    b.J += outer.J;  // (29)
    b.J.xx += yz + yz, b.J.yy += xz + xz, b.J.zz += xy + xy;
    b.J.xy -= l.x() * u.y() + l.y() * u.x();
    b.J.xz -= l.x() * u.z() + l.z() * u.x();
    b.J.yz -= l.y() * u.z() + l.z() * u.y();
    b.h += u + half;       // (28)
    b.mass += outer.mass;  // (28)
  }

  static void momenta(Body& b) {
    if (b.prismatic) {
      b.P = b.mass * b.s;
      b.L = b.h.cross(b.s);
    } else {
      b.P = b.s.cross(b.h);  // (14)
      b.L = b.J * b.s;       // (17)
    }
  }

  static void first_momenta(Body& b) {
    const Scalar zero(0.0);
    if (b.prismatic) {
      b.P << zero, zero, b.mass;
      b.L << b.h.y(), -b.h.x(), zero;
    } else {
      b.P << -b.h.y(), b.h.x(), zero;  // (14)
      b.L << b.J.xz, b.J.yz, b.J.zz;   // (17)
    }
  }

  std::vector<Body> bodies_;
};

}  // namespace dyn
