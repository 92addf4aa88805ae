// The paper's equations (1) to (13) as they are printed, and the MCI that (10) to (12) give.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004. Sections 2 and 3.1; links from link_as_printed.hpp, planar arms in planar_as_printed.hpp.
//
//   paper                | here              | axes of frame 1, which is fixed to the base
//   O_i                  | O                 | m from O_1; fixed to link i, on the axis of joint i
//   e_i, d_i, m_i, I_i^c | e, d, m, I_c      | axis of joint i, O_i to C_i in m, kg, kg m² about C_i
//   M_i, W_i, E_i        | M(i), W(i), E()   | 6x6, about O_i
//   t_i, w_i             | t, wrench()       | [ω_i; v_i] with v_i of O_i; [n_i; f_i] about O_i
//   p_i, A_ij, Ȧ_ij      | p(i), A(i, j), A_dot(i, j)
//   T_l, T_d, T, M, W, E | the members of Noc | whole arm: 6n x 6n, T_d and T 6n x n
//   I, C                 | I(), C()          | GIM, MCI: n x n
//   M̃, M̃' (second M̃)   | M_tilde, M_prime  | T_lᵀ M T_l and T_lᵀ W M E T_l; by links M̃_i, M̃'_i
//   H̃_ij                 | H_tilde           | (12)
//   i_ij, c_ij           | i_ij(), c_ij()
//   θ̇, θ̈                 | qd, qdd
//
// The paper gives M̃ and T_lᵀ W M E T_l one letter; the second is M̃' here. For M̃'_i, the sum over
// the links from i on, it prints no recursion: it is that of (13) with W_i M_i E_i for M_i.
//
// W M E, and with it C, depends on where O_i lies along its axis; C θ̇ does not. O_i is where the
// paper puts it, at the foot of the common normal of the axes i-1 and i; move_origin() puts it
// elsewhere. Ṁ - 2C is skew-symmetric in planar motion only.
//
// Deviations: (a) O_i of a prismatic joint is at b_i e_i from there. Step 1 of section 3.2 has b_i in
// a_i, so that O_i stays on link i-1 while link i slides through it; but (1) holds about a point of
// link i only, and misses a force m_i ω_i × e_i ḃ_i otherwise. (b) Links 0 … n-1; the paper's are
// 1 … n. (c) (1) is printed with t_i for ṫ_i.
//
// Cost of MciPrinted: all products of (10) to (12) are dense, O(n²) of them. Like the paper's count
// it leaves out what the GIM needs as well: the links' frames and M̃_i.
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/bhangale_2004/link_as_printed.hpp"
#include "dyn_core/robot/algorithm.hpp"

namespace dyn::bhangale {

/// The links of an arm in motion.
template <class Scalar>
class Arm {
 public:
  explicit Arm(const Model& model) : links_(static_cast<std::size_t>(model.size())) {}

  [[nodiscard]] Index size() const { return static_cast<Index>(links_.size()); }

  /// Where everything is.
  void place(const Model& model, Joints<Scalar> joints) {
    Mat3<Scalar> Q_before = Mat3<Scalar>::Identity();  // Q_1 … Q_i-1
    Vec3<Scalar> O = Vec3<Scalar>::Zero();
    for (Index i = 0; i < size(); ++i) {
      const LinkAsPrinted<Scalar> own(model, joints, i);
      Link& k = link(i);
      k.prismatic = own.prismatic;
      k.m = own.m;
      k.e = Q_before.col(2);
      k.O = O;
      k.d = Q_before * own.d;
      k.I_c = Q_before * own.I_c * Q_before.transpose();
      O += Q_before * own.a;
      Q_before *= own.Q;
      if (k.prismatic) move_origin(i, own.b);  // deviation (a)
    }
  }
  /// Moves O_i by `shift` along its axis.
  void move_origin(Index i, const Scalar& shift) {
    link(i).O += shift * link(i).e;
    link(i).d -= shift * link(i).e;
  }
  /// How everything moves: (7), link by link.
  void move(VecIn<Scalar> qd) {
    link(0).t = p(0) * qd[0];
    for (Index i = 1; i < size(); ++i) link(i).t = A(i, i - 1) * link(i - 1).t + p(i) * qd[i];
  }

  [[nodiscard]] const Vec6<Scalar>& t(Index i) const { return link(i).t; }  // (3)

