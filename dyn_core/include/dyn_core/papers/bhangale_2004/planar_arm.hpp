// The links of a planar arm as sections 3.2.1's GIM and MCI read them: vectors of the plane of motion, and
// angular quantities along its normal.
//
//   P. P. Bhangale, S. K. Saha, V. P. Agrawal: A dynamic model based robot arm selection criterion,
//   2004, section 3.2.1.
//
//   paper          | here         | meaning, unit
//   frame i        |              | x and y in the plane, fixed to link i-1; link i's turn with it
//   a_i            | o, e         | O_i-1 to O_i at b_i = 0, m, and a slide's axis; axes of link i-1
//   m_i, m_i d_i   | m, md        | kg, kg m about O_i, axes of link i
//   i_zz           | i_zz         | kg m² about O_i
//   θ_i            |              | a joint that turns against the normal is `reversed`
//
// The normal is the axis of the first revolute joint. With all coordinates of the table at zero the axes of
// all links are parallel: x is that of the first link, or the axis of a first slide. So a slide, which stands
// askew in its DH frame, is a link like any other here.
//
// All of it is constant but for the payload, which is seen by Model::revision().
#pragma once

#include <vector>

#include "dyn_core/robot/kinematics.hpp"

namespace dyn::bhangale {

struct PlanarLink {
  bool prismatic = false, reversed = false;
  bool along_x = false;  ///< o has no y, nor has it a slide's shift
  Eigen::Vector2d o, e;
  double m = 0.0, i_zz = 0.0;
  Eigen::Vector2d md;
  Eigen::Matrix<double, 2, 3> plane;  ///< to the axes above, from the link frame of the Model
  Vec3d normal;                       ///< in that frame
};

class PlanarArm {
 public:
  explicit PlanarArm(const Model& model) : applies_(model.chain().is_planar()) {
    if (applies_) lay_out(model);
  }

  /// Whether the arm is planar; nothing else may be asked for if not.
  [[nodiscard]] bool applies() const { return applies_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(links_.size()); }
  [[nodiscard]] const PlanarLink& link(Index i) const {
    return links_[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] Index first_revolute() const { return first_revolute_; }
  /// A vector of frame 0 in the axes of the first link at zero.
  [[nodiscard]] Eigen::Vector2d in_plane(const Vec3d& v) const { return plane_ * v; }

  /// Takes over the bodies of the links if they have changed.
  void follow(const Model& model) {
    if (model.revision() == revision_) return;
    revision_ = model.revision();
    for (Index i = 0; i < size(); ++i) {
      PlanarLink& own = links_[static_cast<std::size_t>(i)];
      const LinkModel& k = model.link(i);
      own.m = k.mass;
      own.md = own.plane * k.moment;
      own.i_zz = own.normal.dot(k.inertia_origin * own.normal);
    }
  }

 private:
  void lay_out(const Model& model) {
    const auto n = static_cast<std::size_t>(model.size());
    std::vector<JointPose<double>> zero(n);
    std::vector<Posed> frames(n);
    for (std::size_t i = 0; i < n; ++i) {
      const LinkModel& k = model.links()[i];
      zero[i] = k.prismatic ? JointPose<double>{k.theta, 0.0} : JointPose<double>{{}, k.d};
    }
    link_frames<double>(model, zero, frames);
    while (model.link(first_revolute_).prismatic) ++first_revolute_;
    const Vec3d normal = frames[static_cast<std::size_t>(first_revolute_)].R.col(2);
    const Vec3d x = frames[0].R.col(first_revolute_ == 0 ? 0 : 2);
    plane_ << x.transpose(), normal.cross(x).transpose();
    links_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      PlanarLink& own = links_[i];
      const Mat3d& R = frames[i].R;
      own.prismatic = model.links()[i].prismatic;
      own.reversed = !own.prismatic && R.col(2).dot(normal) < 0.0;
      own.e = plane_ * R.col(2);
      own.o.setZero();
      if (i > 0) own.o = plane_ * (frames[i].p - frames[i - 1].p);
      own.along_x = !own.prismatic && own.o.y() == 0.0;
      own.plane = plane_ * R;
      own.normal = R.transpose() * normal;
    }
    revision_ = model.revision() + 1;
    follow(model);
  }

  bool applies_;
  Index first_revolute_ = 0;
  Eigen::Matrix<double, 2, 3> plane_;
  std::vector<PlanarLink> links_;
  std::uint64_t revision_ = 0;
};

/// O_i-1 to O_i in the axes of link i-1.
template <class Scalar>
[[nodiscard]] Eigen::Matrix<Scalar, 2, 1> offset_of(const PlanarLink& k,
                                                    const JointPose<Scalar>& joint) {
  Eigen::Matrix<Scalar, 2, 1> a = k.o.cast<Scalar>();
  if (k.prismatic) a += joint.d * k.e.cast<Scalar>();
  return a;
}

/// The turn of a revolute joint about the normal.
template <class Scalar>
[[nodiscard]] Turn<Scalar> turn_of(const PlanarLink& k, const JointPose<Scalar>& joint) {
  return {joint.theta.c, k.reversed ? Scalar(-joint.theta.s) : joint.theta.s};
}

}  // namespace dyn::bhangale
