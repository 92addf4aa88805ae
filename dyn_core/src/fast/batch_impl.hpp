// What a Batch holds, and how it goes over its packets. Internal to dyn_core.
#pragma once

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dyn_core/fast/batch.hpp"
#include "dyn_core/fast/generated.hpp"
#include "fast_dynamics_impl.hpp"
#include "packet.hpp"

namespace dyn {
namespace fast {

// Packets between two calls of the progress callback, and that a thread takes at a time.
inline constexpr Index kPiece = 32;

// What a query takes and gives: so many vectors; first the results of n² numbers, then those of n.
inline constexpr std::size_t kMostInputs = 3, kMostOutputs = 3;
struct Signature {
  std::size_t inputs, outputs, matrices;
};
[[nodiscard]] constexpr Signature signature_of(BatchQuery query) {
  constexpr Signature kSignatures[] = {{1, 1, 1}, {1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {2, 1, 0},
                                       {3, 1, 0}, {3, 1, 0}, {3, 3, 3}, {3, 3, 3}};
  return kSignatures[static_cast<std::size_t>(query)];
}
/// Of a result.
[[nodiscard]] constexpr Index size_of(const Signature& signature, std::size_t result, Index n) {
  return result < signature.matrices ? n * n : n;
}

}  // namespace fast

/// As find_generated(), of those for packets.
[[nodiscard]] const GeneratedLanes* find_generated_lanes(const Chain& chain,
                                                         std::string_view target);

// Fills the lanes beyond the first `states` of a packet with the last of these.
inline void repeat_last(Index rows, Index states, double* packet) {
  for (double* row = packet; row < packet + rows * fast::kPacket; row += fast::kPacket) {
    std::fill(row + states, row + fast::kPacket, row[states - 1]);
  }
}
// Of so many, those in packet p.
[[nodiscard]] inline Index states_in(Index states, Index p) {
  return std::min<Index>(fast::kPacket, states - p * fast::kPacket);
}

struct Batch::Impl {
  Impl(const Model& of, int thread_count);
  void set_model(const Model& of);

  [[nodiscard]] fast::Packet packet(Index p, std::size_t thread) {
    fast::Packet out;
    out.joints = static_cast<int>(n);
    out.links = links.data();
    if (tip_bodies.states() > 0) out.tip_bodies = tip_bodies.packet(p);
    for (Index c = 0; c < 3; ++c) out.gravity[c] = model.gravity()[c];
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
    const Index end = std::min(first + fast::kPiece, packets);
    for (Index p = first; p < end; ++p) worst = std::max(worst, work(packet(p, thread), p, thread));
    return worst;
  }
  // By the code for this model where there is some and it answers.
  [[nodiscard]] fast::Outcome call(BatchQuery query, const fast::Packet& k, const double* const* in,
                                   double* const* out) const;
  [[nodiscard]] fast::Outcome call_general(BatchQuery query, const fast::Packet& k,
                                           const double* const* in, double* const* out) const;
  [[nodiscard]] fast::Outcome forward_dynamics(const fast::Packet& k, const double* q,
                                               const double* qd, const double* tau,
                                               double* qdd) const {
    const double* const in[] = {q, qd, tau};
    return call(BatchQuery::kForwardDynamics, k, in, &qdd);
  }
  [[nodiscard]] bool has_own(const fast::Packet& k) const {
    return own.has_value() && k.tip_bodies == nullptr;
  }
  // Whether `code` computes what the kernels do for this model.
  [[nodiscard]] bool agrees(const GeneratedLanes& code);
  // A query of arrays.
  Status answer(BatchQuery query, std::initializer_list<const BatchArray*> in,
                std::initializer_list<BatchArray*> out);
  // Room for the packets of tables, `rows` for each thread; whether so many states may be asked for.
  [[nodiscard]] bool make_tables(Index states, Index rows);
  fast::Outcome step_packet(const fast::Packet& k, double dt, const double* tau, double* q,
                            double* qd, double* scratch, BatchIntegrator integrator) const;

  Model model;
  Index n;
  std::vector<fast::LinkNumbers> links;
  std::optional<GeneratedLanes> own;  // for this model alone
  std::shared_ptr<void> library;  // which `own` is part of, where it was compiled for this batch
  const fast::PacketKernels* kernels = nullptr;
  BatchArray tip_bodies{fast::kBodyNumbers, 0};
  std::vector<BatchArray> memory, steps, edges, tables;  // one for each thread
  std::vector<std::thread> helpers;                      // while a query runs
  Progress progress;
};

template <class Work>
Status Batch::Impl::run_alone(Index packets, const Work& work) {
  fast::Outcome worst = fast::Outcome::kOk;
  for (Index first = 0; first < packets; first += fast::kPiece) {
    worst = std::max(worst, run_piece(first, packets, 0, work));
    if (progress && !progress(std::min(first + fast::kPiece, packets), packets)) break;
  }
  return fast::status_of(worst);
}

template <class Work>
Status Batch::Impl::run(Index packets, const Work& work) {
  if (memory.size() == 1 || packets <= fast::kPiece) return run_alone(packets, work);
  std::atomic<Index> next{0}, done{0};
  std::atomic<fast::Outcome> worst{fast::Outcome::kOk};
  std::atomic<bool> stopped{false};
  Index reported = 0;  // by the calling thread
  const auto report = [&](Index now) {
    if (progress && now > std::exchange(reported, now) && !progress(now, packets)) stopped = true;
  };
  const auto loop = [&](std::size_t thread) {
    for (Index first = next.fetch_add(fast::kPiece); first < packets && !stopped;
         first = next.fetch_add(fast::kPiece)) {
      const fast::Outcome outcome = run_piece(first, packets, thread, work);
      fast::Outcome before = worst.load();
      while (outcome > before && !worst.compare_exchange_weak(before, outcome)) {
      }
      done += std::min(fast::kPiece, packets - first);
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

}  // namespace dyn
