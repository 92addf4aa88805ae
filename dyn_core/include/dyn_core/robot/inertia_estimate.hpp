// Bodies for links that have none, made from their shapes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/chain.hpp"
#include "dyn_core/robot/urdf_writer.hpp"

namespace dyn {

struct EstimateOptions {
  double mass =
      0.0;  ///< of the whole robot in kg, what has an <inertial> included; 0: as dense as water
  std::string urdf_folder = ".";               ///< where relative paths of meshes begin
  std::vector<std::string> mesh_folders = {};  ///< where else meshes and packages may be
};

struct InertiaEstimate {
  std::vector<LinkInertia> bodies = {};
  double density = 0.0;                    ///< kg/m³, of all of them
  std::vector<std::string> warnings = {};  ///< about surfaces that are not closed
};

/// For every link without mass that has a shape: its collision geometry, else its visual one, of one density,
/// where shapes overlap counted twice. Meshes are STL, OBJ or DAE files; package:// is looked up in the
/// folders given, in AMENT_PREFIX_PATH and ROS_PACKAGE_PATH and above the robot description. The error names
/// the link and the file, and where it was looked for. Nothing to estimate is no error: no bodies.
DYN_CORE_EXPORT [[nodiscard]] Result<InertiaEstimate> estimate_inertia(
    std::string_view urdf, const EstimateOptions& options = {});

/// A robot description without gaps.
struct CompletedUrdf {
  std::string urdf;                        ///< new bodies with a comment that they are estimated
  std::vector<std::string> links = {};     ///< those that have one
  std::vector<std::string> warnings = {};  ///< what is estimated, and from what surfaces
};

/// By the estimate for a robot of that total mass in kg, or for the word `geometry`.
DYN_CORE_EXPORT [[nodiscard]] Result<CompletedUrdf> complete_urdf(std::string_view urdf,
                                                                  std::string_view mass,
                                                                  EstimateOptions options = {});
/// The chain that was parsed from it, marked by its name, its warnings and what estimated() says.
DYN_CORE_EXPORT [[nodiscard]] ChainPtr marked_as_estimated(const Chain& chain,
                                                           const CompletedUrdf& from);

}  // namespace dyn
