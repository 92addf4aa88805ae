// The pictures of `dyn report` that are not line charts. Each is one <svg> element for a page.
#pragma once

#include <string>
#include <vector>

#include "report_data.hpp"

namespace dyn::tool {

/// The arm as a stick figure in the postures of the report, seen from the side, the front and above;
/// directions from which a planar arm is only a line are left out.
[[nodiscard]] std::string stick_figures(const ReportData& data);
/// Tip positions of random postures from the same directions.
[[nodiscard]] std::string workspace_clouds(const ReportData& data);
/// M with its numbers, shaded by size; 0 off the diagonal below 1/2000 of the largest element.
[[nodiscard]] std::string inertia_map(const MatXd& M);
/// |M_ij| / sqrt(M_ii M_jj) in percent.
[[nodiscard]] std::string coupling_map(const MatXd& M);
/// A bar of `share` (1: full), with a mark at the full width if asked for; much longer ones are cut and
/// get an arrow.
[[nodiscard]] std::string bar(double share, const char* colour, bool mark);

/// The SVG of plot.hpp as part of a page: without the declaration that only files need.
[[nodiscard]] std::string embedded(std::string svg);

}  // namespace dyn::tool
