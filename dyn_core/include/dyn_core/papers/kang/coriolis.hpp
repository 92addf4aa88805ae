// KIC: the Coriolis matrix from the Christoffel symbols of the inertia power array.
//
//   H.-J. Kang: Computationally efficient KIC-based dynamic modeling of robot manipulators, eq.
//   (8), (19)-(27).
//
//   C_ij = Σ_k c_ijk φ̇_k,   c_ijk = (P*_ijk + P*_ikj) / 2
//
// The symmetric part of P* in j, k is what makes torques, hence c are the Christoffel symbols of I*
// and İ* - 2C is skew-symmetric. Deviation: the paper does not form C; its count ends with P*, and
// so does the one measured here. The paper's contains I*: kang::power_count of printed.hpp is without, as
// KicCoriolis is; with I* see inertia_power.hpp. O(n³). KicOlderCoriolis has P* by (9) and (10), with I*,
// O(n⁴): for comparison.
#pragma once

#include <algorithm>
#include <vector>

#include "dyn_core/math/counted.hpp"
#include "dyn_core/papers/kang/as_printed.hpp"
#include "dyn_core/papers/kang/inertia_power.hpp"

namespace dyn {

/// C of P*, which becomes the Christoffel symbols.
template <class Scalar>
void christoffel_matrix(PowerArray<Scalar> P, VecIn<Scalar> qd, MatOut<Scalar>& C) {
  [[maybe_unused]] const NotCounted<Scalar> as_in_the_paper;
  make_christoffel_symbols<Scalar>(P);
  for (Index i = 0; i < qd.size(); ++i) {
    C.row(i).transpose().noalias() = P[static_cast<std::size_t>(i)].lazyProduct(qd);
  }
}

template <class Scalar>
class KicCoriolis final : public CoriolisAlgorithm<Scalar> {
 public:
  explicit KicCoriolis(const Model& model)
      : power_(model),
        P_(static_cast<std::size_t>(model.size()), MatX<Scalar>(model.size(), model.size())) {}

  void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                       MatOut<Scalar> C) override {
    power_.inertia_power(model, joints, P_);
    christoffel_matrix<Scalar>(P_, qd, C);
  }

 private:
  InertiaPower<Scalar> power_;
  std::vector<MatX<Scalar>> P_;
};

/// By the older algorithm, which section 4 improves on.
template <class Scalar>
class KicOlderCoriolis final : public CoriolisAlgorithm<Scalar> {
 public:
  explicit KicOlderCoriolis(const Model& model) : older_(model), P_(older_.P()) {}

  void coriolis_matrix(const Model& model, Joints<Scalar> joints, VecIn<Scalar> qd,
                       MatOut<Scalar> C) override {
    older_.update(model, joints);
    std::ranges::copy(older_.P(), P_.begin());
    christoffel_matrix<Scalar>(P_, qd, C);
  }

 private:
  kang::OlderAlgorithm<Scalar> older_;
  std::vector<MatX<Scalar>> P_;
};

}  // namespace dyn
