// Markers: pictures of a chain's dynamics as primitives that any 3D display can draw.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/inspect/inspector.hpp"

namespace dyn::inspect {

struct Color {
  float r = 1.0F, g = 1.0F, b = 1.0F, a = 1.0F;
};

/// One primitive. `space` and `id` together are its identity from one picture to the next.
struct Marker {
  enum class Shape {
    kEllipsoid,  ///< at `pose`; `scale` are its three diameters
    kLineStrip,  ///< through `points` (relative to `pose`); scale.x is the width
    kLineList,   ///< every two points a line, coloured by `colors`; scale.x is the width
  };
  Shape shape = Shape::kEllipsoid;
  std::string_view space;  ///< what it shows; one of marker_spaces()
  int id = 0;
  std::string frame;  ///< the link it is fixed to
  Posed pose;         ///< in that link's frame
  Vec3d scale = Vec3d::Ones();
  Color color;
  std::vector<Vec3d> points;
  std::vector<Color> colors;  ///< one per point, or none
};

struct MarkerOptions {
  std::vector<std::string> show = {};  ///< names from marker_spaces(); empty: all
  double size = 1.0;                   ///< of symbols, 1: matched to the robot's length
  double opacity = 0.3;                ///< of ellipsoids, 0 … 1
  double manipulability_scale = 0.3;   ///< m drawn per m/s at a joint velocity vector of length 1
  /// Of the largest tip acceleration at full torque as it is drawn, 1: as long as the robot.
  double dynamic_manipulability_size = 0.25;
  double horizon = 0.25;  ///< of the predicted motion, s
};

/// center_of_mass, link_inertia, manipulability, dynamic_manipulability, dh_frames, gravity_torque,
/// predicted_motion.
DYN_CORE_EXPORT [[nodiscard]] std::vector<std::string_view> marker_spaces();

/// Draws one chain. What is fixed to a link is made once. Allocates; for displays.
class DYN_CORE_EXPORT MarkerPainter {
 public:
  MarkerPainter(ChainPtr chain, MarkerOptions options);

  /// The picture of a state. `torque` is null where the torques are not known: then no motion is
  /// predicted. What cannot be computed is left out.
  [[nodiscard]] std::vector<Marker> paint(Inspector& inspector, const JointState& state,
                                          const VecXd* torque) const;

 private:
  [[nodiscard]] bool shows(std::string_view space) const;
  void make_fixed();
  void add_link(std::size_t i);
  void add_dh_frame(std::size_t i);
  void add_centre_of_mass(Inspector& inspector, std::vector<Marker>& out) const;
  void add_manipulability(Inspector& inspector, const VecXd& q, std::vector<Marker>& out) const;
  void add_gravity_torques(Inspector& inspector, const VecXd& q, std::vector<Marker>& out) const;
  void add_motion(Inspector& inspector, const JointState& state, const VecXd& torque,
                  std::vector<Marker>& out) const;
  [[nodiscard]] Vec3d torque_point(bool prismatic, double along, double outward) const;
  [[nodiscard]] Marker torque_line(Index coordinate, int id, double width,
                                   const Color& color) const;
  [[nodiscard]] Marker torque_scale(Index coordinate) const;
  [[nodiscard]] Marker torque_symbol(Index coordinate, double share) const;

  ChainPtr chain_;
  MarkerOptions options_;
  double length_;  // of symbols, m
  std::vector<Index> coordinate_joints_;
  std::vector<Marker> fixed_;
};

}  // namespace dyn::inspect
