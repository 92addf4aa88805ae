// GDAHJ, the Geometric Dynamics Algorithm for High number of robot Joints: the mass matrix with a
// quadratic cost of 5.5 n².
//
//   M. Safeea, R. Béarée, P. Neto: Reducing the computational complexity of mass-matrix calculation for
//   high DOF robots, IROS 2018. Equations (18)-(31) and Algorithm 1.
//
//   paper                  | here        | frame, unit
//   R_i, p_i               | frames_[i]  | link frame i in frame 0, m
//   p_Ci, p_Cii            | p_C, p_Cii  | centre of mass from O_0, from O_i; frame 0, m
//   l_i                    | l           | O_i to O_i+1; frame 0, m
//   k_j, t_j = k_j × p_j   | k_, t_      | joint axis and its moment; frame 0
//   D_i, b_i               | D, b        | sums (27), (28) over the links outboard of joint i; frame 0
//   d_i, y_i               | d, y        | D_iᵀ k_i and b_i × k_i
//   A_ij                   | M(i, j)
//
// (18)-(22), (25), (26), (29) and (30) lead to (31) and have no statement here but in as_printed.hpp.
// Deviations: (a) the paper treats revolute joints. A prismatic joint j accelerates every outboard mass
// by k_j: with k_j = 0, t_j = -k_j in Algorithm 1, and d_i = s_i × k_i, y_i = -m k_i, where m and s_i
// are the mass and first moment about O_0 outboard of joint i, (31) holds for all joint kinds.
// (b) Σ m_k p̂_Ck of (24) is carried as the vector s, since a sum of skew matrices is one.
// Cost, revolute, measured by `dyn count`; like the paper's (3n²+88n-3) M (2.5n²+95.5n-18) A it leaves
// out the direct kinematics R_i, p_i, p_Cii.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/robot/algorithm.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {

template <class Scalar>
class Gdahj final : public MassMatrixAlgorithm<Scalar> {
 public:
  explicit Gdahj(const Model& model)
      : own_frames_(static_cast<std::size_t>(model.size())),
        p_Cii_(own_frames_.size()),
        k_(3, model.size()),
        t_(3, model.size()),
        d_(3, model.size()),
        y_(3, model.size()) {}

  void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> M) override {
    direct_kinematics(model, joints);
    inward_sums(model);
    const Index n = model.size();
    for (Index i = 0; i < n; ++i) {  // Algorithm 1
      for (Index j = 0; j <= i; ++j) {
        M(i, j) = k_.col(j).dot(d_.col(i)) + t_.col(j).dot(y_.col(i));  // (31)
        M(j, i) = M(i, j);
      }
    }
  }

 private:
  using Vec = Vec3<Scalar>;
  using Mat = Mat3<Scalar>;

  void direct_kinematics(const Model& model, Joints<Scalar> joints) {
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    frames_ = frames_of<Scalar>(model, joints, own_frames_);
    mass_centres<Scalar>(model, frames_, p_Cii_);
  }

  // -â b̂ = (a·b) 1 - b aᵀ, added to D.
  static void add_minus_skew_product(const Vec& a, const Vec& b, Mat& D) {
    const Mat outer = b * a.transpose();
    D -= outer;
    D.diagonal().array() += outer.trace();
  }

  void inward_sums(const Model& model) {
    Mat D = Mat::Zero();
    Vec b = Vec::Zero(), s = Vec::Zero();
    Scalar mass(0.0);
    for (Index i = model.size() - 1; i >= 0; --i) {
      const LinkModel& link = model.link(i);
      const Pose<Scalar>& frame = frames_[static_cast<std::size_t>(i)];
      const Vec& p_Cii = p_Cii_[static_cast<std::size_t>(i)];
      const Vec m_p_Cii = Scalar(link.mass) * p_Cii;
      if (i + 1 < model.size()) {
        const Vec l = frames_[static_cast<std::size_t>(i) + 1].p - frame.p;
        add_minus_skew_product(l, s, D);  // (24)
        b += mass * l;                    // (23), (27)
      }
      const Vec p_C = frame.p + p_Cii;
      add_minus_skew_product(m_p_Cii, p_C, D);           // (24)
      D += rotated(frame.R, link.inertia_com).matrix();  // (28)
      b += m_p_Cii;                                      // (23), (27)
      s += Scalar(link.mass) * p_C;
      mass += Scalar(link.mass);
      project(link.prismatic, i, D, b, s, mass);
    }
  }

  // k_j, t_j, d_i and y_i of one joint: the factors of (31).
  void project(bool prismatic, Index i, const Mat& D, const Vec& b, const Vec& s, Scalar mass) {
    const Pose<Scalar>& frame = frames_[static_cast<std::size_t>(i)];
    const Vec k = frame.R.col(2);
    if (prismatic) {
      k_.col(i).setZero();
      t_.col(i) = -k;
      d_.col(i) = s.cross(k);
      y_.col(i) = -mass * k;
    } else {
      k_.col(i) = k;
      t_.col(i) = k.cross(frame.p);
      d_.col(i) = D.transpose() * k;
      y_.col(i) = b.cross(k);
    }
  }

  std::vector<Pose<Scalar>> own_frames_;
  std::span<const Pose<Scalar>> frames_;
  std::vector<Vec> p_Cii_;
  Mat3X<Scalar> k_, t_, d_, y_;
};

}  // namespace dyn
