
#include <fmt/format.h>

#include "dyn_core/base/number.hpp"
#include "dyn_core/motion/trajectory.hpp"

namespace dyn {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Cuts the part before the next `separator` off `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t length = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return trimmed(part);
}

// Reads `line` into `values`; the text that is not a number, or nothing.
std::string_view read_line(std::string_view line, std::vector<double>& values) {
  values.clear();
  while (!line.empty()) {
    const std::string_view field = cut(line, ',');
    const std::optional<double> value = parse_number(field);
    if (!value) return field.empty() ? "an empty field" : field;
    values.push_back(*value);
  }
  return {};
}

}  // namespace

Result<TrajectoryPtr> waypoints_from_csv(std::string_view csv, Index dof,
                                         Interpolation interpolation) {
  std::vector<double> times, values;
  std::vector<VecXd> positions;
  bool heading_allowed = true;
  for (std::size_t number = 1; !csv.empty(); ++number) {
    const std::string_view line = cut(csv, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view stray = read_line(line, values);
    if (!stray.empty() && heading_allowed) {
      heading_allowed = false;
      continue;
    }
    heading_allowed = false;
    if (!stray.empty()) {
      return fail(fmt::format("waypoints: line {}: '{}' is not a number", number, stray));
    }
    if (static_cast<Index>(values.size()) != dof + 1) {
      return fail(
          fmt::format("waypoints: line {} has {} numbers, but a time and {} positions make {}",
                      number, values.size(), dof, dof + 1));
    }
    if (!times.empty() && !(values[0] > times.back())) {
      return fail(
          fmt::format("waypoints: line {} is at {} s, which is not after {} s; times must grow",
                      number, values[0], times.back()));
    }
    times.push_back(values[0]);
    positions.emplace_back(Eigen::Map<const VecXd>(values.data() + 1, dof));
  }
  return waypoints(times, positions, interpolation);
}

}  // namespace dyn
