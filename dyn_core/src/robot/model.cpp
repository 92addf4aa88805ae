#include "dyn_core/robot/model.hpp"

#include <atomic>
#include <cmath>

namespace dyn {
namespace {

// Exact zeros and ones where rounding is all that keeps the value away from them.
double snapped(double x) {
  constexpr double kRounding = 1e-15;
  const double nearest = std::round(x);
  return std::abs(x - nearest) < kRounding ? nearest : x;
}

Turn<double> turn_of(double angle) { return {snapped(std::cos(angle)), snapped(std::sin(angle))}; }

LinkModel geometry_of(const DhRow& row, const Joint& joint) {
  LinkModel k;
  k.prismatic = joint.is_prismatic();
  k.has_beta = row.beta != 0.0;
  k.alpha = turn_of(row.alpha);
  k.beta = turn_of(row.beta);
  k.theta = turn_of(row.theta);
  k.a = row.a;
  k.d = row.d;
  k.theta_offset = row.theta;
  k.axis = Vec3d::UnitZ();
  turn_about_y(k.beta, k.axis);
  turn_about_x(k.alpha, k.axis);
  k.origin = Vec3d(row.a, 0.0, 0.0);
  if (!k.prismatic) k.origin += row.d * k.axis;
  k.armature = joint.armature;
  return k;
}

std::uint64_t next_revision() {
  static std::atomic<std::uint64_t> revision{0};
  return ++revision;
}

}  // namespace

Model::Model(ChainPtr chain) : chain_(std::move(chain)) {
  links_.reserve(chain_->links().size());
  for (std::size_t i = 0; i < chain_->links().size(); ++i) {
    links_.push_back(geometry_of(chain_->dh()[i], chain_->joints()[i]));
    set_body(links_.back(), chain_->links()[i].body);
    has_armature_ = has_armature_ || links_.back().armature != 0.0;
  }
  set_gravity(chain_->gravity());
}

void Model::set_body(LinkModel& link, const RigidBody& body) noexcept {
  link.mass = body.mass;
  link.com = body.com;
  link.moment = body.mass * body.com;
  link.inertia_com = Sym3<double>::from(body.inertia);
  link.inertia_origin = Sym3<double>::from(body.inertia_about_origin());
}

void Model::set_payload(const RigidBody& payload) noexcept {
  const RigidBody carried = payload.expressed_in(chain_->tip_pose());
  set_body(links_.back(), chain_->links().back().body + carried);
  revision_ = next_revision();
}

void Model::set_gravity(const Vec3d& gravity_in_base) noexcept {
  gravity_ = chain_->base_pose().R.transpose() * gravity_in_base;
  revision_ = next_revision();
}

void Model::set_armature(Index i, double armature) noexcept {
  links_[static_cast<std::size_t>(i)].armature = armature;
  has_armature_ = false;
  for (const LinkModel& link : links_) has_armature_ = has_armature_ || link.armature != 0.0;
  revision_ = next_revision();
}

}  // namespace dyn
