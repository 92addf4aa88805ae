// What `dyn track` draws: the error of every run over its time, and how near it comes to the torque limits.
#pragma once

#include <optional>
#include <vector>

#include "dyn_core/robot/kinematics.hpp"
#include "output.hpp"
#include "plot.hpp"
#include "track.hpp"

namespace dyn::tool {

class TrackPicture {
 public:
  /// Nothing is drawn where no file is named; a Failure where it cannot be written.
  TrackPicture(const TrackOptions& options, const TrackSetup& setup);

  [[nodiscard]] bool wanted() const { return file_.has_value(); }
  void begin(const TrackVariant& variant);
  void take(const TrackingSample& sample);
  void finish();

 private:
  /// The largest values within each part of the time.
  struct Run {
    TrackVariant variant;
    std::vector<double> time = {}, joints = {}, tip = {}, torque = {};
  };

  [[nodiscard]] Chart chart(const char* title, const char* unit,
                            std::vector<double> Run::*values) const;

  const TrackOptions& options_;
  const TrackSetup& setup_;
  std::optional<OutputFile> file_;
  std::vector<Run> runs_;
  Kinematics<double> wanted_, is_;
  Vec3d start_ = Vec3d::Zero();
  VecXd error_, limits_;
};

}  // namespace dyn::tool
