// The Coriolis matrix of coriolis.hpp, in frame 0 joint by joint, for a packet
// of states.
#pragma once

#include "link_frames.hpp"

namespace dyn::fast::DYN_SIMD_TARGET {

/// What is kept of one joint, in frame 0.
template <class T>
struct CoriolisRecord {
  Joint<T> joint;
  ScrewOf<T> S, S_rate;
  BodyOf<T> body;          ///< ∫ x xᵀ dm in place of the inertia
  VecOf<T> Tx, Ty, Tz, f;  ///< B = [T 0; -f× 0], T by columns

  DYN_INLINE void add(const CoriolisRecord& beyond) {
    body += beyond.body;
    Tx = Tx + beyond.Tx, Ty = Ty + beyond.Ty, Tz = Tz + beyond.Tz;
    f = f + beyond.f;
  }
  [[nodiscard]] DYN_INLINE VecOf<T> T_times(const VecOf<T>& x) const {
    return x.x * Tx + x.y * Ty + x.z * Tz;
  }
};

template <class T>
DYN_INLINE VecOf<T> times(const SymOf<T>& m, const VecOf<T>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

/// A body in frame 0 from the one in its link frame with axes X, Y, Z and
/// origin o; of the inertia ∫ x xᵀ dm.
template <class T>
DYN_INLINE BodyOf<T> placed(const BodyOf<T>& b, const VecOf<T>& J, const VecOf<T>& X,
                            const VecOf<T>& Y, const VecOf<T>& Z, const VecOf<T>& o) {
  const VecOf<T> h = b.h.x * X + b.h.y * Y + b.h.z * Z;
  const VecOf<T> x = J.x * X - b.I.xy * Y - b.I.xz * Z;
  const VecOf<T> y = J.y * Y - b.I.xy * X - b.I.yz * Z;
  const VecOf<T> z = J.z * Z - b.I.xz * X - b.I.yz * Y;
  const VecOf<T> g = h + b.m * o;
  return {b.m,
          g,
          {X.x * x.x + Y.x * y.x + Z.x * z.x + o.x * h.x + g.x * o.x,
           X.x * x.y + Y.x * y.y + Z.x * z.y + o.x * h.y + g.x * o.y,
           X.x * x.z + Y.x * y.z + Z.x * z.z + o.x * h.z + g.x * o.z,
           X.y * x.y + Y.y * y.y + Z.y * z.y + o.y * h.y + g.y * o.y,
           X.y * x.z + Y.y * y.z + Z.y * z.z + o.y * h.z + g.y * o.z,
           X.z * x.z + Y.z * y.z + Z.z * z.z + o.z * h.z + g.z * o.z}};
}

/// J w, from ∫ x xᵀ dm.
template <class T>
DYN_INLINE VecOf<T> turned(const SymOf<T>& E, const VecOf<T>& w) {
  return (E.xx + E.yy + E.zz) * w - times(E, w);
}

template <class T>
DYN_INLINE void coriolis_of_link(const ScrewOf<T>& v, CoriolisRecord<T>& r) {
  const VecOf<T>&w = v.ang, &h = r.body.h;
  const SymOf<T>& E = r.body.I;
  const T hv = dot(h, v.lin), zero{};
  r.f = r.body.m * v.lin + cross(w, h);
  r.Tx = VecOf<T>{hv, zero, zero} - h.x * v.lin - cross(w, VecOf<T>{E.xx, E.xy, E.xz});
  r.Ty = VecOf<T>{zero, hv, zero} - h.y * v.lin - cross(w, VecOf<T>{E.xy, E.yy, E.yz});
  r.Tz = VecOf<T>{zero, zero, hv} - h.z * v.lin - cross(w, VecOf<T>{E.xz, E.yz, E.zz});
}

/// Rate of change of the motion `m`, fixed to a body that moves with `v`.
template <class T>
DYN_INLINE ScrewOf<T> carried(const ScrewOf<T>& v, const ScrewOf<T>& m) {
  return {cross(v.ang, m.ang), cross(v.ang, m.lin) + cross(v.lin, m.ang)};
}

/// The frame reached on the way outward, and its motion.
template <class T>
struct Reached {
  VecOf<T> X{1.0 - T{}, T{}, T{}}, Y{T{}, 1.0 - T{}, T{}}, Z{T{}, T{}, 1.0 - T{}}, o{};
  ScrewOf<T> v{};

  /// Passes one joint: its axis, the axis' rate, and what its link alone adds.
  DYN_INLINE void pass(const States<T>& s, int i, T rate, CoriolisRecord<T>& r) {
    const LinkNumbers& k = s.links[i];
    o = o + k.a * X;
    next_frame(k, r.joint, X, Y, Z);
    o = o + r.joint.d * Z;
    const VecOf<T> none{T{}, T{}, T{}};
    r.S = k.prismatic ? ScrewOf<T>{none, Z} : ScrewOf<T>{Z, cross(o, Z)};
    v = {v.ang + rate * r.S.ang, v.lin + rate * r.S.lin};
    r.S_rate = carried(v, r.S);
    r.body = placed(s.body(i), s.squares(i), X, Y, Z, o);
    coriolis_of_link(v, r);
  }
};

/// From the base outward.
template <class T>
DYN_INLINE void place_for_coriolis(const States<T>& s, CoriolisRecord<T>* records, const Rows& qd) {
  Reached<T> frame;
  for (int i = 0; i < s.n; ++i) frame.pass(s, i, qd.at<T>(i), records[i]);
}

template <class T>
DYN_INLINE void coriolis_in_frame_0(const States<T>& s, CoriolisRecord<T>* records, const Rows& qd,
                                    const Square& C) {
  place_for_coriolis(s, records, qd);
  for (int i = s.n - 1; i >= 0; --i) {
    CoriolisRecord<T>& r = records[i];
    if (i + 1 < s.n) r.add(records[i + 1]);
    const VecOf<T>&z = r.S.ang, &w = r.S.lin, &z_rate = r.S_rate.ang, &w_rate = r.S_rate.lin;
    const VecOf<T>& h = r.body.h;
    const ScrewOf<T> F{turned(r.body.I, z) + cross(h, w), r.body.m * w + cross(z, h)};
    const ScrewOf<T> F_rate{
        turned(r.body.I, z_rate) + cross(h, w_rate) + z.x * r.Tx + z.y * r.Ty + z.z * r.Tz,
        r.body.m * w_rate + cross(z_rate, h) + cross(z, r.f)};
    const VecOf<T> moment = VecOf<T>{dot(r.Tx, z), dot(r.Ty, z), dot(r.Tz, z)} + cross(r.f, w);
    for (int j = 0; j <= i; ++j) {
      const CoriolisRecord<T>& c = records[j];
      C.set(j, i, dot(c.S.ang, F_rate.ang) + dot(c.S.lin, F_rate.lin));
      if (j < i) {
        C.set(i, j, dot(c.S_rate.ang, F.ang) + dot(c.S_rate.lin, F.lin) + dot(c.S.ang, moment));
      }
    }
  }
}

}  // namespace dyn::fast::DYN_SIMD_TARGET
