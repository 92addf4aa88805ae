// The input of Saha's algorithms for each link, in his frames, as printed.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003. Appendix A, the input list and step A1 of section 3.
//
//   paper          | here            | frame, unit
//   1 … n          | 1 … n           | links and joints from the base
//   frame i        |                 | fixed to link i-1: Z_i the axis of joint i, X_i+1 ⊥ Z_i, Z_i+1
//   a_i, α_i       | a, alpha        | from Z_i to Z_i+1, along and about X_i+1; m, rad
//   b_i, θ_i       | joint.d, .theta | from X_i to X_i+1, along and about Z_i; m, rad
//   [a_i]_i        | a_i()           | from O_i to O_i+1, frame i, m
//   Q_i            | Q_i()           | orientation of frame i+1 in frame i
//   m_i            | m               | kg
//   [r_i]_i+1      | r               | from the mass centre C_i to O_i+1, frame i+1, m
//   [I_i]_i+1      | I               | about C_i, frame i+1, kg m²
//
// This is the classic table of robot/dh.hpp. The Model has the modified one, whose frames are fixed to
// the links that their joints move: a_i, α_i come from its next row, b_i, θ_i from its own. Frame 1 is
// our frame 0.
//
// Deviations: (a) Frame n+1, free in the paper, is at a_n = α_n = 0. (b) A row with Hayati's angle β
// (docs/notation.md) has one more turn about Y_i+1 in Q_i. (c) Drive inertia is not in the paper.
//
// Misprint: where Z_i-1 and Z_i intersect, rule 2 of Appendix A puts O_i at O_i-1. It is the point of
// intersection, as the sentence before has it; b_i-1 is between the two, as in Table II.
#pragma once

#include "dyn_core/papers/shared/of_links.hpp"
#include "dyn_core/robot/model.hpp"

namespace dyn::saha {

struct LinkInput {
  bool prismatic = false;
  double a = 0.0;
  Turn<double> alpha, beta;
  double m = 0.0;
  Vec3d r = Vec3d::Zero();
  Mat3d I = Mat3d::Zero();
  double armature = 0.0;

  LinkInput() = default;
  /// Link `i` of 1 … n.
  LinkInput(const Model& model, Index i) {
    const LinkModel& link = model.link(i - 1);
    prismatic = link.prismatic;
    m = link.mass;
    armature = link.armature;
    if (i < model.size()) {
      const LinkModel& next = model.link(i);
      a = next.a, alpha = next.alpha, beta = next.beta;
    }
    // Frame i+1 in our frame of link i, in which the model gives mass centre and inertia.
    const Mat3d R = turn_about_X<double>() * turn_about_Y<double>();
    r = R.transpose() * (Vec3d(a, 0.0, 0.0) - link.com);
    I = R.transpose() * link.inertia_com.matrix() * R;
  }

  /// Step A1.
  template <class Scalar>
  [[nodiscard]] Vec3<Scalar> a_i(const JointPose<Scalar>& joint) const {
    const Scalar b_i = joint.d;
    return {Scalar(a) * joint.theta.c, Scalar(a) * joint.theta.s, b_i};
  }
  /// Step A1.
  template <class Scalar>
  [[nodiscard]] Mat3<Scalar> Q_i(const JointPose<Scalar>& joint) const {
    const Scalar cos_theta = joint.theta.c, sin_theta = joint.theta.s, zero(0.0);
    const auto cos_alpha = Scalar(alpha.c), sin_alpha = Scalar(alpha.s);
    Mat3<Scalar> Q;
    Q << cos_theta, -cos_alpha * sin_theta, sin_alpha * sin_theta,  //
        sin_theta, cos_alpha * cos_theta, -sin_alpha * cos_theta,   //
        zero, sin_alpha, cos_alpha;
    return Q * turn_about_Y<Scalar>();
  }

 private:
  template <class Scalar>
  [[nodiscard]] Mat3<Scalar> turn_about_X() const {
    const auto c = Scalar(alpha.c), s = Scalar(alpha.s);
    const Scalar zero(0.0), one(1.0);
    return Mat3<Scalar>{{one, zero, zero}, {zero, c, -s}, {zero, s, c}};
  }
  template <class Scalar>
  [[nodiscard]] Mat3<Scalar> turn_about_Y() const {
    const auto c = Scalar(beta.c), s = Scalar(beta.s);
    const Scalar zero(0.0), one(1.0);
    return Mat3<Scalar>{{c, zero, s}, {zero, one, zero}, {-s, zero, c}};
  }
};

}  // namespace dyn::saha
