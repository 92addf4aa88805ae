// What an algorithm of each quantity is. Every algorithm is a class template over the scalar, named and
// made through registry.hpp; a Solver (solver.hpp) adds what is common to all of them: the checks,
// mimic joints, armature, damping, friction and the wrench at the tip.
//
// All vectors and matrices here are over the chain's moving joints (joint_count of them). Links and
// joints are numbered 0 … n-1 from base to tip. An algorithm object is its own workspace: sized once
// for one chain, one per thread, no allocation in its queries.
#pragma once

#include "dyn_core/robot/model.hpp"

namespace dyn {

template <class Scalar>
class MassMatrixAlgorithm {
 public:
  virtual ~MassMatrixAlgorithm() = default;
  /// M(q), full and symmetric, without armature.
  virtual void mass_matrix(const Model& model, Joints<Scalar> joints, MatOut<Scalar> M) = 0;
};

template <class Scalar>
class InverseDynamicsAlgorithm {
 public:
  virtual ~InverseDynamicsAlgorithm() = default;
  /// tau = M q̈ + C(q, q̇) q̇ + g(q), without armature; `gravity` in frame 0.
  virtual void inverse_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                                VecIn<Scalar> qd, VecIn<Scalar> qdd, VecOut<Scalar> tau) = 0;
};

template <class Scalar>
class ForwardDynamicsAlgorithm {
 public:
  virtual ~ForwardDynamicsAlgorithm() = default;
  /// q̈ from tau, armature included; `gravity` in frame 0. kSingular where M is not positive definite.
  virtual Status forward_dynamics(const Model& model, Joints<Scalar> joints, const Vec3d& gravity,
                                  VecIn<Scalar> qd, VecIn<Scalar> tau, VecOut<Scalar> qdd) = 0;
};

template <class Scalar>
class CoriolisAlgorithm {
 public:
  virtual ~CoriolisAlgorithm() = default;
  /// C(q, q̇) such that C q̇ are the centrifugal and Coriolis torques.
  virtual void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                               MatOut<Scalar> C) = 0;
};

}  // namespace dyn
