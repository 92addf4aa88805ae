// Motion of many states: a step of each, and whole trajectories.
#include "batch_impl.hpp"

namespace dyn {
namespace {

using fast::kPacket;

// y = x + f d, `count` numbers.
void move(const double* x, double f, const double* d, Index count, double* y) {
  for (Index c = 0; c < count; ++c) y[c] = x[c] + f * d[c];
}

}  // namespace

// Scratch: 6 n rows. Runge-Kutta: k_1 … k_4 of q̇ are the stages' own velocities.
fast::Outcome Batch::Impl::step_packet(const fast::Packet& k, double dt, const double* tau,
                                       double* q, double* qd, double* scratch,
                                       BatchIntegrator integrator) const {
  const Index count = n * kPacket;
  double *qdd = scratch, *q_stage = scratch + count, *qd_stage = scratch + 2 * count;
  double *q_sum = scratch + 3 * count, *qd_sum = scratch + 4 * count;
  fast::Outcome worst = forward_dynamics(k, q, qd, tau, qdd);
  if (integrator == BatchIntegrator::kSemiImplicitEuler) {
    move(qd, dt, qdd, count, qd);
    move(q, dt, qd, count, q);
    return worst;
  }
  move(q, dt / 6.0, qd, count, q_sum);
  move(qd, dt / 6.0, qdd, count, qd_sum);
  move(q, 0.5 * dt, qd, count, q_stage);
  move(qd, 0.5 * dt, qdd, count, qd_stage);
  constexpr double kWeights[3] = {1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  for (int stage = 0; stage < 3; ++stage) {
    worst = std::max(worst, forward_dynamics(k, q_stage, qd_stage, tau, qdd));
    move(q_sum, dt * kWeights[stage], qd_stage, count, q_sum);
    move(qd_sum, dt * kWeights[stage], qdd, count, qd_sum);
    const double next = stage == 0 ? 0.5 * dt : dt;
    move(q, next, qd_stage, count, q_stage);
    move(qd, next, qdd, count, qd_stage);
  }
  std::copy_n(q_sum, count, q);
  std::copy_n(qd_sum, count, qd);
  return worst;
}

Status Batch::step(double dt, const BatchArray& tau, BatchArray& q, BatchArray& qd,
                   BatchIntegrator integrator) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, qd, n) || !impl_->fits(q, tau, n))
    return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    repeat_last(n, states_in(q.states(), p), q.packet(p));
    repeat_last(n, states_in(q.states(), p), qd.packet(p));
    return impl_->step_packet(k, dt, impl_->input(tau, p, thread, 0), q.packet(p), qd.packet(p),
                              impl_->steps[thread].packet(0), integrator);
  });
}

// Eight trajectories from the first step to the last: their state stays in the cache.
Status Batch::rollout(double dt, const BatchArray& tau, BatchArray& q, BatchArray& qd,
                      const StepCost& cost, BatchArray& costs,
                      BatchIntegrator integrator) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, qd, n) || !impl_->fits(q, costs, 1) ||
      tau.states() != q.states() || tau.rows() % n != 0) {
    return Status::kWrongSize;
  }
  const Index steps = tau.rows() / n, row = n * kPacket;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    const Index states = states_in(q.states(), p);
    repeat_last(n, states, q.packet(p));
    repeat_last(n, states, qd.packet(p));
    std::fill_n(costs.packet(p), kPacket, 0.0);
    double* torque = impl_->edges[thread].packet(0);
    fast::Outcome worst = fast::Outcome::kOk;
    for (Index step = 0; step < steps; ++step) {
      std::copy_n(tau.packet(p) + step * row, row, torque);
      repeat_last(n, states, torque);
      worst = std::max(worst, impl_->step_packet(k, dt, torque, q.packet(p), qd.packet(p),
                                                 impl_->steps[thread].packet(0), integrator));
      cost(step, q.packet(p), qd.packet(p), torque, costs.packet(p));
    }
    return worst;
  });
}

// The same for tables.
Status Batch::rollout(const Rollout& how, Index states, const BatchRows& q, const BatchRows& qd,
                      const BatchRows& tau, double* q_out, double* qd_out) {
  const Index n = impl_->n, row = how.steps * n, packets = (states + kPacket - 1) / kPacket;
  if (!impl_->make_tables(states, 3 * n)) return Status::kWrongSize;
  const double dt = how.dt / how.substeps;
  return impl_->run(packets, [&](const fast::Packet& k, Index p, std::size_t thread) {
    const fast::PacketKernels& kernels = *impl_->kernels;
    const Index first = p * kPacket;
    const int count = static_cast<int>(states_in(states, p));
    double *own_q = impl_->tables[thread].packet(0), *own_qd = own_q + n * kPacket;
    double *torque = own_qd + n * kPacket, *scratch = impl_->steps[thread].packet(0);
    kernels.from_rows(q.data + first * q.step, q.step, count, k.joints, own_q);
    kernels.from_rows(qd.data + first * qd.step, qd.step, count, k.joints, own_qd);
    fast::Outcome worst = fast::Outcome::kOk;
    for (Index t = 0; t < how.steps; ++t) {
      const Index at = first * row + t * n;
      kernels.from_rows(tau.data + first * tau.step + t * n, tau.step, count, k.joints, torque);
      for (int s = 0; s < how.substeps; ++s) {
        worst = std::max(worst,
                         impl_->step_packet(k, dt, torque, own_q, own_qd, scratch, how.integrator));
      }
      kernels.to_rows(own_q, count, k.joints, q_out + at, row);
      kernels.to_rows(own_qd, count, k.joints, qd_out + at, row);
    }
    return worst;
  });
}

}  // namespace dyn
