#include "identify/log_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"

namespace dyn {
namespace {

constexpr std::size_t kMostLogged = 120'000'000;  // of 8 bytes, that a log may have in memory
constexpr double kLargestNumber = 1e9;            // no joint has been seen with more, in any unit
constexpr double kSetBack = 0.5;  // s; a message is not that late, so the clock was set

std::string shared_beginning(const std::vector<std::string>& names) {
  std::string beginning = names.front();
  for (const std::string& name : names) {
    const auto end =
        std::mismatch(beginning.begin(), beginning.end(), name.begin(), name.end()).first;
    beginning.erase(end, beginning.end());
  }
  return beginning;
}

std::string joint_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    list += (i > 0 ? ", " : "") + printable(names[i], 60);
  }
  return names.size() > kMost ? list + ", …" : list;
}

}  // namespace

LogRows::LogRows(const Chain& chain, const LogOptions& options, std::string path)
    : options_(options),
      path_(std::move(path)),
      wanted_(options.joints.empty() ? chain.coordinate_names() : options.joints),
      places_(wanted_.size()),
      row_(3 * wanted_.size()),
      columns_(row_.size()) {}

// Finds every wanted name with `theirs` in place of its beginning `ours`.
bool LogRows::match(std::span<const std::string_view> names, std::string_view ours,
                    std::string_view theirs) {
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const std::string name = std::string(theirs) + wanted_[i].substr(ours.size());
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return false;
    places_[i] = static_cast<std::size_t>(found - names.begin());
  }
  return true;
}

bool LogRows::name_columns(std::span<const std::string_view> names) {
  if (names_.empty()) names_.assign(names.begin(), names.end());
  renamed_.clear();
  if (match(names, "", "")) return named_ = true;
  // Numbers count from 1 in the order of q.
  numbered_ = names.size() == wanted_.size();
  for (std::size_t i = 0; i < wanted_.size() && numbered_; ++i) {
    const auto found = std::ranges::find(names, std::to_string(i + 1));
    numbered_ = found != names.end();
    places_[i] = static_cast<std::size_t>(found - names.begin());
  }
  if (numbered_) return named_ = true;
  // fer_joint1, … for panda_joint1, …: one other beginning for all, and only one that fits.
  const std::string ours = shared_beginning(wanted_);
  const std::string_view first = std::string_view(wanted_.front()).substr(ours.size());
  std::vector<std::string_view> fitting;
  for (const std::string_view name : names) {
    if (first.empty() || !name.ends_with(first)) continue;
    const std::string_view theirs = name.substr(0, name.size() - first.size());
    if (match(names, ours, theirs)) fitting.push_back(theirs);
  }
  if (fitting.size() != 1 || wanted_.size() < 2) return false;
  renamed_ = fmt::format("the log's joints {}… are taken for {}…",
                         printable(std::string(fitting[0]) + wanted_[0].substr(ours.size()), 60),
                         wanted_[0]);
  return named_ = match(names, ours, fitting[0]);
}

Result<void> LogRows::keep(double stamp, double received) {
  const std::size_t n = places_.size();
  const auto usable = [](double x) { return std::abs(x) <= kLargestNumber; };
  const auto all_usable = [&](std::size_t first) {
    return std::all_of(row_.begin() + first, row_.begin() + first + n, usable);
  };
  if (!all_usable(0) || !all_usable(2 * n) || !std::isfinite(stamp + received)) {
    ++not_finite_;
    return {};
  }
  if (!all_usable(n)) ++without_velocity_;
  if (stamps_.size() * (2 + row_.size()) > kMostLogged) {
    return fail(
        fmt::format("{}: more than {} samples are more than memory should hold; cut the log", path_,
                    stamps_.size()));
  }
  stamps_.push_back(stamp);
  received_.push_back(received);
  for (std::size_t i = 0; i < row_.size(); ++i) columns_[i].push_back(row_[i]);
  return {};
}

