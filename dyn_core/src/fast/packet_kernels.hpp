// The queries for a packet of states, kWidth of them at a time.
#pragma once

#include "link_derivatives.hpp"
#include "link_mass_matrix.hpp"
#include "link_newton_euler.hpp"
#include "link_udut.hpp"
#include "sincos.hpp"

// Included once, by the file of a target: NOLINTBEGIN(misc-definitions-in-headers)
namespace dyn::fast::DYN_SIMD_TARGET {
namespace {

static_assert(sizeof(DerivativeRecord<V>) + sizeof(Record<V>) <= kPacketMemory * sizeof(V));

/// One part of a packet: its states and where its numbers begin.
struct Part {
  States<V> states;
  int lane;

  Part(const Packet& p, int l)
      : states{p.joints, p.links, p.tip_bodies == nullptr ? nullptr : p.tip_bodies + l, p.gravity,
               reinterpret_cast<Record<V>*>(p.memory)},
        lane(l) {}

  [[nodiscard]] Rows rows(const double* p) const {
    return {const_cast<double*>(p) + lane, kPacket};
  }
  [[nodiscard]] Square square(double* p) const {
    return {p + lane, states.n * long{kPacket}, kPacket};
  }
};

[[nodiscard]] Joint<V> joint_at(const LinkNumbers& k, V position) {
  if (k.prismatic) {
    const SinCos t = sincos(all(k.theta));
    return {t.cosine, t.sine, position + k.d};
  }
  const V angle = position + k.theta;
  const SinCos t = any_beyond(angle, kFarAngle) ? sincos_by_library(angle) : sincos(angle);
  return {t.cosine, t.sine, all(k.d)};
}

void place_joints(const States<V>& s, const Rows& q) {
  for (int i = 0; i < s.n; ++i) s.records[i].joint = joint_at(s.links[i], q.at<V>(i));
}

/// Zero in lanes where all the numbers are finite.
[[nodiscard]] V defects(const Rows& rows, int count) {
  V sum{};
  for (int i = 0; i < count; ++i) sum += defect(rows.at<V>(i));
  return sum;
}

[[nodiscard]] Outcome worst(Outcome a, Outcome b) { return a == Outcome::kOk ? b : a; }
[[nodiscard]] Outcome finite(const Rows& rows, int count) {
  return is_zero(defects(rows, count)) ? Outcome::kOk : Outcome::kNotFinite;
}

Outcome packet_mass_matrix(const Packet& p, const double* q, double* M) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    const Part part(p, l);
    place_joints(part.states, part.rows(q));
    mass_matrix_in_links(part.states, part.square(M));
    // Every position is in the row of the first joint, but for its own.
    outcome = worst(outcome, finite(part.rows(M), p.joints));
    outcome = worst(outcome, finite(part.rows(q), 1));
  }
  return outcome;
}

Outcome packet_inverse_dynamics(const Packet& p, const double* q, const double* qd,
                                const double* qdd, double* tau) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    const Part part(p, l);
    const Rows rates = part.rows(qd), out = part.rows(tau);
    place_joints(part.states, part.rows(q));
    if (qdd != nullptr) {
      newton_euler_in_links<true>(part.states, rates, part.rows(qdd));
    } else {
      newton_euler_in_links<false>(part.states, rates, rates);
    }
    for (int i = 0; i < p.joints; ++i) out.set(i, part.states.records[i].x);
    outcome = worst(outcome, finite(out, p.joints));
  }
  return outcome;
}

/// The accelerations to `x` of the records. False where a pivot is lost.
[[gnu::noinline]] bool accelerate_part(const Part& part, const double* q, const double* qd,
                                       const double* tau) {
  const States<V>& s = part.states;
  const Rows rates = part.rows(qd), torques = part.rows(tau);
  place_joints(s, part.rows(q));
  newton_euler_in_links<false>(s, rates, rates);
  for (int i = 0; i < s.n; ++i) s.records[i].x = torques.at<V>(i) - s.records[i].x;
  const bool regular = factorise_in_links(s);
  accelerate_in_links(s);
  return regular;
}

Outcome packet_forward_dynamics(const Packet& p, const double* q, const double* qd,
                                const double* tau, double* qdd) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    const Part part(p, l);
    const States<V>& s = part.states;
    const Rows out = part.rows(qdd);
    const bool regular = accelerate_part(part, q, qd, tau);
    for (int i = 0; i < p.joints; ++i) out.set(i, s.records[i].x);
    const Outcome here = finite(out, p.joints);
    outcome = worst(outcome, regular || here != Outcome::kOk ? here : Outcome::kSingular);
  }
  return outcome;
}

/// Factorises without a right-hand side.
[[nodiscard]] Outcome factorise_part(const Part& part, const double* q) {
  const States<V>& s = part.states;
  place_joints(s, part.rows(q));
  for (int i = 0; i < s.n; ++i) s.records[i].x = V{};
  if (factorise_in_links(s)) return finite(part.rows(q), s.n);
  return worst(finite(part.rows(q), s.n), Outcome::kSingular);
}

Outcome packet_factor(const Packet& p, const double* q, double* U, double* D) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    const Part part(p, l);
    outcome = worst(outcome, factorise_part(part, q));
    factors_in_links(part.states, part.square(U), part.rows(D));
  }
  return outcome;
}

[[gnu::noinline]] void invert_part(const Part& part, double* M_inverse) {
  inverse_in_links(part.states, part.square(M_inverse));
}

