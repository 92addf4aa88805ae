// GDA, the Geometric Dynamics Algorithm: inverse dynamics by the frame injection effect. Each frame
// j transfers an acceleration of the mass centre and an inertial moment to each link i outboard.
//
//   M. Safeea, R. Béarée, P. Neto: Reducing the computational complexity of mass-matrix calculation
//   for high DOF robots, IROS 2018. Equations (4)-(17), summed inward as in (18).
//   Pair by pair: as_printed.hpp.
//
//   paper                 | here        | frame, unit
//   R_i, p_i              | frames_[i]  | link frame i in frame 0, m
//   p_Ci, p_Cij, p_Cii    | centres_[i], p_Cij, p_Cii | mass centre i from O_0, O_j, O_i; frame 0
//   k_j, ε_j, ω_j         | k, epsilon, omega | joint axis, its q̈ and q̇ along it; frame 0
//   v^r_Cij, ω^r_ij       | v_r, omega_r | velocities that frames j+1 … i give to link i; frame 0
//   R_i I_i^i R_iᵀ, L_i   | I, L        | about the mass centre, frame 0
//   Σ_j p̈_Cij, Σ_j μ_Cij  | acceleration_[i], moment_[i] | frame 0
//   μ_i, l_i              | mu, l       | moment on joint i about O_i, O_i to O_i+1; frame 0
//
// Deviations: (a) (10) and (16) are running sums over j = i … 0, so that all of it takes O(n²).
// (b) The paper treats revolute joints. A prismatic frame j turns nothing: ε_j = ω_j = 0. It
// transfers the acceleration q̈_j k_j to every outboard mass centre, no inertial moment, and adds
// q̇_j k_j to v^r_Cik of the frames k < j, whose Coriolis term (9) then holds as printed. Its force
// is k_j · Σ m p̈. (c) Gravity is a base acceleration -g, the same for every link. (d) L_i of (14)
// is formed in frame 0 from R_i I_i^i R_iᵀ, which has the trace of I_i^i.
#pragma once

#include <span>
#include <vector>

#include "dyn_core/robot/algorithm.hpp"
#include "dyn_core/robot/kinematics.hpp"

namespace dyn {

template <class Scalar>
class Gda final : public InverseDynamicsAlgorithm<Scalar> {
 public:
  explicit Gda(const Model& model)
      : own_frames_(static_cast<std::size_t>(model.size())),
        centres_(own_frames_.size()),
        acceleration_(own_frames_.size()),
        moment_(own_frames_.size()) {}

  void inverse_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                        VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> tau) override {
    frames_ = frames_of<Scalar>(model, joints, own_frames_);
    mass_centres<Scalar>(model, frames_, centres_);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      centres_[i] += frames_[i].p;
      acceleration_[i] = -gravity.cast<Scalar>();
      inject(model, i, qd, qdd);
    }
    inward_sums(model, tau);
  }

 private:
  using Vec = Vec3<Scalar>;

  // What the frames 0 … i transfer to link i.
  void inject(const Model& model, std::size_t i, VecIn<Scalar> qd, VecIn<Scalar> qdd) {
    const Mat3<Scalar> I = rotated(frames_[i].R, model.links()[i].inertia_com).matrix();
    const Mat3<Scalar> L = I.trace() * Mat3<Scalar>::Identity() - Scalar(2.0) * I;  // (14)
    const Scalar two(2.0), half(0.5);
    Vec sum = Vec::Zero(), mu = Vec::Zero(), v_r = Vec::Zero(), omega_r = Vec::Zero();
    for (std::size_t j = i + 1; j-- > 0;) {
      const Vec k = frames_[j].R.col(2);
      const Scalar rate = qd[static_cast<Index>(j)], rate_rate = qdd[static_cast<Index>(j)];
      if (model.links()[j].prismatic) {
        sum += rate_rate * k;
        v_r += rate * k;
        continue;
      }
      const Vec p_Cij = centres_[i] - frames_[j].p;  // (20)
      const Vec epsilon = rate_rate * k;             // (5)
      const Vec omega = rate * k;                    // (7)
      const Vec velocity = omega.cross(p_Cij);
      sum += epsilon.cross(p_Cij);    // (4), (11)
      sum += omega.cross(velocity);   // (6), (11)
      sum += two * omega.cross(v_r);  // (9), (11)
      const Vec L_omega = L * omega;
      mu += I * epsilon;                  // (12), (17)
      mu += half * L_omega.cross(omega);  // (13), (17)
      mu += L_omega.cross(omega_r);       // (15), (17)
      v_r += velocity;                    // (10)
      omega_r += omega;                   // (16)
    }
    acceleration_[i] += sum;
    moment_[i] = mu;
  }

  // (18), with what all frames transfer together.
  void inward_sums(const Model& model, VecOut<Scalar>& tau) const {
    Vec mu = Vec::Zero(), force = Vec::Zero();
    for (std::size_t i = frames_.size(); i-- > 0;) {
      const LinkModel& link = model.links()[i];
      if (i + 1 < frames_.size()) {
        const Vec l = frames_[i + 1].p - frames_[i].p;
        mu += l.cross(force);
      }
      const Vec p_Cii = centres_[i] - frames_[i].p;
      const Vec inertial_force = Scalar(link.mass) * acceleration_[i];
      mu += moment_[i] + p_Cii.cross(inertial_force);
      force += inertial_force;
      const Vec k = frames_[i].R.col(2);
      tau[static_cast<Index>(i)] = link.prismatic ? k.dot(force) : k.dot(mu);
    }
  }

  std::vector<Pose<Scalar>> own_frames_;
  std::span<const Pose<Scalar>> frames_;
  std::vector<Vec> centres_, acceleration_, moment_;
};

}  // namespace dyn
