// The UDUᵀ decomposition of the mass matrix: U unit upper triangular, D diagonal.
//
//   S. K. Saha: Simulation of industrial manipulators based on the UDUᵀ decomposition of inertia
//   matrix, Multibody System Dynamics 9, 2003. Section 2.1 and Appendix B, steps A3-A7 of section
//   3; the solution by U, D and Uᵀ of section 2.2.
//
//   M̂_i = M_i + B_i+1,iᵀ M̂_i+1,i+1 B_i+1,i,   M̂_ii = M̂_i - ψ̂_i ψ_iᵀ                         (28)
//   ψ̂_i = M̂_i p_i,   m̂_i = p_iᵀ ψ̂_i,   ψ_i = ψ̂_i / m̂_i                              (26), (27)
//   u_ik = p_iᵀ B_kiᵀ ψ_k                                                               (25)
//
//   paper              | here           | frame, unit
//   p_i                | z axis of link frame i: a turn (revolute) or a shift (prismatic)
//   M̂_i = [Î Fᵀ; F G]  | P = [I H; Hᵀ M]| link frame i, about its origin
//   M̂_ii               | eliminated()
//   ψ̂_i                | column         | link frame i: momentum at unit speed of joint i
//   m̂_i, D             | D              | kg m² or kg
//   ψ_i                | G              | link frame i
//   B_i+1,i            | LinkStep       | to the parent's frame in planar steps
//   τ̂, τ̃, θ̈            | x              | (12)-(15), one after the other in the same place
//
// Deviations:
// (a) Everything stands about the origins of the link frames, which lie on the joint axes: p_i is a
// unit vector, and behind a hinge the rows of M̂_ii along it are zero and not computed. The paper's
// origins are the mass centres.
// (b) p_i of a prismatic joint is the unit shift. Armature is added to m̂_i; then p_iᵀ ψ_i is
// 1 - armature / m̂_i, and M̂_ii p_i = armature ψ_i exactly.
// (c) M̂_0 is not formed, nor is it in the paper's count: with s the axis of joint 0 seen from link 1
// and s̃ = s - p_1 (ψ_1ᵀ s), m̂_0 = I_zz + s̃ᵀ M̂_1 s̃, which cannot lose its sign by rounding.
#pragma once

#include <vector>

#include "dyn_core/base/status.hpp"
#include "dyn_core/papers/shared/articulated.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn {

template <class Scalar>
using MatIn = const std::type_identity_t<Eigen::Ref<const MatX<Scalar>>>&;

/// A pivot as small as the rounding of what it was computed from is none.
template <class Scalar>
[[nodiscard]] Scalar pivot_tolerance() {
  return Scalar(16.0 * static_cast<double>(Eigen::NumTraits<Scalar>::epsilon()));
}

/// M = U D Uᵀ by reverse Gaussian elimination of a given matrix, Appendix B. No allocation.
template <class Scalar>
Status factor_udut(MatIn<Scalar> M, MatOut<Scalar> U, VecOut<Scalar> D) {
  const Index n = M.rows();
  U.setIdentity();
  for (Index k = n - 1; k >= 0; --k) {
    for (Index i = 0; i <= k; ++i) {
      Scalar element = M(i, k);
      for (Index j = k + 1; j < n; ++j) element -= U(i, j) * D[j] * U(k, j);
      U(i, k) = element;
    }
    D[k] = U(k, k);
    if (!(D[k] > pivot_tolerance<Scalar>() * M(k, k))) return Status::kSingular;
    for (Index i = 0; i < k; ++i) U(i, k) /= D[k];
    U(k, k) = Scalar(1.0);
  }
  return Status::kOk;
}

/// x becomes (U D Uᵀ)⁻¹ x.
template <class Scalar>
void solve_udut(MatIn<Scalar> U, VecIn<Scalar> D, VecOut<Scalar> x) {
  const Index n = x.size();
  for (Index k = n - 1; k > 0; --k) {
    for (Index i = 0; i < k; ++i) x[i] -= U(i, k) * x[k];
  }
  for (Index k = 0; k < n; ++k) {
    x[k] /= D[k];
    for (Index i = 0; i < k; ++i) x[k] -= U(i, k) * x[i];
  }
}

