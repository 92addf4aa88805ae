// The GIM of a planar arm (Bhangale 2004, section 3.2.1): the equations of denoc.hpp with vectors of the
// plane, slides included.
//
//   paper             | here              | axes of link i, fixed to it
//   M̃_i               | m, delta, i_zz    | [i_zz, (R δ)ᵀ; R δ, m̃ 1]: kg; kg m; kg m² about O_i
//   a_i               | a                 | O_i to O_i+1, m
//   Q_i               | turn              | link i+1's axes to link i's
//   A_ijᵀ M̃_i p_i     | n, f              | moment about O_j, force
//   p_i               |                   | [1; 0] of a revolute joint, -1 if it is reversed; [0; e_i] of a slide
//
// Before the first revolute joint nothing works with moments: there only mass and force are carried on.
//
// Cost, revolute: (2.5n²+3.5n-6) M (1.5n²+7.5n-9) A, the paper (3.5n²+11.5n-7) M (2n²+9n-7) A.
#pragma once

#include "dyn_core/math/counted_step.hpp"
#include "dyn_core/papers/bhangale_2004/planar_arm.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn::bhangale {

template <class Scalar>
class PlanarDenoc {
 public:
  explicit PlanarDenoc(const Model& model) : arm_(model) {}

  [[nodiscard]] bool applies() const { return arm_.applies(); }

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar>& gim) {
    arm_.follow(model);
    const Index tip = arm_.size() - 1;
    Composite M_tilde = of(arm_.link(tip));  // step 5(a): M̃_n = M_n
    for (Index i = tip; i >= 0; --i) {
      if (i < tip) step(joints, i, M_tilde);
      row(joints, i, M_tilde, gim);
    }
  }

 private:
  using Vec = Eigen::Matrix<Scalar, 2, 1>;
  struct Composite {
    Scalar m, i_zz;
    Vec delta;
  };

  static Composite of(const PlanarLink& k) {
    return {Scalar(k.m), Scalar(k.i_zz), k.md.cast<Scalar>()};
  }

  // Step 5(b), (13): from M̃_i+1 to M̃_i, 6M 9A.
  void step(Joints<Scalar> joints, Index i, Composite& M_tilde) const {
    [[maybe_unused]] const CountedStep<Scalar> step_5(5);
    const PlanarLink &own = arm_.link(i), &next = arm_.link(i + 1);
    const JointPose<Scalar>& joint = joints[static_cast<std::size_t>(i) + 1];
    Vec& delta = M_tilde.delta;
    if (i >= arm_.first_revolute()) {
      if (!next.prismatic) turn(turn_of(next, joint), delta.x(), delta.y());
      const Vec a = offset_of(next, joint);
      const Scalar x = delta.x() + M_tilde.m * a.x();
      M_tilde.i_zz += a.x() * (delta.x() + x) + Scalar(own.i_zz);
      delta.x() = x + Scalar(own.md.x());
      if (next.along_x) {
        delta.y() += Scalar(own.md.y());
      } else {
        const Scalar y = delta.y() + M_tilde.m * a.y();
        M_tilde.i_zz += a.y() * (delta.y() + y);
        delta.y() = y + Scalar(own.md.y());
      }
    }
    M_tilde.m += Scalar(own.m);
  }

  // Step 6: M̃_i p_i, then A_ijᵀ M̃_i p_i through the links before i, 5M 3A each.
  void row(Joints<Scalar> joints, Index i, const Composite& M_tilde, MatOut<Scalar>& gim) const {
    const PlanarLink& own = arm_.link(i);
    const Vec& delta = M_tilde.delta;
    Scalar n(0.0);
    Vec f;
    if (own.prismatic) {
      const auto e_x = Scalar(own.e.x()), e_y = Scalar(own.e.y());
      f << M_tilde.m * e_x, M_tilde.m * e_y;
      if (i > arm_.first_revolute()) n = delta.x() * e_y - delta.y() * e_x;
      gim(i, i) = M_tilde.m;  // (10), step 6(a)
    } else {
      f << -delta.y(), delta.x();  // R δ
      n = M_tilde.i_zz;
      gim(i, i) = n;  // (10), step 6(a)
      if (own.reversed) f = -f, n = -n;
    }
    for (Index j = i - 1; j >= 0; --j) {
      inward(arm_.link(j + 1), joints[static_cast<std::size_t>(j) + 1], j >= arm_.first_revolute(),
             n, f);
      gim(i, j) = along(arm_.link(j), n, f);  // (10), step 6(b)
      gim(j, i) = gim(i, j);
    }
  }

  // A_j+1,jᵀ [n; f].
  static void inward(const PlanarLink& k, const JointPose<Scalar>& joint, bool with_moment,
                     Scalar& n, Vec& f) {
    if (!k.prismatic) turn(turn_of(k, joint), f.x(), f.y());
    if (!with_moment) return;
    const Vec a = offset_of(k, joint);
    n += a.x() * f.y();
    if (!k.along_x) n -= a.y() * f.x();
  }

  // p_jᵀ [n; f].
  static Scalar along(const PlanarLink& k, const Scalar& n, const Vec& f) {
    if (k.prismatic) return Scalar(k.e.x()) * f.x() + Scalar(k.e.y()) * f.y();
    return k.reversed ? Scalar(-n) : n;
  }

  PlanarArm arm_;
};

}  // namespace dyn::bhangale
