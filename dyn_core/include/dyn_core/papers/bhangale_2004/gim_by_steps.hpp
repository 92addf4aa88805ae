// The GIM by the steps of section 3.2, Table I, and of section 3.2.1, Table II: each step by itself, to
// be counted.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004. Steps 1 to 5(a) of a spatial link are in link_as_printed.hpp.
//
//   paper             | here            | frame, unit
//   a_i, r_i, d_i, m_i d_i | a, r, d, md | frame i; m, kg m
//   M̃_i               | Composite       | its mass m; δ = m̃_i d̃_i; inertia I about O_i; frame i
//   M̃_i p_i, A_ijᵀ M̃_i p_i | n, f       | moment about O_j and force, frame j
//   i_ij              | I(i, j)
//
// Where the tables leave work out it stands in a step of its own: turning M̃_i+1 from frame i+1 to frame
// i, which 5(b) needs (step_5b_turn), and i_zz about O_i in the planar 5(a) (step_5a). 5(b) is the shift of
// M̃_i+1 from O_i+1 to O_i (step_5b_shift), then the sum with M_i (step_5b_sum). The sum of masses is of
// constants and costs nothing.
//
// For study and for tests; rows without Hayati's angle; PlanarGimBySteps for revolute joints whose axes all
// point the same way.
#pragma once

#include <vector>

#include "dyn_core/papers/bhangale_2004/link_as_printed.hpp"

namespace dyn::bhangale {

/// Table I.
template <class Scalar>
class GimBySteps {
 public:
  GimBySteps(const Model& model, std::span<const JointPose<Scalar>> joints)
      : M_tilde_(joints.size()), I_(model.size(), model.size()) {
    double mass = 0.0;
    for (const LinkModel& k : model.links()) mass += k.mass;
    for (Index i = 0; i < model.size(); ++i) {
      links.push_back(LinkAsPrinted<Scalar>::given(model, joints, i));
      M_tilde_[static_cast<std::size_t>(i)].m = Scalar(mass);
      mass -= model.link(i).mass;
    }
  }

  /// Steps 1 to 5(a) are each link's own.
  std::vector<LinkAsPrinted<Scalar>> links;

  /// 5(b) of link i, in this order, from the last link on; the last has the sum alone.
  void step_5b_turn(Index i) {
    const LinkAsPrinted<Scalar>& k = link(i);
    Composite &body = M_tilde(i), &next = M_tilde(i + 1);
    body.delta = Q_times<Scalar>(k.theta, k.alpha, next.delta);
    body.I = Q_times_times_Qt<Scalar>(k.theta, k.alpha, next.I);
  }
  void step_5b_shift(Index i) {
    const Vec& a = link(i).a;
    Composite& body = M_tilde(i);
    const Vec delta = body.delta;
    body.delta += M_tilde(i + 1).m * a;
    const Vec sum = delta + body.delta;
    const Scalar x = a.x() * sum.x(), y = a.y() * sum.y(), z = a.z() * sum.z();
    body.I(0, 0) += y + z, body.I(1, 1) += z + x, body.I(2, 2) += x + y;
    for (const auto& [r, c] : {std::pair<Index, Index>{0, 1}, {0, 2}, {1, 2}}) {
      body.I(r, c) -= a[r] * delta[c] + a[c] * body.delta[r];
      body.I(c, r) = body.I(r, c);
    }
  }
  void step_5b_sum(Index i) {
    Composite& body = M_tilde(i);
    if (i + 1 == size()) {
      body.delta = link(i).md;
      body.I = link(i).I;
      return;
    }
    body.delta += link(i).md;
    for (Index r = 0; r < 3; ++r) {
      for (Index c = 0; c <= r; ++c) body.I(r, c) = body.I(c, r) = body.I(r, c) + link(i).I(r, c);
    }
  }
  void step_6a(Index i) {
    const Composite& body = M_tilde(i);
    const Scalar zero(0.0);
    if (link(i).prismatic) {
      n_ << body.delta.y(), -body.delta.x(), zero;
      f_ << zero, zero, body.m;
    } else {
      n_ = body.I.col(2);
      f_ << -body.delta.y(), body.delta.x(), zero;
    }
    set(i, i);
  }
  /// After step_6a(i), for j = i-1 … 0.
  void step_6b(Index i, Index j) {
    const LinkAsPrinted<Scalar>& k = link(j);
    f_ = Q_times<Scalar>(k.theta, k.alpha, f_);
    n_ = Q_times<Scalar>(k.theta, k.alpha, n_);
    n_ += k.a.cross(f_);
    set(i, j);
  }

