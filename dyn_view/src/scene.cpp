#include "dyn_view/scene.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include <dyn_core/base/printable.hpp>
#include <dyn_core/inspect/monitor.hpp>
#include <dyn_core/inspect/sway.hpp>
#include <fmt/format.h>

#include "controls.hpp"
#include "recording.hpp"

namespace dyn::view {
namespace {

constexpr Index kMostSimulated = 32;  // joints, at 1 kHz
constexpr int kMarkersEvery = 6;      // frames

Json refusal(const std::string& sentence) { return {{"error", sentence}}; }

// Commands are nearly flat. What is nested deeper may come from anybody, and is not taken: whoever copies or
// writes such a value goes one call deeper with every level of it.
Json parsed(std::string_view text) {
  constexpr int kDeepest = 8;
  bool deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, const Json&) {
        deep = deep || depth > kDeepest;
        return !deep;
      },
      false);
  if (deep) json = Json();
  return json;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<SimulatedArm> make_arm(const ChainPtr& chain, const ArmSettings& settings,
                              const RigidBody& payload) {
  if (!chain->has_dynamics()) return fail(chain->objection_to_dynamics());
  if (chain->dof() > kMostSimulated) {
    return fail(fmt::format(
        "the chain from '{}' to '{}' has {} joints, more than the {} that are simulated in real "
        "time; choose nearer ends of it",
        chain->base(), chain->tip(), chain->dof(), kMostSimulated));
  }
  auto sway = inspect::sway(*chain);
  if (!sway) return tl::unexpected(sway.error());
  VecXd rest(chain->dof()), qd(chain->dof()), qdd(chain->dof());
  const Status status = (*sway)->evaluate(0.0, rest, qd, qdd);
  if (status != Status::kOk) return fail(to_string(status));
  auto arm = SimulatedArm::make(chain, settings, payload, rest);
  if (arm) arm->follow(*sway);
  return arm;
}

namespace {

class RobotScene final : public Scene {
 public:
  RobotScene(Bridge& bridge, const SceneOptions& options, const Robot& robot)
      : bridge_(bridge), options_(options), controls_(bridge, options.settings, robot) {}

  Result<void> show(const Robot& robot, const inspect::ShapeOptions& shapes) {
    auto portrait = Portrait::make(robot, shapes, number_ + 1, options_.touch);
    if (!portrait) return tl::unexpected(portrait.error());
    take(std::move(*portrait));
    return {};
  }

  std::vector<MessagePtr> greeting() const override {
    if (!portrait_) return {text_message({{"waiting", "for a robot description"}})};
    std::vector<MessagePtr> out = {hello_};
    out.insert(out.end(), portrait_->surfaces().begin(), portrait_->surfaces().end());
    out.push_back(controls_message());
    out.push_back(acting_message());
    return out;
  }

  std::vector<MessagePtr> advance(bool somebody) override {
    std::vector<MessagePtr> out;
    take_description(out);
    bridge_.take(batch_);
    controls_.advance(now());
    for (std::size_t k = 0; k < batch_.count; ++k) look(batch_.samples[k]);
    if (auto found = recording_.identified()) out.push_back(text_message(*found));
    if (!portrait_) return out;
    say_controls(out);
    if (latest_.q.size() != portrait_->robot().chain->dof()) return out;
    say_what_acts(out);
    if (!somebody || batch_.count == 0) return out;
    out.push_back(portrait_->frame(latest_));
    if (++frames_ % kMarkersEvery == 0) out.push_back(portrait_->markers(latest_));
    return out;
  }

  Answer command(std::string_view text) override {
    Answer answer;
    const Json json = parsed(text);
    const Json& name = member(json, "set");
    Result<void> done = fail("this is no command: send {\"set\": NAME, \"value\": ...}");
    if (name.is_string()) done = set(name.get<std::string>(), member(json, "value"), answer);
    answer.reply = (done ? Json{{"ok", true}} : refusal(done.error().sentence))
                       .dump(-1, ' ', false, Json::error_handler_t::replace);
    return answer;
  }

  MessagePtr pulse(std::size_t clients, double seconds, double cpu) override {
    Json server = {{"clients", clients},
                   {"cpu_percent", 100.0 * cpu / seconds},
                   {"samples_per_s", static_cast<double>(samples_) / seconds},
                   {"late_ms", 1e3 * std::exchange(late_, 0.0)},
                   {"recorded_s", recording_.seconds()}};
    samples_ = 0;
    return text_message({{"server", std::move(server)}});
  }

 private:
  void take(Portrait portrait) {
    portrait_.emplace(std::move(portrait));
    ++number_;
    latest_ = Sample(0);
    recording_.forget();  // it was the other robot's
    Json hello = portrait_->description();
    Json laws = Json::array();
    for (const LawEntry& law : control_laws()) {
      laws.push_back({{"name", law.name}, {"text", law.text}});
    }
    hello["touch"] = options_.touch;
    hello["load"] = options_.load && options_.touch;
    hello["laws"] = std::move(laws);
    hello["faults"] = breakage_names();
    hello_ = text_message({{"hello", std::move(hello)}});
  }

  void take_description(std::vector<MessagePtr>& out) {
    const auto robot = bridge_.described();
    if (!robot) return;
    if (portrait_ && robot->chain == portrait_->robot().chain) {
      portrait_->set_payload(robot->payload);
      portrait_->set_gravity(robot->gravity.value_or(robot->chain->gravity()));
      return;
    }
    if (const auto shown = show(*robot, options_.shapes); !shown) {
      out.push_back(text_message({{"refused", shown.error().sentence}}));
      return;
    }
    for (const MessagePtr& message : greeting()) out.push_back(message);
  }