  [[nodiscard]] Mat6<Scalar> M(Index i) const {
    const Link& k = link(i);
    const Mat3<Scalar> d_cross = skew(k.d), md_cross = k.m * d_cross;
    const Mat3<Scalar> I = k.I_c - d_cross * md_cross;
    return blocks(I, md_cross, -md_cross, k.m * Mat3<Scalar>::Identity());  // (2)
  }
  [[nodiscard]] Mat6<Scalar> W(Index i) const {
    const Mat3<Scalar> omega_cross = skew(Vec3<Scalar>(t(i).template head<3>()));
    return blocks(omega_cross, zero(), zero(), omega_cross);  // (2)
  }
  [[nodiscard]] static Mat6<Scalar> E() {
    return blocks(Mat3<Scalar>::Identity(), zero(), zero(), zero());  // (2)
  }
  /// (1): the wrench that link i needs.
  [[nodiscard]] Vec6<Scalar> wrench(Index i, const Vec6<Scalar>& t_dot) const {
    return M(i) * t_dot + W(i) * M(i) * E() * t(i);  // (1)
  }

  /// (11): of T_d; [e; 0], or [0; e] for a prismatic joint.
  [[nodiscard]] Vec6<Scalar> p(Index i) const {
    Vec6<Scalar> p_i = Vec6<Scalar>::Zero();
    p_i.template segment<3>(link(i).prismatic ? 3 : 0) = link(i).e;
    return p_i;
  }
  /// (11): of T_l; t_i = A_ij t_j if the joints between do not move. i ≥ j.
  [[nodiscard]] Mat6<Scalar> A(Index i, Index j) const {
    const Vec3<Scalar> a_ij = link(i).O - link(j).O;
    return blocks(Mat3<Scalar>::Identity(), zero(), -skew(a_ij), Mat3<Scalar>::Identity());
  }
  /// Its rate: O_i and O_j move by v_i and v_j.
  [[nodiscard]] Mat6<Scalar> A_dot(Index i, Index j) const {
    const Vec3<Scalar> a_dot = t(i).template tail<3>() - t(j).template tail<3>();
    return blocks(zero(), zero(), -skew(a_dot), zero());
  }

 private:
  struct Link {
    bool prismatic = false;
    Scalar m;
    Vec3<Scalar> e, O, d;
    Mat3<Scalar> I_c;
    Vec6<Scalar> t;
  };

  Link& link(Index i) { return links_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Link& link(Index i) const { return links_[static_cast<std::size_t>(i)]; }

  static Mat3<Scalar> zero() { return Mat3<Scalar>::Zero(); }
  static Mat6<Scalar> blocks(const Mat3<Scalar>& a, const Mat3<Scalar>& b, const Mat3<Scalar>& c,
                             const Mat3<Scalar>& d) {
    Mat6<Scalar> m;
    m << a, b, c, d;
    return m;
  }

  std::vector<Link> links_;
};

/// (4) to (9): the whole arm as dense matrices. These are for study and for tests: they allocate.
template <class Scalar>
struct Noc {
  using Mat = MatX<Scalar>;
  using Vec = VecX<Scalar>;

  explicit Noc(const Arm<Scalar>& arm)
      : T_l(Mat::Zero(6 * arm.size(), 6 * arm.size())),
        T_d(Mat::Zero(6 * arm.size(), arm.size())),
        T_l_dot(Mat::Zero(6 * arm.size(), 6 * arm.size())),
        M(T_l),
        W(T_l),
        E(T_l) {
    for (Index i = 0; i < arm.size(); ++i) {
      for (Index j = 0; j <= i; ++j) {
        T_l.template block<6, 6>(6 * i, 6 * j) = arm.A(i, j);  // (11)
        T_l_dot.template block<6, 6>(6 * i, 6 * j) = arm.A_dot(i, j);
      }
      T_d.template block<6, 1>(6 * i, i) = arm.p(i);    // (11)
      M.template block<6, 6>(6 * i, 6 * i) = arm.M(i);  // (5)
      W.template block<6, 6>(6 * i, 6 * i) = arm.W(i);  // (5)
      E.template block<6, 6>(6 * i, 6 * i) = arm.E();   // (5)
    }
    T_d_dot = W * T_d;  // an axis turns with its link
    T = T_l * T_d;      // (7)
    T_dot = T_l_dot * T_d + T_l * T_d_dot;
    M_tilde = T_l.transpose() * M * T_l;
    M_prime = T_l.transpose() * W * M * E * T_l;
  }

  /// (9): the GIM and the MCI.
  [[nodiscard]] Mat I() const { return T.transpose() * M * T; }
  [[nodiscard]] Mat C() const { return T.transpose() * (M * T_dot + W * M * E * T); }
  /// (9) again, by the decoupled matrices.
  [[nodiscard]] Mat I_decoupled() const { return T_d.transpose() * M_tilde * T_d; }
  [[nodiscard]] Mat C_decoupled() const {
    return T_d.transpose() * (T_l.transpose() * M * T_l_dot + M_tilde * W + M_prime) * T_d;
  }
  /// (6), (7): the twists of all links.
  [[nodiscard]] Vec t(const Vec& qd) const { return T * qd; }
  /// (8): the left side, T applied to (4).
  [[nodiscard]] Vec torque(const Vec& qd, const Vec& qdd) const {
    const Vec t_dot = T * qdd + T_dot * qd;
    return T.transpose() * (M * t_dot + W * M * E * t(qd));
  }

