// One link as the paper enters it: section 3.2, steps 1 to 5(a), with Appendices A and B.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004.
//
//   paper             | here                     | frame, unit
//   frame i           | columns of Q_1 … Q_i-1   | fixed to link i-1, Z_i along the axis of joint i,
//                     |                          | O_i where the common normal of axes i-1, i meets it
//   α_i, a_i, b_i, θ_i | alpha, a, b, theta      | from frame i to frame i+1, m
//   C_i, m_i, I_i^c   |        m, I_c            | mass centre, kg, kg m² about it
//   a_i, r_i, d_i     | a, r, d                  | O_i to O_i+1, C_i to O_i+1, O_i to C_i; frame i, m
//   m_i d_i           | md                       | frame i, kg m
//   [r_i]_i+1, [I_i^c]_i+1 | r_next, I_next      | as given, frame i+1
//   Q_i               | Q                        | turns vectors from frame i+1 to frame i
//   β_0 … β_8, r_c    | the same
//
// The links of the Model stand in modified frames: link i's has the origin O_i + b_i e_i, and leads to
// frame i+1 by Rx(α_i) Tx(a_i). (iv) and (v), the constants [r_i]_i+1 and [I_i^c]_i+1, are made here.
//
// Misprints: (a) B.1: the third row must be r_y sin α + r_z cos α, as Q_i has it. (b) B.2 forms
// Qᵀ I Q, a turn from frame i to frame i+1. Q I Qᵀ is the same scheme with θ and -α exchanged, the
// indices 1 and 3 exchanged, and the sign of index 2 reversed; it takes the same 16M 17A. (c) Read as
// Qᵀ I Q, B.2 needs i_11 - i_22 in β_1 (printed i_12), and i_22 + β_5 - β_8 as its (2,2) (printed
// -β_5). (d) The (3,3) of d × (m d × 1) must be -δ_y d_y - δ_x d_x. (e) After (2), I_i is printed with
// I_i^c twice; step 5(a) has it right. (a) to (d) are held by
// test_links_as_printed.cpp.
//
// Deviations: (f) A row with Hayati's extra angle: Q ends with Ry(beta), and (iv) and (v) are given in
// frame i+1 as it stands before that turn. (g) The last link has no next joint: α_n = a_n = 0.
#pragma once

#include "dyn_core/robot/model.hpp"

namespace dyn::bhangale {

/// B.1: Q_i r, 8M 4A.
template <class Scalar>
[[nodiscard]] Vec3<Scalar> Q_times(const Turn<Scalar>& theta, const Turn<Scalar>& alpha,
                                   const Vec3<Scalar>& r) {
  const Scalar r_c = r.y() * alpha.c - r.z() * alpha.s;
  return {r.x() * theta.c - r_c * theta.s, r.x() * theta.s + r_c * theta.c,
          r.y() * alpha.s + r.z() * alpha.c};
}

/// B.2: Q_i I Q_iᵀ, 16M 17A.
template <class Scalar>
[[nodiscard]] Mat3<Scalar> Q_times_times_Qt(const Turn<Scalar>& theta, const Turn<Scalar>& alpha,
                                            const Mat3<Scalar>& I) {
  const Scalar beta_0 = I(1, 2) * alpha.c;
  const Scalar beta_1 = (I(1, 1) - I(2, 2)) * alpha.s + (beta_0 + beta_0);
  const Scalar beta_2 = I(0, 2) * alpha.c + I(0, 1) * alpha.s;
  const Scalar beta_3 = beta_1 * alpha.c - I(1, 2);
  const Scalar beta_4 = I(0, 1) * alpha.c - I(0, 2) * alpha.s;
  const Scalar beta_5 = beta_1 * alpha.s;
  const Scalar beta_6 = beta_4 * theta.c;
  const Scalar beta_7 = ((I(0, 0) - I(1, 1)) + beta_5) * theta.s + (beta_6 + beta_6);
  const Scalar beta_8 = beta_7 * theta.s;
  const Scalar i_12 = beta_7 * theta.c - beta_4;
  const Scalar i_13 = beta_2 * theta.c - beta_3 * theta.s;
  const Scalar i_23 = beta_2 * theta.s + beta_3 * theta.c;
  Mat3<Scalar> turned;
  turned << I(0, 0) - beta_8, i_12, i_13,     //
      i_12, I(1, 1) - beta_5 + beta_8, i_23,  //
      i_13, i_23, beta_5 + I(2, 2);
  return turned;
}

/// The end of B.2: d × (m d × 1) with δ = m d, 6M 3A.
template <class Scalar>
[[nodiscard]] Mat3<Scalar> d_cross_md_cross(const Vec3<Scalar>& d, const Vec3<Scalar>& delta) {
  const Scalar x = delta.x() * d.x(), y = delta.y() * d.y(), z = delta.z() * d.z();
  const Scalar xy = delta.x() * d.y(), xz = delta.x() * d.z(), yz = delta.y() * d.z();
  Mat3<Scalar> product;
  product << -z - y, xy, xz, xy, -z - x, yz, xz, yz, -y - x;
  return product;
}

/// Link i in frame i: what is given, and steps 1 to 5(a) one after the other.
template <class Scalar>
struct LinkAsPrinted {
  LinkAsPrinted(const Model& model, std::span<const JointPose<Scalar>> joints, Index i)
      : LinkAsPrinted(given(model, joints, i)) {
    step_1();
    step_2();
    step_3();
    step_4();
    step_5a();
  }

