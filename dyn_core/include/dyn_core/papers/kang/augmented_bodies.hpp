// Augmented bodies: link k and everything outboard of it welded together, one for every joint.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (14)-(18), (28), (29), section 4.2 STEP 1 and 2. The composite bodies M̃_k of P. P. Bhangale, S.
//   K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion, 2004, eq. (13),
//   are the same thing. k = 0 … n-1 here are 1 … n there.
//
//   Kang                 | Bhangale    | here | axes of the first link's frame
//   S^k                  | e_k         | s    | joint axis
//   g_k                  |             | w    | turning at unit speed of joint k: S^k, 0 if it slides
//   Q^k, Q_k-1^k         | a_k         | O, l | O_0 to O_k, O_k-1 to O_k, m
//   R^k                  |             | R    | frame k to the first link's
//   m_k r_k^ck           |             | m_c  | first moment of link k about O_k, kg m
//   M_k                  |             | mass | of link k and all outboard of it, kg
//   M_k r_k^c*           | m̃_k d̃_k     | h    | their first moment about O_k, kg m
//   [III^k]              | Ĩ_k         | J    | their inertia about O_k, kg m²
//   P^k = M_k g_k^c*     | M̃_k p_k     | P    | momentum at unit speed of joint k alone (14)
//   L^k = [III^k] g_k    |             | L    | its moment of momentum about O_k (17)
//
// Deviations: (a) The reference point of body k is O_k, not its mass centre c*_k: nothing is
// divided by M_k, so that massless links at the tip do no harm. J is (18) with r_j from O_k. In (29),
// then, the first brace is in the link's own constant inertia about O_k, and the second is
// M_k+1 {([I] vᵀ v - v vᵀ) - ([I] rᵀ r - r rᵀ)} with r = r_k+1^c*, v = r + Q, Q = Q_k^k+1; that is
// 2 (Qᵀ u) [I] - (Q uᵀ + u Qᵀ) with u = M_k+1 (r + Q/2). (b) A prismatic joint k gives P^k = M_k S^k
// and L^k = M_k r_k^c* × S^k. (c) What is printed wrong is in papers/kang/as_printed_*.hpp. (d) What
// link frame 0 and the step to frame 1 have of zeros and ones is not multiplied.
#pragma once

#include <vector>

#include "dyn_core/math/counted_step.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

