#include "dyn_view/bridge.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace dyn::view {
namespace {

constexpr std::size_t kMostOrders = 64;

void add(Batch& batch, const Sample& sample) {
  if (batch.count < batch.samples.size()) batch.samples[batch.count++] = sample;
}

}  // namespace

Sample::Sample(Index dof)
    : q(VecXd::Constant(dof, kUnknown)),
      qd(q),
      effort(q),
      desired(q),
      error(q),
      other_error(q),
      terms(decltype(terms)::Zero(dof, 8)) {}

void Bridge::look(SimulatedArm& arm) noexcept {
  Sample& s = fresh_;
  s.time = arm.time();
  s.q = arm.state().q;
  s.qd = arm.state().qd;
  s.effort = arm.torque();
  s.desired = arm.reference().q;
  s.error = arm.error();
  if (arm.other_error() != nullptr) {
    s.other_error = *arm.other_error();
  } else {
    s.other_error.setConstant(kUnknown);
  }
  const TorqueTerms& t = arm.output().terms;
  const VecXd* const terms[] = {&t.inertia,  &t.feedback, &t.coriolis, &t.gravity,
                                &t.friction, &t.external, &t.handover, &t.limited};
  for (Index k = 0; k < 8; ++k) s.terms.col(k) = *terms[k];
  s.pull = arm.pull_force();
  s.pulled_at = arm.pulled_at();
  Wrench wrench;
  const bool observed = arm.settings().observe || arm.settings().reject;
  s.seen.setConstant(kUnknown);
  if (observed && arm.external_wrench(wrench) == Status::kOk) s.seen = wrench.force;
  s.fault = arm.fault();
  s.fault_joint = arm.fault_joint();
  s.effort_limit = s.effort_limit || arm.output().limit.effort;
  s.rate_limit = s.rate_limit || arm.output().limit.rate;
  s.mode = arm.output().mode;
  s.payload = arm.payload();
  s.known_payload = arm.known_payload();
  s.breakage = arm.breakage();
  s.following = arm.following();
}

bool Bridge::exchange(SimulatedArm& arm, double late) noexcept {
  fresh_.late = std::max(fresh_.late, late);
  ++periods_;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  if (periods_ >= kEvery) {
    periods_ = 0;
    look(arm);
    add(batch_, fresh_);
    fresh_.late = 0.0;
    fresh_.effort_limit = fresh_.rate_limit = false;
  }
  if (orders_.empty() || !done_.empty()) return false;
  for (const Order& order : orders_) order(arm);
  fresh_.orders += orders_.size();
  std::swap(orders_, done_);
  return std::exchange(moves_, false);
}

void Bridge::show(const Sample& sample) {
  const std::scoped_lock lock(mutex_);
  add(batch_, sample);
}

void Bridge::describe(Robot robot) {
  const std::scoped_lock lock(mutex_);
  batch_ = Batch(robot.chain->dof());
  described_ = std::move(robot);
}

void Bridge::take(Batch& mine) {
  std::vector<Order> done;
  mine.count = 0;
  const std::scoped_lock lock(mutex_);
  if (mine.samples.front().q.size() != batch_.samples.front().q.size()) {
    mine = Batch(batch_.samples.front().q.size());
  }
  std::swap(mine, batch_);
  std::swap(done, done_);
}

std::optional<Robot> Bridge::described() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(described_, std::nullopt);
}

bool Bridge::order(Order order, bool moves) {
  const std::scoped_lock lock(mutex_);
  if (orders_.size() >= kMostOrders) return false;
  orders_.push_back(std::move(order));
  moves_ = moves_ || moves;
  ++ordered_;
  return true;
}

bool Bridge::replace(SimulatedArm arm) {
  auto next = std::make_shared<SimulatedArm>(std::move(arm));
  const Index dof = next->chain().dof();
  auto batch = std::make_shared<Batch>(dof);
  auto fresh = std::make_shared<Sample>(dof);
  return order([this, next, batch, fresh](SimulatedArm& old) {
    std::swap(old, *next);
    std::swap(batch_, *batch);
    fresh->orders = fresh_.orders;
    std::swap(fresh_, *fresh);
  });
}

}  // namespace dyn::view