  [[nodiscard]] Index size() const { return I_.rows(); }
  [[nodiscard]] const MatX<Scalar>& I() const { return I_; }

 private:
  using Vec = Vec3<Scalar>;
  struct Composite {
    Scalar m{0.0};
    Vec delta;
    Mat3<Scalar> I;
  };

  [[nodiscard]] const LinkAsPrinted<Scalar>& link(Index i) const {
    return links[static_cast<std::size_t>(i)];
  }
  Composite& M_tilde(Index i) { return M_tilde_[static_cast<std::size_t>(i)]; }
  void set(Index i, Index j) { I_(i, j) = I_(j, i) = link(j).prismatic ? f_.z() : n_.z(); }

  std::vector<Composite> M_tilde_;
  Vec n_, f_;
  MatX<Scalar> I_;
};

/// Table II.
template <class Scalar>
class PlanarGimBySteps {
 public:
  using Vec = Eigen::Matrix<Scalar, 2, 1>;

  PlanarGimBySteps(const Model& model, std::span<const JointPose<Scalar>> joints)
      : links_(joints.size()), I_(model.size(), model.size()) {
    double mass = 0.0;
    for (Index i = model.size() - 1; i >= 0; --i) {
      const LinkModel& k = model.link(i);
      Link& own = link(i);
      mass += k.mass;
      own.m = Scalar(k.mass), own.m_tilde = Scalar(mass);
      own.theta = joints[static_cast<std::size_t>(i)].theta;
      const double length = i + 1 < model.size() ? model.link(i + 1).a : 0.0;
      own.a_i = Scalar(length);
      own.r = Vec(Scalar(length - k.com.x()), Scalar(-k.com.y()));  // (iv)
      own.i_zz = Scalar(k.inertia_com.zz);                          // (v)
    }
  }

  void step_1(Index i) {
    link(i).a << link(i).a_i * link(i).theta.c, link(i).a_i * link(i).theta.s;
  }
  void step_2(Index i) { turn(link(i).theta, link(i).r.x(), link(i).r.y()); }
  void step_3(Index i) { link(i).d = link(i).a - link(i).r; }
  void step_4(Index i) { link(i).md = link(i).m * link(i).d; }
  void step_5a(Index i) { link(i).i_zz += link(i).md.dot(link(i).d); }
  void step_5b_turn(Index i) {
    link(i).delta = link(i + 1).delta;
    turn(link(i).theta, link(i).delta.x(), link(i).delta.y());
  }
  void step_5b_shift(Index i) {
    Link& k = link(i);
    const Vec before = k.delta;
    k.delta += link(i + 1).m_tilde * k.a;
    k.i_tilde = link(i + 1).i_tilde + k.a.dot(before + k.delta);
  }
  void step_5b_sum(Index i) {
    Link& k = link(i);
    const bool last = i + 1 == size();
    k.delta = last ? k.md : Vec(k.delta + k.md);
    k.i_tilde = last ? k.i_zz : k.i_tilde + k.i_zz;
  }
  void step_6a(Index i) {
    I_(i, i) = n_ = link(i).i_tilde;
    f_ << -link(i).delta.y(), link(i).delta.x();  // R δ
  }
  /// After step_6a(i), for j = i-1 … 0.
  void step_6b(Index i, Index j) {
    turn(link(j).theta, f_.x(), f_.y());
    n_ += link(j).a.x() * f_.y() - link(j).a.y() * f_.x();
    I_(i, j) = I_(j, i) = n_;
  }

  [[nodiscard]] Index size() const { return I_.rows(); }
  [[nodiscard]] const MatX<Scalar>& I() const { return I_; }

 private:
  struct Link {
    Turn<Scalar> theta;
    Scalar a_i, m, m_tilde, i_zz, i_tilde;
    Vec a, r, d, md, delta;
  };
  Link& link(Index i) { return links_[static_cast<std::size_t>(i)]; }

  std::vector<Link> links_;
  Scalar n_{0.0};
  Vec f_;
  MatX<Scalar> I_;
};

}  // namespace dyn::bhangale
