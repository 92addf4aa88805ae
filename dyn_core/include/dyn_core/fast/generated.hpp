// Generated code in a program: include this header, then the one that `dyn generate` wrote, in a source file of
// the program; its solvers then know the algorithm `generated` for that robot, and with `--lanes` its batches
// take that code.
#pragma once
#define DYN_CORE_GENERATED_HPP

#include "dyn_core/base/export.hpp"
#include "dyn_core/robot/chain.hpp"

namespace dyn {

/// The functions of one generated header; null those that were left out of it. Matrices row by row.
struct GeneratedDynamics {
  const char* name = nullptr;
  int joints = 0;
  const char* const* joint_names = nullptr;
  void (*mass_matrix)(const double* q, double* M) = nullptr;
  void (*inverse_dynamics)(const double* q, const double* qd, const double* qdd,
                           double* tau) = nullptr;
  void (*bias_torque)(const double* q, const double* qd, double* tau) = nullptr;
  bool (*forward_dynamics)(const double* q, const double* qd, const double* tau,
                           double* qdd) = nullptr;
};

/// The functions of one generated header for packets of eight states and one instruction set; null those that were
/// left out of it. Rows as in a BatchArray. False: this packet is left to the general kernels.
struct GeneratedLanes {
  const char* name = nullptr;
  int joints = 0;
  const char* const* joint_names = nullptr;
  const char* target = nullptr;
  bool (*mass_matrix)(const double* q, double* M) = nullptr;
  bool (*inverse_dynamics)(const double* q, const double* qd, const double* qdd,
                           double* tau) = nullptr;
  bool (*bias_torque)(const double* q, const double* qd, double* tau) = nullptr;
  bool (*forward_dynamics)(const double* q, const double* qd, const double* tau,
                           double* qdd) = nullptr;
};

/// Before solvers and batches are made, on one thread. True, so that it can initialise a constant.
DYN_CORE_EXPORT bool register_generated(const GeneratedDynamics& code);
DYN_CORE_EXPORT bool register_generated(const GeneratedLanes& code);
/// The code registered last for a chain with these coordinates; null if there is none.
DYN_CORE_EXPORT [[nodiscard]] const GeneratedDynamics* find_generated(const Chain& chain);

}  // namespace dyn
