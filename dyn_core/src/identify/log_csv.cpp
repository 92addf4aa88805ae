// Logs as CSV: a heading with t and q_, qd_, tau_ of each joint, by its name or its number.
#include <fmt/format.h>

#include "dyn_core/base/number.hpp"
#include "dyn_core/base/printable.hpp"
#include "identify/log_rows.hpp"

namespace dyn {
namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kAround = " \t\"";
  const std::size_t first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kAround) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = line.find(',', begin);
    fields.push_back(without_blanks(line.substr(begin, end - begin)));
  }
  return fields;
}

/// Which columns are t, q, qd and tau of each joint of the heading, in its own order.
struct Heading {
  std::size_t columns = 0, time = 0;
  std::array<std::vector<std::size_t>, 3> of;
  [[nodiscard]] bool has_velocity() const { return !of[1].empty(); }
};

constexpr std::array kKinds = {"q_", "qd_", "tau_"};

std::vector<std::string_view> joints_of(const std::vector<std::string_view>& titles) {
  std::vector<std::string_view> joints;
  for (const std::string_view title : titles) {
    if (title.starts_with(kKinds[0])) joints.push_back(title.substr(2));
  }
  return joints;
}

Result<Heading> read_heading(std::string_view line, LogRows& rows) {
  const std::vector<std::string_view> titles = fields_of(line);
  const auto column = [&](const std::string& title) {
    return static_cast<std::size_t>(std::ranges::find(titles, title) - titles.begin());
  };
  Heading heading;
  heading.columns = titles.size();
  heading.time = std::min(column("t"), column("time"));
  if (heading.time == titles.size()) {
    return fail(fmt::format(
        "{}: its first line has no column t: '{}'; a log is a CSV file with the columns t, "
        "q_…, qd_…, tau_…, or a rosbag2 file",
        rows.path(), printable(line, 80)));
  }
  const std::vector<std::string_view> joints = joints_of(titles);
  bool all_efforts = true, all_velocities = true;
  for (const std::string_view joint : joints) {
    for (std::size_t kind = 0; kind < 3; ++kind)
      heading.of[kind].push_back(column(kKinds[kind] + std::string(joint)));
    all_velocities = all_velocities && heading.of[1].back() < titles.size();
    all_efforts = all_efforts && heading.of[2].back() < titles.size();
  }
  if (!all_velocities) heading.of[1].clear();
  if (!rows.name_columns(joints)) {
    return fail(fmt::format(
        "{}: its columns q_ are of {} joints, {}; name them by the joints of the chain, such as "
        "q_{}, or number all of its {}",
        rows.path(), joints.size(), joints.empty() ? "none" : printable(joints.front(), 60),
        rows.wanted().front(), rows.wanted().size()));
  }
  if (!all_efforts) {
    return fail(
        fmt::format("{}: a column tau_ is missing beside those of q_; efforts are what a model is "
                    "compared with",
                    rows.path()));
  }
  return heading;
}

// The numbers of `line` into `values`; which field is none, or how many there are.
std::size_t read_numbers(std::string_view line, std::vector<double>& values) {
  std::size_t count = 0;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1, ++count) {
    end = std::min(line.find(',', begin), line.size());
    std::string_view field = line.substr(begin, end - begin);
    std::optional<double> value = parse_number(field);
    if (!value) {
      field = without_blanks(field);
      value = field.empty() ? std::numeric_limits<double>::quiet_NaN() : parse_number(field);
    }
    if (!value) return count;
    if (count < values.size()) values[count] = *value;
    if (end == line.size()) end = std::string_view::npos;
  }
  return count;
}

}  // namespace

Result<void> read_csv(Bytes& in, LogRows& rows) {
  Lines lines(in);
  std::string_view line;
  std::vector<double> values;
  Result<Heading> heading;
  bool headed = false;
  for (std::size_t number = 1; lines.next(line); ++number) {
    if (number == 1) line = without_mark(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (!headed) {
      heading = read_heading(line, rows);
      if (!heading) return tl::unexpected(heading.error());
      headed = true;
      values.resize(heading->columns);
      continue;
    }
    const std::size_t count = read_numbers(line, values);
    if (count != heading->columns) {
      rows.damaged = !lines.ended();
      if (rows.damaged) break;
      return fail(fmt::format("{}: line {} has {} numbers where its heading has {} columns; '{}'",
                              rows.path(), number, count, heading->columns, printable(line, 80)));
    }
    const double t = values[heading->time];
    const Result<void> added = rows.add(
        t, t, heading->has_velocity(),
        [&](std::size_t kind, std::size_t joint) { return values[heading->of[kind][joint]]; });
    if (!added) return added;
  }
  if (lines.too_long()) {
    return fail(
        fmt::format("{}: it is neither a rosbag2 file nor text, as a line of it is longer than {} "
                    "bytes; a log is a CSV file, .db3 or .mcap",
                    rows.path(), Lines::kLongest));
  }
  return {};
}

}  // namespace dyn