/// M_k, M_k r_k^c* and [III^k], with where the body stands and its momenta.
template <class Scalar>
struct AugmentedBody {
  bool prismatic = false;
  Vec3<Scalar> s, w;
  Vec3<Scalar> O, l;
  Scalar mass;
  Vec3<Scalar> m_c;
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
    place(model, joints);  // STEP 1
    for (Index k = size() - 1; k > 0; --k) {
      momenta(body(k));
      augment(body(k - 1), body(k));  // STEP 2
    }
    first_momenta(body(0));
  }

  /// g_i of the point O_k of body k, i ≤ k: the translational first order KIC of Appendix 1.
  [[nodiscard]] Vec3<Scalar> velocity_of_origin(Index i, Index k) const {
    const AugmentedBody<Scalar>& inner = (*this)[i];
    const Vec3<Scalar>& O = (*this)[k].O;
    if (inner.prismatic) return inner.s;              // S^i
    if (i == 0) return {-O.y(), O.x(), Scalar(0.0)};  // the same with S^0 = e_z, O^0 = 0
    return inner.s.cross(Vec(O - inner.O));           // S^i × (O^k - O^i)
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
  using Step = CountedStep<Scalar>;

  Body& body(Index k) { return bodies_[static_cast<std::size_t>(k)]; }

  // STEP 1: R^k, Q^k and S^k, and of each link m_k, m_k r_k^ck; STEP 2: its inertia about O_k.
  void place(const Model& model, Joints<Scalar> joints) {
    [[maybe_unused]] const Step step_1(1);
    Mat R = Mat::Identity();  // R^0
    for (Index k = 0; k < size(); ++k) {
      const LinkModel& link = model.link(k);
      const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(k)];
      Body& b = body(k);
      if (k == 0) {
        place_first(link, b);
      } else if (k == 1) {
        place_second(link, joint, R, b);
      } else {
        place_next(link, joint, R, b);
        b.O = body(k - 1).O + b.l;  // Q^k = Q^k-1 + Q_k-1^k
      }
      set_axis(link, R, b);
    }
  }

  static void set_axis(const LinkModel& link, const Mat& R, Body& b) {
    b.prismatic = link.prismatic;
    b.s = R.col(2);  // S^k
    b.w = b.s;       // g_k
    if (b.prismatic) b.w.setZero();
    b.mass = Scalar(link.mass);  // m_k, until STEP 2
    b.m_c = b.h;
  }

  static Sym3<Scalar> cast(const Sym3<double>& m) {
    return {Scalar(m.xx), Scalar(m.xy), Scalar(m.xz), Scalar(m.yy), Scalar(m.yz), Scalar(m.zz)};
  }

  // In its own frame.
  static void place_first(const LinkModel& link, Body& b) {
    b.O.setZero();
    b.l.setZero();
    b.h = link.moment.template cast<Scalar>();  // m_k r_k^ck
    b.J = cast(link.inertia_origin);
  }

  // One step from that frame: R^1 is its rotation, and planar turns take vectors there.
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
    [[maybe_unused]] const Step step_2(2);
    turn_to_parent(link, joint, b.J);
  }

  static void place_next(const LinkModel& link, const JointPose<Scalar>& joint, Mat& R, Body& b) {
    b.l = Scalar(link.a) * R.col(0);
    turn_frame(link, joint, R);
    b.l += joint.d * R.col(2);
    b.h.noalias() = R * link.moment.template cast<Scalar>();
    [[maybe_unused]] const Step step_2(2);
    b.J = rotated(R, link.inertia_origin);  // R^k [II] R^kᵀ
  }

  // From R^k-1 to R^k.
  static void turn_frame(const LinkModel& link, const JointPose<Scalar>& joint, Mat& R) {
    for (Index r = 0; r < 3; ++r) {
      turn_back(link.alpha, R(r, 1), R(r, 2));
      if (link.has_beta) turn_back(link.beta, R(r, 2), R(r, 0));
      turn_back(joint.theta, R(r, 0), R(r, 1));
    }
  }

  // STEP 2: body k, so far link k alone, takes in body k+1.
  static void augment(Body& b, const Body& next) {
    [[maybe_unused]] const Step step_2(2);
    const Vec& Q = next.l;                              // Q_k^k+1
    const Vec half_MQ = (Scalar(0.5) * next.mass) * Q;  // M_k+1 Q/2
    const Vec u = next.h + half_MQ;                     // M_k+1 (r_k+1^c* + Q/2)
    b.J += next.J;                                      // (29): [II^k] + [III^k+1]
    b.J += parallel_axes(Q, u);                         // (29): its second brace
    b.h += u + half_MQ;                                 // (28): m_k r_k^ck + M_k+1 (r_k+1^c* + Q)
    b.mass += next.mass;                                // (28): m_k + M_k+1
  }

  // 2 (Qᵀ u) [I] - (Q uᵀ + u Qᵀ).
  static Sym3<Scalar> parallel_axes(const Vec& Q, const Vec& u) {
    const Scalar x = Q.x() * u.x(), y = Q.y() * u.y(), z = Q.z() * u.z();
    const Scalar yz = y + z, xz = x + z, xy = x + y;
    Sym3<Scalar> sum;
    sum.xx = yz + yz, sum.yy = xz + xz, sum.zz = xy + xy;
    sum.xy = -(Q.x() * u.y() + Q.y() * u.x());
    sum.xz = -(Q.x() * u.z() + Q.z() * u.x());
    sum.yz = -(Q.y() * u.z() + Q.z() * u.y());
    return sum;
  }

  // P^k of STEP 3 and L^k of STEP 4, at unit speed of joint k.
  static void momenta(Body& b) {
    [[maybe_unused]] const Step step_3(3);
    if (b.prismatic) {
      b.P = b.mass * b.s;  // M_k S^k
      [[maybe_unused]] const Step step_4(4);
      b.L = b.h.cross(b.s);  // M_k r_k^c* × S^k
    } else {
      b.P = b.s.cross(b.h);  // (14): S^k × M_k r_k^c*
      [[maybe_unused]] const Step step_4(4);
      b.L = b.J * b.s;  // (17): [III^k] g_k
    }
  }

  // The same with S^0 = e_z.
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
