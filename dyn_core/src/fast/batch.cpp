#include "dyn_core/fast/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fast_dynamics_impl.hpp"
#include "packet.hpp"

namespace dyn {
namespace {

using fast::kBodyNumbers;
using fast::kPacket;

// Packets between two calls of the progress callback, and that a thread takes at a time.
constexpr Index kPiece = 32;

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
// States in packet p.
Index states_in(const BatchArray& a, Index p) {
  return std::min<Index>(kPacket, a.states() - p * kPacket);
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

struct Batch::Impl {
  Impl(const Model& model, int thread_count)
      : chain(model.chain_ptr()), n(model.size()), links(static_cast<std::size_t>(n)) {
    const Index rows = n * fast::kPacketMemory;
    for (int t = 0; t < thread_count; ++t) memory.emplace_back(rows, kPacket);
    for (int t = 0; t < thread_count; ++t) steps.emplace_back(6 * n, kPacket);
    for (int t = 0; t < thread_count; ++t) edges.emplace_back(3 * n, kPacket);
    helpers.reserve(memory.size());
    set_model(model);
  }

  void set_model(const Model& model) {
    for (std::size_t i = 0; i < links.size(); ++i) links[i] = numbers_of(model.links()[i]);
    gravity = model.gravity();
    kernels = &fast::packet_kernels();
  }

  [[nodiscard]] fast::Packet packet(Index p, std::size_t thread) {
    fast::Packet out;
    out.joints = static_cast<int>(n);
    out.links = links.data();
    if (tip_bodies.states() > 0) out.tip_bodies = tip_bodies.packet(p);
    for (Index c = 0; c < 3; ++c) out.gravity[c] = gravity[c];
    out.memory = memory[thread].packet(0);
    return out;
  }
  [[nodiscard]] bool fits(const BatchArray& q, const BatchArray& other, Index rows) const {
    return other.rows() == rows && other.states() == q.states();
  }
  [[nodiscard]] bool fits(const BatchArray& q) const {
    return q.rows() == n && (tip_bodies.states() == 0 || q.states() <= tip_bodies.states());
  }

  // Runs `work(packet number, thread)` over all packets.
  template <class Work>
  Status run(Index packets, const Work& work);
  // An input of packet p. Lanes beyond the last state repeat it: they must not report anything of their own.
  [[nodiscard]] const double* input(const BatchArray& a, Index p, std::size_t thread, Index slot);
  template <class Work>
  Status run_alone(Index packets, const Work& work);
  // The worst outcome of the piece that begins at packet `first`.
  template <class Work>
  fast::Outcome run_piece(Index first, Index packets, std::size_t thread, const Work& work) {
    fast::Outcome worst = fast::Outcome::kOk;
    const Index end = std::min(first + kPiece, packets);
    for (Index p = first; p < end; ++p) worst = std::max(worst, work(packet(p, thread), p, thread));
    return worst;
  }
  fast::Outcome step_packet(const fast::Packet& k, double dt, const double* tau, double* q,
                            double* qd, double* scratch, BatchIntegrator integrator) const;

  ChainPtr chain;
  Index n;
  std::vector<fast::LinkNumbers> links;
  Vec3d gravity = Vec3d::Zero();
  const fast::PacketKernels* kernels = nullptr;
  BatchArray tip_bodies{kBodyNumbers, 0};
  std::vector<BatchArray> memory, steps, edges;  // one for each thread
  std::vector<std::thread> helpers;              // while a query runs
  Progress progress;
};

const double* Batch::Impl::input(const BatchArray& a, Index p, std::size_t thread, Index slot) {
  const Index states = states_in(a, p);
  if (states == kPacket) return a.packet(p);
  double* copy = edges[thread].packet(0) + slot * n * kPacket;
  std::copy_n(a.packet(p), n * kPacket, copy);
  repeat_last(n, states, copy);
  return copy;
}

template <class Work>
Status Batch::Impl::run_alone(Index packets, const Work& work) {
  fast::Outcome worst = fast::Outcome::kOk;
  for (Index first = 0; first < packets; first += kPiece) {
    worst = std::max(worst, run_piece(first, packets, 0, work));
    if (progress && !progress(std::min(first + kPiece, packets), packets)) break;
  }
  return fast::status_of(worst);
}

template <class Work>
Status Batch::Impl::run(Index packets, const Work& work) {
  if (memory.size() == 1 || packets <= kPiece) return run_alone(packets, work);
  std::atomic<Index> next{0}, done{0};
  std::atomic<fast::Outcome> worst{fast::Outcome::kOk};
  std::atomic<bool> stopped{false};
  Index reported = 0;  // by the calling thread
  const auto report = [&](Index now) {
    if (progress && now > std::exchange(reported, now) && !progress(now, packets)) stopped = true;
  };
  const auto loop = [&](std::size_t thread) {
    for (Index first = next.fetch_add(kPiece); first < packets && !stopped;
         first = next.fetch_add(kPiece)) {
      const fast::Outcome outcome = run_piece(first, packets, thread, work);
      fast::Outcome before = worst.load();
      while (outcome > before && !worst.compare_exchange_weak(before, outcome)) {
      }
      done += std::min(kPiece, packets - first);
      if (thread == 0) report(done);
    }
  };
  for (std::size_t t = 1; t < memory.size(); ++t) {
    try {
      helpers.emplace_back(loop, t);
    } catch (const std::system_error&) {
      break;  // the system has no more threads: those there are do the work
    }
  }
  loop(0);
  for (std::thread& helper : helpers) helper.join();
  helpers.clear();
  if (!stopped) report(done);  // what the others have done last
  return fast::status_of(worst);
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
    repeat_last(n, states_in(q, p), q.packet(p));
    repeat_last(n, states_in(q, p), qd.packet(p));
    return impl_->step_packet(k, dt, impl_->input(tau, p, thread, 0), q.packet(p), qd.packet(p),
                              impl_->steps[thread].packet(0), integrator);
  });
}

}  // namespace dyn
