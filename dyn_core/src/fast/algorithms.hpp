// The fast kernels as algorithms for the registry, for double. Internal to dyn_core.
#pragma once

#include <memory>

#include "dyn_core/robot/algorithm.hpp"

namespace dyn::fast {

/// Null for algorithms of other scalars than double.
template <class Algorithm>
[[nodiscard]] std::unique_ptr<Algorithm> make(const Model& /*model*/) {
  return nullptr;
}
template <>
std::unique_ptr<MassMatrixAlgorithm<double>> make(const Model& model);
template <>
std::unique_ptr<InverseDynamicsAlgorithm<double>> make(const Model& model);
template <>
std::unique_ptr<ForwardDynamicsAlgorithm<double>> make(const Model& model);
template <>
std::unique_ptr<CoriolisAlgorithm<double>> make(const Model& model);

}  // namespace dyn::fast
