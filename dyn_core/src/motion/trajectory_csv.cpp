#include <cctype>

#include <fmt/format.h>

#include "dyn_core/base/number.hpp"
#include "dyn_core/base/printable.hpp"
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

// A line of titles, the first of which begins with a letter or a quote.
bool is_heading(std::string_view line) {
  const auto first = static_cast<unsigned char>(line.front());
  return std::isalpha(first) != 0 || first >= 0x80 || first == '"' || first == '\'';
}

// Calls take(number of the line, its values), which may object, for every line of `wanted` numbers; `more` may
// follow them.
Result<void> each_line(std::string_view csv, std::size_t wanted, std::size_t more,
                       std::string_view what, const auto& take) {
  std::vector<double> values;
  bool heading_allowed = true;
  csv = without_mark(csv);
  for (std::size_t number = 1; !csv.empty(); ++number) {
    const std::string_view line = cut(csv, '\n');
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view stray = read_line(line, values);
    const bool heading = !stray.empty() && heading_allowed && is_heading(line);
    heading_allowed = false;
    if (heading) continue;
    if (!stray.empty()) {
      return fail(fmt::format("waypoints: line {}: '{}' is not a number", number, stray));
    }
    if (values.size() == wanted + more) values.resize(wanted);
    if (values.size() != wanted) {
      return fail(fmt::format("waypoints: line {} has {} numbers, but {} make {}", number,
                              values.size(), what, wanted));
    }
    if (auto taken = take(number, values); !taken) return taken;
  }
  return {};
}

VecXd to_vector(const std::vector<double>& values, Index first) {
  return Eigen::Map<const VecXd>(values.data() + first, static_cast<Index>(values.size()) - first);
}

}  // namespace

Result<TrajectoryPtr> waypoints_from_csv(std::string_view csv, Index dof,
                                         Interpolation interpolation) {
  std::vector<double> times;
  std::vector<VecXd> positions;
  const auto take = [&](std::size_t number, const std::vector<double>& values) -> Result<void> {
    if (!times.empty() && !(values[0] > times.back())) {
      return fail(
          fmt::format("waypoints: line {} is at {} s, which is not after {} s; times must grow",
                      number, values[0], times.back()));
    }
    times.push_back(values[0]);
    positions.push_back(to_vector(values, 1));
    return {};
  };
  const std::string what = fmt::format("a time and {} positions", dof);
  const auto columns = static_cast<std::size_t>(dof);
  if (auto read = each_line(csv, columns + 1, 2 * columns, what, take); !read) {
    return tl::unexpected(read.error());
  }
  return waypoints(times, positions, interpolation);
}

Result<TrajectoryPtr> path_from_csv(std::string_view csv, Index dof) {
  std::vector<double> places;
  std::vector<VecXd> positions;
  const auto take = [&](std::size_t number, const std::vector<double>& values) -> Result<void> {
    const VecXd point = to_vector(values, 0);
    const double way = positions.empty() ? 1.0 : (point - positions.back()).norm();
    if (!(way > 0.0)) {
      return fail(
          fmt::format("waypoints: line {} is the point before once more; leave it out", number));
    }
    places.push_back(positions.empty() ? 0.0 : places.back() + way);
    positions.push_back(point);
    return {};
  };
  const std::string what = fmt::format("the positions of {} joints", dof);
  if (auto read = each_line(csv, static_cast<std::size_t>(dof), 0, what, take); !read) {
    return tl::unexpected(read.error());
  }
  return waypoints(places, positions, Interpolation::kNatural);
}

}  // namespace dyn
