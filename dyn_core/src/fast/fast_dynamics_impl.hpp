// What a FastDynamics holds. Internal to dyn_core.
#pragma once

#include <vector>

#include "dyn_core/fast/fast_dynamics.hpp"
#include "lanes.hpp"
#include "packet.hpp"

namespace dyn {

struct FastDynamics::Impl {
  explicit Impl(const Model& model);

  void set_model(const Model& model) noexcept;
  /// The following queries with null positions refer to these poses.
  void set_poses(Joints<double> joints) noexcept;
  void set_gravity(const Vec3d& gravity_in_frame_0) noexcept;
  void without_armature() noexcept;

  [[nodiscard]] Index size() const { return workspace.joints; }
  [[nodiscard]] bool fits(VecIn<double> v) const { return v.size() == size(); }
  [[nodiscard]] bool fits_square(const MatOut<double>& m) const {
    return m.rows() == size() && m.cols() == size();
  }

  const fast::Kernels* kernels;
  std::vector<fast::LinkLanes> links;
  std::vector<fast::JointLanes> joints;
  std::vector<fast::DerivativeLanes> derivatives;
  std::vector<Sym3<double>> inertias;  // about the centres of mass, as `links` has them decomposed
  fast::Workspace workspace;
  Mat3d base_rotation;
  Vec3d base_origin, tip_origin;
};

namespace fast {

/// The kernels for a chain of `joints` joints on this processor, or those forced.
[[nodiscard]] const Kernels& kernels_for(Index joints);
/// The kernels for packets of states.
[[nodiscard]] const PacketKernels& packet_kernels();
[[nodiscard]] Status status_of(Outcome outcome);

}  // namespace fast
}  // namespace dyn
