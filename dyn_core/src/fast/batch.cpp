#include "dyn_core/fast/batch.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

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

Batch::Impl::Impl(const Model& of, int thread_count)
    : model(of), n(of.size()), links(static_cast<std::size_t>(n)) {
  const Index rows = n * fast::kPacketMemory;
  for (int t = 0; t < thread_count; ++t) memory.emplace_back(rows, kPacket);
  for (int t = 0; t < thread_count; ++t) steps.emplace_back(6 * n, kPacket);
  for (int t = 0; t < thread_count; ++t) edges.emplace_back(3 * n, kPacket);
  helpers.reserve(memory.size());
  set_model(of);
}

void Batch::Impl::set_model(const Model& of) {
  model = of;
  for (std::size_t i = 0; i < links.size(); ++i) links[i] = numbers_of(model.links()[i]);
  kernels = &fast::packet_kernels();
  if (own && agrees(*own)) return;
  own.reset();
  const GeneratedLanes* code = find_generated_lanes(model.chain(), kernels->name);
  if (code != nullptr && agrees(*code)) own = *code;
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
  const Chain& chain = impl_->model.chain();
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

fast::Outcome Batch::Impl::call_general(BatchQuery query, const fast::Packet& k,
                                        const double* const* in, double* const* out) const {
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
    case BatchQuery::kInverseDynamicsDerivatives:
      return kernels->inverse_dynamics_derivatives(k, in[0], in[1], in[2], out[0], out[1], out[2]);
    case BatchQuery::kForwardDynamicsDerivatives:
      return kernels->forward_dynamics_derivatives(k, in[0], in[1], in[2], out[0], out[1], out[2]);
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

Status Batch::inverse_dynamics_derivatives(const BatchArray& q, const BatchArray& qd,
                                           const BatchArray& qdd, BatchArray& dq, BatchArray& dqd,
                                           BatchArray& dqdd) noexcept {
  return impl_->answer(BatchQuery::kInverseDynamicsDerivatives, {&q, &qd, &qdd},
                       {&dq, &dqd, &dqdd});
}
Status Batch::forward_dynamics_derivatives(const BatchArray& q, const BatchArray& qd,
                                           const BatchArray& tau, BatchArray& dq, BatchArray& dqd,
                                           BatchArray& dtau) noexcept {
  return impl_->answer(BatchQuery::kForwardDynamicsDerivatives, {&q, &qd, &tau},
                       {&dq, &dqd, &dtau});
}

// ---- tables, brought into packets and back, eight states at a time ---------------------------------
bool Batch::Impl::make_tables(Index states, Index rows) {
  if (tables.empty() || tables.front().rows() < rows) {
    tables.clear();
    while (tables.size() < memory.size()) tables.emplace_back(rows, kPacket);
  }
  return tip_bodies.states() == 0 || states <= tip_bodies.states();
}

Status Batch::answer(BatchQuery query, Index states, std::span<const BatchRows> in,
                     std::span<double* const> out) {
  const fast::Signature signature = fast::signature_of(query);
  if (in.size() != signature.inputs || out.size() != signature.outputs) return Status::kWrongSize;
  const Index n = impl_->n, packets = (states + kPacket - 1) / kPacket;
  auto rows = static_cast<Index>(in.size()) * n;
  for (std::size_t r = 0; r < out.size(); ++r) rows += fast::size_of(signature, r, n);
  if (!impl_->make_tables(states, rows)) return Status::kWrongSize;
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

}  // namespace dyn
