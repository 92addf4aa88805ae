// KIC: the Coriolis matrix from the Christoffel symbols of the inertia power array.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (8), (19)-(27).
//
//   C_ij = Σ_k c_ijk φ̇_k,   c_ijk = (P*_ijk + P*_ikj) / 2
//
// The symmetric part of P* in j, k is what makes torques, hence c are the Christoffel symbols of I*
// and İ* - 2C is skew-symmetric. Deviation: the paper does not form C; its count ends with P*, and
// so does the one measured here. The paper's contains I*, this one does not; with I* see
// inertia_power.hpp. O(n³).
#pragma once

#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"

namespace dyn {

template <class Scalar>
class KicCoriolis final : public CoriolisAlgorithm<Scalar> {
 public:
  explicit KicCoriolis(const Model& model)
      : power_(model),
        P_(static_cast<std::size_t>(model.size()), MatX<Scalar>(model.size(), model.size())) {}

  void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                       MatOut<Scalar> C) override {
    power_.inertia_power(model, joints, P_);
    [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
    make_christoffel_symbols<Scalar>(P_);
    for (Index i = 0; i < model.size(); ++i) {
      C.row(i).transpose().noalias() = P_[static_cast<std::size_t>(i)].lazyProduct(qd);
    }
  }

 private:
  InertiaPower<Scalar> power_;
  std::vector<MatX<Scalar>> P_;
};

}  // namespace dyn
