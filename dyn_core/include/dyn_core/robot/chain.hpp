// Chain: the one model of a robot that every algorithm, node and controller uses. Immutable, shared.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/base/status.hpp"
#include "dyn_core/math/inertia.hpp"

namespace dyn {

enum class JointType { kRevolute, kContinuous, kPrismatic };

DYN_CORE_EXPORT [[nodiscard]] const char* to_string(JointType type) noexcept;

/// SI units; a limit that the robot description leaves unset is infinite.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
};

/// A moving joint of the chain. Its position is multiplier * q[coordinate] + offset; for a joint that
/// is not a mimic that is q[coordinate] itself.
struct Joint {
  std::string name = {};
  JointType type = JointType::kRevolute;
  JointLimits limits = {};
  double damping = 0.0;   ///< N m s/rad or N s/m
  double friction = 0.0;  ///< Coulomb friction, N m or N
  double armature = 0.0;  ///< inertia of the drive seen at the joint, kg m² or kg
  Index coordinate = 0;
  double multiplier = 1.0;
  double offset = 0.0;

  [[nodiscard]] bool is_prismatic() const { return type == JointType::kPrismatic; }
};

/// Modified Denavit-Hartenberg row, see spatial.hpp. The joint value is added to `theta` (revolute) or
/// to `d` (prismatic).
struct DhRow {
  double a = 0.0;
  double alpha = 0.0;
  double beta = 0.0;
  double d = 0.0;
  double theta = 0.0;
};

/// Everything that moves rigidly with one joint.
struct Link {
  std::string name;                  ///< the URDF link that the joint moves
  RigidBody body;                    ///< all parts together, in the DH frame of this link
  Posed urdf_frame;                  ///< pose of the URDF link frame in the DH frame
  std::vector<std::string> carried;  ///< links lumped into `body`: fixed ones and side branches
};

/// A leaf of the robot description below the base, where a chain may end as well.
struct ChainEnd {
  std::string link = {};
  Index joints = 0;  ///< that move independently on the way to it
};

/// A moving link that has no mass, with what is fixed to it, or whose joint has no inertia to move.
struct MissingInertia {
  std::string link = {}, joint = {};
  bool immobile = false;  ///< the joint has nothing to move, and the chain no dynamics
};

/// Plain data from which a Chain is made; urdf.hpp fills it from a robot description.
struct ChainDescription {
  std::string name, base, tip;
  std::vector<Joint> joints;                  ///< all moving joints, base to tip
  std::vector<std::string> coordinate_names;  ///< the independent joints, in the order of q
  std::vector<DhRow> dh;
  std::vector<Link> links;
  Posed base_pose;                         ///< pose of DH frame 0 in the base link frame
  Posed tip_pose;                          ///< pose of the tip link frame in the last DH frame
  RigidBody base_body;                     ///< what stands still, in the base link frame
  Vec3d gravity = Vec3d(0.0, 0.0, -9.81);  ///< in the base link frame
  std::vector<std::string> warnings;
  std::string tip_rule = {};        ///< why the chain ends at `tip`; empty where the tip was given
  std::vector<ChainEnd> ends = {};  ///< the leaves, in the order of the robot description
  std::vector<MissingInertia> missing_inertia = {};
  std::vector<std::string> estimated = {};  ///< links whose bodies were made from their shapes
};

class DYN_CORE_EXPORT Chain {
 public:
  explicit Chain(ChainDescription description);

  /// A copy of it, changed, makes another chain.
  [[nodiscard]] const ChainDescription& description() const { return data_; }

  [[nodiscard]] const std::string& name() const { return data_.name; }
  [[nodiscard]] const std::string& base() const { return data_.base; }
  [[nodiscard]] const std::string& tip() const { return data_.tip; }

  /// Number of generalized coordinates: the length of q.
  [[nodiscard]] Index dof() const { return dof_; }
  /// Number of moving joints; larger than dof() where mimic joints are on the chain.
  [[nodiscard]] Index joint_count() const { return static_cast<Index>(data_.joints.size()); }
  [[nodiscard]] bool has_mimic() const { return joint_count() != dof_; }

  [[nodiscard]] const std::vector<Joint>& joints() const { return data_.joints; }
  [[nodiscard]] const Joint& joint(Index i) const {
    return data_.joints[static_cast<std::size_t>(i)];
  }
  /// The independent joint behind coordinate `k`.
  [[nodiscard]] const Joint& coordinate_joint(Index k) const {
    return joint(coordinate_joints_[static_cast<std::size_t>(k)]);
  }
  /// Names of the independent joints, in the order of q.
  [[nodiscard]] const std::vector<std::string>& coordinate_names() const {
    return data_.coordinate_names;
  }
  [[nodiscard]] const std::vector<DhRow>& dh() const { return data_.dh; }
  [[nodiscard]] const std::vector<Link>& links() const { return data_.links; }
  [[nodiscard]] const Posed& base_pose() const { return data_.base_pose; }
  [[nodiscard]] const Posed& tip_pose() const { return data_.tip_pose; }
  [[nodiscard]] const RigidBody& base_body() const { return data_.base_body; }
  [[nodiscard]] const Vec3d& gravity() const { return data_.gravity; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return data_.warnings; }
  [[nodiscard]] const std::string& tip_rule() const { return data_.tip_rule; }
  [[nodiscard]] const std::vector<ChainEnd>& ends() const { return data_.ends; }

  [[nodiscard]] const std::vector<MissingInertia>& missing_inertia() const {
    return data_.missing_inertia;
  }
  /// Empty, or the sentence that says which links lack the inertia that dynamics needs.
  [[nodiscard]] const std::string& objection_to_dynamics() const { return objection_; }
  [[nodiscard]] bool has_dynamics() const { return objection_.empty(); }
  /// Links whose bodies were made from their shapes: what is said of their dynamics is an estimate.
  [[nodiscard]] const std::vector<std::string>& estimated() const { return data_.estimated; }

  [[nodiscard]] double total_mass() const;
  /// Sum of the distances between consecutive joints and the tip, a bound on the robot's length, in m.
  [[nodiscard]] double reach() const;
  /// All axes are parallel and every prismatic axis is perpendicular to them: the motion is planar.
  [[nodiscard]] bool is_planar() const { return planar_; }

 private:
  ChainDescription data_;
  Index dof_ = 0;
  std::vector<Index> coordinate_joints_;
  bool planar_ = false;
  std::string objection_;
};

using ChainPtr = std::shared_ptr<const Chain>;

// What the robot description allows each coordinate; infinite where it says nothing, or zero.
DYN_CORE_EXPORT [[nodiscard]] VecXd effort_limits(const Chain& chain);
DYN_CORE_EXPORT [[nodiscard]] VecXd velocity_limits(const Chain& chain);

}  // namespace dyn