  MessagePtr controls_message() const {
    Json controls = options_.touch ? controls_.json() : Json::object();
    controls["record"] = recording_.running();
    return text_message({{"controls", std::move(controls)}});
  }
  void say_controls(std::vector<MessagePtr>& out) {
    if (options_.touch && latest_.q.size() > 0) controls_.see(latest_, *portrait_);
    MessagePtr message = controls_message();
    if (told_ && told_->bytes == message->bytes) return;
    told_ = std::move(message);
    out.push_back(told_);
  }
  MessagePtr acting_message() const { return text_message({{"acting", acting_}}); }

  void look(const Sample& sample) {
    if (!portrait_ || sample.q.size() != portrait_->robot().chain->dof()) return;
    ++samples_;
    recording_.take(sample);
    late_ = std::max(late_, sample.late);
    constexpr double kShown = 0.5;  // s
    if (sample.effort_limit) effort_until_ = now() + kShown;
    if (sample.rate_limit) rate_until_ = now() + kShown;
    latest_ = sample;
  }

  // What limits or faults act on the arm, in words.
  void say_what_acts(std::vector<MessagePtr>& out) {
    std::vector<std::string> acting;
    const Sample& s = latest_;
    if (now() < effort_until_) acting.emplace_back("a drive is at its effort limit");
    if (now() < rate_until_) acting.emplace_back("a torque changes as fast as it may");
    if (options_.touch && controls_.fault() != "none") {
      acting.push_back("fault injected: " + std::string(controls_.fault()));
    }
    if (s.fault != Status::kOk) {
      acting.push_back(fmt::format("the arm is braked: {}: {}",
                                   culprit(*portrait_->robot().chain, s.fault_joint),
                                   to_string(s.fault)));
    } else if (s.mode != ControlMode::kTracking) {
      acting.emplace_back(s.mode == ControlMode::kHolding ? "the law holds its last torque"
                          : s.mode == ControlMode::kStopping
                              ? "the law brakes the arm"
                              : "the state is not known: gravity only");
    }
    if (acting == acting_) return;
    acting_ = std::move(acting);
    out.push_back(acting_message());
  }

  Result<void> set(const std::string& name, const Json& value, Answer& answer) {
    if (!portrait_) return fail("there is no robot yet");
    Result<void> done = fail(fmt::format("there is no command '{}'", printable(name, 60)));
    if (Controls::has(name)) {
      done = options_.touch ? controls_.set(name, value, *portrait_, posture())
                            : fail("this robot is only watched: nothing here moves it");
    } else if (name == "record") {
      done = record(value);
    } else if (name == "csv") {
      if (recording_.size() == 0) return fail("nothing is recorded; record a motion first");
      answer.mine.push_back(text_message({{"csv", recording_.csv()}}));
      return {};
    } else if (name == "identify") {
      return recording_.identify(portrait_->robot().chain);
    } else if (name == "robot") {
      done = load(value, answer);
    }
    return done;
  }

  Result<void> record(const Json& value) {
    if (!value.is_boolean()) return fail("the value is neither true nor false");
    if (value.get<bool>()) {
      recording_.start(portrait_->robot().chain->dof());
    } else {
      recording_.stop();
    }
    return {};
  }

  // Somebody's own description: no file that it names is opened.
  Result<void> load(const Json& value, Answer& answer) {
    if (!options_.load || !options_.touch) return fail("this program shows one robot only");
    if (!value.is_string()) return fail("the value is not the text of a robot description");
    Robot robot{value.get<std::string>(), nullptr};
    const auto chain = parse_urdf(robot.description);
    if (!chain) return tl::unexpected(chain.error());
    robot.chain = *chain;
    ArmSettings settings = controls_.settings();
    auto arm = make_arm(robot.chain, settings, {});
    if (!arm) return tl::unexpected(arm.error());
    inspect::ShapeOptions shapes = options_.shapes;
    shapes.read_meshes = false;
    auto portrait = Portrait::make(robot, shapes, number_ + 1, true);
    if (!portrait) return tl::unexpected(portrait.error());
    if (!bridge_.replace(std::move(*arm))) return fail("too many commands wait; send fewer");
    take(std::move(*portrait));
    controls_.forget(*robot.chain);
    answer.for_all = greeting();
    return {};
  }

  [[nodiscard]] VecXd posture() const {
    const Index n = portrait_->robot().chain->dof();
    return latest_.q.size() == n && latest_.q.allFinite() ? latest_.q : VecXd(VecXd::Zero(n));
  }

  Bridge& bridge_;
  SceneOptions options_;
  std::optional<Portrait> portrait_;
  Controls controls_;
  Recording recording_;
  MessagePtr hello_, told_;  // the controls that everybody knows
  Batch batch_{0};
  Sample latest_{0};
  std::uint32_t number_ = 0;
  int frames_ = 0;
  std::size_t samples_ = 0;
  double late_ = 0.0, effort_until_ = 0.0, rate_until_ = 0.0;  // s
  std::vector<std::string> acting_;
};

}  // namespace

Result<std::unique_ptr<Scene>> Scene::make(Bridge& bridge, const Robot& robot,
                                           const SceneOptions& options) {
  auto out = std::make_unique<RobotScene>(bridge, options, robot);
  if (robot.chain) {
    const auto shown = out->show(robot, options.shapes);
    if (!shown) return tl::unexpected(shown.error());
  }
  return out;
}

}  // namespace dyn::view
