#include "dyn_core/fast/batch.hpp"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "batch_impl.hpp"

namespace dyn {
namespace {

using fast::kBodyNumbers;
using fast::kPacket;

void set_body(const RigidBody& body, double* numbers, std::ptrdiff_t stride) {
  const Mat3d I = body.inertia_about_origin();
  const Vec3d h = body.mass * body.com;
  const double half_trace = 0.5 * I.trace();
  const double values[kBodyNumbers] = {body.mass,
                                       h.x(),
                                       h.y(),
                                       h.z(),
                                       I(0, 0),
                                       I(0, 1),
                                       I(0, 2),
                                       I(1, 1),
                                       I(1, 2),
                                       I(2, 2),
                                       half_trace - I(0, 0),
                                       half_trace - I(1, 1),
                                       half_trace - I(2, 2)};
  for (int c = 0; c < kBodyNumbers; ++c) numbers[c * stride] = values[c];
}

fast::LinkNumbers numbers_of(const LinkModel& link) {
  fast::LinkNumbers k;
  k.alpha_c = link.alpha.c, k.alpha_s = link.alpha.s;
  k.beta_c = link.beta.c, k.beta_s = link.beta.s;
  k.a = link.a, k.d = link.d, k.theta = link.theta_offset;
  k.armature = link.armature;
  k.prismatic = link.prismatic, k.has_beta = link.has_beta;
  set_body({link.mass, link.com, link.inertia_com.matrix()}, k.body, 1);
  return k;
}

// Fills the lanes beyond the first `states` of a packet with the last of these.
void repeat_last(Index rows, Index states, double* packet) {
  for (double* row = packet; row < packet + rows * kPacket; row += kPacket) {
    std::fill(row + states, row + kPacket, row[states - 1]);
  }
}
// Of so many, those in packet p.
Index states_in(Index states, Index p) { return std::min<Index>(kPacket, states - p * kPacket); }

}  // namespace

void BatchArray::Free::operator()(double* p) const { std::free(p); }

BatchArray::BatchArray(Index rows, Index states) : rows_(rows), states_(states) {
  const auto bytes =
      static_cast<std::size_t>(std::max<Index>(packets() * rows * kPacket, 8)) * sizeof(double);
  auto* memory = static_cast<double*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  numbers_.reset(memory);
}

void BatchArray::set(Index state, VecIn<double> values) {
  for (Index row = 0; row < rows_; ++row) (*this)(row, state) = values[row];
}
void BatchArray::get(Index state, VecOut<double> values) const {
  for (Index row = 0; row < rows_; ++row) values[row] = (*this)(row, state);
}
void BatchArray::fill(double value) {
  for (Index state = 0; state < states_; ++state) {
    for (Index row = 0; row < rows_; ++row) (*this)(row, state) = value;
  }
}

void Batch::Impl::set_model(const Model& model) {
  for (std::size_t i = 0; i < links.size(); ++i) links[i] = numbers_of(model.links()[i]);
  gravity = model.gravity();
  kernels = &fast::packet_kernels();
}

const double* Batch::Impl::input(const BatchArray& a, Index p, std::size_t thread, Index slot) {
  const Index states = states_in(a.states(), p);
  if (states == kPacket) return a.packet(p);
  double* copy = edges[thread].packet(0) + slot * n * kPacket;
  std::copy_n(a.packet(p), n * kPacket, copy);
  repeat_last(n, states, copy);
  return copy;
}

Result<Batch> Batch::make(const Model& model, int threads) {
  if (model.chain().has_mimic()) {
    return fail(fmt::format(
        "the chain from '{}' to '{}' has mimic joints, which a batch cannot carry: use a "
        "Solver for each state",
        model.chain().base(), model.chain().tip()));
  }
  return Batch(std::make_unique<Impl>(model, std::clamp(threads, 1, 256)));
}

Batch::Batch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

Index Batch::joints() const { return impl_->n; }
std::string_view Batch::target() const { return impl_->kernels->name; }
void Batch::set_model(const Model& model) { impl_->set_model(model); }
void Batch::set_progress(Progress progress) { impl_->progress = std::move(progress); }

void Batch::set_payloads(std::span<const RigidBody> payloads) {
  const Chain& chain = *impl_->chain;
  const auto states = static_cast<Index>(payloads.size());
  // Lanes beyond the last state carry the last payload, so that nothing singular happens in them.
  BatchArray bodies(kBodyNumbers, states == 0 ? 0 : (states + kPacket - 1) / kPacket * kPacket);
  for (Index state = 0; state < bodies.states(); ++state) {
    const RigidBody& payload = payloads[static_cast<std::size_t>(std::min(state, states - 1))];
    const RigidBody body = chain.links().back().body + payload.expressed_in(chain.tip_pose());
    set_body(body, bodies.packet(state / kPacket) + state % kPacket, kPacket);
  }
  impl_->tip_bodies = std::move(bodies);
}

fast::Outcome Batch::Impl::call(BatchQuery query, const fast::Packet& k, const double* const* in,
                                double* const* out) const {
  switch (query) {
    case BatchQuery::kMassMatrix:
      return kernels->mass_matrix(k, in[0], out[0]);
    case BatchQuery::kMassMatrixInverse:
      return kernels->mass_matrix_inverse(k, in[0], out[0]);
    case BatchQuery::kFactor:
      return kernels->factor(k, in[0], out[0], out[1]);
    case BatchQuery::kCoriolisMatrix:
      return kernels->coriolis_matrix(k, in[0], in[1], out[0]);
    case BatchQuery::kBiasTorque:
      return kernels->inverse_dynamics(k, in[0], in[1], nullptr, out[0]);
    case BatchQuery::kInverseDynamics:
      return kernels->inverse_dynamics(k, in[0], in[1], in[2], out[0]);
    case BatchQuery::kForwardDynamics:
      return kernels->forward_dynamics(k, in[0], in[1], in[2], out[0]);
  }
  return fast::Outcome::kOk;
}

Status Batch::Impl::answer(BatchQuery query, std::initializer_list<const BatchArray*> in,
                           std::initializer_list<BatchArray*> out) {
  const fast::Signature signature = fast::signature_of(query);
  const BatchArray& q = **in.begin();
  bool fit = fits(q);
  for (const BatchArray* array : in) fit = fit && fits(q, *array, n);
  for (std::size_t r = 0; r < out.size(); ++r) {
    fit = fit && fits(q, *out.begin()[r], fast::size_of(signature, r, n));
  }
  if (!fit) return Status::kWrongSize;
  return run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    const double* inputs[fast::kMostInputs] = {};
    double* outputs[fast::kMostOutputs] = {};
    for (std::size_t a = 0; a < in.size(); ++a) {
      inputs[a] = input(*in.begin()[a], p, thread, static_cast<Index>(a));
    }
    for (std::size_t r = 0; r < out.size(); ++r) outputs[r] = out.begin()[r]->packet(p);
    return call(query, k, inputs, outputs);
  });
}

