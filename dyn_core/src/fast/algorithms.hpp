// The fast kernels as registered algorithms, for double. Internal to dyn_core.
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "dyn_core/registry.hpp"

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

/// Entries of which the last is `fast`: all of them for double, all others for the other scalars.
template <class Scalar, class Algorithm, std::size_t Count>
[[nodiscard]] constexpr Entries<Algorithm> offered(const Entry<Algorithm> (&entries)[Count]) {
  return Entries<Algorithm>(entries).first(std::is_same_v<Scalar, double> ? Count : Count - 1);
}

}  // namespace dyn::fast