/// One link of the decomposition.
template <class Scalar>
struct ArticulatedLink {
  LinkStep<Scalar> step;
  SpatialSym<Scalar> P;  ///< M̂_i; not for link 0
  Screw<Scalar> G;       ///< ψ_i; not for link 0
  Scalar D{0.0};         ///< m̂_i

  /// ψ and m̂ from M̂: 5 divisions behind a hinge.
  void divide() {
    const Screw<Scalar> column = P.axis_column(step.prismatic);  // (26)
    D = column.along(step.prismatic);
    if (step.armature != 0.0) D += Scalar(step.armature);
    G = {column.ang / D, column.lin / D};  // (27)
  }
  void divide_hinge() {
    D = P.I.zz;                                    // (26)
    G.ang << P.I.xz / D, P.I.yz / D, Scalar(1.0);  // (27)
    G.lin = P.H.row(2).transpose() / D;
  }
  /// ψᵀ s without the part along the joint axis that a hinge passes on unchanged.
  [[nodiscard]] Scalar gain_beside(const Screw<Scalar>& s) const {
    if (!step.hinge) return G.dot(s) - s.along(step.prismatic);
    return G.ang.x() * s.ang.x() + G.ang.y() * s.ang.y() + G.lin.dot(s.lin);
  }
  [[nodiscard]] Scalar gain(const Screw<Scalar>& s) const {
    return step.hinge ? gain_beside(s) + s.ang.z() : G.dot(s);
  }
  /// s += ψ x.
  void add_gain(const Scalar& x, Screw<Scalar>& s) const {
    if (step.hinge) {
      s.ang.x() += G.ang.x() * x, s.ang.y() += G.ang.y() * x, s.ang.z() += x;
      s.lin += G.lin * x;
    } else {
      s += x * G;
    }
  }
  /// M̂_ii of (28): 15 multiplications, 15 additions behind a hinge.
  [[nodiscard]] SpatialSym<Scalar> eliminated() const;
};

template <class Scalar>
SpatialSym<Scalar> ArticulatedLink<Scalar>::eliminated() const {
  SpatialSym<Scalar> r = P;
  const Screw<Scalar> c = P.axis_column(step.prismatic);
  const Vec3<Scalar>&g = G.ang, &f = G.lin;
  r.I.xx -= g.x() * c.ang.x(), r.I.xy -= g.x() * c.ang.y(), r.I.yy -= g.y() * c.ang.y();
  r.H.row(0) -= g.x() * c.lin.transpose();
  r.H.row(1) -= g.y() * c.lin.transpose();
  r.M.xx -= f.x() * c.lin.x(), r.M.xy -= f.x() * c.lin.y(), r.M.xz -= f.x() * c.lin.z();
  r.M.yy -= f.y() * c.lin.y(), r.M.yz -= f.y() * c.lin.z(), r.M.zz -= f.z() * c.lin.z();
  if (!step.hinge) {
    r.I.xz -= g.x() * c.ang.z(), r.I.yz -= g.y() * c.ang.z(), r.I.zz -= g.z() * c.ang.z();
    r.H.row(2) -= g.z() * c.lin.transpose();
  }
  r.set_axis_column(step.prismatic,
                    step.armature == 0.0 ? Screw<Scalar>{} : Scalar(step.armature) * G);
  return r;
}

/// The decomposition of one chain's mass matrix, armature included, from its kinematics, and what
/// follows from it in O(n). Queries refer to the configuration factorised last; none allocates.
template <class Scalar>
class Udut {
 public:
  explicit Udut(const Model& model)
      : links_(static_cast<std::size_t>(model.size())), pivots_(model.size()) {}