Status Batch::mass_matrix(const BatchArray& q, BatchArray& M) noexcept {
  return impl_->answer(BatchQuery::kMassMatrix, {&q}, {&M});
}
Status Batch::mass_matrix_inverse(const BatchArray& q, BatchArray& M_inverse) noexcept {
  return impl_->answer(BatchQuery::kMassMatrixInverse, {&q}, {&M_inverse});
}
Status Batch::factor(const BatchArray& q, BatchArray& U, BatchArray& D) noexcept {
  return impl_->answer(BatchQuery::kFactor, {&q}, {&U, &D});
}
Status Batch::coriolis_matrix(const BatchArray& q, const BatchArray& qd, BatchArray& C) noexcept {
  return impl_->answer(BatchQuery::kCoriolisMatrix, {&q, &qd}, {&C});
}
Status Batch::bias_torque(const BatchArray& q, const BatchArray& qd, BatchArray& tau) noexcept {
  return impl_->answer(BatchQuery::kBiasTorque, {&q, &qd}, {&tau});
}
Status Batch::inverse_dynamics(const BatchArray& q, const BatchArray& qd, const BatchArray& qdd,
                               BatchArray& tau) noexcept {
  return impl_->answer(BatchQuery::kInverseDynamics, {&q, &qd, &qdd}, {&tau});
}
Status Batch::forward_dynamics(const BatchArray& q, const BatchArray& qd, const BatchArray& tau,
                               BatchArray& qdd) noexcept {
  return impl_->answer(BatchQuery::kForwardDynamics, {&q, &qd, &tau}, {&qdd});
}

namespace {

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
  fast::Outcome worst = kernels->forward_dynamics(k, q, qd, tau, qdd);
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
    worst = std::max(worst, kernels->forward_dynamics(k, q_stage, qd_stage, tau, qdd));
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

// ---- tables, brought into packets and back, eight states at a time ---------------------------------
bool Batch::Impl::make_tables(Index states) {
  while (tables.size() < memory.size()) tables.emplace_back(4 * n + n * n, kPacket);
  return tip_bodies.states() == 0 || states <= tip_bodies.states();
}

Status Batch::answer(BatchQuery query, Index states, std::span<const BatchRows> in,
                     std::span<double* const> out) {
  const fast::Signature signature = fast::signature_of(query);
  if (in.size() != signature.inputs || out.size() != signature.outputs) return Status::kWrongSize;
  if (!impl_->make_tables(states)) return Status::kWrongSize;
  const Index n = impl_->n, packets = (states + kPacket - 1) / kPacket;
  return impl_->run(packets, [&](const fast::Packet& k, Index p, std::size_t thread) {
    const Index first = p * kPacket;
    const int count = static_cast<int>(states_in(states, p));
    const double* inputs[fast::kMostInputs] = {};
    double* outputs[fast::kMostOutputs] = {};
    double* free = impl_->tables[thread].packet(0);
    for (std::size_t a = 0; a < in.size(); ++a, free += n * kPacket) {
      impl_->kernels->from_rows(in[a].data + first * in[a].step, in[a].step, count, k.joints, free);
      inputs[a] = free;
    }
    for (std::size_t r = 0; r < out.size(); ++r) {
      outputs[r] = free;
      free += fast::size_of(signature, r, n) * kPacket;
    }
    const fast::Outcome outcome = impl_->call(query, k, inputs, outputs);
    for (std::size_t r = 0; r < out.size(); ++r) {
      const Index size = fast::size_of(signature, r, n);
      impl_->kernels->to_rows(outputs[r], count, static_cast<int>(size), out[r] + first * size,
                              size);
    }
    return outcome;
  });
}

Status Batch::rollout(const Rollout& how, Index states, const BatchRows& q, const BatchRows& qd,
                      const BatchRows& tau, double* q_out, double* qd_out) {
  const Index n = impl_->n, row = how.steps * n, packets = (states + kPacket - 1) / kPacket;
  if (!impl_->make_tables(states)) return Status::kWrongSize;
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
