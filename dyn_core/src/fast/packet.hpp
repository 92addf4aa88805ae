// Data of the kernels in link frames: one state, or a packet of eight states
// side by side. No header with inline functions may be included here, see
// simd.hpp.
#pragma once

#include "lanes.hpp"

namespace dyn::fast {

inline constexpr int kPacket = 8;

/// Mass; first moment; inertia about the origin xx, xy, xz, yy, yz, zz; ∫ x²
/// dm, ∫ y² dm, ∫ z² dm.
inline constexpr int kBodyNumbers = 13;

/// Constants of one link.
struct LinkNumbers {
  double alpha_c = 1.0, alpha_s = 0.0, beta_c = 1.0, beta_s = 0.0;
  double a = 0.0, d = 0.0, theta = 0.0, armature = 0.0;
  double body[kBodyNumbers] = {};
  bool prismatic = false, has_beta = false;
};

/// A packet of states of one chain. Rows of eight numbers, one for each state,
/// stand one after the other.
struct Packet {
  int joints = 0;
  const LinkNumbers* links = nullptr;
  const double* tip_bodies = nullptr;  ///< kBodyNumbers rows for the last link; null: as in `links`
  double gravity[3] = {0.0, 0.0, 0.0};  ///< frame 0
  double* memory = nullptr;             ///< kPacketMemory rows for each joint, on a cache line
};
inline constexpr int kPacketMemory = 96;

/// The kernels of one instruction set for packets. Matrices: row i n + j is
/// element i, j.
struct PacketKernels {
  const char* name;
  Outcome (*mass_matrix)(const Packet&, const double* q, double* M) noexcept;
  /// Without qdd it is zero.
  Outcome (*inverse_dynamics)(const Packet&, const double* q, const double* qd, const double* qdd,
                              double* tau) noexcept;
  Outcome (*forward_dynamics)(const Packet&, const double* q, const double* qd, const double* tau,
                              double* qdd) noexcept;
  Outcome (*factor)(const Packet&, const double* q, double* U, double* D) noexcept;
  Outcome (*mass_matrix_inverse)(const Packet&, const double* q, double* M_inverse) noexcept;
  Outcome (*coriolis_matrix)(const Packet&, const double* q, const double* qd, double* C) noexcept;
  Outcome (*inverse_dynamics_derivatives)(const Packet&, const double* q, const double* qd,
                                          const double* qdd, double* dq, double* dqd,
                                          double* dqdd) noexcept;
  Outcome (*forward_dynamics_derivatives)(const Packet&, const double* q, const double* qd,
                                          const double* tau, double* dq, double* dqd,
                                          double* dtau) noexcept;
  /// `states` rows of `count` numbers, `step` apart, and back. Lanes beyond the last state repeat it.
  void (*from_rows)(const double* rows, long step, int states, int count, double* packet) noexcept;
  void (*to_rows)(const double* packet, int states, int count, double* rows, long step) noexcept;
};

namespace baseline {
extern const PacketKernels kPacketKernels;
}
namespace avx2 {
extern const PacketKernels kPacketKernels;
}
namespace avx512 {
extern const PacketKernels kPacketKernels;
}

}  // namespace dyn::fast