Outcome packet_mass_matrix_inverse(const Packet& p, const double* q, double* M_inverse) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    const Part part(p, l);
    outcome = worst(outcome, factorise_part(part, q));
    invert_part(part, M_inverse);
  }
  return outcome;
}

Outcome packet_coriolis_matrix(const Packet& p, const double* q, const double* qd,
                               double* C) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    const Part part(p, l);
    auto* records = reinterpret_cast<CoriolisRecord<V>*>(p.memory);
    const Rows positions = part.rows(q);
    for (int i = 0; i < p.joints; ++i) records[i].joint = joint_at(p.links[i], positions.at<V>(i));
    coriolis_in_frame_0(part.states, records, part.rows(qd), part.square(C));
    outcome = worst(outcome, finite(part.rows(C), p.joints * p.joints));
    outcome = worst(outcome, finite(positions, p.joints));
  }
  return outcome;
}

/// Records of derivatives stand in front of those of the other passes.
[[nodiscard]] DerivativeRecord<V>* derivative_records(Part& part, const Packet& p) {
  auto* records = reinterpret_cast<DerivativeRecord<V>*>(p.memory);
  part.states.records = reinterpret_cast<Record<V>*>(records + p.joints);
  return records;
}

Outcome packet_inverse_dynamics_derivatives(const Packet& p, const double* q, const double* qd,
                                            const double* qdd, double* dq, double* dqd,
                                            double* dqdd) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    Part part(p, l);
    DerivativeRecord<V>* records = derivative_records(part, p);
    const States<V>& s = part.states;
    place_joints(s, part.rows(q));
    const Rows accelerations = part.rows(qdd);
    for (int i = 0; i < s.n; ++i) s.records[i].x = accelerations.at<V>(i);
    derivative_factors_in_frame_0(s, records, part.rows(qd));
    derivatives_in_frame_0(s, records, part.square(dq), part.square(dqd), part.square(dqdd));
    outcome = worst(outcome, finite(part.rows(dq), s.n * s.n));
    outcome = worst(outcome, finite(part.rows(dqd), s.n * s.n));
    outcome = worst(outcome, finite(part.rows(q), s.n));
  }
  return outcome;
}

Outcome packet_forward_dynamics_derivatives(const Packet& p, const double* q, const double* qd,
                                            const double* tau, double* dq, double* dqd,
                                            double* dtau) noexcept {
  Outcome outcome = Outcome::kOk;
  for (int l = 0; l < kPacket; l += kWidth) {
    Part part(p, l);
    DerivativeRecord<V>* records = derivative_records(part, p);
    const States<V>& s = part.states;
    const bool regular = accelerate_part(part, q, qd, tau);
    derivative_factors_in_frame_0(s, records, part.rows(qd));
    solved_derivatives_in_frame_0(s, records, part.square(dq), part.square(dqd));
    invert_part(part, dtau);
    Outcome here = worst(finite(part.rows(dq), s.n * s.n), finite(part.rows(dqd), s.n * s.n));
    if (regular || here != Outcome::kOk) {
      outcome = worst(outcome, here);
    } else {
      outcome = worst(outcome, Outcome::kSingular);
    }
  }
  return outcome;
}

// ---- rows of numbers, a tile at a time ---------------------------------------------------------
// Rows of seven lie across cache lines, which the processor does not foresee: they are asked for so many
// numbers ahead. Without, rows from memory take ten times as long.
constexpr int kAhead = 512;

void packet_from_rows(const double* rows, long step, int states, int count,
                      double* packet) noexcept {
  for (int l = 0; l < kPacket; l += kWidth) {
    for (int c = 0; c < count; c += kWidth) {
      Tile t;
      DYN_UNROLL
      for (int i = 0; i < kWidth; ++i) {
        const int state = l + i < states ? l + i : states - 1;
        __builtin_prefetch(rows + state * step + c + kAhead);
        t.row[i] = load_first(rows + state * step + c, count - c);
      }
      t = transposed(t);
      for (int i = 0; i < kWidth && c + i < count; ++i) {
        store(packet + (c + i) * kPacket + l, t.row[i]);
      }
    }
  }
}

void packet_to_rows(const double* packet, int states, int count, double* rows, long step) noexcept {
  for (int l = 0; l < states; l += kWidth) {
    for (int c = 0; c < count; c += kWidth) {
      Tile t = {};
      DYN_UNROLL
      for (int i = 0; i < kWidth; ++i) {
        if (c + i < count) t.row[i] = load(packet + (c + i) * kPacket + l);
      }
      t = transposed(t);
      for (int i = 0; i < kWidth && l + i < states; ++i) {
        double* row = rows + (l + i) * step + c;
        __builtin_prefetch(row + kAhead, 1);
        write(t.row[i], count - c, row);
      }
    }
  }
}

}  // namespace

const PacketKernels kPacketKernels = {DYN_SIMD_NAME,
                                      packet_mass_matrix,
                                      packet_inverse_dynamics,
                                      packet_forward_dynamics,
                                      packet_factor,
                                      packet_mass_matrix_inverse,
                                      packet_coriolis_matrix,
                                      packet_inverse_dynamics_derivatives,
                                      packet_forward_dynamics_derivatives,
                                      packet_from_rows,
                                      packet_to_rows};

}  // namespace dyn::fast::DYN_SIMD_TARGET
// NOLINTEND(misc-definitions-in-headers)