  /// (i) to (v), and Q_i.
  [[nodiscard]] static LinkAsPrinted given(const Model& model,
                                           std::span<const JointPose<Scalar>> joints, Index i) {
    const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(i)];
    const LinkModel last;
    const LinkModel& row = i + 1 < model.size() ? model.link(i + 1) : last;
    LinkAsPrinted k;
    k.prismatic = model.link(i).prismatic;
    k.theta = joint.theta;
    k.alpha = {Scalar(row.alpha.c), Scalar(row.alpha.s)};
    k.a_i = Scalar(row.a);
    k.b = joint.d;
    k.m = Scalar(model.link(i).mass);
    Vec3d r_next = Vec3d(row.a, 0.0, 0.0) - model.link(i).com;
    turn_back(row.alpha, r_next.y(), r_next.z());
    k.r_next = r_next.cast<Scalar>();  // (iv)
    Sym3<double> I_next = model.link(i).inertia_com;
    turn_about_x(Turn<double>{row.alpha.c, -row.alpha.s}, I_next);
    k.I_next = I_next.matrix().template cast<Scalar>();  // (v)
    k.set_Q(row);
    return k;
  }

  void step_1() { a << a_i * theta.c, a_i * theta.s, b; }
  void step_2() { r = Q_times<Scalar>(theta, alpha, r_next); }
  void step_3() { d = a - r; }
  void step_4() { md = m * d; }
  void step_5a() {
    I_c = Q_times_times_Qt<Scalar>(theta, alpha, I_next);
    const Mat3<Scalar> product = d_cross_md_cross<Scalar>(d, md);
    for (Index row = 0; row < 3; ++row) {  // both are symmetric: 6A
      for (Index column = 0; column <= row; ++column) {
        I(row, column) = I(column, row) = I_c(row, column) - product(row, column);
      }
    }
  }

  bool prismatic = false;
  Turn<Scalar> theta, alpha;
  Scalar a_i{0.0}, b{0.0}, m{0.0};
  Vec3<Scalar> r_next, a, r, d, md;
  Mat3<Scalar> I_next, Q, I_c, I;

 private:
  LinkAsPrinted() = default;

  void set_Q(const LinkModel& row) {
    Q << theta.c, -theta.s * alpha.c, theta.s * alpha.s,  // (A.1)
        theta.s, theta.c * alpha.c, -theta.c * alpha.s,   //
        Scalar(0.0), alpha.s, alpha.c;
    for (Index k = 0; row.has_beta && k < 3; ++k) turn_back(row.beta, Q(k, 2), Q(k, 0));
  }
};

}  // namespace dyn::bhangale
