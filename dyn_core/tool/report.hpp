// The HTML page about one arm.
#pragma once

#include <string>

#include "common.hpp"
#include "output.hpp"
#include "report_data.hpp"

namespace dyn::tool {

/// One self-contained page; `command` is shown at its end.
[[nodiscard]] std::string report_page(const ReportData& data, const std::string& command);

/// The sections of the page, each an <section> element.
[[nodiscard]] std::string summary_section(const ReportData& data);
[[nodiscard]] std::string arm_section(const ReportData& data);
[[nodiscard]] std::string geometry_section(const ReportData& data);
[[nodiscard]] std::string inertia_section(const ReportData& data);
[[nodiscard]] std::string motion_section(const ReportData& data);
[[nodiscard]] std::string loads_section(const ReportData& data);
[[nodiscard]] std::string workspace_section(const ReportData& data);
[[nodiscard]] std::string algorithms_section(const ReportData& data);
[[nodiscard]] std::string warnings_section(const ReportData& data);

/// Computes and writes the page, with a progress bar, while an InterruptGuard lives.
void write_report(const ChainPtr& chain, const RobotOptions& robot, OutputFile& file);

}  // namespace dyn::tool
