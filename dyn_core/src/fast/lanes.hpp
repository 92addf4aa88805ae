// Data of the fast kernels: the constants of a chain and the work space, eight joints side by side.
//
// Joint i is lane i % 8 of block i / 8. Lanes beyond the last joint have zero constants (and an armature
// of 1) and change nothing. Vectors are parallel to the axes of the base link frame, moments about the
// origin of frame 0. No header with inline functions may be included here, see simd.hpp.
#pragma once

namespace dyn::fast {

inline constexpr int kLanes = 8;

using Lanes = double[kLanes];

/// Constants of eight links.
struct alignas(64) LinkLanes {
  Lanes twist[9];     ///< rotation from frame i-1 to frame i before the joint turns, by columns
  Lanes a, d, theta;  ///< shifts along x_i-1 and z_i, offset of the joint angle
  Lanes revolute;     ///< 1 or 0
  Lanes prismatic;    ///< 1 or 0
  Lanes mass;
  Lanes outboard_mass;  ///< of this link and all beyond
  Lanes com[3];         ///< centre of mass, frame i
  Lanes u[3], v[3], e;  ///< ∫ x xᵀ dm about the centre of mass is u uᵀ + v vᵀ + e 1, frame i
  Lanes trace;          ///< u·u + v·v + 2 e, so that J x = trace x - u (u·x) - v (v·x)
  Lanes armature;
};

/// Work space of eight joints. Which pass writes a field is said in kernels.hpp.
struct alignas(64) JointLanes {
  Lanes c, s, shift;           ///< of the joint: cosine, sine, d with its own shift
  Lanes step[6], offset[3];    ///< frame i in frame i-1: x and y column, origin
  Lanes frame[9], origin[3];   ///< frame i: columns, origin
  Lanes axis[6];               ///< S: the joint axis as a motion, angular and linear at the origin
  Lanes momentum[6];           ///< I^c S: of all links from i on at unit speed of joint i
  Lanes force[6];              ///< on link i: moment, force
  Lanes torque;                ///< bias; τ - bias; D⁻¹ U⁻¹ of it
  Lanes gain[6];               ///< G, then ψ
  Lanes pivot, inverse_pivot;  ///< D, 1/D
  Lanes unit[8];         ///< row k: row k of Uᵀ left of the diagonal, in the columns of its group
  Lanes response[6];     ///< of the last link passed to a unit torque at joint i
  Lanes rate[6];         ///< of change of S
  Lanes rate_force[6];   ///< I^c Ṡ + B^c S
  Lanes rate_moment[3];  ///< angular part of B^cᵀ S
  Lanes link_T[9], link_f[3];  ///< T and f of link i alone
  Lanes link_moments[9];       ///< ∫ x dm, ∫ x xᵀ dm of link i alone
};

/// What derivatives need beside it.
struct alignas(64) DerivativeLanes {
  Lanes bend[6];           ///< Ψ̈ = a × S + v × (v × S)
  Lanes bend_force[6];     ///< 2 B^c Ψ̇ + I^c Ψ̈ + S ×* f^c
  Lanes wrench_moment[3];  ///< of the wrench at the tip, turned by joint i
  Lanes solution[2][8];    ///< row k: of joint k and as many columns as a vector has lanes
};

struct Workspace {
  int joints = 0;
  const LinkLanes* links = nullptr;
  JointLanes* state = nullptr;
  DerivativeLanes* derivatives = nullptr;
  bool has_armature = false;
  double base[9] = {1.0, 0.0, 0.0, 0.0, 1.0,
                    0.0, 0.0, 0.0, 1.0};  ///< rotation of frame 0, by columns
  double gravity[3] = {0.0, 0.0, 0.0};
  bool has_wrench = false;
  double tip[3] = {0.0, 0.0, 0.0};                    ///< where the wrench acts, last link frame
  double wrench[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< torque, force
};

enum class Outcome : unsigned char { kOk, kNotFinite, kSingular };

/// Where dynamics() writes; matrices by columns, joints x joints.
struct DynamicsOut {
  double *mass_matrix, *U, *coriolis_torque, *gravity_torque, *D;
};

/// Where derivatives go, by q, q̇ and q̈ or τ; matrices by columns.
struct DerivativesOut {
  double* q;
  long q_stride;
  double* qd;
  long qd_stride;
  double* third;
  long third_stride;
};

/// Sine and cosine by the C library, for angles beyond ±1e5 rad.
void sincos_far(double angle, double& sine, double& cosine) noexcept;

/// The kernels of one instruction set. Positions may be null: then the poses in the work space count.
struct Kernels {
  const char* name;
  int width;
  void (*frames)(const Workspace&, const double* q) noexcept;
  Outcome (*mass_matrix)(const Workspace&, const double* q, double* M, long stride) noexcept;
  Outcome (*mass_matrix_inverse)(const Workspace&, const double* q, double* M,
                                 long stride) noexcept;
  Outcome (*factor)(const Workspace&, const double* q, double* U, long stride, double* D) noexcept;
  Outcome (*coriolis_matrix)(const Workspace&, const double* q, const double* qd, double* C,
                             long stride) noexcept;
  Outcome (*coriolis_torque)(const Workspace&, const double* q, const double* qd,
                             double* tau) noexcept;
  Outcome (*gravity_torque)(const Workspace&, const double* q, double* tau) noexcept;
  Outcome (*bias_torque)(const Workspace&, const double* q, const double* qd, double* tau) noexcept;
  Outcome (*inverse_dynamics)(const Workspace&, const double* q, const double* qd,
                              const double* qdd, double* tau) noexcept;
  Outcome (*forward_dynamics)(const Workspace&, const double* q, const double* qd,
                              const double* tau, double* qdd) noexcept;
  Outcome (*dynamics)(const Workspace&, const double* q, const double* qd,
                      const DynamicsOut& out) noexcept;
  Outcome (*inverse_dynamics_derivatives)(const Workspace&, const double* q, const double* qd,
                                          const double* qdd, const DerivativesOut& out) noexcept;
  Outcome (*forward_dynamics_derivatives)(const Workspace&, const double* q, const double* qd,
                                          const double* tau, const DerivativesOut& out) noexcept;
};

namespace baseline {
extern const Kernels kKernels;
}
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
extern const Kernels kKernels;
}

}  // namespace dyn::fast
