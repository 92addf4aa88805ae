// The composite bodies of (13), links i, …, n as one body, in this paper's letters.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, eq. (10), (11), (13).
//
//   paper            | here                 | axes of the first link's frame
//   e_i, a_i         | e(i), a(i)           | axis of joint i; O_i to O_i+1, m
//                    | O(i)                 | O_0 to O_i, m
//   p_i              | p_w(i)               | rotation in p_i: e_i, or 0 of a slide
//   M̃_i              | md(i), I(i)          | its m̃_i d̃_i, kg m, and Ĩ_i about O_i, kg m²
//   M̃_i p_i          | Mp_n(i), Mp_f(i)     | moment about O_i, force
//
// They are Kang's augmented bodies, which papers/kang/augmented_bodies.hpp makes.
#pragma once

#include "dyn_core/papers/kang/augmented_bodies.hpp"

namespace dyn::bhangale {

template <class Scalar>
class CompositeBodies {
 public:
  using Vec = Vec3<Scalar>;

  explicit CompositeBodies(const Model& model) : bodies_(model) {}

  void update(const Model& model, Joints<Scalar> joints) { bodies_.update(model, joints); }  // (13)

  [[nodiscard]] Index size() const { return bodies_.size(); }
  [[nodiscard]] bool prismatic(Index i) const { return bodies_[i].prismatic; }
  [[nodiscard]] const Vec& e(Index i) const { return bodies_[i].s; }
  [[nodiscard]] const Vec& a(Index i) const { return bodies_[i + 1].l; }
  [[nodiscard]] const Vec& O(Index i) const { return bodies_[i].O; }
  [[nodiscard]] const Vec& p_w(Index i) const { return bodies_[i].w; }
  [[nodiscard]] const Vec& md(Index i) const { return bodies_[i].h; }
  [[nodiscard]] const Sym3<Scalar>& I(Index i) const { return bodies_[i].J; }
  [[nodiscard]] const Vec& Mp_n(Index i) const { return bodies_[i].L; }
  [[nodiscard]] const Vec& Mp_f(Index i) const { return bodies_[i].P; }
  /// A vector of frame 0 in these axes.
  [[nodiscard]] static Vec in_first_link(const JointPose<Scalar>& first, const Vec3d& v) {
    return AugmentedBodies<Scalar>::turned_gravity(first, v);
  }

 private:
  AugmentedBodies<Scalar> bodies_;
};

}  // namespace dyn::bhangale
