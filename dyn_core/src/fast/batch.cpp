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

Batch::Impl::Impl(const Model& model, int thread_count)
    : chain(model.chain_ptr()), n(model.size()), links(static_cast<std::size_t>(n)) {
  const Index rows = n * fast::kPacketMemory;
  for (int t = 0; t < thread_count; ++t) memory.emplace_back(rows, kPacket);
  for (int t = 0; t < thread_count; ++t) steps.emplace_back(6 * n, kPacket);
  for (int t = 0; t < thread_count; ++t) edges.emplace_back(3 * n, kPacket);
  helpers.reserve(memory.size());
  set_model(model);
}

void Batch::Impl::set_model(const Model& model) {
  for (std::size_t i = 0; i < links.size(); ++i) links[i] = numbers_of(model.links()[i]);
  gravity = model.gravity();
  kernels = &fast::packet_kernels();
}

const double* Batch::Impl::input(const BatchArray& a, Index p, std::size_t thread, Index slot) {
  const Index states = states_in(a, p);
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

Status Batch::mass_matrix(const BatchArray& q, BatchArray& M) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, M, n * n)) return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->mass_matrix(k, impl_->input(q, p, thread, 0), M.packet(p));
  });
}

Status Batch::mass_matrix_inverse(const BatchArray& q, BatchArray& M_inverse) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, M_inverse, n * n)) return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->mass_matrix_inverse(k, impl_->input(q, p, thread, 0),
                                               M_inverse.packet(p));
  });
}

Status Batch::factor(const BatchArray& q, BatchArray& U, BatchArray& D) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, U, n * n) || !impl_->fits(q, D, n))
    return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->factor(k, impl_->input(q, p, thread, 0), U.packet(p), D.packet(p));
  });
}

Status Batch::coriolis_matrix(const BatchArray& q, const BatchArray& qd, BatchArray& C) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, qd, n) || !impl_->fits(q, C, n * n))
    return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->coriolis_matrix(k, impl_->input(q, p, thread, 0),
                                           impl_->input(qd, p, thread, 1), C.packet(p));
  });
}

Status Batch::bias_torque(const BatchArray& q, const BatchArray& qd, BatchArray& tau) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, qd, n) || !impl_->fits(q, tau, n))
    return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->inverse_dynamics(k, impl_->input(q, p, thread, 0),
                                            impl_->input(qd, p, thread, 1), nullptr, tau.packet(p));
  });
}

Status Batch::inverse_dynamics(const BatchArray& q, const BatchArray& qd, const BatchArray& qdd,
                               BatchArray& tau) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, qd, n) || !impl_->fits(q, qdd, n) ||
      !impl_->fits(q, tau, n)) {
    return Status::kWrongSize;
  }
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->inverse_dynamics(k, impl_->input(q, p, thread, 0),
                                            impl_->input(qd, p, thread, 1),
                                            impl_->input(qdd, p, thread, 2), tau.packet(p));
  });
}

Status Batch::forward_dynamics(const BatchArray& q, const BatchArray& qd, const BatchArray& tau,
                               BatchArray& qdd) noexcept {
  const Index n = joints();
  if (!impl_->fits(q) || !impl_->fits(q, qd, n) || !impl_->fits(q, tau, n) ||
      !impl_->fits(q, qdd, n)) {
    return Status::kWrongSize;
  }
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->forward_dynamics(k, impl_->input(q, p, thread, 0),
                                            impl_->input(qd, p, thread, 1),
                                            impl_->input(tau, p, thread, 2), qdd.packet(p));
  });
}

Status Batch::inverse_dynamics_derivatives(const BatchArray& q, const BatchArray& qd,
                                           const BatchArray& qdd, BatchArray& dq, BatchArray& dqd,
                                           BatchArray& dqdd) noexcept {
  if (!impl_->fit_derivatives(q, qd, qdd, dq, dqd, dqdd)) return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->inverse_dynamics_derivatives(
        k, impl_->input(q, p, thread, 0), impl_->input(qd, p, thread, 1),
        impl_->input(qdd, p, thread, 2), dq.packet(p), dqd.packet(p), dqdd.packet(p));
  });
}

Status Batch::forward_dynamics_derivatives(const BatchArray& q, const BatchArray& qd,
                                           const BatchArray& tau, BatchArray& dq, BatchArray& dqd,
                                           BatchArray& dtau) noexcept {
  if (!impl_->fit_derivatives(q, qd, tau, dq, dqd, dtau)) return Status::kWrongSize;
  return impl_->run(q.packets(), [&](const fast::Packet& k, Index p, std::size_t thread) {
    return impl_->kernels->forward_dynamics_derivatives(
        k, impl_->input(q, p, thread, 0), impl_->input(qd, p, thread, 1),
        impl_->input(tau, p, thread, 2), dq.packet(p), dqd.packet(p), dtau.packet(p));
  });
}

}  // namespace dyn
