// What the figures of Saha 2003, section 4, are drawn by.
#pragma once

#include "saha_runs.hpp"

namespace dyn::tool {

struct SahaNamed {
  std::string label;
  const SahaMotion* motion;
  bool dashed = false;
};

/// (a) to (f): a chart a joint, of one value of each motion.
[[nodiscard]] std::vector<Chart> saha_joint_charts(const SahaExperiment& e,
                                                   const std::vector<SahaNamed>& motions,
                                                   std::vector<double> (SahaMotion::*value)(Index)
                                                       const,
                                                   const char* turning, const char* sliding);
/// The trajectory (18) as a motion.
[[nodiscard]] SahaMotion saha_wanted(const SahaExperiment& e);
/// Up to one span of each chart's last curve beyond it: a motion that runs away must not flatten the rest.
void saha_show_around(std::vector<Chart>& charts);
[[nodiscard]] Chart saha_deviation_chart(const std::vector<SahaNamed>& motions, const char* title);
/// When each is 0.01 off.
[[nodiscard]] std::string saha_departures(const std::vector<SahaNamed>& motions);
/// The torques of a forced run.
void saha_figure_5(PaperItems& items, const char* which, const SahaExperiment& e,
                   const SahaMotion& forced);

}  // namespace dyn::tool
