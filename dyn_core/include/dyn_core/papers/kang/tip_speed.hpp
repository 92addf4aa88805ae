// What the drives must give while the tip moves straight on at a constant speed.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, section 5:
//   [P*] "for determining optimal actuator size under constant operational velocity of the robot tip".
//
// The tip's rotation is held (six joints) or free (three). With u the position of the tip, and its
// rotation, ü = 0 in (3) gives φ̇ = [G]⁻¹ u̇ and φ̈ = -[G]⁻¹ φ̇ᵀ[H]φ̇, and (8) becomes
//
//   T_i = u̇ᵀ B_i u̇,   B_i = [G]⁻ᵀ ([P*]_i - Σ_r ([I*] [G]⁻¹)_ir [ʳH]) [G]⁻¹
//
// Of B_i, 3x3 for the three components of the tip's velocity, the symmetric part matters: at speed v a
// drive gives at most v² times its eigenvalue of largest magnitude. Gravity comes on top.
//
//   paper        | here          | frame 0, SI
//   u̇            | velocity      | of the tip, m/s
//   φ̇, φ̈         | rates(), accelerations()
//   [G]⁻¹        | G_inverse_    | its columns for u̇ alone: inverse_
//   [ʳH]         | H_[r]         | plane of component r of the tip's acceleration
//   [I*], [P*]_i | I_, P_[i]
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "dyn_core/papers/kang/inertia_power.hpp"
#include "dyn_core/papers/kang/kic.hpp"

namespace dyn::kang {

/// Of an arm of three or six joints. Allocates: for design, not for control.
class TipSpeed {
 public:
  explicit TipSpeed(const Model& model)
      : kic_(model),
        power_(model),
        G_(model.size(), model.size()),
        I_(G_),
        H_(static_cast<std::size_t>(model.size()), G_),
        P_(H_),
        B_(H_.size()) {}

  /// `tip` in the frame of the last link, m. False where the arm is singular: no speed of the tip is
  /// then kept by finite rates.
  [[nodiscard]] bool update(const Model& model, Joints<double> joints, const Vec3d& tip) {
    kic_.update(model, joints);
    influence(kic_.frame(model.size() - 1) * tip);
    const Eigen::FullPivLU<MatXd> decomposed(G_);
    if (!decomposed.isInvertible()) return false;
    G_inverse_ = decomposed.inverse();
    inverse_ = G_inverse_.leftCols(3);
    power_.inertia_and_power(model, joints, I_, P_);
    const MatXd I_G = I_ * G_inverse_;
    for (Index i = 0; i < model.size(); ++i) {
      MatXd power = P_[at(i)];
      for (Index r = 0; r < model.size(); ++r) power -= I_G(i, r) * H_[at(r)];
      const Mat3d B = inverse_.transpose() * power * inverse_;
      B_[at(i)] = 0.5 * (B + B.transpose());
    }
    return true;
  }

  /// T_i = u̇ᵀ B_i u̇.
  [[nodiscard]] const Mat3d& B(Index i) const { return B_[at(i)]; }
  /// The largest |T_i| over all directions, N m or N.
  [[nodiscard]] double largest_load(Index i, double speed) const {
    const Vec3d eigenvalues = Eigen::SelfAdjointEigenSolver<Mat3d>(B(i)).eigenvalues();
    return speed * speed * eigenvalues.cwiseAbs().maxCoeff();
  }
  [[nodiscard]] VecXd rates(const Vec3d& velocity) const { return inverse_ * velocity; }
  [[nodiscard]] VecXd accelerations(const Vec3d& velocity) const {
    const VecXd qd = rates(velocity);
    VecXd bent(qd.size());
    for (Index r = 0; r < qd.size(); ++r) bent[r] = qd.dot(H_[at(r)] * qd);
    return -(G_inverse_ * bent);
  }

 private:
  [[nodiscard]] static std::size_t at(Index k) { return static_cast<std::size_t>(k); }

  void influence(const Vec3d& tip) {
    const Index n = kic_.size();
    for (Index k = 0; k < n; ++k) {
      G_.col(k).head<3>() = kic_.translation(n - 1, k, tip);
      if (n == 6) G_.col(k).tail<3>() = kic_.rotation(n - 1, k);
      for (Index j = 0; j < n; ++j) {
        const Vec3d h = kic_.translation(n - 1, j, k, tip), turn = kic_.rotation(n - 1, j, k);
        for (Index r = 0; r < n; ++r) H_[at(r)](j, k) = r < 3 ? h[r] : turn[r - 3];
      }
    }
  }

  InfluenceCoefficients<double> kic_;
  InertiaPower<double> power_;
  MatXd G_, G_inverse_, inverse_, I_;
  std::vector<MatXd> H_, P_;
  std::vector<Mat3d> B_;
};

}  // namespace dyn::kang
