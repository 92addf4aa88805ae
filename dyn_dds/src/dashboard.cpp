#include "dashboard.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <dyn_core/base/printable.hpp>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dyn_dds {
namespace {

constexpr std::size_t kIndent = 12;

// Of the terminal.
std::size_t columns() {
  winsize size = {};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 2 * kIndent;
  return known ? size.ws_col : 80;
}

const char* name_of(Simulation::Doing doing) {
  switch (doing) {
    case Simulation::Doing::kDemo:
      return "swaying";
    case Simulation::Doing::kFollowing:
      return "following a trajectory";
    case Simulation::Doing::kGuided:
      return "in a hand";
    case Simulation::Doing::kHolding:
      break;
  }
  return "holding";
}

std::string largest_error(const dyn::Chain& chain, const dyn::VecXd& error) {
  dyn::Index i = 0;
  const double largest = error.cwiseAbs().maxCoeff(&i);
  const dyn::Joint& joint = chain.coordinate_joint(i);
  return fmt::format("{:.3f} {} ({})", 1e3 * largest, joint.is_prismatic() ? "mm" : "mrad",
                     joint.name);
}

// What a shell needs to see this process.
std::string ros2_environment(const Participant& participant) {
  const bool here = participant.reach() == Reach::kThisMachine;
  return fmt::format("export RMW_IMPLEMENTATION=rmw_cyclonedds_cpp ROS_DOMAIN_ID={}{}",
                     participant.domain(), here ? " ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST" : "");
}

// The joint that is nearest to its limit, or that with the largest torque where there are no limits.
std::string largest_torque(const dyn::Chain& chain, const dyn::VecXd& torque) {
  dyn::Index most = 0;
  double share = -1.0;
  for (dyn::Index i = 0; i < torque.size(); ++i) {
    const double limit = chain.coordinate_joint(i).limits.effort;
    const double mine = limit > 0.0 ? std::abs(torque[i]) / limit : 0.0;
    if (mine > share) most = i, share = mine;
  }
  const dyn::Joint& joint = chain.coordinate_joint(most);
  const char* unit = joint.is_prismatic() ? "N" : "N m";
  if (!(share > 0.0)) return fmt::format("{:.1f} {} ({})", torque[most], unit, joint.name);
  return fmt::format("{:.1f} of {:.0f} {} ({})", torque[most], joint.limits.effort, unit,
                     joint.name);
}

}  // namespace

Dashboard::Dashboard(const Participant& participant, const Arm* arm, const Observer* observer,
                     const Notes& notes, std::string page, bool terminal)
    : participant_(participant),
      participants_(
          dds_create_reader(participant.get(), DDS_BUILTIN_TOPIC_DCPSPARTICIPANT, nullptr, nullptr),
          "the reader of participants"),
      arm_(arm),
      observer_(observer),
      notes_(notes),
      page_(std::move(page)),
      terminal_(terminal),
      start_(steady_seconds()),
      last_time_(start_) {
  if (arm_ != nullptr) {
    auto inspector = dyn::inspect::Inspector::make(arm_->chain());
    if (inspector) inspector_.emplace(std::move(*inspector));
  }
  if (terminal_) fmt::print("\x1b[?1049h\x1b[?25l");  // another screen, no cursor
}

Dashboard::~Dashboard() {
  if (!terminal_) return;
  fmt::print("\x1b[?25h\x1b[?1049l");
  std::fflush(stdout);
}

void Dashboard::add(const std::string& what, const std::string& text) {
  lines_.push_back(terminal_ ? fmt::format("\x1b[1m{:<12}\x1b[0m{}", what,
                                           dyn::printable(text, columns() - kIndent - 2))
                             : fmt::format("{}: {}", what, dyn::printable(text)));
}

int Dashboard::other_participants() const {
  std::array<void*, 256> samples{};
  std::array<dds_sample_info_t, 256> infos;
  forget_gone(participants_.get(), samples, infos);
  const int count =
      dds_read(participants_.get(), samples.data(), infos.data(), samples.size(), samples.size());
  int alive = 0;
  for (std::size_t i = 0; static_cast<int>(i) < count; ++i) {
    alive += infos[i].instance_state == DDS_ALIVE_INSTANCE_STATE;
  }
  if (count > 0) (void)dds_return_loan(participants_.get(), samples.data(), count);
  return alive - 1;
}

void Dashboard::add_arm(const Arm::Summary& summary, double now) {
  if (now - last_time_ > 0.5) {
    rate_ = static_cast<double>(summary.steps - last_steps_) / (now - last_time_);
    last_time_ = now;
    last_steps_ = summary.steps;
  }
  const dyn::Chain& chain = *arm_->chain();
  add("arm", fmt::format("{} at {:.0f} Hz{}", name_of(summary.doing), rate_,
                         summary.fault ? ", the law is not in force" : ""));
  add("error", largest_error(chain, summary.error));
  add("torque", largest_torque(chain, summary.torque));
  dyn::inspect::JointDynamics terms(chain.dof());
  if (inspector_ &&
      inspector_->joint_dynamics(summary.state.q, summary.state.qd, terms) == dyn::Status::kOk) {
    add("energy", fmt::format("{:.2f} J kinetic, {:.2f} J potential", terms.kinetic_energy,
                              terms.potential_energy));
  }
}

void Dashboard::add_observer(const Observer::Summary& summary) {
  add("observer", fmt::format("{}, {} Hz; {}", summary.joint_states, summary.rate, summary.model));
}

void Dashboard::show() {
  const double now = steady_seconds();
  lines_.clear();
  std::string connected = fmt::format("{} others", other_participants());
  if (arm_ != nullptr) {
    const Arm::Summary summary = arm_->summary();
    add_arm(summary, now);
    connected += fmt::format("; joint_states heard by {}, /tf by {}", summary.joint_state_listeners,
                             summary.frame_listeners);
  }
  if (observer_ != nullptr) {
    const Observer::Summary summary = observer_->summary();
    add_observer(summary);
    connected += fmt::format("; {} dynamics topics in use", summary.topics_in_use);
  }
  add("connected", connected);
  if (!page_.empty()) add("page", page_);
  if (!terminal_) {
    std::string line = fmt::format("{:.0f} s", now - start_);
    for (const std::string& part : lines_) line += "; " + part;
    fmt::print("{}\n", line);
  } else {
    std::string picture = fmt::format(
        "\x1b[H\x1b[1mdyn_serve\x1b[0m   {:.0f} s, domain {}, {}. Ctrl-C ends it.\x1b[K\n"
        "ROS 2       {}\x1b[K\n\x1b[K\n",
        now - start_, participant_.domain(), to_string(participant_.reach()),
        ros2_environment(participant_));
    for (const std::string& line : lines_) picture += line + "\x1b[K\n";
    for (const std::string& note : notes_.latest())
      picture += "\x1b[K\n" + dyn::printable(note, 2 * columns() - 2) + "\x1b[K";
    fmt::print("{}\x1b[J", picture);
  }
  std::fflush(stdout);
}

}  // namespace dyn_dds