  [[nodiscard]] Index size() const { return pivots_.size(); }
  [[nodiscard]] const ArticulatedLink<Scalar>& link(Index i) const {
    return links_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const VecX<Scalar>& pivots() const { return pivots_; }
  /// s̃, the axis of joint 0 seen from link 1 with joint 1 free; for more than one link.
  [[nodiscard]] const Screw<Scalar>& first_axis() const { return first_axis_; }
  /// ψ_1ᵀ s, the element of U beside the first pivot.
  [[nodiscard]] const Scalar& first_gain() const { return first_gain_; }

  /// kSingular where a pivot vanishes; the other queries are then not to be used.
  Status factorise(const Model& model, Joints<Scalar> joints) {
    const Index tip = size() - 1;
    for (Index i = tip; i >= 0; --i) {
      ArticulatedLink<Scalar>& k = at(i);
      k.step = LinkStep<Scalar>(model.link(i), joints[static_cast<std::size_t>(i)]);
      if (i == 0) break;
      if (i == tip) {
        k.P = SpatialSym<Scalar>::rigid(model.link(i));
      } else {
        k.P = link(i + 1).eliminated();
        link(i + 1).step.to_parent(k.P, link(i + 1).step.hinge);  // (28)
        k.P.add_rigid(model.link(i));
      }
      k.step.hinge ? k.divide_hinge() : k.divide();
    }
    first_pivot(model.link(0));
    for (Index i = 0; i <= tip; ++i) pivots_[i] = link(i).D;
    return check(model);
  }

  /// U with M = U D Uᵀ.
  void factor(MatOut<Scalar> U) const {
    U.setIdentity();
    for (Index k = 1; k < size(); ++k) {
      Screw<Scalar> psi = link(k).G;
      for (Index i = k; i > 0; --i) {
        link(i).step.force_to_parent(psi);
        U(i - 1, k) = psi.along(link(i - 1).step.prismatic);  // (25)
      }
    }
  }

  /// x <- U⁻¹ x, step A of section 2.2.
  void solve_upper(VecOut<Scalar> x) const { inward(x, size() - 1); }
  /// x <- U⁻ᵀ x, step C.
  void solve_upper_transposed(VecOut<Scalar> x) const { outward(x, size() - 1); }
  /// x <- U x.
  void multiply_upper(VecOut<Scalar> x) const {
    Screw<Scalar> z;
    for (Index i = size() - 1; i >= 0; --i) {
      const ArticulatedLink<Scalar>& k = link(i);
      const Scalar x_i = x[i];
      x[i] += z.along(k.step.prismatic);
      if (i == 0) return;
      k.add_gain(x_i, z);
      k.step.force_to_parent(z);
    }
  }
  /// x <- Uᵀ x.
  void multiply_upper_transposed(VecOut<Scalar> x) const {
    Screw<Scalar> V;
    V.along(link(0).step.prismatic) = x[0];
    for (Index i = 1; i < size(); ++i) {
      const ArticulatedLink<Scalar>& k = link(i);
      k.step.motion_to_child(V);
      const Scalar from_parent = k.gain(V);
      V.along(k.step.prismatic) += x[i];
      x[i] += from_parent;
    }
  }

  /// M q̈ = phi by the steps A, B, C of section 2.2; `phi` and `qdd` may be the same vector.
  void solve(VecIn<Scalar> phi, VecOut<Scalar> qdd) const {
    qdd = phi;
    solve(qdd, size() - 1);
  }

  /// M⁻¹ = U⁻ᵀ D⁻¹ U⁻¹, column by column up to the diagonal: O(n²).
  void inverse(MatOut<Scalar> M_inverse) const {
    for (Index j = 0; j < size(); ++j) {
      VecOut<Scalar> column = M_inverse.col(j);
      column.head(j).setZero();
      column[j] = Scalar(1.0);
      solve(column, j);
      for (Index i = 0; i < j; ++i) M_inverse(j, i) = M_inverse(i, j);
    }
  }

 private:
  ArticulatedLink<Scalar>& at(Index i) { return links_[static_cast<std::size_t>(i)]; }

  void first_pivot(const LinkModel& k) {
    ArticulatedLink<Scalar>& first = at(0);
    first.D = Scalar(k.armature + (k.prismatic ? k.mass : k.inertia_origin.zz));
    if (size() == 1) return;
    const ArticulatedLink<Scalar>& next = link(1);
    first_axis_ = next.step.axis_of_parent(k.prismatic);
    const Scalar beside = next.gain_beside(first_axis_);
    Scalar& along = first_axis_.along(next.step.prismatic);
    first_gain_ = beside + along;
    along = -beside;
    first.D += next.P.quadratic(first_axis_);
    if (next.step.armature != 0.0) {
      first.D += Scalar(next.step.armature) * first_gain_ * first_gain_;
    }
  }

  // Pivots against what they were computed from: the inertia of the link itself and of the next
  // link with the joint between them locked.
  [[nodiscard]] Status check(const Model& model) const {
    [[maybe_unused]] const NotCounted<Scalar> not_part_of_the_algorithm;
    bool regular = true;
    for (Index i = 0; i < size(); ++i) {
      const LinkModel& k = model.link(i);
      const Sym3<double>& J = k.inertia_origin;
      auto scale = Scalar(k.prismatic ? k.mass : J.xx + J.yy + J.zz);
      if (i + 1 < size()) {
        const SpatialSym<Scalar>& P = link(i + 1).P;
        const LinkStep<Scalar>& step = link(i + 1).step;
        const Scalar mass = P.M.xx + P.M.yy + P.M.zz;
        const Scalar square = Scalar(step.a * step.a) + step.joint.d * step.joint.d;
        scale += k.prismatic ? mass : P.I.xx + P.I.yy + P.I.zz + square * mass;
      }
      regular = regular && pivots_[i] > pivot_tolerance<Scalar>() * scale;
    }
    return regular ? Status::kOk : Status::kSingular;
  }

  void solve(VecOut<Scalar> x, Index last) const {
    inward(x, last);
    for (Index i = 0; i <= last; ++i) x[i] /= pivots_[i];  // step B
    outward(x, last);
  }

  // Step A for a right-hand side that is zero beyond joint `from`: x becomes τ̂.
  void inward(VecOut<Scalar> x, Index from) const {
    Screw<Scalar> eta;
    for (Index i = from; i > 1; --i) {
      const ArticulatedLink<Scalar>& k = link(i);
      if (i == from) {
        eta = x[i] * k.G;  // (13)
      } else {
        x[i] -= eta.along(k.step.prismatic);  // (12)
        k.add_gain(x[i], eta);                // (13)
      }
      k.step.force_to_parent(eta);  // (13)
    }
    if (from == 0) return;
    x[0] -= first_gain_ * x[1];  // (12), (13)
    if (from == 1) return;
    x[0] -= first_axis_.dot(eta);
    x[1] -= eta.along(link(1).step.prismatic);  // (12)
  }

  // Step C up to joint `to`: x becomes θ̈.
  void outward(VecOut<Scalar> x, Index to) const {
    if (to == 0) return;
    Screw<Scalar> mu = x[0] * first_axis_;
    mu.along(link(1).step.prismatic) += x[1];  // (15)
    x[1] -= first_gain_ * x[0];                // (14)
    for (Index i = 2; i <= to; ++i) {
      const ArticulatedLink<Scalar>& k = link(i);
      k.step.motion_to_child(mu);                      // (15)
      x[i] -= k.gain(mu);                              // (14)
      if (i < to) mu.along(k.step.prismatic) += x[i];  // (15)
    }
  }

  std::vector<ArticulatedLink<Scalar>> links_;
  VecX<Scalar> pivots_;
  Screw<Scalar> first_axis_;
  Scalar first_gain_{0.0};
};

}  // namespace dyn
