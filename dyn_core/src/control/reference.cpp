#include "dyn_core/control/reference.hpp"

#include <algorithm>
#include <cmath>

namespace dyn {

StopMotion::StopMotion(Index dof) : from_(dof), now_(dof) {}

void StopMotion::start(const Reference& from, double duration) noexcept {
  from_.q = from.q;
  from_.qd = from.qd;
  from_.qdd = from.qdd;
  duration_ = duration;
  time_ = 0.0;
  advance(0.0);
}

void StopMotion::advance(double dt) noexcept {
  time_ = std::min(time_ + dt, duration_);
  if (!(duration_ > 0.0)) time_ = duration_ = 0.0;
  const double T = duration_, t = time_;
  for (Index i = 0; i < now_.q.size(); ++i) {
    // v(t) = v0 + a0 t + b t² + c t³ with v(T) = v'(T) = 0
    const double v0 = from_.qd[i], a0 = from_.qdd[i];
    const double b = T > 0.0 ? -(3.0 * v0 + 2.0 * a0 * T) / (T * T) : 0.0;
    const double c = T > 0.0 ? (2.0 * v0 + a0 * T) / (T * T * T) : 0.0;
    now_.q[i] = from_.q[i] + t * (v0 + t * (a0 / 2.0 + t * (b / 3.0 + t * c / 4.0)));
    now_.qd[i] = v0 + t * (a0 + t * (b + t * c));
    now_.qdd[i] = a0 + t * (2.0 * b + t * 3.0 * c);
  }
  if (!at_rest()) return;
  now_.qd.setZero();
  now_.qdd.setZero();
}

ReferenceFilter::ReferenceFilter(ChainPtr chain, double frequency, const VecXd& velocity)
    : chain_(std::move(chain)),
      frequency_(frequency),
      bound_(3.0 * velocity / frequency),
      now_(chain_->dof()),
      before_(now_),
      difference_(VecXd::Zero(chain_->dof())) {}

void ReferenceFilter::reset(const Reference& from) noexcept {
  now_.q = from.q;
  now_.qd = from.qd;
  now_.qdd = from.qdd;
}

const Reference& ReferenceFilter::update(const Reference& wanted, double dt) noexcept {
  const double w = frequency_, decay = std::exp(-w * dt);
  extrapolate(wanted, -dt, before_);
  joint_difference(*chain_, now_.q, before_.q, difference_);
  for (Index i = 0; i < bound_.size(); ++i) {
    const double full = difference_[i];
    const double e = std::clamp(full, -bound_[i], bound_[i]);
    const double v = now_.qd[i] - before_.qd[i], a = now_.qdd[i] - before_.qdd[i];
    // x - r = (c0 + c1 t + c2 t²) exp(-w t)
    const double c0 = e, c1 = v + w * e, c2 = 0.5 * (a + 2.0 * w * v + w * w * e);
    const double p0 = c0 + dt * (c1 + dt * c2), p1 = c1 + 2.0 * dt * c2, p2 = 2.0 * c2;
    now_.q[i] = wanted.q[i] + (full - e) + decay * p0;
    now_.qd[i] = wanted.qd[i] + decay * (p1 - w * p0);
    now_.qdd[i] = wanted.qdd[i] + decay * (p2 - 2.0 * w * p1 + w * w * p0);
  }
  return now_;
}

}  // namespace dyn
