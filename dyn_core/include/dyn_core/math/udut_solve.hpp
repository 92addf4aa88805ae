// Linear algebra on the factors of M = U D Uᵀ, U unit upper triangular, D diagonal.
#pragma once

#include "dyn_core/math/types.hpp"

namespace dyn {

template <class Scalar>
using MatIn = const std::type_identity_t<Eigen::Ref<const MatX<Scalar>>>&;

/// A pivot as small as the rounding of what it was computed from is none.
template <class Scalar>
[[nodiscard]] Scalar pivot_tolerance() {
  return Scalar(16.0 * static_cast<double>(Eigen::NumTraits<Scalar>::epsilon()));
}

/// x becomes (U D Uᵀ)⁻¹ x. No allocation.
template <class Scalar>
void solve_udut(MatIn<Scalar> U, VecIn<Scalar> D, VecOut<Scalar> x) {
  const Index n = x.size();
  for (Index k = n - 1; k > 0; --k) {
    for (Index i = 0; i < k; ++i) x[i] -= U(i, k) * x[k];
  }
  for (Index k = 0; k < n; ++k) {
    x[k] /= D[k];
    for (Index i = 0; i < k; ++i) x[k] -= U(i, k) * x[i];
  }
}

}  // namespace dyn