  Mat T_l, T_d, T_l_dot, T_d_dot, M, W, E, T, T_dot, M_tilde, M_prime;
};

/// (10), (12), (13): the elements one by one.
template <class Scalar>
class Elements {
 public:
  explicit Elements(const Model& model)
      : arm_(model),
        M_tilde_(static_cast<std::size_t>(model.size())),
        M_prime_(M_tilde_),
        H_next_(M_tilde_) {}

  Arm<Scalar>& arm() { return arm_; }
  [[nodiscard]] const Arm<Scalar>& arm() const { return arm_; }

  /// (13), from the last link on: what the GIM needs.
  void form_M_tilde() {
    for (Index i = arm_.size() - 1; i >= 0; --i) {
      at(M_tilde_, i) = arm_.M(i);
      if (i == arm_.size() - 1) continue;
      const Mat6<Scalar> A = arm_.A(i + 1, i);
      at(M_tilde_, i) += A.transpose() * at(M_tilde_, i + 1) * A;  // (13)
    }
  }
  /// M̃'_i, and the H̃_i+1,i that (10) and (12) ask for.
  void form_M_prime_and_H_tilde() {
    for (Index i = arm_.size() - 1; i >= 0; --i) {
      at(M_prime_, i) = arm_.W(i) * arm_.M(i) * arm_.E();
      if (i == arm_.size() - 1) continue;
      const Mat6<Scalar> A = arm_.A(i + 1, i);
      at(M_prime_, i) += A.transpose() * at(M_prime_, i + 1) * A;
      at(H_next_, i) = H_tilde(i + 1, i);
    }
  }

  /// (12), i ≥ j; H̃_n+1,n and M̃_n+1 are zero.
  [[nodiscard]] Mat6<Scalar> H_tilde(Index i, Index j) const {
    Mat6<Scalar> H = at(M_tilde_, i) * arm_.A_dot(i, j);
    if (i + 1 < arm_.size()) {
      H += arm_.A(i + 1, i).transpose() * at(H_next_, i) * arm_.A(i, j);
    }
    return H;  // (12)
  }
  /// (10), i ≥ j.
  [[nodiscard]] Scalar i_ij(Index i, Index j) const {
    return arm_.p(i).dot(at(M_tilde_, i) * (arm_.A(i, j) * arm_.p(j)));  // (10)
  }
  [[nodiscard]] Scalar c_ij(Index i, Index j) const {
    const Vec6<Scalar> p_i = arm_.p(i), p_j = arm_.p(j);
    const Vec6<Scalar> W_p = arm_.W(j) * p_j;
    if (i > j) {
      const Mat6<Scalar> A = arm_.A(i, j);
      return p_i.dot(at(M_tilde_, i) * (A * W_p) + H_tilde(i, j) * p_j +
                     at(M_prime_, i) * (A * p_j));  // (10), otherwise
    }
    const Mat6<Scalar> A = arm_.A(j, i);
    Vec6<Scalar> c = A.transpose() * (at(M_tilde_, j) * W_p);
    if (j + 1 < arm_.size()) c += arm_.A(j + 1, i).transpose() * (at(H_next_, j) * p_j);
    c += A.transpose() * (at(M_prime_, j) * p_j);
    return p_i.dot(c);  // (10), i ≤ j
  }

  [[nodiscard]] const Mat6<Scalar>& M_tilde(Index i) const { return at(M_tilde_, i); }
  [[nodiscard]] const Mat6<Scalar>& M_prime(Index i) const { return at(M_prime_, i); }

 private:
  using Blocks = std::vector<Mat6<Scalar>>;
  static Mat6<Scalar>& at(Blocks& blocks, Index i) { return blocks[static_cast<std::size_t>(i)]; }
  static const Mat6<Scalar>& at(const Blocks& blocks, Index i) {
    return blocks[static_cast<std::size_t>(i)];
  }

  Arm<Scalar> arm_;
  Blocks M_tilde_, M_prime_, H_next_;
};

/// The MCI of the paper's own W M E, element by element.
template <class Scalar>
class MciPrinted final : public CoriolisAlgorithm<Scalar> {
 public:
  explicit MciPrinted(const Model& model) : elements_(model) {}

  void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                       MatOut<Scalar> C) override {
    {
      [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
      elements_.arm().place(model, joints);
      elements_.form_M_tilde();
    }
    elements_.arm().move(qd);
    elements_.form_M_prime_and_H_tilde();
    for (Index i = 0; i < model.size(); ++i) {
      for (Index j = 0; j < model.size(); ++j) C(i, j) = elements_.c_ij(i, j);
    }
  }

 private:
  Elements<Scalar> elements_;
};

}  // namespace dyn::bhangale
