#include "recording.hpp"

#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include <dyn_core/identify/identify.hpp>
#include <dyn_core/identify/prepare.hpp>
#include <fmt/format.h>

namespace dyn::view {
namespace {

using Json = nlohmann::ordered_json;

Json report_of(const Chain& chain, const Identified& found) {
  Json joints = Json::array(), links = Json::array();
  for (Index i = 0; i < chain.dof(); ++i) {
    const IdentifiedJoint& joint = found.joints[static_cast<std::size_t>(i)];
    joints.push_back({{"name", chain.coordinate_joint(i).name},
                      {"rms_measured", joint.rms_measured},
                      {"rms_before", joint.rms_before},
                      {"rms_after", joint.rms_after}});
  }
  for (std::size_t i = 0; i < found.links.size(); ++i) {
    links.push_back({{"name", chain.links()[i].name},
                     {"before", chain.links()[i].body.mass},
                     {"mass", found.links[i].body.mass},
                     {"sd_mass", found.links[i].mass_deviation}});
  }
  return {
      {"joints", joints}, {"links", links}, {"rank", found.rank}, {"condition", found.condition}};
}

Json identify_log(const ChainPtr& chain, const Log& log) try {
  auto prepared = prepare({log}, *chain);
  if (!prepared) return {{"error", prepared.error().sentence}};
  const auto found = identify(chain, {&prepared->samples, 1});
  if (!found) return {{"error", found.error().sentence}};
  return report_of(*chain, *found);
} catch (const std::bad_alloc&) {
  return {{"error", "there is not enough memory for this recording; record a shorter one"}};
}

}  // namespace

void Recording::start(Index dof) {
  const auto n = static_cast<std::size_t>(dof);
  log_ = Log();
  log_.q.resize(n);
  log_.qd.resize(n);
  log_.tau.resize(n);
  running_ = true;
}

void Recording::forget() {
  running_ = false;
  log_ = Log();
  stale_ = work_.valid();
}

void Recording::take(const Sample& sample) {
  if (!running_ || static_cast<std::size_t>(sample.q.size()) != log_.q.size()) return;
  if (!sample.q.allFinite() || !sample.qd.allFinite() || !sample.effort.allFinite()) return;
  if (log_.t.empty()) first_ = sample.time;
  const double time = sample.time - first_;
  if (!log_.t.empty() && !(time > log_.t.back())) return;
  log_.t.push_back(time);
  for (std::size_t i = 0; i < log_.q.size(); ++i) {
    const auto k = static_cast<Index>(i);
    log_.q[i].push_back(sample.q[k]);
    log_.qd[i].push_back(sample.qd[k]);
    log_.tau[i].push_back(sample.effort[k]);
  }
  running_ = log_.t.size() < kMost;
}

std::string Recording::csv() const {
  std::string out = "t";
  for (const char* name : {"q", "qd", "tau"}) {
    for (std::size_t i = 1; i <= log_.q.size(); ++i) out += fmt::format(",{}_{}", name, i);
  }
  for (std::size_t k = 0; k < log_.t.size(); ++k) {
    fmt::format_to(std::back_inserter(out), "\n{}", log_.t[k]);
    for (const auto* columns : {&log_.q, &log_.qd, &log_.tau}) {
      for (const Log::Column& column : *columns) {
        fmt::format_to(std::back_inserter(out), ",{}", column[k]);
      }
    }
  }
  return out + "\n";
}

Result<void> Recording::identify(const ChainPtr& chain) {
  if (work_.valid()) return fail("an identification is under way; wait for its end");
  if (running_) return fail("the recording is still running; stop it first");
  if (log_.t.empty()) return fail("nothing is recorded; record a motion of some seconds first");
  work_ = std::async(std::launch::async, [chain, log = log_] { return identify_log(chain, log); });
  return {};
}

std::optional<Json> Recording::identified() {
  if (!work_.valid() || work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return {};
  }
  Json found = {{"identified", work_.get()}};
  if (std::exchange(stale_, false)) return {};
  return found;
}

}  // namespace dyn::view
