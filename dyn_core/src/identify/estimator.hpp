// The one estimator, for links, drives, payload and mount: (1) of identify.hpp.
#pragma once

#include "unknowns.hpp"

namespace dyn {

class Estimator {
 public:
  /// `logs` are those with the payload, if one is sought.
  Estimator(TorqueModel model, Unknowns unknowns, std::span<const Samples> logs,
            std::span<const Samples> without_payload, VecXd gain, bool gain_sought);
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;
  ~Estimator();

  void run();

  [[nodiscard]] const TorqueModel& model() const { return model_; }
  [[nodiscard]] const Unknowns& unknowns() const { return unknowns_; }
  [[nodiscard]] const VecXd& z() const { return z_; }
  /// Of z, whose last are log(gain / first gain) of each coordinate; with the prior's at its start.
  [[nodiscard]] const MatXd& covariance() const { return covariance_; }
  /// With or without the payload.
  [[nodiscard]] Belief belief(bool with_payload) const;
  [[nodiscard]] bool gain_sought() const { return gain_sought_; }
  [[nodiscard]] const VecXd& inflation() const { return inflation_; }
  /// Σ YᵀY over all columns.
  [[nodiscard]] MatXd normal() const;
  [[nodiscard]] int steps() const { return steps_; }
  /// The parameters that are left out, as the joint's others make the same torque.
  [[nodiscard]] const std::vector<Index>& untold_offsets() const { return untold_offsets_; }

 private:
  struct Reduced;
  void gather_all();
  void choose_stribeck();
  void reduce();
  void leave_out_offsets();
  void set_noise();
  void set_inflation();
  void add_total_mass(MatXd& H, VecXd& b) const;
  void assemble(MatXd& H, VecXd& b) const;
  VecXd change_gains();
  void solve();
  void hold_drives();

  TorqueModel model_;
  Unknowns unknowns_;
  std::span<const Samples> logs_, without_payload_;
  VecXd gain_;
  bool gain_sought_;
  VecXd z_, noise_, inflation_, log_gain_;
  MatXd covariance_;
  std::vector<std::vector<Evidence>> evidence_;  // of each log, those without payload last
  std::vector<Reduced> reduced_;                 // of each coordinate
  std::vector<Index> untold_offsets_;
  int steps_ = 0;
};

/// Effort per N m or N of each coordinate, as the robot description's torques and friction fit the log best.
[[nodiscard]] VecXd first_gain(const TorqueModel& model, const Samples& log);

}  // namespace dyn
