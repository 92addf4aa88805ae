#include "dyn_core/inspect/monitor.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "dyn_core/inspect/request.hpp"
#include "dyn_core/robot/inertia_estimate.hpp"

namespace dyn::inspect {
namespace {

// Every joint state goes through the observer for so long after somebody asked for what it sees, s.
constexpr double kObservedFor = 2.0;

bool same(const RigidBody& a, const RigidBody& b) {
  return a.mass == b.mass && a.com == b.com && a.inertia == b.inertia;
}

bool same(const Algorithms& a, const Algorithms& b) {
  return a.mass_matrix == b.mass_matrix && a.inverse_dynamics == b.inverse_dynamics &&
         a.forward_dynamics == b.forward_dynamics && a.coriolis == b.coriolis;
}

Result<void> check_markers(const MarkerOptions& options) {
  for (const std::string& name : options.show) {
    const auto spaces = marker_spaces();
    if (std::ranges::find(spaces, name) != spaces.end()) continue;
    std::string names;
    for (const std::string_view space : spaces) names += fmt::format(" {}", space);
    return fail(fmt::format("there are no markers '{}'; choose among:{}", name, names));
  }
  return {};
}

Result<EffortObserver> make_effort_observer(const ChainPtr& chain, const Settings& settings) {
  auto observer = EffortObserver::make(chain, settings.efforts);
  if (!observer) return observer;
  observer->set_payload(settings.urdf.payload);
  observer->set_gravity(settings.urdf.gravity);
  return observer;
}

}  // namespace

Settings::Settings() : rates() {
  std::ranges::transform(kOutputs, rates.begin(), &OutputEntry::rate);
}

Monitor::Monitor(Settings settings) : settings_(std::move(settings)), rates_(settings_.rates) {}

bool Monitor::same_model(const Settings& a, const Settings& b) {
  return a.urdf.base == b.urdf.base && a.urdf.tip == b.urdf.tip && a.urdf.lock == b.urdf.lock &&
         a.urdf.armature == b.urdf.armature && a.urdf.damping == b.urdf.damping &&
         a.urdf.friction == b.urdf.friction && a.estimate_inertia == b.estimate_inertia &&
         a.mesh_path == b.mesh_path && a.urdf.allow_nonphysical == b.urdf.allow_nonphysical &&
         same(a.algorithms, b.algorithms);
}

Result<ChainPtr> Monitor::make_chain(std::string_view description, const Settings& settings) {
  UrdfOptions options = settings.urdf;
  options.payload = {};
  if (settings.estimate_inertia.empty()) return parse_urdf(description, options);
  const auto completed =
      complete_urdf(description, settings.estimate_inertia, {.mesh_folders = settings.mesh_path});
  if (!completed) return tl::unexpected(completed.error());
  const auto chain = parse_urdf(completed->urdf, options);
  if (!chain) return chain;
  return marked_as_estimated(**chain, *completed);
}

Result<Monitor::Model> Monitor::make_model(std::string_view description,
                                           const Settings& settings) try {
  auto chain = make_chain(description, settings);
  if (!chain) return tl::unexpected(chain.error());
  if ((*chain)->dof() > kMostCoordinates) {
    return fail(fmt::format(
        "the chain from '{}' to '{}' has {} moving joints, more than {}; choose base and tip",
        (*chain)->base(), (*chain)->tip(), (*chain)->dof(), kMostCoordinates));
  }
  auto inspector = Inspector::make(*chain, settings.algorithms);
  if (!inspector) return tl::unexpected(inspector.error());
  auto efforts = make_effort_observer(*chain, settings);
  if (!efforts) return tl::unexpected(efforts.error());
  inspector->set_payload(settings.urdf.payload);
  inspector->set_gravity(settings.urdf.gravity);
  return Model{std::move(*inspector),
               PayloadTrial(),
               JointStateMatcher(**chain, settings.joint_state_timeout),
               std::move(*efforts),
               MarkerPainter(*chain, settings.markers),
               Values((*chain)->dof()),
               std::string(description),
               hash_of(description)};
} catch (const std::bad_alloc&) {
  return fail("there is not enough memory for it");
}

Result<void> Monitor::check(const Settings& settings, std::string_view description) const {
  if (const auto payload = checked_payload(settings.urdf.payload); !payload) {
    return tl::unexpected(payload.error());
  }
  if (const auto gravity = checked_gravity(settings.urdf.gravity); !gravity) {
    return tl::unexpected(gravity.error());
  }
  if (auto markers = check_markers(settings.markers); !markers) return markers;
  if (!(settings.efforts.gain > 0.0 && std::isfinite(settings.efforts.gain))) {
    return fail(
        fmt::format("the observer's gain is {} 1/s; give a positive one", settings.efforts.gain));
  }
  if (description.empty()) {
    if (!model_ || same_model(settings, settings_)) return {};
    description = model_->description;
  }
  if (auto model = make_model(description, settings); !model) {
    return tl::unexpected(model.error());
  }
  return {};
}

Result<bool> Monitor::apply(const Settings& settings) {
  if (auto checked = check(settings); !checked) return tl::unexpected(checked.error());
  const bool anew = model_ && !same_model(settings, settings_);
  const bool repaint = model_ && !anew;
  if (anew) {
    auto model = make_model(model_->description, settings);
    if (!model) return tl::unexpected(model.error());
    model_ = std::move(*model);
  }
  if (repaint) {
    model_->painter = MarkerPainter(model_->inspector.chain_ptr(), settings.markers);
    model_->matcher.set_timeout(settings.joint_state_timeout);
    if (!same(settings.urdf.payload, settings_.urdf.payload)) {
      model_->inspector.set_payload(settings.urdf.payload);
      model_->efforts.set_payload(settings.urdf.payload);
    }
    model_->inspector.set_gravity(settings.urdf.gravity);
    model_->efforts.set_gravity(settings.urdf.gravity);
    if (settings.efforts != settings_.efforts) {
      auto efforts = make_effort_observer(model_->inspector.chain_ptr(), settings);
      if (!efforts) return tl::unexpected(efforts.error());
      model_->efforts = std::move(*efforts);
    }
  }
  if (settings.rates != settings_.rates) rates_ = RateGrid(settings.rates);
  settings_ = settings;
  return anew;
}

Result<bool> Monitor::load(std::string_view description) {
  if (model_ && model_->description == description) {
    refusal_.clear();
    return false;
  }
  auto model = make_model(description, settings_);
  if (!model) {
    refusal_ = model.error().sentence;
    return tl::unexpected(model.error());
  }
  refusal_.clear();
  model_ = std::move(*model);
  return true;
}

bool Monitor::take(const JointStateSample& sample, double now) {
  received_.count();
  if (!model_ || model_->matcher.take(sample, now) != Match::kComplete) return false;
  now_ = now;
  stamp_ = sample.stamp != 0 ? sample.stamp : std::llround(1e9 * now);
  model_->trial.take(model_->matcher, stamp_);
  if (now < observed_until_) model_->efforts.take(model_->matcher, stamp_);
  return true;
}

OutputSet Monitor::compute(OutputSet wanted) {
  if (wanted.test(index(Output::kResidual)) || wanted.test(index(Output::kExternalWrench))) {
    observed_until_ = now_ + kObservedFor;
    model_->efforts.take(model_->matcher, stamp_);
  }
  return model_->values.compute(wanted, model_->inspector, model_->matcher, model_->efforts,
                                model_->painter);
}

Result<PayloadFound> Monitor::stop_payload_trial() {
  const auto chain = make_chain(model_->description, settings_);  // gravity may have changed
  if (!chain) return tl::unexpected(chain.error());
  return model_->trial.stop(
      *chain, settings_.efforts.contain_gravity ? Effort::kWithGravity : Effort::kWithoutGravity);
}

void Monitor::note_busy(double seconds) noexcept {
  busy_[busy_count_ % busy_.size()] = seconds;
  ++busy_count_;
}

}  // namespace dyn::inspect
