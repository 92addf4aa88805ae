#include "track_picture.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dyn::tool {
namespace {

constexpr double kPoints = 500.0;  // of a curve: a picture is not wider

}  // namespace

TrackPicture::TrackPicture(const TrackOptions& options, const TrackSetup& setup)
    : options_(options),
      setup_(setup),
      wanted_(setup.chain),
      is_(setup.chain),
      error_(VecXd::Zero(setup.chain->dof())),
      limits_(effort_limits(*setup.chain)) {
  if (!options.pictures.empty()) file_.emplace("--pictures", options.pictures);
}

void TrackPicture::begin(const TrackVariant& variant) { runs_.push_back({variant}); }

void TrackPicture::take(const TrackingSample& sample) {
  Run& run = runs_.back();
  require(wanted_.update(sample.reference.q), "the reference");
  require(is_.update(sample.state.q), "the arm");
  if (run.time.empty()) start_ = is_.tip_pose().p;
  const bool free = entry_of(run.variant.law).follows == Follows::kNothing;
  joint_difference(*setup_.chain, sample.reference.q, sample.state.q, error_);
  const Vec3d from = free ? start_ : wanted_.tip_pose().p;
  const VecXd& own = sample.output.drive_torque;
  const double share = (sample.output.torque + own).cwiseAbs().cwiseQuotient(limits_).maxCoeff();
  const double part = setup_.duration / kPoints;
  if (run.time.empty() ||
      sample.time >= run.time.front() + part * static_cast<double>(run.time.size())) {
    run.time.push_back(sample.time);
    for (auto* values : {&run.joints, &run.tip, &run.torque}) values->push_back(0.0);
  }
  const auto raise = [](std::vector<double>& values, double to) {
    values.back() = std::max(values.back(), to);
  };
  raise(run.joints, 1e3 * error_.norm());
  raise(run.tip, 1e3 * (is_.tip_pose().p - from).norm());
  raise(run.torque, 100.0 * share);
}

Chart TrackPicture::chart(const char* title, const char* unit,
                          std::vector<double> Run::*values) const {
  Chart out{.title = title, .x_label = "time, s", .y_label = unit, .curves = {}};
  for (const Run& run : runs_) {
    out.curves.push_back({track_title(run.variant, true), run.time, run.*values});
  }
  return out;
}

void TrackPicture::finish() {
  if (!file_) return;
  Picture picture{.title = fmt::format("{}, {:g} ms until a torque acts", setup_.chain->name(),
                                       options_.delay_ms),
                  .charts = {},
                  .columns = 2};
  const Follows follows = entry_of(runs_.back().variant.law).follows;
  if (follows == Follows::kJoints || options_.law == "all") {
    picture.charts.push_back(chart("tracking error |q_d - q|", "mrad, mm", &Run::joints));
  }
  if (follows == Follows::kTip) {
    picture.charts.push_back(chart("the tip from its reference", "mm", &Run::tip));
  }
  for (Chart& error : picture.charts) error.log_y = true;
  if (follows == Follows::kNothing) {
    picture.charts.push_back(chart("the tip from its first place", "mm", &Run::tip));
  }
  if (std::isfinite(limits_.minCoeff())) {
    picture.charts.push_back(
        chart("torque of the joint nearest to its limit", "% of it", &Run::torque));
  }
  file_->write(to_svg(picture));
  file_->finish();
}

}  // namespace dyn::tool
