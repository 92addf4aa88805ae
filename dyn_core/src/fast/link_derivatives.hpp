// The derivatives of derivatives.hpp and forward_derivatives.hpp, in frame 0 joint by joint, for a packet of states.
#pragma once

#include "link_coriolis.hpp"
#include "link_mass_matrix.hpp"
#include "link_udut.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// What is kept of one joint more than for the Coriolis matrix, in frame 0.
template <class T>
struct DerivativeRecord : CoriolisRecord<T> {
  ScrewOf<T> bend;        ///< Ψ̈
  ScrewOf<T> force;       ///< on link i alone, then on all from i on
  ScrewOf<T> momentum;    ///< I^c S
  ScrewOf<T> rate_force;  ///< 2 (I^c Ψ̇ + B^c S)
  ScrewOf<T> bend_force;  ///< 2 B^c Ψ̇ + I^c Ψ̈ + S ×* f^c
  VecOf<T> moment;        ///< 2 B^cᵀ S, its angular part
  ScrewOf<T> gain;        ///< ψ
};

template <class T>
DYN_INLINE ScrewOf<T> operator+(const ScrewOf<T>& a, const ScrewOf<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}

/// I m, of a body in frame 0.
template <class T>
DYN_INLINE ScrewOf<T> momentum_of(const BodyOf<T>& b, const ScrewOf<T>& m) {
  return {turned(b.I, m.ang) + cross(b.h, m.lin), b.m * m.lin + cross(m.ang, b.h)};
}
/// B m.
template <class T>
DYN_INLINE ScrewOf<T> bent(const CoriolisRecord<T>& r, const VecOf<T>& turn) {
  return {r.T_times(turn), cross(turn, r.f)};
}

/// From the base outward; the accelerations are `x` of the records, whose gains come along.
template <class T>
DYN_INLINE void move_in_frame_0(const States<T>& s, DerivativeRecord<T>* records, const Rows& qd) {
  const T zero{};
  Reached<T> frame;
  ScrewOf<T> a{{}, {zero - s.gravity[0], zero - s.gravity[1], zero - s.gravity[2]}};
  for (int i = 0; i < s.n; ++i) {
    DerivativeRecord<T>& r = records[i];
    const Record<T>& link = s.records[i];
    const T rate = qd.at<T>(i);
    r.joint = link.joint;
    frame.pass(s, i, rate, r);
    a = {a.ang + rate * r.S_rate.ang + link.x * r.S.ang,
         a.lin + rate * r.S_rate.lin + link.x * r.S.lin};
    r.bend = carried(a, r.S) + carried(frame.v, r.S_rate);
    r.force = momentum_of(r.body, a) + bent(r, frame.v.ang);
    const VecOf<T>&n = link.gain.ang, &f = link.gain.lin;
    const VecOf<T> force = f.x * frame.X + f.y * frame.Y + f.z * frame.Z;
    r.gain = {n.x * frame.X + n.y * frame.Y + n.z * frame.Z + cross(frame.o, force), force};
  }
}

template <class T>
[[gnu::noinline]] void derivative_factors_in_frame_0(const States<T>& s,
                                                     DerivativeRecord<T>* records, const Rows& qd) {
  move_in_frame_0(s, records, qd);
  for (int i = s.n - 1; i >= 0; --i) {
    DerivativeRecord<T>& r = records[i];
    if (i + 1 < s.n) {
      r.add(records[i + 1]);
      r.force = r.force + records[i + 1].force;
    }
    const ScrewOf<T>&S = r.S, &R = r.S_rate, &f = r.force;
    const ScrewOf<T> by_rate = momentum_of(r.body, R) + bent(r, S.ang);
    const ScrewOf<T> bent_rate = bent(r, R.ang);
    const VecOf<T> moment =
        VecOf<T>{dot(r.Tx, S.ang), dot(r.Ty, S.ang), dot(r.Tz, S.ang)} + cross(r.f, S.lin);
    r.momentum = momentum_of(r.body, S);
    r.rate_force = by_rate + by_rate;
    r.moment = moment + moment;
    r.bend_force = momentum_of(r.body, r.bend) + (bent_rate + bent_rate) +
                   ScrewOf<T>{cross(S.ang, f.ang) + cross(S.lin, f.lin), cross(S.ang, f.lin)};
  }
}

/// The element of row i and column j < i, by q and by q̇.
template <class T>
DYN_INLINE T below_by_q(const DerivativeRecord<T>& i, const DerivativeRecord<T>& j) {
  return dot(i.momentum, j.bend) + dot(i.moment, j.S_rate.ang);
}
template <class T>
DYN_INLINE T below_by_qd(const DerivativeRecord<T>& i, const DerivativeRecord<T>& j) {
  const T half = dot(i.momentum, j.S_rate);
  return half + half + dot(i.moment, j.S.ang);
}

template <class T>
DYN_INLINE void derivatives_in_frame_0(const States<T>& s, const DerivativeRecord<T>* records,
                                       const Square& dq, const Square& dqd, const Square& dqdd) {
  for (int i = 0; i < s.n; ++i) {
    const DerivativeRecord<T>& r = records[i];
    for (int j = 0; j <= i; ++j) {
      const DerivativeRecord<T>& c = records[j];
      dq.set(j, i, dot(c.S, r.bend_force));
      dqd.set(j, i, dot(c.S, r.rate_force));
      const T m = dot(c.S, r.momentum);
      if (j == i) {
        dqdd.set(i, i, m + s.links[i].armature);
        break;
      }
      dq.set(i, j, below_by_q(r, c));
      dqd.set(i, j, below_by_qd(r, c));
      set_both(dqdd, i, j, m);
    }
  }
}

/// One column of -M⁻¹ Φ; `Below` gives the elements of Φ below the diagonal, those above are S · X.
template <class T, class Below>
DYN_INLINE void solve_column(const States<T>& s, const DerivativeRecord<T>* records, int column,
                             const ScrewOf<T>& X, const Square& out, const Below& below) {
  const T zero{};
  ScrewOf<T> e{};
  for (int i = s.n - 1; i >= 0; --i) {
    const DerivativeRecord<T>& r = records[i];
    if (i == column) e = e + X;
    T x = dot(r.S, e);
    if (i > column) x += below(r, records[column]);
    add_product(r.gain, zero - x, e);
    out.set(i, column, x * (zero - s.records[i].inverse));
  }
  ScrewOf<T> a{};
  for (int i = 0; i < s.n; ++i) {
    const T y = out.at<T>(i, column) - dot(records[i].gain, a);
    add_product(records[i].S, y, a);
    out.set(i, column, y);
  }
}

template <class T>
DYN_INLINE void solved_derivatives_in_frame_0(const States<T>& s,
                                              const DerivativeRecord<T>* records, const Square& dq,
                                              const Square& dqd) {
  for (int j = 0; j < s.n; ++j) {
    const DerivativeRecord<T>& r = records[j];
    using Joint0 = DerivativeRecord<T>;
    solve_column(s, records, j, r.bend_force, dq,
                 [](const Joint0& i, const Joint0& c) { return below_by_q(i, c); });
    solve_column(s, records, j, r.rate_force, dqd,
                 [](const Joint0& i, const Joint0& c) { return below_by_qd(i, c); });
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
