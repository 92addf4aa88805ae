#include "dyn_core/inspect/joint_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dyn_core/base/printable.hpp"

namespace dyn::inspect {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Up to eight names, separated by commas.
template <class Names>
std::string listed(const Names& names) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == 8) return text + fmt::format(" and {} more", names.size() - shown);
    text += (shown++ == 0 ? "" : ", ") + printable(name, 60);
  }
  return text;
}

}  // namespace

JointStateMatcher::JointStateMatcher(const Chain& chain, double timeout)
    : names_(chain.coordinate_names()),
      entries_(names_.size(), Entry{kNever}),
      positions_(VecXd::Zero(chain.dof())),
      velocities_(positions_),
      efforts_(positions_),
      unknown_velocities_(chain.dof()),
      unknown_efforts_(chain.dof()),
      timeout_(timeout) {}

const JointStateMatcher::Layout& JointStateMatcher::layout_of(std::span<const std::string> names) {
  for (std::size_t k = 0; k < layouts_.size(); ++k) {
    last_layout_ = (last_layout_ + (k == 0 ? 0 : 1)) % layouts_.size();
    if (std::ranges::equal(layouts_[last_layout_].names, names)) return layouts_[last_layout_];
  }
  last_layout_ = next_layout_;
  next_layout_ = (next_layout_ + 1) % layouts_.size();
  Layout& layout = layouts_[last_layout_];
  layout.names.assign(names.begin(), names.end());
  layout.coordinates.clear();
  for (const std::string& name : names) {
    const auto found = std::ranges::find(names_, name);
    layout.coordinates.push_back(found == names_.end() ? -1 : found - names_.begin());
  }
  return layout;
}

JointStateMatcher::Malformed JointStateMatcher::check(const JointStateSample& sample) noexcept {
  const std::size_t n = sample.names.size();
  if (sample.positions.size() != n) return Malformed::kPositions;
  if (!sample.velocities.empty() && sample.velocities.size() != n) return Malformed::kVelocities;
  if (!sample.efforts.empty() && sample.efforts.size() != n) return Malformed::kEfforts;
  return Malformed::kNo;
}

void JointStateMatcher::take_joint(const JointStateSample& sample, std::size_t i, Index coordinate,
                                   double now) {
  Entry& entry = entries_[static_cast<std::size_t>(coordinate)];
  const auto take = [&](std::span<const double> values, bool& known, Index& unknown, double& out) {
    const bool given = !values.empty() && std::isfinite(values[i]);
    unknown += static_cast<Index>(known) - static_cast<Index>(given);
    known = given;
    out = given ? values[i] : 0.0;
  };
  entry.time = now;
  positions_[coordinate] = sample.positions[i];
  take(sample.velocities, entry.velocity_known, unknown_velocities_, velocities_[coordinate]);
  take(sample.efforts, entry.effort_known, unknown_efforts_, efforts_[coordinate]);
}

Match JointStateMatcher::take(const JointStateSample& sample, double now) {
  ++counts_.received;
  last_fault_ = check(sample);
  last_sizes_ = {sample.names.size(), sample.positions.size(), sample.velocities.size(),
                 sample.efforts.size()};
  if (last_fault_ != Malformed::kNo) {
    ++counts_.malformed;
    return last_match_ = Match::kMalformed;
  }
  const Layout& layout = layout_of(sample.names);
  bool named = false, updated = false;
  for (std::size_t i = 0; i < sample.names.size(); ++i) {
    if (layout.coordinates[i] < 0) continue;
    named = true;
    if (!std::isfinite(sample.positions[i])) continue;
    updated = true;
    take_joint(sample, i, layout.coordinates[i], now);
  }
  if (!named) {
    ++counts_.foreign;
    return last_match_ = Match::kForeign;
  }
  const bool whole = updated && complete(now);
  ++(whole ? counts_.complete : counts_.partial);
  return last_match_ = whole ? Match::kComplete : Match::kPartial;
}

double JointStateMatcher::age(double now) const noexcept {
  double oldest = std::numeric_limits<double>::infinity();
  for (const Entry& entry : entries_) oldest = std::min(oldest, entry.time);
  return now - oldest;
}

bool JointStateMatcher::complete(double now) const noexcept {
  const double oldest = age(now);
  return std::isfinite(oldest) && (timeout_ <= 0.0 || oldest <= timeout_);
}

std::string JointStateMatcher::last_message() const {
  const auto [names, positions, velocities, efforts] = last_sizes_;
  switch (last_fault_) {
    case Malformed::kPositions:
      return fmt::format("the last joint state was ignored: it has {} names but {} positions",
                         names, positions);
    case Malformed::kVelocities:
      return fmt::format("the last joint state was ignored: it has {} names but {} velocities",
                         names, velocities);
    case Malformed::kEfforts:
      return fmt::format("the last joint state was ignored: it has {} names but {} efforts", names,
                         efforts);
    case Malformed::kNo:
      break;
  }
  if (last_match_ != Match::kForeign) return {};
  return fmt::format("the last joint state names no joint of the chain: {}",
                     names == 0 ? "none at all" : listed(layouts_[last_layout_].names));
}

std::string JointStateMatcher::problem(double now) const {
  if (counts_.received == 0) return "no joint state was received yet";
  std::string message = last_message();
  if (complete(now)) return message;
  std::vector<std::string> missing, old;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const double age_of_joint = now - entries_[i].time;
    if (!std::isfinite(age_of_joint)) {
      missing.push_back(names_[i]);
    } else if (timeout_ > 0.0 && age_of_joint > timeout_) {
      old.push_back(names_[i]);
    }
  }
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!missing.empty()) add(fmt::format("no position was received yet for {}", listed(missing)));
  if (!old.empty()) {
    add(fmt::format("no position for more than {:.3g} s from {}", timeout_, listed(old)));
  }
  if (!message.empty()) add(message);
  return text;
}

}  // namespace dyn::inspect
