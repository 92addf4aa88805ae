// The queries, put together from the passes:
//
//   pass             | writes in the work space             | from
//   place_links      | step, offset, frame, origin          | positions
//   joint_momenta    | axis, momentum                       | frames
//   newton_euler     | axis, force, torque                  | frames, rates
//   coriolis_factors | axis, rate, momentum, rate_*, link_* | frames, rates
//   factorise        | gain, pivot, unit; torque reduced    | axis, momentum, torque
//   derivative_factors | as coriolis_factors, bend, bend_force | frames, rates, accelerations
#pragma once

#include "forward_derivatives.hpp"
#include "inverse.hpp"

// Included once, by the file of a target: NOLINTBEGIN(misc-definitions-in-headers)
namespace dyn::fast::DYN_SIMD_TARGET {
namespace {

constexpr double kNoGravity[3] = {0.0, 0.0, 0.0};

[[nodiscard]] Outcome outcome(bool finite, bool regular = true) {
  if (!finite) return Outcome::kNotFinite;
  return regular ? Outcome::kOk : Outcome::kSingular;
}

void frames(const Workspace& w, const double* q) noexcept { place_links(w, q); }

Outcome mass_matrix(const Workspace& w, const double* q, double* M, long stride) noexcept {
  place_links(w, q);
  const bool finite = joint_momenta(w);
  mass_matrix_columns(w, M, stride);
  return outcome(finite);
}

Outcome mass_matrix_inverse(const Workspace& w, const double* q, double* M, long stride) noexcept {
  place_links(w, q);
  if (!joint_momenta(w)) return Outcome::kNotFinite;
  if (!factorise<true>(w)) return Outcome::kSingular;
  inverse_columns(w, M, stride);
  return Outcome::kOk;
}

Outcome factor(const Workspace& w, const double* q, double* U, long stride, double* D) noexcept {
  place_links(w, q);
  if (!joint_momenta(w)) return Outcome::kNotFinite;
  const bool regular = factorise<false>(w);
  write_factors(w, U, stride, D);
  return outcome(true, regular);
}

Outcome coriolis_matrix(const Workspace& w, const double* q, const double* qd, double* C,
                        long stride) noexcept {
  place_links(w, q);
  const bool finite = coriolis_factors(w, qd);
  coriolis_columns(w, C, stride);
  return outcome(finite);
}

Outcome gravity_torque(const Workspace& w, const double* q, double* tau) noexcept {
  place_links(w, q);
  return outcome(static_torque(w, tau));
}

Outcome coriolis_torque(const Workspace& w, const double* q, const double* qd,
                        double* tau) noexcept {
  place_links(w, q);
  return outcome(newton_euler(w, kNoGravity, Screw{}, qd, nullptr, tau));
}

Outcome bias_torque(const Workspace& w, const double* q, const double* qd, double* tau) noexcept {
  place_links(w, q);
  return outcome(newton_euler(w, w.gravity, Screw{}, qd, nullptr, tau));
}

Outcome inverse_dynamics(const Workspace& w, const double* q, const double* qd, const double* qdd,
                         double* tau) noexcept {
  place_links(w, q);
  return outcome(newton_euler(w, w.gravity, tip_wrench(w), qd, qdd, tau));
}

/// The torque of the work space, which is the bias, becomes what accelerates.
DYN_INLINE void subtract_bias(const Workspace& w, const double* tau) {
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at(w, i);
    double* torque = at.joint.torque + at.lane;
    store(torque, load_first(tau + i, w.joints - i) - load(torque));
  }
}

Outcome forward_dynamics(const Workspace& w, const double* q, const double* qd, const double* tau,
                         double* qdd) noexcept {
  place_links(w, q);
  if (!joint_momenta(w)) return Outcome::kNotFinite;
  if (!newton_euler(w, w.gravity, tip_wrench(w), qd, nullptr, nullptr)) return Outcome::kNotFinite;
  subtract_bias(w, tau);
  if (!factorise<false>(w)) return Outcome::kSingular;
  return outcome(accelerate(w, qdd));
}

Outcome dynamics(const Workspace& w, const double* q, const double* qd,
                 const DynamicsOut& out) noexcept {
  place_links(w, q);
  if (!joint_momenta(w)) return Outcome::kNotFinite;
  mass_matrix_columns(w, out.mass_matrix, w.joints);
  for (int i = 0; i < w.joints; i += kWidth) {
    const At at(w, i);
    const Vec f = load(at.joint.momentum + 3, at.lane);
    write(-(w.gravity[0] * f.x + w.gravity[1] * f.y + w.gravity[2] * f.z), w.joints - i,
          out.gravity_torque + i);
  }
  if (!newton_euler(w, kNoGravity, Screw{}, qd, nullptr, out.coriolis_torque))
    return Outcome::kNotFinite;
  const bool regular = factorise<false>(w);
  write_factors(w, out.U, w.joints, out.D);
  return outcome(true, regular);
}

Outcome inverse_dynamics_derivatives(const Workspace& w, const double* q, const double* qd,
                                     const double* qdd, const DerivativesOut& out) noexcept {
  place_links(w, q);
  const bool finite = derivative_factors(w, qd, qdd);
  derivative_columns(w, out);
  return outcome(finite);
}

Outcome forward_dynamics_derivatives(const Workspace& w, const double* q, const double* qd,
                                     const double* tau, const DerivativesOut& out) noexcept {
  place_links(w, q);
  if (!joint_momenta(w)) return Outcome::kNotFinite;
  if (!newton_euler(w, w.gravity, tip_wrench(w), qd, nullptr, nullptr)) return Outcome::kNotFinite;
  subtract_bias(w, tau);
  if (!factorise<true>(w)) return Outcome::kSingular;
  double* qdd = out.third;  // in a column that is written last
  if (!accelerate(w, qdd) || !derivative_factors(w, qd, qdd)) return Outcome::kNotFinite;
  solved_columns(w, out);
  inverse_columns(w, out.third, out.third_stride);
  return Outcome::kOk;
}

}  // namespace

const Kernels kKernels = {DYN_SIMD_NAME,
                          kWidth,
                          frames,
                          mass_matrix,
                          mass_matrix_inverse,
                          factor,
                          coriolis_matrix,
                          coriolis_torque,
                          gravity_torque,
                          bias_torque,
                          inverse_dynamics,
                          forward_dynamics,
                          dynamics,
                          inverse_dynamics_derivatives,
                          forward_dynamics_derivatives};

}  // namespace dyn::fast::DYN_SIMD_TARGET
// NOLINTEND(misc-definitions-in-headers)