// Fills log.t; the rows that are kept.
std::vector<std::size_t> LogRows::rows_in_time(Log& log) {
  std::size_t growing = 0;
  for (std::size_t k = 1; k < stamps_.size(); ++k) growing += stamps_[k] > stamps_[k - 1] ? 1 : 0;
  // A driver that does not stamp its messages, or with a clock too coarse: when they were received.
  const bool stamped = 2 * growing + 2 >= stamps_.size();
  const Log::Column& time = stamped ? stamps_ : received_;
  if (!stamped) {
    log.notes.emplace_back("the stamps do not grow, so the times are those of the recorder");
  }
  std::vector<std::size_t> kept;
  kept.reserve(time.size());
  log.t.reserve(time.size());
  double shift = -time.front();
  for (std::size_t k = 0; k < time.size(); ++k) {
    double t = time[k] + shift;
    if (k > 0 && t < log.t.back() - kSetBack) {
      ++set_back_;
      shift = log.t.back() + 1.0 - time[k];
      t = time[k] + shift;
    }
    if (k == 0 || t > log.t.back()) {
      kept.push_back(k);
      log.t.push_back(t);
    } else {
      ++(t < log.t.back() ? late_ : doubled_);
    }
  }
  return kept;
}

std::string LogRows::objection() const {
  if (stamps_.size() > 1) return {};
  if (stamps_.size() == 1)
    return fmt::format("{}: one sample is no motion; record some seconds of it", path_);
  if (not_finite_ > 0) {
    return fmt::format(
        "{}: none of its {} samples has finite numbers below {:g}; see what writes them", path_,
        not_finite_, kLargestNumber);
  }
  if (without_effort > 0) {
    return fmt::format(
        "{}: its joint states have no efforts, which is what a model is compared with; let the "
        "driver publish them",
        path_);
  }
  if (malformed > 0) {
    return fmt::format(
        "{}: its {} messages are no sensor_msgs/JointState in CDR; choose another topic with "
        "--topic",
        path_, malformed);
  }
  if (!names_.empty() && !named_) {
    return fmt::format(
        "{}: its joints are {}, not {}; choose the chain with --base and --tip, or name them with "
        "--joints",
        path_, joint_list(names_), joint_list(wanted_));
  }
  return fmt::format("{}: there is no sample in it; record a motion{}", path_,
                     damaged ? " again, as the file is damaged or ends too early" : "");
}

void LogRows::write_notes(Log& log) const {
  const auto note = [&](std::size_t count, const char* what) {
    if (count > 0) log.notes.push_back(fmt::format("{} {}", count, what));
  };
  const double duration = log.t.back();
  log.notes.insert(log.notes.begin(),
                   fmt::format("{}: {} samples in {:.4g} s{}", path_, log.t.size(), duration,
                               topic.empty() ? "" : " of " + printable(topic)));
  if (!renamed_.empty()) log.notes.push_back(renamed_);
  if (numbered_) log.notes.emplace_back("its joints are numbered: taken in the order of the chain");
  if (damaged)
    log.notes.emplace_back("the file is damaged or ends too early: read as far as it goes");
  note(not_finite_, "samples with numbers that are not finite or beyond 1e9 were left out");
  note(without_effort, "samples without efforts were left out");
  note(incomplete, "messages without all joints of the chain were left out");
  note(malformed, "messages that are broken were left out");
  note(doubled_, "samples with the stamp of the one before were left out");
  note(late_, "samples with a stamp before that of the one before were left out");
  note(set_back_, "times the clock was set back: a piece of its own begins there");
}

Result<Log> LogRows::finish() {
  const std::size_t n = places_.size();
  std::string wrong = objection();
  if (!wrong.empty()) return fail(std::move(wrong));
  Log log;
  const std::vector<std::size_t> kept = rows_in_time(log);
  if (kept.size() < 2)
    return fail(
        fmt::format("{}: its times do not grow; is the column of times another one?", path_));
  stamps_ = received_ = {};
  for (Log::Column& column : columns_) {
    for (std::size_t k = 0; k < kept.size(); ++k) column[k] = column[kept[k]];
    column.resize(kept.size());
  }
  const auto columns = [&](std::size_t kind) {
    const auto first = std::make_move_iterator(columns_.begin() + kind * n);
    return std::vector<Log::Column>(first, first + n);
  };
  log.q = columns(0);
  if (without_velocity_ == 0) log.qd = columns(1);
  log.tau = columns(2);
  write_notes(log);
  if (without_velocity_ > 0) {
    log.notes.emplace_back("not every sample has velocities: those of the positions are used");
  }
  return log;
}

}  // namespace dyn
